//! `objchange plan`: plans one change of one resource.

mod json;
pub(crate) mod prior;
mod text;
mod written;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use objchange::Value;
use objchange::change::{
    Action, IgnoreChanges, Lifecycle, PlanChangeError, PlanRequest, PlanResourceChange, PlannedChange,
    PlannedResource, Provider, SimulatedProvider, plan_change,
};
use objchange::schema::{
    Block, ProviderSchemas, SchemaDocumentError, SchemaKind, UnknownPath, UnknownPathKind,
};
use objchange::value::{Path, PathStep};
use objchange_plan::{Form, ObjectError, read_object};

use self::prior::{Prior, PriorError};
use self::written::{BlockPlace, Chosen, Written, WrittenError};
use crate::configuration::{Configuration, ConfigurationError, Given, report};
use crate::exit;
use crate::input::{InputError, Source};

const AFTER_HELP: &str = "\
Objects are JSON as in `terraform show -json`. In what people write (--config, --planned, and --prior where it \
is an object) an unknown part is {\"$unknown\":{}} and a sensitive one {\"$sensitive\":…}, as in case files.

Of a resource block in a file of configuration (.tf, .tofu, .tf.json), the arguments are the configuration, `dynamic` \
blocks expanded; of its `lifecycle`, `ignore_changes`, `create_before_destroy` and `prevent_destroy` count. Variables and \
local values of the same file are used, `each` and `count` where the address has a key. What else it refers to is not \
known yet, and named. Of a directory all files of the module count, those that override others last, with the values of \
`terraform.tfvars` and `*.auto.tfvars`; TF_VAR_… of the environment is not read.

Without --planned a simulated provider plans: it fills what is computed with unknown values.

The change is shown as `terraform plan` shows it; the resource is called `this` where no --address names it.

Exit codes:
  0  the change is planned
  1  the planned object breaks the contract between Terraform and its providers, or `prevent_destroy` forbids the change
  2  the input cannot be used, or the output cannot be written

Examples:
  objchange plan --schema schemas.json --type aws_instance \\
      --prior prior.json --config config.json
  terraform providers schema -json | objchange plan --schema - \\
      --type aws_instance --config config.json
  objchange plan --schema schemas.json --type aws_instance \\
      --prior terraform.tfstate --address aws_instance.web \\
      --config config.json --requires-replace ami
  objchange plan --schema schemas.json --prior terraform.tfstate \\
      --config 'main.tf:aws_instance.web' --var-file prod.tfvars";

/// Plan one change of a resource: what will happen, and why
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The output of `terraform providers schema -json`
    #[arg(long, value_name = "FILE")]
    schema: PathBuf,

    /// The resource type, such as `aws_instance`; a block of configuration says its own
    #[arg(long = "type", value_name = "TYPE")]
    resource_type: Option<String>,

    /// The provider whose resource type it is, such as `hashicorp/aws`, where several have one of that name
    #[arg(long, value_name = "ADDRESS")]
    provider: Option<String>,

    /// The object as it is: by itself, or a state to take it out of, which is a state file or the output of
    /// `terraform show -json`. Without this there is no object yet
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,

    /// Which object of the state, such as `module.web["a"].aws_instance.this[0]`
    #[arg(long, value_name = "ADDRESS", requires = "prior")]
    address: Option<String>,

    /// The object as it is configured, `null` if it is to be destroyed; or a resource block of a file of configuration
    /// or of a module's directory, as in `main.tf:aws_instance.web["a"]`
    #[arg(long, value_name = "FILE|FILE.tf[:ADDRESS]|DIR[:ADDRESS]")]
    config: PathBuf,

    #[command(flatten)]
    given: Given,

    /// What a provider planned, to be checked
    #[arg(long, value_name = "FILE")]
    planned: Option<PathBuf>,

    /// What of the configuration is not looked at, such as `tags["Name"]`, or `all`; can be repeated
    #[arg(long, value_name = "PATH")]
    ignore_changes: Vec<Ignored>,

    /// Replace the object whatever changes
    #[arg(long)]
    replace: bool,

    /// What the provider cannot change in place; can be repeated
    #[arg(long, value_name = "PATH", value_parser = part)]
    requires_replace: Vec<Path>,

    /// Where the object is replaced, create the new one before the old one is destroyed
    #[arg(long)]
    create_before_destroy: bool,

    /// Write JSON (its form: schema/plan-report.schema.json)
    #[arg(long)]
    json: bool,
}

