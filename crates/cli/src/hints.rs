//! The options that help against errors of libraries. Libraries do not know the options: Python and C use them too.

use std::fmt::Display;

use objchange_document::{DirectoryProblem, Missing, MissingKind, PriorError};
use objchange_files::input::InputError;
use objchange_hcl::NO_DIRECTORY;
use objchange_module::config::local_source;
use objchange_plan::report::{GateError, LeftOutBy, Unmatched};
#[cfg(feature = "policy")]
use objchange_policy::rego::{PolicyError, PolicyErrorKind};
use objchange_project::resource::ResourceError;
use objchange_project::{
    ConfigurationError, NOT_GIVEN, PlanError, PlanInputError, SchemaError, SchemaTextError, StateError,
};

use crate::exit::{CommandError, unusable};

/// The three ways to get schemas, for messages about schemas that are missing.
pub(crate) const HOW_TO_GET_SCHEMAS: &str = "give them with --schemas FILE, from `terraform providers schema -json`, or --schemas DIR, a directory of such files; cache \
     them once with `objchange schemas add DIR`, after `terraform init` in DIR; or ask a provider with --provider-binary";

/// The error, and how to avoid it.
fn with_hint(error: impl Display, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

/// An input that cannot be read.
pub(crate) fn input(error: &InputError) -> String {
    with_hint(error, error.is_over_limit().then_some("allow more with --max-input"))
}

/// A plan or state that cannot be read.
pub(crate) fn plan_input(error: &PlanInputError) -> String {
    match error {
        PlanInputError::Input(error) => input(error),
        error => error.to_string(),
    }
}

/// Schemas that cannot be read.
pub(crate) fn schema_text(error: &SchemaTextError) -> String {
    match error {
        SchemaTextError::Input(error) => input(error),
        error => error.to_string(),
    }
}

/// Schemas that are given and cannot be used.
pub(crate) fn schemas(error: &SchemaError) -> String {
    match error {
        SchemaError::Text(error) => schema_text(error),
        error => error.to_string(),
    }
}

/// A configuration that cannot be used.
pub(crate) fn configuration(error: &ConfigurationError) -> String {
    match error {
        ConfigurationError::Undeclared { name, .. } => format!("--var {name}: {error}"),
        ConfigurationError::Input(error) => input(error),
        error => error.to_string(),
    }
}

/// A resource that cannot be planned.
pub(crate) fn resource(error: &ResourceError) -> CommandError {
    let hint = match error {
        ResourceError::NoSchemas => return unusable(format!("{error}: {HOW_TO_GET_SCHEMAS}")),
        ResourceError::ManyTypes { .. } => "choose one with --provider",
        ResourceError::Prior { error: PriorError::NoState, .. } => {
            "omit --address if this is the object itself"
        }
        ResourceError::Prior { error: PriorError::NoAddress { .. }, .. } => "choose one with --address",
        ResourceError::WhichType => "name it with --type",
        ResourceError::GivenForNothing => "omit --var, --var-file and --base-dir",
        ResourceError::GivenSchemas(error) => return unusable(schemas(error)),
        ResourceError::Configuration(error) => return unusable(configuration(error)),
        ResourceError::Input(error) => return unusable(input(error)),
        ResourceError::Document(error) => return unusable(plan_input(error)),
        error => return unusable(error),
    };
    unusable(with_hint(error, Some(hint)))
}

/// A module that cannot be planned.
pub(crate) fn plan(error: &PlanError) -> CommandError {
    match error {
        PlanError::Schemas(error) => unusable(schemas(error)),
        PlanError::NoSchemas(_) => unusable(format!("{error}: {HOW_TO_GET_SCHEMAS}")),
        PlanError::Installed(_) | PlanError::NotInstalled { .. } => {
            unusable(format!("{error}, or name its program with --provider-binary"))
        }
        PlanError::ModuleSource { .. } => unusable(format!("--module-source: {error}")),
        PlanError::State { error: state, .. } => unusable(with_hint(error, state_hint(state))),
        PlanError::OpenTofuFile { directory, .. } => unusable(format!(
            "{error}: plan it with `objchange plan {} --as opentofu --json`, or --as terraform, and use that plan",
            directory.display()
        )),
        error => unusable(error),
    }
}

fn state_hint(error: &StateError) -> Option<&'static str> {
    Some(match error {
        StateError::Elsewhere { .. } | StateError::Terragrunt => {
            "then pass --state state.json, or --no-state if nothing exists yet"
        }
        StateError::Argument { .. } | StateError::UnknownArgument(_) | StateError::Reinitialize { .. } => {
            "or name the state with --state FILE, or pass --no-state if nothing exists yet"
        }
        StateError::OtherLineage { .. } => "leave --state out, or plan where the other state belongs",
        StateError::Empty(_) => "if nothing exists yet, pass --no-state",
        StateError::File { .. } => {
            "name the state with --state FILE, or allow more directories with --allow-path"
        }
        StateError::WorkspaceFile { .. } => "name the workspace in TF_WORKSPACE",
        StateError::Input(error) if error.is_over_limit() => "allow more with --max-input",
        _ => return None,
    })
}

/// Whether the source of a module names a directory, which is not there: nothing can be installed then.
fn is_in_no_directory(missing: &Missing) -> bool {
    missing.kind == MissingKind::Module
        && missing.problem == Some(DirectoryProblem::Absent)
        && missing.source.as_deref().is_some_and(|source| local_source(source).is_some())
}

