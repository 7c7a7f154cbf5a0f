//! Recorded sessions: the same verdict without the provider, and no secret in them.

use objchange::Value;
use objchange::change::{ApplyRequest, Diagnostic, PlanRequest, PlannedResource, PrivateData};
use objchange_case::{Case, Outcome};
use objchange_conform::kit::{Fault, Kit, ResourceType, Stage, faulty, trial_block, trial_config};
use objchange_provider::record::{Recorder, Recording};
use objchange_provider::{OPERATIONS, ProviderExt, ReadResource, apply_change, plan_change};
use serde_json::Value as Json;

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// The configuration with these secrets.
fn config(secret: &str, token: &str) -> Value {
    let config = trial_config(true);
    let object = config.as_object().unwrap();
    let attribute = |(name, value): (&_, &Value)| {
        let value = match AsRef::<str>::as_ref(name) {
            "secret" => secret.into(),
            "token" => token.into(),
            _ => value.clone(),
        };
        (smol_str::SmolStr::from(AsRef::<str>::as_ref(name)), value)
    };
    Value::object(object.iter().map(attribute).collect::<Vec<_>>())
}

/// All that is recorded while an object of a type is planned, made and read.
fn recorded(name: &str, config: &Value) -> Vec<String> {
    run(async {
        let (kit, recorder) = (faulty(true), Recorder::new(Vec::new()));
        let (provider, block) = (Recording::new(&kit, Some(&recorder)), trial_block(true));
        let nothing = Value::null(block.implied_type().clone());
        let request = PlanRequest::new(&block, &nothing, config);
        if let Ok(change) = plan_change(&provider, name, &request, &PrivateData::default()).await {
            let request = ApplyRequest::new(&block, &change, config);
            if let Ok(applied) = apply_change(&provider, name, &request).await {
                let state = applied.saved.unmark_deep().0;
                let read = ReadResource {
                    type_name: name.into(),
                    state,
                    private: PrivateData::default(),
                    identity: None,
                    deferral_allowed: false,
                };
                let _ = provider.read(&read).await;
            }
        }
        let text = String::from_utf8(recorder.finish().unwrap()).unwrap();
        text.lines().map(str::to_owned).collect()
    })
}

/// The expected kinds of each line.
fn wanted(lines: &[String]) -> Vec<(String, Vec<String>)> {
    let wanted = |line: &String| {
        let line: Json = serde_json::from_str(line).unwrap();
        let errors = line["want"]["errors"].as_array().unwrap();
        let kinds = errors.iter().map(|error| error["kind"].as_str().unwrap().to_owned());
        (line["op"].as_str().unwrap().to_owned(), kinds.collect())
    };
    lines.iter().map(wanted).collect()
}

#[test]
fn what_was_recorded_passes_and_has_no_secret() {
    let mut found = 0;
    for fault in Fault::ALL {
        let name = format!("kit_{}", fault.kind());
        let lines = recorded(&name, &config("QXZQXZ", "ZQQXZZ"));
        assert!(!lines.is_empty(), "{name}");
        for line in &lines {
            let outcome = Case::parse(line).unwrap().run_by(OPERATIONS);
            assert_eq!(outcome, Outcome::Passed, "{name}: {line}");
            assert!(!line.contains("QXZQXZ") && !line.contains("ZQQXZZ"), "{name}: {line}");
        }
        let wanted = wanted(&lines);
        found += usize::from(wanted.iter().any(|(_, kinds)| !kinds.is_empty()));
        // With other secrets there is the same verdict.
        assert_eq!(wanted, self::wanted(&recorded(&name, &config("other", "another one"))), "{name}");
        let is_at = |op: &str| wanted.iter().any(|(of, kinds)| of == op && !kinds.is_empty());
        // Identities are not judged by themselves.
        if fault.kind().contains("identity") {
            continue;
        }
        match fault.stage() {
            // Wrong keys of maps, and paths that lead nowhere, show in another line.
            Stage::Create if fault.terraform().is_some() => assert!(is_at("plan_resource_change"), "{name}"),
            Stage::Apply if fault.terraform().is_some() => assert!(is_at("apply_resource_change"), "{name}"),
            _ => {}
        }
    }
    assert!(found > 30);
    // One that does nothing wrong.
    let fine = wanted(&recorded("kit_thing", &config("QXZQXZ", "ZQQXZZ")));
    let ops: Vec<&str> = fine.iter().map(|(op, _)| op.as_str()).collect();
    assert_eq!(ops, ["plan_resource_change", "apply_resource_change", "read_resource"]);
    assert!(fine.iter().all(|(_, kinds)| kinds.is_empty()));
}

