//! Addresses of the configurations of providers.

use std::fmt;
use std::str::FromStr;

use objchange::address::ProviderAddress;
use smol_str::SmolStr;

/// The address of a provider configuration: `module.m.provider["registry.terraform.io/hashicorp/aws"].east`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderConfigAddress {
    /// The names of the calls from the root module to the module that it is in.
    pub module: Vec<SmolStr>,
    /// The provider.
    pub provider: ProviderAddress,
    /// The alias.
    pub alias: Option<SmolStr>,
}

impl fmt::Display for ProviderConfigAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.module.iter().try_for_each(|name| write!(f, "module.{name}."))?;
        write!(f, "provider[\"{}\"]", self.provider)?;
        self.alias.iter().try_for_each(|alias| write!(f, ".{alias}"))
    }
}

/// A text that is not the address of a provider configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not the address of a provider configuration")]
#[non_exhaustive]
pub struct ProviderConfigAddressError;

impl ProviderConfigAddressError {
    /// The stable name of the kind of error: there is one.
    pub fn kind(self) -> &'static str {
        "provider_config_address"
    }
}

impl FromStr for ProviderConfigAddress {
    type Err = ProviderConfigAddressError;

    /// Reads what [`Display`](fmt::Display) writes, and `provider.aws` as state files had it before Terraform 0.13.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut module = Vec::new();
        let mut rest = text;
        while let Some(after) = rest.strip_prefix("module.") {
            let (name, after) = after.split_once('.').ok_or(ProviderConfigAddressError)?;
            module.push(SmolStr::from(name));
            rest = after;
        }
        let (provider, alias) = match rest.strip_prefix("provider[\"") {
            Some(quoted) => {
                let (address, alias) = quoted.split_once("\"]").ok_or(ProviderConfigAddressError)?;
                // A name alone is no address here, as it is in `required_providers`.
                let parsed = ProviderAddress::parse(address).filter(|_| address.contains('/'));
                (parsed.ok_or(ProviderConfigAddressError)?, alias)
            }
            None => {
                let bare = rest.strip_prefix("provider.").ok_or(ProviderConfigAddressError)?;
                let end = bare.find('.').unwrap_or(bare.len());
                let (name, alias) = bare.split_at(end);
                (ProviderAddress::implied(name), alias)
            }
        };
        let alias = match alias.strip_prefix('.') {
            Some(alias) => Some(alias),
            None if alias.is_empty() => None,
            None => return Err(ProviderConfigAddressError),
        };
        if provider.name.is_empty() || alias.is_some_and(|alias| alias.is_empty() || alias.contains('.')) {
            return Err(ProviderConfigAddressError);
        }
        Ok(Self { module, provider, alias: alias.map(SmolStr::from) })
    }
}
