//! Similar elements that a set loses and gains, shown as updates.

use objchange_document::{Document, Schemas};
use objchange_plan::{Filter, Options, Report};
use serde_json::{Value as Json, json};

use crate::report;

/// Nobody must see this.
const SECRET: &str = "SECRET-MARKER";

fn schemas() -> Json {
    let attributes = json!({
        "port": {"type": "number", "optional": true},
        "from": {"type": ["set", "string"], "optional": true},
        "text": {"type": "string", "optional": true},
        "id": {"type": "string", "computed": true},
        "token": {"type": "string", "optional": true, "sensitive": true},
    });
    let rule = json!({"nesting_mode": "set", "block": {"attributes": attributes}});
    let typed = json!({"type": ["set", ["object", {"port": "number", "text": "string", "from": "string"}]], "optional": true});
    let names = json!({"type": ["set", "string"], "optional": true});
    let block = json!({"attributes": {"typed": typed, "names": names}, "block_types": {"rule": rule}});
    json!({"format_version": "1.0", "provider_schemas": {"registry.terraform.io/a/b": {
        "resource_schemas": {"b_group": {"version": 0, "block": block}}
    }}})
}

/// A plan that updates one resource. Tokens of rules are sensitive.
fn plan(before: &Json, after: &Json, unknown: &Json) -> String {
    let marks = |object: &Json| {
        let rules = object["rule"].as_array().cloned().unwrap_or_default();
        json!({"rule": rules.iter().map(|_| json!({"token": true})).collect::<Vec<_>>()})
    };
    json!({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": [{
        "address": "b_group.g", "mode": "managed", "type": "b_group", "name": "g",
        "provider_name": "registry.terraform.io/a/b",
        "change": {
            "actions": ["update"], "before": before, "after": after, "after_unknown": unknown,
            "before_sensitive": marks(before), "after_sensitive": marks(after),
        },
    }]})
    .to_string()
}

fn text(plan: &str, match_sets: bool) -> String {
    let schemas = schemas().to_string();
    let schemas = Schemas::parse(&schemas).unwrap();
    let options = Options { match_sets, ..Options::default() };
    let document = Document::parse(plan).unwrap();
    let report = Report::new(&document, &schemas, &options, &Filter::default()).unwrap();
    let text = report::text(&report, &options).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    text
}

fn rule(port: u32, from: &str, text: &str) -> Json {
    json!({"port": port, "from": [from], "text": text, "id": format!("r-{port}"), "token": format!("{SECRET}{port}")})
}

#[test]
fn blocks_that_agree_in_most_are_updates() {
    let before = json!({"rule": [rule(80, "a", "web"), rule(22, "b", "ssh"), rule(53, "c", "dns")]});
    let mut web = rule(80, "a", "the web");
    web.as_object_mut().unwrap().remove("id");
    let after = json!({"rule": [rule(22, "b", "ssh"), rule(443, "z", "tls"), web]});
    let unknown = json!({"rule": [{}, {}, {"id": true}]});
    let plan = plan(&before, &after, &unknown);
    insta::assert_snapshot!(text(&plan, true));
    let terraform = text(&plan, false);
    assert!(terraform.contains("      - rule {") && !terraform.contains("~ rule"), "{terraform}");
}

#[test]
fn objects_are_paired_and_texts_are_not() {
    let before = json!({"typed": [{"port": 1, "text": "x"}, {"port": 2, "text": "y", "from": "a"}], "names": ["a", "b"]});
    let after = json!({"typed": [{"port": 1, "text": "x"}, {"port": 2, "text": null, "from": "a"}], "names": ["a", "c"]});
    insta::assert_snapshot!(text(&plan(&before, &after, &json!({})), true));
}

/// Which elements are paired must not tell whether their secrets are equal.
#[test]
fn secrets_decide_nothing() {
    let with = |port: u32, token: &str| json!({"rule": [{"port": port, "from": null, "text": "", "id": null, "token": token}]});
    let shown = |token: &str| text(&plan(&with(80, SECRET), &with(443, token), &json!({})), true);
    let (same, other) = (shown(SECRET), shown("SECRET-MARKER-2"));
    assert!(same.contains("      - rule {") && same.contains("      + rule {"), "{same}");
    assert_eq!(same, other);
}

