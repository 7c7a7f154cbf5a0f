//! Checks of a run, findings that are reported once, and things that are not checked.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use objchange::change::{AppliedResource, Diagnostic, PlannedResource};
use objchange::schema::{Attribute, Block};
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_conform::{Clause, FindingSeverity, Hints, Options, RunEnd};
use objchange_provider::{Answer, Call, Provider, Reply};

use crate::run::provider::{tried, type_report};

fn thing() -> Block {
    let text = || Attribute::optional(Type::String);
    Block::new(
        [
            ("name", text()),
            ("note", text()),
            ("size", text()),
            ("secret", text().sensitive()),
            ("once", text().write_only()),
        ],
        [],
    )
}

fn options(cases: usize, apply: bool) -> Options {
    let mut options = Options::default();
    (options.cases, options.apply) = (cases, apply);
    options
}

/// The object without what is write-only.
fn stored(object: &Value) -> Value {
    let Some(members) = object.as_object() else { return object.clone() };
    let part =
        |name: &str, value: &Value| if name == "once" { Value::null(Type::String) } else { value.clone() };
    Value::object(members.iter().map(|(name, value)| (name.clone(), part(name, value))))
}

fn with_name(object: &Value, name: Option<&str>) -> Value {
    let object = stored(object);
    let (Some(members), Some(text)) = (object.as_object(), name) else { return object };
    let part = |of: &str, value: &Value| if of == "name" { Value::from(text) } else { value.clone() };
    Value::object(members.iter().map(|(of, value)| (of.clone(), part(of, value))))
}

#[test]
fn an_update_that_is_ignored_is_one_finding() {
    let make = || {
        let ignores = ResourceType::new(thing())
            .on_plan(|request| PlannedResource::new(stored(&request.proposed)))
            .on_apply(|request| {
                let is_update = !request.prior.is_null() && !request.planned.is_null();
                AppliedResource::new(if is_update { request.prior.clone() } else { stored(&request.planned) })
            });
        Kit::default().resource("kit_ignores", ignores)
    };
    let (report, _) = tried(make, options(60, true));
    let findings: Vec<_> = type_report(&report, "kit_ignores")
        .findings
        .iter()
        .map(|found| (found.finding.clause, found.place.as_str()))
        .collect();
    assert_eq!(findings, [(Clause::A5, "")]);
}

/// A fault that also shows without an update is not reported as an ignored update.
#[test]
fn two_causes_are_two_findings_and_one_is_one() {
    let make = || {
        let loses = ResourceType::new(thing()).on_apply(|request| {
            let planned = stored(&request.planned);
            let is_update = !request.prior.is_null() && !planned.is_null();
            let Some(members) = planned.as_object() else { return AppliedResource::new(planned) };
            let part = |name: &str, value: &Value| match name {
                "note" => Value::null(Type::String),
                // Only what is there already is kept.
                "size" if is_update => request.prior.attribute("size").unwrap().clone(),
                _ => value.clone(),
            };
            AppliedResource::new(Value::object(
                members.iter().map(|(name, value)| (name.clone(), part(name, value))),
            ))
        });
        Kit::default().resource("kit_loses", loses)
    };
    let (report, _) = tried(make, options(60, true));
    let places: Vec<_> = type_report(&report, "kit_loses")
        .findings
        .iter()
        .map(|found| (found.finding.clause, found.place.as_str()))
        .collect();
    assert_eq!(places, [(Clause::A5, ""), (Clause::A5, "note")]);
}

/// One fault of the kit is one finding, however it shows.
#[test]
fn one_cause_is_one_finding() {
    let mut options = options(60, true);
    let wanted = [
        ("kit_read_identity_other", Clause::R4, ""),
        ("kit_read_drift", Clause::R5, "name"),
        ("kit_read_by_chance", Clause::R5, "note"),
        ("kit_applied_block_key", Clause::A5, "entry"),
        ("kit_applied_block_set", Clause::A5, "rule"),
        ("kit_applied_block_gone", Clause::A5, "box"),
        ("kit_applied_null", Clause::A5, "name"),
        ("kit_applied_nested_gone", Clause::A5, "one"),
        ("kit_planned_block_key", Clause::P5, "entry"),
        ("kit_planned_nested_key", Clause::P5, "keyed"),
        ("kit_planned_string", Clause::P5, "name"),
    ];
    options.only = wanted.iter().map(|(name, ..)| (*name).to_owned()).collect();
    options.subjects = vec![objchange_conform::Subject::Component(objchange_provider::Component::Resource)];
    let (report, _) = tried(|| objchange_conform::kit::faulty(true), options);
    for (name, clause, place) in wanted {
        let findings = &type_report(&report, name).findings;
        let found: Vec<_> =
            findings.iter().map(|found| (found.finding.clause, found.place.as_str())).collect();
        assert_eq!(found, [(clause, place)], "{name}: {findings:#?}");
    }
}

