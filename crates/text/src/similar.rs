//! Suggests similar names.

/// Longer names are never compared: the cost grows with the product of two lengths, and no real name is this long.
const MAX_LENGTH: usize = 300;

/// The maximum number of candidates that are looked at. With 12,000 names and as many mistakes a file took 12 s in a build
/// without optimisation.
const MAX_CANDIDATES: usize = 3_000;

/// The maximum number of names that share most letters with a misspelt one and are compared with it letter by letter. With
/// 2,000 names for each of 2,000 mistakes a file took 4 s.
const MAX_COMPARED: usize = 1_000;

/// The names that are most like a misspelt one, the best first, at most three.
///
/// Names are similar if few letters differ, or if one contains the other. Equally similar names are sorted by the
/// alphabet, so that the answer does not depend on the order of the candidates.
///
/// ```
/// let names = ["aws_instance", "aws_ami", "random_id"];
/// assert_eq!(objchange_text::similar("aws_instnce", names), ["aws_instance"]);
/// assert!(objchange_text::similar("google_project", names).is_empty());
/// ```
pub fn similar<'n>(misspelt: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    if misspelt.is_empty() || misspelt.len() > MAX_LENGTH {
        return Vec::new();
    }
    let letters = Letters::new(misspelt);
    let candidates = names.into_iter().filter(|name| !name.is_empty() && name.len() <= MAX_LENGTH);
    let candidates = candidates.take(MAX_CANDIDATES).filter(|name| letters.may_be_alike(&Letters::new(name)));
    let mut alike: Vec<(f64, &str)> =
        candidates.take(MAX_COMPARED).filter_map(|name| Some((similarity(misspelt, name)?, name))).collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    // Equal names are neighbours, because they have equal scores.
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

/// The set of letters in a name. Comparing two sets is much cheaper than comparing the names.
///
/// ```
/// use objchange_text::Letters;
///
/// let misspelt = Letters::new("nope");
/// assert_eq!(misspelt.least_edits(&Letters::new("l123")), 4);
/// assert_eq!(misspelt.least_edits(&Letters::new("open")), 0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Letters {
    length: usize,
    /// One bit per letter, ignoring case; `None` if the name is not ASCII.
    set: Option<u32>,
}

impl Letters {
    /// The letters of a name.
    pub fn new(name: &str) -> Self {
        let set = name.is_ascii().then(|| name.bytes().fold(0, |set, byte| set | 1 << (byte & 31)));
        Self { length: name.len(), set }
    }

    /// A lower bound of the edits between two names: an edit adds at most one letter and removes at most one.
    pub fn least_edits(&self, other: &Self) -> usize {
        let (Some(own), Some(others)) = (self.set, other.set) else { return 0 };
        let (added, lost) = ((others & !own).count_ones(), (own & !others).count_ones());
        self.length.abs_diff(other.length).max(added.max(lost) as usize)
    }

    /// Whether names with these letters may be similar. A name that is part of another has no letter that the other lacks.
    fn may_be_alike(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (self.set, other.set) else { return true };
        own & !others == 0
            || others & !own == 0
            || self.least_edits(other) <= max_edits(self.length.max(other.length))
    }
}

/// The most edits between similar names: one in three letters.
fn max_edits(longer: usize) -> usize {
    // Names of two letters may differ in one, too.
    (longer / 3).max(usize::from(longer > 1 && longer < 3))
}

/// The similarity of two names, from 0 to 1; `None` if they are too different.
fn similarity(misspelt: &str, name: &str) -> Option<f64> {
    let (lower, name_lower) = (misspelt.to_lowercase(), name.to_lowercase());
    let longer = lower.chars().count().max(name_lower.chars().count());
    let distance = strsim::osa_distance(&lower, &name_lower);
    let score = 1.0 - distance as f64 / longer as f64;
    let few_edits = distance <= max_edits(longer);
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
        // Names that are not compared closely are not similar.
        for (name, _) in cases.iter().filter(|(name, _)| !name.is_empty()) {
            let closely = names.iter().filter(|other| super::similarity(name, other).is_some());
            assert_eq!(closely.count(), similar(name, names).len(), "{name}");
        }
    }
}
