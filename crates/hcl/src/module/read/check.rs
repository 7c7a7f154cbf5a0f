//! `output` and `check` blocks.

use super::super::declarations::{CheckConfig, OutputConfig, ResourceName};
use super::Reader;
use super::collect::Declared;
use crate::walk::variables;

impl Reader<'_> {
    pub(super) fn output(&mut self, declared: Declared<'_>) -> Option<OutputConfig> {
        let content = &declared.content;
        let value = content.attribute("value").map(|value| value.expr.clone());
        let ty = content.attribute("type").and_then(|ty| {
            let constraint = self.constant(|evaluator| evaluator.type_constraint(&ty.expr))?;
            Some((constraint, ty.name_span))
        });
        let description = self.string(content, "description").map(|(text, _)| text);
        let sensitive = self.bool(content, "sensitive").unwrap_or(false);
        let ephemeral = self.bool(content, "ephemeral").unwrap_or(false);
        let deprecated = self.string(content, "deprecated");
        let depends_on = content.attribute("depends_on");
        let depends_on = depends_on.map(|list| self.reference_list(&list.expr)).unwrap_or_default();
        let mut preconditions = Vec::new();
        for block in declared.content.blocks {
            if block.kind == "postcondition" {
                let detail = "Output values can only have preconditions, not postconditions.";
                self.problems.error("Postconditions are not allowed", block.header, detail);
            } else {
                preconditions.extend(self.condition(block, None));
            }
        }
        let header = declared.header;
        let value = value?;
        Some(OutputConfig {
            header,
            value,
            ty,
            description,
            sensitive,
            ephemeral,
            deprecated,
            depends_on,
            preconditions,
        })
    }

    pub(super) fn check(&mut self, declared: Declared<'_>, data: Option<ResourceName>) -> CheckConfig {
        let Declared { header, content, .. } = declared;
        let blocks = content.blocks.into_iter();
        let mut asserts: Vec<_> = blocks.filter_map(|block| self.condition(block, None)).collect();
        // One that refers to nothing was refused, and counts as none.
        asserts.retain(|assert| !variables(&assert.condition).is_empty());
        if asserts.is_empty() {
            let detail = "Check blocks must have at least one assert block.";
            self.problems.error("Zero assert blocks", header, detail);
        }
        CheckConfig { header, data, asserts }
    }
}
