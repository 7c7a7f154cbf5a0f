//! HTML pages in a real browser, where there is one.

mod chromium;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;

use libtest_mimic::{Failed, Trial};
use objchange_document::{Document, Schemas};
use objchange_plan::render::HtmlOptions;
use objchange_plan::{Filter, Options, Report};
use serde_json::{Value, json};

use self::chromium::Browser;
use crate::plans::{HOSTILE, large, plan};

type Check = fn(&mut Browser) -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let browser = chromium::find();
    let checks: [(&str, Check); 18] = [
        ("opens_without_a_message_or_a_request", opens_without_a_message_or_a_request),
        ("hostile_values_do_nothing", hostile_values_do_nothing),
        ("search_finds_addresses_types_and_values", search_finds_addresses_types_and_values),
        ("filters_choose_by_action_and_section", filters_choose_by_action_and_section),
        ("keys_go_from_entry_to_entry", keys_go_from_entry_to_entry),
        ("links_lead_to_entries", links_lead_to_entries),
        ("all_can_be_folded", all_can_be_folded),
        ("a_large_plan_is_laid_out_where_it_is_in_view", a_large_plan_is_laid_out_where_it_is_in_view),
        (
            "entries_of_a_large_plan_are_made_when_they_are_looked_at",
            entries_are_made_when_they_are_looked_at,
        ),
        ("search_filters_and_links_know_entries_that_are_not_made", entries_that_are_not_made_are_known),
        ("without_scripts_nothing_is_missing", without_scripts_nothing_is_missing),
        ("the_next_destroyed_object_is_one_key_away", the_next_destroyed_object_is_one_key_away),
        ("an_address_can_be_copied", an_address_can_be_copied),
        ("the_tools_are_on_one_line", the_tools_are_on_one_line),
        ("a_broken_line_is_indented_on_a_narrow_screen", a_broken_line_is_indented_on_a_narrow_screen),
        ("text_can_be_read_in_light_and_dark", text_can_be_read_in_light_and_dark),
        ("landmarks_headings_and_names", landmarks_headings_and_names),
        ("all_is_printed", all_is_printed),
    ];
    let trial = |(name, check): (&str, Check)| {
        let (is_absent, browser) = (browser.is_none(), browser.clone());
        let test = move || check(&mut Browser::start(browser.as_deref().unwrap_or(Path::new("chromium")))?);
        Trial::test(format!("browser::{name}"), test).with_ignored_flag(is_absent)
    };
    checks.into_iter().map(trial).collect()
}

