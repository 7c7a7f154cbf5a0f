//! `objchange conform`, with the provider of the kit.

use serde_json::Value;

use crate::folder::Folder;
use crate::kit::kit;
use crate::program::{Output, objchange};

/// Runs the command with these arguments, a few configurations and one process.
#[track_caller]
fn conform(arguments: &[&str]) -> Output {
    conform_with("40", arguments)
}

/// Runs `conform` with a limit on the configurations of each type.
#[track_caller]
fn conform_with(cases: &str, arguments: &[&str]) -> Output {
    let all = ["conform", kit(), "--kind", "resource", "--cases", cases, "--jobs", "1"];
    objchange(all.iter().chain(arguments), "")
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn findings(report: &Value, name: &str) -> Vec<(String, String)> {
    let of = report["types"].as_array().unwrap().iter().find(|of| of["name"] == name).unwrap();
    let text = |found: &Value, key: &str| found[key].as_str().unwrap().to_owned();
    let findings = of["findings"].as_array().unwrap();
    findings.iter().map(|found| (text(found, "clause"), text(found, "place"))).collect()
}

fn pair(clause: &str, place: &str) -> (String, String) {
    (clause.to_owned(), place.to_owned())
}

#[test]
fn a_finding_is_told_with_its_smallest_configuration() {
    let output = conform(&["--only", "kit_planned_string"]);
    assert_eq!(output.code, 1, "{output:?}");
    let expected = "\
error P5 kit_planned_string.name
  The plan must equal the configuration, except for computed attributes.
  Terraform says: Provider produced invalid plan
    planned value cty.StringVal(\"a-other\") does not match config value cty.StringVal(\"a\")
";
    assert!(output.stdout.starts_with(expected), "{}", output.stdout);
    let smallest = "    resource \"kit_planned_string\" \"smallest\" {\n      name = \"a\"\n    }\n";
    assert!(output.stdout.contains(smallest), "{}", output.stdout);
    assert!(
        output
            .stdout
            .contains("\n1 error, 0 warnings\n1 type tried, 0 skipped; 40 configurations, 40 accepted; ")
    );
    assert!(!output.stdout.contains('\u{1b}'));
}

#[test]
fn what_keeps_the_contract_has_no_findings() {
    let arguments = ["--kind", "data_source", "--kind", "function", "--only", "kit_thing", "--only", "same"];
    let output = conform(&[&arguments[..], &["--apply", "--fail-on", "warning"]].concat());
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.starts_with("0 errors, 0 warnings\n3 types tried, "), "{}", output.stdout);
}

#[test]
fn the_report_as_json_is_what_its_schema_says() {
    let validator = crate::schemas::validator("conform-report.schema.json");
    let only = [
        "kit_planned_number",
        "kit_planned_write_only",
        "kit_applied_nested",
        "kit_read_drift",
        "kit_null",
        "type",
        "kit_cr*",
    ];
    let mut arguments = vec!["--json", "--apply", "--kind", "data_source", "--kind", "function"];
    arguments.extend(only.iter().flat_map(|glob| ["--only", glob]));
    let output = conform(&arguments);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let report = json(&output);
    crate::schemas::check(&validator, &report);
    assert_eq!(findings(&report, "kit_planned_number"), [pair("P5", "size")]);
    assert_eq!(findings(&report, "kit_planned_write_only"), [pair("P3", "token")]);
    assert_eq!(findings(&report, "kit_applied_nested"), [pair("A5", "many[*].name")]);
    assert!(findings(&report, "kit_null").contains(&pair("D2", "")));
    assert_eq!(findings(&report, "kit_crash"), [pair("T2", "")]);
    assert!(findings(&report, "kit_read_drift").contains(&pair("R5", "name")));
    let mut wrong = report;
    wrong["types"][0]["findings"][0]["clause"] = Value::from(5);
    crate::schemas::refused(&validator, &wrong);
}

#[test]
fn what_terraform_does_not_notice_fails_where_that_is_wanted() {
    let arguments = ["--only", "kit_replace_nowhere_on_create"];
    assert_eq!(conform(&arguments).code, 0);
    let output = conform(&[&arguments[..], &["--fail-on", "warning"]].concat());
    assert_eq!(output.code, 1);
    assert!(output.stdout.starts_with("warning P6 kit_replace_nowhere_on_create"), "{}", output.stdout);
}

#[test]
fn the_cases_pass_the_check() {
    let folder = Folder::with("conform-cases", &[]);
    let cases = folder.at("cases.jsonl");
    let cases = cases.to_str().unwrap();
    // Each type takes half a second.
    let only = ["--only", "kit_planned_n*", "--only", "kit_applied_*"];
    conform_with("5", &[&only[..], &["--apply", "--cases-out", cases]].concat());
    let output = objchange(["check", cases], "");
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(folder.read("cases.jsonl").lines().count() > 15);
    let validator = crate::schemas::validator("case.schema.json");
    for line in folder.read("cases.jsonl").lines() {
        crate::schemas::check(&validator, &serde_json::from_str(line).unwrap());
    }
}

/// A recorded session is judged alike without the provider, and holds no secret.
#[test]
fn a_recorded_session_is_judged_again() {
    let secret = "h1nt-s3cret";
    let hints = format!(
        r#"{{"values": {{"secret": "{secret}-plain-{{seq}}", "token": "{secret}-token",
            "comment": {{"$sensitive": "{secret}-comment-{{seq}}"}}}}}}"#
    );
    let folder = Folder::with("conform-record", &[("hints.json", &hints)]);
    let [hints, session] = ["hints.json", "session.jsonl"].map(|name| folder.at(name));
    let [hints, session] = [&hints, &session].map(|path| path.to_str().unwrap());
    for (only, kind) in [("kit_thing", None), ("kit_planned_string", Some("not_config"))] {
        let arguments = ["--only", only, "--apply", "--hints", hints, "--record", session];
        let output = conform(&arguments);
        assert_eq!(output.code, i32::from(kind.is_some()), "{output:?}");
        let text = folder.read("session.jsonl");
        assert!(!text.contains(secret), "{text}");
        assert!(text.contains(r#""op":"plan_resource_change""#), "{text}");
        let wants = || text.lines().filter_map(|line| Some(line.rsplit_once(r#","want":"#)?.1));
        match kind {
            None => {
                assert!(wants().count() > 100 && !wants().any(|want| want.contains(r#""kind":"#)), "{text}");
            }
            Some(kind) => {
                assert!(wants().any(|want| want.contains(&format!(r#""kind":"{kind}""#))), "{text}");
            }
        }
        let again = objchange(["check", session], "");
        assert_eq!(again.code, 0, "{}", again.stdout);
    }
}

#[test]
fn a_baseline_and_a_corpus() {
    let folder = Folder::with("conform-baseline", &[]);
    let (baseline, corpus) = (folder.at("known.json"), folder.at("found.jsonl"));
    let (baseline, corpus) = (baseline.to_str().unwrap(), corpus.to_str().unwrap());
    let only = ["--only", "kit_planned_string"];
    let missing = conform(&[&only[..], &["--baseline", baseline]].concat());
    assert_eq!(missing.code, 2, "{missing:?}");
    let first =
        conform(&[&only[..], &["--baseline", baseline, "--update-baseline", "--corpus", corpus]].concat());
    // A finding accepted by this run is shown, and does not fail it.
    assert_eq!(first.code, 0);
    assert!(first.stdout.starts_with("error P5 kit_planned_string.name"), "{}", first.stdout);
    assert!(folder.read("known.json").contains("\"clause\": \"P5\""));
    assert_eq!(folder.read("found.jsonl").lines().count(), 1);
    let again = conform(&[&only[..], &["--baseline", baseline, "--corpus", corpus]].concat());
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.stdout.starts_with("0 errors, 0 warnings, 1 known\n"), "{}", again.stdout);
    let more =
        conform(&["--only", "kit_planned_number", "--only", "kit_planned_string", "--baseline", baseline]);
    assert_eq!(more.code, 1);
    assert!(more.stdout.starts_with("error P5 kit_planned_number.size"), "{}", more.stdout);
    // Findings of types that were not tested stay in the baseline.
    conform(&["--only", "kit_planned_number", "--baseline", baseline, "--update-baseline"]);
    assert!(folder.read("known.json").contains("kit_planned_string"));
}

/// Nothing is created without leave, and a run in which nothing is checked is not a success.
#[test]
fn what_was_not_checked_is_told() {
    let output = conform(&["--only", "kit_thing"]);
    assert_eq!(output.code, 0);
    assert!(output.stdout.ends_with(
        "nothing was created: --apply also creates, reads, changes, imports and destroys objects\n"
    ));
    let output = conform(&["--only", "kit_thin"]);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
    assert!(
        output.stderr.contains(r#"nothing called "kit_thin"; did you mean kit_thing"#),
        "{}",
        output.stderr
    );
    let folder = Folder::with(
        "conform-nothing",
        &[("hints.json", r#"{"types": [{"type": "kit_thing", "skip": "no"}]}"#)],
    );
    let hints = folder.at("hints.json");
    let output = conform(&["--only", "kit_thing", "--hints", hints.to_str().unwrap()]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("nothing was checked"), "{}", output.stderr);
    let output = conform(&["--only", "kit_thing", "--hints", hints.to_str().unwrap(), "--junit", "-"]);
    assert!(
        output.stdout.contains(r#"skipped="1""#) && output.stdout.contains(r#"errors="1""#),
        "{}",
        output.stdout
    );
}

#[test]
fn junit_and_sarif() {
    let arguments = ["--only", "kit_planned_string", "--only", "kit_thing"];
    let output = conform(&[&arguments[..], &["--junit", "-"]].concat());
    assert_eq!(output.code, 1);
    for count in [r#"tests="2""#, r#"skipped="0""#, r#"errors="0""#, r#"failures="1""#] {
        assert!(output.stdout.contains(count), "{}", output.stdout);
    }
    assert!(
        output.stdout.contains(r#"<failure message="1 finding, the first: P5 name: the planned value"#),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("the smallest configuration that shows it:"), "{}", output.stdout);
    assert!(output.stdout.contains("terraform-plugin-framework: "), "{}", output.stdout);
    let output = conform(&[&arguments[..], &["--sarif", "-"]].concat());
    let sarif: Value = serde_json::from_str(&output.stdout).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"P5".into(), &"error".into()));
    let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!(rule["id"], "P5");
    for part in ["fullDescription", "help"] {
        assert!(rule[part]["text"].as_str().unwrap().len() > 100, "{rule}");
    }
    let text = result["message"]["text"].as_str().unwrap();
    assert!(text.contains("resource \"kit_planned_string\" \"smallest\" {"), "{text}");
    let place = &result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
    assert_eq!(place, "kit_planned_string.name");
    // It is the same for other values.
    let print = &result["partialFingerprints"]["objchangeConform/v1"];
    let print = print.as_str().unwrap().strip_prefix("P5 ").unwrap().strip_prefix(kit()).unwrap();
    assert_eq!(print, " resource kit_planned_string name not_config 1");
}

/// Findings below `--fail-on` appear in the report, and tests that were not run say why.
#[test]
fn junit_tells_what_does_not_fail_and_what_was_not_checked() {
    let arguments = ["--only", "kit_read_drift", "--apply", "--junit", "-"];
    let output = conform(&arguments);
    assert_eq!(output.code, 0, "{output:?}");
    let accepted =
        r#"<skipped message="warnings do not fail: R5 name: what is read right after apply is not what was"#;
    assert!(output.stdout.contains(accepted), "{}", output.stdout);
    let output = conform(&[&arguments[..], &["--fail-on", "warning"]].concat());
    assert_eq!(output.code, 1);
    assert!(
        output.stdout.contains("<failure ") && output.stdout.contains(r#"type="R5""#),
        "{}",
        output.stdout
    );
    let folder = Folder::with("conform-junit", &[("hints.json", r#"{"provider": {"no_such": "x"}}"#)]);
    let hints = folder.at("hints.json");
    let output = conform(&["--only", "kit_thing", "--hints", hints.to_str().unwrap(), "--junit", "-"]);
    let why = r#"<skipped message="not checked: the provider is not configured: "#;
    assert!(output.stdout.contains(why), "{} {}", output.stdout, output.stderr);
}

#[test]
fn a_provider_that_hangs_is_told() {
    let output = conform(&["--only", "kit_hang", "--timeout", "300ms"]);
    assert_eq!(output.code, 2, "{output:?}");
    let output = conform(&["--only", "kit_hang", "--timeout", "0.4s"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.starts_with("error T3 kit_hang\n"), "{}", output.stdout);
    assert!(
        output.stdout.contains("skipped resource type kit_hang: given up: the provider hung 2 times"),
        "{}",
        output.stdout
    );
}

#[test]
fn what_cannot_be_used_is_told() {
    for (arguments, said) in [
        (&["--only", "no_such_*"][..], "the provider has nothing called"),
        (
            &["--only", "kit_planned_string", "--only", "no_such_*"],
            "the provider has nothing called \"no_such_*\"",
        ),
        (
            &["--kind", "resource", "--kind", "data_source", "--only", "kit_planned_string"],
            "nothing of the kind data_source is chosen: the names that are chosen leave all of them out",
        ),
        (&["--json", "--junit", "-"], "only one of --json and --junit - can be written"),
        (&["--hints", "Cargo.toml"], "Cargo.toml: "),
        (&["--reattach", "{}"], "the reattach value"),
        (&["--kind", "thing"], "it is one of provider, resource, data_source"),
        (&["--baseline", "Cargo.toml"], "this is no baseline"),
        (&["--corpus", "Cargo.toml"], "line 1: this is no kept configuration"),
    ] {
        let output = conform(arguments);
        assert_eq!(output.code, 2, "{arguments:?}: {output:?}");
        assert!(output.stderr.contains(said), "{arguments:?}: {}", output.stderr);
    }
    let scaled = ["conform", kit(), "--scale", "--only", "kit_slow", "--only", "no_such_*"];
    let output = objchange(scaled, "");
    assert!(output.code == 2 && output.stderr.contains("no_such_*"), "{output:?}");
    let output = objchange(["conform", "Cargo.toml"], "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("could not be started"), "{}", output.stderr);
    let output = objchange(["conform", env!("CARGO_BIN_EXE_objchange")], "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("ended before its handshake"), "{}", output.stderr);
    assert!(output.stderr.contains("note: the provider wrote: "), "{}", output.stderr);
}

/// Findings made before an interrupt are printed, and no process is left.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_all_processes() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let arguments = ["conform", kit(), "--only", "kit_hang", "--only", "kit_planned_string", "--jobs", "2"];
    let child = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let children = |of: u32| -> Vec<u32> {
        // Any of its threads may have started them.
        let threads = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
        let texts = threads.map(|thread| std::fs::read_to_string(thread.path().join("children")));
        let texts: String = texts.map(Result::unwrap_or_default).collect();
        texts.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
    };
    let start = Instant::now();
    let mut started = Vec::new();
    // One of them goes on with what hangs, the other is through with its type soon.
    while started.is_empty() || start.elapsed() < Duration::from_secs(3) {
        started = children(child.id());
        std::thread::sleep(Duration::from_millis(20));
        assert!(start.elapsed() < Duration::from_secs(60));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("error P5 kit_planned_string.name"), "{text}");
    assert!(text.contains("it was interrupted"), "{text}");
    for pid in started {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    }
}

/// Quadratic growth is reported, in a table and as JSON. The speed depends on the machine; the report of fixed times is
/// tested where the clock can be set.
#[test]
fn the_growth_is_measured() {
    let arguments = ["--scale", "--only", "kit_slow", "--fail-on", "warning"];
    let scaled = |more: &[&str]| objchange(["conform", kit()].iter().chain(&arguments).chain(more), "");
    let output = scaled(&[]);
    assert!(output.stdout.starts_with("kit_slow\n"), "{}", output.stdout);
    let is_named = output.stdout.contains("\nquadratic kit_slow.tags\n");
    assert_eq!(output.code == 1, is_named, "{output:?}");
    let output = scaled(&["--json"]);
    let report = json(&output);
    let named = report["quadratic"].as_array().unwrap();
    assert!(named.iter().all(|name| name == "kit_slow.tags"), "{named:?}");
    assert_eq!(output.code == 1, !named.is_empty(), "{named:?}");
    let curve = &report["types"][0]["collections"][0];
    assert!(curve["svg"].as_str().unwrap().starts_with("<svg"));
    assert_eq!(curve["points"].as_array().unwrap().len(), 7);
    let late = objchange(["conform", kit(), "--scale", "--time", "0.001", "--only", "kit_thing"], "");
    assert_eq!(late.code, 0, "{late:?}");
    assert!(late.stdout.contains("not all was measured"), "{}", late.stdout);
}

/// The connection is encrypted where that is wanted.
#[test]
fn a_provider_is_tried_with_tls() {
    let output = conform(&["--only", "kit_planned_string", "--mtls"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.starts_with("error P5"), "{}", output.stdout);
}
