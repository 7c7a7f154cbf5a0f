//! Sentences with holes: `When applying changes to {address}, …`.

/// The text in each hole, in their order; a hole holds the least that it can, and the last one all that is left.
///
/// The sentence may begin anywhere in the text, and its last words may be cut off. Line breaks and copying add and remove
/// spaces, so that any number of them is taken for one, and none, too.
pub(crate) fn matched<'t>(template: &str, text: &'t str) -> Option<Vec<(String, &'t str)>> {
    let mut parts = template.split('{').peekable();
    let (_, end) = find_loosely(text, parts.next().unwrap_or_default())?;
    let mut rest = &text[end..];
    let mut holes = Vec::new();
    while let Some(part) = parts.next() {
        let (name, literal) = part.split_once('}')?;
        let (start, end) = match literal {
            "" => (rest.len(), rest.len()),
            // A value may end with parentheses of its own.
            ")" if parts.peek().is_none() => (rest.rfind(')')?, rest.len()),
            _ if parts.peek().is_none() => {
                find_loosely(rest, literal).or_else(|| find_beginning(rest, literal))?
            }
            _ => find_loosely(rest, literal)?,
        };
        holes.push((name.to_owned(), rest[..start].trim()));
        rest = &rest[end..];
    }
    Some(holes)
}

/// The sentence with this in its holes; `None` if one of them stays empty.
pub(crate) fn filled(template: &str, mut fill: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let mut parts = template.split('{');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, literal) = part.split_once('}')?;
        out.push_str(&fill(name)?);
        out.push_str(literal);
    }
    Some(out)
}

/// So many letters of the last words must be left where a text is cut off.
const MIN_LEFT: usize = 10;

/// Where a literal begins that is cut off at the end of a text.
fn find_beginning(text: &str, literal: &str) -> Option<(usize, usize)> {
    let (text, literal) = (text.trim_end(), literal.trim());
    let first = literal.split_whitespace().next()?;
    let at = text.rfind(&format!(" {first}"))? + 1;
    let left = &text[at..];
    (left.len() >= MIN_LEFT && literal.starts_with(left)).then_some((at, text.len()))
}

/// Where the words of a literal begin and end in a text.
fn find_loosely(text: &str, literal: &str) -> Option<(usize, usize)> {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut words = literal.split_whitespace();
    let Some(first) = words.next() else { return Some((0, 0)) };
    let mut from = 0;
    while let Some(at) = text[from..].find(first).map(|at| from + at) {
        from = at + first.len();
        let ends_word = literal.starts_with(' ') && is_word(text[..at].chars().next_back());
        let mut rest = &text[from..];
        let follows = words.clone().all(|word| match rest.trim_start().strip_prefix(word) {
            Some(after) => {
                rest = after;
                true
            }
            None => false,
        });
        // A full stop ends a sentence only where a space is behind it.
        let next = rest.chars().next();
        let is_stop = literal.trim_end().ends_with('.') && next.is_some_and(|c| !c.is_whitespace());
        let goes_on = literal.ends_with(' ') && (is_word(next) || is_stop);
        if follows && !ends_word && !goes_on {
            return Some((at, text.len() - rest.len()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::matched;

    #[track_caller]
    fn holes(template: &str, text: &str, wanted: &[(&str, &str)]) {
        let found = matched(template, text).unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn holes_are_filled_with_what_stands_there() {
        let wanted = [("what", "a b"), ("where", "c"), ("rest", "d: e")];
        holes("of {what} in {where}: {rest}", "This is of a b in c: d: e", &wanted);
        assert_eq!(matched("of {what} in {where}", "of a"), None);
    }

    #[test]
    fn what_is_in_parentheses_may_hold_some() {
        holes("a ({x}) b ({y})", "a (f(1)) b (g(2))", &[("x", "f(1)"), ("y", "g(2)")]);
    }

    #[test]
    fn spaces_may_be_more_or_none() {
        holes("a value for {rest}", "a  value\nfor.x: y", &[("rest", ".x: y")]);
        assert_eq!(matched("a value for {rest}", "a value forever"), None);
        assert_eq!(matched("{what} in {where}", "within"), None);
        holes("a {what} for the whole of it", "a b for the whole", &[("what", "b")]);
        assert_eq!(matched("a {what} for the whole of it", "a b for"), None);
        holes("of {what}. {rest}", "of a[...].b. c", &[("what", "a[...].b"), ("rest", "c")]);
    }
}
