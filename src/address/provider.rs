//! Addresses of providers.

use std::borrow::Cow;
use std::fmt;

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
    /// use objchange::address::ProviderAddress;
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
        let lower = |part: &str| SmolStr::from(Self::normalized(part));
        let address = Self { hostname: lower(hostname), namespace: lower(namespace), name: lower(name) };
        [&address.hostname, &address.namespace, &address.name]
            .iter()
            .all(|part| !part.is_empty())
            .then_some(address)
    }

    /// An address as documents have it, in the form that is compared: in lower case. Terraform writes no other, and people do.
    ///
    /// ```
    /// use objchange::address::ProviderAddress;
    ///
    /// let written = "Registry.Terraform.io/hashicorp/AWS";
    /// assert_eq!(ProviderAddress::normalized(written), "registry.terraform.io/hashicorp/aws");
    /// ```
    pub fn normalized(address: &str) -> Cow<'_, str> {
        match address.chars().any(char::is_uppercase) {
            true => Cow::Owned(address.to_lowercase()),
            false => Cow::Borrowed(address),
        }
    }

    /// Whether an address is meant by what a user writes: in any case, and without the host or the namespace.
    ///
    /// ```
    /// use objchange::address::ProviderAddress;
    ///
    /// let aws = "registry.terraform.io/hashicorp/aws";
    /// assert!(ProviderAddress::is_meant("HashiCorp/AWS", aws) && ProviderAddress::is_meant("aws", aws));
    /// assert!(!ProviderAddress::is_meant("acme/aws", aws));
    /// ```
    pub fn is_meant(written: &str, address: &str) -> bool {
        let (written, address) = (Self::normalized(written), Self::normalized(address));
        address.strip_suffix(&*written).is_some_and(|before| before.is_empty() || before.ends_with('/'))
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
