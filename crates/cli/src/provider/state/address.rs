//! Where in a state file an instance is.

use crate::address::{InstanceAddress, Key};

/// The address of a managed resource instance, as a state file has its parts.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::provider) struct Address {
    /// Empty for the root module.
    pub(super) module: String,
    pub(super) type_name: String,
    pub(super) name: String,
    pub(super) key: Option<serde_json::Value>,
}

impl Address {
    /// Reads the address of a resource of this type.
    pub(in crate::provider) fn parse(address: &str, type_name: &str) -> Result<Self, String> {
        let parsed = InstanceAddress::parse(address).filter(|parsed| parsed.resource_type == type_name);
        let parsed = parsed.ok_or_else(|| format!("{address} is not an address of a {type_name}"))?;
        let key = parsed.key.map(|key| match key {
            Key::Number(number) => number.into(),
            Key::Text(text) => text.into(),
        });
        Ok(Self { module: parsed.module, type_name: parsed.resource_type, name: parsed.name, key })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.module.is_empty() {
            write!(f, "{}.", self.module)?;
        }
        write!(f, "{}.{}", self.type_name, self.name)?;
        match &self.key {
            // In a string of configuration `${` and `%{` begin templates.
            Some(key) => write!(f, "[{}]", key.to_string().replace("${", "$${").replace("%{", "%%{")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        for (text, module, name, key) in [
            ("kit_disk.a", "", "a", None),
            ("kit_disk.a[0]", "", "a", Some(0.into())),
            (r#"module.m["a.b"].kit_disk.a["x.y"]"#, r#"module.m["a.b"]"#, "a", Some("x.y".into())),
            (r#"kit_disk.a["x$${y}"]"#, "", "a", Some("x${y}".into())),
        ] {
            let address = Address::parse(text, "kit_disk").unwrap();
            assert_eq!((address.module.as_str(), address.name.as_str()), (module, name));
            assert_eq!((address.key.clone(), address.to_string()), (key, text.to_owned()));
        }
        for text in ["other_disk.a", "my_kit_disk.a", "kit_disk"] {
            assert!(Address::parse(text, "kit_disk").is_err(), "{text}");
        }
    }
}
