//! The graph of references of a module, for other programs.

use std::collections::HashMap;

use objchange_text::{visible, visible_json};
use serde::Serialize;

use crate::DiagnosticPrinter;
use crate::plan::ReferenceGraph;

/// The graph of references of a module, as it is printed.
#[derive(Debug)]
pub struct GraphReport<'g> {
    nodes: Vec<Node<'g>>,
}

/// A node as JSON (`schema/graph.schema.json`).
#[derive(Debug, Serialize)]
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

impl<'g> GraphReport<'g> {
    /// The report of a graph, or of what is unknown in it.
    pub fn new(graph: &'g ReferenceGraph, shown: &DiagnosticPrinter<'_>, only_unknown: bool) -> Self {
        Self { nodes: nodes(graph, shown, only_unknown) }
    }

    /// The graph in the format of Graphviz.
    pub fn dot(&self) -> String {
        dot(&self.nodes)
    }

    /// The graph in the format of Mermaid.
    pub fn mermaid(&self) -> String {
        mermaid(&self.nodes)
    }

    /// As JSON.
    pub fn json(&self) -> String {
        let json = serde_json::to_string_pretty(
            &serde_json::json!({ "format_version": "1.0", "nodes": self.nodes }),
        );
        // Writing to a string does not fail. The line breaks are outside of its strings.
        json.unwrap_or_default().lines().map(|line| visible_json(line) + "\n").collect()
    }
}

fn nodes<'g>(graph: &'g ReferenceGraph, shown: &DiagnosticPrinter<'_>, only_unknown: bool) -> Vec<Node<'g>> {
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
