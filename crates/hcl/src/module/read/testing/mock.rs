//! Mocks and overrides.

use std::collections::BTreeMap;

use objchange::address::Mode;
use objchange_text::Span;
use smol_str::SmolStr;

use super::super::super::declarations::MoveTarget;
use super::super::super::testing::{MockData, MockObject, MockProvider, Override};
use super::super::references::{NO_REFERENCE, is_reference};
use super::super::{Reader, address};
use super::shapes;
use crate::decode::raw::RawBlock;
use crate::edition::Edition;
use crate::syntax::ast::{Attribute, Expr, ExprKind};
use crate::syntax::is_name;

impl Reader<'_> {
    pub(super) fn mock_provider(&mut self, block: RawBlock<'_>) -> Option<MockProvider> {
        let RawBlock { labels, header, body, .. } = block;
        let content = body.read(&shapes::MOCK_PROVIDER, &mut self.problems);
        let label = labels.first()?;
        if !self.check_provider_name(&label.text, label.span) {
            return None;
        }
        let alias = content.attribute("alias").map(|_| self.string(&content, "alias"));
        let alias = alias.map(|alias| alias.map(|(alias, _)| SmolStr::from(alias)).unwrap_or_default());
        if alias.as_ref().is_some_and(|alias| !is_name(alias)) {
            self.refuse_alias();
        }
        let source = self.string(&content, "source");
        let during = self.override_during(content.attribute("override_during"));
        let data = self.mock_data(content.blocks);
        Some(MockProvider {
            header,
            name: label.text.clone(),
            name_span: label.span,
            alias,
            source,
            during,
            data,
        })
    }

    /// Reads the mocks and overrides of a provider. Each type and target may appear once.
    pub(super) fn mock_data(&mut self, blocks: Vec<RawBlock<'_>>) -> MockData {
        let mut data = MockData::default();
        let mut first: BTreeMap<(Mode, SmolStr), Span> = BTreeMap::new();
        let mut overrides = Vec::new();
        for block in blocks {
            if !block.kind.starts_with("mock_") {
                overrides.push(block);
                continue;
            }
            let kind = block.kind.clone();
            let Some(object) = self.mock_object(block) else { continue };
            let key = (object.mode, object.type_name.clone());
            match first.get(&key) {
                Some(first) => {
                    let detail = format!(
                        "A {kind} block for {} has already been defined at {}.",
                        object.type_name,
                        self.place(*first)
                    );
                    let summary = format!("Duplicate {kind} block");
                    self.problems.error(("duplicate_mock_block", summary), object.header, detail);
                }
                None => {
                    first.insert(key, object.header);
                    data.objects.push(object);
                }
            }
        }
        data.overrides = self.overrides(overrides);
        data
    }

    fn mock_object(&mut self, block: RawBlock<'_>) -> Option<MockObject> {
        let RawBlock { kind, labels, header, body, .. } = block;
        let content = body.read(&shapes::MOCK_OBJECT, &mut self.problems);
        let during = self.override_during(content.attribute("override_during"));
        let defaults = content.attribute("defaults").cloned();
        self.check_without_functions(defaults.as_ref());
        let mode = match &*kind {
            "mock_data" => Mode::Data,
            "mock_ephemeral" => Mode::Ephemeral,
            _ => Mode::Managed,
        };
        Some(MockObject { header, mode, type_name: labels.first()?.text.clone(), defaults, during })
    }

    /// Values of mocks and overrides call no functions before Terraform 1.15.
    fn check_without_functions(&mut self, values: Option<&Attribute>) {
        if let Some(values) = values.filter(|_| self.problems.edition < Edition(15)) {
            self.constant(|evaluator| evaluator.constant(&values.expr));
        }
    }

    /// Reads the overrides of a file or block. Each target may appear once.
    pub(super) fn overrides(&mut self, blocks: Vec<RawBlock<'_>>) -> Vec<Override> {
        let mut all: Vec<Override> = Vec::new();
        let mut first: BTreeMap<String, Span> = BTreeMap::new();
        for block in blocks {
            let kind = block.kind.clone();
            let Some(found) = self.override_block(block) else { continue };
            let target = target_text(&found.target);
            match first.get(&target) {
                Some(first) => {
                    let detail = format!(
                        "An {kind} block targeting {target} has already been defined at {}.",
                        self.place(*first)
                    );
                    let summary = format!("Duplicate {kind} block");
                    self.problems.error(("duplicate_override_block", summary), found.header, detail);
                }
                None => {
                    first.insert(target, found.header);
                    all.push(found);
                }
            }
        }
        all
    }

    fn override_block(&mut self, block: RawBlock<'_>) -> Option<Override> {
        let RawBlock { kind, header, body, .. } = block;
        let (shape, values) = match &*kind {
            "override_module" => (&shapes::OVERRIDE_MODULE, "outputs"),
            _ => (&shapes::OVERRIDE, "values"),
        };
        let content = body.read(shape, &mut self.problems);
        let during = self.override_during(content.attribute("override_during"));
        let Some(target) = content.attribute("target") else {
            let detail = format!("{kind} blocks must specify a target address.");
            self.problems.error("Missing target attribute", header, detail);
            return None;
        };
        let target_span = target.name_span.to(target.expr.span);
        let target = self.override_target(&kind, target)?;
        let values = content.attribute(values).cloned();
        self.check_without_functions(values.as_ref());
        Some(Override { header, target, target_span, values, during })
    }

    fn override_target(&mut self, kind: &str, target: &Attribute) -> Option<MoveTarget> {
        let expr = self.unquoted_target(&target.expr)?;
        let found = match address::target(&expr) {
            Ok(found) => found,
            Err(error) => {
                self.problems.errors.push(*error);
                return None;
            }
        };
        let is_right = match (kind, &found) {
            ("override_module", MoveTarget::Module(_)) => true,
            ("override_data", MoveTarget::Resource(address)) => address.resource.mode == Mode::Data,
            ("override_resource", MoveTarget::Resource(address)) => address.resource.mode == Mode::Managed,
            ("override_ephemeral", MoveTarget::Resource(address)) => address.resource.mode == Mode::Ephemeral,
            _ => false,
        };
        if !is_right {
            let what = match kind {
                "override_module" => "modules",
                "override_data" => "data sources",
                "override_ephemeral" => "ephemeral resources",
                _ => "resources",
            };
            let detail =
                format!("You can only target {what} from {kind} blocks, not {}.", target_text(&found));
            let place = target.name_span.to(target.expr.span);
            self.problems.error("Invalid override target", place, detail);
        }
        is_right.then_some(found)
    }

    fn unquoted_target(&mut self, expr: &Expr) -> Option<Expr> {
        if is_reference(expr) {
            return Some(expr.clone());
        }
        if !matches!(expr.kind, ExprKind::Missing) {
            self.problems.error("Invalid expression", expr.span, NO_REFERENCE);
        }
        None
    }
}

/// A target as Terraform writes it.
pub(crate) fn target_text(target: &MoveTarget) -> String {
    match target {
        MoveTarget::Module(module) => module.to_string(),
        MoveTarget::Resource(address) => address.to_string(),
    }
}
