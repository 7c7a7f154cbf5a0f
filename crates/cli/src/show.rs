//! `objchange show`: a plan or state as people read it.

mod choose;
mod gate;
mod pages;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};
use objchange_plan::{
    Document, GroupBy, Options, Plan, PlanMode, Problem, Program, Report, Schemas, ShowError, extract,
};
use objchange_text::Escaping;
use thiserror::Error;

use self::choose::places;
pub(crate) use self::choose::{Choice, Places, changed_places};
pub(crate) use self::gate::{Gate, GateError, Unasked, Verdict};
use self::pages::PageArgs;
use crate::exit::CommandError;
use crate::input::{InputError, Size, Source};
use crate::module_plan::{PlanInputs, PlanningArgs, is_module, planned_document, version_of};
use crate::schema_cache::Wanted;
use crate::schemas::{GivenSchemas, SchemaArgs, SchemaError, SchemaTextError};
use crate::style::colour;
use crate::write_file::{Access, NewFile};
use crate::{document_warnings, exit, terminal};

const AFTER_HELP: &str = "\
Exit codes:
  0  the document is shown
  1  --fail-on refuses it
  2  the input cannot be used, the output cannot be written, or with --fail-on an option matches nothing
With --detailed-exitcode:
  0  nothing changes
  1  --fail-on refuses it, planning failed, or it cannot be shown
  2  something changes

Examples:
  terraform show -json tfplan | objchange show --schemas schemas.json
  objchange schemas add . && objchange show plan.json
  objchange show plan.json --summary --group-by module
  objchange show plan.json --only module.net --exclude '*.aws_iam_*' --action create,replace
  objchange show plan.json --type 'aws_db_*' --module 'module.shop[\"eu\"]' --module module.pay
  objchange show plan.json --drift --only 'module.net.*'
  objchange show plan.json --fail-on delete,replace --type 'aws_db_*'
  terraform show -json tfplan | objchange show --summary --detailed-exitcode
  terraform show -json | objchange show --color always - | less -R
  objchange show environments/prod --schemas schemas.json --var-file prod.tfvars --summary
  objchange show plan.json --format markdown --marker net --link https://ci.example/run/7 > comment.md
  objchange show plan.json --format html --out plan.html
  objchange show terraform.tfstate --schemas schemas.json";

/// What to show, and how.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The output of `terraform show -json [PLANFILE]`, a state file, or the directory of a module to plan; `-`, or nothing,
    /// is standard input
    #[arg(value_name = "PLAN|STATE|DIR", default_value = "-")]
    document: PathBuf,

    // Without them everything is shown by its JSON alone: blocks look like attributes.
    #[command(flatten)]
    schemas: SchemaArgs,

    /// Print JSON (schema/report.schema.json)
    #[arg(long, conflicts_with_all = ["summary", "full"])]
    json: bool,

    /// The form of the text
    #[arg(long, value_name = "FORMAT", default_value = "terraform", conflicts_with_all = ["json", "summary"])]
    format: Format,

    #[command(flatten)]
    choice: Choice,

    /// Print as this program does: `terraform`, a version such as `terraform@1.11`, or `opentofu`. The default is the
    /// program that wrote the document
    #[arg(long = "as", value_name = "PROGRAM")]
    program: Option<Program>,

    /// The mode of the plan. By default it is inferred, which is not always possible
    #[arg(long, value_name = "MODE")]
    mode: Option<ModeArg>,

    /// Show unchanged attributes, elements and blocks too
    #[arg(long)]
    full: bool,

    /// Show similar elements that a set loses and gains as updates; Terraform shows them as removed and added
    #[arg(long)]
    match_sets: bool,

    /// Show sensitive values, as `tofu show -show-sensitive` does. Terraform has no such option
    #[arg(long, conflicts_with_all = ["json", "summary"])]
    show_sensitive: bool,

    /// Maximum size of a document, e.g. `500M` or `4G`. Documents are held in memory; this guards against endless input
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    max_input: Size,

    /// Print only addresses in groups, reasons and totals
    #[arg(long, conflicts_with = "full")]
    summary: bool,

    /// How the summary groups resources; in each group, destroyed ones come first
    #[arg(long, value_name = "HOW", requires = "summary")]
    group_by: Option<GroupArg>,

    #[command(flatten)]
    gate: Gate,

    /// The state before, if a module is planned
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    #[command(flatten)]
    planning: PlanningArgs,

    // Last, because its heading is that of all options below.
    #[command(flatten)]
    page: PageArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What `terraform show` prints
    Terraform,
    /// A comment for a pull request
    Markdown,
    /// One file for a browser, with search and filters
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupArg {
    /// By action (default)
    Action,
    /// By module
    Module,
    /// By type
    Type,
}

