//! Providers that fail in the middle.

use std::time::{Duration, Instant};

use objchange::Value;
use objchange::change::PlanResourceChange;
use objchange_conform::kit::{trial_block, trial_config};
use objchange_provider::client::{Children, Client};
use objchange_provider::{Error, ProviderExt};
use rustix::process::{Pid, Signal, kill_process};

use crate::transport::program::{assert_gone, is_there, kit, run};

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
}

async fn plan(client: &Client, name: &str) -> Result<(), Error> {
    let block = trial_block(true);
    let nothing = Value::null(block.implied_type().clone());
    let config = block.coerce_value(&trial_config(true)).unwrap();
    client.plan(name, &PlanResourceChange::new(&block, &nothing, &config, &config)).await.map(|_| ())
}

#[test]
fn a_provider_that_is_let_go_is_gone() {
    run(async {
        let client = Client::start(&kit()).await.unwrap();
        let pid = client.pid().unwrap();
        plan(&client, "kit_thing").await.unwrap();
        assert!(is_there(pid));
        drop(client);
        assert!(!is_there(pid));
        // In good order.
        let client = Client::start(&kit()).await.unwrap();
        let (pid, start) = (client.pid().unwrap(), Instant::now());
        client.end().await;
        assert!(!is_there(pid) && start.elapsed() < Duration::from_secs(2));
    });
}

#[test]
fn a_panic_leaves_no_process() {
    let (sender, pid) = std::sync::mpsc::channel();
    let work = std::thread::spawn(move || {
        run(async {
            let client = Client::start(&kit()).await.unwrap();
            sender.send(client.pid().unwrap()).unwrap();
            panic!("on purpose");
        });
    });
    assert!(work.join().is_err());
    assert_gone(pid.recv().unwrap());
}

#[test]
fn all_can_be_ended_at_once() {
    run(async {
        let children = Children::default();
        let mut launch = kit();
        launch.children = children.clone();
        let clients = [Client::start(&launch).await.unwrap(), Client::start(&launch).await.unwrap()];
        children.kill_all();
        for client in clients {
            assert!(!is_there(client.pid().unwrap()));
            let error = plan(&client, "kit_thing").await.unwrap_err();
            assert!(error.is_gone(), "{error}");
        }
    });
}

#[test]
fn a_crash_is_told_with_its_dump() {
    run(async {
        let client = Client::start(&kit()).await.unwrap();
        plan(&client, "kit_thing").await.unwrap();
        let error = plan(&client, "kit_crash").await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "PlanResourceChange: the provider crashed (exit status: 2); what it wrote last is in the log: \
             panic: runtime error: invalid memory address or nil pointer dereference"
        );
        assert!(error.log().crash().unwrap().contains("goroutine 1"));
        assert_eq!(error.log().lines().last().unwrap().message, "planning");
        // Later calls fail alike.
        assert!(plan(&client, "kit_thing").await.unwrap_err().is_gone());
    });
}

#[test]
fn a_provider_that_hangs_is_given_up() {
    run(async {
        let mut launch = kit();
        launch.limits.call = Duration::from_millis(500);
        let client = Client::start(&launch).await.unwrap();
        let pid = client.pid().unwrap();
        let error = plan(&client, "kit_hang").await.unwrap_err();
        assert_eq!((error.kind().kind(), error.call()), ("timeout", Some("PlanResourceChange")));
        // It does not even receive the request to end.
        client.end().await;
        assert!(!is_there(pid));
    });
}

#[test]
fn a_provider_may_be_killed_at_any_time() {
    run(async {
        // Before any call.
        let client = Client::start(&kit()).await.unwrap();
        kill(client.pid().unwrap());
        assert!(client.schemas().await.unwrap_err().is_gone());
        // Between two questions.
        let client = Client::start(&kit()).await.unwrap();
        client.schemas().await.unwrap();
        kill(client.pid().unwrap());
        assert!(plan(&client, "kit_thing").await.unwrap_err().is_gone());
        // While it thinks.
        let client = Client::start(&kit()).await.unwrap();
        client.schemas().await.unwrap();
        let pid = client.pid().unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            kill(pid);
        });
        let error = plan(&client, "kit_hang").await.unwrap_err();
        assert!(error.to_string().contains("signal: 9"), "{error}");
        drop(client);
        assert_gone(pid);
    });
}
