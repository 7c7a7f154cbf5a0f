//! Secrets that a provider plants wherever it can are in nothing that comes of a run.

use std::sync::Arc;

use objchange_conform::kit::{Leaky, Planted};
use objchange_conform::{Baseline, Hints, Options, run};
use objchange_provider::Provider;
use objchange_provider::record::{Recorder, Recording};
use proptest::prelude::*;

use crate::run::provider::wait;

/// All that comes of a run, as text.
fn outputs(planted: &Planted, apply: bool) -> String {
    let hints = serde_json::json!({"provider": {"token": planted.own}, "values": {
        // HintedValue plainly: the schema calls them sensitive.
        "password": planted.given,
        "written": planted.given,
        "any": {"$sensitive": {planted.given.clone(): planted.given}},
        "text": {"$sensitive": planted.given},
    }});
    let mut options = Options::default();
    (options.cases, options.apply, options.shrink) = (10, apply, 20);
    // It would end this process: the tests of the program have it in a process of its own.
    options.exclude = vec!["kit_panic".to_owned()];
    options.hints = Hints::parse(hints.to_string().as_bytes()).unwrap();
    let recorder = Arc::new(Recorder::new(Vec::new()));
    options.hints.secrets().iter().for_each(|secret| recorder.hide(secret));
    let start = {
        let (planted, recorder) = (planted.clone(), recorder.clone());
        move || {
            let (provider, recorder) = (Arc::new(Leaky::new(planted.clone())), recorder.clone());
            async move { Ok(Arc::new(Recording::new(provider, Some(recorder))) as Arc<dyn Provider>) }
        }
    };
    let (report, corpus) = wait(run(start, options, |_| {})).unwrap();
    let recorded = Arc::into_inner(recorder).unwrap().finish().unwrap();
    assert!(report.findings().count() > 4, "{}", report.findings().count());
    let mut shown = format!("{report:?}\n{corpus:?}\n{}", serde_json::to_string(&report).unwrap());
    shown += &corpus.to_json_lines();
    shown += &Baseline::new(&report).to_json();
    shown += &String::from_utf8(recorded).unwrap();
    for (of, found) in report.findings() {
        // Each configuration is counted once, however often it shows the finding.
        assert!(found.count <= of.samples.max(1), "{}: {} of {}", of.name, found.count, of.samples);
        shown += &format!("{} {:?} {:?}", found.finding.message, found.case, found.smallest);
    }
    shown
}

fn holds(planted: &Planted, apply: bool) -> std::result::Result<(), TestCaseError> {
    let shown = outputs(planted, apply);
    for secret in [&planted.given, &planted.own, &planted.made] {
        if let Some(at) = shown.find(secret.as_str()) {
            let (start, end) = (at.saturating_sub(200), (at + 200).min(shown.len()));
            let around = String::from_utf8_lossy(&shown.as_bytes()[start..end]);
            return Err(TestCaseError::fail(format!("{secret} in …{around}…")));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn no_planted_secret_comes_out(
        given in "[a-zA-Z]{5}[0-9]{4}[<\"]?[a-z]{3}", own in "[A-Z]{9}[0-9]{5}", made in "[a-z0-9]{4}-[a-z0-9]{6}",
        apply in any::<bool>(),
    ) {
        holds(&Planted { given, own, made }, apply)?;
    }
}

/// One secret may be a part of another.
#[test]
fn no_rest_of_a_secret_comes_out() {
    let given = || "pass-phrase".to_owned();
    for (own, made) in [("pass-phrase123", "phrase123-xyz"), ("unrelated", "pass-phrase-xyz")] {
        let planted = Planted { given: given(), own: own.to_owned(), made: made.to_owned() };
        for apply in [false, true] {
            let shown = outputs(&planted, apply);
            let rest = shown.find("phrase").or_else(|| shown.find("-xyz"));
            assert_eq!(rest.map(|at| &shown[at.saturating_sub(80)..at + 10]), None);
        }
    }
}

/// Generated values of sensitive attributes are shown: nobody could reproduce the finding without them.
#[test]
fn what_the_generator_makes_is_shown() {
    let planted = Planted { given: "unused-1".into(), own: "unused-2".into(), made: "unused-3".into() };
    let mut options = Options::default();
    (options.cases, options.only) = (30, vec!["kit_wrong".to_owned()]);
    let start = move || {
        let provider: Arc<dyn Provider> = Arc::new(Leaky::new(planted.clone()));
        async move { Ok(provider) }
    };
    let (report, corpus) = wait(run(start, options, |_| {})).unwrap();
    let shown = serde_json::to_string(&report).unwrap();
    for shown in [shown, corpus.to_json_lines()] {
        assert!(shown.contains(r#""password":""#) && !shown.contains("sensitive value)"), "{shown}");
    }
}
