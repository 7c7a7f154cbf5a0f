//! Each fault of the kit is found with its clause, shown by the smallest configuration, and by a case without the provider.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use objchange_case::{Case, Outcome};
use objchange_conform::kit::{Fault, Stage, faulty};
use objchange_conform::{Clause, FindingReport, FindingSeverity, Hints, NoCase, Options, Report, TypeReport};

use crate::run::provider::{smallest, tried, type_report};

/// Some faults are about one key alone.
const KEYS: &str = r#"{"values": {"labels": {"k": "v"}, "keyed": {"k": {"name": "a", "size": 1}}}}"#;

/// And some about one name.
const NAMES: &str = r#"{"values": {"name": {"$one_of": ["a", "b"]}}}"#;

fn faults() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| {
        let report = |only: &str, cases: usize, hints: &str| {
            let mut options = Options::default();
            (options.apply, options.cases, options.jobs) = (true, cases, 2);
            options.only.extend((!only.is_empty()).then(|| only.to_owned()));
            options.hints = Hints::parse(hints.as_bytes()).unwrap();
            tried(|| faulty(true), options).0
        };
        let mut all = report("", 50, KEYS);
        // The secrets of one type are hidden in cases of others.
        let special = [
            report("kit_replaced_*", 50, NAMES),
            report("kit_planned_nested_*", 150, KEYS),
            report("kit_other", 20, "{}"),
        ];
        for of in special.into_iter().flat_map(|report| report.types) {
            if let Some(old) =
                all.types.iter_mut().find(|old| (old.subject, &old.name) == (of.subject, &of.name))
            {
                *old = of;
            }
        }
        all
    })
}

/// Hints have no way to set the label of a block.
const NEVER: [Fault; 2] = [Fault::PlannedLabelledValue, Fault::AppliedLabelledValue];

/// Further findings of a fault: Terraform continues, or the fault shows in an earlier call already.
fn follows(fault: Fault, clause: Clause) -> bool {
    let goes_on = fault.terraform().is_none() && [Clause::C2, Clause::I7, Clause::G2].contains(&clause);
    let shows_elsewhere = match fault {
        Fault::FinalValue | Fault::AppliedPrefix => clause == Clause::P5,
        Fault::FinalDeferred => clause == Clause::P2,
        Fault::UpdatedDeferred => clause == Clause::F3,
        Fault::FinalAction | Fault::PlannedNestedSet => clause == Clause::F2,
        Fault::FinalUnknown => [Clause::P5, Clause::C2].contains(&clause),
        Fault::PlannedByChance => [Clause::P5, Clause::F2].contains(&clause),
        _ => false,
    };
    clause == fault.clause() || goes_on || shows_elsewhere
}

