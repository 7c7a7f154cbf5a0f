//! `objchange graph DIR`: what refers to what in a module, and what of it is unknown.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use objchange_module::Shown;
use objchange_module::plan::{ReferenceGraph, plan_with_graph};
use objchange_text::{visible, visible_json};
use serde::Serialize;

use super::{ModuleArgs, output, plan_directory_by};
use crate::exit::{CommandError, FAILED, unusable};

const AFTER_HELP: &str = "\
The graph has all variables, local values, resources, modules, outputs, checks and providers of the module in DIR and of \
the modules that it calls, without instance keys. An arrow leads from an object to what it refers to. What is unknown \
while planning is dashed, and says why; no provider is asked, as for `objchange plan DIR`.

Exit codes:
  0  the graph is printed
  1  the module has errors; what is unknown is missing in the graph
  2  the input cannot be used, or the output cannot be written

Examples:
  objchange graph --schemas schemas.json | dot -Tsvg > graph.svg
  objchange graph environments/prod --schemas schemas.json --format mermaid
  objchange graph --schemas schemas.json --format json | jq '.nodes[] | select(.unknown)'
  objchange graph --schemas schemas.json --only-unknown";

/// Print the graph of references of a module
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The directory of the root module
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Output format
    #[arg(long, value_enum, default_value = "dot", value_name = "FORM")]
    format: Format,

    /// Print only what is unknown
    #[arg(long)]
    only_unknown: bool,

    #[command(flatten)]
    module: ModuleArgs,
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

/// A node as JSON.
#[derive(Serialize)]
struct Node<'g> {
    address: &'g str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    needs: Vec<&'g str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<&'g str>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let planned = plan_directory_by(&args.directory, &args.module.inputs(), |input, providers| {
        plan_with_graph(input, providers)
    })?;
    let Some((planned, graph)) = planned else { return Ok(ExitCode::from(FAILED)) };
    output::diagnostics(&planned.config, &planned.schemas, &planned.plan.diagnostics)?;
    let shown = Shown::new(&planned.config, &planned.schemas);
    let nodes = nodes(&graph, &shown, args.only_unknown);
    let text: String = match args.format {
        Format::Dot => dot(&nodes),
        Format::Json => {
            let json = serde_json::to_string_pretty(&serde_json::json!({ "nodes": nodes }));
            // The line breaks are outside of its strings.
            json.map_err(unusable)?.lines().map(|line| visible_json(line) + "\n").collect()
        }
        Format::Mermaid => mermaid(&nodes),
    };
    let mut out = crate::terminal::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(if planned.plan.errored { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

fn nodes<'g>(graph: &'g ReferenceGraph, shown: &Shown<'_>, only_unknown: bool) -> Vec<Node<'g>> {
    let is_shown = |position: usize| !only_unknown || graph.nodes[position].unknown.is_some();
    let shown_nodes = graph.nodes.iter().enumerate().filter(|(position, _)| is_shown(*position));
    shown_nodes
        .map(|(_, node)| {
            let place = node.span.and_then(|span| shown.line(span));
            let needs = node.needs.iter().filter(|need| is_shown(**need));
            Node {
                address: &node.address,
                kind: node.kind.name(),
                line: place.as_ref().map(|place| place.line),
                file: place.map(|place| place.file),
                needs: needs.map(|need| graph.nodes[*need].address.as_str()).collect(),
                unknown: node.unknown.as_deref(),
            }
        })
        .collect()
}

fn dot(nodes: &[Node<'_>]) -> String {
    let quoted = |text: &str| format!("\"{}\"", visible(text).replace('\\', "\\\\").replace('"', "\\\""));
    let mut text = "digraph {\n  rankdir = \"RL\"\n  node [shape = rect]\n".to_owned();
    for node in nodes {
        let attributes = match node.unknown {
            Some(why) => format!(" [style = dashed, tooltip = {}]", quoted(why)),
            None => String::new(),
        };
        text.push_str(&format!("  {}{attributes}\n", quoted(node.address)));
    }
    for node in nodes {
        for need in &node.needs {
            text.push_str(&format!("  {} -> {}\n", quoted(node.address), quoted(need)));
        }
    }
    text + "}\n"
}

fn mermaid(nodes: &[Node<'_>]) -> String {
    let quoted = |text: &str| visible(text).replace('"', "#quot;").replace(['<', '>'], "");
    let positions: HashMap<&str, usize> =
        nodes.iter().enumerate().map(|(position, node)| (node.address, position)).collect();
    let mut text = "graph RL\n".to_owned();
    for (position, node) in nodes.iter().enumerate() {
        let why = node.unknown.map(|why| format!("<br>{}", quoted(why))).unwrap_or_default();
        let class = if node.unknown.is_some() { ":::unknown" } else { "" };
        text.push_str(&format!("  n{position}[\"{}{why}\"]{class}\n", quoted(node.address)));
    }
    for (position, node) in nodes.iter().enumerate() {
        for need in node.needs.iter().filter_map(|need| positions.get(need)) {
            text.push_str(&format!("  n{position} --> n{need}\n"));
        }
    }
    text + "  classDef unknown stroke-dasharray: 4 4\n"
}