fn page(plan: &str) -> String {
    let (document, schemas) = (Document::parse(plan).unwrap(), Schemas::none());
    let report = Report::new(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
    let mut out = Vec::new();
    report
        .write_html(&mut out, &HtmlOptions { link: Some("https://ci.example/7"), ..Default::default() })
        .unwrap();
    String::from_utf8(out).unwrap()
}

/// A plan of a few resources in two modules, and an output.
fn small() -> String {
    let resource = |module: Option<&str>, name: &str, actions: &[&str], before: Value, after: Value| {
        let prefix = module.map_or(String::new(), |module| format!("{module}."));
        json!({"address": format!("{prefix}{name}"), "module_address": module, "type": "t", "name": "n",
            "change": {"actions": actions, "before": before, "after": after}})
    };
    let net = Some("module.net[\"a b\"]");
    let large = json!({"size": "large", "note": "unchanged-needle"});
    json!({
        "format_version": "1.2",
        "resource_changes": [
            resource(None, "aws_eip.ip", &["create"], Value::Null, json!({"id": "one"})),
            resource(None, "aws_instance.web", &["update"], json!({"size": "small", "note": "unchanged-needle"}), large),
            resource(net, "aws_vpc.main", &["delete"], json!({"cidr": "10.0.0.0/16"}), Value::Null),
            resource(net, "aws_subnet.x[\"k 1\"]", &["create"], Value::Null, json!({"cidr": "10.0.1.0/24"})),
        ],
        "output_changes": {"url": {"actions": ["create"], "before": null, "after": "https://Example.org",
            "after_unknown": false}},
    })
    .to_string()
}

/// The names of the entries that are shown.
const SHOWN: &str =
    "[...document.querySelectorAll('article')].filter((a) => a.checkVisibility()).map((a) => a.id)";

/// The focused entry's id, or the focused element's own.
const FOCUS: &str = "document.activeElement.closest('article')?.id ?? document.activeElement.id";

#[track_caller]
fn equal(found: &Value, expected: &Value) -> Result<(), Failed> {
    let place = std::panic::Location::caller();
    match found == expected {
        true => Ok(()),
        false => Err(format!("{place}: {found} is not {expected}").into()),
    }
}

const IP: &str = "aws_eip.ip";
const WEB: &str = "aws_instance.web";
const VPC: &str = "module.net[%22a%20b%22].aws_vpc.main";
const SUBNET: &str = "module.net[%22a%20b%22].aws_subnet.x[%22k%201%22]";
const OUTPUT: &str = "output.url";

fn opens_without_a_message_or_a_request(browser: &mut Browser) -> Result<(), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/", listener.local_addr()?);
    let (sender, requests) = channel();
    let page = page(&plan("y"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            _ = sender.send(request.lines().next().unwrap_or_default().to_owned());
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length:";
            _ = write!(stream, "{head} {}\r\n\r\n{page}", page.len());
        }
    });
    browser.open_url(&url)?;
    let (asked, said) = browser.happened()?;
    equal(&json!(asked), &json!([url, "data:,"])).or_else(|_| equal(&json!(asked), &json!([url])))?;
    equal(&json!(said), &json!([]))?;
    let requests: Vec<String> = requests.try_iter().filter(|request| !request.is_empty()).collect();
    equal(&json!(requests), &json!(["GET / HTTP/1.1"]))?;
    equal(&browser.evaluate("document.querySelector('.tools').checkVisibility()")?, &json!(true))
}

fn hostile_values_do_nothing(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&plan("x.y")), "")?;
    let count = "document.querySelectorAll('article').length";
    let entries = browser.evaluate(count)?;
    for text in HOSTILE {
        browser.open(&page(&plan(text)), "main")?;
        browser.press("/")?;
        browser.enter(text)?;
        browser.wait("document.querySelector('#status').textContent !== ''")?;
        equal(&browser.evaluate(count)?, &entries)?;
        let foreign =
            "document.querySelectorAll('img, svg, iframe, object, form, main script, main style').length";
        equal(&browser.evaluate(foreign)?, &json!(0))?;
        let (requests, messages) = browser.happened()?;
        let is_own = |url: &String| url.starts_with("file://") || url == "data:,";
        equal(&json!((requests.iter().all(is_own), messages)), &json!([true, []]))?;
    }
    Ok(())
}

fn search(browser: &mut Browser, text: &str) -> Result<(), Failed> {
    browser.evaluate("document.querySelector('#status').textContent = ''; document.activeElement.blur()")?;
    browser.press("/")?;
    equal(&browser.evaluate(FOCUS)?, &json!("search"))?;
    browser.enter(text)?;
    browser.wait("document.querySelector('#status').textContent !== ''")
}

