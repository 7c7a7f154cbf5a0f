//! Compares the schemas of a type in two versions.

use std::collections::BTreeSet;

use objchange::Type;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::ObjectType;
use serde_json::Value as Json;

use super::{PartChange, UpgradeKind};
use crate::walk::{Member, Shape};

/// The differences between two schemas. `texts` are these schemas as JSON, which also says which blocks are deprecated.
pub(super) fn compare(before: &Block, after: &Block, texts: &[String; 2]) -> Vec<PartChange> {
    let mut comparison = Comparison { changes: Vec::new() };
    comparison.objects(Shape::Block(before), Shape::Block(after), &mut String::new());
    let [old, new] = texts.each_ref().map(|text| deprecated_blocks(text));
    let is_known = |part: &String| part.is_empty() || crate::walk::member_at(before, part).is_some();
    for part in new.difference(&old).filter(|part| is_known(part)) {
        let part = (!part.is_empty()).then_some(part.as_str());
        comparison.changes.push(PartChange::new(part, UpgradeKind::Deprecated));
    }
    comparison.changes
}

struct Comparison {
    changes: Vec<PartChange>,
}

impl Comparison {
    fn add(&mut self, part: &str, kind: UpgradeKind) {
        self.changes.push(PartChange::new(Some(part), kind));
    }

    fn add_between(&mut self, part: &str, kind: UpgradeKind, before: String, after: String) {
        self.changes.push(PartChange::new(Some(part), kind).between(before, after));
    }

    fn objects(&mut self, before: Shape<'_>, after: Shape<'_>, part: &mut String) {
        for (name, one) in before.members() {
            let length = part.len();
            if !part.is_empty() {
                part.push('.');
            }
            part.push_str(name);
            match (one, after.member(name)) {
                (_, None) => self.add(part, UpgradeKind::Removed),
                (Member::Attribute(one), Some(Member::Attribute(other))) => self.attribute(one, other, part),
                (Member::Blocks(one), Some(Member::Blocks(other))) => self.blocks(one, other, part),
                (Member::Attribute(one), Some(Member::Blocks(other))) => {
                    self.add_between(part, UpgradeKind::Type, type_name(one), blocks_name(other.nesting));
                }
                (Member::Blocks(one), Some(Member::Attribute(other))) => {
                    self.add_between(part, UpgradeKind::Type, blocks_name(one.nesting), type_name(other));
                }
            }
            part.truncate(length);
        }
        for (name, other) in after.members() {
            let is_required = match other {
                Member::Attribute(attribute) => attribute.required,
                Member::Blocks(nested) => nested.min_items > 0,
            };
            if is_required && before.member(name).is_none() {
                let part = if part.is_empty() { name.to_owned() } else { format!("{part}.{name}") };
                self.add(&part, UpgradeKind::Required);
            }
        }
    }

    fn attribute(&mut self, one: &Attribute, other: &Attribute, part: &mut String) {
        let is_settable = |attribute: &Attribute| attribute.required || attribute.optional;
        if is_settable(one) && !is_settable(other) {
            self.add(part, UpgradeKind::ReadOnly);
        }
        if other.required && !one.required {
            self.add(part, UpgradeKind::Required);
        }
        if one.sensitive != other.sensitive {
            let word = |attribute: &Attribute| {
                if attribute.sensitive { "sensitive" } else { "not sensitive" }.to_owned()
            };
            self.add_between(part, UpgradeKind::Sensitive, word(one), word(other));
        }
        if other.deprecated && !one.deprecated {
            self.add(part, UpgradeKind::Deprecated);
        }
        match (one.nested(), other.nested()) {
            (Some(old), Some(new)) if old.nesting() == new.nesting() => {
                if one.write_only != other.write_only {
                    self.add_between(part, UpgradeKind::Type, type_name(one), type_name(other));
                }
                self.objects(Shape::Nested(old), Shape::Nested(new), part);
            }
            _ if one.write_only != other.write_only => {
                self.add_between(part, UpgradeKind::Type, type_name(one), type_name(other));
            }
            _ => self.types(one.implied_type(), other.implied_type(), is_settable(other), part),
        }
    }

