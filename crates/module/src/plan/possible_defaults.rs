//! Nulls in the configuration that may be something else with the real providers.
//!
//! Providers of the older SDK fill in defaults that no schema shows. A simulated one plans null there, and so do whatever
//! refers to it: such a null is no error.

use objchange::change::Diagnostic;
use objchange::value::{Path, PathStep};
use objchange_hcl::Expr;

use super::graph::{NodeKind, ResourceNode};
use super::managed::Instance;
use super::references::{in_body, subjects};
use super::walk::Walk;
use crate::providers::legacy;

impl Walk<'_, '_> {
    /// The refusals of a configuration that its real provider would give, too.
    pub(crate) fn certain_refusals(
        &self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'_>,
        mut refusals: Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        if refusals.is_empty() {
            return refusals;
        }
        let has_defaults = |index: &usize| match &self.graph.nodes[*index].kind {
            NodeKind::Resource(resource) => {
                resource.schema.is_some_and(|schema| legacy::is_legacy(&schema.block))
                    && self.providers.is_simulated(&resource.provider_config)
            }
            _ => false,
        };
        let with_defaults: Vec<usize> = (0..self.graph.nodes.len()).filter(has_defaults).collect();
        let follows = self.graph.dependents_by_value(with_defaults.iter().copied());
        let may_be_filled = |node: usize| follows[node] || with_defaults.binary_search(&node).is_ok();
        refusals.retain(|refusal| {
            let path = refusal.path.clone().unwrap_or(Path::root());
            let is_invented =
                self.configured_inventions.iter().any(|invented| path.steps().starts_with(invented.steps()));
            let expressions = expressions_for(resource, &path);
            let named = subjects(&expressions);
            let mut nodes =
                named.iter().flat_map(|subject| self.targets(subject, instance.at)).map(|target| target.node);
            !is_invented && !nodes.any(may_be_filled)
        });
        refusals
    }
}

/// The expressions that a part of a configuration may be made of.
fn expressions_for<'r>(resource: &'r ResourceNode<'_>, path: &Path) -> Vec<&'r Expr> {
    let config = resource.config;
    let mut found: Vec<&Expr> = config.count.iter().chain(&config.for_each).collect();
    let Some(PathStep::Attribute(first)) = path.steps().first() else { return found };
    let attributes = resource.body.attributes.iter().filter(|attribute| attribute.name == *first);
    found.extend(attributes.map(|attribute| &attribute.expr));
    for block in &resource.body.blocks {
        let is_label = |label: &objchange_hcl::Label| &*label.text == first.as_str();
        if block.kind == *first || &*block.kind == "dynamic" && block.labels.first().is_some_and(is_label) {
            in_body(&block.body, &mut found);
        }
    }
    found
}
