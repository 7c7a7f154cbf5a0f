//! Formats of our own hide what any section of a plan calls sensitive, and what marks that fit no value may mean.

use objchange_document::json::Json;
use objchange_document::{Document, Plan, Schemas, StatedMarks};
use objchange_plan::render::{HtmlOptions, MarkdownOptions};
use objchange_plan::{Filter, Options, Report};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{outline, report};

const SECRET: &str = "hunter2";

fn change(actions: &[&str], before: &Value, after: &Value, marks: [&Value; 2], unknown: &Value) -> Value {
    json!({"address": "x_y.a", "mode": "managed", "type": "x_y", "name": "a", "provider_name": "registry.terraform.io/a/x",
        "change": {"actions": actions, "before": before, "after": after, "after_unknown": unknown,
            "before_sensitive": marks[0], "after_sensitive": marks[1]}})
}

fn values(values: &Value, marks: &Value) -> Value {
    json!({"root_module": {"resources": [{"address": "x_y.a", "mode": "managed", "type": "x_y", "name": "a",
        "provider_name": "registry.terraform.io/a/x", "values": values, "sensitive_values": marks}]}})
}

/// Terraform's text, and all that our own formats make of a document.
fn pages(document: &Value) -> (String, Vec<String>) {
    let (text, schemas) = (document.to_string(), Schemas::none());
    let document = Document::parse(&text).unwrap();
    let options = |own_format| Options { own_format, full: true, ..Options::default() };
    let filter = Filter::default();
    let of_terraform = Report::new(&document, &schemas, &options(false), &filter).unwrap();
    let own = Report::new(&document, &schemas, &options(true), &filter).unwrap();
    let (mut markdown, mut html) = (Vec::new(), Vec::new());
    own.write_markdown(&mut markdown, &MarkdownOptions::default()).unwrap();
    own.write_html(&mut html, &HtmlOptions::default()).unwrap();
    let pages = [markdown, html].map(|page| String::from_utf8(page).unwrap());
    let others = [serde_json::to_string(&own).unwrap(), outline::shown(&own).unwrap()];
    (report::text(&of_terraform, &options(false)).unwrap(), pages.into_iter().chain(others).collect())
}

#[track_caller]
fn assert_hidden(document: &Value) {
    for page in pages(document).1 {
        assert!(page.contains("x_y.a") && !page.contains(SECRET), "{page}");
    }
}

#[test]
fn drift_hides_what_another_section_marks() {
    let (old, new) = (json!({"id": "1", "pw": "hunter2-old"}), json!({"id": "1", "pw": SECRET}));
    let (none, marked) = (json!({}), json!({"pw": true}));
    let update = |marks| change(&["update"], &new, &json!({"id": "1", "pw": SECRET, "n": 2}), marks, &none);
    let unmarked = update([&none, &none]);
    let state = |marks| json!({"format_version": "1.0", "values": values(&new, marks)});
    for (changes, planned, prior) in [
        (update([&marked, &none]), values(&new, &none), state(&none)),
        (update([&none, &marked]), values(&new, &none), state(&none)),
        (unmarked.clone(), values(&new, &marked), state(&none)),
        (unmarked.clone(), values(&new, &none), state(&marked)),
    ] {
        let mut plan = json!({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": [changes],
            "resource_drift": [change(&["update"], &old, &new, [&none, &none], &none)],
            "relevant_attributes": [{"resource": "x_y.a", "attribute": ["pw"]}],
            "planned_values": planned, "prior_state": prior});
        assert_hidden(&plan);
        // Terraform shows each section by its own marks, and its text is printed as it prints it.
        assert!(pages(&plan).0.contains("hunter2-old"));
        // A moved object has another address in some sections.
        plan["resource_drift"][0]["address"] = json!("x_y.b");
        plan["resource_drift"][0]["name"] = json!("b");
        plan["resource_changes"][0]["previous_address"] = json!("x_y.b");
        plan["relevant_attributes"][0]["resource"] = json!("x_y.b");
        assert_hidden(&plan);
    }
    let output = |is_sensitive: bool| {
        let change = json!({"actions": ["create"], "before": null, "after": "sesame", "after_unknown": false,
            "before_sensitive": false, "after_sensitive": false});
        json!({"format_version": "1.2", "resource_changes": [unmarked], "output_changes": {"o": change},
            "planned_values": {"outputs": {"o": {"sensitive": is_sensitive, "value": "sesame"}},
                "root_module": {"resources": []}}})
    };
    let shown =
        |is_sensitive| pages(&output(is_sensitive)).1.iter().filter(|page| page.contains("sesame")).count();
    assert_eq!((shown(true), shown(false)), (0, 4));
}

/// Where nothing is missing from the marks, that they come or go is on the page.
#[test]
fn a_mark_that_comes_is_shown_as_a_change() {
    let (value, none, marked) = (json!({"pw": SECRET}), json!({}), json!({"pw": true}));
    let changes = change(&["update"], &value, &value, [&none, &marked], &none);
    let plan = json!({"format_version": "1.2", "resource_changes": [changes], "planned_values": values(&value, &marked)});
    let (_, own) = pages(&plan);
    assert!(own.iter().any(|page| page.contains("will be marked as sensitive")), "{own:?}");
    assert_hidden(&plan);
}

