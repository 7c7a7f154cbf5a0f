//! Documents that are large in one dimension are shown like small ones.

use std::fmt::Write;

use objchange_document::{Document, Plan, Schemas, State};
use objchange_plan::report::ShowError;
use objchange_plan::{Filter, Options, Report, render_plan, render_state};

/// As the threads of a server may have it.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap().join().unwrap();
}

fn resource(name: usize, values: &str) -> String {
    format!(r#"{{"address":"t.r{name}","mode":"managed","type":"t","name":"r{name}","values":{values}}}"#)
}

fn state_of(module: &str) -> String {
    format!(r#"{{"format_version":"1.0","values":{{"root_module":{module}}}}}"#)
}

fn show_state(document: &str) -> String {
    render_state(&State::parse(document).unwrap(), &Schemas::none(), &Options::default()).unwrap()
}

#[test]
fn modules_may_nest_as_deeply_as_they_like() {
    on_a_small_stack(|| {
        const LEVELS: usize = 20_000;
        let mut module = String::new();
        for level in 0..LEVELS {
            // Whichever of the two comes first in the document.
            let resources = format!(r#""resources":[{}]"#, resource(level, "{}"));
            match level % 2 {
                0 => write!(module, r#"{{{resources},"child_modules":["#).unwrap(),
                _ => module.push_str(r#"{"child_modules":["#),
            }
        }
        module.push_str("{}");
        for level in (0..LEVELS).rev() {
            match level % 2 {
                0 => module.push_str("]}"),
                _ => write!(module, r#"],"resources":[{}]}}"#, resource(level, "{}")).unwrap(),
            }
        }
        let document = state_of(&module);
        assert!(matches!(Document::parse(&document), Ok(Document::State(_))));
        let state = State::parse(&document).unwrap();
        assert!(
            state
                .resources
                .iter()
                .enumerate()
                .all(|(i, r)| r.module == i && *r.address == *format!("t.r{i}"))
        );
        let text = show_state(&document);
        let expected: Vec<_> =
            (0..LEVELS).map(|i| format!("# t.r{i}:\nresource \"t\" \"r{i}\" {{}}\n")).collect();
        assert!(text == expected.join("\n\n"));
    });
}

#[test]
fn of_a_repeated_list_of_modules_the_last_one_counts() {
    let (a, b) = (resource(1, "{}"), resource(2, "{}"));
    let document = state_of(&format!(
        r#"{{"child_modules":[{{"child_modules":[{{"resources":[{a}]}}]}}],"child_modules":[{{}},{{"resources":[{b}]}}]}}"#
    ));
    let state = State::parse(&document).unwrap();
    let found: Vec<_> = state.resources.iter().map(|r| (r.address.as_str(), r.module)).collect();
    assert_eq!(found, [("t.r2", 2)]);
}

#[test]
fn values_that_nest_too_deeply_are_refused() {
    on_a_small_stack(|| {
        for levels in [201, 1_000_000] {
            let values = format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
            let document = state_of(&format!(r#"{{"resources":[{}]}}"#, resource(0, &values)));
            let state = State::parse(&document).unwrap();
            let error = render_state(&state, &Schemas::none(), &Options::default()).unwrap_err();
            assert!(error.to_string().contains("nest too deeply (more than 200 levels)"), "{error}");
        }
    });
}

fn change(name: usize, action: &str, before: &str, after: &str, more: &str) -> String {
    format!(
        r#"{{"address":"t.r{name}","mode":"managed","type":"t","name":"r{name}","change":{{"actions":[{action}],"before":{before},"after":{after}{more}}}}}"#
    )
}

fn show_plan(members: &str) -> String {
    let document = format!(r#"{{"format_version":"1.2","applyable":true,{members}}}"#);
    render_plan(&Plan::parse(&document).unwrap(), &Schemas::none(), &Options::default()).unwrap()
}

#[test]
fn drift_is_shown_as_far_as_an_attribute_of_the_resource_is_relevant() {
    const RESOURCES: usize = 3_000;
    let drift = |i| change(i, r#""update""#, r#"{"a":"1","b":"1"}"#, r#"{"a":"2","b":"2"}"#, "");
    let drifts: Vec<_> = (0..RESOURCES).map(drift).collect();
    // Every third by its own path, every third by one of another resource's alone.
    let relevant = |i: usize| match i % 3 {
        0 => format!(r#"{{"resource":"t.r{i}","attribute":["a"]}}"#),
        1 => format!(r#"{{"resource":"t.r{i}","attribute":["c"]}}"#),
        _ => format!(r#"{{"resource":"t.x{i}","attribute":["b"]}}"#),
    };
    let relevants: Vec<_> = (0..RESOURCES).map(relevant).collect();
    let members = format!(
        r#""resource_drift":[{}],"relevant_attributes":[{}],"resource_changes":[{}]"#,
        drifts.join(","),
        relevants.join(","),
        change(0, r#""create""#, "null", "{}", ""),
    );
    let text = show_plan(&members);
    assert_eq!(text.matches("has changed").count(), RESOURCES / 3);
    assert_eq!(text.matches(r#"~ a = "1" -> "2""#).count(), RESOURCES / 3);
    assert_eq!(text.matches("# (1 unchanged attribute hidden)").count(), RESOURCES / 3);
    // One that names no resource holds for all.
    let members = members.replacen(r#""resource":"t.x2""#, r#""resource":"""#, 1);
    let text = show_plan(&members);
    assert_eq!(text.matches(r#"~ a = "1" -> "2""#).count(), RESOURCES / 3);
    assert_eq!(text.matches(r#"~ b = "1" -> "2""#).count(), RESOURCES);
}

#[test]
fn each_path_forces_the_replacement_at_its_own_place() {
    const ELEMENTS: usize = 3_000;
    let value = |of: &str| {
        let members: Vec<_> = (0..ELEMENTS).map(|i| format!(r#""k{i:04}":"{of}{i}""#)).collect();
        format!(r#"{{"m":{{{}}}}}"#, members.join(","))
    };
    let paths: Vec<_> = (0..ELEMENTS).rev().step_by(2).map(|i| format!(r#"["m","k{i:04}"]"#)).collect();
    let more = format!(r#","replace_paths":[{}]"#, paths.join(","));
    let schemas = Schemas::parse(
        r#"{"format_version":"1.0","provider_schemas":{"p":{"resource_schemas":{"t":{"version":0,"block":{"attributes":{"m":{"type":["map","string"],"optional":true}}}}}}}}"#,
    )
    .unwrap();
    let change = change(0, r#""delete","create""#, &value("a"), &value("b"), &more)
        .replace(r#""type":"t""#, r#""type":"t","provider_name":"p""#);
    let document = format!(r#"{{"format_version":"1.2","resource_changes":[{change}]}}"#);
    let text = render_plan(&Plan::parse(&document).unwrap(), &schemas, &Options::default()).unwrap();
    for i in 0..ELEMENTS {
        let suffix = if i % 2 == 1 { " # forces replacement" } else { "" };
        let line = format!("~ \"k{i:04}\" = \"a{i}\" -> \"b{i}\"{suffix}\n");
        assert!(text.contains(&line), "{line}");
    }
}

/// Remembers the largest piece that was written, and what was written last.
#[derive(Default)]
struct Pieces {
    largest: usize,
    total: usize,
}

impl std::io::Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        self.largest = self.largest.max(piece.len());
        self.total += piece.len();
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn text_is_passed_on_while_the_rest_of_the_document_is_still_to_be_read() {
    let element = |i: usize| format!(r#""key {i}":"value {i}""#);
    let wide = format!(r#"{{"m":{{{}}}}}"#, (0..30_000).map(element).collect::<Vec<_>>().join(","));
    let unreadable = format!(r#"{{"a":{}{}}}"#, "[".repeat(300), "]".repeat(300));
    let changes = [
        change(0, r#""create""#, "null", &wide, ""),
        change(1, r#""create""#, "null", &wide, ""),
        change(2, r#""create""#, "null", &unreadable, ""),
    ];
    let document = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","));
    let document = Document::parse(&document).unwrap();
    let (schemas, options) = (Schemas::none(), Options::default());
    let report = Report::new(&document, &schemas, &options, &Filter::default()).unwrap();
    type Print<'r> = &'r dyn Fn(&mut Pieces) -> Result<(), ShowError>;
    let printers: [Print<'_>; 2] = [&|out| report.write_text(out, &options), &|out| report.write_json(out)];
    for print in printers {
        let mut pieces = Pieces::default();
        let error = print(&mut pieces).unwrap_err();
        assert!(error.to_string().contains("nest too deeply"), "{error}");
        assert!(pieces.total > 2 * 30_000 * 20, "{}", pieces.total);
        // The text that waits, and what one element adds to it.
        assert!(pieces.largest < 80_000, "{}", pieces.largest);
    }
}
