//! Reads plans and states: documents, and the plan files that `terraform plan -out` saves.

#[cfg(feature = "plan-file")]
use std::collections::BTreeMap;
#[cfg(feature = "plan-file")]
use std::path::Path;

use objchange::schema::ProviderSchemas;
#[cfg(feature = "plan-file")]
use objchange_document::BlockPlace;
use objchange_document::{MaskedNames, ObjectFile, PlanFile, PlanFileError};
use objchange_files::input::{Contents, InputError, Source};
use objchange_module::config::is_configuration;
#[cfg(feature = "plan-file")]
use objchange_saved::SavedPlanError;

#[cfg(feature = "plan-file")]
use crate::lock_file::below;
use crate::plan::is_module;
use crate::schema_lookup::SchemaLookup;

/// Reads plan files with the schemas of their providers: those that are given, and those that are cached of the versions
/// in the lock file within the plan file.
#[derive(Debug)]
pub struct PlanFileReader {
    #[cfg_attr(not(feature = "plan-file"), expect(dead_code, reason = "this build reads no plan files"))]
    given: ProviderSchemas,
    #[cfg_attr(not(feature = "plan-file"), expect(dead_code, reason = "this build reads no plan files"))]
    lookup: SchemaLookup,
    masked: MaskedNames,
}

/// The purpose for which a plan file is read.
#[derive(Clone, Copy)]
enum Need {
    /// Its changes are shown.
    Changes,
    /// Its document is shown, or a part of it.
    Document,
    /// Something is decided by it. It has the marks of the schemas also where Terraform's document lacks them, and is refused
    /// where its configuration cannot be read.
    Decision,
}

/// Why there is no plan or state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanInputError {
    /// It cannot be read as text.
    #[error(transparent)]
    Input(#[from] InputError),
    /// It is not a document.
    #[error(transparent)]
    Document(#[from] PlanFileError),
    /// It is a file of configuration.
    #[error("{0}: this is configuration, and no plan or state; pass its directory")]
    Configuration(String),
    /// It is a directory without configuration.
    #[error(
        "{0}: there is no *.tf in this directory, so there is nothing to plan; pass a directory with configuration, a plan or a \
         state"
    )]
    EmptyDirectory(String),
    /// The plan file cannot be read.
    #[cfg(feature = "plan-file")]
    #[error("{name}: {error}")]
    Saved {
        /// Its name.
        name: String,
        /// Why.
        error: Box<SavedPlanError>,
    },
    /// It is no plan file, and something is asked that only plan files know.
    #[cfg(feature = "plan-file")]
    #[error(
        "{0}: this is not a plan file of `terraform plan -out`, and documents do not say which state they start from"
    )]
    NotPlanFile(String),
    /// A state cannot be read.
    #[cfg(feature = "plan-file")]
    #[error("{name}: {error}")]
    State {
        /// Its name.
        name: String,
        /// Why.
        error: Box<objchange_document::DocumentError>,
    },
    /// It is a plan file, which this build does not read.
    #[cfg(not(feature = "plan-file"))]
    #[error(
        "{0}: this is a plan file, which this build cannot read: build or install with `--features full`, or pass the output \
         of `terraform show -json`"
    )]
    NoPlanFiles(String),
}

impl PlanInputError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Input(error) => error.kind(),
            Self::Document(error) => error.kind(),
            Self::Configuration(_) => "configuration",
            Self::EmptyDirectory(_) => "empty_directory",
            #[cfg(feature = "plan-file")]
            Self::Saved { error, .. } => error.kind(),
            #[cfg(feature = "plan-file")]
            Self::NotPlanFile(_) => "not_plan_file",
            #[cfg(feature = "plan-file")]
            Self::State { error, .. } => error.problem.kind(),
            #[cfg(not(feature = "plan-file"))]
            Self::NoPlanFiles(_) => "no_plan_files",
        }
    }
}

/// Whether a file has the name of one that belongs to the configuration of a module.
pub(crate) fn is_of_module(name: &str) -> bool {
    is_configuration(name) || [".tfvars", ".tfvars.json", ".hcl"].iter().any(|end| name.ends_with(end))
}

