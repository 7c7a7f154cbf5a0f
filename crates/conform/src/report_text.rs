//! Prints a report for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use objchange_text::style::{BAD, CHANGED, FAINT, GOOD};
use objchange_text::{counted, joined_path, visible};

use super::{Advice, Clause, FindingReport, FindingSeverity, Report, RunEnd, TypeReport, config_text};

/// The maximum number of places that are listed for similar findings.
const MAX_FOLDED: usize = 5;

/// The maximum number of reasons that are listed for refused configurations.
const MAX_REASONS: usize = 3;

impl Report {
    /// Writes the report for people, without known findings. `gone` is the number of findings of the baseline that are
    /// gone.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn write_text(&self, out: &mut impl Write, gone: usize) -> io::Result<()> {
        if let Some(reason) = &self.not_configured {
            writeln!(out, "{CHANGED}not configured: nothing was planned{CHANGED:#}")?;
            writeln!(out, "  {}\n", visible(reason))?;
        }
        let mut advised = Vec::new();
        let mut folded: BTreeMap<(Clause, &str), Vec<String>> = BTreeMap::new();
        for (type_report, found) in self.findings().filter(|(_, found)| !found.is_known) {
            // A provider with the SDK v2 has hundreds of similar ones, so only the first of each kind is shown in full.
            if found.finding.severity == FindingSeverity::Tolerated {
                let alike = folded.entry((found.finding.clause, &found.finding.kind)).or_default();
                alike.push(joined_path(&type_report.name, &found.place));
                if alike.len() > 1 {
                    continue;
                }
            }
            finding(out, type_report, found)?;
            advice(out, found, &mut advised)?;
            writeln!(out)?;
        }
        for ((clause, _), alike) in &folded {
            let Some((_, others)) = alike.split_first().filter(|(_, others)| !others.is_empty()) else {
                continue;
            };
            let places: Vec<&str> = others.iter().take(MAX_FOLDED).map(String::as_str).collect();
            let places = visible(&objchange_text::listed(&places, others.len())).into_owned();
            writeln!(out, "{FAINT}tolerated {clause}{FAINT:#} like the one above: {places}\n")?;
        }
        // A run that ends early skips most types of a large provider: they are counted on one line.
        let is_late = |type_report: &&TypeReport| type_report.skipped.as_deref() == Some(ending(self.ended));
        for type_report in self.types.iter().filter(|type_report| !is_late(type_report)) {
            untested(out, type_report)?;
        }
        let late = self.types.iter().filter(is_late).count();
        if late > 0 {
            writeln!(out, "{FAINT}skipped{FAINT:#} {}: {}", counted(late, "type"), ending(self.ended))?;
        }
        summary(out, self, gone)
    }
}

fn finding(out: &mut impl Write, type_report: &TypeReport, found: &FindingReport) -> io::Result<()> {
    let finding = &found.finding;
    let (style, word) = match finding.severity {
        FindingSeverity::Error => (BAD, "error"),
        FindingSeverity::Note => (FAINT, "note"),
        _ => (CHANGED, "warning"),
    };
    let place = joined_path(&type_report.name, &found.place);
    writeln!(out, "{style}{word} {}{style:#} {}", finding.clause, visible(&place))?;
    writeln!(out, "  {}", finding.clause.sentence())?;
    match (finding.said_by_terraform(), &finding.terraform, finding.severity) {
        (Some(summary), detail, FindingSeverity::Error) => {
            // Terraform's message for T1 does not name the call.
            if detail.is_none() || finding.clause == Clause::T1 {
                writeln!(out, "  {}", visible(&finding.described()))?;
            }
            writeln!(out, "  Terraform says: {}", visible(summary))?;
            if let Some(detail) = detail {
                writeln!(out, "    {}", visible(detail))?;
            }
        }
        (_, Some(detail), FindingSeverity::Tolerated) => {
            writeln!(out, "  Terraform tolerates this of a provider with the legacy type system, and logs")?;
            writeln!(out, "    {}", visible(detail))?;
        }
        (_, None, FindingSeverity::Tolerated) => {
            writeln!(out, "  Terraform tolerates this of a provider with the legacy type system")?;
            writeln!(out, "    {}", visible(&finding.described()))?;
        }
        (None, _, FindingSeverity::Error) => writeln!(out, "  {}", visible(&finding.described()))?,
        _ => {
            writeln!(out, "  Terraform does not notice")?;
            writeln!(out, "    {}", visible(&finding.described()))?;
        }
    }
    if let Some(smallest) = &found.smallest {
        let when = finding.when.as_ref().map(|when| format!(" {when}")).unwrap_or_default();
        writeln!(
            out,
            "  {FAINT}{} of {} configurations show it{when}; the smallest{FAINT:#}",
            found.count, type_report.samples
        )?;
        indented(out, &config_text::block(type_report, &smallest.config))?;
        if let Some(known) = &smallest.known {
            writeln!(out, "  {FAINT}when all is known{FAINT:#}")?;
            indented(out, &config_text::block(type_report, known))?;
        }
        if let Some(update) = &smallest.update {
            writeln!(out, "  {FAINT}changed to{FAINT:#}")?;
            indented(out, &config_text::block(type_report, update))?;
        }
        if let Some(known) = &smallest.update_known {
            writeln!(out, "  {FAINT}when all of that is known{FAINT:#}")?;
            indented(out, &config_text::block(type_report, known))?;
        }
    }
    Ok(())
}