fn search_finds_addresses_types_and_values(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&small()), "")?;
    for (text, found) in [
        ("aws_vpc", &[VPC][..]),
        ("AWS_SUBNET.x[\"k 1\"]", &[SUBNET]),
        ("10.0.1.0/24", &[SUBNET]),
        ("cidr 10.0", &[VPC, SUBNET]),
        ("example.org", &[OUTPUT]),
        ("destroy", &[VPC]),
        ("nothing-like-this", &[]),
    ] {
        search(browser, text)?;
        equal(&browser.evaluate(SHOWN)?, &json!(found))?;
    }
    let status = "document.querySelector('#status').textContent";
    equal(&browser.evaluate(status)?, &json!("0 of 5 entries"))?;
    equal(
        &browser.evaluate("[...document.querySelectorAll('h2, h3[id]')].some((h) => h.checkVisibility())")?,
        &json!(false),
    )?;
    // Unchanged parts with matches stay visible until the next search.
    let unfolded = "document.querySelectorAll('.u[open]').length";
    equal(&browser.evaluate(unfolded)?, &json!(0))?;
    search(browser, "needle")?;
    equal(&browser.evaluate(SHOWN)?, &json!([WEB]))?;
    equal(&browser.evaluate(unfolded)?, &json!(1))?;
    equal(&browser.evaluate("CSS.highlights.get('found').size")?, &json!(1))?;
    browser.press("Escape")?;
    equal(&browser.evaluate(SHOWN)?, &json!([VPC, SUBNET, WEB, IP, OUTPUT]))?;
    equal(&browser.evaluate(unfolded)?, &json!(0))?;
    equal(&browser.evaluate(status)?, &json!(""))?;
    // Enter goes to the first that is found.
    search(browser, "subnet")?;
    browser.press("Enter")?;
    equal(&browser.evaluate(FOCUS)?, &json!(SUBNET))
}

fn filters_choose_by_action_and_section(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&small()), "")?;
    let labels = "[...document.querySelectorAll('.tools fieldset label')].map((l) => l.textContent.trim())";
    equal(&browser.evaluate(labels)?, &json!(["Destroy 1", "Update 1", "Create 2", "Outputs 1"]))?;
    for (filter, shown) in [
        ("create", &[SUBNET, IP][..]),
        ("destroy", &[VPC, SUBNET, IP]),
        ("create", &[VPC]),
        ("outputs", &[VPC, OUTPUT]),
        ("destroy", &[OUTPUT]),
        ("outputs", &[VPC, SUBNET, WEB, IP, OUTPUT]),
    ] {
        browser.evaluate(&format!("document.querySelector('input[value=\"{filter}\"]').click()"))?;
        equal(&browser.evaluate(SHOWN)?, &json!(shown))?;
    }
    browser.evaluate("document.querySelector('input[value=\"create\"]').click()")?;
    search(browser, "vpc")?;
    equal(&browser.evaluate(SHOWN)?, &json!([]))?;
    let dimmed =
        "document.querySelectorAll('nav .none').length === document.querySelectorAll('nav tr').length";
    equal(&browser.evaluate(dimmed)?, &json!(true))
}

fn keys_go_from_entry_to_entry(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&small()), "")?;
    for (key, focus) in [
        ("j", VPC),
        ("j", SUBNET),
        ("j", WEB),
        ("k", SUBNET),
        ("j", WEB),
        ("j", IP),
        ("j", OUTPUT),
        ("j", OUTPUT),
    ] {
        browser.press(key)?;
        equal(&browser.evaluate(FOCUS)?, &json!(focus))?;
    }
    let is_open = format!("document.getElementById('{OUTPUT}').querySelector('details').open");
    for expected in [false, true] {
        browser.press("Enter")?;
        equal(&browser.evaluate(&is_open)?, &json!(expected))?;
    }
    let dialog = "document.querySelector('#keys').open";
    browser.press("?")?;
    equal(&browser.evaluate(dialog)?, &json!(true))?;
    // Keys of the page do nothing below a dialog.
    browser.press("k")?;
    browser.press("Escape")?;
    equal(&browser.evaluate(dialog)?, &json!(false))?;
    equal(&browser.evaluate(FOCUS)?, &json!(OUTPUT))?;
    // They skip what is filtered out, and are text in the search.
    search(browser, "aws_eip")?;
    browser.enter("j")?;
    browser.wait("document.querySelector('#status').textContent === '0 of 5 entries'")?;
    browser.press("Escape")?;
    browser.evaluate("document.querySelector('input[value=\"create\"]').click()")?;
    browser.evaluate("document.activeElement.blur()")?;
    browser.press("k")?;
    equal(&browser.evaluate(FOCUS)?, &json!(IP))?;
    browser.press("k")?;
    equal(&browser.evaluate(FOCUS)?, &json!(SUBNET))?;
    equal(&browser.happened()?.1.into(), &json!([]))
}

