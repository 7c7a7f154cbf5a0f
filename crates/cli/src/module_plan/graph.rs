//! `objchange graph DIR`: the references in a module, and what is unknown.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use objchange_module::DiagnosticPrinter;
use objchange_module::document::GraphReport;
use objchange_module::plan::plan_with_graph;

use super::{DirectoryArgs, PlanInputs, output, plan_directory_with};
use crate::exit::{CommandError, FAILED};
use crate::options::MaxInput;
use crate::schemas::SchemaArgs;

const AFTER_HELP: &str = "\
The graph has all variables, local values, resources, modules, outputs, checks and providers of the module in DIR and \
of the modules that it calls, without instance keys. An arrow points from an object to what it refers to. Dashed \
nodes are unknown while planning, and say why. As for `objchange plan DIR`, no provider is started. The state of the \
directory is not read: without --state, attributes of existing objects are unknown, too.

Exit codes:
  0  the graph is printed
  1  the module has errors; the graph does not say what is unknown
  2  the input cannot be used, or the output cannot be written

Examples:
  objchange graph --schemas schemas.json | dot -Tsvg > graph.svg
  objchange graph environments/prod --schemas schemas.json --format mermaid
  objchange graph --schemas schemas.json --format json | jq '.nodes[] | select(.unknown)'
  objchange graph --schemas schemas.json --only-unknown";

/// Print the references in a module as a graph, with what is unknown and why
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The directory of the root module
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Output format
    #[arg(long, value_enum, default_value = "dot", value_name = "FORM")]
    format: Format,

    /// Print JSON (schema/graph.schema.json): the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Print only what is unknown
    #[arg(long)]
    only_unknown: bool,

    #[command(flatten)]
    schemas: SchemaArgs,

    #[command(flatten)]
    module: DirectoryArgs,

    #[command(flatten)]
    max_input: MaxInput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For Graphviz
    Dot,
    /// schema/graph.schema.json
    Json,
    /// For Mermaid
    Mermaid,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    // Not strict, so that unknown values and their reasons agree with the text of the plan.
    let inputs = args.module.inputs(&args.schemas).without_state_of_directory();
    let inputs = PlanInputs { max_input: args.max_input.size, ..inputs };
    let planned =
        plan_directory_with(&args.directory, &inputs, |input, providers| plan_with_graph(input, providers))?;
    let Some((planned, graph)) = planned else { return Ok(ExitCode::from(FAILED)) };
    output::diagnostics(&planned.config, &planned.schemas, &planned.plan.diagnostics)?;
    output::say_how_to_fill(&planned);
    let shown = DiagnosticPrinter::new(&planned.config, &planned.schemas);
    let report = GraphReport::new(&graph, &shown, args.only_unknown);
    let text = match args.format {
        Format::Json => report.json(),
        // `--json` conflicts with `--format`, which is at its default then.
        _ if args.json => report.json(),
        Format::Dot => report.dot(),
        Format::Mermaid => report.mermaid(),
    };
    let mut out = crate::terminal::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(if planned.plan.diagnostics.has_errors() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}
