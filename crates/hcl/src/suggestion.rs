//! The name that Terraform suggests for a misspelt one.

use objchange_text::Letters;

/// The first of the names that differs in at most two letters, as Terraform's `Did you mean` has it.
///
/// ```
/// assert_eq!(objchange_hcl::suggestion("nane", ["id", "name"]), Some("name"));
/// assert_eq!(objchange_hcl::suggestion("nope", ["id", "input"]), None);
/// ```
pub fn suggestion<'n>(misspelt: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let letters = Letters::new(misspelt);
    let is_near =
        // A cheap lower bound rules out most names before the distance is computed.
        |name: &str| letters.least_edits(&Letters::new(name)) < 3 && strsim::levenshtein(misspelt, name) < 3;
    names.into_iter().find(|name| is_near(name))
}

/// ` Did you mean "name"?` behind a sentence, or nothing.
pub fn did_you_mean<'n>(misspelt: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    suggestion(misspelt, names).map(|name| format!(" Did you mean {name:?}?")).unwrap_or_default()
}
