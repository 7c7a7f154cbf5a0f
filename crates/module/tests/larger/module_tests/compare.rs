//! How an answer differs from Terraform's.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::case::Answer;

/// A part of an answer, and the first difference in it.
pub(crate) type Verdicts = BTreeMap<String, Option<String>>;

/// Compares the parts of an answer that Terraform's has.
pub(crate) fn compare(want: &Answer, got: &Answer) -> Verdicts {
    let mut verdicts = Verdicts::new();
    let exit = (want.exit != got.exit).then(|| format!("want {}, got {}", want.exit, got.exit));
    verdicts.insert("exit".to_owned(), exit);
    verdicts.insert("runs".to_owned(), first_difference(&want.runs, &got.runs));
    if let Some(want) = &want.text {
        verdicts.insert("text".to_owned(), text_difference(want, got.text.as_deref().unwrap_or_default()));
    }
    if let Some(want) = &want.errors {
        verdicts
            .insert("stderr".to_owned(), text_difference(want, got.errors.as_deref().unwrap_or_default()));
    }
    if let Some(want) = &want.messages {
        let nothing = Vec::new();
        let got = got.messages.as_ref().unwrap_or(&nothing);
        verdicts.insert("diagnostics".to_owned(), diagnostics_difference(want, got));
        verdicts.insert("messages".to_owned(), messages_difference(want, got));
    }
    if let Some(want) = &want.junit {
        verdicts.insert("junit".to_owned(), text_difference(want, got.junit.as_deref().unwrap_or_default()));
    }
    verdicts
}

fn first_difference<T: PartialEq + std::fmt::Debug>(want: &[T], got: &[T]) -> Option<String> {
    (0..want.len().max(got.len()))
        .find(|i| want.get(*i) != got.get(*i))
        .map(|i| format!("{i}: want {:?}, got {:?}", want.get(i), got.get(i)))
}

fn text_difference(want: &str, got: &str) -> Option<String> {
    if want == got {
        return None;
    }
    let (want_lines, got_lines): (Vec<&str>, Vec<&str>) = (want.lines().collect(), got.lines().collect());
    // Terraform has the names of a cycle in any order.
    let normal = |line: &str| match line.split_once("Cycle: ") {
        Some((before, names)) => {
            let mut names: Vec<&str> = names.split(", ").collect();
            names.sort_unstable();
            format!("{before}Cycle: {}", names.join(", "))
        }
        None => line.to_owned(),
    };
    let want_lines: Vec<String> = want_lines.into_iter().map(normal).collect();
    let got_lines: Vec<String> = got_lines.into_iter().map(normal).collect();
    let found = first_difference(&want_lines, &got_lines).map(|found| format!("line {found}"));
    found.or_else(|| (want.trim_end() != got.trim_end()).then(|| "the ends of lines".to_owned()))
}

/// The diagnostics, whatever their order.
fn diagnostics_difference(want: &[Json], got: &[Json]) -> Option<String> {
    let of = |messages: &[Json]| {
        let mut all: Vec<String> = messages
            .iter()
            .filter(|message| message["type"] == "diagnostic")
            .map(|message| normal(message).to_string())
            .collect();
        all.sort();
        all
    };
    first_difference(&of(want), &of(got))
}

/// All messages in order, but diagnostics of one place and clean-ups in any.
fn messages_difference(want: &[Json], got: &[Json]) -> Option<String> {
    first_difference(&in_order(want), &in_order(got))
}

fn in_order(messages: &[Json]) -> Vec<String> {
    let mut all = Vec::with_capacity(messages.len());
    let mut group: Vec<String> = Vec::new();
    for message in messages {
        let is_free = message["type"] == "diagnostic" || message["test_run"]["progress"] == "teardown";
        if !is_free {
            group.sort();
            all.append(&mut group);
            all.push(normal(message).to_string());
        } else {
            group.push(normal(message).to_string());
        }
    }
    group.sort();
    all.append(&mut group);
    all
}

/// A message without what is another one each time.
fn normal(message: &Json) -> Json {
    let mut message = message.clone();
    if let Some(fields) = message.as_object_mut() {
        fields.remove("@timestamp");
    }
    for place in ["/@message", "/diagnostic/summary"] {
        if let Some(text) = message.pointer_mut(place)
            && let Some((before, names)) = text.as_str().and_then(|text| text.split_once("Cycle: "))
        {
            let mut names: Vec<&str> = names.split(", ").collect();
            names.sort_unstable();
            *text = format!("{before}Cycle: {}", names.join(", ")).into();
        }
    }
    message
}
