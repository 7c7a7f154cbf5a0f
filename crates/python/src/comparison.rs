//! `Comparison`: the differences between two plans.

use std::sync::Arc;

use objchange_document::Schemas;
use objchange_plan::compare::{AddressMap, CompareOptions, ComparisonCounts, OriginDifferences};
use objchange_plan::{Colour, Comparison as Compared};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::choice::ignored;
use crate::document::HeldDocument;
use crate::error::Failure;
use crate::page;

/// The differences between two plans.
///
/// Counts are kept; texts are made on demand.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct Comparison {
    plans: [Arc<HeldDocument>; 2],
    schemas: Arc<Schemas>,
    options: CompareOptions,
    counts: ComparisonCounts,
    result: &'static str,
    unmatched: Vec<String>,
}

/// Compares two plans, and passes the comparison to a function.
fn compare<R>(
    plans: &[Arc<HeldDocument>; 2],
    schemas: &Schemas,
    options: &CompareOptions,
    make: impl FnOnce(&Compared<'_>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let [a, b] = plans;
    // The comparison borrows from both plans, which an object of Python cannot, so each page compares anew.
    let (plan_a, plan_b) = (a.judged()?, b.judged()?);
    let compared = Compared::new(plan_a, plan_b, schemas, options);
    let mut compared =
        compared.map_err(|error| Failure::compare(&error, [a.file.as_deref(), b.file.as_deref()]))?;
    let origins = a.plan_file().origin().zip(b.plan_file().origin());
    compared.origins = origins.map(|(a, b)| OriginDifferences::between(a, b));
    make(&compared)
}

impl Comparison {
    pub(crate) fn new(
        py: Python<'_>,
        plans: [Arc<HeldDocument>; 2],
        schemas: Arc<Schemas>,
        map: Vec<String>,
        ignore: Vec<String>,
    ) -> PyResult<Self> {
        let maps = map.into_iter().map(|map| map.parse::<AddressMap>()).collect::<Result<_, _>>();
        let maps = maps.map_err(|error| Failure::new("OptionError", error.kind(), error.to_string()))?;
        let options = CompareOptions { maps, ignored: ignored(ignore)? };
        let (counts, result, unmatched) = py.detach(|| {
            compare(&plans, &schemas, &options, |compared| {
                Ok((compared.counts, compared.result(), compared.unmatched.clone()))
            })
        })?;
        Ok(Self { plans, schemas, options, counts, result, unmatched })
    }

    /// Writes a page with the names of the plans.
    fn page(
        &self,
        py: Python<'_>,
        write: impl Send + FnOnce(&Compared<'_>, &mut Vec<u8>, [&str; 2]) -> std::io::Result<()>,
    ) -> PyResult<String> {
        let written = py.detach(|| {
            compare(&self.plans, &self.schemas, &self.options, |compared| {
                let [a, b] = &self.plans;
                let names = [a.file.as_deref().unwrap_or("a"), b.file.as_deref().unwrap_or("b")];
                let mut page = Vec::new();
                write(compared, &mut page, names)
                    .map_err(|error| Failure::new("Error", "write", error.to_string()))?;
                page::text(page)
            })
        });
        Ok(written?)
    }
}

#[pymethods]
impl Comparison {
    /// `"same"`, `"expected"` or `"different"`.
    #[getter]
    fn result(&self) -> &'static str {
        self.result
    }

    /// Both plans do the same.
    #[getter]
    fn is_same(&self) -> bool {
        self.counts.surprises() + self.counts.expected == 0
    }

    /// All that differs was unknown in the first plan.
    #[getter]
    fn is_as_expected(&self) -> bool {
        self.counts.surprises() == 0
    }

    /// How many things differ, and how many are the same.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        counts.set_item("only_in_a", self.counts.only_in_a)?;
        counts.set_item("only_in_b", self.counts.only_in_b)?;
        counts.set_item("other_action", self.counts.other_action)?;
        counts.set_item("other_values", self.counts.other_values)?;
        counts.set_item("incomplete", self.counts.incomplete)?;
        counts.set_item("expected", self.counts.expected)?;
        counts.set_item("same", self.counts.same)?;
        Ok(counts)
    }

    /// The options that name nothing in the plans.
    #[getter]
    fn unmatched(&self) -> Vec<String> {
        self.unmatched.clone()
    }

    /// The differences as text: ``-`` is only in the first plan and ``+`` only in the second; ``!`` is a
    /// surprise, and ``~`` is expected.
    #[pyo3(signature = (*, color=false))]
    fn text(&self, py: Python<'_>, color: bool) -> PyResult<String> {
        let colour = if color { Colour::Always } else { Colour::Never };
        self.page(py, |compared, page, names| compared.write_text(page, colour, names))
    }

    /// The differences as a Markdown page. The arguments are those of `Document.markdown`.
    ///
    /// Raises `OptionError` where ``max_length`` is too small.
    #[pyo3(signature = (*, title=None, link=None, marker=None, max_length=None))]
    fn markdown(
        &self,
        py: Python<'_>,
        title: Option<&str>,
        link: Option<&str>,
        marker: Option<&str>,
        max_length: Option<usize>,
    ) -> PyResult<String> {
        let options = page::markdown_options(title, link, marker, max_length)?;
        self.page(py, |compared, page, names| compared.write_markdown(page, &options, names))
    }

    /// As JSON, in the form of `schema/comparison.schema.json`.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        self.page(py, |compared, page, names| compared.write_json(page, names))
    }

    /// The text for notebooks, cut to about 100 kB.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(page::preformatted(&self.text(py, false)?))
    }

    fn __repr__(&self) -> String {
        let (surprises, expected) = (self.counts.surprises(), self.counts.expected);
        format!("<Comparison: {}, {surprises} as a surprise, {expected} as expected>", self.result)
    }
}
