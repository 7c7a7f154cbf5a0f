//! Where a module comes from, as a call says it.

/// The source of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ModuleSource {
    /// A path relative to the module that calls it.
    Local(String),
    /// A module of a registry, with its host.
    Registry(String),
    /// Something to download.
    Remote(String),
}

impl ModuleSource {
    /// What a source says; with a `version` it is of a registry.
    pub(super) fn parse(source: &str, has_version: bool) -> Result<Self, String> {
        let _ = has_version;
        if source.starts_with("./") || source.starts_with("../") || matches!(source, "." | "..") {
            return Ok(Self::Local(source.to_owned()));
        }
        if let Some(registry) = registry(source) {
            return Ok(Self::Registry(registry));
        }
        Ok(Self::Remote(source.to_owned()))
    }

    /// Whether a module that was installed from this source is the same.
    pub(super) fn is(&self, installed: &str) -> bool {
        match self {
            Self::Local(source) => clean_local(source) == clean_local(installed),
            Self::Registry(source) => registry(installed).as_ref() == Some(source),
            // How an address is completed is a matter of whoever downloads it.
            Self::Remote(source) => {
                let rest = |text: &str| text.rsplit_once('?').map(|(_, query)| query.to_owned());
                source == installed || (!installed.starts_with('.') && rest(source) == rest(installed))
            }
        }
    }
}

/// A local path without what says nothing.
fn clean_local(path: &str) -> String {
    path.trim_end_matches('/').to_owned()
}

/// The source of a module in a registry, with its host: `[HOST/]NAMESPACE/NAME/PROVIDER[//PATH]`.
fn registry(source: &str) -> Option<String> {
    let (address, path) = match source.split_once("//") {
        Some((address, path)) => (address, format!("//{path}")),
        None => (source, String::new()),
    };
    let parts: Vec<&str> = address.split('/').collect();
    let is_name = |part: &&str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    match &parts[..] {
        [host, rest @ ..] if rest.len() == 3 && host.contains('.') && rest.iter().all(is_name) => {
            if matches!(*host, "github.com" | "bitbucket.org") {
                return None;
            }
            Some(format!("{host}/{}{path}", rest.join("/")))
        }
        rest if rest.len() == 3 && rest.iter().all(is_name) => {
            Some(format!("registry.terraform.io/{}{path}", rest.join("/")))
        }
        _ => None,
    }
}
