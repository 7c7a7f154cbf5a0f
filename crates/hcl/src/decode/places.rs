//! The source position of each part of a config object.

use objchange::value::{Kind, Path, PathStep};
use objchange_text::Span;
use smol_str::SmolStr;

use super::find;
use crate::syntax::ast::{Body, Expr, ExprKind};

/// Where a block and all that is in it stand.
#[derive(Debug, Clone)]
pub(super) struct BodyPlace<'b> {
    pub(super) body: &'b Body,
    /// Type and labels; of a file, its start.
    pub(super) header: Span,
    /// The blocks of each type that has some, in source order: the order of a list.
    pub(super) blocks: Vec<(SmolStr, Vec<BlockPlace<'b>>)>,
}

#[derive(Debug, Clone)]
pub(super) struct BlockPlace<'b> {
    pub(super) label: Option<SmolStr>,
    pub(super) place: BodyPlace<'b>,
}

impl<'b> BodyPlace<'b> {
    pub(super) fn new(body: &'b Body, header: Span) -> Self {
        Self { body, header, blocks: Vec::new() }
    }

    pub(super) fn add(&mut self, name: &SmolStr, blocks: Vec<BlockPlace<'b>>) {
        if !blocks.is_empty() {
            self.blocks.push((name.clone(), blocks));
        }
    }

    /// Where the part at this path comes from: as near to it as the source goes.
    pub(super) fn find(&self, path: &Path) -> Span {
        let mut place = self;
        let mut steps = path.steps();
        while let [PathStep::Attribute(name), rest @ ..] = steps {
            if let Some(attribute) = find(&place.body.attributes, name) {
                return if rest.is_empty() {
                    attribute.name_span.to(attribute.expr.span)
                } else {
                    inside(&attribute.expr, rest)
                };
            }
            let Some((_, blocks)) = place.blocks.iter().find(|(other, _)| other == name) else { break };
            let (found, rest) = match rest {
                [PathStep::Index(key), rest @ ..] => {
                    let position = match key.kind() {
                        Kind::Number(n) => n.as_u64().and_then(|n| usize::try_from(n).ok()),
                        Kind::String(key) => {
                            blocks.iter().position(|block| block.label.as_deref() == Some(key))
                        }
                        // Nothing tells which block an element of a set was, but the only one.
                        _ => None,
                    };
                    (position.and_then(|i| blocks.get(i)).or_else(|| only(blocks)), rest)
                }
                rest => (blocks.first(), rest),
            };
            let Some(found) = found else {
                return blocks.first().map_or(place.header, |block| block.place.header);
            };
            (place, steps) = (&found.place, rest);
        }
        place.header
    }
}

fn only<'p, 'b>(blocks: &'p [BlockPlace<'b>]) -> Option<&'p BlockPlace<'b>> {
    if let [only] = blocks { Some(only) } else { None }
}

/// Where a part of an argument is written, as far as it is written out.
fn inside(expr: &Expr, steps: &[PathStep]) -> Span {
    let mut expr = expr;
    for step in steps {
        let part = match (&expr.kind, step) {
            (ExprKind::Tuple(items), PathStep::Index(key)) => {
                key.as_number().and_then(|n| items.get(usize::try_from(n.as_u64()?).ok()?))
            }
            (
                ExprKind::Object(items) | ExprKind::Properties(items),
                PathStep::Attribute(_) | PathStep::Index(_),
            ) => {
                let name = match step {
                    PathStep::Attribute(name) => Some(name.as_str()),
                    PathStep::Index(key) => key.as_str(),
                };
                let is_named = |key: &Expr| match &key.kind {
                    ExprKind::Variable(variable) => {
                        variable.steps.is_empty() && Some(&*variable.name) == name
                    }
                    ExprKind::Text(text) => text.as_str() == name,
                    _ => false,
                };
                // The last of several items with one key wins.
                items.iter().rev().find(|item| is_named(&item.key)).map(|item| &item.value)
            }
            _ => None,
        };
        match part {
            Some(part) => expr = part,
            None => break,
        }
    }
    expr.span
}
