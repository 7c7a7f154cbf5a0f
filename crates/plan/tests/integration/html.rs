//! HTML pages: their structure, escaping of values, and working links.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

use data_encoding::BASE64;
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use objchange_document::{Document, Schemas};
use objchange_plan::render::{HtmlOptions, Review, ReviewedPlan};
use objchange_plan::{Filter, Options, Report};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::plans::{HOSTILE, large, plan, plan_with};

fn page_of(plan: &str, schemas: &Schemas, options: &HtmlOptions<'_>) -> String {
    let document = Document::parse(plan).unwrap();
    let report = Report::new(&document, schemas, &Options::default(), &Filter::default()).unwrap();
    let mut out = Vec::new();
    report.write_html(&mut out, options).unwrap();
    String::from_utf8(out).unwrap()
}

fn page(plan: &str) -> String {
    page_of(plan, &Schemas::none(), &HtmlOptions::default())
}

fn page_in_our_form(plan: &str) -> String {
    let document = Document::parse(plan).unwrap();
    let (schemas, options) = (Schemas::none(), Options { own_format: true, ..Options::default() });
    let report = Report::new(&document, &schemas, &options, &Filter::default()).unwrap();
    let mut out = Vec::new();
    report.write_html(&mut out, &HtmlOptions::default()).unwrap();
    String::from_utf8(out).unwrap()
}

/// A plan, and so many plain resources more that its page is large.
fn enlarged(plan: &str) -> String {
    let mut plan: Value = serde_json::from_str(plan).unwrap();
    let change = json!({"actions": ["create"], "before": null, "after": {"id": "x"}});
    let more = (0..100)
        .map(|index| json!({"address": format!("z.z[{index}]"), "type": "z", "name": "z", "change": change}));
    plan["resource_changes"].as_array_mut().unwrap().extend(more);
    plan.to_string()
}

/// The texts that the script of a large page makes entries of.
fn inert(page: &str) -> Vec<String> {
    let (mut inert, mut depth_of) = (Vec::new(), None);
    for (depth, node) in nodes_where(page, true) {
        match node {
            Node::Element { name, .. } => depth_of = (name == "noscript").then_some(depth),
            Node::Text(text) if depth_of.is_some_and(|of| depth == of + 1) => inert.push(text),
            Node::Text(_) => {}
        }
    }
    inert
}

/// With a script all entries are texts, without one they are elements, and both are the same whatever a document holds.
#[track_caller]
fn check_inert(page: &str, plain: &str) {
    let outside = |page: &str| {
        let nodes = nodes_where(page, true);
        let elements = nodes.into_iter().filter_map(|(depth, node)| match node {
            Node::Element { name, .. } => Some((depth, name)),
            Node::Text(_) => None,
        });
        elements.collect::<Vec<_>>()
    };
    assert_eq!(outside(page), outside(plain));
    assert_eq!(structure(page), structure(plain));
    let (found, expected) = (inert(page), inert(plain));
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.matches("</article>\n").count(), expected.matches("</article>\n").count());
        assert!(!found.contains(['\u{2028}', '\u{2029}', '\u{0}']) && !found.contains("<!--"), "{found}");
        for entry in found.split_terminator("</article>\n") {
            let tags = |tag: &str| entry.matches(tag).count();
            assert!(entry.starts_with("<article id=\"") && tags("<article") == 1, "{entry}");
            assert!(
                tags("<div class=\"d\">") <= 1 && tags("</div></details>") == tags("<div class=\"d\">"),
                "{entry}"
            );
            assert_eq!(tags("<a class=\"l\""), 1, "{entry}");
        }
    }
    check_links(page);
}

/// The page without the style sheet and the script.
fn without_code(page: &str) -> String {
    let mut page = page.to_owned();
    for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let (start, end) = (page.find(start).unwrap() + start.len(), page.find(end).unwrap());
        let hash = format!("'sha256-{}'", BASE64.encode(&Sha256::digest(&page[start..end])));
        page.replace_range(start..end, "");
        assert_eq!(page.matches(&hash).count(), 1, "the policy has the hash of what may run");
        page = page.replace(&hash, "'sha256-…'");
    }
    page
}

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

