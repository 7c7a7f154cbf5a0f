//! What is to be planned: an object as it is, its configuration, and how it may be changed.

use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};
use std::str::FromStr;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::change::{IgnoreChanges, Lifecycle, PlanRequest};
use objchange::schema::{Block, UnknownPath};
use objchange::value::{Path, PathStep};
use objchange_hcl::{DecodedResource, SelectError, SelectedResource};
use objchange_module::ProviderAddress;
use objchange_plan::{Form, Prior, PriorError, read_object, read_prior};

use super::error::{PlanError, most_similar};
use crate::configuration::{Configuration, ConfigurationError, Given, ends_like_configuration};
use crate::input::Source;
use crate::lock_file;

/// Which object is to be planned, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct SubjectArgs {
    /// The resource type, e.g. `aws_instance`; not needed for a configuration block
    #[arg(long = "type", value_name = "TYPE")]
    resource_type: Option<String>,

    /// The current object, or a state to take it from: a state file or the output of `terraform show -json`. Without it
    /// the object is new
    #[arg(long, value_name = "FILE")]
    pub(crate) prior: Option<PathBuf>,

    /// The object's address in the state, e.g. `module.web["a"].aws_instance.this[0]`
    #[arg(long, value_name = "ADDRESS", requires = "prior")]
    pub(crate) address: Option<String>,

    /// The desired object (`null` destroys it), or a resource block in a configuration file or module directory, e.g.
    /// `main.tf:aws_instance.web["a"]`
    #[arg(long, value_name = "FILE|FILE.tf[:ADDRESS]|DIR[:ADDRESS]")]
    config: PathBuf,

    #[command(flatten)]
    given: Given,

    /// Ignore changes to this path, e.g. `tags["Name"]`, or `all`; can be repeated
    #[arg(long, value_name = "PATH")]
    ignore_changes: Vec<Ignored>,

    /// Replace the object in any case
    #[arg(long)]
    replace: bool,

    /// When replacing, create the new object before destroying the old one
    #[arg(long)]
    create_before_destroy: bool,

    /// Print JSON (schema/plan-report.schema.json)
    #[arg(long)]
    pub(crate) json: bool,
}

impl SubjectArgs {
    /// The versions of providers that are locked for the configuration, if it is that of a module.
    pub(super) fn locked_versions(&self) -> BTreeMap<ProviderAddress, String> {
        let Some(place) = BlockPlace::of(&self.config) else { return BTreeMap::new() };
        let directory = if place.path.is_dir() { Some(&*place.path) } else { place.path.parent() };
        directory.map(lock_file::versions_of).unwrap_or_default()
    }
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
pub(super) fn part(text: &str) -> Result<Path, String> {
    match text.parse::<Path>() {
        Ok(path) if path.is_root() => {
            Err("an empty path names no part; write an attribute, such as `tags`".into())
        }
        Ok(path) => Ok(path),
        Err(error) => Err(error.to_string()),
    }
}

/// What is to be planned.
pub(crate) struct Subject<'s> {
    pub(crate) request: PlanRequest,
    pub(crate) resource_type: String,
    /// The address that is given for it, or that its block has.
    pub(crate) address: Option<String>,
    pub(super) written: Option<DecodedResource<'s>>,
}

/// Which block of which configuration is meant: `main.tf`, `main.tf.json:aws_instance.web["a"]`, `.:aws_instance.web`.
#[derive(Debug)]
pub(crate) struct BlockPlace {
    path: PathBuf,
    address: Option<String>,
}

impl BlockPlace {
    /// What an argument says; `None` if it is no configuration.
    pub(super) fn of(argument: &FilePath) -> Option<Self> {
        let Some(text) = argument.to_str() else {
            return argument.is_dir().then(|| Self { path: argument.to_owned(), address: None });
        };
        let ends = || text.match_indices(':').map(|(colon, _)| colon).chain([text.len()]);
        let directory = || ends().find(|end| FilePath::new(&text[..*end]).is_dir());
        let end = ends_like_configuration(text).or_else(directory)?;
        let address = text.get(end + 1..).map(str::to_owned);
        Some(Self { path: PathBuf::from(&text[..end]), address })
    }
}

/// Where a configuration is, if it is no object, and what it says.
pub(crate) struct Config {
    pub(super) block: Option<(BlockPlace, Configuration)>,
}

impl Config {
    pub(crate) fn read(args: &SubjectArgs) -> Result<Self, PlanError> {
        let Some(place) = BlockPlace::of(&args.config) else { return Ok(Self { block: None }) };
        let configuration = Configuration::read(&place.path)?;
        Ok(Self { block: Some((place, configuration)) })
    }
}

impl<'s> Subject<'s> {
    /// Reads all that the arguments name, the schema of the resource type from who has it. What else is read from standard
    /// input must be known beforehand.
    pub(crate) fn read(
        args: &SubjectArgs,
        config: &'s Config,
        others: &[Source],
        schema: impl FnOnce(&str) -> Result<Block, PlanError>,
    ) -> Result<Self, PlanError> {
        let mut subject = Self::without_prior(args, config, others, schema)?;
        if let Some(source) = args.prior.as_deref().map(Source::new) {
            let text = source.read()?;
            let block = &subject.request.schema;
            let of_block = subject.written.as_ref().map(|written| written.address.as_str());
            let prior = read_prior_text(
                &source,
                &text,
                block,
                &subject.resource_type,
                args.address.as_deref(),
                of_block,
            )?;
            subject.request.prior = prior.value;
            subject.request.lifecycle.tainted = prior.tainted;
        }
        Ok(subject)
    }

