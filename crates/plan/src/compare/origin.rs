//! The sources and provider versions that two plans were made from.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use objchange_document::PlanOrigin;

/// In which sources and provider versions the origins of two plans differ.
///
/// ```
/// use objchange_document::PlanOrigin;
/// use objchange_plan::compare::OriginDifferences;
///
/// let origin = |text| PlanOrigin::new([("main.tf", text)], None);
/// let found = OriginDifferences::between(&origin("variable \"a\" {}"), &origin(""));
/// assert_eq!(found.sources[0].path, "main.tf");
/// assert!(found.providers.is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OriginDifferences {
    /// Configuration files, by path.
    pub sources: Vec<SourceDifference>,
    /// Versions of providers, by address; `None` if one of the plans does not say them.
    pub providers: Option<Vec<ProviderDifference>>,
}

/// A configuration file that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SourceDifference {
    /// Its path, relative to the working directory.
    pub path: String,
    /// In what the plans differ.
    pub difference: SourceDifferenceKind,
}

/// In what two plans differ about a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SourceDifferenceKind {
    /// Only the first plan was made from it.
    OnlyInA,
    /// Only the second plan was made from it.
    OnlyInB,
    /// It has another text in each.
    OtherText,
}

/// A provider that has another version in each plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProviderDifference {
    /// Its address.
    pub provider: String,
    /// The version in the first plan; `None` if its lock file does not name the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The version in the second plan; `None` if its lock file does not name the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
}

impl OriginDifferences {
    /// Compares the origins of two plans.
    pub fn between(a: &PlanOrigin, b: &PlanOrigin) -> Self {
        let sources = differing(&a.sources, &b.sources);
        let sources = sources.map(|(path, in_a, in_b)| SourceDifference {
            path: path.clone(),
            difference: match (in_a, in_b) {
                (Some(_), None) => SourceDifferenceKind::OnlyInA,
                (None, _) => SourceDifferenceKind::OnlyInB,
                (Some(_), Some(_)) => SourceDifferenceKind::OtherText,
            },
        });
        let providers = a.providers.as_ref().zip(b.providers.as_ref()).map(|(a, b)| {
            let providers = differing(a, b).map(|(provider, in_a, in_b)| ProviderDifference {
                provider: provider.clone(),
                a: in_a.cloned(),
                b: in_b.cloned(),
            });
            providers.collect()
        });
        Self { sources: sources.collect(), providers }
    }
}

/// The entries that differ, in order, with both values.
fn differing<'m, V: PartialEq>(
    a: &'m BTreeMap<String, V>,
    b: &'m BTreeMap<String, V>,
) -> impl Iterator<Item = (&'m String, Option<&'m V>, Option<&'m V>)> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names.into_iter().map(|name| (name, a.get(name), b.get(name))).filter(|(_, in_a, in_b)| in_a != in_b)
}
