//! Laws of comparisons and hashes, for any plans.

use objchange_document::{Plan, Schemas};
use objchange_plan::compare::{
    CompareOptions, Difference, DifferenceKind, HashKey, HashedPlan, ShownValue, ValueDifference,
};
use objchange_plan::render::MarkdownOptions;
use objchange_plan::{Colour, Comparison};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::hash::key;
use crate::properties::{MARKER, any_block, plan_of};

/// An edit of a document.
#[derive(Debug, Clone)]
enum Edit {
    /// A part of a change becomes something else.
    Part(Index, Replacement),
    /// A member of a change, or around it, is set.
    Member(Index, &'static str, Value),
    /// The elements of an array are turned around.
    Reverse(Index),
    /// Nothing that is done changes: a member of the document, reasons, how numbers are written.
    Around(u8),
}

#[derive(Debug, Clone)]
enum Replacement {
    Null,
    Same,
    True,
    Text(String),
    Number(u8),
    Wrapped,
    Removed,
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let replacement = prop_oneof![
        Just(Replacement::Null),
        Just(Replacement::Same),
        Just(Replacement::True),
        "[a-c]{0,2}".prop_map(Replacement::Text),
        (0..4u8).prop_map(Replacement::Number),
        Just(Replacement::Wrapped),
        Just(Replacement::Removed),
    ];
    let member = prop_oneof![
        Just(("address", json!("t.s"))),
        Just(("previous_address", json!("t.old"))),
        Just(("previous_address", json!("t.s"))),
        Just(("deposed", json!("0123abcd"))),
        Just(("provider_name", json!("q"))),
        Just(("actions", json!(["update"]))),
        Just(("actions", json!(["no-op"]))),
        Just(("actions", json!(["delete", "create"]))),
        Just(("importing", json!({"id": "i"}))),
        Just(("importing", json!({"unknown": true}))),
        Just(("before_identity", json!({"region": "eu"}))),
        Just(("before_identity", json!(null))),
        Just(("after_identity", json!({"region": "us", "n": 1}))),
        Just(("importing", json!({"identity": {"a": 1, "b": [2.0]}}))),
    ];
    prop_oneof![
        6 => (any::<Index>(), replacement).prop_map(|(at, with)| Edit::Part(at, with)),
        2 => (any::<Index>(), member).prop_map(|(at, (name, value))| Edit::Member(at, name, value)),
        2 => any::<Index>().prop_map(Edit::Reverse),
        2 => any::<u8>().prop_map(Edit::Around),
    ]
}

/// The changes of a document, each with what is around it.
fn pointers(plan: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for list in ["resource_changes", "resource_drift"] {
        found.extend((0..plan[list].as_array().unwrap().len()).map(|i| format!("/{list}/{i}")));
    }
    found.push("/deferred_changes/0/resource_change".to_owned());
    found.push("/output_changes/o".to_owned());
    found.push("/action_invocations/0".to_owned());
    found
}

/// The places of all values in the changes.
fn places(plan: &Value) -> Vec<String> {
    fn walk(value: &Value, at: String, found: &mut Vec<String>) {
        match value {
            Value::Array(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    walk(element, format!("{at}/{i}"), found);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    walk(member, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
                }
            }
            _ => {}
        }
        found.push(at);
    }
    let parts = [
        "change/before",
        "change/after",
        "change/after_unknown",
        "change/before_sensitive",
        "change/after_sensitive",
        "before",
        "after",
        "after_unknown",
        "before_sensitive",
        "after_sensitive",
        "config_values",
        "config_unknown",
        "config_sensitive",
    ];
    let mut found = Vec::new();
    for pointer in pointers(plan) {
        for part in parts {
            let at = format!("{pointer}/{part}");
            if let Some(value) = plan.pointer(&at) {
                walk(value, at.clone(), &mut found);
            }
        }
    }
    found
}

/// The document after an edit.
fn edited(mut plan: Value, edit: &Edit) -> Value {
    match edit {
        Edit::Part(at, with) => {
            let places = places(&plan);
            let place = at.get(&places).clone();
            if let Replacement::Removed = with {
                let (around, key) = place.rsplit_once('/').unwrap();
                if let Some(Value::Object(members)) = plan.pointer_mut(around)
                    && !around.ends_with("change")
                {
                    members.remove(&key.replace("~1", "/").replace("~0", "~"));
                }
                return plan;
            }
            let value = plan.pointer_mut(&place).unwrap();
            *value = match with {
                Replacement::Null => Value::Null,
                Replacement::True => json!(true),
                Replacement::Text(text) => json!(text),
                Replacement::Number(number) => json!(number),
                Replacement::Wrapped => json!([value.clone()]),
                Replacement::Same | Replacement::Removed => value.clone(),
            };
        }
        Edit::Member(at, name, value) => {
            let pointers = pointers(&plan);
            let around = plan.pointer_mut(at.get(&pointers[..]).as_str()).unwrap();
            let is_of_change = ["actions", "importing", "before_identity", "after_identity"].contains(name);
            let around = match is_of_change && around.get("change").is_some() {
                true => &mut around["change"],
                false => around,
            };
            around[*name] = value.clone();
        }
        Edit::Reverse(at) => {
            let places = places(&plan);
            if let Some(Value::Array(elements)) = plan.pointer_mut(at.get(&places[..]).as_str()) {
                elements.reverse();
            }
        }
        Edit::Around(choice) => match choice % 5 {
            0 => plan["timestamp"] = json!(format!("2026-01-0{}T00:00:00Z", choice % 9 + 1)),
            1 => plan["relevant_attributes"] = json!([]),
            2 => plan["resource_changes"][0]["action_reason"] = json!("replace_by_request"),
            3 => plan["format_version"] = json!("1.1"),
            _ => plan["resource_changes"][0]["change"]["replace_paths"] = json!([["d"]]),
        },
    }
    plan
}

/// Any two plans of one schema: the second one is another, or the first one edited.
fn any_plans() -> impl Strategy<Value = ([String; 2], Schemas)> {
    plans_with_schemas(any::<bool>())
}

/// Two plans, with or without their schemas.
fn plans_with_schemas(
    has_schemas: impl Strategy<Value = bool>,
) -> impl Strategy<Value = ([String; 2], Schemas)> {
    let choices = || prop::collection::vec(any::<u8>(), 1..64);
    let edits = prop::option::weighted(0.8, prop::collection::vec(any_edit(), 0..4));
    (any_block(), choices(), choices(), edits, has_schemas).prop_map(
        |(block, one, other, edits, has_schemas)| {
            let (a, schemas) = plan_of(&block, &one);
            let b = match edits {
                None => plan_of(&block, &other).0,
                Some(edits) => {
                    edits.iter().fold(serde_json::from_str::<Value>(&a).unwrap(), edited).to_string()
                }
            };
            let schemas = if has_schemas { Schemas::parse(schemas).unwrap() } else { Schemas::none() };
            ([a, b], schemas)
        },
    )
}

fn compared<'t>(a: &Plan<'t>, b: &Plan<'t>, schemas: &Schemas) -> Comparison<'t> {
    Comparison::new(a, b, schemas, &CompareOptions::default()).unwrap()
}

fn all<'c, 't>(comparison: &'c Comparison<'t>) -> impl Iterator<Item = &'c Difference<'t>> {
    let Comparison { resources, outputs, invocations, drift, .. } = comparison;
    [resources, outputs, invocations, drift].into_iter().flatten()
}

/// A comparison as text, reversed if `swaps`, without parts that depend on the order of the plans.
fn turned(comparison: &Comparison<'_>, swaps: bool) -> Vec<String> {
    let value = |one: &ValueDifference<'_>| {
        let (a, b) = if swaps { (&one.b, &one.a) } else { (&one.a, &one.b) };
        let unpaired = one.unpaired.map(|[a, b]| if swaps { [b, a] } else { [a, b] });
        format!("{:?} {} {:?} {a:?} {b:?} {unpaired:?}", one.side, one.is_identity, one.path)
    };
    let difference = |one: &Difference<'_>| {
        let (a, b) = if swaps { (&one.b, &one.a) } else { (&one.a, &one.b) };
        let kind = match (one.kind, swaps) {
            (DifferenceKind::OnlyInA, true) | (DifferenceKind::OnlyInB, false) => "only in the second",
            (DifferenceKind::OnlyInA, false) | (DifferenceKind::OnlyInB, true) => "only in the first",
            // A value that was unknown in the first plan is now unknown in the second, which is unexpected.
            _ => "in both",
        };
        let mut values: Vec<_> = one.values.iter().map(value).collect();
        values.sort();
        format!("{kind} {a:?} {b:?} {values:?}")
    };
    let mut said: Vec<_> = all(comparison).map(difference).collect();
    said.sort();
    said
}

