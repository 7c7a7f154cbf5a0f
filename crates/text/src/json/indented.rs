//! JSON on many lines.

/// Puts each member and element of a JSON text on a line of its own, indented by two columns a level. Each
/// line but the first begins with `line`. Only white space is changed.
///
/// ```
/// let json = objchange_text::json::indented(r#"{"a": [1.0,{}]}"#, "\n# ");
/// assert_eq!(json, "{\n#   \"a\": [\n#     1.0,\n#     {}\n#   ]\n# }");
/// ```
pub fn indented(json: &str, line: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        if is_quoted {
            out.push(c);
            is_quoted = is_escaped || c != '"';
            is_escaped = !is_escaped && c == '\\';
            continue;
        }
        let next_line = |out: &mut String, depth| {
            out.push_str(line);
            out.extend(std::iter::repeat_n("  ", depth));
        };
        match c {
            '{' | '[' => {
                out.push(c);
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = chars.next_if(|end| matches!(end, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    next_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                next_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                next_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => {
                is_quoted = c == '"';
                out.push(c);
            }
        }
    }
    out
}

/// Valid JSON without the white space between its values.
///
/// ```
/// let json = objchange_text::json::one_line("{\n  \"a b\": [1.0, \"\\\" x\"]\n}");
/// assert_eq!(json, r#"{"a b":[1.0,"\" x"]}"#);
/// ```
pub fn one_line(json: &str) -> String {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let is_kept = |c: &char| match is_quoted {
        true => {
            is_quoted = is_escaped || *c != '"';
            is_escaped = !is_escaped && *c == '\\';
            true
        }
        false => {
            is_quoted = *c == '"';
            !c.is_ascii_whitespace()
        }
    };
    json.chars().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn indentation_changes_white_space_alone(
            leaves in prop::collection::vec(r#"[\[\]{}",:\\ \n0-9a-z]{0,8}"#, 0..6),
        ) {
            let json = json!({"a": leaves, "b": {"": {}, "c": []}, "d": [[{"e": leaves.len()}]]});
            let pretty = serde_json::to_string_pretty(&json).unwrap();
            prop_assert_eq!(super::indented(&json.to_string(), "\n"), pretty);
        }
    }
}