fn links_lead_to_entries(browser: &mut Browser) -> Result<(), Failed> {
    let page = page(&small());
    // As people write it, and as tools do that escape everything.
    for fragment in [
        SUBNET,
        "module.net[\"a b\"].aws_subnet.x[\"k 1\"]",
        "module.net%5B%22a%20b%22%5D.aws_subnet.x%5B%22k%201%22%5D",
    ] {
        browser.open(&page, fragment)?;
        browser.wait(&format!("({FOCUS}) === '{SUBNET}'"))?;
    }
    // A link shows what was filtered out or folded.
    browser.evaluate("document.querySelector('input[value=\"outputs\"]').click()")?;
    browser.evaluate("document.querySelectorAll('article > details').forEach((d) => (d.open = false))")?;
    browser.evaluate(&format!("document.querySelector('header a[href=\"#{VPC}\"]').click()"))?;
    browser.wait(&format!("({FOCUS}) === '{VPC}'"))?;
    equal(
        &browser
            .evaluate(&format!("document.getElementById('{VPC}').querySelector('.d').checkVisibility()"))?,
        &json!(true),
    )?;
    equal(&browser.evaluate(SHOWN)?, &json!([VPC, SUBNET, WEB, IP, OUTPUT]))?;
    // Every link of the page leads to something.
    let dead = "[...document.querySelectorAll('a')].filter((a) => a.getAttribute('href').startsWith('#') \
        && !document.getElementById(a.hash.slice(1))).map((a) => a.hash)";
    equal(&browser.evaluate(dead)?, &json!([]))?;
    browser.open(&page, "%E0%A4%A")?;
    equal(&browser.happened()?.1.into(), &json!([]))
}

fn all_can_be_folded(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&small()), "")?;
    let open = "document.querySelectorAll('article > details[open]').length";
    for (button, expected) in [("fold", 0), ("unfold", 5)] {
        browser.evaluate(&format!("document.querySelector('[data-do={button}]').click()"))?;
        equal(&browser.evaluate(open)?, &json!(expected))?;
    }
    Ok(())
}

/// How many entries are elements.
const MADE: &str = "document.querySelectorAll('article').length";

/// How many diffs are elements.
const DIFFS: &str = "document.querySelectorAll('article .d').length";

fn at_most(browser: &mut Browser, expression: &str, most: u64) -> Result<(), Failed> {
    match browser.evaluate(expression)?.as_u64() {
        Some(count) if (1..=most).contains(&count) => Ok(()),
        count => Err(format!("{expression} is {count:?}, not from 1 to {most}").into()),
    }
}

fn a_large_plan_is_laid_out_where_it_is_in_view(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&large(15_000)), "")?;
    at_most(browser, MADE, 500)?;
    equal(&browser.evaluate(DIFFS)?, &json!(0))?;
    at_most(browser, "document.querySelectorAll('*').length", 10_000)?;
    // In seven modules, with the diffs of those that are in view.
    browser.evaluate("document.querySelector('[data-do=unfold]').click()")?;
    browser.wait(&format!("{DIFFS} > 0"))?;
    at_most(browser, DIFFS, 500)?;
    at_most(browser, "document.querySelectorAll('*').length", 20_000)?;
    equal(
        &browser.evaluate("document.querySelectorAll('article > details:not([open])').length")?,
        &json!(0),
    )?;
    browser.evaluate("document.querySelector('[data-do=fold]').click()")?;
    browser.wait(&format!("{MADE} > 0 && {DIFFS} === 0"))?;
    at_most(browser, MADE, 500)?;
    equal(&browser.happened()?.1.into(), &json!([]))
}

