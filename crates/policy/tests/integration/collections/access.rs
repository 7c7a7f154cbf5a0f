//! Parts of values: known, unknown until apply, or absent.

use objchange::value::{Path, PathStep};
use objchange_document::Plan;
use objchange_policy::tfplan::TfPlan;
use objchange_policy::{Answer, Exact, Marked, Redacted};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::collections::random::{Kind, Node, change, node, object};

/// The part at a path.
#[derive(Debug, PartialEq)]
enum Found {
    Known(Value),
    Unknown,
    Absent,
}

/// The part at a path, and whether it is sensitive, computed from the value itself.
fn expected(node: &Node, path: &Path) -> (Found, bool) {
    let mut at = node;
    let mut sensitive = node.sensitive;
    for step in path.steps() {
        let next = match (&at.kind, step) {
            (Kind::Unknown, _) => break,
            (Kind::Object(members), PathStep::Attribute(name)) => members.get(name.as_str()),
            (Kind::Object(members), PathStep::Index(key)) => match key.as_str() {
                Some(key) => members.get(key),
                None => members.get(&key.as_number().unwrap().to_string()),
            },
            (Kind::List(nodes), PathStep::Index(key)) => {
                key.as_number().and_then(|index| nodes.get(index.as_u64()? as usize))
            }
            _ => None,
        };
        let Some(next) = next else { return (Found::Absent, false) };
        at = next;
        sensitive |= at.sensitive;
    }
    match at.value() {
        Some(value) => (Found::Known(value), sensitive),
        None => (Found::Unknown, sensitive),
    }
}

fn found(answer: Answer<'_, '_>) -> (Found, bool) {
    let found = match answer {
        Answer::Known(marked) => Found::Known(json!(Exact(&marked))),
        Answer::Unknown { .. } => Found::Unknown,
        Answer::Absent => Found::Absent,
    };
    (found, answer.is_sensitive())
}

/// Looks at a value as at both an output's and a resource's after, which is the same.
fn with_after<T>(node: &Node, look: impl Fn(Marked<'_, '_>) -> T) -> T {
    let text =
        json!({"format_version": "1.2", "output_changes": {"o": change(None, Some(node))}}).to_string();
    let plan = Plan::parse(&text).unwrap();
    let tfplan = TfPlan::new(&plan).unwrap();
    look(tfplan.output_changes.get("o").unwrap().change.after().unwrap())
}

fn path() -> impl Strategy<Value = Path> {
    let step = prop_oneof![
        3 => prop::sample::select(vec!["a", "b", "a.b", "0", "tags"]).prop_map(|name| PathStep::Attribute(name.into())),
        1 => prop::sample::select(vec!["a", "a.b", "c d"]).prop_map(|key| PathStep::Index(key.into())),
        2 => (0..3usize).prop_map(|index| PathStep::Index(index.into())),
    ];
    prop::collection::vec(step, 0..4).prop_map(|steps| steps.into_iter().collect())
}

/// All paths of a value.
fn paths(node: &Node, at: &Path, out: &mut Vec<Path>) {
    out.push(at.clone());
    match &node.kind {
        Kind::Object(members) => {
            members.iter().for_each(|(name, node)| paths(node, &at.clone().attribute(name.clone()), out));
        }
        Kind::List(nodes) => {
            nodes.iter().enumerate().for_each(|(i, node)| paths(node, &at.clone().index(i), out));
        }
        Kind::Leaf(_) | Kind::Unknown => {}
    }
}

