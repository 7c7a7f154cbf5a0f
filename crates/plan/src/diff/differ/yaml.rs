//! YAML in strings, as the JSON that says the same.

use std::collections::HashSet;

use saphyr_parser::{Event, Parser, ScalarStyle};

use objchange_document::json::MAX_DEPTH;
use objchange_text::json::write_string;

/// Longer texts are compared by their lines.
const MAX_LENGTH: usize = 1 << 20;

/// The JSON of a text that is one YAML document of several lines, a mapping or a sequence.
///
/// `None` for other texts, and for YAML without an equal in JSON: tags, anchors, merged mappings, keys that are
/// collections. Plain scalars that are numbers in JSON are numbers; `yes` and the like are strings.
pub(super) fn to_json(text: &str) -> Option<String> {
    // A single line is shown as a string in any case.
    if text.len() > MAX_LENGTH || !text.trim_end().contains('\n') {
        return None;
    }
    let mut json = String::with_capacity(text.len());
    let mut open: Vec<Collection> = Vec::new();
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        match event.ok()?.0 {
            Event::DocumentStart(_) if documents == 0 => documents = 1,
            // Aliases may expand exponentially, and several documents have no JSON form.
            Event::DocumentStart(_) | Event::Alias(_) => return None,
            Event::Scalar(text, style, 0, None) => match open.last_mut()? {
                Collection::Mapping { names, is_at_value } if !*is_at_value => {
                    let text = text.into_owned();
                    // A merge key, or a name that is there twice, has no JSON form that keeps its meaning.
                    if text == "<<" || names.contains(&text) {
                        return None;
                    }
                    separate(&mut json, names.is_empty());
                    write_string(&text, &mut json);
                    json.push(':');
                    names.insert(text);
                    *is_at_value = true;
                }
                around => {
                    around.start_value(&mut json);
                    write_scalar(&mut json, &text, style);
                }
            },
            Event::SequenceStart(0, None) => {
                start(&mut json, &mut open, '[', Collection::Sequence { is_empty: true })?;
            }
            Event::MappingStart(0, None) => {
                let mapping = Collection::Mapping { names: HashSet::new(), is_at_value: false };
                start(&mut json, &mut open, '{', mapping)?;
            }
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => return None,
            Event::SequenceEnd | Event::MappingEnd => {
                json.push(match open.pop()? {
                    Collection::Sequence { .. } => ']',
                    Collection::Mapping { .. } => '}',
                });
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }
    (!json.is_empty()).then_some(json)
}

/// The comment lines. They matter because the first one may select the interpreter, as cloud-init's `#cloud-config`
/// does.
pub(super) fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.starts_with('#'))
}

/// A collection that has not ended yet.
enum Collection {
    Sequence { is_empty: bool },
    Mapping { names: HashSet<String>, is_at_value: bool },
}

impl Collection {
    /// Notes that an element or the value of a name begins, and writes what separates it from the one before.
    fn start_value(&mut self, json: &mut String) {
        match self {
            Self::Sequence { is_empty } => separate(json, std::mem::replace(is_empty, false)),
            Self::Mapping { is_at_value, .. } => *is_at_value = false,
        }
    }
}

fn start(json: &mut String, open: &mut Vec<Collection>, bracket: char, collection: Collection) -> Option<()> {
    match open.last_mut() {
        Some(Collection::Mapping { is_at_value: false, .. }) => return None,
        Some(around) => around.start_value(json),
        None => {}
    }
    json.push(bracket);
    open.push(collection);
    (open.len() <= MAX_DEPTH).then_some(())
}

fn separate(json: &mut String, is_first: bool) {
    if !is_first {
        json.push(',');
    }
}

fn write_scalar(json: &mut String, text: &str, style: ScalarStyle) {
    let plain = match text {
        _ if style != ScalarStyle::Plain => None,
        // YAML 1.2's core schema. Words of YAML 1.1 such as `yes` stay strings: their meaning depends on the reader.
        "" | "~" | "null" | "Null" | "NULL" => Some("null"),
        "true" | "True" | "TRUE" => Some("true"),
        "false" | "False" | "FALSE" => Some("false"),
        number if is_json_number(number) => Some(number),
        _ => None,
    };
    match plain {
        Some(plain) => json.push_str(plain),
        None => write_string(text, json),
    }
}

fn is_json_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && serde_json::from_str::<serde_json::Number>(text).is_ok()
}
