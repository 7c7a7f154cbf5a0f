//! Reading a hints file: each key is known, or the error says which is meant.

use objchange::Value;
use objchange::change::Severity;
use objchange_provider::Component;
use objchange_text::did_you_mean;
use objchange_text::json::{Node, NodeKind, Property};
use regex::{Regex, RegexBuilder};
use wildmatch::WildMatch;

use super::hinted_value::RegexText;
use super::json::{parse, value};
use super::{Expected, HintedValue, Hints, HintsError, SENSITIVE, Summary, TypeHints};

/// How large a compiled regular expression may be.
// The crate's own limit is 10 MiB for each of them.
const MAX_PATTERN: usize = 1 << 20;

const COMPONENTS: [(&str, Component); 6] = [
    ("provider", Component::Provider),
    ("resource", Component::Resource),
    ("data_source", Component::DataSource),
    ("ephemeral_resource", Component::EphemeralResource),
    ("list_resource", Component::ListResource),
    ("action", Component::Action),
];

type Result<T> = std::result::Result<T, HintsError>;

pub(super) fn hints(file: &[u8]) -> Result<Hints> {
    let text = std::str::from_utf8(file).map_err(|error| {
        HintsError::new(format!("byte {}", error.valid_up_to()), "the file is no text in UTF-8")
    })?;
    let mut hints = Hints::default();
    for (key, member, at) in members(&parse(text)?, "", &["$schema", "provider", "values", "types"])? {
        match key {
            "provider" => {
                object(member, &at)?;
                no_duplicates(member, &at)?;
                hints.provider = Some(value(member, &at)?);
            }
            "values" => hints.values = values(member, &at)?,
            "types" => {
                let each = |(i, json)| of_types(json, &format!("{at}[{i}]"));
                hints.types = array(member, &at)?.iter().enumerate().map(each).collect::<Result<_>>()?;
            }
            _ => {}
        }
    }
    Ok(hints)
}

fn of_types(json: &Node<'_>, at: &str) -> Result<TypeHints> {
    let known = ["type", "of", "skip", "values", "expect", "import", "update"];
    let mut entry = TypeHints {
        name: WildMatch::new("*"),
        component: None,
        skip: None,
        values: Vec::new(),
        expect: Vec::new(),
        import: None,
        update: Vec::new(),
    };
    for (key, member, at) in members(json, at, &known)? {
        match key {
            "type" => entry.name = WildMatch::new(text(member, &at)?),
            "of" => entry.component = Some(one_of(text(member, &at)?, &COMPONENTS, &at)?),
            "skip" => entry.skip = Some(text(member, &at)?.to_owned()),
            "values" => entry.values = values(member, &at)?,
            "expect" => {
                let each = |(i, json)| expected(json, &format!("{at}[{i}]"));
                entry.expect = array(member, &at)?.iter().enumerate().map(each).collect::<Result<_>>()?;
            }
            "import" => entry.import = Some(text(member, &at)?.to_owned()),
            _ => {
                for Property { name: path, value: json, .. } in object(member, &at)? {
                    let at = key_at(&at, path);
                    no_duplicates(json, &at)?;
                    entry.update.push((path.to_string(), value(json, &at)?));
                }
            }
        }
    }
    Ok(entry)
}

fn expected(json: &Node<'_>, at: &str) -> Result<Expected> {
    let (mut severity, mut summary) = (None, None);
    for (key, member, at) in members(json, at, &["severity", "summary", "summary_matches"])? {
        match key {
            "severity" => {
                let known = [("error", Severity::Error), ("warning", Severity::Warning)];
                severity = Some(one_of(text(member, &at)?, &known, &at)?);
                continue;
            }
            _ if summary.is_some() => {
                return Err(HintsError::new(at, "either summary or summary_matches, not both"));
            }
            "summary" => summary = Some(Summary::Exactly(text(member, &at)?.to_owned())),
            _ => summary = Some(Summary::Matching(regex(text(member, &at)?, &at)?)),
        }
    }
    let summary = summary.ok_or_else(|| HintsError::new(at, "summary or summary_matches is needed"))?;
    Ok(Expected { severity, summary })
}

fn regex(expression: &str, at: &str) -> Result<Regex> {
    let built = RegexBuilder::new(expression).size_limit(MAX_PATTERN).build();
    built.map_err(|_| HintsError::new(at, "this is no regular expression, or too large a one"))
}

fn values(json: &Node<'_>, at: &str) -> Result<Vec<(WildMatch, HintedValue)>> {
    let one = |Property { name: path, value: json, .. }: &Property<'_>| {
        let at = key_at(at, path);
        no_duplicates(json, &at)?;
        Ok((WildMatch::new(path), hinted_value(json, &at)?))
    };
    no_duplicates(json, at)?;
    object(json, at)?.iter().map(one).collect()
}

