//! Finds the tests of policies: for `P.sentinel` the files `test/P/*.hcl` and `test/P/*.json` beside it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use objchange_files::{FileError, FileErrorKind, Walk, capitals, in_lower_case};

/// A test case, and the policy that it is of.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundTest {
    /// The policy.
    pub policy: PathBuf,
    /// Its configuration.
    pub case: PathBuf,
}

/// The tests of policies and folders, in the order of their names, and what looks like a mistake.
#[derive(Debug, Default)]
pub struct FoundTests {
    /// The tests.
    pub found: Vec<FoundTest>,
    /// Warnings about likely mistakes.
    pub warnings: Vec<String>,
}

impl FoundTests {
    /// Finds the tests of these policies and folders.
    ///
    /// # Errors
    ///
    /// One of them cannot be read, or has no tests.
    pub fn find(arguments: &[PathBuf]) -> Result<Self, FileError> {
        let mut tests = Self::default();
        for argument in arguments {
            let before = tests.found.len();
            if argument.is_dir() {
                // Links and `..` may hide what the folder is called.
                let whole = argument.canonicalize().unwrap_or_else(|_| argument.clone());
                match policy_of(&whole) {
                    Some(policy) => tests.add(&policy, argument)?,
                    None => tests.walk(argument)?,
                }
            } else {
                tests.file(argument)?;
            }
            if tests.found.len() == before {
                return Err(FileError::new(
                    FileErrorKind::Empty,
                    format!(
                        "{}: there are no tests: those of P.sentinel are test/P/*.hcl or test/P/*.json beside it",
                        argument.display()
                    ),
                ));
            }
        }
        Ok(tests)
    }

    /// A policy, or one test case.
    fn file(&mut self, path: &Path) -> Result<(), FileError> {
        if let Err(error) = path.metadata() {
            return Err(FileError::unreadable(format_args!("{}: cannot be read: {error}", path.display())));
        }
        if is_case(path) {
            let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let Some(policy) = whole.parent().and_then(policy_of) else {
                return Err(FileError::new(
                    FileErrorKind::Empty,
                    format!("{}: the test cases of P.sentinel are in test/P beside it", path.display()),
                ));
            };
            self.found.push(FoundTest { policy, case: path.to_owned() });
            return Ok(());
        }
        if let (Some(folder), Some(stem)) = (path.parent(), path.file_stem()) {
            self.add(path, &folder.join("test").join(stem))?;
        }
        Ok(())
    }

    fn walk(&mut self, folder: &Path) -> Result<(), FileError> {
        let is_policy = |path: &Path| path.extension() == Some(OsStr::new("sentinel"));
        let files =
            Walk { folder, depth: usize::MAX, hidden: false }.files(|path| is_policy(path) || is_case(path));
        if let Some(error) = files.unreadable.into_iter().next() {
            return Err(FileError::unreadable(error));
        }
        // JSON and HCL are elsewhere, too; those of test cases are found with the policy.
        if let Some(path) = files.capitals.iter().find(|path| !is_case(&in_lower_case(path))) {
            return Err(FileError::new(FileErrorKind::Capitals, capitals(path)));
        }
        for link in files.outside {
            self.warnings.push(format!("{}: skipped, because this link leaves the folder", link.display()));
        }
        let (policies, cases): (Vec<_>, Vec<_>) = files.paths.into_iter().partition(|path| is_policy(path));
        let folders: BTreeSet<&Path> = cases.iter().filter_map(|case| case.parent()).collect();
        folders.into_iter().try_for_each(Self::check)?;
        for path in &policies {
            if let (Some(folder), Some(stem)) = (path.parent(), path.file_stem()) {
                let path = path.strip_prefix("./").unwrap_or(path);
                self.add(path, &folder.join("test").join(stem))?;
            }
        }
        Ok(())
    }

    /// Adds the test cases that are in a folder, if there is one.
    fn add(&mut self, policy: &Path, folder: &Path) -> Result<(), FileError> {
        for case in cases(folder)? {
            let case = case.strip_prefix("./").unwrap_or(&case).to_owned();
            self.found.push(FoundTest { policy: policy.to_owned(), case });
        }
        Ok(())
    }

    /// Refuses test cases whose policy is called otherwise: nobody would run them.
    fn check(folder: &Path) -> Result<(), FileError> {
        let Some(test) = folder.parent().filter(|test| test.file_name() == Some(OsStr::new("test"))) else {
            return Ok(());
        };
        let Some(name) = folder.file_name().map(OsStr::to_string_lossy) else { return Ok(()) };
        let policies = test.parent().unwrap_or(Path::new(""));
        if policies.join(format!("{name}.sentinel")).exists() || !has_policies(policies) {
            return Ok(());
        }
        if !cases(folder)?.is_empty() {
            let place = policies.join(format!("{name}.sentinel"));
            let message = format!("{}: there is no {} for these tests", folder.display(), place.display());
            return Err(FileError::new(FileErrorKind::Empty, message));
        }
        Ok(())
    }
}

/// The policy whose test cases are in a folder, if it is one of these.
fn policy_of(folder: &Path) -> Option<PathBuf> {
    let test = folder.parent().filter(|test| test.file_name() == Some(OsStr::new("test")))?;
    let policy = test.parent()?.join(format!("{}.sentinel", folder.file_name()?.to_str()?));
    policy.is_file().then_some(policy)
}

fn has_policies(folder: &Path) -> bool {
    let Ok(entries) = folder.read_dir() else { return false };
    entries.flatten().any(|entry| Path::new(&entry.file_name()).extension() == Some(OsStr::new("sentinel")))
}

fn is_case(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "hcl" || extension == "json")
}

/// The test cases in a folder. Folders may be called like them.
fn cases(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let Ok(entries) = folder.read_dir() else { return Ok(Vec::new()) };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| is_case(&in_lower_case(path)) && !path.is_dir());
    paths.sort();
    for path in &paths {
        if !is_case(path) {
            return Err(FileError::new(FileErrorKind::Capitals, capitals(path)));
        }
        if !path.is_file() {
            return Err(FileError::invalid(format_args!(
                "{}: this test case is not a regular file",
                path.display()
            )));
        }
    }
    Ok(paths)
}
