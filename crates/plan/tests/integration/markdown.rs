//! Markdown pages: what is on them, that no value becomes markup, and that they fit.

use objchange_plan::{Document, Filter, MarkdownOptions, Options, Report, Schemas};
use proptest::prelude::*;
use pulldown_cmark::{CowStr, Event, Parser, Tag, TagEnd};
use serde_json::{Value, json};

fn page(plan: &str, options: &MarkdownOptions<'_>) -> String {
    let (document, schemas) = (Document::parse(plan).unwrap(), Schemas::none());
    let report = Report::of(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
    let mut out = Vec::new();
    report.write_markdown(&mut out, options).unwrap();
    String::from_utf8(out).unwrap()
}

fn resource(address: &str, module: Option<&str>, actions: &[&str], before: &Value, after: &Value) -> Value {
    json!({"address": address, "module_address": module, "mode": "managed", "type": "a_b", "name": "c",
        "provider_name": "registry.terraform.io/x/a", "change": {"actions": actions, "before": before, "after": after}})
}

/// A plan with something in each section, and this text at each place that a document can have it.
pub(crate) fn plan(text: &str) -> String {
    plan_with(text, &text.chars().take(20).collect::<String>())
}

/// The same with this word as an action. Those that are not known are kept, and not more than a few hundred.
pub(crate) fn plan_with(text: &str, action: &str) -> String {
    let value = json!({"id": text, "note": [text], "tags": {text: text}});
    let mut replaced =
        resource(text, None, &["delete", "create"], &json!({"ami": text}), &json!({"ami": "x"}));
    replaced["change"]["replace_paths"] = json!([["ami"]]);
    let mut moved = resource(text, Some(text), &["no-op"], &value, &value);
    moved["previous_address"] = format!("old {text}").into();
    let mut imported = resource(text, None, &["no-op"], &value, &value);
    imported["change"]["importing"] = json!({"id": text});
    let mut read = resource(text, Some(text), &["read"], &Value::Null, &value);
    read["mode"] = "data".into();
    read["action_reason"] = text.into();
    let mut deposed = resource(text, Some(text), &["delete"], &value, &Value::Null);
    deposed["deposed"] = text.into();
    let deferred = resource(text, None, &["create"], &Value::Null, &value);
    json!({
        "format_version": "1.2",
        "resource_changes": [
            resource(text, None, &["create"], &Value::Null, &value),
            resource(text, None, &["forget"], &value, &Value::Null),
            resource(text, Some("module.other"), &["update"], &json!({"id": text}), &json!({"id": "x"})),
            resource(text, None, &[action], &value, &value),
            replaced, moved, imported, read, deposed,
        ],
        "resource_drift": [resource(text, None, &["update"], &json!({"id": "x"}), &value)],
        "deferred_changes": [{"reason": text, "resource_change": deferred}],
        "output_changes": {text: {"actions": ["create"], "before": null, "after": text, "after_unknown": false}},
        "action_invocations": [{"address": text, "type": text, "name": text, "config_values": value,
            "invoke_action_trigger": {}}],
        "checks": [
            {"address": {"to_display": text}, "status": "fail", "instances": [{"problems": [{"message": text}]}]},
            {"address": {"to_display": text}, "status": "unknown"},
            {"address": {"to_display": "check.passed"}, "status": "pass"},
        ],
    })
    .to_string()
}

/// What a page is made of: all but its text.
fn structure(page: &str) -> Vec<String> {
    let mut structure = Vec::new();
    let mut in_code = false;
    for event in Parser::new_ext(page, pulldown_cmark::Options::all()) {
        structure.push(match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                in_code = true;
                format!("code block {kind:?}")
            }
            Event::End(TagEnd::CodeBlock) => {
                in_code = false;
                "code block ends".to_owned()
            }
            Event::Text(_) if in_code => continue,
            // Text comes in pieces.
            Event::Text(_) if structure.last().is_some_and(|last| last == "text") => continue,
            Event::Text(_) => "text".to_owned(),
            Event::Code(_) => "code".to_owned(),
            Event::Html(html) => tags(&html),
            other => format!("{other:?}"),
        });
    }
    structure
}

/// The tags of a line of HTML, without its text.
fn tags(html: &CowStr<'_>) -> String {
    html.split('<').skip(1).map(|tag| tag.split_inclusive('>').next().unwrap_or_default()).collect()
}

const HOSTILE: [&str; 20] = [
    "`",
    "```",
    "````\n```diff\n+ x",
    "</code></summary></details><script>alert(1)</script>",
    "@octocat",
    "#1 GH-1 a/b#2",
    "[x](https://x.example)",
    "![x](https://x.example/y.png)",
    "https://x.example www.x.example a@x.example",
    "| a | b |",
    "\\",
    "\\`",
    "<!-- -->",
    "--> x",
    "&lt;b&gt; &#64;",
    "**x** _y_ ~~z~~",
    "- [ ] x\n# y\n> z",
    "\n+ b\n- c\n",
    "\u{202e}x",
    ":+1: $x$",
];

