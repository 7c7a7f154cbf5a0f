//! Configurations to try: nothing, each part alone, all parts, each text unknown.

use objchange::change::{Diagnostic, Severity};
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode};
use objchange::{Type, Value};

use crate::{Component, Provider, Result};

#[derive(Clone, Debug, Default)]
pub struct Hints;

#[derive(Debug)]
pub struct HintsError;

impl std::fmt::Display for HintsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("hints")
    }
}

impl Hints {
    pub fn parse(_: &[u8]) -> Result<Self, HintsError> {
        Ok(Self)
    }
    pub fn skip(&self, _: Component, _: &str) -> Option<&str> {
        None
    }
    pub fn provider_config(&self, block: &Block) -> Result<Value, HintsError> {
        Ok(block.empty_value().clone())
    }
    pub fn is_expected(&self, _: Component, _: &str, _: &Diagnostic) -> bool {
        false
    }
    pub fn update(&self, _: &str, _: &Value) -> Option<Value> {
        None
    }
}

#[derive(Clone)]
pub(super) struct Sample {
    pub(super) config: Value,
    pub(super) known: Option<Value>,
    pub(super) label: String,
}

pub(super) enum Accepted {
    Yes(Sample),
    No(Vec<Diagnostic>),
}

pub(super) async fn accepted(
    provider: &dyn Provider,
    component: Component,
    name: &str,
    _: &Block,
    sample: Sample,
    _: &Hints,
) -> Result<Accepted> {
    let said = provider.validate(component, name, &sample.config).await?;
    let is_refused = said.iter().any(|d| d.severity == Severity::Error);
    Ok(if is_refused { Accepted::No(said) } else { Accepted::Yes(sample) })
}

pub(super) fn samples(
    block: &Block,
    _: Component,
    _: &str,
    _: &Hints,
    _seed: u64,
) -> impl Iterator<Item = Sample> {
    let minimal = object(block, &|_, required| required, "a");
    let all = object(block, &|_, _| true, "a");
    let other = object(block, &|_, _| true, "b");
    let sample = |config: Value, known: Option<Value>, label: String| Sample { config, known, label };
    let mut out = vec![
        sample(minimal, None, "minimal".into()),
        sample(all.clone(), None, "all".into()),
        sample(other, None, "other".into()),
    ];
    for (name, attribute) in block.attributes() {
        if attribute.optional {
            out.push(sample(object(block, &|n, r| r || n == name, "a"), None, format!("only {name}")));
        }
        if (attribute.optional || attribute.required) && *attribute.implied_type() == Type::String {
            let members = all.as_object().map(|o| {
                o.iter()
                    .map(|(n, v)| {
                        (n.clone(), if n == name { Value::unknown(Type::String) } else { v.clone() })
                    })
                    .collect::<Vec<_>>()
            });
            out.push(sample(
                Value::object(members.unwrap_or_default()),
                Some(all.clone()),
                format!("{name} unknown"),
            ));
        }
    }
    out.into_iter()
}

fn object(block: &Block, has: &dyn Fn(&str, bool) -> bool, text: &str) -> Value {
    let attributes = block.attributes().iter().map(|(n, a)| {
        (
            n.clone(),
            if (a.optional || a.required) && has(n, a.required) {
                attribute(a, text)
            } else {
                Value::null(a.implied_type().clone())
            },
        )
    });
    let blocks = block.block_types().iter().map(|(n, b)| {
        (
            n.clone(),
            if has(n, b.min_items > 0) {
                nested(b, text)
            } else {
                block.empty_value().attribute(n).cloned().unwrap_or_else(|| Value::null(b.implied_type()))
            },
        )
    });
    let members: Vec<_> = attributes.chain(blocks).collect();
    Value::object(members)
}

fn nested(b: &NestedBlock, text: &str) -> Value {
    let ty = b.block.implied_type().clone();
    let one = object(&b.block, &|_, _| true, text);
    let two = object(&b.block, &|_, _| true, "z");
    held(b.nesting, ty, one, two)
}

fn held(nesting: NestingMode, ty: Type, one: Value, two: Value) -> Value {
    let null = Value::null(ty.clone());
    match nesting {
        NestingMode::List => Value::list(ty, [one, two]).unwrap_or(null),
        NestingMode::Set => Value::set(ty, [one, two]).unwrap_or(null),
        NestingMode::Map => Value::map(ty, [("k", one), ("l", two)]).unwrap_or(null),
        _ => one,
    }
}

fn attribute(a: &Attribute, text: &str) -> Value {
    match &a.ty {
        AttributeType::Plain(ty) => value(ty, text),
        AttributeType::Nested(n) => {
            held(n.nesting(), Type::Object(n.object_type().clone()), members(n, text), members(n, "z"))
        }
    }
}

fn members(n: &NestedType, text: &str) -> Value {
    Value::object(n.attributes().iter().map(|(n, a)| {
        (
            n.clone(),
            if a.optional || a.required { attribute(a, text) } else { Value::null(a.implied_type().clone()) },
        )
    }))
}

fn value(ty: &Type, text: &str) -> Value {
    let null = || Value::null(ty.clone());
    match ty {
        Type::String | Type::Dynamic => Value::from(text),
        Type::Number => Value::from(if text == "a" { 7 } else { 8 }),
        Type::Bool => Value::from(text == "a"),
        Type::List(e) => {
            Value::list((**e).clone(), [value(e, text), value(e, "z")]).unwrap_or_else(|_| null())
        }
        Type::Set(e) => Value::set((**e).clone(), [value(e, text), value(e, "z")]).unwrap_or_else(|_| null()),
        Type::Map(e) => Value::map((**e).clone(), [("k", value(e, text))]).unwrap_or_else(|_| null()),
        Type::Tuple(t) => Value::tuple(t.elements().iter().map(|t| value(t, text))),
        Type::Object(o) => Value::object(o.attributes().iter().map(|(n, t)| (n.clone(), value(t, text)))),
    }
}
