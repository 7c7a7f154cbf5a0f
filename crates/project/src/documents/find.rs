//! Finds files from arguments.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use objchange_document::PlanFile;
use objchange_files::input::{MAX_DOCUMENT, Source};
use objchange_files::{Walk, unpacked};
use objchange_text::Notice;

use super::InputsError;
use crate::glob::PathGlob;
use crate::plan::is_module;
use crate::plan_files::PlanFileReader;

/// Where documents are read from.
#[derive(Debug)]
pub struct Inputs {
    /// In the order in which they are named.
    pub list: Vec<Input>,
    /// Whether one file was named, by its own name.
    pub are_one_name: bool,
    /// The folders that were searched. Each must hold a document.
    pub folders: Vec<String>,
    /// Links that were not followed.
    pub notices: Vec<Notice>,
    /// Reads the plan files among them.
    pub plan_files: PlanFileReader,
    /// The maximum size of a document, in bytes.
    pub max_input: u64,
}

/// One of them.
#[derive(Debug)]
pub enum Input {
    /// A file, or standard input.
    Source {
        /// Which.
        source: Source,
        /// How it came to be there.
        origin: Origin,
    },
    /// The plan of a module in a directory.
    Planned(PlanFile),
    /// There is no document where one is named.
    Missing(InputsError),
}

/// How a file came to be among the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// By its name, or by a glob.
    Named,
    /// It was found in the folder with this position in [`Inputs::folders`], where other files may be, too.
    Found(usize),
    /// It was found in a folder, and only the case of its name is wrong: `a.JSON`.
    FoundWithCapitals(usize),
}

impl Origin {
    /// The position of its folder in [`Inputs::folders`], if it was found in one.
    pub fn folder(self) -> Option<usize> {
        match self {
            Self::Named => None,
            Self::Found(folder) | Self::FoundWithCapitals(folder) => Some(folder),
        }
    }
}

impl Inputs {
    /// The files that arguments name: each is a file, `-`, a folder, in which and below which all files are meant that
    /// are called as what is wanted, or a glob. A directory with configuration files is planned as a module.
    ///
    /// The files of a folder or a glob are sorted, without hidden ones. `plan` makes the plan of a module, or says why
    /// there is none.
    ///
    /// # Errors
    ///
    /// Standard input is named twice, or a plan cannot be made for a reason that concerns all.
    pub fn find<E: From<InputsError>>(
        arguments: &[PathBuf],
        extensions: &[&str],
        mut plan: impl FnMut(&Path) -> Result<Result<PlanFile, InputsError>, E>,
    ) -> Result<Self, E> {
        let mut found = FoundInputs::default();
        let mut folders = Vec::new();
        for argument in arguments {
            if is_module(argument) {
                found.list.push(match plan(argument)? {
                    Ok(file) => Input::Planned(file),
                    // A module that cannot be planned does not stop the other inputs.
                    Err(error) => Input::Missing(error),
                });
                continue;
            }
            match PathGlob::text_of(argument) {
                _ if Source::new(argument) == Source::Stdin => {
                    found.list.push(Input::Source { source: Source::Stdin, origin: Origin::Named });
                }
                _ if argument.is_dir() => {
                    folders.push(argument.display().to_string());
                    find_in_folder((argument, folders.len() - 1), extensions, &mut found);
                }
                Some(glob) => find_by_glob(glob, &mut found),
                _ => found.list.push(Input::Source { source: Source::new(argument), origin: Origin::Named }),
            }
        }
        let FoundInputs { list, notices } = found;
        let stdins = list.iter().filter(|input| matches!(input, Input::Source { source: Source::Stdin, .. }));
        if stdins.count() > 1 {
            return Err(InputsError::OneStdin.into());
        }
        let are_one_name = matches!(&arguments, [one] if matches!(&list[..], [Input::Source { source, origin: Origin::Named }]
            if *source == Source::new(one))
            || matches!(&list[..], [Input::Planned(_)]));
        Ok(Self {
            list,
            are_one_name,
            folders,
            notices,
            plan_files: PlanFileReader::default(),
            max_input: MAX_DOCUMENT,
        })
    }

    /// The sources that exist.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.list.iter().filter_map(|input| match input {
            Input::Source { source, .. } => Some(source),
            Input::Planned(_) | Input::Missing(_) => None,
        })
    }
}

/// The name or the extension of plan files.
pub(super) const PLAN_FILE: &str = "tfplan";

/// The inputs that were found so far.
#[derive(Default)]
struct FoundInputs {
    list: Vec<Input>,
    notices: Vec<Notice>,
}

/// Adds the wanted files of a folder; `position` counts the folders.
fn find_in_folder((folder, position): (&Path, usize), extensions: &[&str], found: &mut FoundInputs) {
    let is_wanted = |path: &Path| {
        let packed = path.extension().filter(|extension| *extension == "gz").and_then(|_| path.file_stem());
        let unpacked = packed.map_or(path, Path::new);
        // A plan file often is called `tfplan` alone.
        let extension =
            unpacked.extension().or_else(|| unpacked.file_name().filter(|name| *name == PLAN_FILE));
        extension.is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
            || extensions.contains(&PLAN_FILE) && begins_as_plan(path)
    };
    find_below((folder, usize::MAX), Origin::Found(position), found, is_wanted);
}

/// Whether a file is an archive whose first entry is a plan, as Terraform writes plan files, or begins as Terraform begins a
/// document. People give these any name.
fn begins_as_plan(path: &Path) -> bool {
    // The name of an archive's first entry is behind 30 bytes.
    let mut head = [0; 36];
    // Opening a pipe would wait for somebody to write into it, also through a link.
    let is_file = fs::symlink_metadata(path).is_ok_and(|known| known.is_file());
    let opened = || Source::File(path.to_owned()).open().and_then(unpacked);
    is_file
        && opened().is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
        && (head.starts_with(b"PK\x03\x04") && head.ends_with(b"tfplan")
            || head.starts_with(b"{\"format_version\":"))
}

fn find_by_glob(text: &str, found: &mut FoundInputs) {
    let glob = match PathGlob::parse(text) {
        Ok(glob) => glob,
        Err(error) => {
            let error = InputsError::Glob { glob: text.to_owned(), reason: error.kind().to_string() };
            return found.list.push(Input::Missing(error));
        }
    };
    let before = found.list.len();
    find_below((&glob.folder, glob.depth), Origin::Named, found, |path| glob.is_match(path));
    if found.list.len() == before {
        found.list.push(Input::Missing(InputsError::NoMatch(text.to_owned())));
    }
}

/// Adds the wanted files below a folder.
fn find_below(
    (folder, depth): (&Path, usize),
    origin: Origin,
    found: &mut FoundInputs,
    is_wanted: impl Fn(&Path) -> bool,
) {
    let files = Walk { folder, depth, hidden: false }.files(is_wanted);
    for path in files.paths {
        let path = path.strip_prefix("./").unwrap_or(&path);
        found.list.push(Input::Source { source: Source::File(path.to_owned()), origin });
    }
    // A glob says itself which letters it means.
    if let Origin::Found(position) = origin {
        let capitals = files.capitals.into_iter().map(Source::File);
        let origin = Origin::FoundWithCapitals(position);
        found.list.extend(capitals.map(|source| Input::Source { source, origin }));
    }
    found.list.extend(files.unreadable.into_iter().map(InputsError::Unsearched).map(Input::Missing));
    for link in files.outside {
        let warning = format!("{}: skipped, because this link leaves the folder", link.display());
        found.notices.push(Notice::Warning(warning));
    }
}
