//! The arguments of `plan` that say how to plan, with what Terraform says of wrong ones.

use objchange::address::{
    AddressError, AddressErrorKind, InstanceAddress, Mode, ModuleAddress, ResourceAddress,
};
use objchange_document::Version;
use objchange_hcl::ActionName;

use crate::plan::{ActionAddress, PlanMode, PlanOptions, Target};
use crate::versions::since;
use crate::{Diagnostics, Severity};

/// The arguments of `plan` that say how to plan, as they were given.
#[derive(Debug, Clone)]
pub struct PlanArguments {
    /// `-destroy`
    pub destroy: bool,
    /// `-refresh-only`
    pub refresh_only: bool,
    /// `-refresh`
    pub refresh: bool,
    /// `-minimal-refresh`
    pub minimal_refresh: bool,
    /// Each `-target`.
    pub targets: Vec<String>,
    /// Each `-replace`.
    pub replace: Vec<String>,
    /// Each `-invoke`; there may be one.
    pub invoke: Vec<String>,
}

impl Default for PlanArguments {
    fn default() -> Self {
        Self {
            destroy: false,
            refresh_only: false,
            refresh: true,
            minimal_refresh: false,
            targets: Vec::new(),
            replace: Vec::new(),
            invoke: Vec::new(),
        }
    }
}

impl PlanArguments {
    /// The options that the arguments come to, and what is wrong with them.
    ///
    /// ```
    /// use objchange_module::{PlanArguments, plan::PlanOptions};
    ///
    /// let arguments = PlanArguments { targets: vec!["aws_instance".to_owned()], ..PlanArguments::default() };
    /// let (_, found) = arguments.apply(PlanOptions::default());
    /// assert_eq!(found.iter().next().unwrap().diagnostic.summary, "Invalid target \"aws_instance\"");
    /// ```
    pub fn apply(&self, options: PlanOptions) -> (PlanOptions, Diagnostics) {
        let mut found = Diagnostics::default();
        let mut error = |summary: String, detail: String| {
            found.without_place(Severity::Error, ("invalid_argument", summary), detail);
        };
        let mut targets = Vec::new();
        for text in &self.targets {
            match target(text) {
                Ok(target) => targets.push(target),
                Err(why) => error(format!("Invalid target {text:?}"), why),
            }
        }
        let mut replace = Vec::new();
        for text in &self.replace {
            match replacement(text) {
                Ok(address) => replace.push(address),
                Err(why) => error(format!("Invalid force-replace address {text:?}"), why),
            }
        }
        let mut invoke = None;
        if self.invoke.len() > 1 {
            let detail = "Only one action can be invoked at a time.";
            error("Invalid arguments".to_owned(), detail.to_owned());
        } else if let Some(text) = self.invoke.first() {
            match action(text) {
                Ok(address) => invoke = Some(address),
                Err(why) => error(format!("Invalid target {text:?}"), why),
            }
        }
        if invoke.is_some()
            && let Some((summary, detail)) = self.beside_invoke(options.version)
        {
            error(summary.to_owned(), detail.to_owned());
        }
        let mode = match (self.destroy, self.refresh_only) {
            (true, true) => {
                let detail = "The -destroy and -refresh-only options are mutually-exclusive.";
                error("Incompatible plan mode options".to_owned(), detail.to_owned());
                PlanMode::Normal
            }
            (true, false) => PlanMode::Destroy,
            (false, true) => PlanMode::RefreshOnly,
            (false, false) => PlanMode::Normal,
        };
        // An action is invoked after all is refreshed, if anything is.
        let mode = if invoke.is_some() { PlanMode::RefreshOnly } else { mode };
        if mode == PlanMode::RefreshOnly && !self.refresh && invoke.is_none() {
            let detail = "It doesn't make sense to use -refresh-only at the same time as -refresh=false, because Terraform would \
                          have nothing to do.";
            error("Incompatible refresh options".to_owned(), detail.to_owned());
        }
        if self.minimal_refresh && (mode != PlanMode::Normal || !self.refresh) {
            let detail = "The -minimal-refresh option is for plans that change objects and refresh some of them: leave out \
                          -destroy, -refresh-only, -invoke and -refresh=false.";
            error("Incompatible refresh options".to_owned(), detail.to_owned());
        }
        let (refresh, minimal_refresh) = (self.refresh, self.minimal_refresh);
        (PlanOptions { mode, refresh, minimal_refresh, targets, replace, invoke, ..options }, found)
    }

    /// The reason why `-invoke` is refused beside the other arguments.
    fn beside_invoke(&self, version: Version) -> Option<(&'static str, &'static str)> {
        if !since(version, "1.14") {
            return Some(("Invalid arguments", "Actions can be invoked since Terraform 1.14."));
        }
        if self.destroy {
            let detail = "Must be in RefreshOnlyMode when invoking actions. This is a bug in Terraform.";
            return Some(("Incompatible plan options", detail));
        }
        if !self.replace.is_empty() {
            let detail = "Forcing resource instance replacement (with -replace=...) is allowed only in normal planning mode.";
            return Some(("Unsupported plan mode", detail));
        }
        let is_refused = !self.targets.is_empty() && !since(version, "1.16");
        is_refused.then_some(("Invalid arguments", "Actions cannot be invoked together with -target."))
    }
}

