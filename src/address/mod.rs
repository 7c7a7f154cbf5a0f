//! Addresses of modules, resources, instances and providers, in Terraform's written form.
//!
//! ```
//! use objchange::address::{InstanceAddress, InstanceKey};
//!
//! let address: InstanceAddress = r#"module.net["a.b"].aws_subnet.this[0]"#.parse()?;
//! assert_eq!(address.resource.resource_type, "aws_subnet");
//! assert_eq!(address.key, Some(InstanceKey::Number(0)));
//! assert_eq!(address.resource.module.to_string(), r#"module.net["a.b"]"#);
//! # Ok::<(), objchange::address::AddressError>(())
//! ```
//!
//! Keys are strings of configuration: `["k$${v}"]` is the key `k${v}`. The types print and parse
//! Terraform's form. The [functions](self#functions) work on text, for patterns and for documents of other
//! programs.

mod parse;
mod provider;
mod text;

use std::fmt::{self, Write};

pub use parse::{AddressError, AddressErrorKind};
pub use provider::ProviderAddress;
pub use text::{AddressStep, module_of, modules_of, quote_key, steps, strip_keys};

/// The key of one instance of a module call or resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstanceKey {
    /// The position that `count` gives.
    Number(u64),
    /// The key that `for_each` gives.
    String(String),
}

/// One call on the way to a module: `module.net["a"]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleStep {
    /// The name of the call.
    pub name: String,
    /// The instance, if the call has `count` or `for_each`.
    pub key: Option<InstanceKey>,
}

/// The calls from the root module to a module; without any, the root module itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleAddress(pub Vec<ModuleStep>);

impl ModuleAddress {
    /// Whether this is the root module.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
}

/// The kind of block that declares a resource.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// `resource`: an object that Terraform manages.
    #[default]
    Managed,
    /// `data`: an object that Terraform only reads.
    Data,
    /// `ephemeral`: an object that exists during one run.
    Ephemeral,
}

impl Mode {
    /// The prefix of addresses before the type; empty for managed resources.
    fn prefix(self) -> &'static str {
        match self {
            Self::Managed => "",
            Self::Data => "data.",
            Self::Ephemeral => "ephemeral.",
        }
    }
}

/// A resource in an instance of a module: `module.net["a"].data.aws_ami.web`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceAddress {
    /// The module that contains the resource.
    pub module: ModuleAddress,
    /// The kind of block that declares it.
    pub mode: Mode,
    /// The type: `aws_ami`.
    pub resource_type: String,
    /// The name: `web`.
    pub name: String,
}

/// One instance of a resource: `module.net["a"].aws_instance.web[0]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceAddress {
    /// The resource.
    pub resource: ResourceAddress,
    /// The instance, if the resource has `count` or `for_each`.
    pub key: Option<InstanceKey>,
}

impl InstanceAddress {
    /// Whether two texts are the same address, however their keys are escaped. Texts that are not addresses
    /// are compared by their bytes.
    ///
    /// ```
    /// use objchange::address::InstanceAddress;
    ///
    /// assert!(InstanceAddress::is_same(r#"t.x["\u0041"]"#, r#"t.x["A"]"#));
    /// assert!(!InstanceAddress::is_same("t.x[0]", "t.x[1]"));
    /// ```
    pub fn is_same(a: &str, b: &str) -> bool {
        a == b || a.parse::<Self>().is_ok_and(|a| b.parse() == Ok(a))
    }
}

impl fmt::Display for InstanceKey {
    /// With its brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "[{number}]"),
            Self::String(key) => {
                let mut quoted = String::with_capacity(key.len() + 4);
                quoted.push('[');
                quote_key(key, &mut quoted);
                quoted.push(']');
                f.write_str(&quoted)
            }
        }
    }
}

impl fmt::Display for ModuleStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "module.{}", self.name)?;
        self.key.iter().try_for_each(|key| write!(f, "{key}"))
    }
}

impl fmt::Display for ModuleAddress {
    /// Empty for the root module.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_char('.')?;
            }
            write!(f, "{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ResourceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.module.is_root() {
            write!(f, "{}.", self.module)?;
        }
        write!(f, "{}{}.{}", self.mode.prefix(), self.resource_type, self.name)
    }
}

impl fmt::Display for InstanceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.resource)?;
        self.key.iter().try_for_each(|key| write!(f, "{key}"))
    }
}

#[cfg(test)]
mod tests;
