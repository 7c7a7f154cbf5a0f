//! The object to plan: its prior object, its configuration, and options.

use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};
use std::str::FromStr;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::change::{IgnoreChanges, Lifecycle, PlanRequest};
use objchange::schema::{Block, UnknownPath};
use objchange::value::{ParsePathError, Path, PathStep};
use objchange_document::{Form, ObjectFile, Prior, PriorError, read_object};
use objchange_hcl::{DecodedResource, SelectError, SelectedResource, Sources};
use objchange_module::ProviderAddress;

use super::error::{ResourceError, most_similar};
use crate::configuration::{Configuration, ConfigurationError, VariableInputs, ends_like_configuration};
use crate::lock_file::locked_versions;
use crate::plan_files::PlanFileReader;
use objchange_files::input::{Size, Source};
use objchange_text::{Noted, Notice};

/// The object to plan, and options for planning it.
#[derive(Clone, Copy)]
pub struct ResourceInputs<'a> {
    /// The resource type; a block of configuration has its own.
    pub resource_type: Option<&'a str>,
    /// The current object, or a state to take it from.
    pub prior: Option<&'a FilePath>,
    /// The object's address in the state.
    pub address: Option<&'a str>,
    /// How large each document may be.
    pub max_input: Size,
    /// The desired object, or a configuration and the block in it.
    pub config: &'a FilePath,
    /// Values for the variables of the configuration.
    pub given: VariableInputs<'a>,
    /// Changes that are ignored.
    pub ignore_changes: &'a [IgnoredChange],
    /// Replace the object, whether or not it changes.
    pub replace: bool,
    /// Create a new object before the old one is destroyed.
    pub create_before_destroy: bool,
}

impl std::fmt::Debug for ResourceInputs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values of variables may be secrets.
        f.debug_struct("ResourceInputs").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Changes that are ignored.
#[derive(Debug, Clone)]
pub enum IgnoredChange {
    /// All.
    All,
    /// Those of this part.
    Path(Path),
}

/// A text is not the path of a part of an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartPathError {
    /// The path is empty: it names the whole object.
    #[error("an empty path names no part; write an attribute, such as `tags`")]
    Root,
    /// The text is not a path.
    #[error(transparent)]
    Path(#[from] ParsePathError),
}

impl PartPathError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Path(error) => error.kind.kind(),
        }
    }
}

impl FromStr for IgnoredChange {
    type Err = PartPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all" { Ok(Self::All) } else { part_path(text).map(Self::Path) }
    }
}

/// Parses the path of a part of an object.
///
/// # Errors
///
/// The text is not a path, or it is the path of the whole object.
pub fn part_path(text: &str) -> Result<Path, PartPathError> {
    let path: Path = text.parse()?;
    if path.is_root() { Err(PartPathError::Root) } else { Ok(path) }
}

/// A request to plan a change.
pub struct Subject<'s> {
    /// The change that is asked for.
    pub request: PlanRequest,
    /// The resource type.
    pub resource_type: String,
    /// The address that is given for it, or that its block has.
    pub address: Option<String>,
    /// The block of configuration, if there is one.
    pub written: Option<DecodedResource<'s>>,
}

/// A configuration, and the address of a block in it: `main.tf`, `main.tf.json:aws_instance.web["a"]`,
/// `.:aws_instance.web`.
#[derive(Debug)]
struct BlockPlace {
    path: PathBuf,
    address: Option<String>,
}

impl BlockPlace {
    /// Parses an argument for a block; `None` if it does not name configuration.
    fn parse(argument: &FilePath) -> Option<Self> {
        let Some(text) = argument.to_str() else {
            return argument.is_dir().then(|| Self { path: argument.to_owned(), address: None });
        };
        // Paths and keys of instances may have colons, too. The path ends at the first one with a configuration before it.
        let ends = || text.match_indices(':').map(|(colon, _)| colon).chain([text.len()]);
        let directory = || ends().find(|end| FilePath::new(&text[..*end]).is_dir());
        let end = ends_like_configuration(text).or_else(directory)?;
        let address = text.get(end + 1..).map(str::to_owned);
        Some(Self { path: PathBuf::from(&text[..end]), address })
    }
}

