//! Values that are ignored: folded, counted, named, and no change.

use objchange_document::{Document, Plan, Schemas};
use objchange_plan::compare::{CompareOptions, HashedPlan};
use objchange_plan::render::MarkdownOptions;
use objchange_plan::report::{Gate, GateCondition, Verdict};
use objchange_plan::{Comparison, Filter, IgnoredPath, Options, Report};
use serde_json::{Value, json};

use crate::compare::{plan, resource};
use crate::report;

fn paths(texts: &[&str]) -> Vec<IgnoredPath> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn filter(texts: &[&str]) -> Filter {
    paths(texts).into_iter().fold(Filter::default(), Filter::ignoring)
}

fn text(plan: &Value, ignored: &[&str], options: &Options) -> String {
    let plan = plan.to_string();
    let document = Document::parse(&plan).unwrap();
    let schemas = Schemas::none();
    let report = Report::new(&document, &schemas, options, &filter(ignored)).unwrap();
    report::text(&report, options).unwrap()
}

fn verdict(plan: &Value, ignored: &[&str], conditions: &[GateCondition]) -> Verdict {
    let plan = plan.to_string();
    let document = Document::parse(&plan).unwrap();
    let schemas = Schemas::none();
    let report = Report::new(&document, &schemas, &Options::default(), &filter(ignored)).unwrap();
    Gate { conditions: conditions.to_vec(), allow_unmatched: false }.judge(&report)
}

/// An update from this object to that, with unknown parts.
fn update(name: &str, before: Value, after: Value, unknown: Value) -> Value {
    let mut one = resource(&format!("t.{name}"), &["update"], before, after);
    one["change"]["after_unknown"] = unknown;
    one
}

/// Whether the update of one object is no change, if these paths are ignored.
#[track_caller]
fn is_nothing(one: &Value, ignored: &[&str]) -> bool {
    let plan = plan(std::slice::from_ref(one));
    let verdict = verdict(&plan, ignored, &GateCondition::ALL);
    let is_refused = !verdict.refused.is_empty();
    assert_eq!(is_refused, verdict.changes, "{:?}", verdict.refused);
    // The hash and comparisons judge as the gate does.
    let text = plan.to_string();
    let parsed = Plan::parse(&text).unwrap();
    let hashed = HashedPlan::new(&parsed.changes, &Schemas::none(), None, &paths(ignored)).unwrap();
    assert_eq!(hashed.steps == 0, !is_refused);
    let nothing = crate::compare::plan(&[]).to_string();
    let options = CompareOptions { ignored: paths(ignored), ..CompareOptions::default() };
    let compared =
        Comparison::new(&parsed, &Plan::parse(&nothing).unwrap(), &Schemas::none(), &options).unwrap();
    assert_eq!(compared.is_same(), !is_refused);
    !is_refused
}

#[test]
fn an_update_of_ignored_paths_alone_is_no_change() {
    let tags = |owner: &str| json!({"id": "i", "tags": {"Owner": owner, "Env": "x"}, "size": 1});
    let one = update("a", tags("ann"), tags("bob"), json!({}));
    for (ignored, expected) in [
        (&["tags"][..], true),
        (&["tags.Owner"], true),
        (&["tags.Env"], false),
        (&["t.a:tags"], true),
        (&["t.*:tags.Owner"], true),
        (&["t.b:tags"], false),
        (&["u.*:tags", "size"], false),
        (&[], false),
    ] {
        assert_eq!(is_nothing(&one, ignored), expected, "{ignored:?}");
    }
    // Something else changes, too.
    let other = update(
        "a",
        json!({"tags": {"a": "1"}, "size": 1}),
        json!({"tags": {"a": "2"}, "size": 2}),
        json!({}),
    );
    assert!(!is_nothing(&other, &["tags"]) && is_nothing(&other, &["tags", "size"]));
}

#[test]
fn unknown_values_are_ignored_only_where_the_path_covers_them() {
    let whole = update("a", json!({"tags": {"a": "1"}}), json!({}), json!({"tags": true}));
    assert!(is_nothing(&whole, &["tags"]));
    // Any key may change.
    assert!(!is_nothing(&whole, &["tags.a"]));
    let key = update("a", json!({"tags": {"a": "1"}}), json!({"tags": {}}), json!({"tags": {"a": true}}));
    assert!(is_nothing(&key, &["tags.a"]));
    let all = update("a", json!({"tags": {"a": "1"}}), json!({}), json!(true));
    assert!(!is_nothing(&all, &["tags"]));
}

#[test]
fn more_than_an_update_is_never_ignored() {
    let (before, after) = (json!({"id": "i", "tags": {"a": "1"}}), json!({"id": "i", "tags": {"a": "2"}}));
    for actions in [&["delete", "create"][..], &["create", "delete"], &["forget", "create"]] {
        let mut one = resource("t.a", actions, before.clone(), after.clone());
        one["change"]["replace_paths"] = json!([["tags"]]);
        assert!(!is_nothing(&one, &["tags"]), "{actions:?}");
    }
    assert!(!is_nothing(&resource("t.a", &["create"], Value::Null, after.clone()), &["tags", "id"]));
    assert!(!is_nothing(&resource("t.a", &["delete"], before.clone(), Value::Null), &["tags", "id"]));
    let one = || update("a", before.clone(), after.clone(), json!({}));
    let mut moved = one();
    moved["previous_address"] = json!("t.old");
    let mut imported = one();
    imported["change"]["importing"] = json!({"id": "i"});
    let mut other_object = one();
    other_object["change"]["before_identity"] = json!({"id": "i"});
    other_object["change"]["after_identity"] = json!({"id": "j"});
    for one in [moved, imported, other_object] {
        assert!(!is_nothing(&one, &["tags"]), "{one}");
    }
    // The cause of an update without a difference is at no path.
    assert!(!is_nothing(&update("a", before.clone(), before, json!({})), &["tags"]));
}