#[test]
fn marks_that_lead_to_nothing_hide_what_they_lead_out_of() {
    let s = SECRET;
    for (before, after, marks, unknown) in [
        // The key is not there, and not unknown.
        (
            json!({"a": {"pasword": s}}),
            json!({"a": {"pasword": s}, "z": 1}),
            [json!({}), json!({"a": {"password": true}})],
            json!({}),
        ),
        (json!({"A": s}), json!({"A": s, "z": 1}), [json!({}), json!({"a": true})], json!({})),
        // Behind the end of a list.
        (
            json!({"a": [s]}),
            json!({"a": [s, s]}),
            [json!({"a": [false, true]}), json!({"a": [false, false, true]})],
            json!({}),
        ),
        (
            json!({"a": ["x"]}),
            json!({"a": ["x", s]}),
            [json!({}), json!({"a": [false, {}, {"b": true}]})],
            json!({}),
        ),
        // The value on the other side has another shape.
        (json!({"a": s}), json!({"a": null, "z": 1}), [json!({}), json!({"a": {"b": true}})], json!({})),
        (json!({"a": s}), json!({"a": {"b": s}}), [json!({}), json!({"a": {"b": true}})], json!({})),
        (json!({"a": {"b": s}}), json!({"a": s}), [json!({"a": {"b": true}}), json!({})], json!({})),
        // A mark below what is wholly unknown.
        (json!({"a": {"b": s}}), json!({"z": 1}), [json!({}), json!({"a": {"b": true}})], json!({"a": true})),
        (json!({"a": s}), json!({"a": s, "z": 1}), [json!({}), json!({"a": "yes"})], json!({})),
        (json!({"a": s}), json!({"a": s, "z": 1}), [json!({}), json!({"a": {"b": 1}})], json!({})),
    ] {
        let changes = change(&["update"], &before, &after, [&marks[0], &marks[1]], &unknown);
        assert_hidden(&json!({"format_version": "1.2", "resource_changes": [changes]}));
        let changes = change(&["create"], &Value::Null, &after, [&json!(false), &marks[1]], &unknown);
        if after.to_string().contains(s) && marks[1].to_string().len() > 2 {
            assert_hidden(&json!({"format_version": "1.2", "resource_changes": [changes]}));
        }
    }
    let state = json!({"format_version": "1.0", "terraform_version": "1.11.4",
        "values": values(&json!({"a": {"pasword": s}}), &json!({"a": {"password": true}}))});
    assert_hidden(&state);
}

/// Unknown values are marked without being there.
#[test]
fn marks_of_what_is_unknown_hide_nothing_else() {
    let after = json!({"shown": "as it is", "tags": {"a": "b"}, "list": ["c"]});
    let marks = json!({"pw": true, "tags": {"k": true}, "list": [false, true]});
    let unknown = json!({"pw": true, "tags": {"k": true}, "list": [false, true]});
    let changes = change(&["create"], &Value::Null, &after, [&json!(false), &marks], &unknown);
    let plan = json!({"format_version": "1.2", "resource_changes": [changes], "planned_values": values(&after, &marks)});
    for page in pages(&plan).1 {
        assert!(page.contains("as it is"), "{page}");
    }
}

fn any_json(leaf: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

/// Whether a mark is on each string, or on something around it.
fn covers(marks: &Value, value: &Value) -> bool {
    match (marks, value) {
        (Value::Bool(true), _) => true,
        (Value::Object(marks), Value::Object(members)) => {
            members.iter().any(|(key, value)| marks.get(key).is_some_and(|marks| covers(marks, value)))
        }
        (Value::Array(marks), Value::Array(elements)) => {
            std::iter::zip(marks, elements).any(|(m, v)| covers(m, v))
        }
        (Value::Object(_) | Value::Array(_), Value::Null) => marks.to_string().contains("true"),
        _ => false,
    }
}

proptest! {
    /// Whatever marks there are: if they mark anything, something of the value is hidden, or nothing is there.
    #[test]
    fn a_mark_always_hides_something(
        value in any_json(prop_oneof![Just(Value::Null), Just(json!(SECRET))].boxed()),
        marks in any_json(prop_oneof![any::<bool>().prop_map(Value::from), Just(Value::Null)].boxed()),
    ) {
        let (value, marks) = (json!({"a": value}), json!({"a": marks}));
        let changes = change(&["create"], &Value::Null, &value, [&json!(false), &marks], &json!({}));
        let text = json!({"format_version": "1.2", "resource_changes": [changes]}).to_string();
        let plan = Plan::parse(&text).unwrap();
        let stated = StatedMarks::new(&plan).unwrap();
        let written = stated.of_instance("x_y.a").map_or(Value::Null, |marks| written(&marks));
        if marks.to_string().contains("true") {
            prop_assert!(covers(&written, &value), "{} for {} in {}", written, marks, value);
        }
    }
}

fn written(marks: &Json<'_>) -> Value {
    use objchange_document::json::{Shape, View};
    fn of_view(view: View<'_, '_>) -> Value {
        match view.shape() {
            Shape::Bool(bool) => json!(bool),
            Shape::Array(elements) => elements.iter().map(of_view).collect(),
            Shape::Object(members) => {
                members.iter().map(|(key, member)| (key.to_owned(), of_view(member))).collect()
            }
            _ => Value::Null,
        }
    }
    of_view(marks.view())
}