/// Where a configuration is, if it is not an object, and what it says.
#[derive(Debug)]
pub struct ResourceConfig {
    block: Option<(BlockPlace, Configuration)>,
}

impl ResourceConfig {
    /// Reads the files that an argument names, if that is a configuration.
    ///
    /// # Errors
    ///
    /// The files cannot be read.
    pub fn read(argument: &FilePath) -> Result<Self, ResourceError> {
        let Some(place) = BlockPlace::parse(argument) else { return Ok(Self { block: None }) };
        let configuration = Configuration::read(&place.path)?;
        Ok(Self { block: Some((place, configuration)) })
    }

    /// Its files, if it is not an object.
    pub fn sources(&self) -> Option<&Sources> {
        self.block.as_ref().map(|(_, configuration)| &configuration.sources)
    }
}

impl ResourceInputs<'_> {
    /// The locked versions of providers, if the configuration is a module's.
    pub fn locked_versions(&self) -> Noted<BTreeMap<ProviderAddress, String>> {
        let Some(place) = BlockPlace::parse(self.config) else { return Noted::default() };
        let directory = if place.path.is_dir() { Some(&*place.path) } else { place.path.parent() };
        directory.map(locked_versions).unwrap_or_default()
    }
}

impl std::fmt::Debug for Subject<'_> {
    /// Without values, which may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("address", &self.shown_address()).finish_non_exhaustive()
    }
}

impl<'s> Subject<'s> {
    /// Reads everything that the arguments name; `schema` returns the schema of the resource type. `others` are further
    /// inputs, so that standard input is read only once.
    ///
    /// # Errors
    ///
    /// Something of it cannot be used.
    pub fn read(
        args: &ResourceInputs<'_>,
        config: &'s ResourceConfig,
        others: &[Source],
        schema: impl FnOnce(&str) -> Result<Block, ResourceError>,
    ) -> Noted<Result<Self, ResourceError>> {
        Noted::by(|notices| Self::new(args, config, others, schema, notices)?.with_prior(args, notices))
    }

    fn with_prior(
        mut self,
        args: &ResourceInputs<'_>,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, ResourceError> {
        let subject = &mut self;
        if let Some(source) = args.prior.map(Source::new) {
            let file = PlanFileReader::default().read_object(&source, args.max_input.0)?;
            notices.extend_from_slice(file.notices());
            let block = &subject.request.schema;
            let of_block = subject.written.as_ref().map(|written| written.address.as_str());
            let prior = prior_object(&source, &file, block, &subject.resource_type, args.address, of_block)?;
            subject.request.prior = prior.value;
            subject.request.lifecycle.tainted = prior.tainted;
        }
        Ok(self)
    }

    /// Like [`read`](Self::read), without the prior object, for callers who ask a provider for it.
    ///
    /// # Errors
    ///
    /// Something of it cannot be used.
    pub fn without_prior(
        args: &ResourceInputs<'_>,
        config: &'s ResourceConfig,
        others: &[Source],
        schema: impl FnOnce(&str) -> Result<Block, ResourceError>,
    ) -> Noted<Result<Self, ResourceError>> {
        Noted::by(|notices| Self::new(args, config, others, schema, notices))
    }

