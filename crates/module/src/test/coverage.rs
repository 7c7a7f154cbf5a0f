//! Measures which parts of a module its tests reach: resources, conditions, branches of conditional expressions.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use objchange::Value;
use objchange::value::Kind;
use objchange_hcl::{Condition, Coverage, FileSpan, ModuleConfig, Places, Span};
use objchange_text::visible;

use super::TestSuite;
use super::load::is_test_file;
use crate::config::clean;
use crate::plan::evaluated::World;
use crate::plan::graph::resource_text;

/// The parts of the module under test, and of the modules that it calls, with the number of runs that reached them.
///
/// A resource is reached where a run has an instance of it, a condition where a run finds out whether it holds, and a branch
/// of a conditional expression where its condition is known to choose it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct TestCoverage {
    /// The parts of each file, in the order of the source.
    pub files: BTreeMap<String, Vec<CoveredPart>>,
}

/// A part of a file that runs can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoveredPart {
    /// The kind of part.
    pub kind: CoveredKind,
    /// Its name, such as `aws_instance.web`.
    pub name: String,
    /// Its first line, from 1.
    pub line: u32,
    /// The column where it starts, from 1.
    pub column: u32,
    /// How often it was reached.
    pub hits: u64,
}

/// The kinds of parts that runs can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CoveredKind {
    /// A `resource`, `data` or `ephemeral` block.
    Resource,
    /// A `validation`, `precondition`, `postcondition` or `assert` block.
    Condition,
    /// A branch of a conditional expression.
    Branch,
}

impl CoveredKind {
    const ALL: [Self; 3] = [Self::Resource, Self::Condition, Self::Branch];

    /// The word for several of them.
    fn plural(self) -> &'static str {
        match self {
            Self::Resource => "resources",
            Self::Condition => "conditions",
            Self::Branch => "branches",
        }
    }
}

/// By file, start and kind: repeated reads of a part count once.
type Parts = BTreeMap<(String, u32, CoveredKind), CoveredPart>;

impl TestCoverage {
    /// Collects coverage from what [`Functions::recording`](objchange_hcl::Functions::recording) counted during the
    /// runs of the suite.
    pub fn new(suite: &TestSuite, coverage: &Coverage) -> Self {
        let places = suite.config().sources.places();
        let directories: Vec<String> =
            suite.config().modules.iter().map(|module| clean(&module.directory)).collect();
        let is_of_module = |place: &FileSpan<'_>| {
            let directory = place.name.rsplit_once('/').map_or(".", |(directory, _)| directory);
            !is_test_file(place.name) && directories.contains(&clean(directory))
        };
        let mut found =
            PartCollector { places: &places, coverage, parts: Parts::new(), seen: HashSet::new() };
        // Runs may load a module again under other spans, so hits count by file.
        for config in suite.configs() {
            config.modules.iter().for_each(|module| found.add_module(&module.config, &is_of_module));
        }
        for branches in coverage.branches() {
            let names = ["true", "false"];
            for ((span, hits), name) in branches.spans.into_iter().zip(branches.hits).zip(names) {
                let name = format!("conditional expression, where its condition is {name}");
                found.add(CoveredKind::Branch, name, span, hits, &is_of_module);
            }
        }
        let mut files: BTreeMap<String, Vec<CoveredPart>> = BTreeMap::new();
        for ((file, ..), part) in found.parts {
            files.entry(file).or_default().push(part);
        }
        Self { files }
    }

    /// The numbers in a line, and a line for each part that no run reached.
    pub fn text(&self) -> String {
        let parts = || self.files.iter().flat_map(|(file, parts)| parts.iter().map(move |part| (file, part)));
        let mut counts = Vec::new();
        for kind in CoveredKind::ALL {
            let all = parts().filter(|(_, part)| part.kind == kind).count();
            let reached = parts().filter(|(_, part)| part.kind == kind && part.hits > 0).count();
            if all > 0 {
                counts.push(format!("{reached} of {all} {}", kind.plural()));
            }
        }
        if counts.is_empty() {
            return "Coverage: there is nothing to reach.\n".to_owned();
        }
        let mut text = format!("Coverage: {}.\n", counts.join(", "));
        let missed: Vec<_> = parts().filter(|(_, part)| part.hits == 0).collect();
        if !missed.is_empty() {
            text += "Not reached:\n";
        }
        for (file, CoveredPart { name, line, column, .. }) in missed {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}:{line}:{column}: {}", visible(file), visible(name));
        }
        text
    }

    /// Formats an LCOV tracefile for files below this directory. Resources appear as functions, conditions as lines and
    /// branches as branches.
    pub fn lcov(&self, directory: &str) -> String {
        let mut text = "TN:\n".to_owned();
        for (file, parts) in &self.files {
            // Writing to a string does not fail.
            let _ = writeln!(text, "SF:{}", visible(&clean(&format!("{directory}/{file}"))));
            let of_kind = |kind| parts.iter().filter(move |part| part.kind == kind);
            let reached = |kind| of_kind(kind).filter(|part| part.hits > 0).count();
            for part in of_kind(CoveredKind::Resource) {
                let _ = writeln!(text, "FN:{},{}", part.line, visible(&part.name));
            }
            for part in of_kind(CoveredKind::Resource) {
                let _ = writeln!(text, "FNDA:{},{}", part.hits, visible(&part.name));
            }
            let resources = of_kind(CoveredKind::Resource).count();
            let _ = writeln!(text, "FNF:{resources}\nFNH:{}", reached(CoveredKind::Resource));
            for (i, part) in of_kind(CoveredKind::Branch).enumerate() {
                let _ = writeln!(text, "BRDA:{},{i},0,{}", part.line, part.hits);
            }
            let branches = of_kind(CoveredKind::Branch).count();
            let _ = writeln!(text, "BRF:{branches}\nBRH:{}", reached(CoveredKind::Branch));
            let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
            for part in parts {
                let hits = lines.entry(part.line).or_default();
                *hits = (*hits).max(part.hits);
            }
            for (line, hits) in &lines {
                let _ = writeln!(text, "DA:{line},{hits}");
            }
            let hit = lines.values().filter(|hits| **hits > 0).count();
            let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
        }
        text
    }
}

