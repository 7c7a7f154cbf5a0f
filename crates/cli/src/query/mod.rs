//! `objchange query`: finds items of plans with an expression.
mod columns;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use self::columns::Destination;
use crate::configuration::report;
use crate::documents::{self, BrokenPlans};
use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::module_plan::{ModuleArgs, PlanInputs};
use crate::options::MaskArgs;
use clap::ValueEnum;
use objchange_document::Schemas;
use objchange_hcl::{Diagnostic, HiddenSource, Sources, Span};
use objchange_policy::columns::{Row, RowKind, TableForm, TableWriter};
use objchange_policy::query::{
    self as policy, Answer, CollectionKind, Comparisons, Printed, Printer, Projection, Query, QueryError,
    QueryErrorKind, Search, Subject, SubjectError, Tallies, UndecidedItems,
};
use objchange_project::{InputDocument, WantedDocuments};
use objchange_text::TimeLimit;
use objchange_text::json::place;

const AFTER_HELP: &str = "\
A plan is the output of `terraform show -json PLANFILE`: a file, a quoted glob, a folder (all plans in *.json files, \
recursively), or `-` for standard input (the default). A file holds one plan, or one a line. With several plans each \
answer names its file. A directory with configuration files is planned as a module, without its providers.

The expression is CEL. `rc` is the item, with the fields of Sentinel's tfplan/v2: address, module_address, mode, type, \
name, index, provider_name, deposed, and change with actions, before, after and after_unknown. `plan` has \
terraform_version and variables. An item without a field that the expression reads does not match; test for it with \
has(rc.change.after.x), or give a default with rc.change.after.?x.orValue(0). An item whose answer depends on an unknown \
value does not match either and is listed in a warning; --undecided finds these items, and unknown(rc, \"x\") tests for \
unknown values. Unknown values are printed as null. Numbers beyond 64-bit integers are doubles.

