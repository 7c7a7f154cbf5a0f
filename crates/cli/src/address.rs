//! Addresses of resource instances, as Terraform writes them.

use objchange::value::PathStep;
use objchange_hcl::{parse_expression, variables};

/// The address of a resource instance: `module.web["a"].aws_instance.this[0]`. Keys are strings of configuration, so that
/// `["k$${v}"]` is the key `k${v}`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InstanceAddress {
    /// The modules that it is in, as written; empty in the root module.
    pub(crate) module: String,
    modules: Vec<PathStep>,
    pub(crate) resource_type: String,
    pub(crate) name: String,
    pub(crate) key: Option<Key>,
}

/// The key of one instance among others of its resource.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Key {
    Number(u64),
    Text(String),
}

impl InstanceAddress {
    /// Reads an address; `None` if it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let expr = parse_expression(text).ok()?;
        let [reference] = &variables(&expr)[..] else { return None };
        if reference.whole() != expr.span {
            return None;
        }
        let mut steps: Vec<(PathStep, usize)> = reference.path().collect();
        let key = steps.pop_if(|(step, _)| matches!(step, PathStep::Index(_)));
        let key = match key {
            Some((PathStep::Index(key), _)) => Some(match (key.as_str(), key.as_number()) {
                (Some(text), _) => Key::Text(text.to_owned()),
                (_, Some(number)) => Key::Number(number.as_u64()?),
                _ => return None,
            }),
            _ => None,
        };
        let [modules @ .., (PathStep::Attribute(resource_type), start), (PathStep::Attribute(name), _)] =
            &steps[..]
        else {
            return None;
        };
        let mut expected_name = false;
        for (i, (step, _)) in modules.iter().enumerate() {
            // Each is `module`, a name, and perhaps a key.
            expected_name = match step {
                PathStep::Attribute(name) if !expected_name && name == "module" => true,
                PathStep::Attribute(_) if expected_name => false,
                PathStep::Index(_) if !expected_name && i > 1 => false,
                _ => return None,
            };
        }
        if expected_name {
            return None;
        }
        Some(Self {
            module: text[..*start].trim_end_matches(['.', ' ']).to_owned(),
            modules: modules.iter().map(|(step, _)| step.clone()).collect(),
            resource_type: resource_type.to_string(),
            name: name.to_string(),
            key,
        })
    }

    /// Whether two texts are the same address, however its keys are written.
    pub(crate) fn is_same(a: &str, b: &str) -> bool {
        let parts = |text| {
            let Self { modules, resource_type, name, key, .. } = Self::parse(text)?;
            Some((modules, resource_type, name, key))
        };
        a == b || parts(a).is_some_and(|a| Some(a) == parts(b))
    }
}

#[cfg(test)]
mod tests {
    use super::{InstanceAddress, Key};

    #[test]
    fn keys_are_strings_of_configuration() {
        let key = |text: &str| InstanceAddress::parse(text).unwrap().key;
        assert_eq!(key("t.a"), None);
        assert_eq!(key("t.a[0]"), Some(Key::Number(0)));
        assert_eq!(key(r#"t.a["k$${v}"]"#), Some(Key::Text("k${v}".to_owned())));
        assert_eq!(key(r#"t.a["\u0041%%{x}.\"]["]"#), Some(Key::Text("A%{x}.\"][".to_owned())));
        for wrong in
            ["t", "t.a[", "t.a[1.5]", "t.a[x]", "t.a[\"${x}\"]", "a.b.c", "module.t.a", "t.a b", "t[0].a", ""]
        {
            assert_eq!(InstanceAddress::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn modules_are_kept_as_written() {
        let address = InstanceAddress::parse(r#"module.m["a.b"].module.n[1].t.x["y"]"#).unwrap();
        assert_eq!(address.module, r#"module.m["a.b"].module.n[1]"#);
        assert_eq!((&*address.resource_type, &*address.name), ("t", "x"));
        assert!(InstanceAddress::is_same(r#"module.m["a"].t.x["\u0041"]"#, r#"module.m["\u0061"].t.x["A"]"#));
        assert!(!InstanceAddress::is_same(r#"module.m["a"].t.x"#, r#"module.m["b"].t.x"#));
    }
}
