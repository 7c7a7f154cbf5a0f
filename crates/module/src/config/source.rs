//! The source address of a module call.

use std::borrow::Cow;

const BAD_SOURCE: &str = "Invalid module source address";

/// Where a module lies whose source is this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceDirectory {
    /// The source as calls have it, or the package of several modules: `acme/net/aws`, `git::https://example.com/net.git`.
    pub source: String,
    /// The directory: absolute, or relative to that of the root module.
    pub directory: String,
}

impl SourceDirectory {
    /// Whether both are of the same source.
    ///
    /// ```
    /// use objchange_module::config::SourceDirectory;
    ///
    /// let of = |source: &str| SourceDirectory { source: source.to_owned(), directory: "m".to_owned() };
    /// assert!(of("acme/net/aws").has_source_of(&of("registry.terraform.io/acme/net/aws")));
    /// assert!(!of("acme/net/aws").has_source_of(&of("acme/net/aws//modules/x")));
    /// ```
    pub fn has_source_of(&self, other: &Self) -> bool {
        self.source == other.source
            || package(&self.source) == package(&other.source) && query(&self.source) == query(&other.source)
    }
    /// The one of these that says most about where a source lies; none does about a local one.
    ///
    /// ```
    /// use objchange_module::config::SourceDirectory;
    ///
    /// let of = |source: &str, directory: &str| SourceDirectory { source: source.to_owned(), directory: directory.to_owned() };
    /// let given = [of("acme/net/aws", "net"), of("acme/net/aws//modules/x", "x")];
    /// let found = |source| SourceDirectory::of(source, &given).map(|found| found.directory.as_str());
    /// assert_eq!(found("acme/net/aws//modules/x"), Some("x"));
    /// assert_eq!(found("registry.terraform.io/acme/net/aws//modules/y"), Some("net"));
    /// assert_eq!(found("./net"), None);
    /// ```
    pub fn of<'s>(source: &str, given: &'s [Self]) -> Option<&'s Self> {
        if local_source(source).is_some() {
            return None;
        }
        let (wanted, path) = package(source);
        let fits = |one: &&Self| {
            let (package, inner) = package(&one.source);
            let has_query = query(&one.source).is_none_or(|own| Some(own) == query(source));
            has_query && package == wanted && (inner.is_empty() || inner == path)
        };
        let rank = |one: &&Self| (query(&one.source).is_some(), package(&one.source).1.len());
        given.iter().filter(fits).max_by_key(rank)
    }

    /// The directory of the module with this source, which is the own one or a part of it.
    pub(super) fn directory_for(&self, source: &str) -> String {
        let path = package(source).1;
        super::clean(&match package(&self.source).1 {
            "" if !path.is_empty() => format!("{}/{path}", self.directory),
            _ => self.directory.clone(),
        })
    }
}

/// The source of a module as a path from the module that calls it, with slashes; `None` for any other source.
///
/// ```
/// use objchange_module::config::local_source;
///
/// assert_eq!(local_source("./net").as_deref(), Some("./net"));
/// assert_eq!(local_source("..\\net").as_deref(), Some("../net"));
/// assert!(["net", "/net", "."].iter().all(|source| local_source(source).is_none()));
/// ```
pub fn local_source(source: &str) -> Option<Cow<'_, str>> {
    // Terraform 1.11.4 takes both separators on all systems.
    let is_local = ["./", "../", ".\\", "..\\"].iter().any(|start| source.starts_with(start));
    is_local.then(|| match source.contains('\\') {
        true => Cow::Owned(source.replace('\\', "/")),
        false => Cow::Borrowed(source),
    })
}

/// The part of a source behind its question mark.
fn query(source: &str) -> Option<&str> {
    source.split_once('?').map(|(_, query)| query)
}

/// The package that a source is in, and the path in that.
fn package(source: &str) -> (String, &str) {
    let address = source.split('?').next().unwrap_or_default();
    let scheme = address.find("://").map_or(0, |at| at + 3);
    let (package, path) = match address[scheme..].find("//") {
        Some(at) => (&address[..scheme + at], address[scheme + at + 2..].trim_matches('/')),
        None => (address, ""),
    };
    (registry(package).unwrap_or_else(|| package.trim_end_matches('/').to_owned()), path)
}

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
    /// Parses a source; with a `version` it is a registry address. The error has a summary and a detail.
    pub(super) fn parse(source: &str, has_version: bool) -> Result<Self, (&'static str, String)> {
        let local = local_source(source);
        if has_version {
            return registry(source).map(Self::Registry).ok_or_else(|| {
                let why = if local.is_some() {
                    format!("can't use local directory {source:?} as a module registry address")
                } else {
                    let host = source.split('/').next().unwrap_or_default();
                    format!("invalid module registry hostname {host:?}")
                };
                let detail = format!(
                    "Failed to parse module registry address: {why}.\n\nTerraform assumed that you intended a module \
                     registry source address because you also set the argument \"version\", which applies only to \
                     registry modules."
                );
                ("Invalid registry module source address", detail)
            });
        }
        if let Some(path) = local {
            return Ok(Self::Local(path.into_owned()));
        }
        if let Some(registry) = registry(source) {
            return Ok(Self::Registry(registry));
        }
        if source.is_empty() {
            let detail = "Failed to parse module source address: invalid source address: .";
            return Err((BAD_SOURCE, detail.to_owned()));
        }
        let is_remote = source.contains("::")
            || source.contains("://")
            || source.starts_with('/')
            || source.contains('@')
            || source.split('/').next().is_some_and(|host| host.contains('.') && !host.starts_with('.'));
        if !is_remote {
            let detail = format!(
                "Terraform failed to determine your intended installation method for remote module package \
                 {source:?}.\n\nIf you intended this as a path relative to the current module, use \"./{source}\" \
                 instead. The \"./\" prefix indicates that the address is a relative filesystem path."
            );
            return Err((BAD_SOURCE, detail));
        }
        Ok(Self::Remote(source.to_owned()))
    }

    /// Whether a module that was installed from this source is the same.
    pub(super) fn is(&self, installed: &str) -> bool {
        match self {
            Self::Local(source) => clean_local(source) == clean_local(installed),
            Self::Registry(source) => registry(installed).as_ref() == Some(source),
            // Only the downloader knows how it completes an address, so the rest of it is compared by its query alone.
            Self::Remote(source) => {
                let rest = |text: &str| text.rsplit_once('?').map(|(_, query)| query.to_owned());
                source == installed || (!installed.starts_with('.') && rest(source) == rest(installed))
            }
        }
    }
}

/// A local path without what says nothing.
fn clean_local(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/').filter(|step| !matches!(*step, "" | ".")) {
        match (step, steps.last()) {
            ("..", Some(last)) if *last != ".." => drop(steps.pop()),
            _ => steps.push(step),
        }
    }
    steps.join("/")
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
            // Terraform takes these for Git repositories, although they have the form of an address in a registry.
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
