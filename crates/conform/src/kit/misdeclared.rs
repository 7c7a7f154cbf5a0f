//! Schemas with mistakes.

use objchange::Type;
use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};

use super::{Kit, ResourceType};
use crate::Clause;

/// A schema with one mistake.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Misdeclared {
    /// The stable name of the mistake.
    pub kind: &'static str,
    /// The clause that it breaks.
    pub clause: Clause,
    /// The place of the mistake, by the names of the schema.
    pub path: &'static str,
    /// Whether Terraform refuses it.
    pub is_noticed: bool,
    /// The schema.
    pub block: Block,
}

impl Misdeclared {
    /// A provider whose one resource type, `kit_thing`, has this schema.
    pub fn kit(&self) -> Kit {
        Kit::default().resource("kit_thing", ResourceType::new(self.block.clone()))
    }
}

/// One schema for each mistake that the protocol can express.
pub fn misdeclared() -> Vec<Misdeclared> {
    let text = || Attribute::optional(Type::String);
    let one = |name: &'static str, attribute: Attribute| Block::new([(name, attribute)], []);
    let blocks = |name: &'static str, nested: NestedBlock| Block::new([("name", text())], [(name, nested)]);
    let nested = |nesting, block| NestedBlock::new(nesting, block);
    let limited = |nesting, min_items, max_items| NestedBlock {
        min_items,
        max_items,
        ..nested(nesting, one("name", text()))
    };
    let write_only = || text().write_only();
    let nested_set = NestedType::new(NestingMode::Set, [("token", write_only())]);
    let wrong = |kind, clause, path, block| Misdeclared { kind, clause, path, is_noticed: true, block };
    let unnoticed =
        |kind, clause, path, block| Misdeclared { is_noticed: false, ..wrong(kind, clause, path, block) };
    let flagless = Attribute { optional: false, ..text() };
    vec![
        wrong("neither_required_optional_nor_computed", Clause::S1, "name", one("name", flagless)),
        wrong(
            "required_and_optional",
            Clause::S1,
            "name",
            one("name", Attribute { required: true, ..text() }),
        ),
        wrong(
            "required_and_computed",
            Clause::S1,
            "name",
            one("name", Attribute { required: true, ..Attribute::computed(Type::String) }),
        ),
        unnoticed(
            "write_only_and_computed",
            Clause::S1,
            "token",
            one("token", Attribute::optional_computed(Type::String).write_only()),
        ),
        wrong("attribute_and_block", Clause::S4, "name", blocks("name", limited(NestingMode::List, 0, 0))),
        wrong("block_name", Clause::S4, "Disk", blocks("Disk", limited(NestingMode::List, 0, 0))),
        // Terraform 1.11.4 loads this schema, and the two below whose names are odd or reserved.
        unnoticed("attribute_name", Clause::S4, "Name", one("Name", text())),
        unnoticed("reserved_name", Clause::S4, "count", one("count", text())),
        wrong("single_limits", Clause::S5, "disk", blocks("disk", limited(NestingMode::Single, 0, 2))),
        wrong("group_limits", Clause::S5, "disk", blocks("disk", limited(NestingMode::Group, 1, 1))),
        wrong("map_limits", Clause::S5, "disk", blocks("disk", limited(NestingMode::Map, 0, 2))),
        wrong("min_above_max", Clause::S5, "disk", blocks("disk", limited(NestingMode::List, 3, 2))),
        wrong(
            "dynamic_in_set",
            Clause::S6,
            "disk.any",
            blocks("disk", nested(NestingMode::Set, one("any", Attribute::optional(Type::Dynamic)))),
        ),
        wrong(
            "write_only_in_set",
            Clause::S6,
            "disk.token",
            blocks("disk", nested(NestingMode::Set, one("token", write_only()))),
        ),
        wrong(
            "write_only_in_set",
            Clause::S6,
            "unique.token",
            one("unique", Attribute::optional(nested_set)),
        ),
        // Terraform 1.11 does not know computed blocks yet.
        unnoticed(
            "not_computed_in_computed_block",
            Clause::S7,
            "disk.name",
            blocks("disk", limited(NestingMode::List, 0, 0).computed()),
        ),
    ]
}
