//! Which files hold policies, and what is wrong with the text of one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use annotate_snippets::{Group, Level, Renderer};
use objchange_hcl::{Lines, Place, Span};
use objchange_sentinel::SyntaxError;
use objchange_text::visible;
use walkdir::{DirEntry, WalkDir};

use crate::configuration::report;
use crate::input::Source;

/// The files that are named, and those of folders that are called `*.sentinel`.
pub(super) fn find(arguments: &[PathBuf]) -> Result<Vec<Source>, String> {
    let mut sources = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" || !argument.is_dir() {
            sources.push(Source::new(argument));
            continue;
        }
        let before = sources.len();
        for path in below(argument)? {
            sources.push(Source::File(path));
        }
        if sources.len() == before {
            return Err(format!("{}: no file in it is called *.sentinel", argument.display()));
        }
    }
    if sources.iter().filter(|source| **source == Source::Stdin).count() > 1 {
        return Err("standard input (-) can be read only once".to_owned());
    }
    Ok(sources)
}

/// The policies of a folder and those in it, but not of hidden ones, which are the work of programs.
fn below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let is_hidden =
        |entry: &DirEntry| entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(|entry| !is_hidden(entry));
    let mut paths = Vec::new();
    for entry in walk {
        let entry = entry.map_err(|error| error.to_string())?;
        let is_policy = entry.path().extension().is_some_and(|extension| extension == "sentinel");
        if is_policy && entry.path().is_file() {
            paths.push(entry.into_path());
        }
    }
    Ok(paths)
}

/// Says on standard error why a text is no policy, each error with its place.
pub(super) fn show_errors(name: &str, text: &str, errors: &[SyntaxError]) -> io::Result<()> {
    let lines = Lines::new(text);
    let mut err = crate::terminal::stderr();
    for error in errors.iter().take(report::MAX_SHOWN) {
        let span = Span { start: error.span.start, end: error.span.end };
        let title = Level::ERROR.primary_title(visible(&error.message));
        let group: [Group<'_>; 1] = [report::placed(title, Place { name, lines: &lines, span })];
        writeln!(err, "{}", Renderer::styled().render(&group))?;
    }
    report::count_rest(&mut err, errors.len())
}
