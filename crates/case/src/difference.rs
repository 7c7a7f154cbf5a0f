//! The difference between an answer and the expected one, as text for people. Marked values are never
//! shown.

use std::collections::BTreeMap;
use std::iter::zip;

use hashbrown::HashMap;

use objchange::value::{Kind, Path, Type, Value};
use objchange_text::json::{JsonError, Reader, Token};
use objchange_text::redact::SENSITIVE;

/// A difference between an answer and the expected one: the path, and both values.
///
/// Both texts are in the form of case files, with `(sensitive value)` or `(ephemeral value)` in place of
/// marked content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The first part that differs; the root where the answers differ as a whole.
    pub path: Path,
    /// The engine's answer.
    pub got: String,
    /// The expected answer.
    pub want: String,
    /// A remark, if the two texts do not explain themselves.
    pub note: Option<String>,
    /// Both parts in full, if they are sets, texts or values of different kinds: those take several lines.
    pub values: Option<(Value, Value)>,
    /// The sentences of the errors that the engine reports and the case does not want.
    pub explained: Vec<String>,
}

const ABSENT: &str = "(nothing)";

impl Difference {
    /// Two answers that differ as a whole.
    pub fn whole(got: impl Into<String>, want: impl Into<String>) -> Self {
        let (got, want) = (got.into(), want.into());
        Self { path: Path::root(), got, want, note: None, values: None, explained: Vec::new() }
    }

    fn at(path: Path, got: impl Into<String>, want: impl Into<String>) -> Self {
        Self { path, ..Self::whole(got, want) }
    }

    fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// The first line that differs.
pub(super) fn of_texts(name: &str, got: &str, want: &str) -> Option<Difference> {
    let (mut got, mut want) = (got.split('\n'), want.split('\n'));
    for line in 1.. {
        match (got.next(), want.next()) {
            (None, None) => break,
            (g, w) if g == w => {}
            (g, w) => {
                let text = |side: Option<&str>| {
                    side.map_or("(end of the text)".to_owned(), |line| format!("{line:?}"))
                };
                return Some(Difference::whole(text(g), text(w)).with_note(format!("`{name}`, line {line}")));
            }
        }
    }
    None
}

/// The first part, from the root down, at which two values are not identical.
pub(super) fn of_values(got: &Value, want: &Value, declared: &Type) -> Option<Difference> {
    if got.identical(want) { None } else { Some(first(got, want, Path::root(), declared)) }
}

fn first(got: &Value, want: &Value, path: Path, declared: &Type) -> Difference {
    if got.marks() != want.marks() {
        // The content that one side hides is not shown from the other.
        let marks = |value: &Value| {
            let names = format!("{:?}", value.marks());
            if value.is_marked() { format!("marked {names}") } else { "not marked".to_owned() }
        };
        return Difference::at(path, marks(got), marks(want)).with_note("the marks differ");
    }
    if got.is_marked() {
        return Difference::at(path, value_text(got, got.ty()), value_text(want, want.ty()))
            .with_note("the content differs");
    }
    let depth = path.steps().len();
    let found = match (got.kind(), want.kind()) {
        (Kind::Object(a), Kind::Object(b)) => first_entry(
            a.iter().map(|(name, v)| (name.as_str(), v)),
            b.iter().map(|(name, v)| (name.as_str(), v)),
            |name| path.clone().attribute(name),
        ),
        (Kind::Map(a), Kind::Map(b)) => first_entry(
            a.iter().map(|(key, v)| (key.as_str(), v)),
            b.iter().map(|(key, v)| (key.as_str(), v)),
            |key| path.clone().index(key),
        ),
        (Kind::List(a), Kind::List(b)) | (Kind::Tuple(a), Kind::Tuple(b)) => {
            first_element(a, b, |i| path.clone().index(i))
        }
        (Kind::Set(a), Kind::Set(b)) => members(a, b, &path),
        _ => None,
    };
    let found = found.unwrap_or_else(|| whole_part(got, want, path, declared));
    let has_parts_of_its_own = found.path.steps().len() > depth;
    match has_parts_of_its_own {
        true => found,
        false => Difference { values: Some((got.clone(), want.clone())), ..found },
    }
}

/// Two parts that differ as a whole, in content or only in type.
fn whole_part(got: &Value, want: &Value, path: Path, declared: &Type) -> Difference {
    let declared = match (path.is_root(), got.ty() == want.ty()) {
        (true, _) => declared,
        (false, true) => got.ty(),
        // Under the dynamic type, the text includes the type.
        (false, false) => &Type::Dynamic,
    };
    let texts = (value_text(got, declared), value_text(want, declared));
    // A value that is marked on one side may be anywhere in the other, so a mark inside hides the other
    // side as well.
    let hides =
        |value: &Value, other: &Value| other.contains_marked() && value.is_known() && !value.is_null();
    let hidden = |hides: bool, text: String| if hides { SENSITIVE.to_owned() } else { text };
    let texts = (hidden(hides(got, want), texts.0), hidden(hides(want, got), texts.1));
    if texts.0 != texts.1 {
        return Difference::at(path, texts.0, texts.1);
    }
    if got.ty() != want.ty() {
        return Difference::at(path, value_text(got, &Type::Dynamic), value_text(want, &Type::Dynamic))
            .with_note("only the types differ");
    }
    Difference::at(path, texts.0, texts.1)
        .with_note("what differs here is not shown: it is marked, or an order")
}

fn first_element(got: &[Value], want: &[Value], path: impl Fn(usize) -> Path) -> Option<Difference> {
    let shorter = got.len().min(want.len());
    let i = zip(got, want).position(|(g, w)| !g.identical(w)).unwrap_or(shorter);
    one_or_both(got.get(i), want.get(i), || path(i))
}

/// The first entry that differs, of two lists of entries by sorted name.
fn first_entry<'v>(
    got: impl Iterator<Item = (&'v str, &'v Value)>,
    want: impl Iterator<Item = (&'v str, &'v Value)>,
    path: impl Fn(&str) -> Path,
) -> Option<Difference> {
    let (mut got, mut want) = (got.peekable(), want.peekable());
    loop {
        let name = match (got.peek(), want.peek()) {
            (None, None) => return None,
            (Some((name, _)), None) | (None, Some((name, _))) => *name,
            (Some((a, _)), Some((b, _))) => *a.min(b),
        };
        let g = got.next_if(|(n, _)| *n == name).map(|(_, v)| v);
        let w = want.next_if(|(n, _)| *n == name).map(|(_, v)| v);
        if let (Some(g), Some(w)) = (g, w)
            && g.identical(w)
        {
            continue;
        }
        return one_or_both(g, w, || path(name));
    }
}

