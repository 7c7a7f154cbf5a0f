//! Markdown pages: their structure, escaping of values, and their limit.

use std::time::Duration;

use objchange_document::{Document, Schemas};
use objchange_plan::render::{MarkdownOptions, MarkdownTemplate, Review, ReviewedPlan};
use objchange_plan::report::ShowError;
use objchange_plan::{Filter, Options, Report};
use proptest::prelude::*;
use pulldown_cmark::{CowStr, Event, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use crate::plans::{large, plan, plan_with, resource};

fn page(plan: &str, options: &MarkdownOptions<'_>) -> String {
    let (document, schemas) = (Document::parse(plan).unwrap(), Schemas::none());
    let report = Report::new(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
    let mut out = Vec::new();
    report.write_markdown(&mut out, options).unwrap();
    let page = String::from_utf8(out).unwrap();
    assert_eq!(by_template(&report, options, MarkdownTemplate::BUILT_IN).unwrap(), page);
    page
}

fn by_template(
    report: &Report<'_>,
    options: &MarkdownOptions<'_>,
    template: &str,
) -> Result<String, ShowError> {
    let mut out = Vec::new();
    let template = MarkdownTemplate::parse(template)?;
    report.write_markdown_template(&mut out, options, &template, Duration::from_secs(600))?;
    Ok(String::from_utf8(out).unwrap())
}

/// The structure of a page, without its text.
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

/// The structure of a page without text and code, because words decide how much of a line is code.
fn markup(page: &str) -> Vec<String> {
    structure(page).into_iter().filter(|part| part != "text" && part != "code").collect()
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
    let expected = "<!-- objchange:____b_ -->\n## `` <b>`x` ``: nothing to change\n";
    assert!(page.starts_with(expected), "{page}");
    assert!(page.contains("(https://x.example/%29%3Cb%3E)"), "{page}");
}

#[test]
fn sites_find_nothing_to_link_in_a_title() {
    let headline = |title: &'static str| {
        let options = MarkdownOptions { title: Some(title), ..Default::default() };
        let page = page(r#"{"format_version":"1.2","resource_changes":[]}"#, &options);
        let line = page.lines().next().unwrap();
        line.strip_prefix("## ").unwrap().strip_suffix(": nothing to change").unwrap().to_owned()
    };
    for (title, expected) in [
        ("Production", "Production"),
        ("Plan (web, don't apply): draft 2!", r"Plan \(web\, don\'t apply\)\: draft 2\!"),
        ("Straße – read-only", r"Straße – read\-only"),
        ("by @octocat", "by `@octocat`"),
        ("(@a/team)", "`(@a/team)`"),
        ("fixes #12 and !7, GH-1 a/b#2", "fixes `#12` and `!7,` `GH-1` `a/b#2`"),
        ("at 0a1b2c3d", "at `0a1b2c3d`"),
        (":tada: ~bug %m1 $3 &4", "`:tada:` `~bug` `%m1` `$3` `&4`"),
        ("a@x.example www.x.example https://x.example", "`a@x.example` `www.x.example` `https://x.example`"),
        ("a|b @c|d", r"a\|b `@c`\|d"),
    ] {
        assert_eq!(headline(title), expected, "{title}");
    }
}

/// A template that prints all it is given.
const ALL: &str = "\
{% for section in page.sections %}{% for group in section.groups %}{% for entry in group.entries %}
- {{ entry.address }} {{ entry.address|code }} {{ entry.action }} {{ entry.deposed }}
{% endfor %}{% endfor %}{% endfor %}
{{ page.title }} {{ page.left_out }} {{ report.resource_changes[0].address }}
{{ report }}
";

fn by_template_of(plan: &str, template: &str) -> Result<String, ShowError> {
    let (document, schemas) = (Document::parse(plan).unwrap(), Schemas::none());
    let report = Report::new(&document, &schemas, &Options::default(), &Filter::default())?;
    by_template(&report, &MarkdownOptions::default(), template)
}

#[test]
fn nothing_becomes_markup_in_a_template_either() {
    let plain = markup(&by_template_of(&plan("x.y"), ALL).unwrap());
    for text in HOSTILE {
        let page = by_template_of(&plan(text), ALL).unwrap();
        assert_eq!(markup(&page), plain, "{text}\n{page}");
        assert!(!page.contains(['\u{202e}', '\u{1b}']), "{page}");
    }
}

/// Whoever changes a repository writes its template. All that pays is tried beside its code, with less room.
#[test]
fn a_template_that_makes_or_looks_at_too_much_is_refused() {
    for (template, message) in [
        (r#"{{ "x" * 1000000000 }}"#, "makes more than 64 MiB"),
        (
            "{% set s = 'é' * 1000000 %}{% for i in range(99999) %}{% if s == s ~ '' %}{% endif %}{% endfor %}",
            "makes more than 64 MiB",
        ),
        (
            "{% set s = 'é' * 4000000 %}{% for i in range(99999) %}{% if s < s %}{% endif %}{% endfor %}",
            "looks at more than 256 MiB",
        ),
    ] {
        match by_template_of(&plan("x"), template) {
            Err(ShowError::Template(error)) => {
                assert_eq!(error.message, format!("invalid operation: the template {message}"));
            }
            other => panic!("{template}: {other:?}"),
        }
    }
}

#[test]
fn a_template_with_too_much_in_one_tag_is_refused() {
    for part in ["-", "not ", "1 ~ ", "1 if 1 else ", "1 + ", "1 ** ", "1 == ", "1 in ", "1 or "] {
        let template = format!("\n{{{{ {}1 }}}}", part.repeat(5000));
        match MarkdownTemplate::parse(&template) {
            Err(error) => assert_eq!(
                (error.line, &*error.message),
                (Some(2), "a tag has more than 200 operators, filters and brackets"),
                "{part}"
            ),
            Ok(_) => panic!("{part}"),
        }
    }
    for part in ["|string", " is defined", ".a", "[0]", "()"] {
        assert!(MarkdownTemplate::parse(&format!("{{{{ a{} }}}}", part.repeat(5000))).is_err(), "{part}");
    }
    let elif = format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(5000));
    assert_eq!(MarkdownTemplate::parse(&elif).unwrap_err().message, "the template has more than 200 `elif`");
    // Places beyond column 65,535 are more than the engine can count.
    for start in ["{{ \"", "{{ 9", "{#", "{% a", "x{{ é"] {
        let error = MarkdownTemplate::parse(&format!("x\n{start}{}", "9".repeat(65_534))).unwrap_err();
        assert_eq!(
            (error.line, &*error.message),
            (Some(2), "the line has tags and more than 65000 bytes"),
            "{start}"
        );
    }
}

/// Operators and literals are the engine's, and those that pay for what they make do what these do.
#[test]
fn operators_of_templates_do_what_they_say() {
    let page = |template: &str| by_template_of(&plan("x"), template).unwrap();
    for (expression, text) in [
        ("1 + 2", "3"),
        ("1 + 2.5", "3.5"),
        ("true + 1", "2"),
        ("2 * 3", "6"),
        ("2 * 1.5", "3.0"),
        ("9223372036854775807 + 1", "9223372036854775808"),
        ("'a' + 'b'", "ab"),
        ("'a' * 3", "aaa"),
        ("('a' ~ 1 ~ none)|length", "6"),
        ("([1] + [2, 3])|join('')", "123"),
        ("([1, 2] * 2)|length", "4"),
        ("{'a': 1}.a", "1"),
        ("[]|length", "0"),
        ("{}|length", "0"),
        ("(1, 2)[1]", "2"),
        ("dict(a=2).a", "2"),
        ("'%s%03d'|format('a', 7)", "a007"),
        ("'a\\nb'|indent(1)|length", "4"),
        ("[1, 2, 3]|batch(2)|length", "2"),
        ("'abc'[1:]", "bc"),
        ("'abc'[:-1][-1]", "b"),
        ("[1, 2, 3, 4][::2]|join('')", "13"),
        ("[1, 2, 3]|sum", "6"),
        ("{'a': 1}['a']", "1"),
        ("('b' in 'abc') and (2 not in [1]) and (1 is in [1]) and ('A' is upper)", "True"),
        ("1 < 2 <= 2 != 3", "True"),
        ("['b', 'a']|sort|first", "a"),
        (
            "[{'a': 2, 'b': [1]}, {'a': 1, 'b': [3]}]|sort(attribute='a')|map(attribute='b.0')|join(' ')",
            "3 1",
        ),
        ("[{'a': 2}, {'a': 1}, {'a': 2}]|unique(attribute='a')|length", "2"),
        ("[{'a': 2}, {'a': 1}, {'a': 2}]|groupby('a')|map('first')|join(' ')", "1 2"),
        ("{'b': 1, 'a': 2}|dictsort|map('first')|join('')", "ab"),
        ("[1, 2, 3]|select('odd')|join('')", "13"),
        ("[1, 2, 3]|reject('in', [1, 2])|join('')", "3"),
        ("[0, 2]|select|join('')", "2"),
        ("[{'a': 2}, {'a': 1}]|selectattr('a', 'eq', 1)|length", "1"),
        ("[{'a': 2}, {'b': 1}]|rejectattr('a', 'defined')|length", "1"),
        ("'yes' if 1 < 2 < 3 else 'no'", "yes"),
    ] {
        assert_eq!(page(&format!("{{{{ {expression} }}}}")), text, "{expression}");
    }
    let counted = "{% set ns = namespace(n=0) %}{% for i in range(3) %}{% if i == 1 %}{% set ns.n = ns.n + i %}\n{% elif i %}two{% else %}none{% endif %}{% else %}empty{% endfor %} {{ ns.n }}";
    assert_eq!(page(counted), "nonetwo 1");
    let changed = "{% for i in [1, 1, 2] %}{% if loop.changed(i) %}{{ i }}{% endif %}{% endfor %}";
    assert_eq!(page(changed), "12");
}

#[test]
fn a_template_stops_when_its_time_is_over() {
    let plan = plan("x");
    let (document, schemas) = (Document::parse(&plan).unwrap(), Schemas::none());
    let report = Report::new(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
    let template = MarkdownTemplate::parse("{% for i in range(9) %}{{ i }}{% endfor %}").unwrap();
    let options = MarkdownOptions::default();
    match report.write_markdown_template(&mut Vec::new(), &options, &template, Duration::ZERO) {
        Err(ShowError::Template(error)) => {
            assert!(
                error.message.starts_with("invalid operation: the template takes longer than 0 s"),
                "{error:?}"
            );
            assert_eq!(error.line, Some(1));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_wrong_with_a_template_is_named_with_its_line() {
    let error = |template: &str| match by_template_of(&plan("x"), template) {
        Err(ShowError::Template(error)) => (error.line, error.message),
        other => panic!("{template}: {other:?}"),
    };
    assert_eq!(error("a\n{% if %}").0, Some(2));
    let (line, message) = error("a\n\n{{ page.titel }}");
    assert_eq!((line, message.as_str()), (Some(3), "undefined value"));
    let (_, message) = error(
        "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}",
    );
    assert_eq!(message, "the template takes too many steps");
    let (line, message) = error(&"x".repeat(70_000));
    assert_eq!(
        (line, message.as_str()),
        (None, "the page is longer than 65536 characters, also without entries")
    );
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

/// A plan of so many resources in 40 modules. In each twenty, so many are destroyed, so many replaced, and the rest updated.
fn losing(count: usize, destroyed: usize, replaced: usize) -> String {
    let changes: Vec<_> = (0..count)
        .map(|index| {
            let module = format!("module.area{}", index % 40);
            let address = format!("{module}.a_b.r_{index}");
            let (before, after) = (json!({"id": "x"}), json!({"id": "y"}));
            let mut change = match index % 20 {
                at if at < destroyed => resource(&address, Some(&module), &["delete"], &before, &Value::Null),
                at if at < destroyed + replaced => {
                    resource(&address, Some(&module), &["delete", "create"], &before, &after)
                }
                _ => resource(&address, Some(&module), &["update"], &before, &after),
            };
            change["action_reason"] = "replace_by_triggers".into();
            change
        })
        .collect();
    json!({"format_version": "1.2", "resource_changes": changes}).to_string()
}

/// The numbers in the last line of a page before these words.
fn left_out(page: &str, words: &str) -> usize {
    let last = page.lines().last().unwrap();
    let list = last.split(" characters: ").nth(1).unwrap_or_default();
    let mut parts = list.split("**").next().unwrap_or_default().split(", ");
    parts.find_map(|part| part.strip_suffix(words)).map_or(0, |number| number.trim().parse().unwrap())
}

#[test]
fn a_long_page_names_all_that_is_destroyed_or_replaced_and_fits() {
    // They have lines; only their addresses fit; not even these do.
    for (destroyed, replaced, is_listed, all_fit) in
        [(0, 1, false, true), (1, 1, true, true), (4, 4, true, false)]
    {
        let count = 15_000;
        let page = page(&losing(count, destroyed, replaced), &MarkdownOptions::default());
        assert!(page.encode_utf16().count() <= 65_536);
        assert!(page.contains("\n| Module |") && page.contains("| **All** |"), "{page:.1000}");
        assert_eq!(page.contains("### Destroyed and replaced"), is_listed, "{destroyed} {replaced}");
        let named = |index: &usize| page.contains(&format!("`module.area{}.a_b.r_{index}`", index % 40));
        let of = |from: usize, to: usize| {
            (0..count).filter(|index| (from..to).contains(&(index % 20))).filter(named).count()
        };
        let (gone, remade) = (of(0, destroyed), of(destroyed, destroyed + replaced));
        let all = |each: usize| count / 20 * each;
        assert_eq!((gone + remade == all(destroyed + replaced)), all_fit, "{gone} {remade}");
        assert_eq!(gone + left_out(&page, " to destroy"), all(destroyed));
        assert_eq!(remade + left_out(&page, " to replace"), all(replaced));
        // Whatever is left out has no room.
        let free = 65_536 - page.encode_utf16().count();
        assert!(all_fit || free < 200, "{free}");
    }
}

#[test]
fn the_last_line_counts_what_is_left_out_by_action() {
    let options = MarkdownOptions { max_length: 10_000, ..Default::default() };
    let page = page(&large(300), &options);
    assert_eq!(left_out(&page, " to destroy"), 0);
    assert!(left_out(&page, " to create") > 0 && left_out(&page, " diffs") > 0, "{page}");
    let shown = |verb: &str| page.matches(&format!("**{verb}** `")).count();
    assert_eq!(shown("Create") + left_out(&page, " to create"), 100);
    assert_eq!(shown("Update") + left_out(&page, " to update"), 100);
}

#[test]
fn a_small_plan_is_open() {
    assert!(page(&large(10), &MarkdownOptions::default()).contains("<details open><summary>"));
    assert!(!page(&large(11), &MarkdownOptions::default()).contains("<details open>"));
}

/// The page of one plan and its review have the same part below what is said of it.
#[test]
fn a_review_has_the_section_of_the_page() {
    for (count, max_length) in [(9, 65_536), (300, 65_536), (300, 20_000)] {
        let (text, schemas) = (large(count), Schemas::none());
        let document = Document::parse(&text).unwrap();
        let report = || Report::new(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
        let options = MarkdownOptions { max_length, ..Default::default() };
        let plan = ReviewedPlan { name: "a".to_owned(), report: report(), ..ReviewedPlan::default() };
        let mut out = Vec::new();
        let review = Review { plans: vec![plan], ..Review::default() };
        review.write_markdown(&mut out, &options).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), page(&text, &options));
    }
}

/// Each plan has a fair share of the page, and the last line counts what all of them leave out.
#[test]
fn a_review_of_many_plans_fits() {
    let texts: Vec<_> = [3, 40, 2_000, 15].into_iter().map(|count| losing(count, 1, 1)).collect();
    let documents: Vec<_> = texts.iter().map(|text| Document::parse(text).unwrap()).collect();
    let schemas = Schemas::none();
    for max_length in [4_000, 8_000, 20_000, 65_536] {
        let plans = documents.iter().map(|document| ReviewedPlan {
            name: "a".to_owned(),
            report: Report::new(document, &schemas, &Options::default(), &Filter::default()).unwrap(),
            ..ReviewedPlan::default()
        });
        let review = Review { plans: plans.collect(), ..Review::default() };
        let mut out = Vec::new();
        review.write_markdown(&mut out, &MarkdownOptions { max_length, ..Default::default() }).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(page.encode_utf16().count() <= max_length, "{page}");
        let is_loss = |line: &&str| {
            ["- `", "**Destroy** `", "**Replace** `"].iter().any(|start| line.starts_with(start))
        };
        let named = page.lines().filter(is_loss).count();
        let all = 2 * (1 + 2 + 100 + 1);
        assert_eq!(named + left_out(&page, " to destroy") + left_out(&page, " to replace"), all, "{page}");
    }
}

fn page_of_all(count: usize) -> String {
    page(&large(count), &MarkdownOptions { max_length: usize::MAX, ..Default::default() })
}

/// A fenced block has no other markup.
#[test]
fn carets_mark_what_differs_in_long_values() {
    let update = |before: &str, after: &str| {
        let [before, after] = [before, after].map(|text| serde_json::json!({"id": "x", "name": text}));
        let plan = serde_json::json!({"format_version": "1.2", "resource_changes": [{
            "address": "a_b.c", "mode": "managed", "type": "a_b", "name": "c",
            "change": {"actions": ["update"], "before": before, "after": after},
        }]});
        let page = page(&plan.to_string(), &MarkdownOptions::default());
        let lines = page.lines().map(str::to_owned).collect::<Vec<_>>();
        let line = lines.iter().position(|line| line.contains(" -> ")).unwrap();
        (lines[line].clone(), lines[line + 1].clone())
    };
    let (a, b) = ("a".repeat(30), "b".repeat(10));
    let (line, carets) = update(&format!("{a}1{b}"), &format!("{a}23{b}"));
    let marked = |line: &str, carets: &str| {
        let columns = carets.match_indices('^').map(|(column, _)| column);
        columns.map(|column| line.as_bytes()[column] as char).collect::<String>()
    };
    assert_eq!(marked(&line, &carets), "123", "{line}\n{carets}");
    assert_eq!(carets.trim_matches([' ', '^']), "");
    let (line, carets) = update(&format!("{a}{b}"), &format!("{a}new{b}"));
    assert_eq!(marked(&line, &carets), "new", "{line}\n{carets}");
    // Short, mostly different, or with characters whose width nobody knows.
    for (before, after) in
        [("a", "b"), (&*"a".repeat(40), &*"b".repeat(40)), (&*format!("{a}é"), &*format!("{a}ü"))]
    {
        assert!(!update(before, after).1.contains('^'), "{before} {after}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_text_is_inert(text in "[ -~\n\t`|<>\u{85}\u{2028}]{0,40}") {
        let options = MarkdownOptions::default();
        // Text that can only be words is not written as code.
        let found = page(&plan_with(&format!(".{text}"), "x.y"), &options);
        prop_assert_eq!(structure(&found), structure(&page(&plan("x.y"), &options)), "{}", found);
    }

    #[test]
    fn any_title_is_inert(text in "[ -~\n\t`|<>@#\u{85}\u{2028}é]{0,40}") {
        let of_title = |title| {
            let options = MarkdownOptions { title: Some(title), ..Default::default() };
            page(&plan("x.y"), &options)
        };
        let found = of_title(&text);
        prop_assert_eq!(markup(&found), markup(&of_title("x")), "{}", found);
    }

    /// Also where a template writes more than the built-in one.
    #[test]
    fn a_page_by_a_template_fits(count in 0..200_usize, max_length in MarkdownOptions::MIN_LENGTH..40_000) {
        let template = ALL.replace("{{ report }}", "").replace("{{ entry.deposed }}", "{{ entry.line }} {{ entry.diff|code }}");
        let plan = large(count.max(1));
        let (document, schemas) = (Document::parse(&plan).unwrap(), Schemas::none());
        let report = Report::new(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
        let options = MarkdownOptions { max_length, ..Default::default() };
        let found = by_template(&report, &options, &template).unwrap();
        prop_assert!(found.encode_utf16().count() <= max_length, "{}", found);
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
            plain: false,
        };
        let found = page(&plan_with(&text, "x.y"), &options);
        prop_assert!(found.encode_utf16().count() <= MarkdownOptions::MIN_LENGTH, "{}", found);
    }
}
