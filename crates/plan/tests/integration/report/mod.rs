//! Reads a report back from its JSON, as a renderer outside of this process would, and prints it.

use std::collections::BTreeMap;
use std::fmt;

use objchange_plan::diff::{
    Block, BlockType, DiffAction, Entry, Kind, Line, NestedBlock, Primitive, Scalar, Sensitivity,
};
use objchange_plan::report::{Entries, IgnoredChanges, ReportEntry, Section, ShowError};
use objchange_plan::{Diff, Options, Report};
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;

type Members<'a> = BTreeMap<String, &'a RawValue>;

/// The text of a report, which is also that of what its JSON says.
pub(crate) fn text(report: &Report<'_>, options: &Options) -> Result<String, ShowError> {
    let write = |report: &Report<'_>| {
        let mut out = Vec::new();
        report.write_text(&mut out, options)?;
        Ok::<_, ShowError>(String::from_utf8(out).unwrap())
    };
    let text = write(report)?;
    let mut json = Vec::new();
    report.write_json(&mut json)?;
    let again = write(&read(std::str::from_utf8(&json).unwrap()))?;
    let is_same = |(again, line): (&str, &str)| again == line || has_hidden_label(again, line);
    let same = again.lines().count() == text.lines().count() && again.lines().zip(text.lines()).all(is_same);
    assert!(same, "the JSON says: {}", first_difference(&text, &again));
    Ok(text)
}

/// Terraform's text shows the labels of blocks whose type is sensitive as a whole; no JSON does.
fn has_hidden_label(again: &str, line: &str) -> bool {
    again.split_once("\"(sensitive value)\" {").is_some_and(|(before, after)| {
        let label = line.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        label.is_some_and(|label| label.starts_with('"') && label.ends_with("\" {"))
    })
}

/// The first line in which two texts differ.
pub(crate) fn first_difference(want: &str, got: &str) -> String {
    let (mut want, mut got) = (want.split('\n'), got.split('\n'));
    for line in 1.. {
        match (want.next(), got.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => return format!("line {line}\n  want {a:?}\n  got  {b:?}"),
        }
    }
    String::new()
}

/// The members of an object in the order of the text.
struct Ordered<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Ordered<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(InOrder).map(Ordered)
    }
}

/// The report that this is the JSON of.
fn read(json: &str) -> Report<'static> {
    let mut report = Report::default();
    let Ordered(members) = parse(json);
    for (name, value) in members {
        let value = value.get();
        report.sections.push(match name.as_str() {
            "format_version" => {
                assert_eq!(value, "\"1.3\"");
                continue;
            }
            "program" => {
                report.program = parse::<String>(value).parse().unwrap();
                continue;
            }
            "mode" => {
                report.mode = parse(value);
                continue;
            }
            "errored" => {
                report.errored = parse(value);
                continue;
            }
            "applyable" => {
                report.applyable = Some(parse(value));
                continue;
            }
            "complete" => {
                report.complete = Some(parse(value));
                continue;
            }
            "lacks_schemas" => {
                report.lacks_schemas = parse(value);
                continue;
            }
            "counts" => {
                report.counts = parse(value);
                continue;
            }
            "checks" => {
                report.checks = parse(value);
                continue;
            }
            "ignored" => {
                let members: Members<'_> = parse(value);
                report.ignored = Some(IgnoredChanges {
                    paths: parse(member(&members, "paths")),
                    updates: entries(member(&members, "updates")),
                    drift: entries(member(&members, "drift")),
                    outputs: parse(member(&members, "outputs")),
                });
                continue;
            }
            "warnings" => Section::Warnings(parse(value)),
            "resource_drift" => Section::ResourceDrift(entries(value)),
            "outcome" => Section::Outcome(parse(value)),
            "deferred_changes" => Section::DeferredChanges(entries(value)),
            "legend" => Section::Legend(parse(value)),
            "resource_changes" => Section::ResourceChanges(entries(value)),
            "summary" => Section::Summary(parse(value)),
            "invoked_actions" => Section::InvokedActions(entries(value)),
            "output_changes" => Section::OutputChanges { changed: entries(value), unchanged: Vec::new() },
            "unchanged_outputs" => {
                let Some(Section::OutputChanges { unchanged, .. }) = report.sections.last_mut() else {
                    panic!("it follows the others");
                };
                *unchanged = parse(value);
                continue;
            }
            "notes" => Section::Notes(parse(value)),
            "resources" => Section::Resources(entries(value)),
            "outputs" => Section::Outputs(entries(value)),
            other => panic!("unknown section {other}"),
        });
    }
    report
}

fn parse<'a, T: de::Deserialize<'a>>(json: &'a str) -> T {
    serde_json::from_str(json).unwrap()
}

