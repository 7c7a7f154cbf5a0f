//! Where the parts of a config object come from.

use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_hcl::{Functions, Scope, Variables, decode, parse_body};

#[test]
fn every_part_has_a_place_in_the_source() {
    let text = r#"name = "web"
tags = { env = "prod", team = upper("x") }
rule {
  port = 1
}
dynamic "rule" {
  for_each = [80, 443]
  content {
    port = rule.value
  }
}
disk "data" {
  size = 1
}
"#;
    let number = || Attribute::optional(Type::Number);
    let schema = Block::new(
        [
            ("name", Attribute::optional(Type::String)),
            ("tags", Attribute::optional(Type::map(Type::String))),
            ("zone", Attribute::optional(Type::String)),
        ],
        [
            (
                "rule",
                NestedBlock::new(NestingMode::List, Block::new([("port", number()), ("to", number())], [])),
            ),
            ("disk", NestedBlock::new(NestingMode::Map, Block::new([("size", number())], []))),
        ],
    );
    let body = parse_body(text).unwrap();
    let config = decode(&body, &schema, &Scope::new(&Variables::default()), Functions::pure());
    assert_eq!(config.errors, []);
    assert_eq!(config.value.attribute("rule").and_then(Value::len), Some(3));
    let at = |path: &str| &text[config.place(&path.parse::<Path>().unwrap()).range()];
    assert_eq!(at(".name"), r#"name = "web""#);
    assert_eq!(at(r#".tags["env"]"#), r#""prod""#);
    assert_eq!(at(r#".tags["none"]"#), r#"{ env = "prod", team = upper("x") }"#);
    assert_eq!(at(".rule[0].port"), "port = 1");
    assert_eq!(at(".rule[0].to"), "rule");
    assert_eq!(at(".rule[2].port"), "port = rule.value");
    assert_eq!(at(".rule[2]"), r#"dynamic "rule""#);
    assert_eq!(at(r#".disk["data"].size"#), "size = 1");
    assert_eq!(at(".zone"), "");
}
