//! HTML pages in a real browser, where there is one.

mod chromium;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;

use libtest_mimic::{Failed, Trial};
use objchange_plan::{Document, Filter, HtmlOptions, Options, Report, Schemas};
use serde_json::{Value, json};

use self::chromium::Browser;
use crate::plans::{HOSTILE, large, plan};

type Check = fn(&mut Browser) -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let browser = chromium::find();
    let checks: [(&str, Check); 12] = [
        ("opens_without_a_message_or_a_request", opens_without_a_message_or_a_request),
        ("hostile_values_do_nothing", hostile_values_do_nothing),
        ("search_finds_addresses_types_and_values", search_finds_addresses_types_and_values),
        ("filters_choose_by_action_and_section", filters_choose_by_action_and_section),
        ("keys_go_from_entry_to_entry", keys_go_from_entry_to_entry),
        ("links_lead_to_entries", links_lead_to_entries),
        ("all_can_be_folded", all_can_be_folded),
        ("a_large_plan_is_laid_out_where_it_is_in_view", a_large_plan_is_laid_out_where_it_is_in_view),
        ("without_scripts_nothing_is_missing", without_scripts_nothing_is_missing),
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
        "[...document.querySelectorAll('nav .none')].length === document.querySelectorAll('nav a').length";
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

fn a_large_plan_is_laid_out_where_it_is_in_view(browser: &mut Browser) -> Result<(), Failed> {
    browser.open(&page(&large(15_000)), "")?;
    equal(&browser.evaluate("document.querySelectorAll('article').length")?, &json!(15_000))?;
    let laid_out = "[...document.querySelectorAll('article')].filter((a) => \
        a.checkVisibility({ contentVisibilityAuto: true })).length";
    let count = browser.evaluate(laid_out)?.as_u64().unwrap_or_default();
    if !(1..2_000).contains(&count) {
        return Err(format!("{count} entries are laid out").into());
    }
    let last = "module.m5.a_b.c[14999]";
    search(browser, last)?;
    equal(&browser.evaluate(SHOWN)?, &json!([last]))?;
    browser.press("Escape")?;
    browser.evaluate("document.querySelectorAll('article')[9000].querySelector('.l').click()")?;
    browser.wait("document.querySelectorAll('article')[9000].contains(document.activeElement)")?;
    let is_in_view = "(() => { const { top } = document.activeElement.getBoundingClientRect(); \
        return top >= 0 && top < innerHeight; })()";
    browser.wait(is_in_view)?;
    equal(&browser.happened()?.1.into(), &json!([]))
}

fn without_scripts_nothing_is_missing(browser: &mut Browser) -> Result<(), Failed> {
    let text = "document.querySelector('main').innerText";
    browser.open(&page(&small()), "")?;
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
