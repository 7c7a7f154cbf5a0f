//! What comes before any type is tried: the schemas as a whole, and the provider's own configuration.

use objchange::Value;
use objchange::change::{Diagnostic, Severity};
use objchange::schema::Block;
use objchange::value::Path;

use super::Options;
use super::watch::Watched;
use crate::conform::case::mask::Mask;
use crate::conform::flow::no_answer;
use crate::conform::report::{Found, Subject, TypeReport};
use crate::conform::{Clause, Finding};
use crate::{Component, Provider, Schemas};

const OWN: Subject = Subject::Component(Component::Provider);

/// What is known of a provider before its types are tried.
pub(super) struct Setup {
    /// Its configuration, if it is given one.
    pub(super) config: Option<Value>,
    /// Why not, if it should have one.
    pub(super) not_configured: Option<String>,
    /// What it does wrong so far.
    pub(super) report: Option<TypeReport>,
}

impl Setup {
    pub(super) async fn new(provider: &Watched, schemas: &Schemas, options: &Options) -> Self {
        let mut report = TypeReport::new(OWN, "");
        for fault in &schemas.problems {
            let message = fault.to_string();
            let finding = Finding::new(Clause::S1, fault.problem.kind(), Path::root(), message);
            report.findings.push(without_config(finding, fault.place.clone()));
        }
        let nothing = Block::new::<&str>([], []);
        let block = schemas.block(Component::Provider, "").unwrap_or_else(|| {
            let message = "the provider has no schema for its own configuration";
            let finding = Finding::new(Clause::S1, "no_provider_schema", Path::root(), message);
            report.findings.push(without_config(finding, String::new()));
            &nothing
        });
        let findings = schema_findings(block);
        report.findings.extend(findings);
        let (config, not_configured) = match options.hints.provider_config(block) {
            Err(error) => (None, Some(error.to_string())),
            Ok(config) => match configured(provider, block, &config, &mut report).await {
                None => (Some(config.unmark_deep().0), None),
                reason => (None, reason),
            },
        };
        let is_wanted = options.wants(OWN, "") && !report.findings.is_empty();
        Self { config, not_configured, report: is_wanted.then(|| report.sorted()) }
    }
}

/// Gives the provider its configuration; or why it does not take it.
async fn configured(
    provider: &Watched,
    block: &Block,
    config: &Value,
    report: &mut TypeReport,
) -> Option<String> {
    let mask = Mask::of(block, [config]);
    let config = config.unmark_deep().0;
    let mut said = provider.validate(Component::Provider, "", &config).await;
    if said.as_ref().is_ok_and(|said| refusal(said).is_none()) {
        said = provider.configure(&config).await;
    }
    match said {
        Ok(said) => refusal(&said).map(|refusal| mask.scrub(&refusal.to_string())),
        Err(error) => {
            let mut finding = no_answer(&error, Clause::T1);
            finding.message = mask.scrub(&finding.message);
            let reason = finding.message.clone();
            report.findings.push(without_config(finding, String::new()));
            Some(reason)
        }
    }
}

fn refusal(said: &[Diagnostic]) -> Option<&Diagnostic> {
    said.iter().find(|diagnostic| diagnostic.severity == Severity::Error)
}

/// What is wrong with a schema.
pub(super) fn schema_findings(block: &Block) -> Vec<Found> {
    let finding = |problem: &objchange::schema::SchemaProblem| {
        Finding::new(Clause::S1, problem.kind.kind(), problem.path.clone(), problem.to_string())
    };
    let findings = block.validate();
    findings.iter().map(|problem| without_config(finding(problem), problem.path.to_string())).collect()
}

/// Something that shows before anything is configured.
pub(super) fn without_config(finding: Finding, place: String) -> Found {
    let case = Err("no configuration is needed to see it".into());
    Found { finding, place, count: 1, smallest: None, case, is_known: false }
}