struct PartCollector<'f> {
    places: &'f Places<'f>,
    coverage: &'f Coverage,
    parts: Parts,
    /// Several calls of a directory share its parts.
    seen: HashSet<(Span, CoveredKind)>,
}

impl PartCollector<'_> {
    fn add_module(&mut self, config: &ModuleConfig, is_wanted: &dyn Fn(&FileSpan<'_>) -> bool) {
        for (name, variable) in &config.variables {
            let what = format!("validation of var.{name}");
            self.add_conditions(&what, &variable.validations, is_wanted);
        }
        for (name, output) in &config.outputs {
            self.add_conditions(&format!("precondition of output.{name}"), &output.preconditions, is_wanted);
        }
        for (name, check) in &config.checks {
            self.add_conditions(&format!("assertion of check.{name}"), &check.asserts, is_wanted);
        }
        for (name, resource) in &config.resources {
            let name = resource_text(name);
            let hits = self.coverage.hits(resource.header);
            self.add(CoveredKind::Resource, name.clone(), resource.header, hits, is_wanted);
            let lifecycle = &resource.lifecycle;
            self.add_conditions(&format!("precondition of {name}"), &lifecycle.preconditions, is_wanted);
            self.add_conditions(&format!("postcondition of {name}"), &lifecycle.postconditions, is_wanted);
        }
    }

    fn add_conditions(
        &mut self,
        what: &str,
        conditions: &[Condition],
        is_wanted: &dyn Fn(&FileSpan<'_>) -> bool,
    ) {
        for condition in conditions {
            let hits = self.coverage.hits(condition.condition.span);
            self.add(CoveredKind::Condition, what.to_owned(), condition.header, hits, is_wanted);
        }
    }

    fn add(
        &mut self,
        kind: CoveredKind,
        name: String,
        span: Span,
        hits: u64,
        is_wanted: &dyn Fn(&FileSpan<'_>) -> bool,
    ) {
        if !self.seen.insert((span, kind)) {
            return;
        }
        let Some(place) = self.places.find(span).filter(is_wanted) else { return };
        let position = place.lines.position(place.span.start);
        let part = CoveredPart { kind, name, line: position.line, column: position.column, hits: 0 };
        let key = (place.name.to_owned(), place.span.start, kind);
        self.parts.entry(key).or_insert(part).hits += hits;
    }
}

/// Notes the resources that a run has instances of.
pub(super) fn note_resources(world: &World<'_>, coverage: &Coverage) {
    for instance in &world.instances {
        let declared = &world.config.modules[instance.module].config.resources;
        for (name, value) in &instance.resources {
            let Some(resource) = declared.get(name) else { continue };
            let is_repeated = resource.count.is_some() || resource.for_each.is_some();
            if !is_repeated || has_elements(value) {
                coverage.hit(resource.header);
            }
        }
    }
}

fn has_elements(value: &Value) -> bool {
    match value.kind() {
        Kind::Tuple(elements) | Kind::List(elements) => !elements.is_empty(),
        Kind::Object(object) => object.iter().next().is_some(),
        Kind::Map(map) => map.iter().next().is_some(),
        _ => false,
    }
}
