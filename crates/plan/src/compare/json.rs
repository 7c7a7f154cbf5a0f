//! A comparison as JSON, for programs: see `schema/comparison.schema.json`.

use std::io::{self, Write};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::comparison::Comparison;
use super::origin::OriginDifferences;
use crate::render::shared::write_json_lines;

/// The version of the format. Later minor versions may add members and words.
const FORMAT_VERSION: &str = "1.0";

impl Comparison<'_> {
    /// Writes what differs as JSON, one difference a line. `names` are those of the plans.
    ///
    /// # Errors
    ///
    /// The text cannot be written.
    pub fn write_json(&self, out: &mut dyn Write, names: [&str; 2]) -> io::Result<()> {
        Ok(write_json_lines(&Page { comparison: self, names }, out)?)
    }
}

struct Page<'c, 't> {
    comparison: &'c Comparison<'t>,
    names: [&'c str; 2],
}

impl Serialize for Page<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Comparison { counts, resources, outputs, invocations, drift, origins, .. } = self.comparison;
        let mut page = serializer.serialize_map(None)?;
        page.serialize_entry("format_version", FORMAT_VERSION)?;
        page.serialize_entry("a", self.names[0])?;
        page.serialize_entry("b", self.names[1])?;
        page.serialize_entry("outcome", self.comparison.result())?;
        page.serialize_entry("counts", counts)?;
        for (name, differences) in
            [("resources", resources), ("outputs", outputs), ("actions", invocations), ("drift", drift)]
        {
            page.serialize_entry(name, differences)?;
        }
        if let Some(OriginDifferences { sources, providers }) = origins {
            page.serialize_entry("sources", sources)?;
            if let Some(providers) = providers {
                page.serialize_entry("providers", providers)?;
            }
        }
        page.end()
    }
}