impl Default for PlanFileReader {
    /// Reads without schemas, but those of Terraform's own provider.
    fn default() -> Self {
        Self::new(ProviderSchemas::default(), SchemaLookup::none())
    }
}

impl PlanFileReader {
    /// Reads with these schemas, and those that `lookup` finds of other providers.
    pub fn new(given: ProviderSchemas, lookup: SchemaLookup) -> Self {
        Self { given, lookup, masked: MaskedNames::default() }
    }

    /// Hides the values of these names in everything that is read.
    #[must_use]
    pub fn masking(self, masked: MaskedNames) -> Self {
        Self { masked, ..self }
    }

    /// Reads the plan or state of a source, of at most this many bytes.
    ///
    /// # Errors
    ///
    /// It is neither a document nor a plan file that can be read.
    pub fn read(&self, source: &Source, limit: u64) -> Result<PlanFile, PlanInputError> {
        self.read_for(Need::Document, source, limit)
    }

    /// Like [`PlanFileReader::read`], for whoever shows only changes in Terraform's text: the values of a plan file are decoded
    /// one change at a time, and its state is not read.
    ///
    /// # Errors
    ///
    /// As [`PlanFileReader::read`].
    pub fn read_changes(&self, source: &Source, limit: u64) -> Result<PlanFile, PlanInputError> {
        self.read_for(Need::Changes, source, limit)
    }

    /// Reads a source that has an object, of at most this many bytes: the object alone, or a plan or state with it.
    ///
    /// # Errors
    ///
    /// It cannot be read as text, or has a document that cannot be read.
    pub fn read_object(&self, source: &Source, limit: u64) -> Result<ObjectFile, PlanInputError> {
        match source.read_contents(limit)? {
            Contents::Text(text) => Ok(ObjectFile::parse(source.to_string(), text)?),
            Contents::PlanFile(bytes) => {
                Ok(ObjectFile::from_document(self.plan_file(&source.to_string(), bytes, Need::Document)?)?)
            }
        }
    }

    fn read_for(&self, need: Need, source: &Source, limit: u64) -> Result<PlanFile, PlanInputError> {
        if let Source::File(path) = source
            && path.is_dir()
            && !is_module(path)
        {
            return Err(PlanInputError::EmptyDirectory(source.to_string()));
        }
        match source.read_contents(limit)? {
            Contents::Text(text) => self.document(source.to_string(), None, text),
            Contents::PlanFile(bytes) => self.plan_file(&source.to_string(), bytes, need),
        }
    }

    /// Reads contents that something decides by: a plan file is refused where its configuration cannot be read, and has the marks
    /// of the schemas also where Terraform's document lacks them.
    ///
    /// # Errors
    ///
    /// They are neither a document nor a plan file that can be read.
    pub fn read_contents(&self, name: &str, contents: Contents) -> Result<PlanFile, PlanInputError> {
        match contents {
            Contents::Text(text) => self.document(name.to_owned(), None, text),
            Contents::PlanFile(bytes) => self.marked_plan_file(name, &bytes),
        }
    }

    /// The plan or state in a text; `line` is that of a file with a document a line.
    pub(crate) fn document(
        &self,
        name: String,
        line: Option<u64>,
        text: String,
    ) -> Result<PlanFile, PlanInputError> {
        // Bookmarks and encrypted plan files are JSON, and the error about a document would not say what they are.
        #[cfg(feature = "plan-file")]
        let refusal = if text.trim_start().starts_with('{') { objchange_saved::refusal(&text) } else { None };
        #[cfg(feature = "plan-file")]
        if let Some(error) = refusal {
            return Err(PlanInputError::Saved { name, error: Box::new(error) });
        }
        let parsed = match line {
            Some(line) => PlanFile::parse_line(&name, usize::try_from(line).unwrap_or(usize::MAX), text),
            None => PlanFile::parse(name, text),
        };
        let file = parsed.map_err(|error| match is_of_module(&error.name) {
            true => PlanInputError::Configuration(error.name),
            false => PlanInputError::Document(error),
        })?;
        Ok(file.with_masked_names(&self.masked)?)
    }