    /// The parts in which two types differ: a collection of objects may have dozens.
    fn types(&mut self, one: &Type, other: &Type, is_settable: bool, part: &mut String) {
        match (one, other) {
            _ if one == other => {}
            (Type::List(one), Type::List(other))
            | (Type::Set(one), Type::Set(other))
            | (Type::Map(one), Type::Map(other)) => self.types(one, other, is_settable, part),
            (Type::Object(old), Type::Object(new)) => {
                let of = |object: &ObjectType, name: &str| {
                    object.attributes().iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone())
                };
                for (name, one) in old.attributes() {
                    let length = part.len();
                    part.push('.');
                    part.push_str(name);
                    match of(new, name) {
                        None => self.add(part, UpgradeKind::Removed),
                        Some(other) => self.types(one, &other, is_settable, part),
                    }
                    part.truncate(length);
                }
                let is_new = |name: &str| is_settable && of(old, name).is_none() && !new.is_optional(name);
                for (name, _) in new.attributes().iter().filter(|(name, _)| is_new(name)) {
                    self.add(&format!("{part}.{name}"), UpgradeKind::Required);
                }
            }
            _ => {
                let [before, after] = [one, other].map(|ty| format!("a {}", ty.friendly_name()));
                self.add_between(part, UpgradeKind::Type, before, after);
            }
        }
    }

    fn blocks(&mut self, one: &NestedBlock, other: &NestedBlock, part: &mut String) {
        if one.nesting != other.nesting {
            self.add_between(part, UpgradeKind::Type, blocks_name(one.nesting), blocks_name(other.nesting));
        }
        if other.min_items > one.min_items {
            match one.min_items {
                0 if other.min_items == 1 => self.add(part, UpgradeKind::Required),
                _ => {
                    let (before, after) = (one.min_items.to_string(), other.min_items.to_string());
                    self.add_between(part, UpgradeKind::Required, before, after);
                }
            }
        }
        // 0 means no limit.
        if other.max_items > 0 && (one.max_items == 0 || other.max_items < one.max_items) {
            let before = match one.max_items {
                0 => "any number of".to_owned(),
                limit => limit.to_string(),
            };
            self.add_between(part, UpgradeKind::Limited, before, other.max_items.to_string());
        }
        self.objects(Shape::Block(&one.block), Shape::Block(&other.block), part);
    }
}

fn type_name(attribute: &Attribute) -> String {
    let ty: &Type = attribute.implied_type();
    let name = ty.friendly_name();
    if attribute.write_only { format!("a write-only {name}") } else { format!("a {name}") }
}

fn blocks_name(nesting: NestingMode) -> String {
    match nesting {
        NestingMode::List => "a list of blocks",
        NestingMode::Set => "a set of blocks",
        NestingMode::Map => "a map of blocks",
        _ => "a single block",
    }
    .to_owned()
}

/// The deprecated blocks of a schema, by names with dots between them; the empty name is the type itself.
fn deprecated_blocks(text: &str) -> BTreeSet<String> {
    fn visit(block: &Json, part: &str, found: &mut BTreeSet<String>) {
        if block["deprecated"].as_bool() == Some(true) {
            found.insert(part.to_owned());
        }
        for (name, nested) in block["block_types"].as_object().into_iter().flatten() {
            let part = if part.is_empty() { name.clone() } else { format!("{part}.{name}") };
            visit(&nested["block"], &part, found);
        }
    }
    let mut found = BTreeSet::new();
    // This cannot fail: the text was read as a schema before.
    let schema: Json = objchange_text::json::from_str(text).unwrap_or_default();
    visit(&schema["block"], "", &mut found);
    found
}
