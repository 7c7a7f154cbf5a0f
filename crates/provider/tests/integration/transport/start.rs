//! Programs that do not come as far as to be providers.

use std::time::Duration;

use objchange_provider::client::{Children, Client, Launch, Limits, Reattach};
use objchange_provider::{Error, ProviderExt};

use crate::kit_program;
use crate::transport::program::{Script, assert_gone, kit, run};

async fn failed(launch: &Launch) -> Error {
    Client::start(launch).await.map(|_| ()).unwrap_err()
}

#[test]
fn what_is_no_program_is_told() {
    run(async {
        let error = failed(&Launch::new("/no/such/provider")).await;
        assert_eq!(error.kind().kind(), "not_started");
    });
}

#[test]
fn a_program_that_ends_is_told_with_what_it_wrote() {
    run(async {
        let script = Script::new("echo This binary is a plugin >&2\nexit 1");
        let error = failed(&script.launch()).await;
        assert_eq!(error.kind().kind(), "ended_at_start");
        assert!(error.to_string().contains("exit status: 1"), "{error}");
        assert_eq!(error.log().lines()[0].message, "This binary is a plugin");
    });
}

#[test]
fn a_program_that_is_killed_before_its_handshake_is_told() {
    run(async {
        let error = failed(&Script::new("echo starting >&2\nkill -9 $$").launch()).await;
        assert_eq!(error.kind().kind(), "ended_at_start");
        assert!(error.to_string().contains("signal: 9"), "{error}");
    });
}

#[test]
fn the_connection_is_encrypted_where_that_is_asked_for() {
    run(async {
        let mut launch = kit();
        launch.mtls = true;
        let client = Client::start(&launch).await.unwrap();
        assert!(client.schemas().await.unwrap().resources.contains_key("kit_thing"));
        client.end().await;
        // One that goes on without it is not trusted.
        let script = Script::new("unset PLUGIN_CLIENT_CERT\nexec \"$KIT\"");
        let mut launch = script.launch();
        launch.mtls = true;
        launch.set("KIT", kit_program::kit());
        let error = failed(&launch).await;
        assert_eq!(error.kind().kind(), "not_connected");
        assert!(error.to_string().contains("TLS was requested"), "{error}");
        // Not a certificate.
        let script = Script::new(&format!("echo '1|6|unix|/x|grpc|{}'\nexec sleep 100", "MIIC".repeat(20)));
        assert_eq!(failed(&script.launch()).await.kind().kind(), "not_connected");
    });
}

#[test]
fn what_is_no_handshake_is_told() {
    run(async {
        for (line, kind) in [
            ("usage: program [options]", "no_handshake"),
            ("1|4|unix|/tmp/x|netrpc", "net_rpc"),
            ("1|7|unix|/tmp/x|grpc|", "wrong_protocol"),
            ("1|6|unix|/no/such/socket|grpc|", "not_connected"),
            ("1|6|tcp|127.0.0.1:1|grpc|", "not_connected"),
        ] {
            let script = Script::new(&format!("echo $$ > pid\necho '{line}'\nexec sleep 1000"));
            assert_eq!(failed(&script.launch()).await.kind().kind(), kind, "{line}");
            assert_gone(script.first_line("pid").parse().unwrap());
        }
    });
}

#[test]
fn bytes_without_end_are_no_handshake_and_fill_nothing() {
    run(async {
        let script = Script::new("exec yes 2>/dev/null | tr -d '\\n' | head -c 50000000");
        assert_eq!(failed(&script.launch()).await.kind().kind(), "no_handshake");
    });
}

#[test]
fn a_program_that_says_nothing_is_given_up() {
    run(async {
        let script = Script::new("echo $$ > pid\nexec sleep 1000");
        let mut launch = script.launch();
        launch.limits.start = Duration::from_millis(300);
        assert_eq!(failed(&launch).await.kind().kind(), "start_timeout");
        assert_gone(script.first_line("pid").parse().unwrap());
    });
}