fn one_or_both(got: Option<&Value>, want: Option<&Value>, path: impl Fn() -> Path) -> Option<Difference> {
    match (got, want) {
        (Some(g), Some(w)) => Some(first(g, w, path(), g.ty())),
        (Some(g), None) => Some(Difference::at(path(), value_text(g, g.ty()), ABSENT)),
        (None, Some(w)) => Some(Difference::at(path(), ABSENT, value_text(w, w.ty()))),
        (None, None) => None,
    }
}

/// The elements that only one of two sets has; `None` if both have the same, in another order.
fn members(got: &[Value], want: &[Value], path: &Path) -> Option<Difference> {
    let (extra, missing) = (only_in(got, want), only_in(want, got));
    if extra.is_empty() && missing.is_empty() {
        return None;
    }
    let text = |elements: &[&Value]| {
        let texts: Vec<String> = elements.iter().map(|e| value_text(e, e.ty())).collect();
        if texts.is_empty() { ABSENT.to_owned() } else { format!("[{}]", texts.join(",")) }
    };
    let note = "elements that only one of the two sets has";
    Some(Difference::at(path.clone(), text(&extra), text(&missing)).with_note(note))
}

fn only_in<'v>(these: &'v [Value], those: &[Value]) -> Vec<&'v Value> {
    let mut rest: HashMap<&Value, usize> = HashMap::new();
    for value in those {
        *rest.entry(value).or_default() += 1;
    }
    let lacking = |value: &&Value| match rest.get_mut(*value) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    };
    these.iter().filter(lacking).collect()
}

/// A value as a case file would write it, without marked content.
pub(super) fn value_text(value: &Value, declared: &Type) -> String {
    value.to_redacted_json(declared).unwrap_or_else(|_| value.to_string())
}

