//! Names that somebody may have meant.

/// Longer names are never compared: the cost grows with the product of two lengths, and no real name is this long.
const LONGEST: usize = 300;

/// At most this many names are compared with a misspelt one.
const MOST_COMPARED: usize = 10_000;

/// The names that are most like a misspelt one, the best first, at most three.
///
/// A name is alike if few of its letters differ, or if one of the two contains the other. Names that are equally alike
/// come in the order of the alphabet, so that the answer never depends on the order of the candidates.
///
/// ```
/// let names = ["aws_instance", "aws_ami", "random_id"];
/// assert_eq!(objchange_text::similar("aws_instnce", names), ["aws_instance"]);
/// assert!(objchange_text::similar("google_project", names).is_empty());
/// ```
pub fn similar<'n>(misspelt: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    if misspelt.is_empty() || misspelt.len() > LONGEST {
        return Vec::new();
    }
    let candidates = names.into_iter().filter(|name| !name.is_empty() && name.len() <= LONGEST);
    let mut alike: Vec<(f64, &str)> =
        candidates.take(MOST_COMPARED).filter_map(|name| Some((likeness(misspelt, name)?, name))).collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    alike.dedup_by(|a, b| a.1 == b.1);
    alike.truncate(3);
    alike.into_iter().map(|(_, name)| name).collect()
}

/// The end of a sentence about a name that is not known: `; did you mean X?`, or nothing.
///
/// ```
/// assert_eq!(objchange_text::did_you_mean("lenght", ["length", "keys"]), "; did you mean length?");
/// assert_eq!(objchange_text::did_you_mean("x", ["length", "keys"]), "");
/// ```
pub fn did_you_mean<'n>(misspelt: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    match similar(misspelt, names).first() {
        Some(name) => format!("; did you mean {name}?"),
        None => String::new(),
    }
}

/// How alike two names are, from 0 to 1; none where nobody would take one for the other.
fn likeness(misspelt: &str, name: &str) -> Option<f64> {
    let (lower, name_lower) = (misspelt.to_lowercase(), name.to_lowercase());
    let longer = lower.chars().count().max(name_lower.chars().count());
    let distance = strsim::osa_distance(&lower, &name_lower);
    let score = 1.0 - distance as f64 / longer as f64;
    // Short names have few letters to be alike in: one edit in three letters is the most.
    let few_edits = distance <= (longer / 3).max(usize::from(longer > 1 && longer < 3));
    let contains = |whole: &str, part: &str| part.len() >= 3 && whole.contains(part);
    let is_part = contains(&lower, &name_lower) || contains(&name_lower, &lower);
    (few_edits || is_part).then_some(score)
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn alike_are_typos_swaps_cases_and_parts() {
        let names = ["resource_changes", "output_changes", "actions", "type", "address"];
        let cases: [(&str, &[&str]); 8] = [
            ("resouce_changes", &["resource_changes"]),
            ("tpye", &["type"]),
            ("Type", &["type"]),
            ("action", &["actions"]),
            ("changes", &["output_changes", "resource_changes"]),
            ("typ", &["type"]),
            ("zzz", &[]),
            ("", &[]),
        ];
        for (misspelt, expected) in cases {
            assert_eq!(similar(misspelt, names), expected, "{misspelt}");
        }
        assert!(similar(&"x".repeat(10_000), names).is_empty());
    }
}