fn has_secret(value: &ShownValue<'_>) -> bool {
    match value {
        ShownValue::Sensitive => true,
        ShownValue::List(elements) => elements.iter().any(has_secret),
        ShownValue::Object(members) => members.iter().any(|(_, member)| has_secret(member)),
        _ => false,
    }
}

fn hash(plan: &Plan<'_>, schemas: &Schemas, key: Option<&HashKey>) -> String {
    HashedPlan::new(&plan.changes, schemas, key, &[]).unwrap().hash.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_plan_does_what_it_does((texts, schemas) in any_plans()) {
        let plan = Plan::parse(&texts[0]).unwrap();
        let text: Value = serde_json::from_str(&texts[0]).unwrap();
        // Read from another text, so that nothing is skipped as it is.
        let pretty = serde_json::to_string_pretty(&text).unwrap();
        let again = Plan::parse(&pretty).unwrap();
        for other in [&plan, &again] {
            let comparison = compared(&plan, other, &schemas);
            prop_assert!(comparison.is_same(), "{comparison:?}");
        }
    }

    #[test]
    fn it_does_not_matter_which_plan_is_the_first((texts, schemas) in any_plans()) {
        let [a, b] = texts.each_ref().map(|text| Plan::parse(text).unwrap());
        let (there, back) = (compared(&a, &b, &schemas), compared(&b, &a, &schemas));
        prop_assert_eq!(turned(&there, false), turned(&back, true));
        prop_assert_eq!(there.counts.same, back.counts.same);
    }

    /// Plans that compare equal have equal hashes, and others have different ones. Without a key this leaves out
    /// secrets.
    #[test]
    fn hashes_and_comparisons_agree((texts, schemas) in any_plans()) {
        let [a, b] = texts.each_ref().map(|text| Plan::parse(text).unwrap());
        let comparison = compared(&a, &b, &schemas);
        let key = key();
        let keyed = hash(&a, &schemas, Some(&key)) == hash(&b, &schemas, Some(&key));
        prop_assert_eq!(comparison.is_same(), keyed, "{:?}\n{:?}", &comparison, texts);
        let plain = hash(&a, &schemas, None) == hash(&b, &schemas, None);
        let is_secret = |one: &ValueDifference<'_>| has_secret(&one.a) || has_secret(&one.b);
        let only_secrets = all(&comparison).all(|one| {
            matches!(one.kind, DifferenceKind::OtherValues | DifferenceKind::Expected)
                && !one.values.is_empty() && one.values.iter().all(is_secret)
        });
        // A part of a secret may become known, which says nothing without it.
        prop_assert!(plain || !comparison.is_same());
        prop_assert!(!plain || only_secrets, "{:?}\n{:?}", &comparison, texts);
    }

    #[test]
    fn a_secret_is_in_no_comparison((texts, schemas) in plans_with_schemas(Just(true))) {
        // Schemas say of some of the secrets that they are.
        let [a, b] = texts.each_ref().map(|text| Plan::parse(text).unwrap());
        let (there, back) = (compared(&a, &b, &schemas), compared(&b, &a, &schemas));
        for comparison in [there, back] {
            let mut out = Vec::new();
            comparison.write_text(&mut out, Colour::Never, ["a", "b"]).unwrap();
            comparison.write_json(&mut out, ["a", "b"]).unwrap();
            comparison.write_markdown(&mut out, &MarkdownOptions::default(), ["a", "b"]).unwrap();
            let out = String::from_utf8(out).unwrap();
            let debug = format!("{comparison:?}");
            prop_assert!(!out.contains(MARKER) && !debug.contains(MARKER), "{:?}\n{out}", texts);
            let control = out.chars().find(|c| c.is_control() && *c != '\n');
            prop_assert_eq!(control, None, "{}", out);
        }
    }

    /// Every difference is in every format, unless it is said that some are left out.
    #[test]
    fn every_difference_is_in_every_format((texts, schemas) in any_plans()) {
        let [a, b] = texts.each_ref().map(|text| Plan::parse(text).unwrap());
        let comparison = compared(&a, &b, &schemas);
        let written = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            write(&mut out);
            String::from_utf8(out).unwrap()
        };
        let text = written(&|out| comparison.write_text(out, Colour::Never, ["a", "b"]).unwrap());
        let page = written(&|out| comparison.write_markdown(out, &MarkdownOptions::default(), ["a", "b"]).unwrap());
        let json = written(&|out| comparison.write_json(out, ["a", "b"]).unwrap());
        let json: Value = serde_json::from_str(&json).unwrap();
        let count = all(&comparison).count();
        let values: usize = all(&comparison).map(|one| one.values.len()).sum();
        prop_assert_eq!(text.lines().filter(|line| line.starts_with(['+', '-', '!', '~'])).count(), count + values);
        if !page.contains("**Left out") {
            let lines = page.lines().filter(|line| line.starts_with(['+', '-', '!', '~', '`']));
            prop_assert_eq!(lines.filter(|line| !line.starts_with("```")).count(), count + values, "{}", page);
        }
        let entries = ["resources", "outputs", "actions", "drift"].map(|part| json[part].as_array().unwrap().len());
        prop_assert_eq!(entries.iter().sum::<usize>(), count);
    }
}
