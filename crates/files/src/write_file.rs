//! Writes files, for all parts of the program.
//!
//! A file is written beside the old one under a unique name, and takes its place when it is complete. So a
//! full disk or an interruption leaves the old file unchanged.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// The readers of a new file. An existing file keeps its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only the owner, because the file may hold secrets.
    Owner,
    /// The readers of the user's other files.
    Usual,
}

impl Access {
    #[cfg(unix)]
    const fn mode(self) -> u32 {
        match self {
            Self::Owner => 0o600,
            Self::Usual => 0o666,
        }
    }
}

/// Writes a file whole or not at all.
///
/// Every command writes its files with this function, with [`NewFile`] where it must know beforehand that the file can be
/// written, or with [`append`] where lines come one by one.
pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>, access: Access) -> io::Result<()> {
    NewFile::create(path, access)?.finish(bytes.as_ref())
}

/// Opens a file to which lines are added, and makes it if it is not there.
pub fn append(path: &Path, access: Access) -> io::Result<File> {
    options(access).append(true).create(true).open(path)
}

/// Opens a file and empties it, for content too large for memory.
pub fn overwrite(path: &Path, access: Access) -> io::Result<File> {
    options(access).write(true).create(true).truncate(true).open(path)
}

#[cfg_attr(not(unix), expect(unused_variables, reason = "there are no modes"))]
fn options(access: Access) -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, access.mode());
    options
}

/// A file that can be written, and is not there yet. Nothing is left of it if it is dropped.
#[derive(Debug)]
pub struct NewFile(Target);

#[derive(Debug)]
enum Target {
    /// It takes the place of the file at this path.
    Beside { new: NamedTempFile, path: PathBuf, access: Access },
    /// A device, a pipe, or a file in a folder without write permission.
    InPlace { file: File, is_regular: bool },
}

impl NewFile {
    /// Opens a new file beside this path, to which links are followed.
    pub fn create(path: &Path, access: Access) -> io::Result<Self> {
        let path = follow_links(path)?;
        let old = match fs::metadata(&path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let in_place = |is_regular| {
            let file = OpenOptions::new().write(true).open(&path)?;
            Ok(Self(Target::InPlace { file, is_regular }))
        };
        if let Some(old) = &old {
            if old.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a directory"));
            }
            if !old.is_file() {
                return in_place(false);
            }
            // Replacing it would succeed where writing to it is forbidden.
            OpenOptions::new().write(true).open(&path)?;
        }
        match beside(&path, old.as_ref(), access) {
            Ok(new) => Ok(Self(Target::Beside { new, path, access })),
            // The folder may be read-only although the file is not.
            Err(_) if old.is_some() => in_place(true),
            Err(error) => Err(error),
        }
    }

    /// Reserves space for this many bytes, where the system can.
    pub fn reserve(&mut self, bytes: usize) -> io::Result<()> {
        let Target::Beside { new, .. } = &mut self.0 else { return Ok(()) };
        let file = new.as_file_mut();
        // Bytes are written, because a length that is only set makes a sparse file, which takes no space on the disk.
        io::copy(&mut io::Read::take(io::repeat(b' '), bytes as u64), file)?;
        file.sync_all()
    }

    /// Writes it, and puts it into its place.
    pub fn finish(self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.start()?;
        file.write_all(bytes)?;
        file.finish()
    }

    /// Starts to write it piece by piece, for content that is too long to hold in memory.
    ///
    /// # Errors
    ///
    /// The file cannot be emptied.
    pub fn start(mut self) -> io::Result<StartedFile> {
        match &mut self.0 {
            Target::InPlace { file, is_regular: true } => file.set_len(0)?,
            Target::InPlace { .. } => {}
            Target::Beside { new, .. } => _ = new.as_file_mut().seek(SeekFrom::Start(0))?,
        }
        Ok(StartedFile(self.0))
    }
}

/// A [`NewFile`] that is being written. It is not in its place until it is finished.
#[derive(Debug)]
pub struct StartedFile(Target);

