//! Leaf changes, one by one.

use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_plan::diff::ObjectChange;

/// A block with an attribute, a map and blocks of one attribute.
fn schema() -> Block {
    let disk = Block::new([("size", Attribute::optional(Type::Number))], []);
    Block::new(
        [("name", Attribute::optional(Type::String)), ("tags", Attribute::optional(Type::map(Type::String)))],
        [("disk", NestedBlock::new(NestingMode::List, disk))],
    )
}

fn object(name: &str, tag: &str, size: i64) -> Value {
    let disk = Value::object([("size", Value::from(size))]);
    Value::object([
        ("name", Value::from(name)),
        ("tags", Value::map(Type::String, [("k", Value::from(tag))]).unwrap()),
        ("disk", Value::list(disk.ty().clone(), [disk]).unwrap()),
    ])
}

/// The leaves that force the replacement, of all that change, where these parts cannot change in place.
fn replacing(parts: &[&str]) -> Vec<String> {
    let paths = parts.iter().map(|path| path.parse::<Path>().unwrap());
    let schema = schema();
    let change = ObjectChange::new(&schema, &object("a", "x", 1), &object("b", "y", 2)).replacing(paths);
    let leaves = change.leaves(&change.diff());
    assert_eq!(leaves.len(), 3);
    leaves.iter().filter(|leaf| leaf.replace).map(|leaf| leaf.path.to_string()).collect()
}

#[test]
fn a_leaf_forces_the_replacement_itself_or_something_around_it_does() {
    assert!(replacing(&[]).is_empty());
    assert_eq!(replacing(&["name"]), ["name"]);
    assert_eq!(replacing(&["tags"]), [r#"tags["k"]"#]);
    assert_eq!(replacing(&[r#"tags["k"]"#]), [r#"tags["k"]"#]);
    assert_eq!(replacing(&["disk[0].size"]), ["disk[0].size"]);
    assert_eq!(replacing(&["disk[0]"]), ["disk[0].size"]);
    assert_eq!(replacing(&["name", "disk"]), ["name", "disk[0].size"]);
    // A path to an absent element is ignored.
    assert!(replacing(&["disk[1].size"]).is_empty());
}
