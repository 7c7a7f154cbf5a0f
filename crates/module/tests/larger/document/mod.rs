//! Documents that Terraform wrote, read into plans and written again: every section must come out as it was. And what
//! reports show of such a plan must be what they show of its document.

mod configuration;
mod read;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use objchange::schema::ProviderSchemas;
use objchange_document::{Document, Plan, PlanMode, Prediction, Version};
use objchange_module::Schemas;
use objchange_module::config::Config;
use objchange_module::document::{DocumentInfo, change_set, write_plan};
use objchange_plan::{Filter, Options, Report};

pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/module-plan");
    let is_absent = !folder.exists();
    let trial = |name: &str, check: fn(&Path) -> Result<(), Failed>| {
        let folder = folder.clone();
        Trial::test(format!("document::{name}"), move || check(&folder)).with_ignored_flag(is_absent)
    };
    vec![
        trial("sections", sections),
        trial("reports", reports),
        trial("configuration", configuration::sections),
    ]
}

/// The documents below a folder of cases, with their names.
fn documents(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failed> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        for expected in ["expect", "expect-1.15"] {
            let path = entry.path().join(expected).join("plan.json");
            if path.exists() {
                found.push((format!("{}/{expected}", entry.file_name().to_string_lossy()), path));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn schemas_text(folder: &Path) -> Result<String, Failed> {
    Ok(fs::read_to_string(folder.join("schemas.json"))?)
}

/// The sections that do not come from the configuration.
const SECTIONS: [&str; 14] = [
    "format_version",
    "terraform_version",
    "variables",
    "planned_values",
    "resource_drift",
    "resource_changes",
    "output_changes",
    "prior_state",
    "relevant_attributes",
    "checks",
    "timestamp",
    "applyable",
    "complete",
    "errored",
];

/// The newest version that has written the documents.
fn version() -> Version {
    Version::parse("1.15").unwrap_or(Version::NEWEST)
}

fn sections(folder: &Path) -> Result<(), Failed> {
    let document = ProviderSchemas::parse(schemas_text(folder)?)?;
    let schemas = Schemas::new([document.clone()]).of_version(version());
    let mut wrong = Vec::new();
    let mut scores: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (name, path) in documents(folder)? {
        let text = fs::read_to_string(path)?;
        let expected = Plan::parse(&text)?;
        let plan = read::plan(&text, &schemas).map_err(|error| format!("{name}: {error}"))?;
        let version = expected.terraform_version.as_deref().unwrap_or_default();
        let info = DocumentInfo {
            terraform_version: version,
            is_simulated: false,
            prediction: Prediction { is_trusting: false, is_refreshed: true },
            timestamp: "2026-01-01T00:00:00Z",
        };
        let written = write_plan(&plan, &Config::default(), &schemas, &info);
        let written = Plan::parse(&written)?;
        for section in SECTIONS {
            let wanted = expected.member(section).map(|raw| compact(raw.text()));
            let found = written.member(section).map(|raw| raw.text().to_owned());
            let (equal, all) = scores.entry(section).or_default();
            *all += usize::from(wanted.is_some() || found.is_some());
            if wanted == found {
                *equal += usize::from(wanted.is_some());
            } else {
                wrong.push(format!("{name}: {section}: {}", difference(wanted.as_deref(), found.as_deref())));
            }
        }
        let order =
            |plan: &Plan<'_>| -> Vec<String> { plan.members().map(|(name, _)| name.to_owned()).collect() };
        if order(&expected) != order(&written) {
            wrong.push(format!("{name}: the order of sections"));
        }
    }
    for (section, (equal, all)) in scores {
        score(section, equal, all);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Where two texts begin to differ.
fn difference(wanted: Option<&str>, found: Option<&str>) -> String {
    let (wanted, found) = (wanted.unwrap_or("(absent)"), found.unwrap_or("(absent)"));
    let at = std::iter::zip(wanted.chars(), found.chars()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| text.chars().skip(at.saturating_sub(60)).take(160).collect::<String>();
    format!("\n   wanted {}\n   found  {}", around(wanted), around(found))
}

/// Says how many of a kind are as they should be.
#[expect(clippy::print_stderr, reason = "the number is what people run these tests for")]
fn score(of: &str, equal: usize, all: usize) {
    eprintln!("{of}: {equal} of {all}");
}

/// JSON without the spaces between its tokens.
fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut is_string, mut is_escaped) = (false, false);
    for c in json.chars() {
        if is_string || !c.is_whitespace() {
            out.push(c);
        }
        is_string = if c == '"' { is_escaped == is_string } else { is_string };
        is_escaped = is_string && c == '\\' && !is_escaped;
    }
    out
}

fn reports(folder: &Path) -> Result<(), Failed> {
    let document = ProviderSchemas::parse(schemas_text(folder)?)?;
    let schemas = Schemas::new([document]).of_version(version());
    let shown_by = Arc::new(objchange_document::Schemas::parse(schemas_text(folder)?)?);
    let (mut wrong, mut all) = (Vec::new(), 0);
    for (name, path) in documents(folder)? {
        let text = fs::read_to_string(path)?;
        let plan = read::plan(&text, &schemas).map_err(|error| format!("{name}: {error}"))?;
        let info = DocumentInfo {
            terraform_version: "1.11.4",
            is_simulated: false,
            prediction: Prediction { is_trusting: false, is_refreshed: true },
            timestamp: "2026-01-01T00:00:00Z",
        };
        let written = write_plan(&plan, &Config::default(), &schemas, &info);
        let Document::Plan(parsed) = Document::parse(&written)? else { return Err("no plan".into()) };
        for mode in [PlanMode::Normal, PlanMode::RefreshOnly] {
            let options = Options { mode: Some(mode), ..Options::default() };
            let of_document = Report::of_plan(&parsed, &shown_by, &options, &Filter::default())?;
            let changes = change_set(&plan);
            let options = Options { program: Some(of_document.program), ..options };
            let of_changes = Report::of_changes(&changes, &shown_by, &options, &Filter::default())?;
            let json = |report: &Report<'_>| serde_json::to_string(report);
            all += 1;
            let (wanted, found) = (json(&of_document)?, json(&of_changes)?);
            if wanted != found {
                wrong.push(format!("{name}: {}", difference(Some(&wanted), Some(&found))));
            }
        }
    }
    score("reports", all - wrong.len(), all);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
