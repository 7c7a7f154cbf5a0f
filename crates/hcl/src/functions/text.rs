//! Functions on text: case, trimming, splitting, joining, searching.

use objchange::{Type, Value};
use objchange_text::clusters::{clusters, count};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::limits::{MAX_ELEMENTS, check_elements, check_text};
use super::{Answer, elements, number, string, text, unknown, whole};
use crate::function::{Function, FunctionError, Functions, Parameter};

pub(super) fn add(functions: &mut Functions) {
    let mut add = |name, parameters: Vec<Parameter>, ty, body: fn(&[Value], &Type) -> Answer| {
        functions.insert(name, Function::new(parameters, ty, body));
    };
    add("upper", vec![string("str").dynamic()], Type::String, |a, _| Ok(mapped(text(a, 0), upper)));
    add("lower", vec![string("str").dynamic()], Type::String, |a, _| Ok(mapped(text(a, 0), lower)));
    add("title", vec![string("str")], Type::String, |a, _| Ok(titled(text(a, 0))));
    add("strrev", vec![string("str").dynamic()], Type::String, |a, _| {
        let clusters: Vec<&str> = clusters(text(a, 0)).map(|(_, cluster)| cluster).collect();
        Ok(clusters.into_iter().rev().collect::<String>().into())
    });
    add("chomp", vec![string("str")], Type::String, |a, _| {
        Ok(text(a, 0).trim_end_matches(['\r', '\n']).into())
    });
    add("trimspace", vec![string("str")], Type::String, |a, _| Ok(text(a, 0).trim().into()));
    add("trim", vec![string("str"), string("cutset")], Type::String, |a, _| {
        let cutset: Vec<char> = text(a, 1).chars().collect();
        Ok(text(a, 0).trim_matches(cutset.as_slice()).into())
    });
    add("trimprefix", vec![string("str"), string("prefix")], Type::String, |a, _| {
        let whole = text(a, 0);
        Ok(whole.strip_prefix(text(a, 1)).unwrap_or(whole).into())
    });
    add("trimsuffix", vec![string("str"), string("suffix")], Type::String, |a, _| {
        let whole = text(a, 0);
        Ok(whole.strip_suffix(text(a, 1)).unwrap_or(whole).into())
    });
    add("startswith", vec![string("str").unknown(), string("prefix")], Type::Bool, starts_with);
    add("endswith", vec![string("str"), string("suffix")], Type::Bool, |a, _| {
        Ok(text(a, 0).ends_with(text(a, 1)).into())
    });
    add("indent", vec![number("spaces"), string("str")], Type::String, indent);
    let substr = vec![string("str").dynamic(), number("offset").dynamic(), number("length").dynamic()];
    add("substr", substr, Type::String, substring);
    add("split", vec![string("separator"), string("str")], Type::list(Type::String), split);
    let contains = Function::new([string("str"), string("substr")], Type::Bool, |a, _| {
        Ok(text(a, 0).contains(text(a, 1)).into())
    });
    functions.insert("strcontains", contains.nullable());
    let lists = Parameter::new("lists", Type::list(Type::String));
    functions.insert("join", Function::new([string("separator")], Type::String, join).variadic(lists));
}

fn mapped(text: &str, case: fn(char) -> char) -> Value {
    text.chars().map(case).collect::<String>().into()
}

/// The result of a case mapping if it is one character; `None` if it has several.
fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    characters.next().filter(|_| characters.next().is_none())
}

/// One code point to one code point: `ß` stays.
fn upper(c: char) -> char {
    single(c.to_uppercase()).unwrap_or_else(|| {
        // Greek letters with an iota below them have an upper case of one code point, and one of two.
        let with_iota = matches!(c as u32, 0x1F80..=0x1FAF if c as u32 & 8 == 0);
        let upper = match c as u32 {
            code if with_iota => code + 8,
            code @ (0x1FB3 | 0x1FC3 | 0x1FF3) => code + 9,
            code => code,
        };
        char::from_u32(upper).unwrap_or(c)
    })
}

/// One code point to one code point: `İ` loses its dot.
fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Like [`upper`], but digraphs capitalize only their first letter, and Georgian has no title case.
fn title(c: char) -> char {
    match c {
        'Ǆ'..='ǆ' => 'ǅ',
        'Ǉ'..='ǉ' => 'ǈ',
        'Ǌ'..='ǌ' => 'ǋ',
        'Ǳ'..='ǳ' => 'ǲ',
        '\u{10D0}'..='\u{10FF}' => c,
        c => upper(c),
    }
}