#[test]
fn each_fault_is_found_with_its_clause() {
    let report = faults();
    let mut wrong = Vec::new();
    for fault in Fault::ALL.iter().filter(|fault| !NEVER.contains(fault)) {
        let of = type_report(report, &format!("kit_{}", fault.kind()));
        let clauses: Vec<Clause> = of.findings.iter().map(|found| found.finding.clause).collect();
        let is_right = clauses.contains(&fault.clause());
        if !is_right || of.skipped.is_some() || clauses.iter().any(|clause| !follows(*fault, *clause)) {
            wrong.push(format!("{} {}: {clauses:?}, {:?}", of.name, fault.clause(), of.skipped));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(type_report(report, "kit_thing").findings, []);
    let found = |kind: &str, name: &str| -> Vec<Clause> {
        let of = report.types.iter().find(|of| of.subject.kind() == kind && of.name == name).unwrap();
        of.findings.iter().map(|found| found.finding.clause).collect()
    };
    assert_eq!(found("data_source", "kit_null"), [Clause::D2]);
    assert_eq!(found("data_source", "kit_other"), [Clause::D4]);
    assert_eq!(found("function", "same"), []);
    assert_eq!(found("function", "type"), [Clause::N1]);
    assert_eq!(found("function", "impure"), [Clause::N3]);
}

#[test]
fn each_is_shown_by_the_smallest_configuration() {
    let report = faults();
    let found: BTreeMap<&str, Vec<String>> = of_resources(report)
        .map(|of| (of.name.as_str(), of.findings.iter().map(smallest).collect()))
        .collect();
    let mut wrong = Vec::new();
    for (name, expected) in [
        ("kit_planned_string", r#"name = "a""#),
        ("kit_planned_number", "size = 0"),
        ("kit_planned_secret", r#"secret = "a""#),
        ("kit_planned_nothing", ""),
        ("kit_planned_unset", ""),
        ("kit_planned_block_count", "disk = [{name = null, part = [], state = null}]"),
        ("kit_final_value", r#"name = (known after apply) -> name = "a""#),
        ("kit_applied_nested", r#"many = [{name = "a", size = null}]"#),
        ("kit_applied_set", r#"zones = ["a"]"#),
        ("kit_applied_block_gone", "box = {name = null}"),
        ("kit_read_drift", r#"name = "a""#),
        ("kit_imported_two", ""),
    ] {
        if !found[name].iter().any(|found| found == expected) {
            wrong.push(format!("{name}: {:?}", found[name]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // One part shows it, or none; unless it takes an update.
    let parts = |found: &FindingReport| {
        let Some(smallest) = &found.smallest else { return 0 };
        let members = smallest.config.as_object().unwrap();
        // Values from hints stay.
        let is_hinted = |name: &str| ["labels", "keyed"].contains(&name);
        let is_set = |part: &objchange::Value| !part.is_null() && part.len() != Some(0);
        let own = members.iter().filter(|(name, part)| is_set(part) && !is_hinted(name)).count();
        own.max(usize::from(members.iter().any(|(_, part)| is_set(part))))
    };
    for fault in Fault::ALL {
        for found in &type_report(report, &format!("kit_{}", fault.kind())).findings {
            // A changed part may need an unchanged one beside it; and these types replace only objects
            // called `b`.
            let is_updated = found.smallest.as_ref().is_some_and(|smallest| smallest.update.is_some());
            let most = if is_updated || fault.stage() == Stage::Replace { 2 } else { 1 };
            assert!(parts(found) <= most, "{}: {}", fault.kind(), smallest(found));
        }
    }
}

fn of_resources(report: &Report) -> impl Iterator<Item = &TypeReport> {
    report.types.iter().filter(|of| of.subject.kind() == "resource")
}

#[test]
fn cases_show_it_without_the_provider() {
    let report = faults();
    let mut clauses = Vec::new();
    for (of, found) in report.findings() {
        let Ok(case) = &found.case else { continue };
        let read = Case::parse(case).unwrap();
        assert_eq!(read.run(), Outcome::Passed, "{}: {case}", of.name);
        let want = read.field("want").unwrap();
        assert!(want.contains(&format!(r#""kind":"{}""#, found.finding.kind)), "{case}");
        if !clauses.contains(&found.finding.clause) {
            clauses.push(found.finding.clause);
        }
    }
    use Clause::*;
    for clause in [P3, P5, P6, F2, A1, A3, A4, A5, A6, D4] {
        assert!(clauses.contains(&clause), "{clause}");
    }
    // Where there is none that says why.
    let noticed = |found: &FindingReport| {
        found.finding.severity == FindingSeverity::Error && found.finding.clause == P5
    };
    for (of, found) in report.findings().filter(|(_, found)| noticed(found)) {
        let tells_a_secret = || found.case == Err(NoCase::TellsSecret);
        assert!(found.case.is_ok() || tells_a_secret(), "{}: {found:?}", of.name);
    }
}

/// Without leave nothing is applied, and nothing is found that only shows then.
#[test]
fn nothing_is_applied_unless_it_may_be() {
    use objchange_conform::kit::{Kit, ResourceType, trial_block};
    let make = || {
        let thing = ResourceType::new(trial_block(true)).on_apply(|_| panic!("it is applied"));
        Kit::default().resource("kit_thing", thing)
    };
    let (report, _) = tried(make, Options::default());
    let thing = type_report(&report, "kit_thing");
    assert_eq!((thing.accepted, thing.findings.len()), (100, 0));
    assert!(thing.plans >= 200);
}
