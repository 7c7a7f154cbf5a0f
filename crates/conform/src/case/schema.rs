//! A block as the document of `terraform providers schema -json` writes it.

use objchange::schema::{Attribute, AttributeType, Block, NestedBlock};
use serde_json::{Map, Value as Json, json};

pub(super) fn block_json(block: &Block) -> Json {
    let mut out = Map::new();
    if !block.attributes().is_empty() {
        out.insert("attributes".into(), attributes(block.attributes()));
    }
    if !block.block_types().is_empty() {
        let nested = block.block_types().iter().map(|(name, nested)| (name.to_string(), nested_json(nested)));
        out.insert("block_types".into(), Json::Object(nested.collect()));
    }
    Json::Object(out)
}

fn attributes(attributes: &[(smol_str::SmolStr, Attribute)]) -> Json {
    let named = attributes.iter().map(|(name, attribute)| (name.to_string(), attribute_json(attribute)));
    Json::Object(named.collect())
}

fn attribute_json(attribute: &Attribute) -> Json {
    let mut out = Map::new();
    match &attribute.ty {
        AttributeType::Plain(ty) => out.insert("type".into(), json!(ty)),
        AttributeType::Nested(nested) => {
            let attributes = attributes(nested.attributes());
            let nested = json!({"attributes": attributes, "nesting_mode": nested.nesting()});
            out.insert("nested_type".into(), nested)
        }
    };
    // `terraform providers schema -json` leaves out flags that are false, and limits of 0.
    let flags = [
        (attribute.required, "required"),
        (attribute.optional, "optional"),
        (attribute.computed, "computed"),
        (attribute.sensitive, "sensitive"),
        (attribute.write_only, "write_only"),
    ];
    out.extend(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| ((*name).into(), true.into())));
    Json::Object(out)
}

fn nested_json(nested: &NestedBlock) -> Json {
    let mut out = Map::new();
    out.insert("nesting_mode".into(), json!(nested.nesting));
    out.insert("block".into(), block_json(&nested.block));
    for (count, name) in [(nested.min_items, "min_items"), (nested.max_items, "max_items")] {
        if count > 0 {
            out.insert(name.into(), count.into());
        }
    }
    if nested.computed {
        out.insert("computed".into(), true.into());
    }
    Json::Object(out)
}
