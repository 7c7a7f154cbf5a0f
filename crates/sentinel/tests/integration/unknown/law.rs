//! The law: decided results hold for every value of the unknowns.

use std::sync::Arc;

use objchange_sentinel::{Import, List, Map, Members, Policy, Run, Setup, Source, Text, Value, Verdict};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::unknown::policies::policy;

/// An object of a plan: its members, with null for unknown ones.
#[derive(Clone, Debug)]
struct Object {
    members: Vec<(String, Json)>,
    /// The paths of the unknown parts.
    unknown: Vec<&'static str>,
    path: String,
}

impl Object {
    fn new(json: &Json, unknown: &[&'static str], path: &str) -> Self {
        let is_unknown = |key: &str| unknown.contains(&join(path, key).as_str());
        let members = json.as_object().into_iter().flatten();
        let members = members.filter(|(key, _)| !is_unknown(key));
        let members = members.map(|(key, value)| (key.clone(), value.clone())).collect();
        Self { members, unknown: unknown.to_vec(), path: path.to_owned() }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn value(json: &Json, unknown: &[&'static str], path: &str) -> Value {
    match json {
        Json::Object(_) => Value::Map(Map::lazy(Object::new(json, unknown, path))),
        Json::Array(items) => {
            let name = |index: usize| join(path, &index.to_string());
            let is_unknown = |index: &usize| unknown.contains(&name(*index).as_str());
            let of = |(index, item): (usize, &Json)| match is_unknown(&index) {
                true => Value::Null,
                false => value(item, unknown, &name(index)),
            };
            let marks = (0..items.len()).filter(is_unknown).map(|index| (index, name(index)));
            Value::List(List::partly_unknown(items.iter().enumerate().map(of).collect(), marks.collect()))
        }
        other => Value::from_json(other),
    }
}

impl Members for Object {
    fn count(&self) -> usize {
        self.members.len()
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.members.iter().position(|(other, _)| other == key)
    }

    fn key(&self, position: usize) -> Text {
        Text::from(&*self.members[position].0)
    }

    fn value(&self, position: usize) -> Value {
        let (key, json) = &self.members[position];
        value(json, &self.unknown, &join(&self.path, key))
    }

    fn unknown(&self, key: &str) -> Option<String> {
        let path = join(&self.path, key);
        self.unknown.contains(&path.as_str()).then_some(path)
    }

    fn unknowns(&self) -> Vec<String> {
        let depth = self.path.split('.').filter(|key| !key.is_empty()).count();
        let is_here = |path: &&&str| path.split('.').count() == depth + 1 && path.starts_with(&self.path);
        self.unknown.iter().filter(is_here).map(|path| (*path).to_owned()).collect()
    }
}

#[derive(Debug)]
struct Host(Object);

impl Import for Host {
    fn member(&self, name: &str) -> Option<Value> {
        (name == "m").then(|| Value::Map(Map::lazy(self.0.clone())))
    }
}

/// The unknown parts of the object below.
const UNKNOWN: [&str; 6] = ["id", "tags", "sub.k", "list.1", "rows.0.id", "flag"];

fn object(values: &[Json]) -> Json {
    let value = |index: usize| values.get(index).cloned().unwrap_or_default();
    json!({
        "name": "a",
        "size": 2,
        "id": value(0),
        "tags": value(1),
        "sub": {"a": "x", "k": value(2)},
        "list": [1, value(3), "a"],
        "rows": [{"id": value(4), "a": "x"}, {"id": "b", "a": "y"}],
        "flag": value(5),
    })
}

/// The results of a run: its verdict and its rules by name, each with whether it is undecided.
struct Said {
    verdict: (String, bool),
    rules: Vec<(String, String, bool)>,
    unlisted: Vec<String>,
}

fn said(policy: &Arc<Policy>, object: Object) -> Said {
    let mut setup = Setup::default();
    setup.imports.insert("h".to_owned(), Source::Host(Arc::new(Host(object))));
    setup.limits.steps = 200_000;
    setup.limits.memory = 20_000_000;
    let mut run = Run::new(policy, &setup);
    let verdict = match run.verdict() {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Undefined(_) => "undefined",
        Verdict::Error(_) => "error",
    };
    let reads = run.unknown_reads();
    let rules = run.rules();
    let listed: Vec<usize> = reads.list.iter().flat_map(|read| read.rules.clone()).collect();
    let is_unlisted = |(index, rule): &(usize, &objchange_sentinel::Evaluated)| {
        rule.is_undecided && !listed.contains(index)
    };
    let unlisted = rules.iter().enumerate().filter(is_unlisted).map(|(_, rule)| rule.name.to_string());
    Said {
        verdict: (verdict.to_owned(), reads.is_undecided),
        unlisted: unlisted.collect(),
        rules: rules
            .iter()
            .map(|rule| {
                let value = match &rule.value {
                    Value::Undefined(_) => "undefined".to_owned(),
                    value => value.to_json().map_or_else(|| "?".to_owned(), |json| json.to_string()),
                };
                (rule.name.to_string(), value, rule.is_undecided)
            })
            .collect(),
    }
}

fn anything() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(0)),
        Just(json!(1)),
        Just(json!("")),
        Just(json!("a")),
        Just(json!("x")),
        Just(json!([])),
        Just(json!(["a", 1])),
        Just(json!({})),
        Just(json!({"a": "x", "b": 1})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400),
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_decided_is_the_same_for_all_values(
        choices in prop::collection::vec(any::<u16>(), 20..400),
        fillings in prop::collection::vec(prop::collection::vec(anything(), UNKNOWN.len()), 4),
    ) {
        let source = policy(&choices);
        let compiled = Policy::parse("p", &source)
            .unwrap_or_else(|errors| panic!("{source}\n{}", errors[0]));
        let before = said(&compiled, Object::new(&object(&[]), &UNKNOWN, ""));
        prop_assert_eq!(&before.unlisted, &Vec::<String>::new(), "{}", source);
        for filling in fillings {
            let filled = object(&filling);
            let after = said(&compiled, Object::new(&filled, &[], ""));
            prop_assert!(!after.verdict.1, "{}", source);
            if !before.verdict.1 {
                prop_assert_eq!(&before.verdict.0, &after.verdict.0, "{}\n{}", source, filled);
            }
            for (name, value, is_undecided) in &before.rules {
                let same = after.rules.iter().find(|(other, ..)| other == name);
                if let (false, Some((_, other, _))) = (is_undecided, same) {
                    prop_assert_eq!(value, other, "{}: {}\n{}", name, source, filled);
                }
            }
        }
    }
}

/// Values that an import's function has looked at decide whether it calls a function of the policy, or
/// evaluates a rule.
#[test]
fn errors_in_calls_of_imports_depend_on_what_was_looked_at() {
    for source in [
        "c.filter(h.m.tags else [1], func(x) { return nothing })\nmain = true",
        "main = rule { c.reduce(h.m.tags else [1, 2], func(x, y) { return nothing }) is defined }",
        "main = rule { l.sort(h.m.tags else [1, 2], func(x, y) { return nothing }) is defined }",
        "main = rule { json.marshal([h.m.id, rule { nothing }]) is defined }",
    ] {
        let source = format!(
            "import \"h\"\nimport \"collection\" as c\nimport \"collection/lists\" as l\nimport \"json\"\n{source}\n"
        );
        let compiled = Policy::parse("p", &source).unwrap();
        let before = said(&compiled, Object::new(&object(&[]), &UNKNOWN, ""));
        let filled = object(&[json!("a"), json!([])]);
        let after = said(&compiled, Object::new(&filled, &[], ""));
        assert_eq!(before.verdict.0, "error", "{source}");
        assert!(before.verdict.1 || after.verdict.0 == "error", "{source}");
    }
}

/// Rules whose values are lists or maps are shown as these are when the run ends, which may be earlier or later.
#[test]
fn lists_and_maps_that_change_after_a_possible_error_are_undecided() {
    for source in [
        "m = {}\nr = rule { m }\nx = r is defined\nb = \"a\" in (h.m.tags else {})\nm[\"k\"] = 1\nmain = true",
        "m = {}\nr = rule { [m] }\nx = r is defined\nb = \"a\" in h.m.tags\nm[\"k\"] = 1\nmain = true",
        "m = []\nr = rule { m }\nx = r is defined\nb = \"a\" in (h.m.tags else {})\nappend(m, 1)\nmain = true",
    ] {
        let compiled = Policy::parse("p", &format!("import \"h\"\n{source}\n")).unwrap();
        let before = said(&compiled, Object::new(&object(&[]), &UNKNOWN, ""));
        for tags in [json!(null), json!({})] {
            let after = said(&compiled, Object::new(&object(&[json!("a"), tags]), &[], ""));
            let (before, after) = (&before.rules[0], &after.rules[0]);
            assert!(before.2 || before.1 == after.1, "{source}: {before:?} {after:?}");
        }
    }
    // A change before the evaluation leaves the rule decided.
    let source =
        "b = \"a\" in (h.m.tags else {})\nm = []\nappend(m, 1)\nr = rule { m }\nmain = rule { r is [1] }";
    let compiled = Policy::parse("p", &format!("import \"h\"\n{source}\n")).unwrap();
    let rules = said(&compiled, Object::new(&object(&[]), &UNKNOWN, "")).rules;
    assert!(rules.iter().all(|(_, _, is_undecided)| !is_undecided), "{rules:?}");
}

/// A condition may choose instructions in another loop, whose scope does not exist yet.
#[test]
fn what_is_chosen_may_be_in_the_scope_of_another_loop() {
    let source = r#"
        import "h"
        import "collection" as c
        f = func() {
            x = [0]
            for [1] as e {
                a = func() { return e }
                if h.m.flag else false { return 0 }
            }
            for [1] as e {
                b = 2
                d = 3
                if true {
                    x = c.filter([1], func(y) { return y is e and d is 3 and b is 2 })
                }
            }
            return x[0]
        }
        main = rule { f() is 1 }
    "#;
    let compiled = Policy::parse("p", source).unwrap();
    let before = said(&compiled, Object::new(&object(&[]), &UNKNOWN, ""));
    assert_eq!(before.verdict, ("pass".to_owned(), true));
}

/// The law says little if all policies fail, or everything is called undecided.
#[test]
fn the_law_is_about_something() {
    let mut state = 1_u64;
    let mut choice = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u16
    };
    let (mut errors, mut decided, mut undecided, mut changed) = (0, 0, 0, 0);
    for _ in 0..500 {
        let choices: Vec<u16> = (0..150).map(|_| choice()).collect();
        let compiled = Policy::parse("p", &policy(&choices)).unwrap();
        let before = said(&compiled, Object::new(&object(&[]), &UNKNOWN, ""));
        let filling = vec![json!("a"); UNKNOWN.len()];
        let after = said(&compiled, Object::new(&object(&filling), &[], ""));
        errors += usize::from(before.verdict.0 == "error");
        for (name, value, is_undecided) in &before.rules {
            let count = if *is_undecided { &mut undecided } else { &mut decided };
            *count += 1;
            let other = after.rules.iter().find(|(other, ..)| other == name);
            changed += usize::from(other.is_some_and(|(_, other, _)| other != value));
        }
    }
    let counts =
        format!("{errors} errors; rules: {decided} decided, {undecided} undecided, {changed} changed");
    assert!(errors < 400 && decided > 300 && undecided > 100 && changed > 30, "{counts}");
}
