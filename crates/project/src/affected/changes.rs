//! The names of changed files.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::without_dots;

/// The names of changed files, as `git diff --name-only` prints them.
#[derive(Debug, Clone, Default)]
pub struct ChangedFiles {
    names: Vec<String>,
    /// The absolute paths, with and without links, in order; and the position of the name.
    paths: Vec<(PathBuf, usize)>,
    by_directory: HashMap<PathBuf, Vec<usize>>,
}

/// Why a list of changed files cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
#[non_exhaustive]
pub struct ChangedFilesError {
    /// The line, from 1.
    pub line: usize,
    /// The problem with it.
    pub problem: ChangedFilesProblem,
}

/// The problem with a line of a list of changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChangedFilesProblem {
    /// A name in quotes has no end.
    #[error("the quote of a name is not closed")]
    Unclosed,
    /// A name in quotes has an escape that git does not write.
    #[error("git writes no such escape: a backslash is followed by a letter, a quote or three octal digits")]
    Escape,
    /// The bytes of a name are not UTF-8.
    #[error("the name is not UTF-8")]
    NotUtf8,
    /// There are tabs, as behind the status in `git diff --name-status`.
    #[error("this is more than a name: use `git diff --name-only`")]
    MoreThanName,
}

impl ChangedFilesError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        self.problem.kind()
    }
}

impl ChangedFilesProblem {
    /// The stable name of the problem.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Unclosed => "unclosed_name",
            Self::Escape => "unknown_escape",
            Self::NotUtf8 => "name_is_not_utf8",
            Self::MoreThanName => "more_than_a_name",
        }
    }
}

impl ChangedFiles {
    /// Reads one name a line; git writes unusual ones in quotes. Where there are bytes 0, as `git diff -z` writes them, they end
    /// the names instead. Names are relative to `base`, an absolute directory without links.
    ///
    /// # Errors
    ///
    /// A name in quotes has no end, has an escape that git does not write or is not UTF-8, or a line has tabs, as in
    /// `git diff --name-status`.
    ///
    /// ```
    /// use objchange_project::ChangedFiles;
    ///
    /// assert!(!ChangedFiles::parse("main.tf\n\"caf\\303\\251.tf\"\n", "/repository".as_ref())?.is_empty());
    /// let error = ChangedFiles::parse("main.tf\n\"caf\n", "/repository".as_ref()).unwrap_err();
    /// assert_eq!(error.to_string(), "line 2: the quote of a name is not closed");
    /// # Ok::<(), objchange_project::ChangedFilesError>(())
    /// ```
    pub fn parse(text: &str, base: &Path) -> Result<Self, ChangedFilesError> {
        let mut names = Vec::new();
        if text.contains('\0') {
            names.extend(text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned));
        } else {
            for (position, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
                let name = match line.strip_prefix('"') {
                    Some(quoted) => unquoted(quoted),
                    // Git writes names with tabs in quotes, and a tab behind the status of `--name-status`.
                    None if line.contains('\t') => Err(ChangedFilesProblem::MoreThanName),
                    None => Ok(line.to_owned()),
                };
                names.push(name.map_err(|problem| ChangedFilesError { line: position + 1, problem })?);
            }
        }
        let mut real = HashMap::new();
        let mut paths = Vec::new();
        for (position, name) in names.iter().enumerate() {
            let path = without_dots(&base.join(name));
            let (Some(around), Some(last)) = (path.parent(), path.file_name()) else { continue };
            let around_real = real.entry(around.to_owned()).or_insert_with(|| real_path(around));
            // Git names a file by one path, and modules may be reached through links by another.
            let through_links = around_real.join(last);
            if through_links != path {
                paths.push((through_links, position));
            }
            paths.push((path, position));
        }
        paths.sort_unstable();
        let mut by_directory: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        for (index, (path, _)) in paths.iter().enumerate() {
            if let Some(around) = path.parent() {
                by_directory.entry(around.to_owned()).or_default().push(index);
            }
        }
        Ok(Self { names, paths, by_directory })
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names of the changed files in a directory, and the last steps of their paths.
    pub(super) fn directly_in(&self, directory: &Path) -> impl Iterator<Item = (&str, &str)> {
        let found = self.by_directory.get(directory).into_iter().flatten();
        found.filter_map(|index| {
            let (path, position) = &self.paths[*index];
            Some((path.file_name()?.to_str()?, self.names[*position].as_str()))
        })
    }