#[test]
fn a_page() {
    let options =
        HtmlOptions { title: Some("Plan of <net>"), link: Some("https://ci.example/run/7"), notes: &[] };
    insta::assert_snapshot!(without_code(&page_of(&plan("y"), &Schemas::none(), &options)));
}

#[test]
fn the_examples() {
    let schemas = Schemas::parse(example("terraform_data/schemas.json")).unwrap();
    for (name, schemas) in [
        ("fleet/web.json", Schemas::none()),
        ("terraform_data/plan.json", schemas),
        ("aws_instance/terraform.tfstate", Schemas::none()),
    ] {
        let page = without_code(&page_of(&example(name), &schemas, &HtmlOptions::default()));
        insta::assert_snapshot!(name.replace(['/', '.'], "_"), page);
    }
}

/// An element with its attributes, or text; and how deep it is.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Element { name: String, attributes: Vec<(String, String)> },
    Text(String),
}

/// All that a browser without scripts makes of a page, in its order.
fn nodes(page: &str) -> Vec<(usize, Node)> {
    nodes_where(page, false)
}

/// All that a browser makes of a page, in its order.
fn nodes_where(page: &str, scripting_enabled: bool) -> Vec<(usize, Node)> {
    let tree_builder = TreeBuilderOpts { scripting_enabled, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let dom = parse_document(RcDom::default(), options).one(page);
    assert_eq!(*dom.errors.borrow(), [""; 0], "{page}");
    let mut nodes = Vec::new();
    visit(&dom.document, 0, &mut nodes);
    nodes
}

fn visit(handle: &Handle, depth: usize, nodes: &mut Vec<(usize, Node)>) {
    match &handle.data {
        NodeData::Element { name, attrs, .. } => {
            let attributes = RefCell::borrow(attrs).iter().map(pair).collect();
            nodes.push((depth, Node::Element { name: name.local.to_string(), attributes }));
        }
        NodeData::Text { contents } => nodes.push((depth, Node::Text(contents.borrow().to_string()))),
        NodeData::Comment { .. } | NodeData::ProcessingInstruction { .. } => panic!("there are no comments"),
        NodeData::Document | NodeData::Doctype { .. } => {}
    }
    for child in handle.children.borrow().iter() {
        visit(child, depth + 1, nodes);
    }
}

fn pair(attribute: &Attribute) -> (String, String) {
    (attribute.name.local.to_string(), attribute.value.to_string())
}

/// The elements of a page with their attributes, and the places of text. Values of attributes that hold names of the
/// document are left out. Diffs, whose values have lines, are not listed, but are checked for allowed elements.
fn structure(page: &str) -> Vec<String> {
    let mut structure = Vec::new();
    let mut diff = None;
    for (depth, node) in nodes(page) {
        diff = diff.filter(|diff| depth > *diff);
        match node {
            Node::Element { name, attributes } if diff.is_some() => {
                assert!(
                    ["ins", "del", "span", "i", "b", "details", "summary"].contains(&name.as_str()),
                    "{name}"
                );
                let is_plain = |(name, value): &(String, String)| name == "class" && value.len() == 1;
                assert!(attributes.iter().all(is_plain), "{attributes:?}");
            }
            Node::Text(_) if diff.is_some() => {}
            Node::Element { name, attributes } => {
                if attributes == [("class".to_owned(), "d".to_owned())] {
                    diff = Some(depth);
                }
                let is_name = |name: &str| ["id", "href", "aria-label", "aria-labelledby"].contains(&name);
                let attributes = attributes.iter().map(|(name, value)| match is_name(name) {
                    true => name.clone(),
                    false => format!("{name}={value}"),
                });
                structure.push(format!("{depth} {name} {}", attributes.collect::<Vec<_>>().join(" ")));
            }
            Node::Text(text) if text.trim().is_empty() => {}
            Node::Text(_) => structure.push(format!("{depth} text")),
        }
    }
    structure
}

/// Every name is there once, and every link leads to one.
#[track_caller]
fn check_links(page: &str) {
    let (mut names, mut links) = (HashSet::new(), Vec::new());
    for (_, node) in nodes(page) {
        let Node::Element { attributes, .. } = node else { continue };
        for (name, value) in attributes {
            match name.as_str() {
                "id" => assert!(!value.contains(' ') && names.insert(value.clone()), "{value:?} twice"),
                "href" if value != "data:," => links.push(value),
                "aria-labelledby" | "for" => links.push(format!("#{value}")),
                "src" | "srcset" | "action" | "style" => panic!("{name}={value}"),
                name => assert!(!name.starts_with("on"), "{name}={value}"),
            }
        }
    }
    for link in links {
        assert!(link.strip_prefix('#').is_some_and(|name| names.contains(name)), "{link} leads nowhere");
    }
}

#[test]
fn nothing_that_a_document_holds_becomes_markup() {
    let plain = structure(&page(&plan("x.y")));
    for text in HOSTILE {
        let page = page(&plan(text));
        assert_eq!(structure(&page), plain, "{text}\n{page}");
        check_links(&page);
        assert!(!page.contains(['\u{202e}', '\u{0}', '\u{c}', '\u{2028}']), "{page}");
    }
}

#[test]
fn nothing_that_a_document_holds_ends_the_text_of_entries() {
    let plain = page(&enlarged(&plan("x.y")));
    assert!(plain.contains("<noscript>") && !page(&plan("x.y")).contains("<noscript>"));
    for text in HOSTILE.into_iter().chain(["</noscript><script>alert(1)</script>", "</NOSCRIPT >"]) {
        check_inert(&page(&enlarged(&plan(text))), &plain);
    }
}

#[test]
fn a_large_page_is_folded_and_not_larger() {
    let (small, large) = (page(&large(100)), page(&large(101)));
    assert_eq!((small.matches("<details open>").count(), small.matches("<noscript>").count()), (100, 0));
    assert_eq!((large.matches("<details open>").count(), large.matches("<details>").count()), (0, 101));
    // Seven modules.
    assert_eq!(large.matches("<div class=\"c\"><noscript><article").count(), 7);
    assert!(large.len() < small.len() * 102 / 100, "{} {}", small.len(), large.len());
}

#[test]
fn a_title_and_a_link_stay_what_they_are() {
    let plan = r#"{"format_version":"1.2","resource_changes":[]}"#;
    let page_with = |title, link| page_of(plan, &Schemas::none(), &HtmlOptions { title, link, notes: &[] });
    let found = page_with(Some("<b>\"x"), Some("https://x.example/\"><b>"));
    assert!(found.contains("<h1>&lt;b&gt;&quot;x: nothing to change</h1>"), "{found}");
    assert!(found.contains(r#"<a href="https://x.example/%22%3E%3Cb%3E""#), "{found}");
    let found = page_with(None, Some("javascript:alert(1)"));
    assert!(!found.contains("javascript:") && found.contains("<h1>Terraform plan: "), "{found}");
}

#[test]
fn an_address_is_the_name_of_its_entry() {
    let change = json!({"actions": ["create"], "before": null, "after": {"id": "x"}});
    let resource = |address: &str| json!({"address": address, "type": "a", "name": "b", "change": change});
    let addresses = ["a.b", "module.m[\"x y\"].a.b[0]", "a.b", "main"];
    let plan = json!({"format_version": "1.2", "resource_changes": addresses.map(resource)}).to_string();
    let page = page(&plan);
    for name in ["a.b", "module.m[%22x%20y%22].a.b[0]", "a.b~2", "main~2"] {
        assert!(page.contains(&format!("<article id=\"{name}\"")), "{name}\n{page}");
    }
    check_links(&page);
}

/// Names are those of one page, and entries of all plans are filtered by the same names.
#[test]
fn several_plans_are_one_page() {
    for text in ["x.y", "<b>", "plan-1", HOSTILE[0]] {
        let plans = [plan(text), large(20), plan(text)];
        let documents: Vec<_> = plans.iter().map(|plan| Document::parse(plan).unwrap()).collect();
        let schemas = Schemas::none();
        let plans = documents.iter().map(|document| ReviewedPlan {
            name: text.to_owned(),
            report: Report::new(document, &schemas, &Options::default(), &Filter::default()).unwrap(),
            made_by: Some(text.to_owned()),
            ..ReviewedPlan::default()
        });
        let review = Review {
            plans: plans.collect(),
            problems: vec![text.to_owned()],
            skipped: vec![text.to_owned()],
            commit: Some(text.to_owned()),
        };
        let mut out = Vec::new();
        review.write_html(&mut out, &HtmlOptions::default()).unwrap();
        let page = without_code(&String::from_utf8(out).unwrap());
        check_links(&page);
        let sections = nodes(&page).into_iter().filter_map(|(_, node)| match node {
            Node::Element { name, attributes } if name == "h2" => Some(attributes),
            _ => None,
        });
        let kinds = sections.filter_map(|attributes| {
            let value =
                |name: &str| attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
            value("id").filter(|id| id.starts_with("outputs")).map(|id| value("data-k").unwrap_or(id))
        });
        assert_eq!(kinds.collect::<Vec<_>>(), ["outputs"; 2]);
    }
}

#[test]
fn contents_are_a_table_in_the_order_of_the_page() {
    let resource = |module: Option<&str>, name: &str, action: &str| {
        let change = json!({"actions": [action], "before": {"id": "x"}, "after": {"id": "y"}});
        let prefix = module.map_or(String::new(), |module| format!("{module}."));
        json!({"address": format!("{prefix}{name}"), "module_address": module, "type": "a", "name": "b", "change": change})
    };
    let plan = json!({"format_version": "1.2", "resource_changes": [
        resource(Some("module.m[10]"), "a.b", "update"),
        resource(Some("module.m[2]"), "a.b[10]", "update"),
        resource(Some("module.m[2]"), "a.b[9]", "update"),
        resource(Some("module.m-x"), "a.b", "update"),
        resource(Some("module.m[2]"), "a.b", "create"),
        resource(None, "a.b", "update"),
        resource(Some("module.z"), "a.b", "delete"),
    ], "output_changes": {"url": {"actions": ["create"], "before": null, "after": "x", "after_unknown": false}}})
    .to_string();
    let page = page(&plan);
    let (_, table) = page.split_once("<table>").unwrap();
    let (table, _) = table.split_once("</table>").unwrap();
    let text = |html: &str| {
        let mut text = String::new();
        html.split('<').for_each(|part| text += part.split_once('>').map_or("", |(_, text)| text));
        text
    };
    let rows: Vec<String> = table
        .split("</tr>")
        .map(|row| row.split("</t").map(text).collect::<Vec<_>>().join("|"))
        .map(|row| row.trim_matches('|').to_owned())
        .filter(|row| !row.is_empty())
        .collect();
    let expected = [
        "Resources|-|~|+",
        "module.z|1",
        "Root module||1",
        "module.m[2]||2|1",
        "module.m[10]||1",
        "module.m-x||1",
        "Outputs|1",
    ];
    assert_eq!(rows, expected, "{table}");
    // A number leads to the first that it counts, and the entries are in the same order.
    assert!(table.contains("<td><a href=\"#module.m[2].a.b[9]\">2</a></td>"), "{table}");
    let page = without_code(&page);
    let entries: Vec<_> =
        page.split("<article id=\"").skip(1).filter_map(|entry| entry.split('"').next()).collect();
    let expected = [
        "module.z.a.b",
        "a.b",
        "module.m[2].a.b[9]",
        "module.m[2].a.b[10]",
        "module.m[2].a.b",
        "module.m[10].a.b",
        "module.m-x.a.b",
        "output.url",
    ];
    assert_eq!(entries, expected);
    check_links(&page);
}

/// Added and removed values have their colour as a whole: brackets, texts of several lines, and documents in texts.
#[test]
fn a_removed_block_is_of_one_colour() {
    let value = json!({"block": [{"name": "x", "list": ["p"]}], "text": "one\n  two\n\nthree\n", "empty": {},
        "json": "{\"a\":[1,{\"b\":2}]}", "yaml": "a:\n  - b: 1\n    c: 2\n"});
    for (actions, before, after, tag) in
        [("create", &Value::Null, &value, "ins"), ("delete", &value, &Value::Null, "del")]
    {
        let change = json!({"actions": [actions], "before": before, "after": after});
        let plan = json!({"format_version": "1.2", "resource_changes":
            [{"address": "a.b", "type": "a", "name": "b", "change": change}]});
        let page = page_in_our_form(&plan.to_string());
        let (_, diff) = page.split_once("<div class=\"d\">").unwrap();
        let (diff, _) = diff.split_once("</div>").unwrap();
        assert!(diff.contains("&lt;&lt;-EOT"), "{diff}");
        assert!(diff.contains("jsonencode("), "{diff}");
        let inner =
            diff.strip_prefix(&format!("<{tag}>")).and_then(|rest| rest.strip_suffix(&format!("</{tag}>")));
        assert!(
            inner.is_some_and(|inner| !inner.contains("<ins>")
                && !inner.contains("<del>")
                && !inner.contains("</")),
            "{diff}"
        );
    }
    // In a text that changes, only lines with a sign have a colour.
    let change =
        json!({"actions": ["update"], "before": {"text": "a\nb\nc\n"}, "after": {"text": "a\nx\n  b\nc\n"}});
    let plan = json!({"format_version": "1.2", "resource_changes":
        [{"address": "a.b", "type": "a", "name": "b", "change": change}]});
    let page = page_in_our_form(&plan.to_string());
    assert!(page.contains("</ins>            c\n        EOT\n    }</div>"), "{page}");
}

#[test]
fn modules_may_be_as_deep_as_they_like() {
    let change = json!({"actions": ["delete"], "before": {"id": "x"}, "after": null});
    let resource = |depth: usize| {
        let module = vec!["module.m"; depth].join(".");
        json!({"address": format!("{module}.a.b"), "module_address": module, "type": "a", "name": "b", "change": change})
    };
    let changes: Vec<_> = (1..200).map(resource).collect();
    let page = page(&json!({"format_version": "1.2", "resource_changes": changes}).to_string());
    check_links(&page);
    assert!(nodes(&page).iter().all(|(depth, _)| *depth < 60));
}

#[test]
fn unchanged_parts_are_there_to_unfold() {
    let change = json!({"actions": ["update"],
        "before": {"a": "one", "id": "i", "same": "unchanged", "tags": {"k": "v"}, "list": ["p", "q", "r", "s", "t"]},
        "after": {"a": "two", "id": "i", "same": "unchanged", "tags": {"k": "v"}, "list": ["p", "q", "r", "s", "u"]}});
    let plan = json!({"format_version": "1.2", "resource_changes":
        [{"address": "a.b", "type": "a", "name": "b", "change": change}]})
    .to_string();
    let page = page(&plan);
    let folded = "<details class=\"u\"><summary>        1 unchanged attribute</summary>        same = \"unchanged\"\n</details>";
    assert!(page.contains(folded), "{page}");
    let folded = "<summary>            3 unchanged elements</summary>            \"p\",\n            \"q\",\n            \"r\",\n</details>";
    assert!(page.contains(folded), "{page}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_text_is_inert(text in "[ -~\n\t<>&\"'/=\u{0}\u{85}\u{2028}\u{fffe}]{0,40}|\\PC{0,20}") {
        let found = page(&plan_with(&format!(".{text}"), "x.y"));
        prop_assert_eq!(structure(&found), structure(&page(&plan("x.y"))), "{}", found);
        check_links(&found);
    }

    /// Each address is on the page, with a link to it.
    #[test]
    fn nothing_is_left_out(count in 0..200_usize) {
        let found = page(&large(count));
        let is_there = |index: usize| {
            let address = format!("module.m{}.a_b.c[{index}]", index % 7);
            found.contains(&format!("<article id=\"{address}\"")) && found.contains(&format!("<a class=\"l\" href=\"#{address}\""))
        };
        prop_assert!((0..count).all(is_there), "{}", found);
        prop_assert_eq!(without_code(&found).matches("<article").count(), count);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn any_text_is_inert_on_a_large_page(text in "[ -~\n\t<>&\"'/=\u{0}\u{85}\u{2028}\u{fffe}]{0,40}|\\PC{0,20}|</?(noscript|script|article|div)>?[ -~]{0,9}|<!--[ -~]{0,9}") {
        check_inert(&page(&enlarged(&plan_with(&format!(".{text}"), "x.y"))), &page(&enlarged(&plan("x.y"))));
    }
}