impl GroupArg {
    pub(crate) fn group_by(self) -> GroupBy {
        match self {
            Self::Action => GroupBy::Action,
            Self::Module => GroupBy::Module,
            Self::Type => GroupBy::Type,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// To reach the configuration
    Normal,
    /// To update the state
    RefreshOnly,
    /// To destroy everything.
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

/// Why nothing can be shown.
#[derive(Debug, Error)]
enum Error {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{source_name}{}", placed(error))]
    Document { source_name: String, error: ShowError },
    #[error("{source_name}:{line}: a second document starts here; split the file")]
    Another { source_name: String, line: usize },
    #[error(transparent)]
    Write(io::Error),
    #[error("--action and --drift choose from the changes of a plan, and this is a state, which has none")]
    NoActions,
    #[error("--show-sensitive is OpenTofu's, and this is shown as {0} shows it: ask with --as opentofu")]
    ShowSensitive(Program),
    #[error(
        "--fail-on and --detailed-exitcode ask for the changes of a plan, and this is a state, which has none"
    )]
    NothingToJudge,
    #[error(
        "--fail-on and --detailed-exitcode decide by a whole plan, and this has no `format_version`: pass the whole \
         output of `terraform show -json PLANFILE`"
    )]
    JudgedPart,
    #[error(
        "changes of some resources or outputs are missing from this plan; pass the whole output of `terraform show -json PLANFILE`"
    )]
    JudgedWithoutChanges,
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error("--mode applies to plans; this is a state")]
    NoMode,
    #[error("both the document and the schemas cannot be read from standard input: name a file for one")]
    OneStdin,
    #[error("--title and --link need --format markdown or html")]
    NotPage,
    #[error("--marker and --max-length need --format markdown")]
    NotMarkdown,
    #[error("--out needs --format html")]
    NotHtml,
    #[error("--show-sensitive is for a terminal: a Markdown or HTML page shows no sensitive values")]
    SensitivePage,
    #[error("{}: cannot be written: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error(transparent)]
    SchemaText(#[from] SchemaTextError),
}

/// The error after the name of its file: with the line and column first, as everywhere in this program.
fn placed(error: &ShowError) -> String {
    let (line, column, location, message) = match error {
        ShowError::Document(e) => (e.line, e.column, &e.location, advised(&e.problem)),
        ShowError::Schemas(e) => {
            let message = match &e.message {
                message if message.contains("terraform providers schema") => message.clone(),
                message => format!(
                    "{message}; pass the output of `terraform providers schema -json` as it was written"
                ),
            };
            (e.line, e.column, &e.location, message)
        }
        other => return format!(": {other}"),
    };
    let location = if location.is_empty() { String::new() } else { format!("{location}: ") };
    format!(":{line}:{column}: {location}{message}")
}

/// What is wrong, and what to do about it.
fn advised(problem: &Problem) -> String {
    match problem {
        Problem::Malformed(_) | Problem::Value(_) => {
            format!(
                "{problem}; pass the output of `terraform show -json`, or a state file, as it was written"
            )
        }
        // These say it themselves.
        _ => problem.to_string(),
    }
}

impl Arguments {
    /// Whether exit codes are those of `--detailed-exitcode`.
    pub(crate) fn has_detailed_exitcode(&self) -> bool {
        self.gate.is_detailed()
    }

