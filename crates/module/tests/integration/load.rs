//! Loading: errors in files, modules and provider configurations. Summaries, details and places are those of Terraform
//! 1.11.4, except for keys of sensitive values, which are hidden.

use std::collections::BTreeSet;

use objchange_module::Severity;
use objchange_module::config::{Config, LoadOptions, MemoryFiles};

/// Each error or warning: `E main.tf:1,2-3 | Summary | detail`, sorted.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let files: MemoryFiles = files.iter().copied().collect();
    let options = LoadOptions::new("1.11.4");
    let (config, diagnostics) = Config::load(&files, ".", &options);
    let places = config.sources.places();
    let told = diagnostics.iter().map(|found| {
        let letter = if found.diagnostic.severity == Severity::Error { 'E' } else { 'W' };
        let place = found.diagnostic.subject.and_then(|subject| places.find(subject));
        let place = place.map_or_else(
            || "-".to_owned(),
            |place| {
                let (start, end) = (place.start(), place.end());
                // Terraform shows one character of what is empty.
                let column = if start == end { end.column + 1 } else { end.column };
                format!("{}:{},{}-{},{column}", place.name, start.line, start.column, end.line)
            },
        );
        let (summary, detail) = (&found.diagnostic.summary, &found.diagnostic.detail);
        format!("{letter} {place} | {summary} | {}", detail.replace('\n', "\\n"))
    });
    let mut told: Vec<String> = told.collect();
    told.sort();
    told
}

/// A case: files, each behind a line `--- NAME`, and behind `=== told` what Terraform says of them.
fn check(name: &str, case: &str) {
    let (files, wanted) = case.split_once("=== told\n").unwrap();
    let files: Vec<(&str, &str)> =
        files.split("--- ").skip(1).map(|file| file.split_once('\n').unwrap()).collect();
    let found = told(&files);
    let mut wanted: Vec<&str> = wanted.lines().collect();
    wanted.sort_unstable();
    let known: BTreeSet<&str> = wanted.iter().copied().collect();
    let missing: Vec<_> = wanted.iter().filter(|line| !found.iter().any(|other| other == *line)).collect();
    let extra: Vec<_> = found.iter().filter(|line| !known.contains(line.as_str())).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{name}\nmissing: {missing:#?}\nextra: {extra:#?}");
    assert_eq!(found, wanted, "{name}");
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), include_str!(concat!("load/", stringify!($name), ".txt")));
            }
        )*
    };
}

cases! {
    blocks
    conversions
    defaults
    imports
    moves
    overrides
    own_provider_blocks
    passed_providers

    required_providers
    terraform_blocks
    versions
}