/// JSON with sorted keys and without spaces. The last member wins if a key is repeated.
pub(super) fn sorted(text: &str) -> Result<String, JsonError> {
    let mut reader = Reader::strict(text);
    let text = sorted_part(&mut reader)?;
    reader.end()?;
    Ok(text)
}

fn sorted_part(reader: &mut Reader<'_>) -> Result<String, JsonError> {
    let mut is_first = true;
    Ok(match reader.token()? {
        Token::Null => "null".to_owned(),
        Token::Bool(bool) => bool.to_string(),
        Token::Number(text) => text.to_owned(),
        Token::String(text) => string(&text),
        Token::Array => {
            let mut elements = Vec::new();
            while reader.next_element(&mut is_first)? {
                elements.push(sorted_part(reader)?);
            }
            reader.leave();
            format!("[{}]", elements.join(","))
        }
        Token::Object => {
            let mut members = BTreeMap::new();
            while let Some(key) = reader.next_name(&mut is_first)? {
                reader.colon()?;
                members.insert(key, sorted_part(reader)?);
            }
            reader.leave();
            let members = members.iter().map(|(key, part)| format!("{}:{part}", string(key)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    })
}

fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use objchange::value::ObjectType;

    #[track_caller]
    fn check(got: &Value, want: &Value, expected: &str) {
        let difference = of_values(got, want, got.ty()).expect("the values differ");
        let Difference { path, got, want, note, .. } = difference;
        let note = note.map(|n| format!(" ({n})")).unwrap_or_default();
        assert_eq!(format!("{path}: {got} / {want}{note}"), expected);
    }

    fn object(size: impl Into<Value>) -> Value {
        Value::object([("name", Value::from("a")), ("size", size.into())])
    }

    #[test]
    fn the_deepest_part_that_differs_is_shown() {
        let nested = |size: i64| Value::object([("disk", Value::tuple([object(1), object(size)]))]);
        check(&nested(2), &nested(3), "disk[1].size: 2 / 3");
    }

    #[test]
    fn an_element_too_many_or_missing_is_shown_alone() {
        check(&Value::tuple([1, 2]), &Value::tuple([1]), "[1]: 2 / (nothing)");
        let map = |keys: &[&str]| Value::map(Type::Bool, keys.iter().map(|k| (k, true))).unwrap();
        check(&map(&["a"]), &map(&["a", "b"]), r#"["b"]: (nothing) / true"#);
    }

    #[test]
    fn sets_show_what_only_one_has() {
        let set = |elements: &[i64]| Value::set(Type::Number, elements.iter().copied()).unwrap();
        check(&set(&[1, 2, 3]), &set(&[2, 3, 4]), ": [1] / [4] (elements that only one of the two sets has)");
    }

    #[test]
    fn types_are_shown_where_they_differ() {
        check(
            &object(Value::null(Type::Number)),
            &object(Value::null(Type::String)),
            r#"size: {"type":"number","value":null} / {"type":"string","value":null}"#,
        );
    }

    #[test]
    fn what_one_side_marks_is_not_shown_of_the_other() {
        let got = Value::tuple(["hunter2"]);
        let want = Value::list(Type::String, [Value::from("hunter2").sensitive()]).unwrap();
        for (a, b) in [(&got, &want), (&want, &got)] {
            let Difference { got, want, .. } = of_values(a, b, &Type::Dynamic).unwrap();
            assert!(!format!("{got} {want}").contains("hunter2"), "{got} {want}");
        }
    }

    #[test]
    fn what_is_marked_is_not_shown() {
        let secret = |text: &str| object(Value::object([("key", text)]).sensitive());
        check(
            &secret("hunter2"),
            &secret("hunter3"),
            r#"size: {"$sensitive":"(sensitive value)"} / {"$sensitive":"(sensitive value)"} (the content differs)"#,
        );
        check(
            &object(Value::from("hunter2").sensitive()),
            &object("hunter2"),
            r#"size: marked {"sensitive"} / not marked (the marks differ)"#,
        );
        check(
            &Value::tuple([secret("hunter2")]),
            &Value::null(Type::Object(ObjectType::new::<&str>([]).into())),
            r#": [{"name":"a","size":{"$sensitive":"(sensitive value)"}}] / null"#,
        );
    }
}
