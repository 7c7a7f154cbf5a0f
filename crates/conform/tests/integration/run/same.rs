//! Runs are repeatable, try earlier findings first, and tell known findings from new ones.

use objchange_conform::kit::{Kit, faulty};
use objchange_conform::{Baseline, Corpus, Options, Report, RunEnd, Stop, Subject};
use objchange_provider::{Component, ErrorKind};

use crate::run::provider::{tried, type_report};

fn options(seed: u64, jobs: usize) -> Options {
    let mut options = Options::default();
    (options.seed, options.jobs, options.cases) = (seed, jobs, 30);
    // Its counter lasts longer than one type.
    options.exclude = vec!["impure".into()];
    options
}

fn report(options: Options) -> Report {
    let (mut report, _) = tried(|| faulty(true), options);
    report.time = Default::default();
    report
}

#[test]
fn neither_jobs_nor_repetition_change_the_report() {
    let report = |seed, jobs| {
        let mut options = options(seed, jobs);
        options.cases = 12;
        report(options)
    };
    let first = report(7, 1);
    assert_eq!(first, report(7, 1));
    assert_eq!(first, report(7, 4));
    assert_ne!(first.types, report(8, 1).types);
}

/// Where the time may be over, types take turns. That changes nothing of what is tried in the end.
#[test]
fn turns_change_nothing_where_there_is_time() {
    let mut all = options(3, 1);
    all.only = vec!["kit_planned_*".into(), "kit_thing".into()];
    let first = report(all.clone());
    all.time = Some(std::time::Duration::from_secs(3600));
    assert_eq!(first, report(all));
}

#[test]
fn only_what_is_wanted_is_tried() {
    let mut some = options(0, 1);
    some.only = vec!["kit_planned_*".into(), "kit_thing".into()];
    some.exclude = vec!["*_block*".into()];
    some.subjects = vec![Subject::Component(Component::Resource)];
    let report = report(some);
    assert!(report.types.len() > 10);
    for of in &report.types {
        assert!(of.name == "kit_thing" || of.name.starts_with("kit_planned_") && !of.name.contains("_block"));
        assert_eq!(of.subject.kind(), "resource");
    }
}

#[test]
fn what_is_kept_is_tried_first() {
    let mut first = options(0, 1);
    first.only = vec!["kit_planned_string".into(), "kit_planned_secret".into()];
    let (found, corpus) = tried(|| faulty(true), first.clone());
    assert_eq!(corpus.len(), found.findings().count());
    // Through a file, without any other configuration.
    let text = corpus.to_json_lines();
    let mut again = first;
    (again.corpus, again.cases) = (Corpus::parse(&text).unwrap(), 0);
    let (replayed, kept) = tried(|| faulty(true), again);
    assert_eq!(kept.to_json_lines(), text);
    for name in ["kit_planned_string", "kit_planned_secret"] {
        assert!(type_report(&replayed, name).samples > 0);
        let key = |report: &Report| {
            type_report(report, name).findings.iter().map(|f| f.finding.clone()).collect::<Vec<_>>()
        };
        assert_eq!(key(&replayed), key(&found));
    }
    assert_eq!(Corpus::parse("\n{}").unwrap_err().line, 2);
}

#[test]
fn what_is_in_the_baseline_is_known() {
    let mut options = options(0, 1);
    options.subjects = vec![Subject::Component(Component::Resource)];
    options.only = vec!["kit_planned_string".into()];
    let mut old = report(options.clone());
    let baseline = Baseline::parse(&Baseline::new(&old).to_json()).unwrap();
    assert_eq!(baseline.apply(&mut old), 0);
    assert_eq!(old.new_findings(), (0, 0));
    options.only = vec!["kit_planned_number".into(), "kit_planned_string".into()];
    let mut new = report(options.clone());
    assert_eq!(baseline.apply(&mut new), 0);
    let (errors, others) = new.new_findings();
    assert_eq!(errors + others, type_report(&new, "kit_planned_number").findings.len());
    assert!(errors > 0);
    // One that was repaired is gone, and one that was not tried is not.
    options.only = vec!["kit_planned_number".into()];
    assert_eq!(baseline.apply(&mut report(options.clone())), 0);
    let repaired = || {
        use objchange_conform::kit::{ResourceType, trial_block};
        Kit::default().resource("kit_planned_string", ResourceType::new(trial_block(true)))
    };
    options.only = Vec::new();
    assert_eq!(
        baseline.apply(&mut tried(repaired, options).0),
        type_report(&old, "kit_planned_string").findings.len()
    );
    assert!(
        Baseline::parse(r#"{"format_version":"2","findings":[]}"#).unwrap_err().to_string().contains("newer")
    );
    assert!(Baseline::parse("[]").is_err());
}

#[test]
fn a_run_that_is_stopped_says_so() {
    let mut options = options(0, 2);
    options.stop = Stop::default();
    options.stop.stop();
    let stopped = report(options.clone());
    assert_eq!(stopped.ended, RunEnd::Stopped);
    assert!(stopped.types.iter().all(|of| of.skipped.is_some() && of.samples == 0));
    options.stop = Stop::default();
    options.time = Some(std::time::Duration::from_nanos(1));
    let late = report(options);
    assert_eq!(late.ended, RunEnd::Time);
    assert!(late.types.iter().all(|of| of.skipped.as_deref() == Some("the time was over before")));
}

/// A provider that is gone is started again, and what always kills it is given up.
#[test]
fn what_crashes_is_given_up_and_the_others_are_tried() {
    use async_trait::async_trait;
    use objchange_conform::{Clause, run};
    use objchange_provider::{Call, Provider, Reply, Result};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// Nobody answers any more once a type was planned that crashes.
    struct Fragile(Kit, AtomicBool);

    #[async_trait]
    impl Provider for Fragile {
        async fn call(&self, call: Call<'_>) -> Result<Reply> {
            if matches!(call, Call::Plan("kit_planned_string", _)) {
                self.1.store(true, Ordering::SeqCst);
            }
            if matches!(call, Call::Plan(..) | Call::Validate(..)) {
                self.alive()?;
            }
            self.0.call(call).await
        }
    }

    impl Fragile {
        fn alive(&self) -> Result<()> {
            let crashed = ErrorKind::Crashed { status: "exit status: 2".into() };
            if self.1.load(Ordering::SeqCst) { Err(crashed.into()) } else { Ok(()) }
        }
    }

    let starts = Arc::new(AtomicUsize::new(0));
    let counted = starts.clone();
    let start = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        let provider: Arc<dyn Provider> = Arc::new(Fragile(faulty(true), AtomicBool::new(false)));
        async move { Ok(provider) }
    };
    let mut options = options(0, 1);
    options.only = vec!["kit_planned_string".into(), "kit_planned_number".into(), "kit_thing".into()];
    options.subjects = vec![Subject::Component(Component::Resource)];
    let (report, _) = crate::run::provider::wait(run(start, options, |_| {})).unwrap();
    let crashing = type_report(&report, "kit_planned_string");
    assert_eq!(crashing.findings.len(), 1);
    assert_eq!(crashing.findings[0].finding.clause, Clause::T2);
    assert!(crashing.skipped.as_deref().unwrap().contains("given up"), "{crashing:?}");
    assert_eq!(type_report(&report, "kit_thing").accepted, 30);
    assert_eq!(type_report(&report, "kit_planned_number").findings.len(), 1);
    assert!(starts.load(Ordering::SeqCst) > 3);
}