/// Neither the program nor what it started is left, whatever signals they do not heed.
#[test]
fn what_heeds_no_signal_is_ended_with_its_children() {
    run(async {
        let script = Script::new(
            "trap '' TERM INT HUP QUIT\n(trap '' TERM INT HUP; echo $(exec sh -c 'echo $PPID') > child; sleep 1000) &\necho $$ > pid\nwhile :; do sleep 1; done",
        );
        let children = Children::default();
        let mut launch = script.launch();
        launch.children = children.clone();
        launch.limits.start = Duration::from_secs(60);
        let killer = std::thread::spawn(move || {
            let pids =
                [script.first_line("pid"), script.first_line("child")].map(|pid| pid.parse::<u32>().unwrap());
            children.kill_all();
            pids
        });
        // The wait for the handshake ends with the process.
        assert_eq!(failed(&launch).await.kind().kind(), "ended_at_start");
        for pid in killer.join().unwrap() {
            assert_gone(pid);
        }
    });
}

#[test]
fn only_what_is_named_is_in_the_environment() {
    run(async {
        let script = Script::new("env | sort > seen; echo done >> seen; exit 1");
        let mut launch = script.launch();
        launch.set("KIT_COLOUR", "blue");
        failed(&launch).await;
        let seen = script.first_line("seen");
        let mut names: Vec<&str> = seen.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        // The shell's own.
        names.retain(|name| !["OLDPWD", "PWD", "SHLVL", "_", "HOME", "PATH", "TMPDIR"].contains(name));
        assert_eq!(
            names,
            [
                "KIT_COLOUR",
                "PLUGIN_MAX_PORT",
                "PLUGIN_MIN_PORT",
                "PLUGIN_PROTOCOL_VERSIONS",
                "PLUGIN_UNIX_SOCKET_DIR",
                "TF_PLUGIN_MAGIC_COOKIE"
            ]
        );
        assert!(seen.contains("PLUGIN_PROTOCOL_VERSIONS=5,6"));
    });
}

#[test]
fn a_running_provider_can_be_attached_to_and_stays() {
    run(async {
        let script = Script::new(&format!("'{}' > handshake &\necho $! > pid\nwait", kit_program::kit()));
        let launch = script.launch();
        let mut owner = std::process::Command::new(script.path())
            .current_dir(launch.directory.as_ref().unwrap())
            .env("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
            .env("PLUGIN_PROTOCOL_VERSIONS", "6")
            .spawn()
            .unwrap();
        let line = script.first_line("handshake");
        let address = line.split('|').nth(3).unwrap();
        let reattach: Reattach = format!(
            r#"{{"hashicorp/kit":{{"Protocol":"grpc","ProtocolVersion":6,"Pid":1,"Test":true,
                "Addr":{{"Network":"unix","String":"{address}"}}}}}}"#
        )
        .parse()
        .unwrap();
        for _ in 0..2 {
            let client = Client::attach(reattach.choose("x").unwrap(), Limits::default()).await.unwrap();
            assert!(client.schemas().await.unwrap().resources.contains_key("kit_thing"));
            client.end().await;
        }
        let pid: u32 = script.first_line("pid").parse().unwrap();
        assert!(crate::transport::program::is_there(pid));
        let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        owner.wait().unwrap();
        let gone =
            Client::attach(reattach.choose("x").unwrap(), Limits::default()).await.map(|_| ()).unwrap_err();
        assert_eq!(gone.kind().kind(), "not_connected");
    });
}

#[test]
fn protocol_5_can_be_had() {
    run(async {
        let mut launch = kit();
        launch.protocols = vec![5];
        let client = Client::start(&launch).await.unwrap();
        assert_eq!(client.protocol(), 5);
        assert!(client.schemas().await.unwrap().resources.contains_key("kit_thing"));
        client.end().await;
    });
}