/// The smallest configuration does not show by itself what takes a second plan.
#[test]
fn what_shows_later_says_when() {
    let mut options = options(60, true);
    options.only =
        vec!["kit_replace_nowhere".into(), "kit_final_unknown".into(), "kit_planned_string".into()];
    let (report, _) = tried(|| objchange_conform::kit::faulty(true), options);
    let when = |name: &str, clause: Clause| -> Vec<Option<&str>> {
        let findings = type_report(&report, name).findings.iter();
        findings
            .filter(|found| found.finding.clause == clause)
            .map(|found| found.finding.when.as_deref())
            .collect()
    };
    assert_eq!(when("kit_replace_nowhere", Clause::P6), [Some("when it is planned again after apply")]);
    assert_eq!(when("kit_planned_string", Clause::P5), [None]);
    // Nothing of what is shown without a value that becomes known later leaves out when it shows.
    for found in &type_report(&report, "kit_final_unknown").findings {
        let smallest = found.smallest.as_ref().unwrap();
        let is_plain = smallest.known.is_none() && smallest.update.is_none();
        let is_set = smallest.config.attribute("note").is_some_and(|note| !note.is_null());
        assert!(
            !is_plain || is_set || found.finding.when.is_some() || found.finding.clause == Clause::C2,
            "{found:?}"
        );
    }
}

/// Looking for the smallest configuration has a bound, and none is found where it is not looked for.
#[test]
fn the_search_for_the_smallest_is_bounded() {
    let mut calls = Vec::new();
    let mut sizes = Vec::new();
    for shrink in [0, 3, 300] {
        let mut options = options(2, false);
        options.shrink = shrink;
        let make = || {
            let wrong = ResourceType::new(thing()).on_plan(|request| {
                let is_set = request.proposed.attribute("name").is_some_and(|name| !name.is_null());
                PlannedResource::new(with_name(&request.proposed, is_set.then_some("other")))
            });
            Kit::default().resource("kit_wrong", wrong)
        };
        let (report, _) = tried(make, options);
        let found = &type_report(&report, "kit_wrong").findings;
        let set = |found: &objchange_conform::FindingReport| {
            let config = &found.smallest.as_ref().unwrap().config;
            config.as_object().unwrap().iter().filter(|(_, part)| !part.is_null()).count()
        };
        calls.push(report.time.calls);
        sizes.push(found.iter().map(set).max().unwrap());
    }
    assert_eq!((sizes[0], sizes[2]), (5, 1));
    assert!(calls[0] < calls[1] && calls[1] < calls[2], "{calls:?}");
    // Two findings, three candidates each, a validation and two plans for each at most.
    assert!(calls[1] - calls[0] <= 2 * 3 * 4, "{calls:?}");
}

#[test]
fn what_is_refused_only_while_it_is_unknown_is_found() {
    let make = || {
        let picky = ResourceType::new(thing()).on_validate(|config| match config.attribute("note") {
            Some(note) if !note.is_known() => vec![Diagnostic::error("note must be set")],
            _ => Vec::new(),
        });
        Kit::default().resource("kit_picky", picky)
    };
    let (report, _) = tried(make, options(60, false));
    let found = &type_report(&report, "kit_picky").findings;
    let found: Vec<_> = found
        .iter()
        .map(|found| {
            (found.finding.clause, found.place.as_str(), found.finding.severity == FindingSeverity::Error)
        })
        .collect();
    assert_eq!(found, [(Clause::V1, "note", true)]);
}

