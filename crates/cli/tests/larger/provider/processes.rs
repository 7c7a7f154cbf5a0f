//! Processes of a provider after the program has ended.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Folder, binary, config, provider_command};

/// Waits until the value exists.
fn soon<T>(mut find: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "it does not come");
        thread::sleep(Duration::from_millis(5));
    }
}

fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    !matches!(state, None | Some("Z" | "X"))
}

fn has_proc() -> bool {
    Path::new("/proc/self/task").exists()
}

/// The program while its provider hangs, and the number of that process.
fn hanging(config: &str) -> (Child, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .args(["provider", "plan", &binary(), "--type", "kit_hang", "--config", config])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let provider = soon(|| {
        let mut tasks = fs::read_dir(format!("/proc/{}/task", child.id())).ok()?.flatten();
        tasks.find_map(|task| {
            let children = fs::read_to_string(task.path().join("children")).ok()?;
            let provider = children.split_whitespace().next()?.to_owned();
            // Not before it has become the provider, and has begun to work.
            let name = fs::read_to_string(format!("/proc/{provider}/environ")).ok()?;
            name.contains("TF_PLUGIN_MAGIC_COOKIE").then_some(provider)
        })
    });
    (child, provider)
}

pub(super) fn whatever_ends_the_program() {
    if !has_proc() {
        return;
    }
    let folder = Folder::new("ended");
    let config = folder.file("config.json", config().to_string());
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::KILL] {
        let (child, provider) = hanging(&config);
        assert!(is_running(&provider));
        kill_process(Pid::from_raw(child.id().try_into().unwrap()).unwrap(), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        let code = output.status.code();
        assert_eq!(code, (signal != Signal::KILL).then_some(130), "{signal:?}");
        soon(|| (!is_running(&provider)).then_some(()));
    }
}

/// A provider that leaves daemons, one of which hides whose it is, and files.
fn untidy(folder: &Folder) -> PathBuf {
    let path = PathBuf::from(folder.path("terraform-provider-untidy"));
    let provider = std::env::current_exe().unwrap();
    let daemon = |name: &str, how: &str| {
        let file = folder.path(name);
        format!(
            "(setsid {how} sh -c 'echo $$ > {file}; exec sleep 1000' &)\nuntil [ -s {file} ]; do sleep 0.01; done\n"
        )
    };
    let script = format!(
        "#!/bin/sh\n{}{}echo \"$TMPDIR\" > {}\necho x > \"$TMPDIR/left\"\n[ -z \"$KIT_FAILS\" ] || exit 1\nexec '{}'\n",
        daemon("open", ""),
        daemon("hidden", "env -i PATH=\"$PATH\""),
        folder.path("tmpdir"),
        provider.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

pub(super) fn daemons_are_gone() {
    let folder = Folder::new("daemons");
    let program = format!("{}=example.com/test/kit", untidy(&folder).display());
    let config = folder.file("config.json", config().to_string());
    for fails in ["", "1"] {
        let fails = format!("KIT_FAILS={fails}");
        let arguments =
            ["provider", "plan", &program, "--type", "kit_thing", "--config", &config, "--env", &fails];
        let output = super::objchange(arguments, "");
        // A daemon that holds standard output open keeps nobody waiting for a handshake.
        let is_fine = fails.ends_with('=');
        assert_eq!(output.code, if is_fine { 0 } else { 2 }, "{output:?}");
        assert!(is_fine || output.stderr.contains("ended before its handshake"), "{output:?}");
        if has_proc() {
            for daemon in ["open", "hidden"] {
                let pid = fs::read_to_string(folder.path(daemon)).unwrap();
                assert!(!is_running(pid.trim()), "{daemon}");
            }
        }
        for name in ["open", "hidden"] {
            fs::remove_file(folder.path(name)).unwrap();
        }
        let own = fs::read_to_string(folder.path("tmpdir")).unwrap();
        assert_ne!(Path::new(own.trim()), std::env::temp_dir());
        assert!(!Path::new(own.trim()).exists(), "{own}");
    }
    // Its own folder is one that is named.
    let named = format!("TMPDIR={}", folder.0.0.display());
    let output = provider_command("plan", &["--type", "kit_thing", "--config", &config, "--env", &named]);
    assert_eq!(output.code, 0, "{output:?}");
}