fn entries_are_made_when_they_are_looked_at(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&large(1_000)), "")?;
    equal(&browser.evaluate(DIFFS)?, &json!(0))?;
    browser.evaluate("document.querySelector('article summary').click()")?;
    browser.wait(&format!("{DIFFS} === 1"))?;
    equal(
        &browser
            .evaluate("document.querySelector('article .d').innerText.includes('resource \"a_b\" \"c\"')")?,
        &json!(true),
    )?;
    // Folded and unfolded again, it is still made once.
    for open in [false, true] {
        browser.evaluate("document.querySelector('article summary').click()")?;
        browser.wait(&format!("document.querySelector('article details').open === {open}"))?;
    }
    equal(&browser.evaluate(DIFFS)?, &json!(1))?;
    // By scrolling, to the end.
    let last = "module.m5.a_b.c[999]";
    browser.evaluate("window.poll = setInterval(() => scrollTo(0, document.body.scrollHeight), 20)")?;
    browser.wait("[...document.querySelectorAll('main > section:last-child article')].length > 0")?;
    browser.wait(
        "(() => { const a = [...document.querySelectorAll('article')].pop().getBoundingClientRect(); \
        return a.top < innerHeight; })()",
    )?;
    browser.evaluate("clearInterval(window.poll)")?;
    at_most(browser, MADE, 700)?;
    // All is printed.
    browser.send("Page.printToPDF", &json!({}))?;
    equal(&browser.evaluate(MADE)?, &json!(1_000))?;
    equal(&browser.evaluate(DIFFS)?, &json!(1_000))?;
    equal(&browser.evaluate(&format!("document.getElementById('{last}') !== null"))?, &json!(true))?;
    equal(&browser.happened()?.1.into(), &json!([]))
}

fn entries_that_are_not_made_are_known(browser: &mut Browser) -> Result<(), Failed> {
    let page = page(&large(15_000));
    let last = "module.m5.a_b.c[14999]";
    let is_in_view = "(() => { const { top } = document.activeElement.getBoundingClientRect(); \
        return top >= 0 && top < innerHeight; })()";
    let is_open = format!("document.getElementById('{last}').querySelector('.d').checkVisibility()");
    let is_target = format!("document.getElementById('{last}').matches(':target')");
    // A link from elsewhere, and one on the page.
    browser.open(&page, last)?;
    browser.wait(&format!("({FOCUS}) === '{last}' && {is_in_view}"))?;
    equal(&browser.evaluate(&format!("[{is_open}, {is_target}]"))?, &json!([true, true]))?;
    browser.open(&page, "")?;
    equal(&browser.evaluate(&format!("document.getElementById('{last}')"))?, &Value::Null)?;
    browser.evaluate(&format!("location.hash = '#{last}'"))?;
    browser.wait(&format!("({FOCUS}) === '{last}' && {is_in_view}"))?;
    equal(&browser.evaluate(&is_open)?, &json!(true))?;
    // Search reads texts that are no elements, and unfolds what it finds.
    browser.open(&page, "")?;
    search(browser, "c[14999]")?;
    equal(&browser.evaluate(SHOWN)?, &json!([last]))?;
    search(browser, "c[14998] -&gt;")?;
    equal(&browser.evaluate(SHOWN)?, &json!([]))?;
    search(browser, "c[14998] -> \"y\"")?;
    let status = "document.querySelector('#status').textContent";
    equal(&browser.evaluate(status)?, &json!("1 of 15000 entries"))?;
    equal(&browser.evaluate("document.querySelectorAll('article > details[open] .d').length")?, &json!(1))?;
    equal(&browser.evaluate("CSS.highlights.get('found').size")?, &json!(3))?;
    browser.press("Escape")?;
    equal(&browser.evaluate("document.querySelectorAll('article > details[open]').length")?, &json!(0))?;
    // Filters show what is not made yet; keys go there.
    browser.evaluate("document.querySelector('input[value=\"create\"]').click()")?;
    browser.wait(&format!("{status} === '5000 of 15000 entries'"))?;
    browser.evaluate("document.activeElement.blur()")?;
    for name in ["module.m0.a_b.c[0]", "module.m0.a_b.c[21]"] {
        browser.press("j")?;
        equal(&browser.evaluate(FOCUS)?, &json!(name))?;
    }
    equal(&browser.happened()?.1.into(), &json!([]))
}