/// Whatever the seed: a provider that plans the old value while the new one is unknown shows it for each attribute.
#[test]
fn an_update_to_unknown_is_tried_for_each_attribute() {
    for name in ["name", "note", "size"] {
        for seed in 0..8 {
            let make = move || {
                let keeps = ResourceType::new(thing()).on_plan(move |request| {
                    let planned = stored(&request.proposed);
                    let is_known = request.config.attribute(name).is_none_or(Value::is_known);
                    let was = request.prior.as_object().and_then(|prior| prior.get(name)).cloned();
                    let (Some(members), Some(was), false) = (planned.as_object(), was, is_known) else {
                        return PlannedResource::new(planned);
                    };
                    let part =
                        |other: &str, value: &Value| if other == name { was.clone() } else { value.clone() };
                    PlannedResource::new(Value::object(
                        members.iter().map(|(other, value)| (other.clone(), part(other, value))),
                    ))
                });
                Kit::default().resource("kit_keeps", keeps)
            };
            let mut options = options(30, true);
            options.seed = seed;
            let (report, _) = tried(make, options);
            let place = name;
            let found = type_report(&report, "kit_keeps").findings.iter();
            let found: Vec<_> = found.filter(|found| found.place == place).collect();
            let becomes_unknown = |found: &&objchange_conform::FindingReport| {
                let smallest = found.smallest.as_ref();
                smallest
                    .and_then(|smallest| smallest.update.as_ref())
                    .is_some_and(|update| !update.is_wholly_known())
            };
            assert!(found.into_iter().any(|found| becomes_unknown(&found)), "{name} {seed}");
        }
    }
}

/// Whatever the seed: a provider that loses what is under one key only.
#[test]
fn what_goes_wrong_under_one_key_alone_is_found() {
    for key in ["with.dot", "UpperCase", ""] {
        for seed in 0..8 {
            let make = move || {
                let tags = Block::new([("tags", Attribute::optional(Type::map(Type::String)))], []);
                let loses = ResourceType::new(tags).on_plan(move |request| {
                    let tags = request.proposed.attribute("tags").and_then(Value::as_map);
                    let Some(tags) = tags.filter(|tags| tags.get(key).is_some()) else {
                        return PlannedResource::new(request.proposed.clone());
                    };
                    let others = tags.iter().filter(|(other, _)| *other != key);
                    let others = others.map(|(other, value)| (other.to_string(), value.clone()));
                    let tags = Value::map(Type::String, others).unwrap();
                    PlannedResource::new(Value::object([("tags", tags)]))
                });
                Kit::default().resource("kit_loses", loses)
            };
            let mut options = options(20, false);
            options.seed = seed;
            let (report, _) = tried(make, options);
            let found = &type_report(&report, "kit_loses").findings;
            assert_eq!(found.len(), 1, "{key:?} {seed}: {found:?}");
            let smallest = found[0].smallest.as_ref().unwrap().config.attribute("tags").unwrap();
            assert_eq!(smallest.len(), Some(1), "{smallest}");
        }
    }
}

#[test]
fn secrets_that_are_told_are_found() {
    let make = || {
        let text =
            |value: &Value, name: &str| value.attribute(name).and_then(Value::as_str).map(str::to_owned);
        let says = ResourceType::new(thing()).on_plan(move |request| {
            let mut planned = PlannedResource::new(stored(&request.proposed));
            planned.diagnostics.extend(
                text(&request.config, "secret").map(|text| Diagnostic::warning(format!("{text} is weak"))),
            );
            planned
        });
        let echoes = ResourceType::new(thing()).on_plan(move |request| {
            PlannedResource::new(with_name(&request.proposed, text(&request.config, "once").as_deref()))
        });
        Kit::default().resource("kit_says", says).resource("kit_echoes", echoes)
    };
    let (report, _) = tried(make, options(40, false));
    let clauses = |name: &str| -> Vec<Clause> {
        type_report(&report, name).findings.iter().map(|found| found.finding.clause).collect()
    };
    assert_eq!(clauses("kit_says"), [Clause::K2]);
    assert_eq!(type_report(&report, "kit_says").findings[0].place, "secret");
    assert!(clauses("kit_echoes").contains(&Clause::K1), "{:?}", clauses("kit_echoes"));
}