#[test]
fn a_replacement_that_an_ignored_path_forces_is_shown() {
    let mut one =
        resource("t.a", &["delete", "create"], json!({"a": "1", "b": "1"}), json!({"a": "2", "b": "2"}));
    one["change"]["replace_paths"] = json!([["a"]]);
    let text = text(&plan(&[one]), &["a", "b"], &Options::default());
    assert!(text.contains("a = \"1\" -> \"2\" # forces replacement"), "{text}");
    assert!(!text.contains("b = ") && text.contains("# (1 ignored attribute hidden)"), "{text}");
    assert!(text.ends_with("Plan: 1 to add, 0 to change, 1 to destroy.\n"), "{text}");
}

#[test]
fn what_is_ignored_is_folded_counted_and_named() {
    let before = json!({"id": "i", "size": 1, "tags_all": {"a": "1"}, "rules": [{"port": 1, "note": "x"}, {"port": 2, "note": "x"}]});
    let after = json!({"id": "i", "size": 2, "tags_all": {"a": "2"}, "rules": [{"port": 1, "note": "y"}, {"port": 3, "note": "y"}]});
    let changes = [
        update("a", before, after, json!({})),
        update("b", json!({"tags_all": {"a": "1"}}), json!({}), json!({"tags_all": true})),
        update("c", json!({"tags_all": {"a": "1"}}), json!({"tags_all": {"a": "2"}}), json!({})),
    ];
    let mut document = plan(&changes);
    document["resource_drift"] = json!([changes[2]]);
    document["output_changes"] = json!({
        "url": {"actions": ["update"], "before": "a", "after": "b", "after_unknown": false},
    });
    let ignored = ["tags_all", "rules.note", "output.url"];
    let shown = text(&document, &ignored, &Options::default());
    assert_eq!(
        shown.split_once("  # t.a will").unwrap().1,
        r#" be updated in-place
  ~ resource "t" "a" {
        id       = "i"
      ~ rules    = [
            # (1 ignored element hidden)
          ~ {
              ~ port = 2 -> 3
                # (1 ignored attribute hidden)
            },
        ]
      ~ size     = 1 -> 2
        # (1 ignored attribute hidden)
    }

Plan: 0 to add, 1 to change, 0 to destroy.

Ignored: 2 updates, 1 output, 1 change outside of ignored paths only (tags_all, rules.note, output.url)
  t.b
  t.c
  t.c
  output.url
"#
    );
    let plan = document.to_string();
    let parsed = Document::parse(&plan).unwrap();
    let schemas = Schemas::none();
    let report = Report::new(&parsed, &schemas, &Options::default(), &filter(&ignored)).unwrap();
    assert_eq!((report.counts.update, report.counts.outputs, report.counts.drift), (1, 0, 0));
    let mut page = Vec::new();
    report.write_markdown(&mut page, &MarkdownOptions::default()).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("### Ignored: updated at ignored paths only\n"), "{page}");
    assert!(page.contains("`t.b`") && page.contains("`rules.note` — an ignored path"), "{page}");
    // Nothing else would change.
    let only = crate::compare::plan(&changes[1..]);
    let shown = text(&only, &["tags_all"], &Options::default());
    assert!(shown.contains("No changes. Only values at ignored paths would change."), "{shown}");
}

/// Thousands of ignored updates are noise: a page counts them and names the paths before everything else, and folds the rest.
#[test]
fn a_page_counts_and_folds_what_is_ignored() {
    let tagged = |index: usize| {
        update(
            &format!("tagged{index}"),
            json!({"tags_all": {"a": "1"}}),
            json!({"tags_all": {"a": "2"}}),
            json!({}),
        )
    };
    let other = |index: usize| update(&format!("o{index}"), json!({"n": 1}), json!({"n": 2}), json!({}));
    for (ignored, others) in [(1_500, 2), (3, 2_000)] {
        let changes: Vec<_> = (0..ignored).map(tagged).chain((0..others).map(other)).collect();
        let plan = plan(&changes).to_string();
        let document = Document::parse(&plan).unwrap();
        let schemas = Schemas::none();
        let report =
            Report::new(&document, &schemas, &Options::default(), &filter(&["tags_all", "x.y"])).unwrap();
        for plain in [false, true] {
            let options = MarkdownOptions { plain, ..MarkdownOptions::default() };
            let mut page = Vec::new();
            report.write_markdown(&mut page, &options).unwrap();
            let page = String::from_utf8(page).unwrap();
            let note =
                format!("\n**Ignored**: {ignored} updates of ignored paths only (`tags_all`, `x.y`)\n");
            assert!(page.find(&note).is_some_and(|at| at < page.find("### ").unwrap()), "{page:.2000}");
            assert!(!page.contains("tags_all ="), "{page}");
            if others == 2 {
                // So many are not all listed, and nothing is left out for want of room.
                let title = match plain {
                    true => format!("**{ignored} updates, 20 of them listed: {ignored} of `t`**\n"),
                    false => format!(
                        "<details><summary>{ignored} updates, 20 of them listed: {ignored} of <code>t</code></summary>\n\n\
                         **Update** `t.tagged"
                    ),
                };
                assert!(page.contains(&title), "{page:.2000}");
                assert_eq!(page.matches("`t.tagged").count(), 20, "{page:.2000}");
                assert!(page.len() < 3_000 && !page.contains("Left out"), "{page}");
                assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
            }
        }
    }
}
