//! `objchange show`: a plan or state as people read it.

mod choose;
mod document;
mod gate;
mod pages;
#[cfg(feature = "template")]
mod template;
#[cfg(not(feature = "template"))]
#[path = "show/template_absent.rs"]
mod template;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::{panic, thread};

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};
use objchange_document::{
    ChangeSet, Plan, PlanFile, PlanFileError, PlanSection, Program, Schemas, document_warnings,
};
use objchange_plan::render::GroupBy;
use objchange_plan::report::{GateError, ShowError, TemplateError, Verdict, places};
use objchange_plan::{Options, Report, placed};
use objchange_text::Escaping;
use thiserror::Error;

pub(crate) use self::choose::{IgnoreArgs, Places, unmatched_ignores};
pub(crate) use self::document::{DocumentArgs, Input};
pub(crate) use self::gate::{CHANGES, GateArgs, condition};
use self::pages::PageArgs;
pub(crate) use self::pages::{MarkdownArgs, need_format};
use self::template::Template;
use crate::exit::CommandError;
use crate::hints;
use crate::input::InputError;
use crate::options::MaskArgs;
use crate::style::colour;
use crate::write_file::{Access, NewFile};
use crate::{exit, terminal};
use objchange_project::{PlanInputError, SchemaError, SchemaTextError};

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
  objchange show tfplan
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
  objchange show plan.json --format markdown --template comment.md.jinja
  objchange show plan.json --format html --out plan.html
  objchange show tfplan --document --out plan.json
  objchange show tfplan --document --redacted --out for-others.json
  objchange show tfplan --explain 'aws_instance.web[0].ami'
  objchange show terraform.tfstate --schemas schemas.json";

/// The arguments of `show`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Print JSON (schema/report.schema.json)
    #[arg(long, conflicts_with_all = ["summary", "full"])]
    json: bool,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "terraform", conflicts_with_all = ["json", "summary"])]
    format: Format,

    /// Print the JSON document as `terraform show -json` does, with all secrets in it. With --out it is written to a file
    /// that only you can read
    #[arg(
        long = "document",
        conflicts_with_all = [
            "json", "summary", "full", "show_sensitive", "format", "fail_on", "detailed_exitcode", "Choice", "Places", "ignore", "types", "mode",
            "match_sets", "match_lists", "group_by"
        ]
    )]
    prints_document: bool,

    /// With --document, replace sensitive values by "(sensitive value)", for sending the document to others. Commands that
    /// decide by a plan refuse such a document
    #[arg(long, requires = "prints_document")]
    redacted: bool,

    /// Explain why an object, a part of it, a variable, a local value or an output of a plan file is unknown, created, replaced
    /// or deferred, by the configuration in it. With --json as JSON (schema/plan-explanation.schema.json)
    #[arg(
        long,
        value_name = "ADDRESS[.PATH]",
        conflicts_with_all = [
            "summary", "full", "show_sensitive", "format", "prints_document", "fail_on", "detailed_exitcode", "Choice", "Places",
            "ignore", "mask", "types", "mode", "match_sets", "match_lists", "group_by"
        ]
    )]
    explain: Option<String>,

    /// Show unchanged attributes, elements and blocks too
    #[arg(long)]
    full: bool,

    /// Show sensitive values, as `tofu show -show-sensitive` does. Terraform has no such option
    #[arg(long, conflicts_with_all = ["json", "summary"])]
    show_sensitive: bool,

    /// Print only addresses in groups, reasons and totals
    #[arg(long, conflicts_with = "full")]
    summary: bool,

    /// How the summary groups resources; in each group, destroyed ones come first
    #[arg(long, value_name = "HOW", requires = "summary")]
    group_by: Option<GroupArg>,

    #[command(flatten)]
    gate: GateArgs,

    #[command(flatten)]
    input: DocumentArgs,

    // Last, because its heading would apply to all options after it.
    #[command(flatten)]
    page: PageArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The text of `terraform show`
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

