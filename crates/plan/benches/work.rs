//! How much work a report takes for each part of the objects in a plan, beside the least that must be done:
//! `cargo bench -p objchange-plan --bench work`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is what this is for")]

use std::hint::black_box;
use std::io::sink;
use std::process::ExitCode;

use objchange_document::{Document, Schemas};
use objchange_plan::{Filter, Options, Report};

#[path = "../../../benches/counted/mod.rs"]
mod counted;
#[allow(dead_code, reason = "it has more shapes than are counted here")]
mod documents;

use counted::Counted;

const COUNTED: Counted = Counted {
    shapes: &[
        ("resources", &[10, 1_000]),
        ("list", &[10, 1_000, 10_000]),
        ("shifted", &[10, 1_000, 10_000]),
        ("set", &[10, 1_000, 3_000]),
    ],
    operations: &["least", "Document::parse", "Report::new", "write_text"],
    parts: |shape, n| {
        let objects = objects(&document(shape, n)?.plan)?;
        Some(objects.iter().flatten().map(parts).sum())
    },
    run,
};

fn document(shape: &str, n: usize) -> Option<documents::Document> {
    Some(match shape {
        "resources" => documents::of_every_action("resources", n),
        "list" => documents::list_in_place("list", n),
        "shifted" => documents::list_shifted("shifted", n),
        "set" => documents::set_block("set", n),
        _ => return None,
    })
}

/// The objects before and after each change. To compare the two and to copy the second is the least work for an answer that
/// shares nothing with its input.
fn objects(plan: &str) -> Option<Vec<[serde_json::Value; 2]>> {
    let mut plan: serde_json::Value = serde_json::from_str(plan).ok()?;
    let changes = plan["resource_changes"].as_array_mut()?;
    Some(
        changes
            .iter_mut()
            .map(|entry| ["before", "after"].map(|side| entry["change"][side].take()))
            .collect(),
    )
}

/// The number of members and elements, at every depth.
fn parts(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(elements) => elements.iter().map(|part| 1 + parts(part)).sum(),
        serde_json::Value::Object(members) => members.values().map(|part| 1 + parts(part)).sum(),
        _ => 0,
    }
}

fn run(operation: &str, shape: &str, n: usize, times: usize) -> Option<()> {
    let made = document(shape, n)?;
    let objects = objects(&made.plan)?;
    let schemas = Schemas::parse(made.schemas.as_str()).ok()?;
    let (document, options) = (Document::parse(&made.plan).ok()?, Options::default());
    let report = || Report::new(&document, &schemas, &options, &Filter::default()).ok();
    // The schemas of its types are parsed with the first report.
    let first = report()?;
    for _ in 0..times {
        match operation {
            "least" => {
                for [before, after] in &objects {
                    black_box(black_box(before) == black_box(after));
                    drop(black_box(black_box(after).clone()));
                }
            }
            "Document::parse" => drop(black_box(Document::parse(black_box(&made.plan)).ok()?)),
            "Report::new" => drop(black_box(report()?)),
            "write_text" => first.write_text(&mut sink(), &options).ok()?,
            _ => return None,
        }
    }
    Some(())
}

fn main() -> ExitCode {
    COUNTED.main()
}
