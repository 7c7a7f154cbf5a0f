//! Addresses of providers and of their configurations.

use std::fmt;
use std::str::FromStr;

use smol_str::SmolStr;

/// The address of a provider: `registry.terraform.io/hashicorp/aws`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderAddress {
    /// The host of the registry.
    pub hostname: SmolStr,
    /// The publisher.
    pub namespace: SmolStr,
    /// Its type: `aws`.
    pub name: SmolStr,
}

impl ProviderAddress {
    /// The host of providers whose source names none.
    pub const DEFAULT_HOSTNAME: &str = "registry.terraform.io";

    /// The provider that a local name means where `required_providers` has no source for it.
    pub fn implied(local_name: &str) -> Self {
        match local_name {
            "terraform" => Self::builtin(),
            name => Self {
                hostname: Self::DEFAULT_HOSTNAME.into(),
                namespace: "hashicorp".into(),
                name: name.into(),
            },
        }
    }

    /// The local name of the provider of a resource type that names none: the type up to its first `_`.
    pub fn local_name(resource_type: &str) -> &str {
        resource_type.split_once('_').map_or(resource_type, |(name, _)| name)
    }

    /// Parses a source, `[HOST/][NAMESPACE/]NAME`; `None` if it is invalid. Host and names become lower case.
    ///
    /// ```
    /// use objchange_module::ProviderAddress;
    ///
    /// let address = ProviderAddress::parse("local/Sim").unwrap();
    /// assert_eq!(address.to_string(), "registry.terraform.io/local/sim");
    /// assert_eq!(ProviderAddress::parse("a/b/c/d"), None);
    /// ```
    pub fn parse(source: &str) -> Option<Self> {
        let parts: Vec<&str> = source.split('/').collect();
        let (hostname, namespace, name) = match parts[..] {
            [name] => (Self::DEFAULT_HOSTNAME, "hashicorp", name),
            [namespace, name] => (Self::DEFAULT_HOSTNAME, namespace, name),
            [hostname, namespace, name] => (hostname, namespace, name),
            _ => return None,
        };
        let lower = |part: &str| SmolStr::from(part.to_lowercase());
        let address = Self { hostname: lower(hostname), namespace: lower(namespace), name: lower(name) };
        [&address.hostname, &address.namespace, &address.name]
            .iter()
            .all(|part| !part.is_empty())
            .then_some(address)
    }

    /// The provider that is part of Terraform.
    pub fn builtin() -> Self {
        Self { hostname: "terraform.io".into(), namespace: "builtin".into(), name: "terraform".into() }
    }

    /// Whether this is the provider that is part of Terraform.
    pub fn is_builtin(&self) -> bool {
        self.hostname == "terraform.io" && self.namespace == "builtin" && self.name == "terraform"
    }

    /// As messages write it: without the default host.
    pub fn for_display(&self) -> String {
        if self.hostname == Self::DEFAULT_HOSTNAME {
            format!("{}/{}", self.namespace, self.name)
        } else {
            self.to_string()
        }
    }
}

impl fmt::Display for ProviderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.hostname, self.namespace, self.name)
    }
}

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
pub struct ProviderConfigAddressError;

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
                (ProviderAddress::from_parts(address)?, alias)
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

impl ProviderAddress {
    /// The address whose host and namespace may be left out.
    fn from_parts(text: &str) -> Result<Self, ProviderConfigAddressError> {
        let parts: Vec<&str> = text.split('/').collect();
        let (hostname, namespace, name) = match *parts.as_slice() {
            [hostname, namespace, name] => (hostname, namespace, name),
            [namespace, name] => (Self::DEFAULT_HOSTNAME, namespace, name),
            _ => return Err(ProviderConfigAddressError),
        };
        Ok(Self { hostname: hostname.into(), namespace: namespace.into(), name: name.into() })
    }
}