/// Why nothing can be shown.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("{}", hints::plan_input(.0))]
    Input(#[from] PlanInputError),
    #[error("{source_name}{}", placed(error))]
    Document { source_name: String, error: ShowError },
    #[error(transparent)]
    PlanFile(#[from] PlanFileError),
    #[error(transparent)]
    Write(io::Error),
    #[error("--action, --drift, --no-drift and --ignore apply to plans; this is a state")]
    NoActions,
    #[error(
        "--show-sensitive is an option of OpenTofu, and this is shown as {0} shows it; use --as opentofu"
    )]
    ShowSensitive(Program),
    #[error("--fail-on and --detailed-exitcode apply to plans; this is a state")]
    NothingToJudge,
    #[error(
        "the document would lack the configuration, which cannot be read; pass the output of `terraform show -json`"
    )]
    NoConfiguration,
    #[error("{}", hints::gate(.0))]
    Gate(#[from] GateError),
    #[error("--mode applies to plans; this is a state")]
    NoMode,
    #[error(
        "the document and the schemas cannot both be read from standard input; name a file for one of them"
    )]
    OneStdin,
    #[error("{}", need_format(.0, "markdown or html"))]
    NotPage(Vec<&'static str>),
    #[error("{}", need_format(.0, "markdown"))]
    NotMarkdown(Vec<&'static str>),
    #[error("--out needs --format html or --document")]
    NotHtml,
    #[error("--show-sensitive cannot be used with --format markdown or html")]
    SensitivePage,
    #[error("{}: cannot be written: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{}", hints::schema_text(.0))]
    SchemaText(#[from] SchemaTextError),
    #[error(transparent)]
    Schemas(SchemaError),
    #[error("{}{}: {}", path.display(), error.line.map(|line| format!(":{line}")).unwrap_or_default(), error.message)]
    Template { path: PathBuf, error: TemplateError },
    #[cfg_attr(feature = "template", expect(dead_code, reason = "this build has templates"))]
    #[error("this build has no templates: build or install with `--features full`")]
    NoTemplates,
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::Input(error.into())
    }
}

impl Arguments {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        self.input.mask()
    }

    /// Whether exit codes are those of `--detailed-exitcode`.
    pub(crate) fn has_detailed_exitcode(&self) -> bool {
        self.gate.is_detailed()
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    if arguments.page.prints_template() {
        return Ok(arguments.gate.code(&Verdict::default(), print_template())?);
    }
    if let Some(address) = &arguments.explain {
        return arguments.input.explain(address, arguments.json);
    }
    let mut verdict = Verdict::default();
    let page = match open(arguments) {
        Ok(page) => page,
        Err(error) => return Ok(arguments.gate.code(&verdict, Err(error))?),
    };
    let is_strict = arguments.gate.can_refuse();
    let must_be_whole = is_strict || arguments.json || arguments.prints_document;
    let may_lack_state = !(must_be_whole || arguments.gate.is_asked());
    let planned = match arguments.input.plan_module(is_strict, must_be_whole, may_lack_state) {
        // `plan` of the directory exits with 1, too, and a gate refuses the document of such a plan.
        Err(CommandError::NotPlanned(_)) if is_strict => {
            verdict.refused.push("planning ended with an error".to_owned());
            return Ok(arguments.gate.answer(&verdict, false)?);
        }
        planned => planned?,
    };
    let shown = show(arguments, planned, page, &mut verdict);
    Ok(arguments.gate.code(&verdict, shown)?)
}

fn print_template() -> Result<(), Error> {
    io::stdout().write_all(template::built_in()?.as_bytes()).map_err(Error::Write)
}

/// The inputs of a page.
struct Page {
    /// The file that it is written to.
    file: Option<NewFile>,
    template: Option<Template>,
}

/// Refuses options that do not go together, reads the template, and opens the file of the page, before anything is made.
fn open(arguments: &Arguments) -> Result<Page, Error> {
    let Arguments { format, page, .. } = arguments;
    match format {
        Format::Terraform if !page.given_for_pages().is_empty() => {
            return Err(Error::NotPage(page.given_for_pages()));
        }
        Format::Markdown | Format::Html if arguments.show_sensitive => return Err(Error::SensitivePage),
        Format::Terraform | Format::Markdown | Format::Html => {}
    }
    let for_markdown = page.given_for_markdown();
    if *format != Format::Markdown && !for_markdown.is_empty() {
        return Err(Error::NotMarkdown(for_markdown));
    }
    if *format != Format::Html && !arguments.prints_document && page.is_given_for_html() {
        return Err(Error::NotHtml);
    }
    let create = |path: &Path| {
        let error = |error| Error::File { path: path.to_owned(), error };
        // The document has all secrets of the plan in it.
        let access = if arguments.prints_document { Access::Owner } else { Access::Usual };
        NewFile::create(path, access).map_err(error)
    };
    let template = page.template().map(|path| Template::read(path, page.timeout())).transpose()?;
    Ok(Page { file: page.file().map(create).transpose()?, template })
}

fn show(
    arguments: &Arguments,
    planned: Option<PlanFile>,
    Page { file, template }: Page,
    verdict: &mut Verdict,
) -> Result<(), Error> {
    let changes_alone = arguments.format == Format::Terraform
        && !(arguments.json || arguments.prints_document || arguments.gate.is_asked());
    let Input { file: input, given } = arguments.input.read(planned, changes_alone)?;
    if arguments.prints_document {
        // Only plan files know their mode. Whoever decides by such a document must not take it for a whole one.
        let is_whole = |plan: &Plan<'_>| plan.require(PlanSection::Configuration).is_ok();
        if input.mode().is_some() && !input.plan().is_some_and(is_whole) {
            return Err(Error::NoConfiguration);
        }
        if !arguments.redacted {
            return write_document(input.text(), file, arguments.page.file());
        }
        // They say what is sensitive in the configuration, and in values of documents of other programs.
        let (schemas, _) = arguments.input.schemas(given, &input);
        let redacted = input.with_schemas(&Arc::new(schemas))?.redacted()?;
        return write_document(&redacted, file, arguments.page.file());
    }
    arguments.input.check(&input)?;
    if arguments.gate.is_asked() {
        if !input.is_plan() {
            return Err(Error::NothingToJudge);
        }
        arguments.gate.gate().check(&arguments.input.choice.selection(), &places(&input))?;
        input.whole()?;
    }
    let program = arguments.input.program_of(&input);
    if arguments.show_sensitive && !matches!(program, Program::OpenTofu(_)) {
        return Err(Error::ShowSensitive(program));
    }
    let (schemas, sources) = arguments.input.schemas(given, &input);
    let mut page = Vec::new();
    let target = Target { template: template.as_ref(), in_file: file.is_some().then_some(&mut page) };
    let (result, warnings) = thread::scope(|scope| {
        // They read the planned values and the prior state, which takes 30 ms for 62 MB.
        let warnings = scope.spawn(|| document_warnings(input.facts()));
        let result = write(arguments, &input, program, &schemas, verdict, target);
        (result, warnings.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    });
    let written_by = input.terraform_version();
    // A summary and JSON have no text of a version.
    let has_text = !arguments.summary && !arguments.json;
    let of_version = written_by.filter(|_| has_text).and_then(|version| program.version_warning(version));
    warnings.iter().chain(&of_version).for_each(|warning| exit::warn(warning));
    if !arguments.summary {
        sources.warning(&schemas).iter().for_each(|warning| exit::warn(warning));
    }
    match (result, &template) {
        (Err(ShowError::Template(error)), Some(template)) => Err(template.error(error)),
        (Err(error), _) => Err(sources.error(input.name(), error)),
        (Ok(()), _) => match (file, arguments.page.file()) {
            (Some(file), Some(path)) => {
                file.finish(&page).map_err(|error| Error::File { path: path.to_owned(), error })
            }
            _ => Ok(()),
        },
    }
}

/// Writes the text of a document.
fn write_document(text: &str, file: Option<NewFile>, path: Option<&Path>) -> Result<(), Error> {
    let text = format!("{}\n", text.trim_end());
    match (file, path) {
        (Some(file), Some(path)) => {
            file.finish(text.as_bytes()).map_err(|error| Error::File { path: path.to_owned(), error })
        }
        _ => {
            let stdout = io::stdout();
            let is_terminal = stdout.is_terminal();
            let mut out = Escaping::new(BufWriter::with_capacity(1 << 16, stdout.lock()), is_terminal);
            out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::Write)
        }
    }
}

/// The writer of a page, and its destination.
struct Target<'t> {
    template: Option<&'t Template>,
    /// Instead of standard output.
    in_file: Option<&'t mut Vec<u8>>,
}