    /// The plan in a plan file that something decides by. It has the marks of the schemas also where Terraform's document
    /// lacks them, and is refused where its configuration cannot be read.
    ///
    /// # Errors
    ///
    /// It is not a plan file, or cannot be read.
    pub fn marked_plan_file(&self, name: &str, bytes: &[u8]) -> Result<PlanFile, PlanInputError> {
        self.plan_file(name, bytes, Need::Decision)
    }

    /// The plan in a plan file, as Terraform's document has it unless something decides by it.
    #[cfg(feature = "plan-file")]
    fn plan_file(&self, name: &str, bytes: impl AsRef<[u8]>, need: Need) -> Result<PlanFile, PlanInputError> {
        use std::sync::Arc;

        use objchange_document::{MadePlan, Schemas};
        use objchange_module::ProviderAddress;
        use objchange_saved::SavedPlan;
        use objchange_text::Notice;

        use crate::schema_lookup::SchemaQuery;

        let fail = |error| PlanInputError::Saved { name: name.to_owned(), error: Box::new(error) };
        let saved = SavedPlan::read(bytes.as_ref()).map_err(fail)?;
        drop(bytes);
        let mut schemas = self.given.clone();
        let is_missing = |provider: &&ProviderAddress| {
            let name = provider.to_string();
            !provider.is_builtin() && !schemas.providers().any(|given| given == name)
        };
        let wanted: Vec<SchemaQuery> =
            saved.providers().filter(is_missing).cloned().map(SchemaQuery::Provider).collect();
        let cached = self.lookup.choose(wanted, saved.locked());
        schemas.append(cached.schemas);
        let mut origin = saved.origin();
        let of_module = objchange_module::Schemas::new([schemas.clone()]);
        let (plan, noted): (Box<dyn MadePlan>, _) = match need {
            Need::Changes => {
                let plan = saved.pack(&of_module).map_err(fail)?;
                let notices = plan.notices().to_vec();
                (Box::new(plan), notices)
            }
            Need::Document | Need::Decision => {
                let plan = saved.decode(&of_module).map_err(fail)?;
                // The packed form is not needed any more.
                drop(saved);
                if let (Need::Decision, Some(reason)) = (need, plan.unread_configuration()) {
                    return Err(fail(SavedPlanError::Configuration(reason.to_owned())));
                }
                let notices = plan.notices().to_vec();
                if let Need::Decision = need {
                    origin = origin.with_blocks(beside(name, plan.blocks()));
                }
                (Box::new(plan), notices)
            }
        };
        let named = |notice: Notice| match notice {
            Notice::Note(text) => Notice::Note(format!("{name}: {text}")),
            Notice::Warning(text) => Notice::Warning(format!("{name}: {text}")),
            other => other,
        };
        let notices = cached.notices.into_iter().chain(noted.into_iter().map(named)).collect();
        let file = PlanFile::made(name, plan, None)?.with_notices(notices).with_origin(origin);
        let file = match need {
            Need::Decision => file.with_schemas(&Arc::new(Schemas::new(schemas)))?,
            Need::Changes | Need::Document => file,
        };
        Ok(file.with_masked_names(&self.masked)?)
    }

    /// The plan in a plan file, which this build does not read.
    #[cfg(not(feature = "plan-file"))]
    fn plan_file(&self, name: &str, _: impl AsRef<[u8]>, _: Need) -> Result<PlanFile, PlanInputError> {
        Err(PlanInputError::NoPlanFiles(name.to_owned()))
    }
}

/// The blocks of a plan file, with the paths of their files. These are relative to the directory in which the plan was made,
/// where most plan files still are.
#[cfg(feature = "plan-file")]
fn beside(plan: &str, blocks: BTreeMap<String, BlockPlace>) -> BTreeMap<String, BlockPlace> {
    let Some(directory) = Path::new(plan).parent() else { return blocks };
    let place = |(address, block): (String, BlockPlace)| {
        let file = match directory.join(&block.file).is_file() {
            true => below(directory, &block.file),
            false => block.file,
        };
        (address, BlockPlace { file, ..block })
    };
    blocks.into_iter().map(place).collect()
}