/// The hint for an attribute: an object with one key that begins with `$` tells how the value is made.
fn hinted_value(json: &Node<'_>, at: &str) -> Result<HintedValue> {
    let NodeKind::Object(members) = &json.kind else { return Ok(HintedValue::Value(value(json, at)?)) };
    let [Property { name: key, value: inner, .. }] = &members[..] else {
        return Ok(HintedValue::Value(value(json, at)?));
    };
    let inner_at = key_at(at, key);
    Ok(match &**key {
        "$one_of" => {
            let values = array(inner, &inner_at)?.iter().map(|element| value(element, &inner_at));
            let values: Vec<Value> = values.collect::<Result<_>>()?;
            if values.is_empty() {
                return Err(HintsError::new(inner_at, "at least one value is needed"));
            }
            HintedValue::OneOf(values)
        }
        "$regex" => {
            let built = RegexText::new(text(inner, &inner_at)?);
            HintedValue::Matching(built.ok_or_else(|| {
                HintsError::new(inner_at, "this is no regular expression that texts can be made from")
            })?)
        }
        "$absent" => match inner.kind {
            NodeKind::Bool(true) => HintedValue::Absent,
            _ => return Err(HintsError::new(inner_at, "true is expected here")),
        },
        SENSITIVE => match hinted_value(inner, &inner_at)? {
            HintedValue::Value(value) => HintedValue::Value(value.sensitive()),
            HintedValue::OneOf(values) => {
                HintedValue::OneOf(values.into_iter().map(Value::sensitive).collect())
            }
            HintedValue::Matching(text) => HintedValue::Matching(text.secret()),
            HintedValue::Absent => HintedValue::Absent,
        },
        key if key.starts_with('$') => {
            let known = ["$one_of", "$regex", "$absent", SENSITIVE];
            return Err(unknown_key(key, &known, inner_at));
        }
        _ => HintedValue::Value(value(json, at)?),
    })
}

type Members<'j, 't> = Vec<(&'j str, &'j Node<'t>, String)>;

/// The members of an object, each with its place. An unknown key is an error.
fn members<'j, 't>(json: &'j Node<'t>, at: &str, known: &[&str]) -> Result<Members<'j, 't>> {
    let members = object(json, at)?;
    let mut out: Members<'j, 't> = Vec::new();
    for Property { name: key, value: member, .. } in members {
        let at = key_at(at, key);
        if !known.contains(&&**key) {
            return Err(unknown_key(key, known, at));
        }
        if out.iter().any(|(earlier, ..)| earlier == key) {
            return Err(HintsError::new(at, "this key is used twice"));
        }
        out.push((key, member, at));
    }
    Ok(out)
}

fn no_duplicates(json: &Node<'_>, at: &str) -> Result<()> {
    match &json.kind {
        NodeKind::Object(members) => {
            let mut keys = std::collections::HashSet::new();
            for Property { name: key, value: member, .. } in members.iter() {
                let at = key_at(at, key);
                if !keys.insert(key) {
                    return Err(HintsError::new(at, "this key is used twice"));
                }
                // Keys inside a secret may be secret.
                no_duplicates(member, if key == SENSITIVE { "a secret" } else { &at })?;
            }
            Ok(())
        }
        NodeKind::Array(elements) => {
            elements.iter().enumerate().try_for_each(|(i, e)| no_duplicates(e, &format!("{at}[{i}]")))
        }
        _ => Ok(()),
    }
}

fn unknown_key(key: &str, known: &[&str], at: String) -> HintsError {
    HintsError::new(at, format!("there is no such field{}", did_you_mean(key, known.iter().copied())))
}

fn one_of<T: Copy>(word: &str, known: &[(&str, T)], at: &str) -> Result<T> {
    if let Some((_, found)) = known.iter().find(|(name, _)| *name == word) {
        return Ok(*found);
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    Err(HintsError::new(
        at,
        format!("one of {} is expected here{}", names.join(", "), did_you_mean(word, names.iter().copied())),
    ))
}

fn key_at(at: &str, key: &str) -> String {
    let path = objchange::value::Path::root().attribute(key);
    if at.is_empty() { path.to_string() } else { format!("{at}{}", path.suffix()) }
}

fn object<'j, 't>(json: &'j Node<'t>, at: &str) -> Result<&'j [Property<'t>]> {
    match &json.kind {
        NodeKind::Object(members) => Ok(members),
        _ => Err(expects("an object", json, at)),
    }
}

fn array<'j, 't>(json: &'j Node<'t>, at: &str) -> Result<&'j [Node<'t>]> {
    match &json.kind {
        NodeKind::Array(elements) => Ok(elements),
        _ => Err(expects("an array", json, at)),
    }
}

fn text<'j>(json: &'j Node<'_>, at: &str) -> Result<&'j str> {
    match &json.kind {
        NodeKind::String(text) => Ok(text),
        _ => Err(expects("a string", json, at)),
    }
}

fn expects(expected: &str, found: &Node<'_>, at: &str) -> HintsError {
    let at = if at.is_empty() { "the file" } else { at };
    HintsError::new(at, format!("{expected} is expected here, not {}", found.noun()))
}
