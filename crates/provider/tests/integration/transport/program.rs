//! Programs that behave in a certain way, and whether they run still.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use objchange_provider::client::Launch;

use crate::kit_program;

pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// The kit's provider, which has to be quick.
pub(crate) fn kit() -> Launch {
    Launch::new(kit_program::kit())
}

/// A shell script as a program. It is removed with the directory.
pub(crate) struct Script {
    directory: tempfile::TempDir,
}

impl Script {
    pub(crate) fn new(text: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let script = Self { directory };
        fs::write(script.path(), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(script.path(), fs::Permissions::from_mode(0o755)).unwrap();
        script
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("program")
    }

    /// A file beside the script, once it is there and has a line.
    pub(crate) fn first_line(&self, name: &str) -> String {
        let path = self.directory.path().join(name);
        within(Duration::from_secs(10), || {
            fs::read_to_string(&path)
                .ok()
                .filter(|text| text.ends_with('\n'))
                .map(|text| text.trim().to_owned())
        })
    }

    pub(crate) fn launch(&self) -> Launch {
        let mut launch = Launch::new(self.path());
        launch.directory = Some(self.directory.path().to_owned());
        launch.limits.start = Duration::from_secs(20);
        launch
    }
}

/// Polls until something is found.
pub(crate) fn within<T>(limit: Duration, mut find: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(start.elapsed() < limit, "not within {limit:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs. A process that has ended and was not waited for counts as running, as far as
/// this can tell.
pub(crate) fn is_there(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    // A zombie that init has not collected yet is gone for everybody else.
    let is_orphan = |stat: &str| {
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let mut fields = after_name.split_whitespace();
        fields.next() == Some("Z") && fields.next() != Some(&std::process::id().to_string())
    };
    stat.is_ok_and(|stat| !is_orphan(&stat))
}

#[track_caller]
pub(crate) fn assert_gone(pid: u32) {
    within(Duration::from_secs(10), || (!is_there(pid)).then_some(()));
}