/// Terraform stops where the provider cannot be configured: what would come after that is not a finding.
#[test]
fn without_a_configuration_only_validation_is_checked() {
    let make = || {
        let own = Block::new([("region", Attribute::required(Type::String))], []);
        let fails = |_: &Value| Answer::default();
        Kit::default().configuration(own).data_source("kit_data", thing(), fails).resource(
            "kit_thing",
            ResourceType::new(thing()).on_plan(|_| PlannedResource::new(Value::from("wrong"))),
        )
    };
    let (report, _) = tried(make, options(20, false));
    assert!(report.not_configured.is_some());
    assert_eq!(report.findings().count(), 0);
    assert!(!report.is_any_checked());
    let mut configured = options(20, false);
    configured.hints = Hints::parse(br#"{"provider": {"region": "x"}}"#).unwrap();
    let (report, _) = tried(make, configured);
    assert!(report.findings().count() > 1 && report.is_any_checked());
}

/// Long texts are cut, and what is left out is told.
#[test]
fn what_a_provider_writes_is_bounded() {
    let make = || {
        let talks = ResourceType::new(thing()).on_validate(|_| {
            let mut said = Diagnostic::error("no");
            said.detail = "x".repeat(1 << 20);
            vec![said]
        });
        Kit::default().resource("kit_talks", talks)
    };
    let (report, _) = tried(make, options(3, false));
    let refusal = &type_report(&report, "kit_talks").refusals[0];
    let detail = refusal.detail.as_deref().unwrap();
    assert!(detail.len() < 20_000 && detail.ends_with("more bytes left out)"), "{}", detail.len());
}

/// The time is over before the provider says anything.
#[test]
fn the_time_holds_while_the_provider_starts() {
    let mut options = options(3, false);
    options.time = Some(Duration::from_millis(50));
    let never = || {
        std::future::pending::<objchange_provider::Result<std::sync::Arc<dyn objchange_provider::Provider>>>()
    };
    let error = crate::run::provider::wait(objchange_conform::run(never, options, |_| {})).unwrap_err();
    assert_eq!(error.kind().kind(), "timeout");
}

#[test]
fn choices_that_choose_nothing_are_errors() {
    let make = || Kit::default().resource("kit_thing", ResourceType::new(thing()));
    for only in [vec!["kit_thin"], vec!["kit_thing", "kit_thnig"]] {
        let mut options = options(3, false);
        options.only.extend(only.into_iter().map(str::to_owned));
        let start = move || {
            let provider: std::sync::Arc<dyn objchange_provider::Provider> = std::sync::Arc::new(make());
            async move { Ok(provider) }
        };
        let error = crate::run::provider::wait(objchange_conform::run(start, options, |_| {})).unwrap_err();
        assert!(error.to_string().ends_with("did you mean kit_thing?"), "{error}");
    }
    let (report, _) = tried(make, options(3, false));
    assert_eq!(report.ended, RunEnd::Complete);
}

/// Refuses to move objects, and keeps the types that they were to come from.
struct Unmoved(Kit, Arc<Mutex<BTreeSet<String>>>);

#[async_trait::async_trait]
impl Provider for Unmoved {
    async fn call(&self, call: Call<'_>) -> objchange_provider::Result<Reply> {
        if let Call::Move(request) = call
            && request.type_name == "kit_thing"
        {
            self.1.lock().unwrap().insert(request.source_type.clone());
            let mut answer = Answer::default();
            answer.diagnostics.push(Diagnostic::error("it cannot come from there"));
            return Ok(answer.into());
        }
        self.0.call(call).await
    }
}

#[test]
fn objects_are_moved_only_from_types_that_look_the_same() {
    let asked = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = asked.clone();
    let start = move || {
        let other = Block::new([("count", Attribute::optional(Type::Number))], []);
        let kit = [("kit_thing", thing()), ("kit_alike", thing()), ("kit_other", other)]
            .into_iter()
            .fold(Kit::default(), |kit, (name, block)| kit.resource(name, ResourceType::new(block)));
        let provider: Arc<dyn Provider> = Arc::new(Unmoved(kit, seen.clone()));
        async move { Ok(provider) }
    };
    crate::run::provider::wait(objchange_conform::run(start, options(3, true), |_| {})).unwrap();
    let asked: Vec<String> = asked.lock().unwrap().iter().cloned().collect();
    assert_eq!(asked, ["kit_alike", "kit_thing"]);
}
