//! `.terraform.lock.hcl`: which version of each provider `terraform init` has chosen.

use std::collections::BTreeMap;

use objchange_hcl::{Diagnostic, constant, parse_body};

use crate::ProviderAddress;

/// The name of the lock file, in the directory of the root module.
pub const LOCK_FILE: &str = ".terraform.lock.hcl";

/// The versions that a lock file has, by provider. What is not a provider with a version is skipped.
///
/// ```
/// use objchange_module::ProviderAddress;
/// use objchange_module::config::locked_versions;
///
/// let lock = r#"provider "registry.terraform.io/hashicorp/aws" {
///   version     = "5.1.0"
///   constraints = "~> 5.0"
/// }"#;
/// let versions = locked_versions(lock)?;
/// assert_eq!(versions[&ProviderAddress::implied("aws")], "5.1.0");
/// # Ok::<(), Vec<objchange_hcl::Diagnostic>>(())
/// ```
///
/// # Errors
///
/// The text is not HCL.
pub fn locked_versions(text: &str) -> Result<BTreeMap<ProviderAddress, String>, Vec<Diagnostic>> {
    let mut versions = BTreeMap::new();
    for block in parse_body(text)?.blocks {
        let (true, [source]) = (block.kind == "provider", &block.labels[..]) else { continue };
        let Some(provider) = ProviderAddress::parse(&source.text) else { continue };
        let attribute = block.body.attributes.iter().find(|attribute| attribute.name == "version");
        let value = attribute.and_then(|attribute| constant(&attribute.expr).ok());
        if let Some(version) = value.as_ref().and_then(objchange::Value::as_str) {
            versions.insert(provider, version.to_owned());
        }
    }
    Ok(versions)
}
