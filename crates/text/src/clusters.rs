//! Grapheme clusters of Unicode 15.0, which Terraform counts as characters.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// The clusters of a text, each with where it starts.
///
/// Since Unicode 15.1 letters of Indic scripts join into one cluster with those before them: here they do not.
pub fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.grapheme_indices(true).flat_map(|(start, cluster)| {
        let mut rest = cluster;
        std::iter::from_fn(move || {
            let end = joined_letter(rest).unwrap_or(rest.len());
            let at = start + cluster.len() - rest.len();
            let first;
            (first, rest) = rest.split_at(end);
            (!first.is_empty()).then_some((at, first))
        })
    })
}

/// The number of clusters.
pub fn count(text: &str) -> usize {
    // In ASCII only CR LF is a cluster of two characters.
    if text.is_ascii() && !text.contains('\r') { text.len() } else { clusters(text).count() }
}

/// The position of a letter in a cluster that only joins the letter before it because of a mark between
/// them.
fn joined_letter(cluster: &str) -> Option<usize> {
    // The shortest such cluster is a letter, a mark of two bytes and another letter.
    if cluster.len() < 4 {
        return None;
    }
    let mut after_mark = false;
    cluster.char_indices().find_map(|(at, c)| {
        let group = c.general_category_group();
        // Emoji with a zero-width joiner between them are symbols, not letters, so they stay together.
        let is_joined = after_mark && group == GeneralCategoryGroup::Letter;
        after_mark = at > 0 && (group == GeneralCategoryGroup::Mark || c == '\u{200d}');
        is_joined.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::clusters;

    #[test]
    fn what_is_seen_as_one_is_one() {
        for (text, parts) in [
            ("ab", vec!["a", "b"]),
            ("a\r\nb", vec!["a", "\r\n", "b"]),
            ("e\u{302}\u{301}x", vec!["e\u{302}\u{301}", "x"]),
            ("\u{1F468}\u{200D}\u{1F469}!", vec!["\u{1F468}\u{200D}\u{1F469}", "!"]),
            ("\u{915}\u{94D}\u{937}\u{93F}", vec!["\u{915}\u{94D}", "\u{937}\u{93F}"]),
            ("\u{1100}\u{1161}\u{11A8}", vec!["\u{1100}\u{1161}\u{11A8}"]),
        ] {
            let found: Vec<(usize, &str)> = clusters(text).collect();
            assert!(found.iter().all(|(at, part)| text[*at..].starts_with(part)), "{text:?}");
            assert_eq!(found.iter().map(|(_, part)| *part).collect::<Vec<_>>(), parts, "{text:?}");
        }
    }
}