/// Puts the first letter of each word in title case. Words begin after a [separator](is_separator).
fn titled(text: &str) -> Value {
    let mut previous = ' ';
    let mut case = |c| {
        let begins = is_separator(previous);
        previous = c;
        if begins { title(c) } else { c }
    };
    text.chars().map(&mut case).collect::<String>().into()
}

/// Whether a character separates words: in ASCII all except letters, digits and `_`, otherwise only spaces.
fn is_separator(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_alphanumeric() && c != '_';
    }
    let is_word =
        c.general_category_group() == GeneralCategoryGroup::Letter || c.general_category() == decimal_digit();
    !is_word && c.is_whitespace()
}

fn decimal_digit() -> unicode_properties::GeneralCategory {
    unicode_properties::GeneralCategory::DecimalNumber
}

/// The refined prefix of an unknown text may decide.
fn starts_with(arguments: &[Value], _: &Type) -> Answer {
    let (whole, Some(prefix)) = (&arguments[0], arguments[1].as_str()) else {
        return Ok(unknown(Type::Bool));
    };
    if let Some(whole) = whole.as_str() {
        return Ok(whole.starts_with(prefix).into());
    }
    let known =
        whole.refinements().and_then(|refinements| refinements.string_prefix.as_deref()).unwrap_or("");
    Ok(if known.starts_with(prefix) {
        true.into()
    } else if known.len() >= prefix.len() {
        false.into()
    } else {
        unknown(Type::Bool)
    })
}

fn indent(arguments: &[Value], _: &Type) -> Answer {
    let whole_text = text(arguments, 1);
    let spaces = usize::try_from(whole(&arguments[0])?)
        .map_err(|_| FunctionError::new("the number of spaces must not be negative"))?;
    // Terraform makes the spaces even where no line needs them, and fails if they are too many.
    check_text(Some(spaces))?;
    let lines = whole_text.bytes().filter(|byte| *byte == b'\n').count();
    let length = spaces.checked_mul(lines).and_then(|n| n.checked_add(whole_text.len()));
    check_text(length)?;
    if lines == 0 {
        return Ok(whole_text.into());
    }
    Ok(whole_text.replace('\n', &format!("\n{}", " ".repeat(spaces))).into())
}

fn substring(arguments: &[Value], _: &Type) -> Answer {
    let whole_text = text(arguments, 0);
    let (offset, length) = (whole(&arguments[1])?, whole(&arguments[2])?);
    let skipped = if offset < 0 { offset.saturating_add(count(whole_text) as i64).max(0) } else { offset };
    let mut clusters = clusters(whole_text).map(|(at, _)| at);
    let start = clusters.nth(usize::try_from(skipped).unwrap_or(usize::MAX)).unwrap_or(whole_text.len());
    let end = match usize::try_from(length) {
        Ok(0) => start,
        Ok(length) => clusters.nth(length - 1).unwrap_or(whole_text.len()),
        Err(_) => whole_text.len(),
    };
    Ok(whole_text[start..end.max(start)].into())
}

fn split(arguments: &[Value], _: &Type) -> Answer {
    let (separator, whole) = (text(arguments, 0), text(arguments, 1));
    // An element takes more memory than the letter that it may be made of.
    let parts: Vec<&str> = match separator.is_empty() {
        true => whole.split("").filter(|part| !part.is_empty()).take(MAX_ELEMENTS + 1).collect(),
        false => whole.split(separator).take(MAX_ELEMENTS + 1).collect(),
    };
    check_elements(Some(parts.len()))?;
    Ok(Value::list(Type::String, parts)?)
}

fn join(arguments: &[Value], _: &Type) -> Answer {
    let separator = text(arguments, 0);
    if arguments.len() == 1 {
        return Err(FunctionError::new("at least one list is required"));
    }
    if !arguments.iter().all(Value::is_wholly_known) {
        return Ok(unknown(Type::String));
    }
    let mut parts = Vec::new();
    let mut length = Some(0_usize);
    for (i, list) in arguments.iter().enumerate().skip(1) {
        let before = parts.len();
        for element in elements(list) {
            let part = element.as_str().ok_or_else(|| {
                let list = if arguments.len() > 2 { format!(" of list {i}") } else { String::new() };
                let at = parts.len() - before;
                let message = format!("element {at}{list} is null; cannot concatenate null values");
                FunctionError::argument(i, message)
            })?;
            length = length.and_then(|n| n.checked_add(part.len() + separator.len()));
            parts.push(part);
        }
    }
    check_text(length)?;
    Ok(parts.join(separator).into())
}
