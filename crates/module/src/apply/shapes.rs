//! Made-up texts in the shape that the names of attributes promise, so that the validations of modules accept them.

use objchange::address::InstanceAddress;
use objchange::value::{Path, PathStep};

use super::generate::GeneratedValues;

/// A text for an attribute, by its name and the type of its resource; `None` if these promise nothing.
pub(super) fn text(values: &GeneratedValues, address: &str, path: &Path) -> Option<String> {
    let name = path.steps().iter().rev().find_map(|step| match step {
        PathStep::Attribute(name) => Some(name.as_str()),
        PathStep::Index(_) => None,
    })?;
    let resource_type = address.parse::<InstanceAddress>().ok()?.resource.resource_type;
    let (provider, kind) = resource_type.split_once('_').unwrap_or((&resource_type, "thing"));
    let letters = || values.text(address, path);
    let uuid = || values.uuid(address, &path.to_string());
    let digits = |count: usize| values.digits(address, &path.to_string())[..count].to_owned();
    let last = name.rsplit('_').next().unwrap_or(name);
    Some(match (provider, name, last) {
        (_, _, "arn") => {
            let service = kind.split('_').next().unwrap_or(kind);
            format!("arn:aws:{service}:us-east-1:123456789012:{}/{}", kind.replace('_', "-"), letters())
        }
        ("aws", "account_id" | "owner_id", _) => digits(12),
        ("aws", "id", _) => match kind {
            "vpc" | "subnet" => format!("{kind}-{}", hex(&uuid(), 17)),
            "instance" => format!("i-{}", hex(&uuid(), 17)),
            "security_group" => format!("sg-{}", hex(&uuid(), 17)),
            "ami" => format!("ami-{}", hex(&uuid(), 17)),
            _ => return None,
        },
        ("azurerm" | "azapi", "id" | "resource_id", _) => azure_id(kind, &uuid(), &letters()),
        (
            "azurerm" | "azapi" | "azuread",
            "tenant_id" | "client_id" | "principal_id" | "object_id" | "subscription_id" | "application_id",
            _,
        ) => uuid(),
        ("azurerm", _, "id") => azure_id(name.trim_end_matches("_id"), &uuid(), &letters()),
        ("google", "self_link", _) => {
            format!("https://www.googleapis.com/compute/v1/projects/made-up/global/{kind}/{}", letters())
        }
        (_, _, "uuid" | "guid") => uuid(),
        (_, "policy" | "assume_role_policy" | "document", _) | (_, _, "json" | "policy") => {
            r#"{"Version":"2012-10-17","Statement":[]}"#.to_owned()
        }
        (_, name, "block" | "cidr" | "prefix" | "range") if promises_network(name) => {
            match name.contains("ipv6") {
                true => "2001:db8::/56".to_owned(),
                false => "10.0.0.0/16".to_owned(),
            }
        }
        (_, name, "ip" | "address") if promises_address(name) => match name.contains("ipv6") {
            true => "2001:db8::4".to_owned(),
            false => "10.0.0.4".to_owned(),
        },
        (_, _, "email") => format!("{}@example.com", letters()),
        (_, "not_before" | "not_after" | "created" | "updated" | "timestamp" | "rfc3339", _)
        | (_, _, "at" | "date" | "time" | "timestamp") => "2026-01-01T00:00:00Z".to_owned(),
        (_, _, "url" | "uri") => format!("https://{}.example.com/", letters()),
        (_, _, "fqdn" | "hostname") | (_, "dns_name" | "domain_name", _) => {
            format!("{}.example.com", letters())
        }
        ("aws", "region", _) => "us-east-1".to_owned(),
        ("aws", "availability_zone", _) => "us-east-1a".to_owned(),
        _ => return None,
    })
}

fn promises_network(name: &str) -> bool {
    name.contains("cidr") || matches!(name, "address_prefix" | "ip_range" | "ip_cidr_range")
}

fn promises_address(name: &str) -> bool {
    name.ends_with("ip") || name.contains("ip_address") || name.contains("ipv6_address")
}

/// The first hexadecimal digits of a UUID.
fn hex(uuid: &str, count: usize) -> String {
    uuid.chars().filter(char::is_ascii_hexdigit).take(count).collect()
}

/// An identifier of Azure: each resource has its subscription, its group and its provider in it.
fn azure_id(kind: &str, subscription: &str, name: &str) -> String {
    let group = format!("/subscriptions/{subscription}/resourceGroups/made-up");
    if matches!(kind, "resource_group" | "subscription") {
        return group;
    }
    let (namespace, kind) = match kind {
        "virtual_network" => ("Network", "virtualNetworks".to_owned()),
        "subnet" => {
            return format!("{group}/providers/Microsoft.Network/virtualNetworks/made-up/subnets/{name}");
        }
        "storage_account" => ("Storage", "storageAccounts".to_owned()),
        "key_vault" => ("KeyVault", "vaults".to_owned()),
        "user_assigned_identity" => ("ManagedIdentity", "userAssignedIdentities".to_owned()),
        "log_analytics_workspace" => ("OperationalInsights", "workspaces".to_owned()),
        other => ("Resources", camel_case(other)),
    };
    format!("{group}/providers/Microsoft.{namespace}/{kind}/{name}")
}

/// `public_ip` as Azure writes types: `publicIps`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut chars = word.chars();
        text.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(chars.as_str());
    }
    text.push('s');
    text
}

#[cfg(test)]
mod tests {
    use objchange::value::Path;

    use super::{GeneratedValues, text};

    #[test]
    fn names_promise_shapes() {
        let values = GeneratedValues::new(0, &[]);
        let made = |address: &str, name: &str| text(&values, address, &Path::root().attribute(name));
        let starts = [
            ("aws_s3_bucket.b", "arn", "arn:aws:s3:us-east-1:123456789012:s3-bucket/"),
            ("aws_vpc.v", "id", "vpc-"),
            ("aws_vpc.v", "cidr_block", "10.0.0.0/16"),
            ("aws_vpc.v", "ipv6_cidr_block", "2001:db8::/56"),
            ("aws_instance.i", "private_ip", "10.0.0.4"),
            ("azurerm_subnet.s", "id", "/subscriptions/"),
            ("module.m[0].azurerm_public_ip.p[\"x\"]", "id", "/subscriptions/"),
            ("data.aws_iam_policy_document.d", "json", "{\"Version\":"),
            ("google_service_account.g", "create_time", "2026-01-01T"),
        ];
        for (address, name, start) in starts {
            let made = made(address, name).unwrap();
            assert!(made.starts_with(start), "{address}.{name}: {made}");
        }
        assert!(made("google_service_account.g", "email").unwrap().ends_with("@example.com"));
        assert_eq!(made("azurerm_key_vault.k", "tenant_id").unwrap().len(), 36);
        assert_eq!(made("aws_caller.c", "account_id").unwrap().len(), 12);
        assert_eq!(made("sim_box.b", "made"), None);
    }
}