fn list<T>(json: &str, one: impl Fn(&str) -> T) -> Vec<T> {
    parse::<Vec<&RawValue>>(json).into_iter().map(|value| one(value.get())).collect()
}

fn entries<H: DeserializeOwned>(json: &str) -> Entries<'static, H> {
    entry_list(json).into()
}

fn entry_list<H: DeserializeOwned>(json: &str) -> Vec<ReportEntry<'static, H>> {
    list(json, |entry| {
        let members: Members<'_> = parse(entry);
        let actions = |name| members.get(name).map(|list| entry_list(list.get())).unwrap_or_default();
        ReportEntry {
            header: parse(entry),
            diff: diff(member(&members, "diff")),
            actions_before: actions("actions_before"),
            actions_after: actions("actions_after"),
        }
    })
}

fn member<'a>(members: &Members<'a>, name: &str) -> &'a str {
    members.get(name).map_or("null", |value| value.get())
}

fn flag(members: &Members<'_>, name: &str) -> bool {
    member(members, name) == "true"
}

fn diff(json: &str) -> Diff<'static> {
    let members: Members<'_> = parse(json);
    Diff {
        action: parse(member(&members, "action")),
        replace: flag(&members, "replace"),
        hidden: flag(&members, "hidden"),
        ignored: flag(&members, "ignored"),
        recomputed: flag(&members, "recomputed"),
        mark_changes: flag(&members, "mark_changes"),
        kind: kind(&members),
    }
}

fn kind(members: &Members<'_>) -> Kind<'static> {
    let get = |name| member(members, name);
    let nested = flag(members, "nested");
    match parse(get("kind")) {
        "primitive" => Kind::Primitive(Primitive {
            before: scalar(get("before")),
            after: scalar(get("after")),
            null_string: flag(members, "null_string"),
            white_space: flag(members, "white_space"),
        }),
        "text" => Kind::Text { lines: list(get("lines"), line), white_space: flag(members, "white_space") },
        "json" => Kind::Json { value: Box::new(diff(get("value"))), notation: flag(members, "notation") },
        "yaml" => Kind::Yaml { value: Box::new(diff(get("value"))) },
        "object" => Kind::Object { attributes: list(get("attributes"), entry).into(), nested },
        "map" => Kind::Map { elements: list(get("elements"), entry).into(), nested },
        "list" => {
            Kind::List { elements: list(get("elements"), diff).into(), context: flag(members, "context") }
        }
        "set" => Kind::Set { elements: list(get("elements"), diff).into(), nested },
        "block" => Kind::Block(Block {
            attributes: list(get("attributes"), entry).into(),
            blocks: list(get("blocks"), block_type),
            has_repeated_types: flag(members, "has_repeated_types"),
        }),
        "unknown" => {
            Kind::Unknown { before: Some(get("before")).filter(|b| *b != "null").map(|b| Box::new(diff(b))) }
        }
        "sensitive" => Kind::Sensitive(sensitivity(members)),
        "sensitive_block" => Kind::SensitiveBlock(sensitivity(members)),
        "shown" => {
            Kind::Shown { marks: sensitivity(&parse(get("marks"))), value: Box::new(diff(get("value"))) }
        }
        "type_change" => {
            Kind::TypeChange { before: Box::new(diff(get("before"))), after: Box::new(diff(get("after"))) }
        }
        "write_only" => Kind::WriteOnly { sensitive: flag(members, "sensitive") },
        other => panic!("unknown kind {other}"),
    }
}

fn sensitivity(members: &Members<'_>) -> Sensitivity {
    let flag = |name| flag(members, name);
    Sensitivity {
        before: flag("before"),
        after: flag("after"),
        unchanged: flag("unchanged"),
        whole_type: flag("whole_type"),
    }
}

fn scalar(json: &str) -> Scalar<'static> {
    match json.as_bytes()[0] {
        b'n' => Scalar::Null,
        b't' | b'f' => Scalar::Bool(parse(json)),
        b'"' => Scalar::String(parse(json)),
        _ => Scalar::Number(json.to_owned().into()),
    }
}

fn line(json: &str) -> Line<'static> {
    let members: Members<'_> = parse(json);
    let action: DiffAction = parse(member(&members, "action"));
    Line { action, text: parse(member(&members, "text")) }
}

fn entry(json: &str) -> Entry<'static> {
    Entry { key: parse(member(&parse(json), "key")), diff: diff(json) }
}

fn block_type(json: &str) -> BlockType<'static> {
    let members: Members<'_> = parse(json);
    let block = |json: &str| {
        let members: Members<'_> = parse(json);
        NestedBlock { label: members.get("label").map(|label| parse(label.get())), diff: diff(json) }
    };
    BlockType {
        name: parse(member(&members, "name")),
        unknown: members.get("unknown").map(|unknown| diff(unknown.get())),
        blocks: list(member(&members, "blocks"), block).into(),
    }
}
