//! The document of a command that shows one: reading it with its schemas, and refusing unfit options.

use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;

use clap::{Args, ValueEnum};
use objchange_document::{PlanFile, PlanMode, Program, Schemas};
use objchange_plan::report::{ShowError, places};
use objchange_plan::{Filter, Options};

use super::Error;
use super::choose::{Choice, unmatched_ignores};
use crate::exit::{self, CommandError};
use crate::hints;
use crate::input::Source;
use crate::module_plan::{DirectoryArgs, ForModules, PlanInputs, explain, is_module, planned_file};
use crate::options::{MaskArgs, MaxInput};
use crate::schemas::{SchemaArgs, missing_schemas};
use objchange_project::{GivenSchemas, SchemaError};

/// The document to show, and its form.
#[derive(Debug, Args)]
pub(crate) struct DocumentArgs {
    /// A plan file of `terraform plan -out`, the output of `terraform show -json [PLANFILE]`, a state file, or the directory of
    /// a module to plan; `-`, or nothing, is standard input
    #[arg(value_name = "PLAN|STATE|DIR", default_value = "-")]
    pub(crate) document: PathBuf,

    // Without schemas, blocks look like attributes.
    #[command(flatten)]
    pub(crate) schemas: SchemaArgs,

    #[command(flatten)]
    mask: MaskArgs,

    #[command(flatten)]
    pub(super) choice: Choice,

    /// Print as this program does: `terraform`, a version such as `terraform@1.11`, or `opentofu`. The default is the
    /// program that wrote the document
    #[arg(long = "as", value_name = "PROGRAM")]
    program: Option<Program>,

    /// The mode of the plan; needed only if the document does not say it
    #[arg(long, value_name = "MODE")]
    mode: Option<ModeArg>,

    /// Show changed elements of sets as updates; Terraform shows them as removed and added
    #[arg(long)]
    match_sets: bool,

    /// Show changed elements of lists as updates, wherever they are; Terraform compares most lists by position
    #[arg(long)]
    match_lists: bool,

    #[command(flatten)]
    pub(super) max_input: MaxInput,

    #[command(flatten)]
    module: ForModules<DirectoryArgs>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// An ordinary plan
    Normal,
    /// A plan that only updates the state
    RefreshOnly,
    /// A plan that destroys everything
    Destroy,
}

impl ModeArg {
    fn mode(self) -> PlanMode {
        match self {
            Self::Normal => PlanMode::Normal,
            Self::RefreshOnly => PlanMode::RefreshOnly,
            Self::Destroy => PlanMode::Destroy,
        }
    }
}

/// A document, and the schemas that are given for it.
pub(crate) struct Input {
    pub(crate) file: PlanFile,
    pub(crate) given: GivenSchemas,
}

/// The source of the schemas of a document.
pub(crate) struct SchemaSources {
    /// Their name in errors.
    name: String,
    is_given: bool,
}