    fn new(
        args: &ResourceInputs<'_>,
        config: &'s ResourceConfig,
        others: &[Source],
        schema: impl FnOnce(&str) -> Result<Block, ResourceError>,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, ResourceError> {
        let config_source = Source::new(args.config);
        let prior_source = args.prior.map(Source::new);
        let sources = [Some(&config_source), prior_source.as_ref()];
        let given = args.given.sources().filter(|source| *source == Source::Stdin).count();
        let is_stdin = |source: &&Source| **source == Source::Stdin;
        if given + sources.into_iter().flatten().chain(others).filter(is_stdin).count() > 1 {
            return Err(ResourceError::OneStdin);
        }
        if config.block.is_none() && !args.given.is_empty() {
            return Err(ResourceError::GivenForNothing);
        }

        let resource_type = args.resource_type;
        let chosen = config.block.as_ref().map(|block @ (place, configuration)| {
            let module = configuration.module()?;
            let chosen = SelectedResource::new(module, place.address.as_deref(), resource_type);
            Ok::<_, ResourceError>((block, chosen.map_err(|error| not_selected(place, error))?))
        });
        let chosen = chosen.transpose()?;
        let resource_type = match (&chosen, args.resource_type) {
            (Some((_, chosen)), _) => chosen.resource_type().to_owned(),
            (None, Some(name)) => name.to_owned(),
            (None, None) => return Err(ResourceError::WhichType),
        };
        let schema = schema(&resource_type)?;
        for ignored in args.ignore_changes {
            if let IgnoredChange::Path(path) = ignored {
                check_path(&schema, "ignore_changes", path)?;
            }
        }
        let written = chosen.map(|((place, configuration), chosen)| {
            let inputs = args.given.inputs(configuration, chosen.module()).note_in(notices)?;
            let decoded = chosen.decode(&schema, &configuration.sources, &inputs, args.given.functions()?);
            decoded.map_err(|error| not_selected(place, error))
        });
        let written = written.transpose()?;
        let config = match &written {
            Some(written) => written.config.clone(),
            None => read_written(config_source, &schema, args.max_input)?,
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
        let as_written = |address: &str| {
            address.parse().map_or_else(|_| address.to_owned(), |parsed: InstanceAddress| parsed.to_string())
        };
        let address = args.address.map(as_written).or_else(|| written.as_ref().map(|w| w.address.clone()));
        Ok(Self { request, resource_type, address, written })
    }

    /// The address under which the resource is shown.
    pub fn shown_address(&self) -> String {
        self.address.clone().unwrap_or_else(|| format!("{}.this", self.resource_type))
    }
}

fn not_selected(place: &BlockPlace, error: SelectError) -> ResourceError {
    match error {
        SelectError::Problems { found, hidden } => ConfigurationError::Problems { found, hidden }.into(),
        error => ResourceError::Select { path: place.path.clone(), error },
    }
}

/// Refuses a path that the schema lacks; the error names the list that has it.
///
/// # Errors
///
/// The schema has no such part.
pub fn check_path(schema: &Block, list: &'static str, path: &Path) -> Result<(), ResourceError> {
    schema.check_path(path).map_err(|error| ResourceError::NoSuchPart { list, error })
}

/// The ignored changes of the arguments and of the block.
fn ignore_changes(args: &ResourceInputs<'_>, written: Option<&IgnoreChanges>) -> IgnoreChanges {
    let mut paths: Vec<Path> = Vec::new();
    match written {
        Some(IgnoreChanges::All) => return IgnoreChanges::All,
        Some(IgnoreChanges::Paths(written)) => paths.extend(written.iter().cloned()),
        Some(IgnoreChanges::None) | None => {}
    }
    for ignored in args.ignore_changes {
        match ignored {
            IgnoredChange::All => return IgnoreChanges::All,
            IgnoredChange::Path(path) => paths.push(path.clone()),
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
        steps.collect::<Path>().to_string()
    };
    names.into_iter().map(with).collect()
}

/// The prior object of a file. In a state it is at the given address, else at that of the configuration block.
///
/// # Errors
///
/// There is no such object, or it is not of the schema.
pub fn prior_object(
    input: &Source,
    file: &ObjectFile,
    schema: &Block,
    resource_type: &str,
    address: Option<&str>,
    of_block: Option<&str>,
) -> Result<Prior, ResourceError> {
    let read = |address| file.prior(schema, resource_type, address);
    match (read(address), of_block) {
        (Err(PriorError::NoAddress { .. }), Some(address)) => read(Some(address)),
        (found, _) => found,
    }
    .map_err(|error| ResourceError::Prior { input: input.clone(), error })
}

/// An object that people write, with markers.
///
/// # Errors
///
/// It cannot be read, or is not of the schema.
pub fn read_written(input: Source, schema: &Block, limit: Size) -> Result<Value, ResourceError> {
    read_object(&input.read_as_allowed(limit.0)?, schema, Form::Markers)
        .map_err(|error| ResourceError::Object { input, error })
}