    /// The plan of the module in the directory.
    fn plan(&self) -> Result<String, CommandError> {
        let inputs = PlanInputs {
            state: self.state.as_deref(),
            version: version_of(self.program),
            max_input: self.max_input,
            ..PlanInputs::new(&self.planning, &self.schemas)
        };
        planned_document(&self.document, &inputs)
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let mut verdict = Verdict::default();
    let file = match open(arguments) {
        Ok(file) => file,
        Err(error) => return Ok(arguments.gate.code(&verdict, Err(error))?),
    };
    let planned = match is_module(&arguments.document) {
        true => Some(arguments.plan()?),
        false => None,
    };
    let shown = show(arguments, planned, file, &mut verdict);
    Ok(arguments.gate.code(&verdict, shown)?)
}

/// Refuses options that do not go together, and opens the file of the page, before anything is made.
fn open(arguments: &Arguments) -> Result<Option<NewFile>, Error> {
    let Arguments { format, page, .. } = arguments;
    match format {
        Format::Terraform if page.is_given() => return Err(Error::NotPage),
        Format::Markdown | Format::Html if arguments.show_sensitive => return Err(Error::SensitivePage),
        _ => {}
    }
    if *format != Format::Markdown && page.is_given_for_markdown() {
        return Err(Error::NotMarkdown);
    }
    if *format != Format::Html && page.is_given_for_html() {
        return Err(Error::NotHtml);
    }
    let create = |path: &Path| {
        let error = |error| Error::File { path: path.to_owned(), error };
        NewFile::create(path, Access::Usual).map_err(error)
    };
    page.file().map(create).transpose()
}

fn show(
    arguments: &Arguments,
    planned: Option<String>,
    file: Option<NewFile>,
    verdict: &mut Verdict,
) -> Result<(), Error> {
    let source = Source::new(&arguments.document);
    if source == Source::Stdin && arguments.schemas.sources().any(|schemas| schemas == source) {
        return Err(Error::OneStdin);
    }
    let at = |source: &str, error: ShowError| Error::Document { source_name: source.to_owned(), error };
    let given = arguments.schemas.load(arguments.max_input).map_err(|error| match error {
        SchemaError::Document { name, error } => at(&name, error.into()),
        SchemaError::Text(error) => error.into(),
    })?;
    let name = source.to_string();
    let text = match planned {
        Some(text) => text,
        None => source.read_as_allowed(arguments.max_input.0)?,
    };
    let found;
    let document = match Document::parse_part(&text) {
        Ok(document) => document,
        Err(error) => {
            found = extract(&text).ok_or_else(|| at(&name, error.into()))?;
            if let Some(line) = found.another {
                return Err(Error::Another { source_name: source.to_string(), line });
            }
            exit::warn(&format!("{source}: {found}"));
            Document::parse_part(&found.text).map_err(|e| at(&name, e.into()))?
        }
    };
    if let Document::State(_) = document {
        if arguments.choice.is_of_changes() {
            return Err(Error::NoActions);
        }
        if arguments.mode.is_some() {
            return Err(Error::NoMode);
        }
        if arguments.gate.is_asked() {
            return Err(Error::NothingToJudge);
        }
    }
    if arguments.gate.is_asked() && !document.has_format_version() {
        return Err(Error::JudgedPart);
    }
    if arguments.gate.is_asked() {
        arguments.gate.check(&arguments.choice, &places(&document))?;
        if matches!(&document, Document::Plan(plan) if plan.lacks_changes()) {
            return Err(Error::JudgedWithoutChanges);
        }
    }
    let program = arguments.program.unwrap_or_else(|| Program::of(&document));
    if arguments.show_sensitive && program != Program::OpenTofu {
        return Err(Error::ShowSensitive(program));
    }
    let is_given = given.is_given();
    let (schemas, schemas_name) = with_cached(arguments, given, &document);
    let mut page = Vec::new();
    let in_file = file.is_some().then_some(&mut page);
    let result = write(arguments, &document, program, &schemas, verdict, in_file);
    document_warnings::print(&document);
    if !arguments.summary {
        warn(&schemas, is_given);
    }
    match result {
        Err(ShowError::Write(error)) => Err(Error::Write(error)),
        Err(error @ ShowError::Schemas(_)) => Err(at(&schemas_name, error)),
        Err(error) => Err(at(&name, error)),
        Ok(()) => match (file, arguments.page.file()) {
            (Some(file), Some(path)) => {
                file.finish(&page).map_err(|error| Error::File { path: path.to_owned(), error })
            }
            _ => Ok(()),
        },
    }
}

/// The schemas that are given, and those of other providers in the document that are cached.
fn with_cached(arguments: &Arguments, given: GivenSchemas, document: &Document<'_>) -> (Schemas, String) {
    let GivenSchemas { name, mut schemas } = given;
    let is_given = !name.is_empty();
    let is_missing = |provider: &&str| !schemas.providers().any(|given| given == *provider);
    let wanted: Vec<Wanted> =
        document.providers().into_iter().filter(is_missing).filter_map(Wanted::named).collect();
    let cached = arguments.schemas.cache.choose(wanted, &BTreeMap::new());
    let is_cached = !cached.origins.is_empty();
    schemas.append(cached.schemas);
    if !is_given && !is_cached {
        return (Schemas::none(), name);
    }
    let name = if is_given { name } else { "the cached schemas".to_owned() };
    (Schemas::new(schemas).with_origins(cached.origins), name)
}

fn write(
    arguments: &Arguments,
    document: &Document<'_>,
    program: Program,
    schemas: &Schemas,
    verdict: &mut Verdict,
    in_file: Option<&mut Vec<u8>>,
) -> Result<(), ShowError> {
    let stdout = io::stdout();
    let colour = colour(&stdout);
    let (width, is_terminal) = (terminal::width(&stdout), stdout.is_terminal());
    // What comes in has no sequences of its own left: there is nothing to strip.
    let stream = AutoStream::new(stdout, ColorChoice::Always).lock();
    let mut out = Escaping::new(BufWriter::with_capacity(1 << 16, stream), is_terminal);
    let options = Options {
        colour,
        mode: arguments.mode.map(ModeArg::mode),
        program: Some(program),
        show_sensitive: arguments.show_sensitive,
        full: arguments.full,
        match_sets: arguments.match_sets,
        width: width.unwrap_or(Options::default().width),
    };
    let filter = arguments.choice.filter();
    let report = Report::of(document, schemas, &options, &filter)?;
    // The programs of old know neither actions nor deferred changes, which are judged all the same.
    let is_hidden =
        |plan: &Plan<'_>| !plan.changes.invocations.is_empty() || !plan.changes.deferred.is_empty();
    *verdict = match document {
        Document::Plan(plan) if program != Program::default() && is_hidden(plan) => {
            let options = Options { program: Some(Program::default()), ..options };
            arguments.gate.judge(&Report::of(document, schemas, &options, &filter)?)
        }
        _ => arguments.gate.judge(&report),
    };
    if let Document::Plan(plan) = document {
        arguments.gate.refuse_simulated(verdict, plan);
    }
    if arguments.json {
        report.write_json(&mut out)?;
    } else if arguments.summary {
        report.write_summary(
            &mut out,
            colour,
            arguments.group_by.map_or_else(GroupBy::default, GroupArg::group_by),
        )?;
    } else {
        match arguments.format {
            Format::Terraform => report.write_text(&mut out, &options)?,
            Format::Markdown => report.write_markdown(&mut out, &arguments.page.markdown())?,
            Format::Html => match in_file {
                Some(page) => report.write_html(page, &arguments.page.html())?,
                None => report.write_html(&mut out, &arguments.page.html())?,
            },
        }
    }
    out.flush()?;
    arguments.choice.unmatched(&places(document)).iter().for_each(|note| exit::note(note));
    Ok(())
}

/// Says once what the missing schemas cost.
fn warn(schemas: &Schemas, is_given: bool) {
    let missing = schemas.missing().join(", ");
    let (lack, advice) = if schemas.is_none() || !is_given && !missing.is_empty() {
        let of = if missing.is_empty() { String::new() } else { format!("of {missing} ") };
        let advice =
            "pass the output of `terraform providers schema -json`, or cache it with `objchange schemas add`";
        (format!("without --schemas {of}"), advice)
    } else if missing.is_empty() {
        return;
    } else {
        let advice = "write the schemas again with `terraform providers schema -json`";
        (format!("the schemas lack {missing}: their "), advice)
    };
    exit::warn(&format!(
        "{lack}blocks are shown as attributes, what only a schema calls sensitive is shown, and `# forces replacement` and the \
         difference between null and empty values may be wrong; {advice}"
    ));
}
