//! `--watch`: runs the tests that a change of files affects.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use objchange_files::Snapshot;

use super::{Args, Ran, run_once};
use crate::exit::{CommandError, complain, note, unusable};

/// The interval at which files are checked for changes.
const INTERVAL: Duration = Duration::from_millis(500);

/// Runs all tests, then those affected by changes, until the program is ended.
pub(super) fn watch(args: &Args) -> Result<ExitCode, CommandError> {
    if !io::stdout().is_terminal() {
        return Err(unusable(
            "--watch needs a terminal, but standard output is not a terminal; run the tests without --watch",
        ));
    }
    let written: Vec<&Path> =
        [&args.junit_xml, &args.lcov].into_iter().flatten().map(PathBuf::as_path).collect();
    let look = |directories: &BTreeSet<String>| snapshot(&args.directory, directories, &written);
    let pause = || {
        thread::sleep(INTERVAL);
        true
    };
    follow(look, pause, |changed: Option<&[String]>| run_once(args, changed))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs everything, then the tests affected by changes, while `pause` returns true.
fn follow(
    mut look: impl FnMut(&BTreeSet<String>) -> Snapshot,
    mut pause: impl FnMut() -> bool,
    mut run: impl FnMut(Option<&[String]>) -> Result<Ran, CommandError>,
) -> Result<(), CommandError> {
    let mut directories = BTreeSet::new();
    // Taken before the run, so that changes during it are seen.
    let mut before = look(&directories);
    let mut changed: Option<Vec<String>> = None;
    loop {
        // After a run that came to nothing all tests are due.
        let mut is_whole = false;
        match run(changed.as_deref()) {
            Ok(ran) => {
                is_whole = ran.is_whole;
                // The files of modules that this run has found join the old snapshot, because they are new to it and
                // have not changed.
                if ran.directories != directories {
                    before.add_from(look(&ran.directories), "../");
                    directories = ran.directories;
                }
            }
            Err(CommandError::Unusable(why)) => complain(&why)?,
            Err(CommandError::Shown) => {}
            Err(error) => return Err(error),
        }
        note("waiting for changes of files; Ctrl-C ends this");
        let found = loop {
            if !pause() {
                return Ok(());
            }
            let now = look(&directories);
            let found = before.differences(&now);
            before = now;
            if !found.is_empty() {
                break found;
            }
        };
        changed = is_whole.then_some(found);
    }
}

/// The files of the module, and those beside the modules elsewhere that it calls. Reports are left out.
fn snapshot(directory: &Path, others: &BTreeSet<String>, written: &[&Path]) -> Snapshot {
    let mut files = Snapshot::default();
    let is_written = |path: &Path| {
        written.iter().any(|written| written.file_name() == path.file_name() && same(written, path))
    };
    files.add(directory, "", usize::MAX, is_written);
    for other in others.iter().filter(|other| other.starts_with("..")) {
        files.add(&directory.join(other), &format!("{other}/"), 1, is_written);
    }
    files
}

fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, u64)]) -> Snapshot {
        let mut files = Snapshot::default();
        for (path, length) in all {
            files.insert((*path).to_owned(), None, *length);
        }
        files
    }

    /// The runs for these snapshots of the files, in order.
    fn runs(looks: &[Snapshot], is_whole: bool) -> Vec<Option<Vec<String>>> {
        let (mut looks, mut pauses) = (looks.iter().cloned(), looks.len());
        let mut runs = Vec::new();
        let look = |_: &BTreeSet<String>| looks.next().unwrap_or_default();
        let pause = || {
            pauses -= 1;
            pauses > 0
        };
        let run = |changed: Option<&[String]>| {
            runs.push(changed.map(<[String]>::to_vec));
            Ok(Ran { code: ExitCode::SUCCESS, is_whole, directories: BTreeSet::new() })
        };
        follow(look, pause, run).unwrap();
        runs
    }

    #[test]
    fn changes_are_handed_on_until_it_is_ended() {
        let looks = [
            files(&[("a", 1), ("b", 1)]),
            files(&[("a", 1), ("b", 1)]),
            files(&[("a", 2), ("c", 1)]),
            files(&[("a", 2), ("c", 1)]),
        ];
        let changed = ["a", "c", "b"].map(str::to_owned).to_vec();
        assert_eq!(runs(&looks, true), [None, Some(changed)]);
        assert_eq!(runs(&looks, false), [None, None]);
    }

    #[test]
    fn hidden_files_and_reports_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["module/.git", "module/sub", "other/deep"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        for name in [
            "module/a.tf",
            "module/.git/b",
            "module/sub/c.tf",
            "module/report.xml",
            "other/d.tf",
            "other/deep/e",
        ] {
            std::fs::write(at(name), "").unwrap();
        }
        let report = at("module/report.xml");
        let found = snapshot(&at("module"), &BTreeSet::from(["../other".to_owned()]), &[&report]);
        assert_eq!(found.paths().collect::<Vec<_>>(), ["../other/d.tf", "a.tf", "sub/c.tf"]);
    }
}