fn the_next_destroyed_object_is_one_key_away(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&small()), "")?;
    let click = "document.querySelector('[data-do=lost]').click()";
    browser.press("j")?;
    browser.press("j")?;
    equal(&browser.evaluate(FOCUS)?, &json!(SUBNET))?;
    // There is one, and behind the last one comes the first one.
    browser.press("d")?;
    equal(&browser.evaluate(FOCUS)?, &json!(VPC))?;
    browser.evaluate(click)?;
    equal(&browser.evaluate(FOCUS)?, &json!(VPC))?;
    browser.open(&page(&large(15_000)), "")?;
    for name in ["module.m0.a_b.c[14]", "module.m0.a_b.c[35]"] {
        browser.evaluate(click)?;
        equal(&browser.evaluate(FOCUS)?, &json!(name))?;
    }
    let nothing_lost = r#"{"format_version":"1.2","resource_changes":[]}"#;
    browser.open(&page(nothing_lost), "")?;
    browser.press("d")?;
    equal(&browser.evaluate("document.querySelector('[data-do=lost]')")?, &Value::Null)?;
    equal(&browser.happened()?.1.into(), &json!([]))
}

fn an_address_can_be_copied(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&small()), "")?;
    let copied = "window.copied = []; Object.defineProperty(navigator, 'clipboard', { value: { \
        writeText: async (text) => void window.copied.push(text) } })";
    browser.evaluate(copied)?;
    browser.evaluate(&format!("document.getElementById('{SUBNET}').querySelector('.y').click()"))?;
    browser.evaluate("document.activeElement.blur()")?;
    browser.press("j")?;
    browser.press("c")?;
    let expected = json!(["module.net[\"a b\"].aws_subnet.x[\"k 1\"]", "module.net[\"a b\"].aws_vpc.main"]);
    equal(&browser.evaluate("window.copied")?, &expected)?;
    // Where the clipboard is closed to pages, a field is selected for a moment.
    let closed = "window.selected = null; navigator.clipboard.writeText = async () => { throw 0 }; \
        document.execCommand = () => { window.selected = document.activeElement.value }";
    browser.evaluate(closed)?;
    browser.press("c")?;
    browser.wait("window.selected !== null")?;
    equal(&browser.evaluate("window.selected")?, &expected[1])?;
    equal(&browser.evaluate("document.querySelectorAll('textarea').length")?, &json!(0))?;
    equal(&browser.happened()?.1.into(), &json!([]))
}

