//! The keyword arguments that pages and lists share: which resources they have, and in which form.

use objchange_document::{PlanFile, PlanMode, Program, Schemas};
use objchange_plan::compare::unmatched_paths;
use objchange_plan::report::{SelectedAction, Selection, places};
use objchange_plan::{Filter, IgnoredPath, Options};
use objchange_text::did_you_mean;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::document::HeldDocument;
use crate::error::Failure;
use crate::load::warn;

/// Which resources are meant, and how they are shown.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    selection: Selection,
    mode: Option<PlanMode>,
    program: Option<Program>,
    match_sets: bool,
    match_lists: bool,
    full: bool,
}

/// A text, or several.
#[derive(Debug, Default)]
pub(crate) struct Texts(pub(crate) Vec<String>);

impl<'a, 'py> FromPyObject<'a, 'py> for Texts {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        // A `str` is a sequence of its characters, too.
        if object.is_instance_of::<PyString>() {
            return Ok(Self(vec![object.extract()?]));
        }
        object.try_iter()?.map(|text| text?.extract()).collect::<PyResult<_>>().map(Self)
    }
}

/// The arguments by which resources are selected.
const PLACES: [&str; 5] = ["only", "exclude", "type", "module", "action"];
/// Those of pages of changes.
const PAGES: [&str; 8] =
    ["drift", "no_drift", "ignore", "mode", "program", "match_sets", "match_lists", "full"];

impl Choice {
    /// The selection of a list of changes.
    pub(crate) fn of_list(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Filter> {
        Ok(Self::read(arguments, &PLACES)?.selection.filter())
    }

    /// The choice for a page. `is_full` says whether the page can show all.
    pub(crate) fn of_page(arguments: Option<&Bound<'_, PyDict>>, is_full: bool) -> PyResult<Self> {
        let mut names = [&PLACES[..], &PAGES[..]].concat();
        if !is_full {
            names.pop();
        }
        let choice = Self::read(arguments, &names)?;
        if choice.selection.drift && choice.selection.no_drift {
            return Err(Failure::new("OptionError", "drift", "pass one of drift and no_drift").into());
        }
        Ok(choice)
    }

    fn read(arguments: Option<&Bound<'_, PyDict>>, known: &[&str]) -> PyResult<Self> {
        let mut choice = Self::default();
        for (name, value) in arguments.into_iter().flatten() {
            let name: String = name.extract()?;
            if !known.contains(&name.as_str()) {
                let meant = did_you_mean(&name, known.iter().copied());
                return Err(PyTypeError::new_err(format!("unexpected keyword argument '{name}'{meant}")));
            }
            choice.take(&name, &value).map_err(|error| named(value.py(), &name, error))?;
        }
        Ok(choice)
    }

    fn take(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let texts = || value.extract().map(|Texts(texts)| texts);
        let selection = &mut self.selection;
        match name {
            "only" => selection.only = texts()?,
            "exclude" => selection.exclude = texts()?,
            "type" => selection.types = texts()?,
            "module" => selection.modules = texts()?,
            "action" => {
                selection.actions = texts()?.iter().map(|name| action(name)).collect::<Result<_, _>>()?;
            }
            "drift" => selection.drift = value.extract()?,
            "no_drift" => selection.no_drift = value.extract()?,
            "ignore" => selection.ignored = ignored(texts()?)?,
            "mode" => self.mode = value.extract::<Option<&str>>()?.map(mode).transpose()?,
            "program" => self.program = value.extract::<Option<&str>>()?.map(program).transpose()?,
            "match_sets" => self.match_sets = value.extract()?,
            "match_lists" => self.match_lists = value.extract()?,
            _ => self.full = value.extract()?,
        }
        Ok(())
    }

    /// The options of a report.
    pub(crate) fn options(&self) -> Options {
        Options {
            mode: self.mode,
            program: self.program,
            full: self.full,
            own_format: self.full,
            match_sets: self.match_sets,
            match_lists: self.match_lists,
            ..Options::default()
        }
    }

    /// Which resources are shown.
    pub(crate) fn filter(&self) -> Filter {
        self.selection.filter()
    }

    /// The program as which the document is shown.
    pub(crate) fn program_of(&self, file: &PlanFile) -> Program {
        self.program.unwrap_or_else(|| Program::of_file(file))
    }

    /// Refuses what does not fit the document, and warns of what matches nothing in it.
    pub(crate) fn check(&self, py: Python<'_>, held: &HeldDocument) -> PyResult<()> {
        let file = held.plan_file();
        if !file.is_plan() && (self.selection.is_of_changes() || self.mode.is_some()) {
            let message = "action, drift, no_drift, ignore and mode apply to plans; this is a state";
            return Err(Failure::new("OptionError", "state", message).in_file(held.file.as_deref()).into());
        }
        let unmatched = py.detach(|| {
            let parts = self.selection.unmatched(&places(file));
            let ignored = file.changes().map(|changes| {
                unmatched_paths(changes, &Schemas::none(), &self.selection.ignored).unwrap_or_default()
            });
            let ignored =
                ignored.into_iter().flatten().map(|path| format!("ignore {path} matches nothing here"));
            parts.iter().map(ToString::to_string).chain(ignored).collect::<Vec<_>>()
        });
        unmatched.iter().try_for_each(|part| warn(py, held.file.as_deref(), part))
    }
}

/// Says in a `TypeError` which argument it is about.
fn named(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    match error.is_instance_of::<PyTypeError>(py) {
        true => PyTypeError::new_err(format!("argument '{name}': {}", error.value(py))),
        false => error,
    }
}

fn action(name: &str) -> Result<SelectedAction, Failure> {
    name.parse().map_err(|_| {
        let names = SelectedAction::ALL.map(SelectedAction::name);
        let meant = did_you_mean(name, names);
        Failure::new("OptionError", "action", format!("an action is one of {}{meant}", names.join(", ")))
    })
}

fn mode(name: &str) -> Result<PlanMode, Failure> {
    match name {
        "normal" => Ok(PlanMode::Normal),
        "destroy" => Ok(PlanMode::Destroy),
        "refresh-only" => Ok(PlanMode::RefreshOnly),
        _ => Err(Failure::new("OptionError", "mode", "mode is one of normal, destroy and refresh-only")),
    }
}

fn program(name: &str) -> Result<Program, Failure> {
    name.parse::<Program>().map_err(|error| Failure::new("OptionError", error.kind(), error.to_string()))
}

/// Paths of values that are ignored.
pub(crate) fn ignored(paths: Vec<String>) -> Result<Vec<IgnoredPath>, Failure> {
    let paths = paths.into_iter().map(|path| path.parse::<IgnoredPath>());
    paths
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::new("OptionError", error.kind(), error.to_string()))
}
