//! The state file into which a command puts its object: checked before anything real is made, and not lost afterwards.

use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};
use std::{env, fs};

use objchange::address::InstanceAddress;
use objchange::schema::Schema;
use objchange_text::visible_json;

use super::instance::{self, Role};
use super::merge::{self, Change};
use super::{File, index_key};
use crate::exit;
use crate::input::Source;
use crate::provider::prior::Known;
use crate::provider::session::Failure;
use crate::write_file::{Access, NewFile};

/// Room for the new object beside what the file has already.
const ROOM: usize = 64 << 10;

/// A state file that can be written. It holds secrets, as Terraform's does: a new one can be read only by its owner.
pub(in crate::provider) struct StateOut {
    path: PathBuf,
    /// The state that is there.
    old: Option<String>,
    new: NewFile,
    backup: Option<(PathBuf, NewFile)>,
}

/// The objects that a command leaves.
pub(in crate::provider) struct Objects<'a> {
    pub(in crate::provider) address: &'a InstanceAddress,
    /// The full address of the provider.
    pub(in crate::provider) provider: String,
    pub(in crate::provider) schema: &'a Schema,
    /// The object; null if there is none any more.
    pub(in crate::provider) current: &'a Known,
    /// The old object, if a new one has its place and it could not be destroyed.
    pub(in crate::provider) deposed: Option<&'a Known>,
}

impl StateOut {
    /// Makes sure that the file can be written and that a state in it can be added to.
    pub(in crate::provider) fn open(path: &FilePath) -> Result<Self, Failure> {
        let unusable = |reason: &dyn std::fmt::Display| {
            Failure::Unusable(format!("{}: {reason}; nothing was changed", path.display()))
        };
        let old = read(path).map_err(|reason| unusable(&reason))?;
        let room = old.as_ref().map_or(0, String::len).saturating_mul(2).saturating_add(ROOM);
        let open = |path: &FilePath| {
            let mut new = NewFile::create(path, Access::Owner)?;
            new.reserve(room)?;
            Ok(new)
        };
        let cannot = |path: &FilePath, error: io::Error| {
            let reason = format!("{}: cannot be written: {error}; nothing was changed", path.display());
            Failure::Unusable(reason)
        };
        let new = open(path).map_err(|error| cannot(path, error))?;
        let backup = old.as_ref().map(|_| {
            let mut path = path.as_os_str().to_owned();
            path.push(".backup");
            let path = PathBuf::from(path);
            let backup = open(&path).map_err(|error| cannot(&path, error));
            backup.map(|backup| (path, backup))
        });
        Ok(Self { path: path.to_owned(), old, new, backup: backup.transpose()? })
    }

    /// Makes sure that no other object is forgotten for the one that is to be at this address. It may replace the one that
    /// was read from the same file.
    pub(in crate::provider) fn check_free(
        &self,
        address: &InstanceAddress,
        prior: Option<&FilePath>,
    ) -> Result<(), Failure> {
        let Some(old) = &self.old else { return Ok(()) };
        let is_same_file = prior.is_some_and(|prior| {
            matches!((fs::canonicalize(prior), fs::canonicalize(&self.path)), (Ok(a), Ok(b)) if a == b)
        });
        if is_same_file || !merge::has_object(old, address).unwrap_or(true) {
            return Ok(());
        }
        let path = self.path.display();
        Err(Failure::Unusable(format!(
            "{path} has {address} already, which would be forgotten: change that with --prior {path} --address \
             '{address}', or write into another file; nothing was changed"
        )))
    }

    /// Puts the objects into the file, and keeps what it was in a backup. If that fails the new state is saved elsewhere.
    /// The answer is whether the file has the objects now.
    pub(in crate::provider) fn save(self, objects: &Objects<'_>) -> bool {
        let Self { path, new, backup, .. } = self;
        // Somebody else may have written to it meanwhile.
        let (old, mut problem) = match read(&path) {
            Ok(old) => (old, None),
            Err(reason) => (None, Some(reason)),
        };
        let merged = change(objects).and_then(|change| {
            let merged = merge::merged(old.as_deref(), &change);
            merged.map_err(|error| error.to_string())
        });
        let text = match merged {
            Ok(Some(text)) => text,
            Ok(None) => return true,
            Err(reason) => {
                let _ = exit::complain(&format!("{}: the object cannot be saved: {reason}", path.display()));
                return false;
            }
        };
        if problem.is_none()
            && let (Some((path, backup)), Some(old)) = (backup, &old)
            && let Err(error) = backup.finish(old.as_bytes())
        {
            exit::warn(&format!("{}: the backup cannot be written: {error}", path.display()));
        }
        if problem.is_none()
            && let Err(error) = new.finish(text.as_bytes())
        {
            problem = Some(format!("cannot be written: {error}"));
        }
        let Some(problem) = problem else { return true };
        rescue(&path, &problem, &text);
        false
    }
}

/// What is in the file, if it is a state file; nothing if there is none, or nothing can be read from there.
fn read(path: &FilePath) -> Result<Option<String>, String> {
    if !path.is_file() {
        return Ok(None);
    }
    let text = Source::File(path.to_owned()).read().map_err(|error| error.to_string())?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    match serde_json::from_str::<File>(&text) {
        Ok(file) if file.version == 4 => Ok(Some(text)),
        Ok(File { version, .. }) => {
            Err(format!("the file has a state of version {version}, and only version 4 can be added to"))
        }
        Err(_) => Err("the file is not a state file that can be added to".into()),
    }
}

fn change(objects: &Objects<'_>) -> Result<Change, String> {
    let Objects { address, provider, schema, current, deposed } = objects;
    let members = |known: &Known, role| {
        let is_there = !known.object.is_null();
        is_there
            .then(|| instance::members(known, schema, address.key.as_ref().map(index_key).as_ref(), role))
            .transpose()
    };
    Ok(Change {
        address: (*address).clone(),
        provider: provider.clone(),
        current: members(current, Role::Current)?,
        deposed: deposed.map_or(Ok(None), |known| members(known, Role::Deposed))?,
    })
}

/// Saves a state that cannot be written where it belongs, because nothing else knows what was made.
fn rescue(path: &FilePath, problem: &str, text: &str) {
    // Where nobody can be told the next way is tried all the same.
    let _ = exit::complain(&format!("{}: {problem}", path.display()));
    let folders = [env::current_dir().ok(), Some(env::temp_dir())];
    for folder in folders.into_iter().flatten() {
        let file = tempfile::Builder::new().prefix("errored.").suffix(".tfstate").tempfile_in(folder);
        let written = file.and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            Ok(file.keep()?.1)
        });
        if let Ok(saved) = written {
            let _ = exit::complain(&format!("the new state was saved in {}", saved.display()));
            return;
        }
    }
    let _ = exit::complain("the new state could be saved nowhere; keep the following, which holds secrets:");
    let mut err = io::stderr().lock();
    for line in text.lines() {
        let _ = writeln!(err, "{}", visible_json(line));
    }
}