    /// The names of the changed files anywhere below a directory, and their paths from there on.
    pub(super) fn below<'s>(&'s self, directory: &Path) -> impl Iterator<Item = (&'s Path, &'s str)> {
        self.paths[self.range_below(directory)].iter().filter_map(move |(path, position)| {
            Some((path.strip_prefix(directory).ok()?, self.names[*position].as_str()))
        })
    }

    /// Paths are ordered by their steps, so that all that is below a directory stands together.
    fn range_below(&self, directory: &Path) -> Range<usize> {
        let start = self.paths.partition_point(|(path, _)| path.as_path() < directory);
        let length = self.paths[start..].partition_point(|(path, _)| path.starts_with(directory));
        start..start + length
    }

    /// The name of the changed file at a path, or of a changed directory around it: git names a submodule as a whole.
    pub(super) fn at(&self, path: &Path) -> Option<&str> {
        path.ancestors().find_map(|around| {
            let found = self.paths.binary_search_by(|(path, _)| path.as_path().cmp(around)).ok()?;
            Some(self.names[self.paths[found].1].as_str())
        })
    }
}

/// The longest path of Linux, in bytes; other systems have shorter ones.
const MAX_PATH: usize = 4096;

/// The path without links, as far as there is something.
pub(super) fn real_path(path: &Path) -> PathBuf {
    // Longer paths exist on no system, and each of their steps would be looked up: a name of 320 KB took 5.6 s.
    if path.as_os_str().len() > MAX_PATH {
        return path.to_owned();
    }
    for around in path.ancestors() {
        if let Ok(real) = fs::canonicalize(around) {
            return match path.strip_prefix(around) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
    }
    path.to_owned()
}

/// A name that git has written in quotes, behind the first of them: with the escapes of C, and octal ones for bytes.
fn unquoted(quoted: &str) -> Result<String, ChangedFilesProblem> {
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    loop {
        let escape = match rest.next() {
            Some(b'"') if rest.len() == 0 => break,
            Some(b'\\') => rest.next(),
            Some(byte) if byte != b'"' => {
                bytes.push(byte);
                continue;
            }
            _ => return Err(ChangedFilesProblem::Unclosed),
        };
        bytes.push(match escape {
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(byte @ (b'"' | b'\\')) => byte,
            Some(first @ b'0'..=b'3') => {
                let mut byte = first - b'0';
                for _ in 0..2 {
                    let digit = rest.next().filter(|digit| (b'0'..=b'7').contains(digit));
                    byte = byte * 8 + (digit.ok_or(ChangedFilesProblem::Escape)? - b'0');
                }
                byte
            }
            _ => return Err(ChangedFilesProblem::Escape),
        });
    }
    String::from_utf8(bytes).map_err(|_| ChangedFilesProblem::NotUtf8)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ChangedFiles, ChangedFilesProblem, unquoted};

    #[test]
    fn names_are_read_as_git_writes_them() {
        let base = Path::new("/no/such/place");
        let names = |text: &str| ChangedFiles::parse(text, base).unwrap().names;
        assert_eq!(names("a.tf\r\nb/c d.tf\n\n"), ["a.tf", "b/c d.tf"]);
        assert_eq!(names("\"m\\303\\244\\t\\\"x\\\".tf\"\n"), ["mä\t\"x\".tf"]);
        assert_eq!(names("a\nb.tf\0\"c\".tf\0"), ["a\nb.tf", "\"c\".tf"]);
        for (quoted, problem) in [
            ("a", ChangedFilesProblem::Unclosed),
            ("a\"b\"", ChangedFilesProblem::Unclosed),
            ("\\3\"", ChangedFilesProblem::Escape),
            ("\\q\"", ChangedFilesProblem::Escape),
            ("\\377\"", ChangedFilesProblem::NotUtf8),
        ] {
            assert_eq!(unquoted(quoted), Err(problem), "{quoted}");
        }
    }

    #[test]
    fn what_is_below_stands_together() {
        let text = "m/a\nm-x/b\nm/n/c\n../other/d\nm/./n/../e\n";
        let changed = ChangedFiles::parse(text, Path::new("/no/such/place")).unwrap();
        let below = |path: &str| {
            let mut names: Vec<&str> = changed.below(Path::new(path)).map(|(_, name)| name).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(below("/no/such/place/m"), ["m/./n/../e", "m/a", "m/n/c"]);
        assert_eq!(below("/no/such/other"), ["../other/d"]);
        assert_eq!(changed.at(Path::new("/no/such/place/m/n/c/inside")), Some("m/n/c"));
        assert_eq!(changed.at(Path::new("/no/such/place/m")), None);
    }
}