/// Sentences about the inputs that a plan lacks, one for each kind, with how to give them. `files` are files with values of variables.
pub(crate) fn missing(all: &[Missing], files: &[String]) -> Vec<String> {
    // As many as fit on a screen.
    const NAMED: usize = 10;
    let listed_of = |is_meant: &dyn Fn(&Missing) -> bool, name: &dyn Fn(&Missing) -> String| {
        let names: Vec<String> = all.iter().filter(|missing| is_meant(missing)).map(name).collect();
        let first = &names[..names.len().min(NAMED)];
        (!names.is_empty()).then(|| (objchange_text::listed(first, names.len()), names.len()))
    };
    let listed = |kind: MissingKind, name: &dyn Fn(&Missing) -> String| {
        listed_of(&|missing| missing.kind == kind, name)
    };
    let mut notes = Vec::new();
    if let Some((names, count)) = listed(MissingKind::Variable, &|missing| missing.address.clone()) {
        let (have, them) = if count == 1 { ("has", "it") } else { ("have", "them") };
        let found = match files {
            [] => String::new(),
            files => format!(" (found: {})", files.join(", ")),
        };
        notes.push(format!(
            "{names} {have} no value, so what depends on {them} is unknown: pass --var NAME=VALUE or --var-file \
             FILE{found}"
        ));
    }
    if let Some((names, count)) = listed_of(&is_in_no_directory, &Missing::to_string) {
        let them = if count == 1 { "it" } else { "them" };
        notes.push(format!("{names}; what depends on {them} is unknown: correct the source"));
    }
    let is_elsewhere =
        |missing: &Missing| missing.kind == MissingKind::Module && !is_in_no_directory(missing);
    if let Some((names, count)) = listed_of(&is_elsewhere, &Missing::to_string) {
        let them = if count == 1 { "it" } else { "them" };
        notes.push(format!(
            "{names}; what depends on {them} is unknown: run `terraform init`, or say where the source lies with \
             --module-source ADDRESS=DIR{}",
            match all.iter().any(|missing| missing.problem == Some(DirectoryProblem::Outside)) {
                true => "; --allow-path DIR allows a directory",
                false => "",
            }
        ));
    }
    if listed(MissingKind::State, &Missing::to_string).is_some() {
        notes.push(
            "the state is elsewhere and was not read: `terraform state pull | objchange plan --state -` plans from it, \
             and --no-state says that nothing exists yet"
                .to_owned(),
        );
    }
    if let Some((names, count)) = listed(MissingKind::File, &|missing| missing.address.clone()) {
        let (files, are, them) = if count == 1 { ("file", "is", "it") } else { ("files", "are", "them") };
        notes.push(format!(
            "the {files} {names} {are} not in the plan file, which has configuration files alone, so what depends on {them} is \
             unknown: name the directory that has {them} with --allow-path DIR"
        ));
    }
    let provider =
        // Terraform's messages leave out the host of its own registry, too (`Provider.ForDisplay`).
        |missing: &Missing| missing.address.trim_start_matches("registry.terraform.io/").to_owned();
    if let Some((names, _)) = listed(MissingKind::Schema, &provider) {
        notes.push(format!(
            "there are no schemas of {names}: their objects are what the configuration says, everything else in them is \
             unknown, and a schema may hide more; {HOW_TO_GET_SCHEMAS}"
        ));
    }
    notes
}

/// Where modules that must be there are to come from: Terraform's error names neither their sources nor their versions.
pub(crate) fn missing_modules(all: &[Missing]) -> Vec<String> {
    let line = |missing: &Missing| match missing.problem {
        None => format!(
            "{missing}: run `terraform init`, or say where the source lies with --module-source ADDRESS=DIR"
        ),
        Some(_) => missing.to_string(),
    };
    all.iter().map(line).collect()
}

/// Options that select nothing.
pub(crate) fn unmatched(unmatched: &Unmatched) -> String {
    match unmatched {
        // The options are called like the parts.
        Unmatched::Part { .. } => format!("--{unmatched}"),
        Unmatched::Together => unmatched.to_string(),
    }
}

/// A gate that would miss changes, or check nothing.
pub(crate) fn gate(error: &GateError) -> String {
    match error {
        GateError::Unmatched(all) => {
            let all: Vec<String> = all.iter().map(unmatched).collect();
            with_hint(all.join("; "), Some("--allow-unmatched accepts that"))
        }
        GateError::Misses { what, by } => {
            let option = match by {
                LeftOutBy::Actions => "--action",
                LeftOutBy::Drift => "--drift",
                LeftOutBy::NoDrift => "--no-drift",
                LeftOutBy::Resources => "the selection of resources",
            };
            format!("--fail-on {what} misses what {option} leaves out")
        }
        error => error.to_string(),
    }
}

/// Advice for an error of this kind in an expression or a configuration.
pub(crate) fn of_diagnostic(kind: &str) -> Option<&'static str> {
    match kind {
        NO_DIRECTORY => Some("name the directory of the files with --base-dir"),
        NOT_GIVEN => Some(
            "give values of variables with --var NAME=VALUE or --var-file FILE; --unknown NAME makes a name unknown",
        ),
        _ => None,
    }
}

/// Policies that cannot be used.
#[cfg(feature = "policy")]
pub(crate) fn policy(error: &PolicyError) -> String {
    with_hint(error, of_policy(error))
}

/// The option that helps with policies that cannot be used.
#[cfg(feature = "policy")]
pub(crate) fn of_policy(error: &PolicyError) -> Option<&'static str> {
    match error.kind() {
        PolicyErrorKind::Time => Some("allow more with --timeout"),
        PolicyErrorKind::Memory => Some("allow more with --memory"),
        PolicyErrorKind::Network => Some("allow it with --allow-net"),
        PolicyErrorKind::NeedsRun => Some("pass it with --run"),
        PolicyErrorKind::NeedsWrapped => Some("for these use --input wrapped"),
        _ => None,
    }
}
