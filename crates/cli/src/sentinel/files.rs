//! Which files hold policies, and what is wrong with the text of one.

use std::io;
use std::path::{Path, PathBuf};

use objchange_hcl::{Diagnostic, HiddenSource, Sources as SourceTexts};
use objchange_policy::sentinel::Fault;
use objchange_policy::sentinel::sources::Sources;

use crate::configuration::report;
use crate::input::Source;
use objchange_project::Walk;

/// The texts of policies and configurations, each read once.
pub(super) fn sources() -> Sources {
    let read = |path: &Path, limit: u64| {
        let text = Source::File(path.to_owned()).read_at_most(limit);
        text.map_err(|error| Fault::of_file(path, error.reason()))
    };
    Sources::new(read)
}

/// The files that are named, and those of folders that are called `*.sentinel`.
pub(super) fn find(arguments: &[PathBuf]) -> Result<Vec<Source>, String> {
    let mut sources = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" || !argument.is_dir() {
            sources.push(Source::new(argument));
            continue;
        }
        let before = sources.len();
        let is_policy = |path: &Path| path.extension().is_some_and(|extension| extension == "sentinel");
        let found = Walk { folder: argument, depth: usize::MAX, hidden: false }.files(is_policy);
        sources.extend(found.complete(argument)?.into_iter().map(Source::File));
        if sources.len() == before {
            return Err(format!("{}: no file in it is called *.sentinel", argument.display()));
        }
    }
    if sources.iter().filter(|source| **source == Source::Stdin).count() > 1 {
        return Err("standard input (-) can be read only once".to_owned());
    }
    Ok(sources)
}

/// Says on standard error why a text is no policy, each error with its place.
pub(super) fn show_errors(name: &str, text: &str, errors: &[Diagnostic]) -> io::Result<()> {
    let sources = SourceTexts::of(name, text).unwrap_or_default();
    report::show(&sources, &HiddenSource::default(), errors)
}