/// Null means that the object is gone; a missing object means nothing.
#[test]
fn an_object_that_is_destroyed_is_null() {
    let line = |answer: &str, want: &str| {
        format!(
            r#"{{"op":"apply_resource_change","type":"t","schema":{{"attributes":{{"a":{{"type":"string","optional":true}}}}}},
                "prior":{{"a":"x"}},"planned":null,"config":null,"answer":{{{answer}}},"want":{{"errors":[{want}]}}}}"#
        )
    };
    for (answer, want) in
        [(r#""new_state":null"#, ""), ("", r#"{"path":[],"kind":"no_object"}"#), (r#""errors":["no"]"#, "")]
    {
        let line = line(answer, want);
        assert_eq!(Case::parse(&line).unwrap().run_by(OPERATIONS), Outcome::Passed, "{line}");
    }
}

#[test]
fn objects_that_are_found_are_judged() {
    let check = |op: &str, answer: &str, want: &str| {
        let line = format!(
            r#"{{"op":"{op}","type":"t","schema":{{"attributes":{{"a":{{"type":"string","optional":true,"write_only":true}}}}}},
                "answer":{{{answer}}},"want":{{"errors":[{want}]}}}}"#
        );
        assert_eq!(Case::parse(&line).unwrap().run_by(OPERATIONS), Outcome::Passed, "{line}");
    };
    let filled = r#"{"path":[{"attr":"a"}],"kind":"write_only_not_null"}"#;
    let absent = r#"{"path":[],"kind":"null_object"}"#;
    for (op, if_absent) in
        [("read_resource", ""), ("upgrade_resource_state", absent), ("read_data_source", absent)]
    {
        check(op, r#""object":{"a":null}"#, "");
        check(op, r#""object":{"a":"x"}"#, filled);
        check(op, r#""object":null"#, if_absent);
    }
}

/// Errors and warnings are kept apart, and secrets in them are hidden.
#[test]
fn what_the_provider_says_is_recorded() {
    let block = || trial_block(true);
    let refusing = ResourceType::new(block()).on_plan(|request| {
        let mut planned = PlannedResource::new(request.prior.clone());
        let secret = request.config.attribute("secret").and_then(Value::as_str).unwrap_or_default();
        let mut error = Diagnostic::error("no");
        error.detail = format!("{secret} is too short");
        planned.diagnostics = vec![error, Diagnostic::warning("slow")];
        planned
    });
    let text = run(async {
        let (kit, recorder) = (Kit::default().resource("kit_thing", refusing), Recorder::new(Vec::new()));
        let provider = Recording::new(&kit, Some(&recorder));
        let nothing = Value::null(block().implied_type().clone());
        let (block, config) = (block(), config("QXZQXZ", "ZQQXZZ"));
        let request = PlanRequest::new(&block, &nothing, &config);
        plan_change(&provider, "kit_thing", &request, &PrivateData::default()).await.unwrap_err();
        String::from_utf8(recorder.finish().unwrap()).unwrap()
    });
    let line: Json = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let answer = &line["answer"];
    let error = answer["errors"][0].as_str().unwrap();
    assert!(error.starts_with("no: ") && error.ends_with(" is too short"), "{error}");
    assert!(!text.contains("QXZQXZ"), "{text}");
    assert_eq!(answer["warnings"], serde_json::json!(["slow"]));
}
