//! The outline of a page, for screens that show one item at a time.

use std::fs;
use std::path::Path;

use objchange_document::{Document, Schemas};
use objchange_plan::render::{DiffLines, DiffRole, OutlineNode};
use objchange_plan::report::ShowError;
use objchange_plan::{Filter, Options, Outline, Report};
use proptest::prelude::*;
use serde_json::json;

use crate::plans::plan;

/// Everything that a screen can show of a report, as text.
pub(crate) fn shown(report: &Report<'_>) -> Result<String, ShowError> {
    let outline = report.outline();
    let mut out = format!("{}\n", outline.title);
    for sentence in &outline.sentences {
        out += &format!("{sentence}\n");
    }
    for filter in outline.filters() {
        out += &format!("[{}: {}]\n", filter.title, filter.count);
    }
    for (number, section) in outline.sections.iter().enumerate() {
        out += &format!("\n== {}\n", section.title);
        modules(&section.modules(), 0, &mut out);
        let items = outline.items.iter().enumerate().filter(|(_, item)| item.section == number);
        for (index, item) in items {
            let line: String = item.line.iter().map(|piece| piece.shown()).collect();
            out += &format!("-- {:3} {} | {line}\n", item.sign, outline.label(item));
            out += &lines(&outline.diff(index)?);
        }
    }
    Ok(out)
}

fn modules(nodes: &[OutlineNode<'_>], depth: usize, out: &mut String) {
    for node in nodes {
        let label = objchange_text::visible(node.label);
        *out += &format!("{}{label}: {}\n", "  ".repeat(depth + 1), node.module.counts());
        modules(&node.inside, depth + 1, out);
    }
}

/// The lines of a diff, those that can be unfolded further to the right.
fn lines(diff: &DiffLines) -> String {
    let mut out = String::new();
    let mut ends = Vec::new();
    for (index, line) in diff.iter().enumerate() {
        ends.retain(|end| *end > index);
        out += &format!("{}|{}\n", "> ".repeat(ends.len()), line.text);
        if line.unfolds > 0 {
            ends.push(index + 1 + line.unfolds);
        }
    }
    out
}

fn with_outline<R>(plan: &str, schemas: &Schemas, test: impl FnOnce(&Outline<'_, '_>) -> R) -> R {
    let document = Document::parse(plan).unwrap();
    let report = Report::new(&document, schemas, &Options::default(), &Filter::default()).unwrap();
    test(&report.outline())
}

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

#[test]
fn the_examples() {
    let schemas = Schemas::parse(example("terraform_data/schemas.json")).unwrap();
    for (name, schemas) in [
        ("fleet/web.json", Schemas::none()),
        ("terraform_data/plan.json", schemas),
        ("aws_instance/terraform.tfstate", Schemas::none()),
    ] {
        let text = example(name);
        let document = Document::parse(&text).unwrap();
        let report = Report::new(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
        insta::assert_snapshot!(name.replace(['/', '.'], "_"), shown(&report).unwrap());
    }
}

#[test]
fn every_kind_of_thing_is_listed() {
    with_outline(&plan("y"), &Schemas::none(), |outline| {
        let titles: Vec<_> = outline.sections.iter().map(|section| section.title).collect();
        insta::assert_snapshot!(titles.join("\n"));
        let total: usize = outline.filters().iter().map(|filter| filter.count).sum();
        assert_eq!(total, outline.items.len());
        for (index, item) in outline.items.iter().enumerate() {
            assert_eq!(outline.diff(index).unwrap().is_empty(), !item.has_diff(), "{item:?}");
            let matching = outline.filters().iter().filter(|filter| filter.matches(item)).count();
            assert_eq!(matching, 1, "{item:?}");
        }
    });
}

#[test]
fn modules_are_inside_of_each_other_and_what_is_destroyed_comes_first() {
    let resource = |module: &str, action: &str| {
        let address = format!("{module}.a_b.c");
        json!({"address": address, "module_address": module, "mode": "managed", "type": "a_b", "name": "c",
            "change": {"actions": [action], "before": {"id": "x"}, "after": null}})
    };
    let plan = json!({"format_version": "1.2", "resource_changes": [
        resource("module.a", "update"),
        resource("module.b", "update"),
        resource("module.b.module.c[0]", "delete"),
        resource("module.b.module.c[0].module.d", "update"),
        resource("module.bb", "update"),
    ]});
    with_outline(&plan.to_string(), &Schemas::none(), |outline| {
        let mut tree = String::new();
        modules(&outline.sections[0].modules(), 0, &mut tree);
        let expected = "  module.b: 1 to update
    module.c[0]: 1 to destroy
      module.d: 1 to update
  module.a: 1 to update
  module.bb: 1 to update
";
        assert_eq!(tree, expected);
        assert_eq!((&*outline.label(&outline.items[0]), outline.items[0].is_loss), ("a_b.c", true));
    });
}

/// Unchanged parts can be unfolded, at every depth.
#[test]
fn unchanged_parts_are_below_the_line_that_counts_them() {
    let plan = json!({"format_version": "1.2", "resource_changes": [{"address": "a_b.c", "mode": "managed",
        "type": "a_b", "name": "c", "change": {"actions": ["update"],
        "before": {"x": 1, "y": "same", "z": {"k": "same", "l": "\tone\u{1b}"}},
        "after": {"x": 2, "y": "same", "z": {"k": "same", "l": "\tother\u{202e}"}}}}]});
    let text = with_outline(&plan.to_string(), &Schemas::none(), |outline| {
        let diff = outline.diff(0).unwrap();
        assert!(outline.diff(1).unwrap().is_empty());
        lines(&diff)
    });
    insta::assert_snapshot!(text, @r#"
    |  ~ resource "a_b" "c" {
    |      ~ x = 1 -> 2
    |      ~ z = {
    |          ~ l = "\tone\x1b" -> "\tother\u202e"
    |            1 unchanged attribute
    > |            k = "same"
    |        }
    |        1 unchanged attribute
    > |        y = "same"
    |    }
    "#);
}

proptest! {
    /// A line that folds others names lines that exist, and only those that the line around it folds, too.
    #[test]
    fn lines_and_pieces_fit_together(text in "\\PC{0,8}|a\nb|\t|\u{1b}\\[1m") {
        with_outline(&plan(&text), &Schemas::none(), |outline| {
            for index in 0..outline.items.len() {
                let diff = outline.diff(index).unwrap();
                let mut ends = vec![diff.len()];
                for (index, line) in diff.iter().enumerate() {
                    ends.retain(|end| *end > index);
                    let end = index + 1 + line.unfolds;
                    prop_assert!(ends.last().is_some_and(|around| end <= *around));
                    ends.push(end);
                    let pieces: String = line.pieces().map(|(_, piece)| piece).collect();
                    prop_assert_eq!(&pieces, line.text);
                    prop_assert!(!line.text.contains(|c: char| c.is_control() && c != '\t'), "{:?}", line.text);
                    prop_assert!(line.pieces().all(|(role, piece)| !piece.is_empty() && role != DiffRole::Caution));
                }
                let text: String = diff.iter().map(|line| format!("{}\n", line.text)).collect();
                prop_assert_eq!(text, diff.text());
                prop_assert_eq!(diff.get(diff.len()).map(|line| line.text), None);
            }
            Ok(())
        })?;
    }
}