/// The action that `-invoke` names: `module.m.action.aws_lambda_invoke.warm_up[0]`.
fn action(text: &str) -> Result<ActionAddress, String> {
    const NAMELESS: &str = "Action specification must include an action type and name.";
    let starts = text.match_indices("action").map(|(at, _)| at);
    let found = starts.filter(|at| *at == 0 || text[..*at].ends_with('.')).find_map(|at| {
        let module = match text[..at].strip_suffix('.') {
            Some(module) => module.parse::<ModuleAddress>().ok()?,
            None => ModuleAddress::default(),
        };
        let rest = &text[at + "action".len()..];
        rest.chars().next().is_none_or(|next| matches!(next, '.' | '[')).then_some((module, rest))
    });
    let Some((module, rest)) = found else {
        return Err("Action specification must start with `action`.".to_owned());
    };
    let Some(named) = rest.strip_prefix('.') else { return Err(NAMELESS.to_owned()) };
    let address: InstanceAddress = named.parse().map_err(|error: AddressError| {
        let has_key = named.get(..error.offset).is_some_and(|before| before.ends_with(']'));
        match refused(named, &error) {
            "Resource instance key must be given in square brackets." if has_key => {
                "Unexpected extra operators after address."
            }
            "Resource instance key must be given in square brackets." => {
                "Action instance key must be given in square brackets."
            }
            "Resource specification must include a resource type and name." => NAMELESS,
            other => other,
        }
        .to_owned()
    })?;
    let ResourceAddress { resource_type, name, .. } = address.resource;
    let name = ActionName { action_type: resource_type.into(), name: name.into() };
    Ok(ActionAddress { module, name, key: address.key })
}

fn target(text: &str) -> Result<Target, String> {
    let resource = match text.parse::<ModuleAddress>() {
        Ok(module) if !module.is_root() => return Ok(Target::Module(module)),
        _ => instance(text)?,
    };
    Ok(Target::Resource(resource))
}

fn replacement(text: &str) -> Result<InstanceAddress, String> {
    if text.parse::<ModuleAddress>().is_ok_and(|module| !module.is_root()) {
        return Err("A resource instance address is required here. The module path must be followed by a resource instance \
                    specification."
            .to_owned());
    }
    let address = instance(text)?;
    if address.resource.mode != Mode::Managed {
        return Err("Only managed resources can be used with the -replace=... option.".to_owned());
    }
    Ok(address)
}

/// Names that are not resource types, unless `resource.` is before them.
const RESERVED: [&str; 10] =
    ["arg", "count", "each", "lazy", "local", "path", "self", "template", "terraform", "var"];

fn instance(text: &str) -> Result<InstanceAddress, String> {
    let (written, is_explicit) = match text.strip_prefix("resource.") {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let first = written.split(['.', '[']).next().unwrap_or_default();
    if !is_explicit && RESERVED.contains(&first) {
        return Err(format!(
            "The keyword {first:?} is reserved and cannot be used to target a resource address. If you are targeting a resource \
             type that uses a reserved keyword, please prefix your address with \"resource.\"."
        ));
    }
    written.parse().map_err(|error| refused(written, &error).to_owned())
}

/// Why a text is not an address, in Terraform's words.
fn refused(text: &str, error: &AddressError) -> &'static str {
    use AddressErrorKind::*;
    let (before, rest) = text.split_at_checked(error.offset).unwrap_or((text, ""));
    match error.kind {
        ExpectedName if before.is_empty() => "Must begin with a variable name.",
        ExpectedName if before.ends_with('.') => "Dot must be followed by attribute name.",
        ExpectedResource if !rest.is_empty() && !rest.starts_with('.') => {
            "Expected an attribute access or an index operator."
        }
        ExpectedName | ExpectedResource if before.ends_with("module") => {
            "Prefix \"module.\" must be followed by a module name."
        }
        ExpectedName | ExpectedResource => "Resource specification must include a resource type and name.",
        ExpectedKey if rest.starts_with('*') => "Splat expressions ([*]) may not be used here.",
        ExpectedKey if rest.starts_with('.') => {
            "Invalid resource instance key: value must be a whole number, between -9223372036854775808 and \
             9223372036854775807."
        }
        ExpectedKey => "Index brackets must contain either a literal number or a literal string.",
        UnclosedKey if rest.starts_with('"') || before.contains('"') => {
            "Unable to find the closing quote mark before the end of the file."
        }
        UnclosedKey => "Index brackets must contain either a literal number or a literal string.",
        Template => {
            "Template sequences are not allowed in this string. To include a literal \"$\", double it (as \"$$\") to escape it."
        }
        TrailingText if rest.starts_with('.') => "Resource instance key must be given in square brackets.",
        TrailingText if rest.starts_with('[') => "Unexpected extra operators after address.",
        TrailingText => "Expected an attribute access or an index operator.",
        _ => "Unexpected extra operators after address.",
    }
}