/// An argument of `--ignore-changes`.
#[derive(Debug, Clone)]
enum Ignored {
    All,
    Path(Path),
}

impl FromStr for Ignored {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all" { Ok(Self::All) } else { part(text).map(Self::Path) }
    }
}

/// The path of a part of an object; the object as a whole is none.
fn part(text: &str) -> Result<Path, String> {
    match text.parse::<Path>() {
        Ok(path) if path.is_root() => {
            Err("an empty path names no part; write an attribute, such as `tags`".into())
        }
        Ok(path) => Ok(path),
        Err(error) => Err(error.to_string()),
    }
}

/// Why nothing can be planned.
#[derive(Debug, thiserror::Error)]
enum PlanError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{option} {}: {}{}", .error.path.to_string().trim_start_matches('.'), .error.kind, suggestion(&similar_parts(.error)))]
    NoSuchPart { option: &'static str, error: UnknownPath },
    #[error("standard input (-) can be read only once")]
    OneStdin,
    #[error("{input}:{}:{}: {}{}", error.line, error.column, location(error), error.message)]
    Schemas { input: Source, error: SchemaDocumentError },
    #[error("{input}: there is no resource type {name:?}{}", suggestion(.similar))]
    NoType { input: Source, name: String, similar: Vec<String> },
    #[error("{input}: several providers have a resource type {name:?}; choose with --provider one of {}", providers.join(", "))]
    ManyTypes { input: Source, name: String, providers: Vec<String> },
    #[error("{input}: there is no provider {name:?}; there are {}", providers.join(", "))]
    NoProvider { input: Source, name: String, providers: Vec<String> },
    #[error("{input}{}: {error}", place(error.place()))]
    Prior { input: Source, error: PriorError },
    #[error("{input}{}: {error}", place(Some((error.line, error.column))))]
    Object { input: Source, error: ObjectError },
    #[error("say with --type which type of resource this is")]
    WhichType,
    #[error("--var, --var-file and --base-dir are for configuration, in a .tf file or a directory")]
    GivenForNothing,
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error(transparent)]
    Written(WrittenError),
    #[error(transparent)]
    Change(#[from] PlanChangeError),
}

fn location(error: &SchemaDocumentError) -> String {
    if error.location.is_empty() { String::new() } else { format!("{}: ", error.location) }
}

fn place(place: Option<(usize, usize)>) -> String {
    place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default()
}

fn suggestion(similar: &[String]) -> String {
    if similar.is_empty() { String::new() } else { format!("; did you mean {}?", similar.join(" or ")) }
}

/// A change that is planned, and of what.
struct Planned<'s> {
    schema: Block,
    plan: PlannedChange,
    resource_type: String,
    written: Option<Written<'s>>,
}