#[test]
fn a_page() {
    let options = MarkdownOptions {
        title: Some("Plan of *net*"),
        link: Some("https://ci.example/run/7"),
        marker: Some("net"),
        ..Default::default()
    };
    insta::assert_snapshot!(page(&plan("y"), &options));
}

#[test]
fn nothing_that_a_document_holds_becomes_markup() {
    let plain = structure(&page(&plan("x.y"), &MarkdownOptions::default()));
    for text in HOSTILE {
        let page = page(&plan(text), &MarkdownOptions::default());
        assert_eq!(structure(&page), plain, "{text}\n{page}");
        assert!(!page.contains(['\u{202e}', '\u{1b}']), "{page}");
    }
}

#[test]
fn the_sign_of_a_line_is_in_its_first_column() {
    let page = page(&plan("x\n+ y"), &MarkdownOptions::default());
    let signs = ["-/+ resource", "-       ", "+   resource", "!       ", "<=  data"];
    for sign in signs {
        assert!(page.lines().any(|line| line.starts_with(sign)), "{sign}\n{page}");
    }
    assert!(!page.lines().any(|line| line.starts_with("+ y")), "{page}");
}

#[test]
fn a_title_a_link_and_a_marker_stay_what_they_are() {
    let options = MarkdownOptions {
        title: Some("<b>`x`"),
        link: Some("https://x.example/)<b>"),
        marker: Some("--><b>"),
        ..Default::default()
    };
    let page = page(r#"{"format_version":"1.2","resource_changes":[]}"#, &options);
    let expected = "<!-- objchange:____b_ -->\n## \\<b\\>\\`x\\`: nothing to change\n";
    assert!(page.starts_with(expected), "{page}");
    assert!(page.contains("(https://x.example/%29%3Cb%3E)"), "{page}");
}

/// A plan of so many resources, those that are destroyed in the end.
pub(crate) fn large(count: usize) -> String {
    let changes: Vec<_> = (0..count)
        .map(|index| {
            let (address, module) =
                (format!("module.m{}.a_b.c[{index}]", index % 7), format!("module.m{}", index % 7));
            let value = json!({"id": "x".repeat(40)});
            match index % 3 {
                0 => resource(&address, Some(&module), &["create"], &Value::Null, &value),
                1 => resource(&address, Some(&module), &["update"], &value, &json!({"id": "y"})),
                _ => resource(&address, Some(&module), &["delete"], &value, &Value::Null),
            }
        })
        .collect();
    json!({"format_version": "1.2", "resource_changes": changes}).to_string()
}

#[test]
fn what_is_destroyed_is_the_last_to_be_left_out() {
    let options = MarkdownOptions { max_length: 10_000, ..Default::default() };
    let page = page(&large(300), &options);
    assert!(page.encode_utf16().count() <= 10_000);
    assert_eq!(page.matches("**Destroy**").count(), 100, "{page}");
    assert!(page.contains("Left out, to stay within 10000 characters: "), "{page}");
    assert!(page.contains("-   resource \"a_b\" \"c\" {") && !page.contains("+   resource"), "{page}");
    let all = page_of_all(300);
    assert_eq!((all.matches("**Create**").count(), all.contains("Left out")), (100, false));
}

fn page_of_all(count: usize) -> String {
    page(&large(count), &MarkdownOptions { max_length: usize::MAX, ..Default::default() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_text_is_inert(text in "[ -~\n\t`|<>\u{85}\u{2028}]{0,40}") {
        let options = MarkdownOptions::default();
        // What could only be words is not written as code.
        let found = page(&plan_with(&format!(".{text}"), "x.y"), &options);
        prop_assert_eq!(structure(&found), structure(&page(&plan("x.y"), &options)), "{}", found);
    }

    /// Each address is on the page, or the page says that something is left out.
    #[test]
    fn a_page_fits(count in 0..200_usize, max_length in MarkdownOptions::MIN_LENGTH..40_000) {
        let found = page(&large(count), &MarkdownOptions { max_length, ..Default::default() });
        prop_assert!(found.encode_utf16().count() <= max_length, "{}", found);
        let is_there = |index: usize| found.contains(&format!("** `module.m{}.a_b.c[{index}]`", index % 7));
        prop_assert!((0..count).all(is_there) || found.contains("Left out"), "{}", found);
    }

    #[test]
    fn the_shortest_page_has_room_for_any_text(text in "[`<\u{85}\\\\]{900,1000}") {
        let options = MarkdownOptions {
            title: Some(&text),
            link: Some(&format!("https://{text}")),
            marker: Some(&text),
            max_length: MarkdownOptions::MIN_LENGTH,
        };
        let found = page(&plan_with(&text, "x.y"), &options);
        prop_assert!(found.encode_utf16().count() <= MarkdownOptions::MIN_LENGTH, "{}", found);
    }
}
