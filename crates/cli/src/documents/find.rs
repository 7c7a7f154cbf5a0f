//! From arguments to files.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use objchange_project::Walk;

use super::Wanted;
use crate::exit::{self, CommandError};
use crate::input::Source;
use crate::module_plan::{PlanInputs, is_module, planned_document};

/// Where documents are read from.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(super) list: Vec<Input>,
    /// Whether one file was named, by its own name.
    pub(super) are_one_name: bool,
}

/// One of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Source {
        source: Source,
        /// Whether it was found in a folder, where other files may be, too.
        is_found: bool,
    },
    /// A module that was planned.
    Planned { name: String, text: Arc<String> },
    /// What was asked for is not there.
    Missing(String),
}

impl Inputs {
    /// The files that arguments name: each is a file, `-`, a folder, in which and below which all files are meant that
    /// are called as what is wanted, or a glob. A directory with configuration files is planned as a module.
    ///
    /// The files of a folder and of a glob are sorted; what is hidden in them is left out.
    ///
    /// # Errors
    ///
    /// Standard input is named twice.
    pub(crate) fn find(
        arguments: &[PathBuf],
        wanted: Wanted,
        modules: &PlanInputs<'_>,
    ) -> Result<Self, CommandError> {
        let mut list = Vec::new();
        for argument in arguments {
            if is_module(argument) {
                let name = argument.display().to_string();
                match planned_document(argument, modules) {
                    Ok(text) => list.push(Input::Planned { name, text: Arc::new(text) }),
                    // The others are answered to all the same.
                    Err(CommandError::Unusable(message)) => list.push(Input::Missing(message)),
                    Err(error) => return Err(error),
                }
                continue;
            }
            let glob = argument.to_str().filter(|text| text.contains(['*', '?', '[', '{']));
            match glob {
                _ if Source::new(argument) == Source::Stdin => {
                    list.push(Input::Source { source: Source::Stdin, is_found: false });
                }
                _ if argument.is_dir() => find_in_folder(argument, wanted, &mut list),
                Some(glob) if !argument.exists() => find_by_glob(glob, &mut list),
                _ => list.push(Input::Source { source: Source::new(argument), is_found: false }),
            }
        }
        let stdins = list.iter().filter(|input| matches!(input, Input::Source { source: Source::Stdin, .. }));
        if stdins.count() > 1 {
            return Err("standard input (-) can be read only once".into());
        }
        let are_one_name = matches!(&arguments, [one] if matches!(&list[..], [Input::Source { source, is_found: false }]
            if *source == Source::new(one))
            || matches!(&list[..], [Input::Planned { .. }]));
        Ok(Self { list, are_one_name })
    }

    /// Those that are there.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.list.iter().filter_map(|input| match input {
            Input::Source { source, .. } => Some(source),
            Input::Planned { .. } | Input::Missing(_) => None,
        })
    }
}

fn find_in_folder(folder: &Path, wanted: Wanted, list: &mut Vec<Input>) {
    let is_wanted = |path: &Path| {
        path.extension().is_some_and(|extension| wanted.extensions.iter().any(|wanted| extension == *wanted))
    };
    let before = list.len();
    find_below(folder, usize::MAX, true, list, is_wanted);
    if list.len() == before {
        let names: Vec<String> = wanted.extensions.iter().map(|extension| format!("*.{extension}")).collect();
        list.push(Input::Missing(format!(
            "{}: no file in it is called {}",
            folder.display(),
            names.join(" or ")
        )));
    }
}

fn find_by_glob(text: &str, list: &mut Vec<Input>) {
    let glob: GlobMatcher = match GlobBuilder::new(text).literal_separator(true).build() {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            return list.push(Input::Missing(format!("{text}: this is not a glob: {}", error.kind())));
        }
    };
    let path = Path::new(text);
    let is_plain =
        |component: &Component<'_>| !component.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let folder: PathBuf = path.components().take_while(is_plain).collect();
    let depth = match text.contains("**") || text.contains('{') {
        true => usize::MAX,
        false => path.components().count() - folder.components().count(),
    };
    let before = list.len();
    let is_here = folder.as_os_str().is_empty();
    find_below(if is_here { Path::new(".") } else { &folder }, depth, false, list, |path| {
        glob.is_match(if is_here { path.strip_prefix(".").unwrap_or(path) } else { path })
    });
    if list.len() == before {
        list.push(Input::Missing(format!("{text}: no file is called like this")));
    }
}

/// Adds the wanted files below a folder. `is_found` says whether they may be something else than documents.
fn find_below(
    folder: &Path,
    depth: usize,
    is_found: bool,
    list: &mut Vec<Input>,
    is_wanted: impl Fn(&Path) -> bool,
) {
    let files = Walk { folder, depth, hidden: false }.files(is_wanted);
    for path in files.paths {
        let path = path.strip_prefix("./").unwrap_or(&path);
        list.push(Input::Source { source: Source::File(path.to_owned()), is_found });
    }
    list.extend(files.unreadable.into_iter().map(Input::Missing));
    for link in files.outside {
        exit::warn(&format!("{}: skipped, as this link leaves the folder", link.display()));
    }
}