pub(crate) fn run(args: &Args) -> io::Result<ExitCode> {
    let place = BlockPlace::of(&args.config);
    let configuration = match place.as_ref().map(|place| Configuration::read(&place.path)).transpose() {
        Ok(configuration) => configuration,
        Err(error) => return exit::unusable(&error),
    };
    let written = place.as_ref().zip(configuration.as_ref());
    match planned(args, written) {
        Ok(planned) => {
            let Planned { schema, plan, resource_type, written } = &planned;
            let places = written.as_ref().map_or_else(Default::default, |written| {
                [&plan.violations, &plan.at_apply].map(|violations| written.places(schema, violations))
            });
            let address = args.address.as_ref().or(written.as_ref().map(|written| &written.address));
            if args.json {
                let missing = written.as_ref().map(|written| &written.missing);
                json::write(resource_type, address.map(String::as_str), schema, plan, missing, &places)?;
            } else {
                let nameless = || format!("{resource_type}.this");
                text::write(&address.cloned().unwrap_or_else(nameless), schema, plan, &places)?;
                let missing = written.iter().flat_map(|written| &written.missing);
                let missing: Vec<&str> = missing.map(String::as_str).collect();
                if !missing.is_empty() {
                    exit::note(&format!("not given, so taken as not known yet: {}", missing.join(", ")));
                }
            }
            let unfollowed = written.iter().flat_map(|written| written.unfollowed.notes());
            unfollowed.for_each(|note| exit::note(&note));
            let destroys = !matches!(plan.action, Action::NoOp | Action::Create | Action::Update);
            let is_prevented = destroys && written.as_ref().is_some_and(|written| written.prevent_destroy);
            if is_prevented {
                exit::complain("the object cannot be destroyed: lifecycle.prevent_destroy forbids it")?;
            }
            let is_valid = plan.violations.is_empty() || plan.legacy_type_system;
            Ok(if is_valid && !is_prevented { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
        }
        Err(PlanError::Configuration(ConfigurationError::Problems(found))) => {
            if let Some(configuration) = &configuration {
                report::show(&configuration.sources, &found)?;
            }
            Ok(ExitCode::from(exit::UNUSABLE))
        }
        Err(error) => exit::unusable(&error),
    }
}

impl From<WrittenError> for PlanError {
    fn from(error: WrittenError) -> Self {
        match error {
            WrittenError::Configuration(error) => Self::Configuration(error),
            error => Self::Written(error),
        }
    }
}

fn planned<'s>(
    args: &Args,
    block: Option<(&BlockPlace, &'s Configuration)>,
) -> Result<Planned<'s>, PlanError> {
    let schema_source = Source::new(&args.schema);
    let config_source = Source::new(&args.config);
    let prior_source = args.prior.as_deref().map(Source::new);
    let planned_source = args.planned.as_deref().map(Source::new);
    let sources =
        [Some(&schema_source), Some(&config_source), prior_source.as_ref(), planned_source.as_ref()];
    let given = args.given.sources().filter(|source| *source == Source::Stdin).count();
    if given + sources.into_iter().flatten().filter(|source| **source == Source::Stdin).count() > 1 {
        return Err(PlanError::OneStdin);
    }
    if block.is_none() && !args.given.is_empty() {
        return Err(PlanError::GivenForNothing);
    }

    let resource_type = args.resource_type.as_deref();
    let chosen =
        block.map(|(place, configuration)| Chosen::read(place, configuration, resource_type)).transpose()?;
    let resource_type = match (&chosen, &args.resource_type) {
        (Some(chosen), _) => chosen.resource_type.clone(),
        (None, Some(name)) => name.clone(),
        (None, None) => return Err(PlanError::WhichType),
    };
    let schema = read_schema(schema_source, &resource_type, args)?;
    check_paths(&schema, args)?;
    let prior = match prior_source {
        Some(source) => {
            let address = chosen.as_ref().map(|chosen| chosen.address.as_str());
            read_prior(source, &schema, &resource_type, args.address.as_deref(), address)?
        }
        None => Prior { value: Value::null(schema.implied_type().clone()), tainted: false },
    };
    let written = chosen.map(|chosen| chosen.decode(&schema, &args.given)).transpose()?;
    let config = match &written {
        Some(written) => written.config.clone(),
        None => read_written(config_source, &schema)?,
    };
    let answer = planned_source.map(|source| read_written(source, &schema)).transpose()?;

    let mut request = PlanRequest::new(&schema, &prior.value, &config);
    request.lifecycle = Lifecycle {
        ignore_changes: ignore_changes(args, written.as_ref().map(|written| &written.ignore_changes)),
        create_before_destroy: args.create_before_destroy
            || written.as_ref().is_some_and(|written| written.create_before_destroy),
        force_replace: args.replace,
        tainted: prior.tainted,
    };
    let requires_replace = args.requires_replace.clone();
    let plan = match answer {
        Some(planned) => {
            let mut answer = PlannedResource::new(planned);
            answer.requires_replace = requires_replace;
            let mut provider = |_: &PlanResourceChange| Ok(answer.clone());
            plan_change(&request, &mut provider as &mut dyn Provider)?
        }
        None => plan_change(&request, &mut SimulatedProvider { requires_replace })?,
    };
    Ok(Planned { schema, plan, resource_type, written })
}

/// What is to be ignored by the arguments and by the block.
fn ignore_changes(args: &Args, written: Option<&IgnoreChanges>) -> IgnoreChanges {
    let mut paths: Vec<Path> = Vec::new();
    match written {
        Some(IgnoreChanges::All) => return IgnoreChanges::All,
        Some(IgnoreChanges::Paths(written)) => paths.extend(written.iter().cloned()),
        Some(IgnoreChanges::None) | None => {}
    }
    for ignored in &args.ignore_changes {
        match ignored {
            Ignored::All => return IgnoreChanges::All,
            Ignored::Path(path) => paths.push(path.clone()),
        }
    }
    if paths.is_empty() { IgnoreChanges::None } else { IgnoreChanges::Paths(paths) }
}

/// Whether the schema knows what the arguments name.
fn check_paths(schema: &Block, args: &Args) -> Result<(), PlanError> {
    let unknown =
        |option, path| schema.check_path(path).map_err(|error| PlanError::NoSuchPart { option, error });
    for ignored in &args.ignore_changes {
        if let Ignored::Path(path) = ignored {
            unknown("--ignore-changes", path)?;
        }
    }
    for path in &args.requires_replace {
        match unknown("--requires-replace", path) {
            // A provider may name an element of a set, which only a value tells.
            Err(PlanError::NoSuchPart { error, .. }) if error.kind == UnknownPathKind::NotAnElement => {}
            checked => checked?,
        }
    }
    Ok(())
}

/// The path with the unknown name in it replaced by each that is like it.
fn similar_parts(error: &UnknownPath) -> Vec<String> {
    let Some(PathStep::Attribute(wrong)) = error.path.steps().get(error.known) else { return Vec::new() };
    let names = most_similar(wrong, error.names.iter().map(String::as_str));
    let with = |name: String| {
        let steps = error.path.steps().iter().enumerate().map(|(i, step)| {
            if i == error.known { PathStep::Attribute(name.as_str().into()) } else { step.clone() }
        });
        steps.collect::<Path>().to_string().trim_start_matches('.').to_owned()
    };
    names.into_iter().map(with).collect()
}

fn read_schema(input: Source, name: &str, args: &Args) -> Result<Block, PlanError> {
    let document = match ProviderSchemas::parse(input.read()?) {
        Ok(document) => document,
        Err(error) => return Err(PlanError::Schemas { input, error }),
    };
    let owned = |providers: Vec<&str>| providers.into_iter().map(str::to_owned).collect();
    let wanted = |provider: &str| match &args.provider {
        // The host of the registry may be left out, as in configuration.
        Some(wanted) => provider == wanted || provider.ends_with(&format!("/{wanted}")),
        None => true,
    };
    let providers: Vec<&str> = document.providers().filter(|provider| wanted(provider)).collect();
    if let (Some(wanted), []) = (&args.provider, &providers[..]) {
        let providers = owned(document.providers().collect());
        return Err(PlanError::NoProvider { input, name: wanted.clone(), providers });
    }
    let has_it = |provider: &&str| document.names(provider, SchemaKind::Resource).any(|other| other == name);
    match *providers.iter().copied().filter(has_it).collect::<Vec<_>>() {
        [] => {
            let similar = similar(&document, &providers, name);
            Err(PlanError::NoType { input, name: name.to_owned(), similar })
        }
        [provider] => match document.get(provider, SchemaKind::Resource, name) {
            Ok(Some(schema)) => Ok(schema.block.clone()),
            Ok(None) => Err(PlanError::NoType { input, name: name.to_owned(), similar: Vec::new() }),
            Err(error) => Err(PlanError::Schemas { input, error }),
        },
        ref several => {
            let providers = owned(several.to_vec());
            Err(PlanError::ManyTypes { input, name: name.to_owned(), providers })
        }
    }
}

/// A few resource types whose names are most like the wanted one.
fn similar(document: &ProviderSchemas, providers: &[&str], name: &str) -> Vec<String> {
    most_similar(name, providers.iter().flat_map(|provider| document.names(provider, SchemaKind::Resource)))
}

/// The few of these names that are most like the wanted one.
fn most_similar<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let is_part = |other: &str| !other.is_empty() && (other.contains(wanted) || wanted.contains(other));
    let mut likely: Vec<(f64, &str)> = names
        .map(|other| (strsim::jaro_winkler(other, wanted), other))
        .filter(|(score, other)| *score > 0.9 || is_part(other))
        .collect();
    likely.sort_by(|a, b| b.0.total_cmp(&a.0));
    likely.into_iter().take(3).map(|(_, other)| other.to_owned()).collect()
}

/// Of a state, the object at the address that is given, or at that of the block of configuration.
fn read_prior(
    input: Source,
    schema: &Block,
    resource_type: &str,
    given: Option<&str>,
    of_block: Option<&str>,
) -> Result<Prior, PlanError> {
    let text = input.read()?;
    let read = |address| prior::read(&text, schema, resource_type, address);
    match (read(given), of_block) {
        (Err(PriorError::NoAddress { .. }), Some(address)) => read(Some(address)),
        (found, _) => found,
    }
    .map_err(|error| PlanError::Prior { input, error })
}

fn read_written(input: Source, schema: &Block) -> Result<Value, PlanError> {
    read_object(&input.read()?, schema, Form::Markers).map_err(|error| PlanError::Object { input, error })
}
