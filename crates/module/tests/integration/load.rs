//! Loading: what is wrong with files, modules and provider configurations. Summaries, details and places are those of
//! Terraform 1.11.4.

mod vectors;

use objchange_module::Severity;
use objchange_module::config::{Config, LoadOptions, MemoryFiles};

/// Each error or warning: `E main.tf:1,2-3 | Summary | detail`, sorted.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let files: MemoryFiles = files.iter().copied().collect();
    let options = LoadOptions { manifest: None, terraform_version: "1.11.4" };
    let (config, diagnostics) = Config::load(&files, ".", &options);
    let places = config.sources.places();
    let mut told: Vec<String> = diagnostics
        .iter()
        .map(|found| {
            let letter = if found.diagnostic.severity == Severity::Error { 'E' } else { 'W' };
            let place = found.diagnostic.subject.and_then(|span| places.find(span));
            let place = place.map_or_else(|| "-".to_owned(), |place| place.to_string());
            let (summary, detail) = (&found.diagnostic.summary, &found.diagnostic.detail);
            format!("{letter} {place} | {summary} | {}", detail.replace('\n', "\\n"))
        })
        .collect();
    told.sort();
    told
}

/// Compares with what the program said, which stands in the order of its finds.
fn assert_told(files: &[(&str, &str)], wanted: &str) {
    let mut wanted: Vec<&str> = wanted.lines().filter(|line| !line.is_empty()).collect();
    wanted.sort_unstable();
    let found = told(files);
    let missing: Vec<_> = wanted.iter().filter(|line| !found.iter().any(|other| other == *line)).collect();
    let extra: Vec<_> = found.iter().filter(|line| !wanted.contains(&line.as_str())).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing: {missing:#?}\nextra: {extra:#?}");
    assert_eq!(found, wanted);
}
