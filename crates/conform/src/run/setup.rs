//! The checks before any type is tested: the schemas as a whole, and the provider's own configuration.

use std::collections::HashSet;

use objchange::Value;
use objchange::change::{Diagnostic, Severity};
use objchange::schema::Block;
use objchange_provider::{Component, ProviderExt, Schemas};
use objchange_text::joined_path;

use super::Options;
use super::watch::{SharedSecrets, Watched};
use crate::case::NoCase;
use crate::finding::shortened;
use crate::flow::no_answer;
use crate::report::{FindingReport, Subject, TypeReport, shape};
use crate::schemas::{named, of_type, place};
use crate::secrets::Origin;
use crate::{Clause, Finding, judge_schemas};

pub(super) const OWN: Subject = Subject::Component(Component::Provider);

/// The state of a provider before its types are tried.
pub(super) struct Setup {
    /// The configuration that the provider was given, if any.
    pub(super) config: Option<Value>,
    /// Why it was not configured, if it should have been.
    pub(super) not_configured: Option<String>,
    /// Its findings so far.
    pub(super) report: Option<TypeReport>,
}

impl Setup {
    /// For a run whose time was over before the provider was configured.
    pub(super) fn late() -> Self {
        Self { config: None, not_configured: Some("the time was over before".to_owned()), report: None }
    }

    pub(super) async fn new(
        provider: &Watched,
        schemas: &Schemas,
        options: &Options,
        secrets: &SharedSecrets,
    ) -> Self {
        let nothing = Block::new::<&str>([], []);
        let block = schemas.block(Component::Provider, "").unwrap_or(&nothing);
        let mut report = TypeReport::new(OWN, "", block.clone());
        report.findings = untried_schema_findings(schemas);
        {
            // A block, so that the lock is released before the provider is called: its answers take the lock, too.
            let mut secrets = secrets.lock();
            options.hints.secrets().iter().for_each(|secret| secrets.learn_marked(secret));
            if let Ok(config) = options.hints.provider_config(block) {
                secrets.learn_config(block, &config, Origin::People);
            }
        }
        let (config, not_configured) = match options.hints.provider_config(block) {
            Err(error) => (None, Some(error.to_string())),
            Ok(config) => match configure(provider, &config, secrets, &mut report).await {
                None => (Some(config.unmark_deep().0), None),
                reason => (None, reason),
            },
        };
        let is_chosen = options.subjects.contains(&OWN);
        if is_chosen {
            report.samples = 1;
            report.accepted = u64::from(not_configured.is_none());
            report.refused = u64::from(not_configured.is_some());
        }
        // Faults of the provider's own schema or configuration affect all types, so they are always reported.
        let is_reported = is_chosen || !report.findings.is_empty();
        Self { config, not_configured, report: is_reported.then(|| report.sorted()) }
    }
}

/// Validates and sets the provider's configuration. Returns the reason if the provider does not accept it.
async fn configure(
    provider: &Watched,
    config: &Value,
    secrets: &SharedSecrets,
    report: &mut TypeReport,
) -> Option<String> {
    let config = config.unmark_deep().0;
    // Terraform validates this configuration before it configures the provider, and stops at an error.
    let mut answer = provider.validate(Component::Provider, "", &config).await;
    if answer.as_ref().is_ok_and(|diagnostics| refusal(diagnostics).is_none()) {
        answer = provider.configure(&config).await;
    }
    match answer {
        Ok(diagnostics) => {
            refusal(&diagnostics).map(|refusal| shortened(&secrets.lock().hide(&refusal.to_string())))
        }
        Err(error) => {
            let finding = no_answer(&error, Clause::T1, &objchange::Type::Dynamic);
            let finding = finding.map_texts(|text| shortened(&secrets.lock().hide(&text)));
            let reason = finding.message.clone();
            report.findings.push(without_config(finding, String::new()));
            Some(reason)
        }
    }
}

/// The first error.
fn refusal(diagnostics: &[Diagnostic]) -> Option<&Diagnostic> {
    diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Findings about the schemas of parts that are not tried as types.
fn untried_schema_findings(schemas: &Schemas) -> Vec<FindingReport> {
    let components = Subject::ALL.iter().filter_map(|subject| match subject {
        Subject::Component(component) if *subject != OWN => Some(*component),
        _ => None,
    });
    let tried: HashSet<String> = components
        .flat_map(|component| named(schemas, component).into_iter().map(move |name| place(component, &name)))
        .collect();
    let others = judge_schemas(schemas).into_iter().filter(|found| !tried.contains(&found.place));
    let found = others.map(|found| {
        let place = joined_path(&found.place, &shape(&found.finding.path));
        without_config(found.finding, place)
    });
    found.collect()
}

/// Findings about the schema of a type.
pub(super) fn of_one(schemas: &Schemas, component: Component, name: &str) -> Vec<FindingReport> {
    let findings = of_type(schemas, component, name).into_iter();
    let found = findings.map(|finding| {
        let place = shape(&finding.path);
        without_config(finding, place)
    });
    found.collect()
}

/// A finding that needs no configuration.
pub(super) fn without_config(finding: Finding, place: String) -> FindingReport {
    let case = Err(NoCase::NotNeeded);
    FindingReport { finding, place, count: 1, smallest: None, case, is_known: false }
}