fn write(
    arguments: &Arguments,
    file: &PlanFile,
    program: Program,
    schemas: &Schemas,
    verdict: &mut Verdict,
    target: Target<'_>,
) -> Result<(), ShowError> {
    let stdout = io::stdout();
    let colour = colour(&stdout);
    let (width, is_terminal) = (terminal::width(&stdout), stdout.is_terminal());
    // Sequences in the input are escaped already, so there is nothing to strip.
    let stream = AutoStream::new(stdout, ColorChoice::Always).lock();
    let mut out = Escaping::new(BufWriter::with_capacity(1 << 16, stream), is_terminal);
    let options = Options {
        colour,
        show_sensitive: arguments.show_sensitive,
        full: arguments.full,
        width: width.unwrap_or(Options::default().width),
        own_format: arguments.json
            || arguments.full
            || arguments.summary
            || arguments.format != Format::Terraform,
        ..arguments.input.options(file, program)
    };
    let filter = arguments.input.filter();
    let report = Report::of_file(file, schemas, &options, &filter)?;
    let gate = arguments.gate.gate();
    // Old programs show neither actions nor deferred changes, so the gate uses the newest one.
    let is_hidden =
        |changes: &ChangeSet<'_>| changes.all_invocations().next().is_some() || !changes.deferred.is_empty();
    let changes = file.changes();
    *verdict = match changes {
        Some(changes) if program != Program::default() && is_hidden(changes) => {
            let options = Options { program: Some(Program::default()), ..options };
            gate.judge(&Report::of_file(file, schemas, &options, &filter)?)
        }
        _ => gate.judge(&report),
    };
    if let Some(changes) = changes {
        gate.refuse_unknown(verdict, &file.facts().unknown_kinds);
        gate.refuse_undecided(verdict, &changes.deferred);
        gate.refuse_unasked(verdict, &file.facts().unasked);
        if arguments.gate.is_asked() {
            gate.refuse_missing(verdict, &file.facts().missing);
        }
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
            Format::Terraform => report.write_headed_text(&mut out, &options)?,
            Format::Markdown => match target.template {
                Some(template) => template.write(&report, &mut out, &arguments.page.markdown())?,
                None => report.write_markdown(&mut out, &arguments.page.markdown())?,
            },
            Format::Html => match target.in_file {
                Some(page) => report.write_html(page, &arguments.page.html())?,
                None => report.write_html(&mut out, &arguments.page.html())?,
            },
        }
    }
    out.flush()?;
    arguments.input.unmatched(file, schemas).iter().for_each(|note| exit::note(note));
    Ok(())
}
