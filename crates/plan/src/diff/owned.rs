//! Diffs that outlive the text they were borrowed from.

use super::{Block, BlockType, Diff, Entry, Kind, Line, NestedBlock, Parts, Primitive, Scalar};
use objchange_document::Text;

fn diffs<'t>(diffs: Parts<'t, Diff<'t>>) -> Parts<'static, Diff<'static>> {
    diffs.into_vec().into_iter().map(Diff::into_owned).collect()
}

fn entries<'t>(entries: Parts<'t, Entry<'t>>) -> Parts<'static, Entry<'static>> {
    let owned = |entry: Entry<'_>| Entry { key: entry.key.into_owned(), diff: entry.diff.into_owned() };
    entries.into_vec().into_iter().map(owned).collect()
}

fn boxed(diff: Diff<'_>) -> Box<Diff<'static>> {
    Box::new(diff.into_owned())
}

impl Diff<'_> {
    /// Copies the texts of the diff.
    pub fn into_owned(self) -> Diff<'static> {
        Diff { kind: self.kind.into_owned(), ..self }
    }
}

impl Kind<'_> {
    fn into_owned(self) -> Kind<'static> {
        match self {
            Kind::Primitive(Primitive { before, after, null_string, white_space }) => {
                Kind::Primitive(Primitive {
                    before: before.into_owned(),
                    after: after.into_owned(),
                    null_string,
                    white_space,
                })
            }
            Kind::Text { lines, white_space } => Kind::Text {
                white_space,
                lines: lines
                    .into_iter()
                    .map(|line| Line { action: line.action, text: line.text.map(Text::into_owned) })
                    .collect(),
            },
            Kind::Json { value, notation } => Kind::Json { value: boxed(*value), notation },
            Kind::Yaml { value } => Kind::Yaml { value: boxed(*value) },
            Kind::Object { attributes, nested } => Kind::Object { attributes: entries(attributes), nested },
            Kind::Map { elements, nested } => Kind::Map { elements: entries(elements), nested },
            Kind::List { elements, context } => Kind::List { elements: diffs(elements), context },
            Kind::Set { elements, nested } => Kind::Set { elements: diffs(elements), nested },
            Kind::Block(block) => Kind::Block(block.into_owned()),
            Kind::Unknown { before } => Kind::Unknown { before: before.map(|b| boxed(*b)) },
            Kind::Sensitive(sensitivity) => Kind::Sensitive(sensitivity),
            Kind::Shown { marks, value } => Kind::Shown { marks, value: boxed(*value) },
            Kind::SensitiveBlock(sensitivity) => Kind::SensitiveBlock(sensitivity),
            Kind::TypeChange { before, after } => {
                Kind::TypeChange { before: boxed(*before), after: boxed(*after) }
            }
            Kind::WriteOnly { sensitive } => Kind::WriteOnly { sensitive },
        }
    }
}

impl Scalar<'_> {
    fn into_owned(self) -> Scalar<'static> {
        match self {
            Scalar::Null => Scalar::Null,
            Scalar::Bool(b) => Scalar::Bool(b),
            Scalar::Number(text) => Scalar::Number(text.into_owned()),
            Scalar::String(text) => Scalar::String(text.into_owned()),
        }
    }
}

impl Block<'_> {
    fn into_owned(self) -> Block<'static> {
        let block_type = |ty: BlockType<'_>| BlockType {
            name: ty.name.into_owned(),
            unknown: ty.unknown.map(Diff::into_owned),
            blocks: ty
                .blocks
                .into_vec()
                .into_iter()
                .map(|b| NestedBlock { label: b.label.map(Text::into_owned), diff: b.diff.into_owned() })
                .collect(),
        };
        Block {
            attributes: entries(self.attributes),
            blocks: self.blocks.into_iter().map(block_type).collect(),
            has_repeated_types: self.has_repeated_types,
        }
    }
}