/// All that can be reached from a value by its members and elements.
fn assert_walked(marked: Marked<'_, '_>, node: &Node) -> Result<(), TestCaseError> {
    prop_assert_eq!(marked.is_unknown(), matches!(node.kind, Kind::Unknown));
    prop_assert_eq!(marked.has_unknown(), node.unknown().to_string().contains("true"));
    match &node.kind {
        Kind::Unknown => {}
        Kind::Leaf(leaf) => prop_assert_eq!(&json!(Exact(&marked)), leaf),
        Kind::Object(members) => {
            let mut found: Vec<_> = marked.members().collect();
            found.sort_by_key(|(key, _)| *key);
            prop_assert!(found.iter().map(|(key, _)| *key).eq(members.keys()));
            for ((_, marked), node) in std::iter::zip(found, members.values()) {
                assert_walked(marked, node)?;
            }
        }
        Kind::List(nodes) => {
            prop_assert_eq!(marked.elements().count(), nodes.len());
            for (marked, node) in std::iter::zip(marked.elements(), nodes) {
                assert_walked(marked, node)?;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_path_answers_what_the_value_says(node in node(), other in path()) {
        with_after(&node, |after| {
            let mut all = vec![other.clone()];
            paths(&node, &Path::root(), &mut all);
            for path in &all {
                prop_assert_eq!(found(after.at(path)), expected(&node, path), "{}", path);
                // Whatever is beneath something unknown is unknown.
                if after.at(path).is_unknown() {
                    prop_assert!(after.at(&path.clone().attribute("a").index(1)).is_unknown());
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_value_is_walked_whole(node in node()) {
        with_after(&node, |after| assert_walked(after, &node))?;
    }

    #[test]
    fn a_value_is_written_with_what_is_unknown_or_without(node in node()) {
        with_after(&node, |after| {
            prop_assert_eq!(json!(Exact(&after.full())), node.full());
            prop_assert_eq!(json!(Exact(&after)), json!(node.value()));
            prop_assert_eq!(json!(Redacted(&after)), json!(node.redacted()));
            Ok(())
        })?;
    }

    #[test]
    fn nothing_is_unknown_before(before in object(), after in object(), path in path()) {
        let before = before.known();
        let text = json!({"format_version": "1.2", "resource_changes": [
            {"address": "t.a", "change": change(Some(&before), Some(&after))}]}).to_string();
        let plan = Plan::parse(&text).unwrap();
        let tfplan = TfPlan::new(&plan).unwrap();
        let change = &tfplan.resource_changes.get("t.a").unwrap().change;
        prop_assert_eq!(found(change.before().unwrap().at(&path)).0, expected(&before, &path).0);
        prop_assert_eq!(found(change.after().unwrap().at(&path)).0, expected(&after, &path).0);
        // A mark on either side applies to both.
        let is_sensitive = |node: &Node| expected(node, &path).1;
        if is_sensitive(&before) || is_sensitive(&after) {
            for side in [change.before().unwrap(), change.after().unwrap()] {
                let answer = side.at(&path);
                prop_assert!(answer.is_absent() || answer.is_sensitive());
            }
        }
    }
}

/// The value with each unknown part replaced.
fn filled(node: &Node, with: &Value) -> Node {
    let kind = match &node.kind {
        Kind::Unknown => Kind::Leaf(with.clone()),
        Kind::Leaf(leaf) => Kind::Leaf(leaf.clone()),
        Kind::Object(members) => {
            Kind::Object(members.iter().map(|(name, node)| (name.clone(), filled(node, with))).collect())
        }
        Kind::List(nodes) => Kind::List(nodes.iter().map(|node| filled(node, with)).collect()),
    };
    Node { sensitive: node.sensitive, kind }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn values_are_the_same_if_they_are_so_whatever_is_unknown(
        before in object(), after in object(), is_same in any::<bool>(), with in 0..3,
    ) {
        let before = if is_same { filled(&after, &json!(with)) } else { before.known() };
        let text = json!({"format_version": "1.2", "resource_changes": [
            {"address": "t.a", "change": change(Some(&before), Some(&after))}]}).to_string();
        let plan = Plan::parse(&text).unwrap();
        let tfplan = TfPlan::new(&plan).unwrap();
        let change = &tfplan.resource_changes.get("t.a").unwrap().change;
        let [was, will] = [change.before().unwrap(), change.after().unwrap()];
        let same = was.same(will);
        prop_assert_eq!(same, will.same(was));
        let is_open = same.is_none();
        prop_assert!(!is_open || will.has_unknown());
        if let Some(same) = same {
            for with in [json!(0), json!("x"), json!({"a": null})] {
                prop_assert_eq!(before.value() == filled(&after, &with).value(), same);
            }
        }
        prop_assert!(!is_same || same != Some(false));
        prop_assert!(same == was.answer().same(will.answer()) && was.same(was) == Some(true));
    }
}

#[track_caller]
fn check(after: &str, unknown: &str, path: &str, wanted: &Found) {
    let text = format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"t.a","change":{{"actions":["create"],"before":null,
        "after":{after},"after_unknown":{unknown}}}}}]}}"#
    );
    let plan = Plan::parse(&text).unwrap();
    let tfplan = TfPlan::new(&plan).unwrap();
    let answer =
        tfplan.resource_changes.get("t.a").unwrap().change.after().unwrap().at(&path.parse().unwrap());
    assert_eq!(&found(answer).0, wanted, "{after} {unknown} {path}");
}

#[test]
fn paths_are_written_as_in_configuration() {
    let known = Found::Known;
    let after =
        r#"{"tags":{"a.b":1,"Owner":"x"},"ingress":[{"cidr_blocks":["y",null]}],"none":null,"m":{"0":2}}"#;
    let unknown = r#"{"id":true,"tags":{"new":true},"ingress":[{"cidr_blocks":[false,true]},{"p":true}]}"#;
    check(after, unknown, "tags.Owner", &known(json!("x")));
    check(after, unknown, r#"tags["a.b"]"#, &known(json!(1)));
    check(after, unknown, r#"tags."a.b""#, &known(json!(1)));
    check(after, unknown, "ingress[0].cidr_blocks[0]", &known(json!("y")));
    check(after, unknown, "ingress[0].cidr_blocks[1]", &Found::Unknown);
    check(after, unknown, "ingress[0].cidr_blocks[2]", &Found::Absent);
    check(after, unknown, "m[0]", &known(json!(2)));
    check(after, unknown, "none", &known(json!(null)));
    check(after, unknown, "none.more", &Found::Absent);
    check(after, unknown, "tags.Owner.more", &Found::Absent);
    check(after, unknown, "id", &Found::Unknown);
    check(after, unknown, "id.more[0]", &Found::Unknown);
    check(after, unknown, "tags.new", &Found::Unknown);
    check(after, unknown, "tags.other", &Found::Absent);
    // An element of which only is said that it is unknown.
    check(after, unknown, "ingress[1]", &Found::Unknown);
    check(after, unknown, "ingress[1].other", &Found::Unknown);
    check(after, unknown, "ingress[2]", &Found::Absent);
    check(after, unknown, "ingress[99999999999999999999]", &Found::Absent);
}

/// Marks that do not fit the shape of a value must not make an unknown part known.
#[test]
fn marks_of_another_shape_are_of_all() {
    for (after, unknown) in [
        (r#"{"a":null}"#, r#"{"a":[true]}"#),
        (r#"{"a":"x"}"#, r#"{"a":{"b":true}}"#),
        (r#"{"a":[1]}"#, r#"{"a":{"b":true}}"#),
        (r#"{"a":{"b":1}}"#, r#"{"a":[true]}"#),
        (r#"{}"#, r#"{"a":{"b":[{"c":true}]}}"#),
        ("null", r#"{"a":true}"#),
        (r#"{"a":1}"#, "true"),
    ] {
        check(after, unknown, "a", &Found::Unknown);
    }
    check(r#"{"a":"x"}"#, r#"{"a":{"b":false}}"#, "a", &Found::Known(json!("x")));
    check("null", "false", "a", &Found::Absent);
    check("null", "{}", "a", &Found::Absent);
}