    /// The same without the prior object, for who asks somebody else about it.
    pub(crate) fn without_prior(
        args: &SubjectArgs,
        config: &'s Config,
        others: &[Source],
        schema: impl FnOnce(&str) -> Result<Block, PlanError>,
    ) -> Result<Self, PlanError> {
        let config_source = Source::new(&args.config);
        let prior_source = args.prior.as_deref().map(Source::new);
        let sources = [Some(&config_source), prior_source.as_ref()];
        let given = args.given.sources().filter(|source| *source == Source::Stdin).count();
        let is_stdin = |source: &&Source| **source == Source::Stdin;
        if given + sources.into_iter().flatten().chain(others).filter(is_stdin).count() > 1 {
            return Err(PlanError::OneStdin);
        }
        if config.block.is_none() && !args.given.is_empty() {
            return Err(PlanError::GivenForNothing);
        }

        let resource_type = args.resource_type.as_deref();
        let chosen = config.block.as_ref().map(|block @ (place, configuration)| {
            let module = configuration.module()?;
            let chosen = SelectedResource::new(module, place.address.as_deref(), resource_type);
            Ok::<_, PlanError>((block, chosen.map_err(|error| not_selected(place, error))?))
        });
        let chosen = chosen.transpose()?;
        let resource_type = match (&chosen, &args.resource_type) {
            (Some((_, chosen)), _) => chosen.resource_type().to_owned(),
            (None, Some(name)) => name.clone(),
            (None, None) => return Err(PlanError::WhichType),
        };
        let schema = schema(&resource_type)?;
        for ignored in &args.ignore_changes {
            if let Ignored::Path(path) = ignored {
                check_path(&schema, "--ignore-changes", path)?;
            }
        }
        let written = chosen.map(|((place, configuration), chosen)| {
            let inputs = args.given.inputs(configuration, chosen.module())?;
            let decoded = chosen.decode(&schema, &configuration.sources, &inputs, args.given.functions()?);
            decoded.map_err(|error| not_selected(place, error))
        });
        let written = written.transpose()?;
        let config = match &written {
            Some(written) => written.config.clone(),
            None => read_written(config_source, &schema)?,
        };

        let nothing = Value::null(schema.implied_type().clone());
        let mut request = PlanRequest::new(&schema, &nothing, &config);
        request.lifecycle = Lifecycle {
            ignore_changes: ignore_changes(args, written.as_ref().map(|written| &written.ignore_changes)),
            create_before_destroy: args.create_before_destroy
                || written.as_ref().is_some_and(|written| written.create_before_destroy),
            force_replace: args.replace,
            tainted: false,
        };
        let as_written = |address: &String| {
            address.parse().map_or_else(|_| address.clone(), |parsed: InstanceAddress| parsed.to_string())
        };
        let address =
            args.address.as_ref().map(as_written).or_else(|| written.as_ref().map(|w| w.address.clone()));
        Ok(Self { request, resource_type, address, written })
    }

    /// What the resource is called where it is shown.
    pub(crate) fn shown_address(&self) -> String {
        self.address.clone().unwrap_or_else(|| format!("{}.this", self.resource_type))
    }
}

fn not_selected(place: &BlockPlace, error: SelectError) -> PlanError {
    match error {
        SelectError::Problems { found, hidden } => ConfigurationError::Problems { found, hidden }.into(),
        error => PlanError::Select { path: place.path.clone(), error },
    }
}

/// Whether the schema knows what an argument names.
pub(super) fn check_path(schema: &Block, option: &'static str, path: &Path) -> Result<(), PlanError> {
    schema.check_path(path).map_err(|error| PlanError::NoSuchPart { option, error })
}

/// What is to be ignored by the arguments and by the block.
fn ignore_changes(args: &SubjectArgs, written: Option<&IgnoreChanges>) -> IgnoreChanges {
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

/// The path with the unknown name in it replaced by each that is like it.
pub(super) fn similar_parts(error: &UnknownPath) -> Vec<String> {
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

/// Of a state, the object at the address that is given, or at that of the block of configuration.
pub(crate) fn read_prior_text(
    input: &Source,
    text: &str,
    schema: &Block,
    resource_type: &str,
    address: Option<&str>,
    of_block: Option<&str>,
) -> Result<Prior, PlanError> {
    let read = |address| read_prior(text, schema, resource_type, address);
    match (read(address), of_block) {
        (Err(PriorError::NoAddress { .. }), Some(address)) => read(Some(address)),
        (found, _) => found,
    }
    .map_err(|error| PlanError::Prior { input: input.clone(), error })
}

pub(super) fn read_written(input: Source, schema: &Block) -> Result<Value, PlanError> {
    read_object(&input.read()?, schema, Form::Markers).map_err(|error| PlanError::Object { input, error })
}
