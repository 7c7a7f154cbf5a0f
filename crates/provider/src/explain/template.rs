//! Sentences with holes: `When applying changes to {address}, …`.

/// What stands in the holes, in their order; a hole holds the least that it can, and the last one all that is left.
/// The sentence may begin anywhere in the text.
pub(super) fn matched<'t>(template: &str, text: &'t str) -> Option<Vec<(String, &'t str)>> {
    let mut parts = template.split('{');
    let first = parts.next().unwrap_or_default();
    let mut rest = &text[text.find(first)? + first.len()..];
    let mut found = Vec::new();
    for part in parts {
        let (name, literal) = part.split_once('}')?;
        let end = if literal.is_empty() { rest.len() } else { rest.find(literal)? };
        found.push((name.to_owned(), &rest[..end]));
        rest = &rest[end + literal.len()..];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::matched;

    #[test]
    fn holes_are_filled_with_what_stands_there() {
        let found = matched("of {what} in {where}: {rest}", "This is of a b in c: d: e").unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        assert_eq!(found, [("what", "a b"), ("where", "c"), ("rest", "d: e")]);
        assert_eq!(matched("of {what} in {where}", "of a"), None);
    }
}
