//! What reports for other programs say of a finding beside what is wrong: the smallest configuration, and what to do.

use objchange_conform::{Advice, FindingReport, TypeReport};

use super::hcl;

/// The configurations that show a finding, each with what it is.
pub(super) fn configurations(of: &TypeReport, found: &FindingReport) -> Vec<(&'static str, String)> {
    let Some(smallest) = &found.smallest else { return Vec::new() };
    let all = [
        ("the smallest configuration that shows it", Some(&smallest.config)),
        ("when all of it is known", smallest.known.as_ref()),
        ("changed to", smallest.update.as_ref()),
        ("which is this when all of it is known", smallest.update_known.as_ref()),
    ];
    all.into_iter().filter_map(|(what, config)| Some((what, hcl::block(of, config?)))).collect()
}

/// What to do about it, a line for each reader.
pub(super) fn advice(advice: &Advice) -> String {
    let lines = [
        ("Likely cause", advice.cause),
        ("Until it is fixed", advice.workaround),
        ("terraform-plugin-framework", advice.framework),
        ("terraform-plugin-sdk/v2", advice.sdk_v2),
        ("Others", advice.others),
    ];
    lines.map(|(who, what)| format!("{who}: {what}\n")).concat()
}

/// All that belongs to a finding, as text of several lines.
pub(super) fn details(of: &TypeReport, found: &FindingReport) -> String {
    let configurations = configurations(of, found).into_iter();
    let mut text: String = configurations.map(|(what, config)| format!("{what}:\n{config}\n")).collect();
    if let Some(when) = &found.finding.when {
        text += &format!("it shows {when}\n");
    }
    text += &advice(found.finding.clause.advice(Some(&found.finding.kind)));
    text
}