impl DocumentArgs {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        &self.mask
    }

    /// The options of planning. Options without effect are an error.
    ///
    /// # Errors
    ///
    /// One is given, and the document is not the directory of a module.
    pub(crate) fn planning(&self) -> Result<&DirectoryArgs, CommandError> {
        self.module.used_for(slice::from_ref(&self.document))
    }

    /// Explains something in a plan file, or in the plan of a module.
    ///
    /// # Errors
    ///
    /// The document has no configuration to explain it by, or nothing in it has this address.
    pub(crate) fn explain(&self, address: &str, is_json: bool) -> Result<ExitCode, CommandError> {
        let planning = self.planning()?;
        let inputs = planning.inputs(&self.schemas).by(self.program);
        let inputs = PlanInputs { max_input: self.max_input.size, answers_as_saved: true, ..inputs };
        explain(&self.document, &inputs, address, is_json)
    }

    /// The plan of the module, if the document is the directory of one. A strict one holds whatever the providers answer.
    /// A whole one leaves nothing out; pages for people may do so, and may lack the state.
    pub(crate) fn plan_module(
        &self,
        is_strict: bool,
        must_be_whole: bool,
        may_lack_state: bool,
    ) -> Result<Option<PlanFile>, CommandError> {
        let planning = self.planning()?;
        if !is_module(&self.document) {
            return Ok(None);
        }
        let inputs = planning.inputs(&self.schemas).by(self.program);
        let inputs = PlanInputs {
            mask: &self.mask,
            is_strict,
            must_be_whole,
            may_lack_state,
            max_input: self.max_input.size,
            ..inputs
        };
        planned_file(&self.document, &inputs).map(Some)
    }

    /// Reads the document, unless it has just been planned, and the schemas.
    /// `changes_alone` are enough for Terraform's text.
    pub(crate) fn read(&self, planned: Option<PlanFile>, changes_alone: bool) -> Result<Input, Error> {
        let source = Source::new(&self.document);
        if source == Source::Stdin && self.schemas.sources().any(|schemas| schemas == source) {
            return Err(Error::OneStdin);
        }
        let given = self.schemas.load(self.max_input.size).map_err(|error| match error {
            SchemaError::Document { name, error } => at(&name, error.into()),
            SchemaError::Text(error) => error.into(),
            error => Error::Schemas(error),
        })?;
        let file = match planned {
            Some(file) => file,
            None => {
                let reader = self.schemas.plan_files(&given).masking(self.mask.names());
                match changes_alone {
                    true => reader.read_changes(&source, self.max_input.size.0)?,
                    false => reader.read(&source, self.max_input.size.0)?,
                }
            }
        };
        exit::notices(file.notices());
        Ok(Input { file, given })
    }

    /// Refuses options that are not for this kind of document.
    pub(crate) fn check(&self, file: &PlanFile) -> Result<(), Error> {
        match file.is_plan() {
            false if self.choice.selection().is_of_changes() => Err(Error::NoActions),
            false if self.mode.is_some() => Err(Error::NoMode),
            _ => Ok(()),
        }
    }

    /// Which resources are shown.
    pub(crate) fn filter(&self) -> Filter {
        self.choice.selection().filter()
    }

    /// The options that choose nothing of the document.
    pub(crate) fn unmatched(&self, file: &PlanFile, schemas: &Schemas) -> Vec<String> {
        let selection = self.choice.selection();
        let parts = selection.unmatched(&places(file));
        let ignores = unmatched_ignores(&selection.ignored, file.changes().map(|changes| (changes, schemas)));
        parts.iter().map(hints::unmatched).chain(ignores).collect()
    }

    /// The program in whose style the document is shown.
    pub(crate) fn program_of(&self, file: &PlanFile) -> Program {
        self.program.unwrap_or_else(|| Program::of_file(file))
    }

    /// The options of the report, from the arguments and the file.
    pub(crate) fn options(&self, file: &PlanFile, program: Program) -> Options {
        Options {
            mode: self.mode.map(ModeArg::mode).or(file.mode()),
            program: Some(program),
            match_sets: self.match_sets,
            match_lists: self.match_lists,
            ..Options::default()
        }
    }

    /// The schemas that are given, and those of other providers in the document that are cached.
    pub(crate) fn schemas(&self, given: GivenSchemas, file: &PlanFile) -> (Schemas, SchemaSources) {
        let is_given = given.is_given();
        let (schemas, name) = self.schemas.with_cached(given, file.providers());
        (schemas, SchemaSources { name, is_given })
    }
}

fn at(source: &str, error: ShowError) -> Error {
    Error::Document { source_name: source.to_owned(), error }
}

impl SchemaSources {
    /// The error about the document of this name, or about its schemas, with the name of the file.
    pub(crate) fn error(&self, document: &str, error: ShowError) -> Error {
        match error {
            ShowError::Write(error) => Error::Write(error),
            error @ ShowError::Schemas(_) => at(&self.name, error),
            error => at(document, error),
        }
    }

    /// The warning about schemas that were missing so far.
    pub(crate) fn warning(&self, schemas: &Schemas) -> Option<String> {
        let cost = "blocks are shown as attributes, values that only a schema marks as sensitive are \
                    shown, and `# forces replacement` and the \
                    difference between null and empty values may be wrong";
        missing_schemas(schemas, self.is_given, cost)
    }
}