Functions (a path is like tags.Owner or ingress[0].cidr):
  unknown(rc, \"path\")       the value is unknown until apply
  changed(rc, \"path\")       the value may change: also true if it is unknown
  old(rc, \"path\")           the value before, or null
  new(rc, \"path\")           the value after, or null if absent or unknown
  sensitive(rc, \"path\")     the value is sensitive
  replaced(rc)              the object is replaced
  changes_only(rc, [\"tags\", \"tags_all\"]) it is updated at these paths alone
  in_module(rc, \"module.a\") the item is in an instance of that module, or of a module inside it
  semver(plan.terraform_version, \">= 1.5, < 2.0\")
  x.matches(\"regex\"), x.split(\",\"), x.join(\", \"), x.replace(\"a\", \"b\"), x.lowerAscii(), …
  timestamp(\"2026-01-01T00:00:00Z\"), duration(\"24h\")

Sensitive values can be compared but are never printed: --select and --group-by print `(sensitive value)` for \
them, and for all that is computed from one.

Exit codes:
  0  items match
  1  no item matches
  2  the expression or an input cannot be used, or the output cannot be written
  3  no item matches, but the answer for some is unknown until apply

Examples:
  objchange query plan.json 'rc.mode == \"managed\" && rc.type == \"aws_instance\"'
  objchange query plan.json 'in_module(rc, \"module.foo\") && rc.change.actions == [\"create\"]' --output keys
  objchange query plan.json 'rc.type == \"aws_instance\" && unknown(rc, \"ami\")'
  objchange query plan.json 'rc.change.actions != [\"no-op\"]' --group-by rc.change.actions
  objchange query plans/ 'changed(rc, \"tags.Owner\")' --select '{\"address\": rc.address, \"owner\": new(rc, \"tags.Owner\")}'
  objchange query 'plans/*.json' 'replaced(rc)' --output json > replaced.jsonl
  objchange query plans/ 'replaced(rc)' --output parquet --out replaced.parquet
  objchange query plans/ '!semver(plan.terraform_version, \">= 0.12.19\")' --count
  objchange query environments/prod --schemas schemas.json 'rc.change.actions == [\"delete\"]'
  objchange query plan.json --of checks 'rc.status != \"pass\"' --select rc.problems
  objchange query plan.json --of deferred true --select '[rc.address, rc.reason]'
  objchange query terraform.tfstate --of state 'rc.type == \"aws_iam_user\"' --select rc.values.name";

/// Find changes in plans with a CEL expression
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, override_usage = "objchange query [OPTIONS] [PLAN]... <EXPR>")]
pub(crate) struct Args {
    /// Plans, followed by the expression
    #[arg(value_name = "PLAN… EXPR", required_unless_present = "expression")]
    arguments: Vec<PathBuf>,

    /// The expression; all other arguments are plans
    #[arg(short, long = "expr", value_name = "EXPR", allow_hyphen_values = true)]
    expression: Option<String>,

    /// Collection to search
    #[arg(long = "of", value_enum, default_value = "changes", value_name = "WHAT")]
    about: About,

    /// Output format
    #[arg(long, value_enum, default_value = "lines", value_name = "FORM")]
    output: Form,

    /// Write the table to this file instead of standard output (`-`)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print JSON Lines; same as --output json
    #[arg(long, conflicts_with = "output")]
    json: bool,

    /// Find items for which the answer depends on unknown values
    #[arg(long)]
    undecided: bool,

    /// Print the value of this expression for each item; map members and list elements become columns
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with_all = ["count", "group_by"])]
    select: Option<String>,

    /// Print only the number of items
    #[arg(long, conflicts_with = "group_by")]
    count: bool,

    /// Print the number of items for each value of this expression; with `--output keys` or `json` also their
    /// addresses
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    group_by: Option<String>,

    /// Timeout in seconds for each document
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    #[command(flatten)]
    broken: BrokenPlans,

    #[command(flatten)]
    module: ModuleArgs,
}

impl Args {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        self.module.mask()
    }

    fn form(&self) -> Form {
        if self.json { Form::Json } else { self.output }
    }

    /// How items are written, after a look at the options that do not fit it.
    fn format(&self, modules: &PlanInputs<'_>) -> Result<Format, CommandError> {
        let form = match self.form() {
            Form::Keys if self.select.is_some() => {
                return Err("--output keys and --select cannot be combined".into());
            }
            Form::Keys | Form::Table | Form::Csv if self.count => {
                return Err(
                    "--output keys, table and csv cannot be combined with --count, which prints a number"
                        .into(),
                );
            }
            Form::Keys => policy::Form::Keys,
            Form::Lines => policy::Form::Lines,
            Form::Table => policy::Form::Table,
            Form::Csv => policy::Form::Csv,
            Form::Json => policy::Form::Json,
            Form::Parquet => return self.table(TableForm::Parquet, modules),
            Form::Arrow => return self.table(TableForm::Arrow, modules),
        };
        if self.out.is_some() {
            return Err("--out needs --output parquet or arrow".into());
        }
        Ok(Format::Text(form))
    }
    fn table(&self, form: TableForm, modules: &PlanInputs<'_>) -> Result<Format, CommandError> {
        let options = [
            ("--select", self.select.is_some()),
            ("--count", self.count),
            ("--group-by", self.group_by.is_some()),
            ("--undecided", self.undecided),
        ];
        if let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) {
            return Err(format!(
                "--output parquet and arrow write whole changes, so {option} cannot be combined with them"
            )
            .into());
        }
        let kind = columns::row_kind(self.about.collection_kind())
            .ok_or("--output parquet and arrow need --of changes, drift or outputs")?;
        let given =
            modules.schemas.load(modules.max_input).map_err(|error| unusable(hints::schemas(&error)))?;
        Ok(Format::Table(form, kind, modules.schemas.with_cached(given, []).0))
    }

    fn printed(&self) -> Printed {
        match (self.count, &self.select, &self.group_by) {
            (true, ..) => Printed::Count,
            (_, Some(_), _) => Printed::Values,
            (_, _, Some(_)) => Printed::Groups,
            _ => Printed::Items,
        }
    }

    /// The result of a search in one document, with the rows of a table.
    fn found(
        &self,
        search: Search<'_>,
        document: &InputDocument,
        format: &Format,
    ) -> Result<DocumentAnswer, String> {
        let answer = self.answer(search, document)?;
        let rows = match format {
            Format::Text(_) => Vec::new(),
            Format::Table(_, kind, schemas) => columns::rows(&document.file, *kind, schemas, &answer.items)?,
        };
        Ok(DocumentAnswer { answer, rows })
    }

    /// The result of a search in one document.
    fn answer(&self, search: Search<'_>, document: &InputDocument) -> Result<Answer, String> {
        let file = &document.file;
        if file.is_plan() {
            self.about.collection_kind().check(file).map_err(|error| error.to_string())?;
        }
        search.require(file.document()).map_err(|error| file.error(error).to_string())?;
        let subject =
            Subject::new(self.about.collection_kind(), file.document()).map_err(|error| match error {
                SubjectError::Document(error) => file.error(error).to_string(),
                SubjectError::IsState => {
                    format!("{}: {error}; search its resources with --of state", file.name())
                }
                error => format!("{}: {error}", file.name()),
            })?;
        let time = TimeLimit::begin(Duration::from_secs(self.timeout));
        let answer = search.answer(&subject, || time.is_over());
        answer.ok_or_else(|| format!("{}: the evaluation {time}; allow more with --timeout", file.name()))
    }
}

/// The answer to a query in one document.
struct DocumentAnswer {
    answer: Answer,
    rows: Vec<Row>,
}

/// The destination of the results.
enum Sink<'a> {
    Text(Printer<'a, BufWriter<Box<dyn Write>>>),
    Table(Box<TableWriter<Destination>>),
}

impl<'a> Sink<'a> {
    fn open(args: &Args, format: &Format, projection: Option<&'a Projection>) -> Result<Self, CommandError> {
        match format {
            Format::Text(form) => {
                let out: Box<dyn Write> = Box::new(anstream::stdout().lock());
                let out = BufWriter::with_capacity(1 << 16, out);
                Ok(Self::Text(Printer::new(*form, args.printed(), projection, out)))
            }
            Format::Table(form, kind, _) => {
                let out = Destination::open(args.out.as_deref())?;
                Ok(Self::Table(Box::new(TableWriter::new(*form, *kind, out)?)))
            }
        }
    }

    fn write(&mut self, name: Option<&str>, found: DocumentAnswer) -> io::Result<()> {
        match self {
            Self::Text(printer) => printer.print(name, found.answer.items),
            Self::Table(table) => table.push(&found.rows),
        }
    }

    fn finish(self, count: u64) -> io::Result<()> {
        match self {
            Self::Text(printer) => printer.finish(count),
            Self::Table(table) => columns::finish(*table),
        }
    }
}

/// The collection to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum About {
    /// Resource changes
    #[value(alias = "resource_changes")]
    Changes,
    /// Changes made outside of Terraform
    #[value(alias = "resource_drift")]
    Drift,
    /// Output changes; `rc` has name and change
    #[value(alias = "output_changes")]
    Outputs,
    /// The variables of the root module; `rc` has name and value
    Variables,
    /// Resources as planned; `rc` has `values` instead of `change`
    #[value(alias = "planned_values")]
    Planned,
    /// Resources of a state, or of the state before the plan; `rc` has `values`, `tainted` and `depends_on`
    #[value(alias = "tfstate")]
    State,
    /// Resources of the configuration; `rc` has `config`, `count`, `for_each`, `provisioners` and `depends_on`
    #[value(alias = "tfconfig")]
    Config,
    /// Changes left to the next plan; `rc` also has `reason`
    #[value(alias = "deferred_changes")]
    Deferred,
    /// Checks; `rc` has `address`, `kind`, `status` and `problems`
    Checks,
    /// Invoked actions; `rc` has `type`, `name`, `config`, `event`, `resource`, and `reason` if left to the next plan
    #[value(alias = "action_invocations")]
    Actions,
}

impl About {
    fn collection_kind(self) -> CollectionKind {
        match self {
            Self::Changes => CollectionKind::ResourceChanges,
            Self::Drift => CollectionKind::ResourceDrift,
            Self::Outputs => CollectionKind::OutputChanges,
            Self::Variables => CollectionKind::Variables,
            Self::Planned => CollectionKind::PlannedValues,
            Self::State => CollectionKind::State,
            Self::Config => CollectionKind::Config,
            Self::Deferred => CollectionKind::Deferred,
            Self::Checks => CollectionKind::Checks,
            Self::Actions => CollectionKind::Actions,
        }
    }
}

/// How items are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The address of each item; for a deposed object also `:` and its key
    Keys,
    /// A line for each item: its address and actions, or the selected value
    Lines,
    /// A table with column names
    Table,
    /// The table with commas between the columns
    Csv,
    /// A JSON object on each line
    Json,
    /// A Parquet file with a row for each change
    Parquet,
    /// The rows in Arrow's IPC format for streams
    Arrow,
}

/// How items are written, as text or as a table.
enum Format {
    Text(policy::Form),
    Table(TableForm, RowKind, Schemas),
}

/// The exit code if nothing is found, and items may match once the unknown values are known.
const UNDECIDED: u8 = 3;

/// An expression that is an argument.
pub(crate) struct QueryText {
    /// Its name in errors.
    name: &'static str,
    text: String,
}

impl QueryText {
    fn new(name: &'static str, text: &str) -> Self {
        Self { name, text: text.to_owned() }
    }

    /// Prints the error, with its place in the text.
    fn complain(&self, error: &QueryError) -> io::Result<()> {
        let place = Span { start: error.place.start as u32, end: error.place.end as u32 };
        let help = error.help.clone().unwrap_or_default();
        let found = Diagnostic::new((error.kind.kind(), error.message.clone()), place, help);
        match Sources::from_text(self.name, self.text.as_str()) {
            Ok(source) => report::show(&source, &HiddenSource::default(), &[found]),
            Err(too_long) => exit::complain(&too_long.to_string()),
        }
    }

    /// Prints the error, and makes it the error of the command.
    fn refused(&self, error: &QueryError) -> CommandError {
        CommandError::shown(self.complain(error))
    }

    /// Warns of something at its place.
    fn warn(&self, error: &QueryError, suffix: &str) {
        let (line, column) = place(&self.text, error.place.start);
        exit::warn(&format!("{}:{line}:{column}: {}{suffix}", self.name, error.message));
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let kind = args.about.collection_kind();
    let (paths, expression) = arguments(args).map_err(unusable)?;
    let modules = args.module.inputs(&paths)?;
    let format = args.format(&modules)?;
    let filter = QueryText::new("(expression)", &expression);
    let other = match (&args.select, &args.group_by) {
        (Some(text), _) => Some(QueryText::new("--select", text)),
        (None, Some(text)) => Some(QueryText::new("--group-by", text)),
        (None, None) => None,
    };
    let query = match Query::parse(kind, &filter.text) {
        Ok(query) => query,
        Err(error) => return Err(filter.refused(&error)),
    };
    let projection = match other.as_ref().map(|other| (other, Projection::parse(kind, &other.text))) {
        None => None,
        Some((_, Ok(projection))) => Some(projection),
        Some((other, Err(error))) => return Err(other.refused(&error)),
    };
    let wanted = if kind == CollectionKind::State {
        WantedDocuments::PLANS_AND_STATES
    } else {
        WantedDocuments::PLANS
    };
    let inputs = documents::find(&paths, wanted, &modules)?;
    let search = Search {
        query: &query,
        projection: projection.as_ref(),
        undecided: args.undecided,
        counts_only: args.count,
        with_fields: args.form() == Form::Json && projection.is_none(),
    };
    let mut sink = Sink::open(args, &format, projection.as_ref())?;
    let (mut found, mut undecided) = (0, UndecidedItems::default());
    let mut comparisons = [Comparisons::default(), Comparisons::default()];
    let mut tallies = Tallies::default();
    let result = documents::for_each(
        &inputs,
        wanted,
        args.broken,
        |document| args.found(search, document, &format),
        |name, mut in_document: DocumentAnswer| {
            let answer = &mut in_document.answer;
            found += answer.found;
            undecided.add(name, std::mem::take(&mut answer.undecided));
            for (all, seen) in comparisons.iter_mut().zip(&answer.comparisons) {
                all.add(seen);
            }
            if tallies.add(std::mem::take(&mut answer.tallies)) {
                // Whatever follows would take too much as well.
                return Err(io::Error::other("the expression takes too much"));
            }
            sink.write(name, in_document)
        },
    );
    let mut unusable = tell(&tallies, &filter, other.as_ref())?;
    if tallies.is_limit() {
        return Ok(ExitCode::from(exit::UNUSABLE));
    }
    let summary = result?;
    for (written, projection) in other.iter().zip(&projection) {
        for error in projection.impossible(&comparisons[1]) {
            written.complain(&error)?;
            unusable = true;
        }
    }
    query.unmatched(&comparisons[0]).iter().for_each(|error| filter.warn(error, ""));
    for error in query.impossible(&comparisons[0]) {
        // Where something is found, another part of the expression may have decided.
        match found {
            // An unknown value may turn out to be equal.
            0 if undecided.count == 0 => {
                filter.complain(&error)?;
                unusable = true;
            }
            _ => filter.warn(&error, ""),
        }
    }
    sink.finish(found)?;
    let hint = if undecided.are_all_named() { "" } else { "; --undecided writes all" };
    undecided.warning().iter().for_each(|warning| exit::warn(&format!("{warning}{hint}")));
    Ok(match found {
        _ if unusable || !summary.failures.is_empty() => ExitCode::from(exit::UNUSABLE),
        0 if undecided.count > 0 => ExitCode::from(UNDECIDED),
        0 => ExitCode::from(exit::FAILED),
        _ => ExitCode::SUCCESS,
    })
}

/// Reports expressions without a value for any item. Returns whether that is an error.
fn tell(tallies: &Tallies, filter: &QueryText, other: Option<&QueryText>) -> io::Result<bool> {
    let mut is_error = false;
    let of_columns = tallies.columns.iter().filter_map(|tally| Some((other?, tally)));
    for (written, tally) in [(filter, &tallies.filter)].into_iter().chain(of_columns) {
        match tally.reason() {
            None => {}
            Some(error) if error.kind == QueryErrorKind::Absent => written.warn(error, " in any item"),
            Some(error) => {
                written.complain(error)?;
                is_error = true;
            }
        }
    }
    Ok(is_error)
}

/// The plans and the expression.
fn arguments(args: &Args) -> Result<(Vec<PathBuf>, String), String> {
    let mut paths = args.arguments.clone();
    let expression = match &args.expression {
        Some(expression) => expression.clone(),
        None => {
            let last = paths.pop().ok_or("the expression is missing: it is the last argument")?;
            // A single argument that is a file is a plan whose expression was forgotten.
            if paths.is_empty() && last.exists() {
                return Err(format!("the expression is missing: it comes after the plan {}", last.display()));
            }
            last.into_os_string().into_string().map_err(|_| "the expression is not valid text".to_owned())?
        }
    };
    if paths.is_empty() {
        paths.push("-".into());
    }
    Ok((paths, expression))
}
