//! `objchange query`: finds items of plans with an expression.

mod answer;
mod output;
mod tally;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use objchange_hcl::{Diagnostic, HiddenSource, Sources, Span};
use objchange_plan::query::{Comparisons, Of, Projection, Query, QueryError};
use objchange_text::json::place;

use self::answer::Questions;
use self::output::Printer;
use self::tally::Verdict;
use crate::configuration::report;
use crate::documents::{self, ErroredPlans, Inputs, Wanted};
use crate::exit;

const AFTER_HELP: &str = "\
A plan is the output of `terraform show -json PLANFILE`: a file, a glob in quotes, a folder (all *.json in and below \
it that are plans), or `-` for standard input, which is read where no plan is named. A file may hold one plan, or one \
a line. With more than one plan each answer names its file.

The expression is CEL. `rc` is the item, with the fields that Sentinel's tfplan/v2 has: address, module_address, mode, \
type, name, index, provider_name, deposed, and change with actions, before, after and after_unknown. `plan` has \
terraform_version and variables. What is missing in an item is no error: the item is not found. has(rc.change.after.x) \
tells, and rc.change.after.?x.orValue(0) gives something else for it. An item for which the answer depends on a value \
that is unknown until apply is not found either, but named in a warning; --undecided finds these, and unknown(rc, \"x\") \
tells. In what is written such values are null. Numbers that are no 64-bit integers are doubles.

