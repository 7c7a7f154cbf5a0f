//! The program of a provider.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A provider's program, and the address that configuration has for the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderProgram {
    /// The file to start.
    pub path: PathBuf,
    /// As it is given.
    address: Option<String>,
}

impl FromStr for ProviderProgram {
    type Err = Infallible;

    /// The text after the last `=` is the address, unless it belongs to a file's name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (program, address) = match text.rsplit_once('=') {
            Some((program, address)) if !Path::new(text).exists() => (program, Some(address.to_owned())),
            _ => (text, None),
        };
        let mut path = PathBuf::from(program);
        // A name alone would be looked for in the directories of `PATH` only.
        if path.components().count() == 1 && path.is_file() {
            path = Path::new(".").join(path);
        }
        Ok(Self { path, address })
    }
}

impl ProviderProgram {
    /// The program of the provider with this address.
    pub fn new(path: PathBuf, address: &str) -> Self {
        Self { path, address: Some(address.to_owned()) }
    }

    /// The version that the program's file is named for.
    pub fn version(&self) -> Option<String> {
        let file = self.path.file_name()?.to_str()?;
        let version = &file.strip_suffix(".exe").unwrap_or(file).get(at_version(file)?..)?;
        Some(version.split('_').next().unwrap_or(version).to_owned())
    }

    /// The full address: the one that is given, or what a provider called like this is called in configuration that does
    /// not say where it is from.
    pub fn address(&self) -> String {
        let file = || self.path.file_name().unwrap_or_default().to_string_lossy();
        let given = self.address.clone().unwrap_or_else(|| name(&file()).to_owned());
        match given.split('/').count() {
            1 => format!("registry.terraform.io/hashicorp/{given}"),
            2 => format!("registry.terraform.io/{given}"),
            _ => given,
        }
    }
}

/// `random` of `terraform-provider-random_v3.6.0_x5.exe`.
fn name(file: &str) -> &str {
    let name = file.strip_prefix("terraform-provider-").unwrap_or(file);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    at_version(name).map_or(name, |at| &name[..at - "_v".len()])
}

/// Where the version begins in `random_v3.6.0_x5`.
fn at_version(name: &str) -> Option<usize> {
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    name.match_indices("_v").map(|(at, v)| at + v.len()).find(|at| is_version(&name[*at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let address = |text: &str| text.parse::<ProviderProgram>().unwrap().address();
        let random = "registry.terraform.io/hashicorp/random";
        for text in ["terraform-provider-random", "./x/terraform-provider-random_v3.6.0_x5.exe", "p=random"] {
            assert_eq!(address(text), random, "{text}");
        }
        assert_eq!(address("a=b/p=acme/cloud"), "registry.terraform.io/acme/cloud");
        assert_eq!(address("p=example.com/test/kit"), "example.com/test/kit");
        assert_eq!(address("terraform-provider-my_vault"), "registry.terraform.io/hashicorp/my_vault");
        let version = |text: &str| text.parse::<ProviderProgram>().unwrap().version();
        for text in
            ["./x/terraform-provider-random_v3.6.0_x5.exe", "terraform-provider-random_v3.6.0=acme/random"]
        {
            assert_eq!(version(text).as_deref(), Some("3.6.0"), "{text}");
        }
        assert_eq!(version("terraform-provider-my_vault"), None);
    }
}