fn the_tools_are_on_one_line(browser: &mut Browser) -> Result<(), Failed> {
    // Every filter that there is, and the longest status.
    browser.open(&page(&plan("y")), "")?;
    let size = json!({"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false});
    browser.send("Emulation.setDeviceMetricsOverride", &size)?;
    browser.evaluate("document.querySelector('#status').textContent = '15000 of 15000 entries'")?;
    equal(&browser.evaluate("document.querySelector('.tools').offsetHeight < 56")?, &json!(true))?;
    let wide = "document.documentElement.scrollWidth";
    equal(&browser.evaluate(&format!("{wide} <= 1280"))?, &json!(true))?;
    // The filters open above the page, and a click elsewhere closes them.
    let is_seen = "document.querySelector('.menu fieldset').checkVisibility()";
    for (selector, expected) in [(".menu summary", true), ("h1", false)] {
        browser.evaluate(&format!("document.querySelector('{selector}').click()"))?;
        equal(&browser.evaluate(is_seen)?, &json!(expected))?;
    }
    // A phone.
    let size = json!({"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": true});
    browser.send("Emulation.setDeviceMetricsOverride", &size)?;
    browser.evaluate("document.querySelector('.menu summary').click()")?;
    equal(&browser.evaluate(&format!("{wide} <= 390"))?, &json!(true))
}

fn a_broken_line_is_indented_on_a_narrow_screen(browser: &mut Browser) -> Result<(), Failed> {
    let value = json!({"note": "x".repeat(30), "long": format!("{} end", "word ".repeat(30))});
    let change = json!({"actions": ["create"], "before": null, "after": value});
    let plan = json!({"format_version": "1.2", "resource_changes": [
        {"address": "a.b", "type": "a", "name": "b", "change": change}]});
    let size = json!({"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": true});
    browser.send("Emulation.setDeviceMetricsOverride", &size)?;
    browser.open(&page(&plan.to_string()), "")?;
    // The left edges of the lines of the long value: the first begins with its sign, all others further in.
    let edges = "(() => { const walker = document.createTreeWalker(document.querySelector('.d'), NodeFilter.SHOW_TEXT); \
        const range = document.createRange(); const edges = new Map(); \
        while (walker.nextNode()) { const { data } = walker.currentNode; \
        for (let i = data.indexOf('+ long'); i >= 0 && i < data.indexOf('end\"'); i++) { \
        range.setStart(walker.currentNode, i); range.setEnd(walker.currentNode, i + 1); \
        const { left, top } = range.getBoundingClientRect(); \
        if (data[i] !== ' ' && !edges.has(top)) edges.set(top, Math.round(left)); } } return [...edges.values()]; })()";
    let edges = browser.evaluate(edges)?;
    let edges: Vec<u64> = edges.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let is_hanging = edges.len() > 2 && edges[1..].iter().all(|edge| *edge > edges[0] && *edge == edges[1]);
    is_hanging.then_some(()).ok_or_else(|| format!("{edges:?}").into())
}

fn without_scripts_nothing_is_missing(browser: &mut Browser) -> Result<(), Failed> {
    // The entries of a large plan, too.
    browser.send("Emulation.setScriptExecutionDisabled", &json!({"value": true}))?;
    browser.open(&page(&large(1_000)), "module.m6.a_b.c[335]")?;
    equal(&browser.evaluate(&format!("[{MADE}, {DIFFS}]"))?, &json!([1_000, 1_000]))?;
    equal(&browser.evaluate("document.querySelector(':target').checkVisibility()")?, &json!(true))?;
    browser.send("Emulation.setScriptExecutionDisabled", &json!({"value": false}))?;
    let text = "document.querySelector('main').innerText";
    browser.open(&page(&small()), "")?;
    browser.evaluate("document.querySelectorAll('.y').forEach((button) => button.remove())")?;
    let with = browser.evaluate(text)?;
    browser.send("Emulation.setScriptExecutionDisabled", &json!({"value": true}))?;
    browser.open(&page(&small()), "")?;
    equal(&browser.evaluate(text)?, &with)?;
    let hidden = "['.tools', 'dialog'].map((s) => document.querySelector(s).checkVisibility())";
    equal(&browser.evaluate(hidden)?, &json!([false, false]))?;
    equal(&browser.evaluate("document.querySelector('nav').checkVisibility()")?, &json!(true))?;
    equal(&browser.happened()?.1.into(), &json!([]))
}

/// The texts whose contrast with what is behind them is too low: 4.5 to 1 is what the guidelines for accessible pages ask for.
const LOW_CONTRAST: &str = "(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const color = parse(getComputedStyle(element).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || !element.checkVisibility()) continue;
    const [a, b] = [parse(getComputedStyle(element).color), behind(element)].map(luminance).sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) low.push(`${element.tagName} ${element.textContent.slice(0, 40)} ${contrast.toFixed(2)}`);
  }
  return low;
})()";

