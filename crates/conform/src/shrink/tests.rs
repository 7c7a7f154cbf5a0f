//! The smallest trial shows the finding, and nothing can be taken away.

use objchange::schema::{Attribute, Block, NestedType, NestingMode};
use objchange::value::Descend;
use objchange::{Type, Value};
use objchange_provider::Component;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::{Shrink, smaller, steps};
use crate::kit::trial_block;
use crate::{Hints, Sample, Trial, any_sample};

/// The parts of a value that are set, in no order that matters.
fn parts(value: &Value) -> Vec<String> {
    let mut parts = Vec::new();
    value.visit(|path, part| {
        if !part.is_null() && part.len() != Some(0) {
            parts.push(path.to_string());
        }
        Descend::Into
    });
    parts
}

/// Something that may be wrong with a trial, whatever it means.
fn wrong(trial: &Trial, needs: &[String], odd: u64) -> bool {
    let parts = parts(&trial.config);
    let is_there = needs.iter().all(|need| parts.contains(need));
    let update = trial.update.as_ref().map_or(0, |(config, _)| self::parts(config).len());
    is_there && (odd == 0 || (parts.len() + update) as u64 % odd != 1)
}

fn shrunk(trial: Trial, needs: &[String], odd: u64) -> (Trial, usize) {
    let block = trial_block(true);
    let mut shrink = Shrink::new(&block, trial, Vec::new());
    let mut asked = 0;
    while let Some(candidate) = shrink.candidate().cloned() {
        asked += 1;
        assert!(asked < 100_000);
        if wrong(&candidate, needs, odd) {
            shrink.shows();
        }
    }
    (shrink.smallest().clone(), asked)
}

/// All candidates are asked for, over and over: thousands of elements would take minutes.
fn small_sample() -> impl Strategy<Value = Sample> {
    any_sample(&trial_block(true), Component::Resource, "kit_thing", &Hints::default())
        .prop_filter("too large", |sample| parts(&sample.config).len() < 60)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/proptest-regressions/shrink.txt"))),
        ..ProptestConfig::with_cases(100)
    })]
    #[test]
    fn nothing_can_be_taken_away(
        first in small_sample(),
        second in small_sample(),
        picks in proptest::collection::vec(any::<proptest::sample::Index>(), 0..3),
        odd in 0..4_u64,
        is_updated in any::<bool>(),
    ) {
        let mut trial = Trial::new(first.config);
        trial.known = first.known;
        trial.update = is_updated.then_some((second.config, second.known));
        let all = parts(&trial.config);
        let needs: Vec<String> = picks.iter().map(|pick| pick.get(&all).clone()).collect();
        // A trial that does not show the finding is not a start.
        let odd = if wrong(&trial, &needs, odd) { odd } else { 0 };
        let (smallest, _) = shrunk(trial.clone(), &needs, odd);
        prop_assert!(wrong(&smallest, &needs, odd));
        let block = trial_block(true);
        for step in steps(&block, &smallest) {
            let candidate = smaller(&block, &smallest, &step);
            prop_assert!(candidate.is_none_or(|candidate| !wrong(&candidate, &needs, odd)), "{step:?}");
        }
        let again = shrunk(trial, &needs, odd).0;
        prop_assert!(again.config == smallest.config && again.known == smallest.known && again.update == smallest.update);
    }
}

/// A large collection takes few questions.
#[test]
fn large_collections_are_halved() {
    let block = trial_block(true);
    let names: Vec<String> = (0..2_000).map(|i| format!("name-{i}")).collect();
    let config = Value::object([("zones", Value::tuple(names.iter().map(String::as_str)))]);
    let config = block.coerce_value(&config).unwrap();
    let has = |trial: &Trial| {
        let zones = trial.config.attribute("zones").and_then(Value::as_elements);
        zones.is_some_and(|zones| zones.contains(&Value::from("name-1234")))
    };
    let mut shrink = Shrink::new(&block, Trial::new(config), Vec::new());
    let mut asked = 0;
    while let Some(candidate) = shrink.candidate().cloned() {
        asked += 1;
        if has(&candidate) {
            shrink.shows();
        }
    }
    let zones = shrink.smallest().config.attribute("zones").unwrap();
    assert_eq!((zones.len(), asked < 100), (Some(1), true), "{asked}");
}

/// Values from hints are in each candidate, however small the rest is.
#[test]
fn what_is_given_stays() {
    let block = trial_block(true);
    let config = |name: &str| {
        let config = Value::object([("name", Value::from(name)), ("tags", Value::tuple(["one", "two"]))]);
        block.coerce_value(&config).unwrap()
    };
    let mut trial = Trial::new(config("given-1"));
    trial.update = Some((config("given-2"), None));
    let mut shrink =
        Shrink::new(&block, trial, vec![vec!["name".into()], vec!["disk".into(), "kind".into()]]);
    while let Some(candidate) = shrink.candidate().cloned() {
        for config in [Some(&candidate.config), candidate.update.as_ref().map(|(config, _)| config)] {
            let name = config.and_then(|config| config.attribute("name")?.as_str());
            assert!(config.is_none() || name == Some("given-1") || name == Some("given-2"), "{name:?}");
        }
        shrink.shows();
    }
    let smallest = shrink.smallest();
    assert!(smallest.update.is_none() && smallest.config.attribute("tags").unwrap().is_null());
}

/// The update leaves all other parts alone.
#[test]
fn an_update_changes_only_what_shows_it() {
    let block = trial_block(true);
    let config = |name: &str, note: &str| {
        block
            .coerce_value(&Value::object([("name", name), ("note", note)].map(|(n, v)| (n, Value::from(v)))))
            .unwrap()
    };
    let text = |config: &Value, name: &str| config.attribute(name).and_then(Value::as_str).map(str::to_owned);
    let mut trial = Trial::new(config("one", "here"));
    trial.update = Some((config("two", "there"), None));
    let mut shrink = Shrink::new(&block, trial, Vec::new());
    while let Some(candidate) = shrink.candidate().cloned() {
        let shows_it = candidate.update.as_ref().is_some_and(|(config, _)| {
            let note = text(config, "note").unwrap_or_default();
            text(config, "name") != text(&candidate.config, "name") && ["here", "there"].contains(&&*note)
        });
        if shows_it && text(&candidate.config, "note").as_deref() == Some("here") {
            shrink.shows();
        }
    }
    let (update, _) = shrink.smallest().update.as_ref().unwrap();
    assert_eq!(text(update, "note").as_deref(), Some("here"));
}

/// A part of a nested object that must be there is not taken away: nothing would be checked with that.
#[test]
fn what_is_required_stays() {
    let (name, size) = (Attribute::required(Type::String), Attribute::optional(Type::String));
    let one = NestedType::new(NestingMode::Single, [("name", name), ("size", size)]);
    let block = Block::new([("one", Attribute::optional(one))], []);
    let inner = Value::object([("name", Value::from("a")), ("size", Value::from("b"))]);
    let mut shrink = Shrink::new(&block, Trial::new(Value::object([("one", inner)])), Vec::new());
    while let Some(candidate) = shrink.candidate().cloned() {
        let one = candidate.config.attribute("one").unwrap();
        assert!(one.is_null() || !one.attribute("name").unwrap().is_null(), "{}", candidate.config);
        if !one.is_null() {
            shrink.shows();
        }
    }
    let one = shrink.smallest().config.attribute("one").unwrap();
    assert!(one.attribute("size").unwrap().is_null());
}
