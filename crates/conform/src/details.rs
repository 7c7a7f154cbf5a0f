//! Details of a finding for reports: the smallest configuration, and how to fix it.

use super::{FindingReport, TypeReport, config_text};

/// The configurations that show a finding, each with its role.
fn configurations(type_report: &TypeReport, found: &FindingReport) -> Vec<(&'static str, String)> {
    let Some(smallest) = &found.smallest else { return Vec::new() };
    let all = [
        ("the smallest configuration that shows it", Some(&smallest.config)),
        ("when all of it is known", smallest.known.as_ref()),
        ("changed to", smallest.update.as_ref()),
        ("which is this when all of it is known", smallest.update_known.as_ref()),
    ];
    all.into_iter()
        .filter_map(|(what, config)| Some((what, config_text::block(type_report, config?))))
        .collect()
}

impl FindingReport {
    /// The details of a finding of this type, as text of several lines.
    pub fn details(&self, type_report: &TypeReport) -> String {
        let configurations = configurations(type_report, self).into_iter();
        let mut text: String = configurations.map(|(what, config)| format!("{what}:\n{config}\n")).collect();
        if let Some(when) = &self.finding.when {
            text += &format!("it shows {when}\n");
        }
        text += &self.finding.clause.advice(Some(&self.finding.kind)).text();
        text
    }
}