impl Write for StartedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl StartedFile {
    fn file(&mut self) -> &mut File {
        match &mut self.0 {
            Target::InPlace { file, .. } => file,
            Target::Beside { new, .. } => new.as_file_mut(),
        }
    }

    /// Puts it into its place.
    ///
    /// # Errors
    ///
    /// The last bytes cannot be written, or the old file cannot be replaced.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        let Target::Beside { mut new, path, access } = self.0 else { return Ok(()) };
        let file = new.as_file_mut();
        let length = file.stream_position()?;
        // Cuts off the reserved bytes behind the content.
        file.set_len(length)?;
        if access == Access::Owner {
            file.sync_all()?;
        }
        match new.persist(&path) {
            Ok(_) => Ok(()),
            // A file that is mounted by itself cannot be replaced.
            Err(error) if error.error.kind() == io::ErrorKind::ResourceBusy => {
                let mut old = OpenOptions::new().write(true).truncate(true).open(&path)?;
                let mut new = error.file;
                new.as_file_mut().seek(SeekFrom::Start(0))?;
                io::copy(new.as_file_mut(), &mut old)?;
                old.flush()
            }
            Err(error) => Err(error.error),
        }
    }
}

/// A new file beside the other one, with the readers of the old one and no others.
fn beside(path: &Path, old: Option<&Metadata>, access: Access) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".new");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let Some(old) = old else {
            return builder.permissions(fs::Permissions::from_mode(access.mode())).tempfile_in(folder);
        };
        let new = builder.tempfile_in(folder)?;
        let made = new.as_file().metadata()?;
        let is_same_group =
            made.gid() == old.gid() || std::os::unix::fs::chown(new.path(), None, Some(old.gid())).is_ok();
        // The old group's permissions do not apply to another group.
        let mode = old.mode() & if is_same_group { 0o7777 } else { 0o707 };
        new.as_file().set_permissions(fs::Permissions::from_mode(mode & 0o777))?;
        Ok(new)
    }
    #[cfg(not(unix))]
    {
        let _ = (old, access);
        builder.tempfile_in(folder)
    }
}

/// The end of a chain of links, even if it does not exist yet.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    // Linux follows as many (path_resolution(7)).
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(folder.path().join("a.new"), "somebody's").unwrap();
        write_file(&path, "one", Access::Usual).unwrap();
        write_file(&path, "2", Access::Usual).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "2");
        assert_eq!(fs::read_to_string(folder.path().join("a.new")).unwrap(), "somebody's");
        assert_eq!(names(folder.path()), ["a", "a.new"]);
    }

    #[test]
    fn what_is_not_finished_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut new = NewFile::create(&path, Access::Owner).unwrap();
        new.reserve(1 << 20).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(new);
        assert_eq!(names(folder.path()), ["a"]);
        let mut new = NewFile::create(&path, Access::Owner).unwrap();
        new.reserve(1 << 20).unwrap();
        new.finish(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn what_cannot_be_written_is_found_before() {
        let folder = tempfile::tempdir().unwrap();
        assert!(NewFile::create(&folder.path().join("none/a"), Access::Owner).is_err());
        assert!(NewFile::create(folder.path(), Access::Owner).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn modes_are_kept_and_links_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = folder.path().join("secret");
        write_file(&path, "x", Access::Owner).unwrap();
        assert_eq!(mode(&path), 0o600);
        for (access, old) in [(Access::Usual, 0o600), (Access::Usual, 0o640), (Access::Owner, 0o644)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(old)).unwrap();
            write_file(&path, "y", access).unwrap();
            assert_eq!(mode(&path), old);
        }
        let link = folder.path().join("link");
        symlink("secret", &link).unwrap();
        write_file(&link, "z", Access::Usual).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "z");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        symlink("later", folder.path().join("early")).unwrap();
        write_file(&folder.path().join("early"), "z", Access::Usual).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("later")).unwrap(), "z");
        // A device stays one.
        write_file(Path::new("/dev/null"), "z", Access::Usual).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