/// Pairing changes which lines there are, not which values.
#[test]
fn every_new_value_is_still_shown() {
    let rules =
        |text: &str| (0..1000).map(|port| rule(port, &format!("net{}", port % 7), text)).collect::<Vec<_>>();
    let plan = plan(&json!({"rule": rules("old")}), &json!({"rule": rules("new")}), &json!({}));
    let matched = text(&plan, true);
    assert_eq!(matched.matches("      ~ rule {").count(), 1000, "{matched}");
    assert_eq!(matched.matches(r#"= "old" -> "new""#).count(), 1000);
    assert!(!matched.contains("      + rule {") && !matched.contains("      - rule {"));
}

/// The text of a plan without schemas that changes a list, with its similar elements paired or not.
fn list_text(before: &Json, after: &Json, match_lists: bool) -> String {
    let (before, after) = (json!({"env": before}), json!({"env": after}));
    let plan = plan(&before, &after, &json!({}));
    let options = Options { match_lists, ..Options::default() };
    let (document, schemas) = (Document::parse(&plan).unwrap(), Schemas::none());
    let report = Report::new(&document, &schemas, &options, &Filter::default()).unwrap();
    report::text(&report, &options).unwrap()
}

#[test]
fn elements_of_lists_are_paired_by_what_they_have_in_common() {
    let one = |name: &str, value: &str| json!({"name": name, "value": value});
    let before = json!([one("A", "1"), one("B", "2"), one("C", "3")]);
    // By position all three differ; by name only one does, and one is new.
    let after = json!([one("NEW", "0"), one("A", "1"), one("B", "9"), one("C", "3")]);
    let text = list_text(&before, &after, true);
    assert!(text.contains("          + {\n              + name  = \"NEW\"\n"), "{text}");
    assert!(
        text.contains(
            "          ~ {\n                name  = \"B\"\n              ~ value = \"2\" -> \"9\"\n"
        ),
        "{text}"
    );
    // One element is new, one is updated, and the two beside them help to find the place.
    assert_eq!((text.matches(" -> ").count(), text.matches("value").count()), (1, 4), "{text}");
}

#[test]
fn an_element_of_a_list_that_only_moves_still_changes_the_list() {
    let one = |name: &str| json!({"name": name, "value": "1"});
    for match_lists in [false, true] {
        let text = list_text(&json!([one("A"), one("B")]), &json!([one("B"), one("A")]), match_lists);
        assert!(text.contains("~ env = ["), "{text}");
        assert!(text.matches("\"A\"").count() + text.matches("\"B\"").count() >= 2, "{text}");
    }
}

#[test]
fn an_element_of_a_list_that_moves_and_changes_is_shown_as_moved() {
    let one = |name: &str, value: &str| json!({"name": name, "value": value});
    let before = json!([one("A", "1"), one("B", "2"), one("C", "3"), one("D", "4")]);
    for after in [
        // Past an element that stays as it is, and past another one that changes.
        json!([one("B", "9"), one("A", "1"), one("C", "3"), one("D", "4")]),
        json!([one("B", "9"), one("A", "8"), one("C", "3"), one("D", "4")]),
        json!([one("A", "1"), one("D", "9"), one("B", "2"), one("C", "8")]),
    ] {
        let text = list_text(&before, &after, true);
        assert!(text.contains("          + {\n") && text.contains("          - {\n"), "{after}: {text}");
        // Elements that the list still has after the change are in its order.
        let mut place = 0;
        for element in after.as_array().unwrap() {
            let name = element["name"].as_str().unwrap();
            let is_shown = |line: &&str| line.contains(&format!("\"{name}\"")) && !line.contains("  - ");
            let Some(line) = text.lines().position(|line| is_shown(&line)) else { continue };
            assert!(line > place, "{name} in {after}: {text}");
            place = line;
        }
    }
}

#[test]
fn elements_that_are_new_stand_where_they_are_after_the_change() {
    let one = |name: &str, value: &str| json!({"name": name, "value": value});
    let before = json!([one("A", "1"), one("B", "2")]);
    let after = json!([one("NEW", "0"), one("A", "9"), one("B", "8")]);
    let text = list_text(&before, &after, true);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("\"NEW\"") < at("\"1\" -> \"9\"") && at("\"9\"") < at("\"2\" -> \"8\""), "{text}");
}
