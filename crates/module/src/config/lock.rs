//! `.terraform.lock.hcl`: which version of each provider `terraform init` has chosen, and what its packages are.

use std::collections::BTreeMap;

use objchange::{Type, Value};
use objchange_hcl::{Diagnostic, constant, parse_body};

use crate::ProviderAddress;

/// The name of the lock file, in the directory of the root module.
pub const LOCK_FILE: &str = ".terraform.lock.hcl";

/// A provider in a lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedProvider {
    /// The version that is installed.
    pub version: String,
    /// The checksums of its packages: `h1:…` of an unpacked one, `zh:…` of an archive.
    pub hashes: Vec<String>,
}

/// Reads the providers of a lock file. Other blocks, and providers without a version, are skipped.
///
/// ```
/// use objchange_module::ProviderAddress;
/// use objchange_module::config::locked_providers;
///
/// let lock = r#"provider "registry.terraform.io/hashicorp/aws" {
///   version     = "5.1.0"
///   constraints = "~> 5.0"
///   hashes      = ["h1:abc"]
/// }"#;
/// let locked = locked_providers(lock)?;
/// let aws = &locked[&ProviderAddress::implied("aws")];
/// assert_eq!((aws.version.as_str(), aws.hashes.len()), ("5.1.0", 1));
/// # Ok::<(), Vec<objchange_hcl::Diagnostic>>(())
/// ```
///
/// # Errors
///
/// The text is not HCL.
pub fn locked_providers(text: &str) -> Result<BTreeMap<ProviderAddress, LockedProvider>, Vec<Diagnostic>> {
    let mut providers = BTreeMap::new();
    for block in parse_body(text)?.blocks {
        let (true, [source]) = (block.kind == "provider", &block.labels[..]) else { continue };
        let Some(provider) = ProviderAddress::parse(&source.text) else { continue };
        let value = |name: &str| {
            let attribute = block.body.attributes.iter().find(|attribute| attribute.name == name);
            attribute.and_then(|attribute| constant(&attribute.expr).ok())
        };
        let Some(version) = value("version").as_ref().and_then(Value::as_str).map(str::to_owned) else {
            continue;
        };
        let hashes = value("hashes").unwrap_or_else(|| Value::null(Type::Dynamic));
        let hashes = (0..hashes.len().unwrap_or_default())
            .filter_map(|position| hashes.index(position)?.as_str().map(str::to_owned));
        providers.insert(provider, LockedProvider { version, hashes: hashes.collect() });
    }
    Ok(providers)
}
