//! Providers that a package registry serves, asked for plans alone. They are downloaded into the folder that the environment
//! variable `OBJCHANGE_REAL_PROVIDERS` names, where a report of each is left, too. Without it, or what cannot be downloaded, is
//! ignored.

mod install;
mod timed;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use objchange_conform::{Acceptance, Clause, FindingSeverity, Hints, accepted, judge, samples};
use objchange_provider::client::{Client, Launch};
use objchange_provider::{Component, ProviderExt};

use install::PACKAGES;
use timed::Timed;

/// So many configurations of each type.
const CASES: usize = 24;

pub(crate) fn trials(arguments: &Arguments) -> Vec<Trial> {
    let folder = std::env::var_os("OBJCHANGE_REAL_PROVIDERS").map(PathBuf::from).filter(|_| !arguments.list);
    let trials = PACKAGES.iter().map(|package| {
        let program = folder.as_deref().and_then(|folder| package.install(folder));
        let is_absent = program.is_none();
        let name = package.name;
        Trial::test(name, move || plans(name, &program.unwrap_or_default())).with_ignored_flag(is_absent)
    });
    trials.collect()
}

/// The result of all configurations.
#[derive(Default)]
struct Tally {
    configurations: u64,
    accepted: u64,
    repairs: u64,
    plans: u64,
    judged: u64,
    plans_with_findings: u64,
    findings: BTreeMap<(&'static str, String), u64>,
    /// All but that a default is planned.
    other: Vec<String>,
    not_tolerated: Vec<String>,
    refused: Vec<String>,
    /// Types that end the provider.
    crashing: Vec<String>,
    waited: Duration,
}

#[tokio::main(flavor = "current_thread")]
async fn plans(name: &str, program: &Path) -> Result<(), Failed> {
    let start = Instant::now();
    let mut tally = Tally::default();
    let launch = Launch::new(program);
    let mut timed = Timed::new(Client::start(&launch).await?);
    let schemas = timed.schemas().await?;
    let started = start.elapsed();
    for name in schemas.resources.keys() {
        if let Err(error) = one_type(&timed, name, &mut tally).await {
            tally.crashing.push(format!("{name}: {error}"));
            let next = Timed::new(Client::start(&launch).await?);
            tally.ended(&std::mem::replace(&mut timed, next));
        }
    }
    tally.ended(&timed);
    timed.client.end().await;
    let report = tally.report(start.elapsed(), started);
    std::fs::write(program.with_extension("report"), &report)?;
    tally.judged(name).map_err(|problem| Failed::from(format!("{problem}\n{report}")))
}

/// Tries one type until the provider ends.
async fn one_type(timed: &Timed, name: &str, tally: &mut Tally) -> objchange_provider::Result<()> {
    let (schemas, hints) = (timed.schemas().await?, Hints::default());
    let block = &schemas.resources[name].block;
    for sample in samples(block, Component::Resource, name, &hints, 1).take(CASES) {
        let label = sample.label.clone();
        tally.configurations += 1;
        let sample = match accepted(timed, Component::Resource, name, block, sample, &hints).await? {
            Acceptance::Yes(sample) => sample,
            Acceptance::OnlyKnown(_, diagnostics) | Acceptance::No(diagnostics) => {
                let said = |d: &objchange::change::Diagnostic| {
                    let path = d.path.as_ref().map(ToString::to_string).unwrap_or_default();
                    format!("{name} {label}: {path}: {} {}", d.summary, d.detail.replace('\n', " "))
                };
                tally.refused.extend(diagnostics.iter().map(said));
                continue;
            }
        };
        tally.accepted += 1;
        tally.repairs += u64::from(sample.repairs);
        let mut trial = objchange_conform::Trial::new(sample.config);
        trial.known = sample.known;
        let before = timed.plans.load(Ordering::Relaxed);
        let judgement = judge(timed, name, &trial).await?;
        let plans = timed.plans.load(Ordering::Relaxed) - before;
        for said in &judgement.refused {
            tally.refused.push(format!("{name} {label}: when planned: {} {}", said.summary, said.detail));
        }
        tally.judged += plans;
        if !judgement.findings.is_empty() {
            tally.plans_with_findings += plans;
        }
        for finding in &judgement.findings {
            *tally.findings.entry((finding.clause.code(), finding.kind.clone())).or_default() += 1;
            if finding.kind != "noncomputed_planned" {
                tally.other.push(format!("{name} {label}: {}: {}", finding.path, finding.message));
            }
            if finding.clause == Clause::T2 {
                tally.crashing.push(format!("{name} {label}"));
                return Err(objchange_provider::ErrorKind::Disconnected.into());
            }
            // Terraform compares the final plan with the first one in the legacy type system, too.
            if finding.severity != FindingSeverity::Tolerated && finding.clause != Clause::F2 {
                let (path, message) = (&finding.path, &finding.message);
                tally.not_tolerated.push(format!("{name} {label}: {}{path}: {message}", finding.clause));
            }
        }
    }
    Ok(())
}

impl Tally {
    fn ended(&mut self, timed: &Timed) {
        self.plans += timed.plans.load(Ordering::Relaxed);
        self.waited += timed.waited();
    }

    fn judged(&self, package: &str) -> Result<(), String> {
        let is_vsphere = package.contains("vsphere");
        if self.accepted * 100 < self.configurations * 99 {
            return Err("the provider takes fewer than 99 of 100 configurations".to_owned());
        }
        if self.crashing.iter().any(|name| !name.starts_with("vsphere_virtual_machine")) {
            return Err("a type ends the provider".to_owned());
        }
        if self.crashing.is_empty() == is_vsphere {
            return Err("the type that ends the provider did not".to_owned());
        }
        if !self.not_tolerated.is_empty() {
            return Err("there are findings that Terraform does not tolerate".to_owned());
        }
        // The little provider has a single type, without defaults.
        let total: u64 = self.findings.values().sum();
        let defaults =
            self.findings.get(&("P5", "noncomputed_planned".to_owned())).copied().unwrap_or_default();
        let share = self.plans_with_findings * 100 / self.judged.max(1);
        if total > 100 && (defaults * 100 < total * 85 || !(30..=75).contains(&share)) {
            return Err("the findings are of other kinds than they were".to_owned());
        }
        Ok(())
    }

    fn report(&self, time: Duration, started: Duration) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{} of {} configurations accepted, {} repairs; {} of {} judged plans with findings; {} plans",
            self.accepted,
            self.configurations,
            self.repairs,
            self.plans_with_findings,
            self.judged,
            self.plans
        );
        let _ =
            writeln!(out, "{time:?}, of which {:?} waiting for answers, {started:?} to start", self.waited);
        for ((clause, kind), count) in &self.findings {
            let _ = writeln!(out, "{count:6} {clause} {kind}");
        }
        for (what, lines) in [
            ("crashing", &self.crashing),
            ("not tolerated", &self.not_tolerated),
            ("refused", &self.refused),
            ("findings that are no defaults", &self.other),
        ] {
            let _ = writeln!(out, "{what}: {}", lines.len());
            lines.iter().for_each(|line| {
                let _ = writeln!(out, "  {line}");
            });
        }
        out
    }
}