/// The advice, unless it was printed before.
fn advice(out: &mut impl Write, found: &FindingReport, advised: &mut Vec<&'static Advice>) -> io::Result<()> {
    let advice = found.finding.clause.advice(Some(&found.finding.kind));
    if advised.contains(&advice) {
        return Ok(());
    }
    advised.push(advice);
    writeln!(out, "  {FAINT}likely cause{FAINT:#}  {}", advice.cause)?;
    writeln!(out, "  {FAINT}framework{FAINT:#}     {}", advice.framework)?;
    writeln!(out, "  {FAINT}SDKv2{FAINT:#}         {}", advice.sdk_v2)?;
    writeln!(out, "  {FAINT}others{FAINT:#}        {}", advice.others)
}

fn indented(out: &mut impl Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| writeln!(out, "    {}", visible(line)))
}

/// A type that was skipped or mostly refused.
fn untested(out: &mut impl Write, type_report: &TypeReport) -> io::Result<()> {
    let name = if type_report.name.is_empty() { type_report.subject.noun() } else { &type_report.name };
    if let Some(reason) = &type_report.skipped {
        writeln!(
            out,
            "{FAINT}skipped{FAINT:#} {} {}: {}",
            type_report.subject.noun(),
            visible(name),
            visible(reason)
        )?;
    } else if type_report.refused > type_report.accepted {
        let (refused, samples) = (type_report.refused, type_report.samples);
        writeln!(out, "{FAINT}refused{FAINT:#} {}: {refused} of {samples} configurations", visible(name))?;
        for refusal in type_report.refusals.iter().take(MAX_REASONS) {
            let times =
                if refusal.count == 1 { "once".to_owned() } else { format!("{} times", refusal.count) };
            writeln!(out, "    {times}: {}", visible(&refusal.summary))?;
            if let Some(detail) = &refusal.detail {
                indented(out, &format!("  {detail}"))?;
            }
        }
    }
    Ok(())
}

fn summary(out: &mut impl Write, report: &Report, gone: usize) -> io::Result<()> {
    let tried = report.types.iter().filter(|type_report| type_report.samples > 0);
    let (errors, warnings) = report.new_findings();
    let known = report.findings().filter(|(_, found)| found.is_known).count();
    let sum = |count: fn(&TypeReport) -> u64| report.types.iter().map(count).sum::<u64>();
    let style = if errors > 0 {
        BAD
    } else if warnings > 0 {
        CHANGED
    } else {
        GOOD
    };
    let mut parts = vec![counted(errors, "error"), counted(warnings, "warning")];
    parts.extend((known > 0).then(|| format!("{known} known")));
    parts.extend((gone > 0).then(|| format!("{gone} gone from the baseline")));
    writeln!(out, "{style}{}{style:#}", parts.join(", "))?;
    let skipped = report.types.iter().filter(|type_report| type_report.skipped.is_some()).count();
    write!(
        out,
        "{} tried, {skipped} skipped; {}, {} accepted; {}; seed {}",
        counted(tried.count(), "type"),
        counted(sum(|type_report| type_report.samples) as usize, "configuration"),
        sum(|type_report| type_report.accepted),
        counted(sum(|type_report| type_report.plans) as usize, "plan"),
        report.seed,
    )?;
    match report.ended {
        RunEnd::Complete => writeln!(out),
        RunEnd::Time => writeln!(out, "; not all was tried: the time was over"),
        _ => writeln!(out, "; not all was tried: it was interrupted"),
    }
}

/// Why a type was not tried any more.
fn ending(ended: RunEnd) -> &'static str {
    if ended == RunEnd::Time { "the time was over before" } else { "it was stopped before" }
}

#[cfg(test)]
mod tests {
    use objchange::schema::Block;
    use objchange::value::Path;
    use objchange_provider::Component;

    use super::*;
    use crate::Finding;
    use crate::NoCase;
    use crate::report::{Subject, Time};

    fn tolerated(place: &str) -> FindingReport {
        let mut finding =
            Finding::new(Clause::P5, "not_computed", Path::root().attribute(place), "a default");
        finding.severity = FindingSeverity::Tolerated;
        FindingReport {
            finding,
            place: place.to_owned(),
            count: 1,
            smallest: None,
            case: Err(NoCase::NoQuestion),
            is_known: false,
        }
    }

    #[test]
    fn warnings_that_are_alike_are_folded() {
        let subject = Subject::Component(Component::Resource);
        let types = ["kit_disk", "kit_host"].map(|name| {
            let mut report = TypeReport::new(subject, name, Block::new::<&str>([], []));
            report.findings = ["size", "zone", "mode"].map(tolerated).into();
            report
        });
        let report = Report {
            seed: 1,
            applied: false,
            ended: RunEnd::Complete,
            not_configured: Some("region is required".to_owned()),
            left: Vec::new(),
            types: types.into(),
            time: Time::default(),
        };
        let mut text = Vec::new();
        report.write_text(&mut text, 0).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.lines().next().unwrap().contains("not configured: nothing was planned"), "{text}");
        assert_eq!(text.matches("Terraform tolerates this").count(), 1, "{text}");
        assert!(text.contains("kit_disk.zone, kit_disk.mode, kit_host.size"), "{text}");
        assert!(text.contains("6 warnings"), "{text}");
    }
}
