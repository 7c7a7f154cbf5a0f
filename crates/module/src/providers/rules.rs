//! Rules of providers about configurations, beside those of their schemas.

use std::fmt;

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::SchemaKind;

use crate::ProviderConfigAddress;

/// Validates configurations by the own rules of providers, while something else answers their other calls.
pub trait ProviderRules: fmt::Debug + Send + Sync {
    /// A provider's diagnostics about a configuration, by kind and name of its type; `None` if this provider is not asked.
    fn validate(
        &self,
        provider: &ProviderConfigAddress,
        kind: SchemaKind,
        type_name: &str,
        config: &Value,
    ) -> Option<Vec<Diagnostic>>;
}