Functions (a path is like tags.Owner or ingress[0].cidr):
  unknown(rc, \"path\")       it is unknown until apply
  changed(rc, \"path\")       it may be another after apply
  old(rc, \"path\")           the value before, or null
  new(rc, \"path\")           the value after, or null where there is none or it is unknown
  sensitive(rc, \"path\")     it is sensitive
  replaced(rc)              the object is replaced by another
  in_module(rc, \"module.a\") it is in that module or within one in it, in any instance
  semver(plan.terraform_version, \">= 1.5, < 2.0\")
  x.matches(\"regex\"), x.split(\",\"), x.join(\", \"), x.replace(\"a\", \"b\"), x.lowerAscii(), …

What is sensitive can be compared, and is never printed: --select and --group-by see `(sensitive value)` in its place.

Exit codes:
  0  items are found
  1  no item is found
  2  the expression or an input cannot be used, or the output cannot be written
  3  no item is found, but the answer for some is unknown until apply

Examples:
  objchange query plan.json 'rc.mode == \"managed\" && rc.type == \"aws_instance\"'
  objchange query plan.json 'in_module(rc, \"module.foo\") && rc.change.actions == [\"create\"]' --output keys
  objchange query plan.json 'rc.type == \"aws_instance\" && unknown(rc, \"ami\")'
  objchange query plan.json 'rc.change.actions != [\"no-op\"]' --group-by rc.change.actions
  objchange query plans/ 'changed(rc, \"tags.Owner\")' --select '{\"address\": rc.address, \"owner\": new(rc, \"tags.Owner\")}'
  objchange query 'plans/*.json' 'replaced(rc)' --output json > replaced.jsonl
  objchange query plans/ '!semver(plan.terraform_version, \">= 0.12.19\")' --count
  objchange query terraform.tfstate --of state 'rc.type == \"aws_iam_user\"' --select rc.values.name";

/// Find resource changes and other items of plans with an expression
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, override_usage = "objchange query [OPTIONS] [PLAN]... <EXPR>")]
pub(crate) struct Args {
    /// Plans, and at last the expression
    #[arg(value_name = "PLAN… EXPR", required_unless_present = "expression")]
    arguments: Vec<PathBuf>,

    /// The expression; all other arguments are plans then
    #[arg(short, long = "expr", value_name = "EXPR", allow_hyphen_values = true)]
    expression: Option<String>,

    /// What to look for
    #[arg(long, value_enum, default_value = "changes", value_name = "WHAT")]
    of: About,

    /// How the answer is written
    #[arg(long, value_enum, default_value = "lines", value_name = "FORM")]
    output: Form,

    /// Write a JSON object a line; the same as --output json
    #[arg(long, conflicts_with = "output")]
    json: bool,

    /// Find the items for which the answer depends on values that are unknown until apply
    #[arg(long)]
    undecided: bool,

    /// Write what this expression gives for each item; of a map each member is a column, of a list each element
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with_all = ["count", "group_by"])]
    select: Option<String>,

    /// Write only how many items are found
    #[arg(long, conflicts_with = "group_by")]
    count: bool,

    /// Write how many items are found for each value of this expression; with `--output keys` or `json` also which
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    group_by: Option<String>,

    /// How many seconds the expressions may take for a document
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    #[command(flatten)]
    errored: ErroredPlans,
}

impl Args {
    fn form(&self) -> Form {
        if self.json { Form::Json } else { self.output }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum About {
    /// What happens to resources
    #[value(alias = "resource_changes")]
    Changes,
    /// What has happened to resources outside of Terraform
    #[value(alias = "resource_drift")]
    Drift,
    /// What happens to outputs; `rc` has name and change
    #[value(alias = "output_changes")]
    Outputs,
    /// The variables of the root module; `rc` has name and value
    Variables,
    /// Resources as they will be; `rc` has values in place of change
    #[value(alias = "planned_values")]
    Planned,
    /// Resources of a state, or of the state before the plan; `rc` has `values`, `tainted` and `depends_on`
    #[value(alias = "tfstate")]
    State,
    /// Resources of the configuration; `rc` has `config`, `count`, `for_each`, `provisioners` and `depends_on`
    #[value(alias = "tfconfig")]
    Config,
}

impl About {
    fn of(self) -> Of {
        match self {
            Self::Changes => Of::ResourceChanges,
            Self::Drift => Of::ResourceDrift,
            Self::Outputs => Of::OutputChanges,
            Self::Variables => Of::Variables,
            Self::Planned => Of::PlannedValues,
            Self::State => Of::State,
            Self::Config => Of::Config,
        }
    }
}

/// How items are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The address of each, with `:` and the key where it is deposed
    Keys,
    /// A line each: the address and what happens, or what is selected
    Lines,
    /// Columns under their names
    Table,
    /// A JSON object a line
    Json,
}

/// The exit code where nothing is found, and something may be once the unknown values are known.
const UNDECIDED: u8 = 3;

/// An expression that is an argument.
pub(crate) struct Written {
    /// What it is called in errors.
    name: &'static str,
    text: String,
}

impl Written {
    fn new(name: &'static str, text: &str) -> Self {
        Self { name, text: text.to_owned() }
    }

    /// Says what is wrong with it, at its place.
    fn complain(&self, error: &QueryError) -> io::Result<()> {
        let place = Span { start: error.place.start as u32, end: error.place.end as u32 };
        let help = error.help.clone().unwrap_or_default();
        let found = Diagnostic::new(error.message.clone(), place, help);
        match Sources::of(self.name, self.text.as_str()) {
            Ok(source) => report::show(&source, &HiddenSource::default(), &[found]),
            Err(too_long) => exit::complain(&too_long.to_string()),
        }
    }

    /// Warns of something at its place.
    fn warn(&self, error: &QueryError, suffix: &str) {
        let (line, column) = place(&self.text, error.place.start);
        exit::warn(&format!("{}:{line}:{column}: {}{suffix}", self.name, error.message));
    }
}

/// Items for which the answer is unknown until apply.
#[derive(Default)]
struct Undecided {
    count: usize,
    /// The first of them, with their files.
    first: Vec<String>,
}

impl Undecided {
    /// So many are named.
    const NAMED: usize = 20;

    fn add(&mut self, file: Option<&str>, keys: Vec<String>) {
        self.count += keys.len();
        let left = Self::NAMED - self.first.len();
        let name = |key: String| file.map(|file| format!("{file}: {key}")).unwrap_or(key);
        self.first.extend(keys.into_iter().take(left).map(name));
    }

    fn tell(&self) {
        if self.count == 0 {
            return;
        }
        let more = match self.count - self.first.len() {
            0 => String::new(),
            more => format!(" and {more} more (--undecided writes all)"),
        };
        exit::warn(&format!(
            "whether the expression holds is unknown until apply: {}{more}",
            self.first.join(", ")
        ));
    }
}

pub(crate) fn run(args: &Args) -> io::Result<ExitCode> {
    let of = args.of.of();
    let (paths, expression) = match arguments(args) {
        Ok(arguments) => arguments,
        Err(message) => return exit::unusable(&message),
    };
    if args.form() == Form::Keys && args.select.is_some() {
        return exit::unusable(&"--output keys writes keys, and --select something else: use one of them");
    }
    let filter = Written::new("(expression)", &expression);
    let other = match (&args.select, &args.group_by) {
        (Some(text), _) => Some(Written::new("--select", text)),
        (None, Some(text)) => Some(Written::new("--group-by", text)),
        (None, None) => None,
    };
    let query = match Query::parse(of, &filter.text) {
        Ok(query) => query,
        Err(error) => return filter.complain(&error).map(|()| ExitCode::from(exit::UNUSABLE)),
    };
    let projection = match other.as_ref().map(|other| (other, Projection::parse(of, &other.text))) {
        None => None,
        Some((_, Ok(projection))) => Some(projection),
        Some((other, Err(error))) => return other.complain(&error).map(|()| ExitCode::from(exit::UNUSABLE)),
    };
    let wanted = if of == Of::State { Wanted::PLANS_AND_STATES } else { Wanted::PLANS };
    let inputs = match Inputs::find(&paths, wanted) {
        Ok(inputs) => inputs,
        Err(message) => return exit::unusable(&message),
    };
    let questions = Questions { of, query: &query, projection: projection.as_ref(), args };
    let mut printer = Printer::new(args, projection.as_ref());
    let (mut found, mut undecided) = (0, Undecided::default());
    let mut comparisons = Comparisons::default();
    let mut verdict = Verdict::default();
    let result = documents::for_each(
        &inputs,
        wanted,
        args.errored,
        |document| questions.answer(document),
        |name, answer| {
            found += answer.found;
            undecided.add(name, answer.undecided);
            comparisons.add(&answer.comparisons);
            if verdict.note(answer.tallies) {
                // Whatever follows would take too much as well.
                return Err(io::Error::other("the expression takes too much"));
            }
            printer.print(name, answer.items)
        },
    );
    let mut unusable = verdict.tell(&filter, other.as_ref())?;
    if verdict.is_limit() {
        return Ok(ExitCode::from(exit::UNUSABLE));
    }
    let summary = result?;
    for error in query.impossible(&comparisons) {
        // Where something is found another part of the expression may be what matters.
        match found {
            0 => {
                filter.complain(&error)?;
                unusable = true;
            }
            _ => filter.warn(&error, ""),
        }
    }
    printer.finish(found)?;
    undecided.tell();
    Ok(match found {
        _ if unusable || summary.failed > 0 => ExitCode::from(exit::UNUSABLE),
        0 if undecided.count > 0 => ExitCode::from(UNDECIDED),
        0 => ExitCode::from(exit::FAILED),
        _ => ExitCode::SUCCESS,
    })
}

/// The plans and the expression.
fn arguments(args: &Args) -> Result<(Vec<PathBuf>, String), String> {
    let mut paths = args.arguments.clone();
    let expression = match &args.expression {
        Some(expression) => expression.clone(),
        None => {
            let last = paths.pop().ok_or("the expression is missing: it is the last argument")?;
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
