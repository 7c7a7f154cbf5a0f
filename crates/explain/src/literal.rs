//! Values as Terraform prints them in its messages about providers, read back: `cty.ListVal([]cty.Value{cty.StringVal("x")})`.

/// The maximum nesting of values. Deeper ones are not read.
const MAX_DEPTH: usize = 64;

/// A value, as far as it matters what two of them have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Literal {
    Null,
    Unknown,
    Bool(bool),
    /// As it was written.
    Number(String),
    Text(String),
    /// A list, set or tuple.
    Sequence(Vec<Literal>),
    /// A map or object.
    Entries(Vec<(String, Literal)>),
}

impl Literal {
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let value = value(&mut rest, MAX_DEPTH)?;
        rest.is_empty().then_some(value)
    }

    /// Whether nothing is in it.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Sequence(parts) => parts.is_empty(),
            Self::Entries(entries) => entries.is_empty(),
            _ => false,
        }
    }
}

fn take(rest: &mut &str, word: &str) -> bool {
    let after = rest.strip_prefix(word);
    *rest = after.unwrap_or(rest);
    after.is_some()
}

/// Skips a text in parentheses without reading it.
fn skip_parentheses(rest: &mut &str) -> Option<()> {
    let mut depth = 0_usize;
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (i, c) in rest.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    *rest = &rest[i + 1..];
                    return Some(());
                }
            }
            _ => {}
        }
    }
    None
}

fn value(rest: &mut &str, depth: usize) -> Option<Literal> {
    // Reading is recursive, and a pasted text may have 100,000 brackets.
    let depth = depth.checked_sub(1)?;
    if take(rest, "null") {
        return Some(Literal::Null);
    }
    if !take(rest, "cty.") {
        return None;
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (function, after) = rest.split_at(end);
    *rest = after;
    Some(match function {
        "True" => Literal::Bool(true),
        "False" => Literal::Bool(false),
        "Zero" => Literal::Number("0".into()),
        "PositiveInfinity" | "NegativeInfinity" => Literal::Number(function.into()),
        "DynamicVal" => Literal::Unknown,
        "EmptyObjectVal" => Literal::Entries(Vec::new()),
        "EmptyTupleVal" => Literal::Sequence(Vec::new()),
        "NullVal" | "UnknownVal" | "ListValEmpty" | "SetValEmpty" | "MapValEmpty" => {
            skip_parentheses(rest)?;
            match function {
                "NullVal" => Literal::Null,
                "UnknownVal" => Literal::Unknown,
                "MapValEmpty" => Literal::Entries(Vec::new()),
                _ => Literal::Sequence(Vec::new()),
            }
        }
        "StringVal" => Literal::Text(in_parentheses(rest, quoted)?),
        "MustParseNumberVal" => Literal::Number(in_parentheses(rest, quoted)?),
        "NumberIntVal" | "NumberFloatVal" => {
            let number = |rest: &mut &str| {
                let (number, after) = rest.split_at(rest.find(')')?);
                *rest = after;
                Some(number.to_owned())
            };
            Literal::Number(in_parentheses(rest, number)?)
        }
        "ListVal" | "SetVal" | "TupleVal" => {
            let part = |rest: &mut &str| value(rest, depth);
            Literal::Sequence(in_parentheses(rest, |rest| braced(rest, "[]cty.Value{", part))?)
        }
        "MapVal" | "ObjectVal" => {
            let entry = |rest: &mut &str| {
                let key = quoted(rest)?;
                take(rest, ":").then_some(())?;
                *rest = rest.trim_start();
                Some((key, value(rest, depth)?))
            };
            let mut entries = in_parentheses(rest, |rest| braced(rest, "map[string]cty.Value{", entry))?;
            // Sorted, because the printed order of members does not matter.
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Literal::Entries(entries)
        }
        _ => return None,
    })
}

fn in_parentheses<T>(rest: &mut &str, inside: impl FnOnce(&mut &str) -> Option<T>) -> Option<T> {
    take(rest, "(").then_some(())?;
    let found = inside(rest)?;
    take(rest, ")").then_some(found)
}

fn braced<T>(rest: &mut &str, open: &str, part: impl Fn(&mut &str) -> Option<T>) -> Option<Vec<T>> {
    take(rest, open).then_some(())?;
    let mut parts = Vec::new();
    while !take(rest, "}") {
        if !parts.is_empty() {
            take(rest, ",").then_some(())?;
            *rest = rest.trim_start();
        }
        parts.push(part(rest)?);
    }
    Some(parts)
}

/// A string in quotes, with the escapes that Go writes.
fn quoted(rest: &mut &str) -> Option<String> {
    take(rest, "\"").then_some(())?;
    let mut text = String::new();
    let mut letters = rest.char_indices();
    loop {
        let (i, c) = letters.next()?;
        match c {
            '"' => {
                *rest = &rest[i + 1..];
                return Some(text);
            }
            '\\' => text.push(match letters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'v' => '\u{b}',
                digits @ ('x' | 'u' | 'U') => {
                    let length = if digits == 'x' {
                        2
                    } else if digits == 'u' {
                        4
                    } else {
                        8
                    };
                    let hex: String = (0..length).map_while(|_| letters.next()).map(|(_, c)| c).collect();
                    char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?
                }
                other => other,
            }),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        let text = |text: &str| Literal::Text(text.into());
        for (printed, value) in [
            (r#"cty.StringVal("a\"b\n\u00e9")"#, text("a\"b\né")),
            ("cty.NumberIntVal(-1)", Literal::Number("-1".into())),
            (r#"cty.MustParseNumberVal("0.1")"#, Literal::Number("0.1".into())),
            ("cty.NullVal(cty.Map(cty.String))", Literal::Null),
            ("cty.ListValEmpty(cty.String)", Literal::Sequence(Vec::new())),
            (
                r#"cty.ObjectVal(map[string]cty.Value{"b":cty.TupleVal([]cty.Value{cty.StringVal("x"), cty.True}), "a":cty.DynamicVal})"#,
                Literal::Entries(vec![
                    ("a".into(), Literal::Unknown),
                    ("b".into(), Literal::Sequence(vec![text("x"), Literal::Bool(true)])),
                ]),
            ),
        ] {
            assert_eq!(Literal::read(printed), Some(value), "{printed}");
        }
        for broken in
            ["", "cty.", "cty.StringVal(", "cty.ListVal([]cty.Value{", "cty.Nothing(1)", "cty.True x"]
        {
            assert_eq!(Literal::read(broken), None, "{broken}");
        }
    }

    #[test]
    fn what_is_too_deep_is_not_read() {
        let deep = "cty.ListVal([]cty.Value{".repeat(100_000);
        assert_eq!(Literal::read(&deep), None);
    }
}
