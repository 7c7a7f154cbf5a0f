//! How an answer differs from Terraform's.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::case::Answer;

/// A part of an answer, and the first difference in it.
pub(crate) type Verdicts = BTreeMap<String, Option<String>>;

/// Compares the parts of an answer: only those that one of the two has.
pub(crate) fn compare(want: &Answer, got: &Answer) -> Verdicts {
    let mut verdicts = Verdicts::new();
    verdicts.insert(
        "exit".to_owned(),
        (want.exit != got.exit).then(|| format!("want {}, got {}", want.exit, got.exit)),
    );
    let keys = |answer: &Answer| answer.diagnostics.iter().map(diagnostic).collect();
    verdicts.insert("diagnostics".to_owned(), multiset_difference(keys(want), keys(got)));
    if !want.diagnostics.is_empty() && verdicts["diagnostics"].is_none() {
        let snippets = |answer: &Answer| answer.diagnostics.iter().map(with_snippet).collect();
        verdicts.insert("snippets".to_owned(), multiset_difference(snippets(want), snippets(got)));
    }
    if want.text.is_some() || (got.text.is_some() && want.plan.is_none()) {
        verdicts.insert("text".to_owned(), text_difference(want.text.as_deref(), got.text.as_deref()));
    }
    let (want, got) = (want.plan.as_ref().map(normal), got.plan.as_ref().map(normal));
    let none = serde_json::Map::new();
    let sections = |plan: &Option<Json>| plan.as_ref().and_then(Json::as_object).unwrap_or(&none).clone();
    let (want, got) = (sections(&want), sections(&got));
    let names: BTreeSet<&String> = want.keys().chain(got.keys()).collect();
    for name in names {
        let difference = first_difference(name, want.get(name), got.get(name));
        verdicts.insert(format!("plan.{name}"), difference);
    }
    verdicts
}

/// Whether all is the same that has to be.
pub(crate) fn passes(verdicts: &Verdicts) -> bool {
    verdicts.iter().all(|(part, difference)| part == "snippets" || difference.is_none())
}

/// A document without what is random or of a version.
fn normal(plan: &Json) -> Json {
    let mut plan = plan.clone();
    let Some(sections) = plan.as_object_mut() else { return plan };
    sections.remove("terraform_version");
    sections.remove("timestamp");
    if let Some(Json::Object(state)) = sections.get_mut("prior_state") {
        state.remove("terraform_version");
    }
    if let Some(Json::Array(attributes)) = sections.get_mut("relevant_attributes") {
        attributes.sort_by_key(ToString::to_string);
    }
    if let Some(root) = sections.get_mut("planned_values").and_then(|values| values.get_mut("root_module")) {
        sort_modules(root);
    }
    if let Some(Json::Array(checks)) = sections.get_mut("checks") {
        for instance in checks.iter_mut().filter_map(|c| c.get_mut("instances")?.as_array_mut()).flatten() {
            if let Some(Json::Array(problems)) = instance.get_mut("problems") {
                problems.sort_by_key(ToString::to_string);
            }
        }
    }
    plan
}

fn sort_modules(module: &mut Json) {
    if let Some(Json::Array(children)) = module.get_mut("child_modules") {
        children.sort_by_key(|child| child["address"].to_string());
        children.iter_mut().for_each(sort_modules);
    }
}

/// The text and place of an error or warning.
fn diagnostic(diagnostic: &Json) -> String {
    let mut key = json!({});
    for field in ["severity", "summary", "detail", "range"] {
        key[field] = diagnostic.get(field).cloned().unwrap_or(Json::Null);
    }
    // Terraform has the names of a cycle in any order.
    if let Some(names) = key["summary"].as_str().and_then(|summary| summary.strip_prefix("Cycle: ")) {
        let mut names: Vec<&str> = names.split(", ").collect();
        names.sort_unstable();
        key["summary"] = format!("Cycle: {}", names.join(", ")).into();
    }
    let end = key["range"]["end"].clone();
    let place = |at: &Json| format!("{},{}", at["line"], at["column"]);
    format!(
        "{} {} {}:{}-{} {}",
        key["severity"],
        key["summary"],
        key["range"]["filename"],
        place(&key["range"]["start"]),
        place(&end),
        key["detail"]
    )
}

fn with_snippet(whole: &Json) -> String {
    format!("{} snippet {}", diagnostic(whole), whole.get("snippet").unwrap_or(&Json::Null))
}

fn multiset_difference(mut want: Vec<String>, mut got: Vec<String>) -> Option<String> {
    want.retain(|key| match got.iter().position(|other| other == key) {
        Some(at) => {
            got.swap_remove(at);
            false
        }
        None => true,
    });
    if want.is_empty() && got.is_empty() {
        return None;
    }
    want.sort();
    got.sort();
    let lines = want.iter().map(|key| format!("missing {key}"));
    let lines = lines.chain(got.iter().map(|key| format!("too much {key}")));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn text_difference(want: Option<&str>, got: Option<&str>) -> Option<String> {
    let (want, got) = match (want, got) {
        (Some(want), Some(got)) => (want, got),
        (None, None) => return None,
        (Some(_), None) => return Some("no text".to_owned()),
        (None, Some(_)) => return Some("a text too much".to_owned()),
    };
    if want == got {
        return None;
    }
    let (mut want_lines, mut got_lines) = (want.lines(), got.lines());
    for number in 1.. {
        let (want, got) = (want_lines.next(), got_lines.next());
        if want != got {
            return Some(format!("line {number}: want {want:?}, got {got:?}"));
        }
        if want.is_none() {
            break;
        }
    }
    Some("the end of the last line".to_owned())
}

/// The first place where two documents differ.
fn first_difference(path: &str, want: Option<&Json>, got: Option<&Json>) -> Option<String> {
    let (want, got) = match (want, got) {
        (None, None) => return None,
        (Some(want), None) => return Some(format!("{path}: missing {}", cut(want))),
        (None, Some(got)) => return Some(format!("{path}: too much {}", cut(got))),
        (Some(want), Some(got)) => (want, got),
    };
    match (want, got) {
        (Json::Object(want), Json::Object(got)) => {
            let names: BTreeSet<&String> = want.keys().chain(got.keys()).collect();
            names
                .into_iter()
                .find_map(|name| first_difference(&format!("{path}.{name}"), want.get(name), got.get(name)))
        }
        (Json::Array(want), Json::Array(got)) => (0..want.len().max(got.len())).find_map(|i| {
            first_difference(&format!("{path}{}", element(i, want, got)), want.get(i), got.get(i))
        }),
        (Json::Number(a), Json::Number(b)) if a.as_f64() == b.as_f64() => None,
        _ if want == got => None,
        _ => Some(format!("{path}: want {}, got {}", cut(want), cut(got))),
    }
}

/// An element by its address, where it has one.
fn element(i: usize, want: &[Json], got: &[Json]) -> String {
    let address = want.get(i).or(got.get(i)).and_then(|element| element.get("address")?.as_str());
    address.map_or_else(|| format!("[{i}]"), |address| format!("[{i}: {address}]"))
}

fn cut(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(240) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
