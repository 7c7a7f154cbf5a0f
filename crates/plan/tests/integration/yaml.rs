//! YAML in strings, compared as documents.

use objchange_document::{Document, Schemas};
use objchange_plan::{Filter, Options, Report};
use proptest::prelude::*;
use serde_json::json;

use crate::report;

/// The text of a plan that updates a string, with YAML compared as documents.
fn text(before: &str, after: &str, own_format: bool) -> String {
    let plan = json!({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": [{
        "address": "a_b.c", "mode": "managed", "type": "a_b", "name": "c", "provider_name": "registry.terraform.io/x/a",
        "change": {"actions": ["update"], "before": {"doc": before}, "after": {"doc": after}, "after_unknown": {}}}]})
    .to_string();
    let options = Options { own_format, ..Options::default() };
    let document = Document::parse(&plan).unwrap();
    let schemas = Schemas::none();
    let report = Report::new(&document, &schemas, &options, &Filter::default()).unwrap();
    report::text(&report, &options).unwrap()
}

const BEFORE: &str = "\
# Values of the chart.
image: web:1
ports: [80, 443]
limits:
  cpu: 0.5
  memory: \"512\"
env:
  - name: A
    value: |
      first
      second
  - name: B
";

#[test]
fn what_differs_in_documents_is_shown() {
    let after =
        BEFORE.replace("web:1", "web:2").replace("443", "8443").replace("name: B", "name: B\n    value: 7");
    insta::assert_snapshot!(text(BEFORE, &after, true));
    // Indentation and order say nothing.
    let same = "# Values of the chart.\nports:\n- 80\n- 443\nimage: web:2\nlimits: {memory: '512', cpu: 0.5}\nenv:\n- name: A\n  \
                value: \"first\\nsecond\\n\"\n- {name: B}\n";
    let text = text(BEFORE, same, true);
    assert_eq!(text.lines().filter(|line| line.contains("-> \"web:2\"")).count(), 1, "{text}");
    assert!(text.contains("unchanged") && !text.contains("443"), "{text}");
}

/// Documents with features that JSON lacks are compared by lines.
#[test]
fn other_texts_are_compared_by_their_lines() {
    let pairs = [
        ("comments", "# a\nx: 1\ny: 2\n", "# b\nx: 2\ny: 2\n"),
        ("tags", "x: !Ref a\ny: 2\n", "x: !Ref b\ny: 2\n"),
        ("anchors", "x: &a 1\ny: *a\n", "x: &a 2\ny: *a\n"),
        ("merged", "x: {a: 1}\n<<: {b: 2}\n", "x: {a: 2}\n<<: {b: 2}\n"),
        ("the same name twice", "x: 1\nx: 2\n", "x: 1\nx: 3\n"),
        ("a name that is no scalar", "? [a]\n: 1\n", "? [a]\n: 2\n"),
        ("two documents", "x: 1\n---\nx: 2\n", "x: 1\n---\nx: 3\n"),
        ("a scalar", "a\nb\n", "a\nc\n"),
        ("no YAML", "#!/bin/sh\nif [ a ]: {\n", "#!/bin/sh\nif [ b ]: {\n"),
        ("one line", "x: 1", "x: 2"),
    ];
    for (what, before, after) in pairs {
        assert_eq!(text(before, after, true), text(before, after, false), "{what}");
    }
    let terraform = text(BEFORE, &BEFORE.replace("web:1", "web:2"), false);
    assert!(terraform.contains("<<-EOT"), "{terraform}");
}

#[test]
fn scalars_are_what_they_are_in_json() {
    let scalars =
        ["1", "\"1\"", "1.5", "true", "\"true\"", "null", "~", "yes", "0x1f", ".inf", "2024-01-01", "''"];
    for before in scalars {
        for after in scalars {
            let text = text(&format!("x: {before}\ny: 2\n"), &format!("x: {after}\ny: 3\n"), true);
            assert!(
                text.contains("yamlencode(") && text.contains("~ y = 2 -> 3"),
                "{before} {after}: {text}"
            );
            let is_same =
                before == after || [before, after].iter().all(|scalar| ["null", "~"].contains(scalar));
            assert_eq!(text.contains(" x ="), !is_same, "{before} {after}: {text}");
        }
    }
}

proptest! {
    /// Whatever is in a string, a change of it is seen.
    #[test]
    fn a_change_is_always_shown(
        before in prop::collection::vec("[-?:,#&*!|>'\"%@`{}\\[\\] ~a1\n\t]{0,12}", 1..6),
        after in prop::collection::vec("[-?:,#&*!|>'\"%@`{}\\[\\] ~a1\n\t]{0,12}", 1..6),
    ) {
        let (before, after) = (before.join("\n"), after.join("\n"));
        let text = text(&before, &after, true);
        prop_assert_eq!(text.contains("1 to change"), true, "{}", text);
        let changed = text.lines().filter(|line| !line.contains("will be updated") && !line.contains("resource \""));
        let is_change = |line: &str| line.trim_start().starts_with(['~', '+', '-']);
        // White space around a text of several lines is not shown.
        prop_assert!(before.trim() == after.trim() || changed.into_iter().any(is_change), "{:?} {:?}: {}", before, after, text);
    }
}
