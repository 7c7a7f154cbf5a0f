//! The output of `objchange schemas`.

use std::io::{self, Write};

use objchange_project::{CacheEntry, SchemaCache};
use objchange_text::{json, visible};
use serde::Serialize;

use crate::terminal;

#[derive(Serialize)]
struct Page<'e> {
    format_version: &'static str,
    directory: String,
    schemas: &'e [CacheEntry],
}

/// Prints files of the cache.
pub(super) fn write(cache: &SchemaCache, entries: &[CacheEntry], is_json: bool) -> io::Result<()> {
    let mut out = terminal::stdout();
    if is_json {
        let directory = cache.directory.display().to_string();
        json::write_pretty(&mut out, &Page { format_version: "1.0", directory, schemas: entries })?;
        return out.flush();
    }
    for entry in entries {
        writeln!(out, "{}", visible(&entry.line()))?;
    }
    out.flush()
}
