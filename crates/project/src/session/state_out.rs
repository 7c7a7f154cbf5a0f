//! The state file into which a command puts its object: checked before anything real is made, and not lost afterwards.

use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};
use std::{env, fmt, fs};

use objchange::address::{InstanceAddress, Mode};
use objchange_document::state_edit::{StateEdit, has_object, state_file_version};
use objchange_text::{Noted, Notice};

use super::SessionError;
use objchange_files::FileError;
use objchange_files::input::Source;
use objchange_files::write_file::{Access, NewFile};

/// Room for the new object beside what the file has already.
const ROOM: usize = 64 << 10;

/// A state file that can be written. It holds secrets, as Terraform's does: a new one can be read only by its owner.
pub struct StateOut {
    path: PathBuf,
    /// The state that is there.
    old: Option<String>,
    new: NewFile,
    backup: Option<(PathBuf, NewFile)>,
}

/// Reads the address of a managed resource of this type.
///
/// # Errors
///
/// The text is no such address.
pub fn instance_address(address: &str, type_name: &str) -> Result<InstanceAddress, SessionError> {
    let unusable = |error| SessionError::request(format!("{address}: {error}"));
    let parsed: InstanceAddress = address.parse().map_err(unusable)?;
    if parsed.resource.mode != Mode::Managed || parsed.resource.resource_type != type_name {
        return Err(SessionError::request(format!("{address} is not an address of a {type_name}")));
    }
    Ok(parsed)
}

impl fmt::Debug for StateOut {
    /// Only the path: states hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateOut").field("path", &self.path).finish_non_exhaustive()
    }
}

impl StateOut {
    /// Makes sure that the file can be written and that a state in it can be added to.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or is not a state file.
    pub fn open(path: &FilePath) -> Result<Self, SessionError> {
        let unusable = |reason: &dyn std::fmt::Display| {
            FileError::invalid(format!("{}: {reason}; nothing was changed", path.display()))
        };
        let old = read(path).map_err(|reason| unusable(&reason))?;
        let room = old.as_ref().map_or(0, String::len).saturating_mul(2).saturating_add(ROOM);
        let open = |path: &FilePath| {
            let mut new = NewFile::create(path, Access::Owner)?;
            // Once the object is made, a full disk would lose it. The room is taken before anything is changed.
            new.reserve(room)?;
            Ok(new)
        };
        let cannot = |path: &FilePath, error: io::Error| {
            let reason = format!("{}: cannot be written: {error}; nothing was changed", path.display());
            FileError::unwritable(reason)
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

    /// Checks that no other object is at this address. The object that was read from this file may be replaced.
    ///
    /// # Errors
    ///
    /// Another object is at this address.
    pub fn check_free(
        &self,
        address: &InstanceAddress,
        prior: Option<&FilePath>,
    ) -> Result<(), SessionError> {
        let Some(old) = &self.old else { return Ok(()) };
        let is_same_file = prior.is_some_and(|prior| {
            matches!((fs::canonicalize(prior), fs::canonicalize(&self.path)), (Ok(a), Ok(b)) if a == b)
        });
        if is_same_file || !has_object(old, address).unwrap_or(true) {
            return Ok(());
        }
        let path = self.path.display();
        Err(SessionError::request(format!(
            "{path} has {address} already, which would be lost: change that object, or write into another file; nothing \
             was changed"
        )))
    }

    /// Writes the objects into the file, with a backup of the old one. On failure the new state is saved elsewhere.
    ///
    /// # Errors
    ///
    /// The file lacks the objects. The notices have the reason.
    pub fn save(self, edit: &StateEdit<'_>) -> Noted<Result<(), NotSaved>> {
        Noted::by(|notices| self.write(edit, notices))
    }

    fn write(self, edit: &StateEdit<'_>, notices: &mut Vec<Notice>) -> Result<(), NotSaved> {
        let Self { path, new, backup, .. } = self;
        // Another process may have written to it in the meantime.
        let (old, mut problem) = match read(&path) {
            Ok(old) => (old, None),
            Err(reason) => (None, Some(reason)),
        };
        let text = match edit.apply(old.as_deref()) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(()),
            Err(reason) => {
                let problem = format!("{}: the object cannot be saved: {reason}", path.display());
                notices.push(Notice::Error(problem));
                return Err(NotSaved { unsaved: None });
            }
        };
        if problem.is_none()
            && let (Some((path, backup)), Some(old)) = (backup, &old)
            && let Err(error) = backup.finish(old.as_bytes())
        {
            let problem = format!("{}: the backup cannot be written: {error}", path.display());
            notices.push(Notice::Warning(problem));
        }
        if problem.is_none()
            && let Err(error) = new.finish(text.as_bytes())
        {
            problem = Some(format!("cannot be written: {error}"));
        }
        let Some(problem) = problem else { return Ok(()) };
        notices.push(Notice::Error(format!("{}: {problem}", path.display())));
        match rescue(&text) {
            Some(saved) => {
                notices.push(Notice::Error(format!("the new state was saved in {}", saved.display())));
                Err(NotSaved { unsaved: None })
            }
            None => Err(NotSaved { unsaved: Some(text) }),
        }
    }
}

/// Objects are not where they should be.
pub struct NotSaved {
    /// The state that could be saved nowhere. It holds secrets, and nothing else knows what was made.
    pub unsaved: Option<String>,
}

impl fmt::Debug for NotSaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotSaved").field("is_lost", &self.unsaved.is_some()).finish()
    }
}

/// Reads the file, if it is a state file; `None` if it does not exist or is empty.
fn read(path: &FilePath) -> Result<Option<String>, String> {
    if !path.is_file() {
        return Ok(None);
    }
    let text = Source::File(path.to_owned()).read().map_err(|error| error.to_string())?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    match state_file_version(&text) {
        Some(4) => Ok(Some(text)),
        Some(version) => {
            Err(format!("the file has a state of version {version}, and only version 4 can be added to"))
        }
        None => Err("the file is not a state file that can be added to".into()),
    }
}

/// Saves a state that cannot be written where it belongs, because nothing else knows what was made.
fn rescue(text: &str) -> Option<PathBuf> {
    // Terraform leaves `errored.tfstate` in the working directory. Names with a random part overwrite no earlier one.
    let folders = [env::current_dir().ok(), Some(env::temp_dir())];
    folders.into_iter().flatten().find_map(|folder| {
        let file = tempfile::Builder::new().prefix("errored.").suffix(".tfstate").tempfile_in(folder);
        let written = file.and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            Ok(file.keep()?.1)
        });
        written.ok()
    })
}
