//! Messages of a provider are shown without secrets.

use std::env;
use std::fs;

use proptest::prelude::*;
use serde_json::json;

use super::{Folder, config, provider_command};

/// Whatever a provider repeats of what it is told, and wherever: no secret is shown or recorded.
pub(super) fn no_output_has_a_secret() {
    let cases = env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(6);
    let folder = Folder::new("no-output");
    // Nothing that is said anyway has these letters.
    let secret = || "[XQZ\"\\\\\n\t<&é]{1,4}[XQZ]{4,12}";
    let strategy = (secret(), secret(), secret());
    proptest!(ProptestConfig::with_cases(cases), |((secret, token, name) in strategy)| {
        let config = json!({"secret": secret, "token": token, "name": {"$sensitive": name}, "size": 1});
        let config = folder.file("config.json", config.to_string());
        let (record, state) = (folder.path("record.jsonl"), folder.path("s.tfstate"));
        let _ = fs::remove_file(&record);
        let _ = fs::remove_file(&state);
        let of_type = ["--type", "kit_parrot"];
        let recorded = ["--record", &record];
        let made = ["--config", &config, "--apply", "--state-out", &state];
        let again = ["--prior", &state, "--address", "kit_parrot.this"];
        for (command, arguments, code) in [
            ("validate", &["--config", &config][..], 0),
            ("plan", &["--config", &config], 0),
            ("plan", &["--config", &config, "--json"], 0),
            ("apply", &made, 0),
            ("apply", &[&made[..], &again, &["--json", "--replace"]].concat(), 0),
            ("read", &again, 0),
        ] {
            let output = provider_command(command, &[&of_type, &recorded, arguments].concat());
            prop_assert_eq!(output.code, code, "{} {:?}", command, output);
            let record = fs::read_to_string(&record).unwrap();
            for hidden in [&secret, &token, &name] {
                // The tail of the secret may have been quoted in one way or another.
                let tail = &hidden[hidden.len() - 4..];
                for text in [&output.stdout, &output.stderr, &record] {
                    prop_assert!(!text.contains(tail), "{} {:?} {}", command, hidden, text);
                }
            }
        }
        let sensitive = json!({"$sensitive": secret}).to_string();
        let output = provider_command("call-function", &["same", &sensitive]);
        prop_assert!(!output.stdout.contains(&secret[secret.len() - 4..]), "{:?}", output);
    });
}

pub(super) fn what_a_provider_writes_has_bounds() {
    let folder = Folder::new("bounds");
    let config = folder.file("config.json", config().to_string());
    let record = folder.path("record.jsonl");
    let arguments = ["--type", "kit_verbose", "--config", &config, "--record", &record];
    let output = provider_command("plan", &arguments);
    assert_eq!(output.code, 1);
    assert!(output.stderr.len() < 500_000, "{}", output.stderr.len());
    for said in ["more bytes left out)", "150 more errors left out", "150 more warnings left out"] {
        assert!(output.stderr.contains(said), "{said}");
    }
    // A repeated message is shown once.
    assert_eq!(output.stderr.matches("warning: ww").count(), 1);
    assert!(fs::metadata(&record).unwrap().len() < 30_000_000);
    let crash = ["--type", "kit_hang", "--config", &config, "--timeout", "0.5"];
    assert_eq!(provider_command("plan", &crash).code, 1);
}
