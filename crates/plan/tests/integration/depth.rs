//! However deeply values nest, and JSON in strings in them, the stack of a small thread holds all that is done
//! with them.

use std::thread;

use objchange_document::json::MAX_DEPTH;
use objchange_document::{Document, Schemas};
use objchange_plan::report::Section;
use objchange_plan::{Colour, Filter, Options, Report};
use serde_json::{Value as Json, json};

/// The stack that a thread of Rust has unless told otherwise.
const STACK: usize = 2 << 20;

type Wrap = fn(&str, usize) -> String;

fn arrays(inner: &str, levels: usize) -> String {
    format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels))
}

fn objects(inner: &str, levels: usize) -> String {
    format!("{}{inner}{}", r#"{"a":"#.repeat(levels), "}".repeat(levels))
}

/// JSON strings in JSON strings, each of so many levels.
fn layers(wrap: Wrap, inner: &str, layers: usize, levels: usize) -> String {
    (0..layers).fold(inner.to_owned(), |inner, _| wrap(&Json::from(inner).to_string(), levels))
}

/// A plan that changes `before` into `after`, as an output and as an attribute of a resource.
fn plan(before: &str, after: &str, unknown: &str, sensitive: &str) -> String {
    let change = |before: &str, after: &str, unknown: &str, sensitive: &str| {
        format!(
            r#"{{"actions":["update"],"before":{before},"after":{after},"after_unknown":{unknown},
            "before_sensitive":{sensitive},"after_sensitive":{sensitive}}}"#
        )
    };
    let output = change(before, after, unknown, sensitive);
    let member = |value: &str| format!(r#"{{"d":{value}}}"#);
    let resource = change(&member(before), &member(after), &member(unknown), &member(sensitive));
    format!(
        r#"{{"format_version":"1.2","output_changes":{{"o":{output}}},"resource_changes":[{{"address":"t_x.a",
        "mode":"managed","type":"t_x","name":"a","provider_name":"p","change":{resource}}}]}}"#
    )
}

fn schemas() -> Schemas {
    let block = json!({"attributes": {"d": {"type": "dynamic", "optional": true}}});
    let provider = json!({"resource_schemas": {"t_x": {"version": 0, "block": block}}});
    Schemas::parse(json!({"format_version": "1.0", "provider_schemas": {"p": provider}}).to_string()).unwrap()
}

/// Everything that is done with a plan, on a small stack; gives what is shown.
fn shown(plan: String) -> String {
    let work = move || {
        let document = Document::parse(&plan).unwrap();
        let mut out = Vec::new();
        for schemas in [schemas(), Schemas::none()] {
            for (colour, full) in [(Colour::Always, true), (Colour::Never, false)] {
                out.clear();
                let options = Options { colour, full, ..Options::default() };
                let report = Report::new(&document, &schemas, &options, &Filter::default()).unwrap();
                report.write_text(&mut out, &options).unwrap();
                let mut data = Vec::new();
                report.write_json(&mut data).unwrap();
                report.write_summary(&mut data, colour, Default::default()).unwrap();
                assert!(!format!("{report:?}").is_empty());
                for section in &report.sections {
                    let Section::ResourceChanges(entries) = section else { continue };
                    let diff = entries.iter().next().unwrap().unwrap().diff.clone();
                    assert_eq!(diff.clone().into_owned(), diff);
                }
            }
        }
        String::from_utf8(out).unwrap()
    };
    thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap()
}

#[test]
fn values_may_be_as_deep_as_documents() {
    // A resource holds its attributes, so that they have a level less.
    let levels = MAX_DEPTH - 1;
    for wrap in [arrays as Wrap, objects] {
        let (before, after) = (wrap("1", levels), wrap("2", levels));
        assert!(shown(plan(&before, &after, "{}", "{}")).contains("1 -> 2"));
        let unknown = wrap("true", levels);
        assert!(shown(plan(&before, &unknown, "{}", "{}")).contains("1 -> true"));
        assert!(shown(plan(&before, &after, &unknown, "{}")).contains("1 -> (known after apply)"));
        let sensitive = wrap("true", levels - 50);
        assert!(shown(plan(&before, &after, "{}", &sensitive)).contains("(sensitive value)"));
    }
}

#[test]
fn json_in_strings_is_as_deep_as_what_is_around_it_allows() {
    // Each quote takes twice as much room in the next layer, and objects have one in each level.
    let shapes: [(Wrap, usize, &[usize]); 2] =
        [(arrays, 15, &[1, 12, 50, 190, MAX_DEPTH]), (objects, 8, &[1, 24, 190])];
    for (wrap, count, levels) in shapes {
        for levels in levels {
            let text = |inner| Json::from(layers(wrap, inner, count, *levels)).to_string();
            let as_output = shown(plan(&text("1"), &text("2"), "{}", "{}"));
            // A layer has its levels, and is one itself; an attribute is in its resource.
            let fit = |around: usize| ((MAX_DEPTH - around) / (levels + 1)).min(count);
            assert_eq!(as_output.matches("jsonencode(").count(), fit(0) + fit(1), "{count} of {levels}");
        }
    }
}