fn text_can_be_read_in_light_and_dark(browser: &mut Browser) -> Result<(), Failed> {
    let mut backgrounds = Vec::new();
    for scheme in ["light", "dark"] {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        browser.send("Emulation.setEmulatedMedia", &json!({"features": features}))?;
        browser.open(&page(&plan("y")), "")?;
        browser.evaluate("document.querySelectorAll('.u').forEach((u) => (u.open = true))")?;
        equal(&browser.evaluate(LOW_CONTRAST)?, &json!([]))?;
        backgrounds.push(browser.evaluate("getComputedStyle(document.body).backgroundColor")?);
    }
    equal(&json!(backgrounds[0] != backgrounds[1]), &json!(true))
}

fn landmarks_headings_and_names(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&plan("y")), "")?;
    let landmarks = "['header', 'nav[aria-label]', 'main', '[role=search]', 'h1', '[lang]'].map((s) => \
        document.querySelectorAll(s).length)";
    equal(&browser.evaluate(landmarks)?, &json!([1, 1, 1, 1, 1, 1]))?;
    let levels = browser.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].filter((h) => !h.closest('dialog')).map((h) => +h.tagName[1])")?;
    let levels: Vec<u64> = levels.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let is_skipped = levels.windows(2).any(|pair| pair[1] > pair[0] + 1);
    equal(&json!((levels.first(), is_skipped)), &json!([1, false]))?;
    // A screen reader has a name for everything that can have the focus.
    let tree = browser.send("Accessibility.getFullAXTree", &json!({}))?;
    let can_focus = |node: &&Value| {
        let properties = node["properties"].as_array().into_iter().flatten();
        properties
            .clone()
            .any(|property| property["name"] == "focusable" && property["value"]["value"] == true)
    };
    let nodes: Vec<&Value> = tree["nodes"].as_array().into_iter().flatten().filter(can_focus).collect();
    let is_nameless = |node: &&&Value| {
        let has_own_name =
            !["RootWebArea", "main"].contains(&node["role"]["value"].as_str().unwrap_or_default());
        has_own_name && node["name"]["value"].as_str().unwrap_or_default().is_empty()
    };
    let nameless: Vec<_> =
        nodes.iter().filter(is_nameless).map(|node| node["role"]["value"].clone()).collect();
    equal(&json!((nodes.len() > 20, nameless)), &json!([true, []]))?;
    // The order of the focus is that of the page.
    let describe = "((e) => e.className === 'skip' ? 'skip' : e.id || e.tagName)(document.activeElement)";
    let mut order = Vec::new();
    for _ in 0..3 {
        browser.press("Tab")?;
        order.push(browser.evaluate(describe)?);
    }
    equal(&json!(order), &json!(["skip", "A", "A"]))?;
    let mut focus = Value::Null;
    for _ in 0..20 {
        browser.press("Tab")?;
        focus = browser.evaluate(describe)?;
        if focus == "search" {
            break;
        }
    }
    equal(&focus, &json!("search"))
}

fn all_is_printed(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&small()), "")?;
    browser.evaluate("document.querySelector('[data-do=fold]').click()")?;
    browser.send("Emulation.setEmulatedMedia", &json!({"media": "print"}))?;
    let heights =
        "[...document.querySelectorAll('article .d')].every((d) => d.getBoundingClientRect().height > 20)";
    browser.wait(heights)?;
    let hidden = "['.tools', 'nav', '.l', '.skip'].map((s) => document.querySelector(s).checkVisibility())";
    equal(&browser.evaluate(hidden)?, &json!([false, false, false, false]))
}
