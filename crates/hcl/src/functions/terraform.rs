//! The functions of the provider that is part of Terraform.

use objchange::value::Kind;
use objchange::{Type, Value};

use crate::eval::{constant, in_one_sentence};
use crate::expression_text::{arguments_text, expression_text};
use crate::function::{Function, FunctionError, Functions, Parameter};
use crate::syntax::is_name;
use crate::syntax::parse_body;

/// The name of the decoded text in errors.
const DECODED: &str = "<decode_tfvars argument>";

impl Functions {
    /// The functions of the provider `terraform.io/builtin/terraform`, by their names without a namespace.
    pub fn of_builtin_provider() -> [(&'static str, Function); 3] {
        let encoded = || Parameter::new("value", Type::Dynamic);
        let unknown = || Ok(Value::unknown(Type::String));
        [
            (
                "decode_tfvars",
                Function::new([Parameter::new("src", Type::String)], Type::Dynamic, |arguments, _| {
                    decode(arguments[0].as_str().unwrap_or_default())
                }),
            ),
            (
                "encode_expr",
                Function::new([encoded()], Type::String, move |arguments, _| {
                    expression_text(&arguments[0]).map_or_else(unknown, |text| Ok(Value::from(text)))
                }),
            ),
            (
                "encode_tfvars",
                Function::new([encoded()], Type::String, move |arguments, _| {
                    let members: Vec<(&str, &Value)> = match arguments[0].kind() {
                        Kind::Object(object) => {
                            object.iter().map(|(name, value)| (name.as_str(), value)).collect()
                        }
                        Kind::Map(map) => map.iter().map(|(name, value)| (name.as_ref(), value)).collect(),
                        _ => {
                            return Err(FunctionError::new(
                                "invalid value to encode: must be an object whose attribute names will become the encoded \
                                 variable names",
                            ));
                        }
                    };
                    if let Some((name, _)) = members.iter().find(|(name, _)| !is_name(name)) {
                        return Err(FunctionError::new(format!(
                            "invalid variable name {name:?}: must be a valid identifier, per Terraform's rules for input variable \
                             declarations"
                        )));
                    }
                    arguments_text(members.into_iter()).map_or_else(unknown, |text| Ok(Value::from(text)))
                }),
            ),
        ]
    }
}

fn decode(text: &str) -> Result<Value, FunctionError> {
    let error = |what: &str, found: &[objchange_text::Diagnostic]| {
        FunctionError::new(format!("{what}: {}", in_one_sentence(DECODED, text, found)))
    };
    let body = parse_body(text).map_err(|found| error("invalid tfvars syntax", &found))?;
    if let Some(block) = body.blocks.first() {
        let summary = format!("Unexpected {:?} block", block.kind);
        let found = objchange_text::Diagnostic::new(
            ("unexpected_block", summary),
            block.kind_span,
            "Blocks are not allowed here.",
        );
        return Err(error("invalid tfvars content", &[found]));
    }
    let mut members = Vec::with_capacity(body.attributes.len());
    for attribute in &body.attributes {
        let what = || format!("invalid expression for variable {:?}", attribute.name);
        let value = constant(&attribute.expr).map_err(|found| error(&what(), &found))?;
        members.push((attribute.name.clone(), value));
    }
    Ok(Value::object(members))
}
