//! Where the parts of a config object come from.

use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_hcl::{Functions, Scope, Variables, decode, evaluate, parse_body, parse_expression};

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

#[test]
fn an_error_in_an_expression_has_the_operation_around_it() {
    for (text, subject, context) in [
        ("[1, a + true]", "true", Some("a + true")),
        ("length([a, none])", "none", Some("length([a, none])")),
        ("{x = [\"-${none}-\"]}", "none", Some("\"-${none}-\"")),
        ("a.b.c", ".b", Some("a.b.c")),
        ("none", "none", None),
        ("[a, none]", "none", None),
        ("abs((none + 1))", "none", Some("none + 1")),
        (r#"["maybe" ? 1 : 2]"#, r#""maybe""#, Some(r#""maybe" ? 1 : 2"#)),
        ("[true ? {x = 1} : [1]]", "{x = 1} : [1]", Some("true ? {x = 1} : [1]")),
        ("[[for x in a : x]]", "a", Some("[for x in a : x]")),
        (r#"[{for x in [a, a] : "k" => x}]"#, r#""k""#, Some(r#"{for x in [a, a] : "k" => x}"#)),
        (r#"[[for x in [a] : x if "maybe"]]"#, r#""maybe""#, Some(r#"[for x in [a] : x if "maybe"]"#)),
        (r#""-%{ if a + 1 }x%{ endif }-""#, "a + 1", Some("%{ if a + 1 }x%{ endif }")),
        (r#""-%{ for x in a }x%{ endfor }-""#, "a", Some("%{ for x in a }x%{ endfor }")),
    ] {
        let variables: Variables = [("a", Value::from(1))].into_iter().collect();
        let (_, errors) =
            evaluate(&parse_expression(text).unwrap(), &Scope::new(&variables), Functions::pure());
        let found = errors
            .iter()
            .map(|error| (&text[error.subject.unwrap().range()], error.context.map(|c| &text[c.range()])));
        assert_eq!(found.collect::<Vec<_>>(), [(subject, context)], "{text}");
    }
}
