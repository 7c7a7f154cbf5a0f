//! Parameters and results of a provider's functions.

use serde::Deserialize;
use smol_str::SmolStr;

use crate::value::Type;

/// The parameters of a provider's function, and the type that it returns.
///
/// ```
/// use objchange::Type;
/// use objchange::schema::ProviderSchemas;
///
/// let text = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/text":{
///     "functions":{"shout":{"return_type":"string","parameters":[{"name":"text","type":"string"}]}}}}}"#;
/// let schemas = ProviderSchemas::parse(text)?;
/// let shout = schemas.function("registry.terraform.io/acme/text", "shout")?.unwrap();
/// assert_eq!((shout.parameters[0].name.as_str(), shout.return_type), ("text", Type::String));
/// # Ok::<(), objchange::schema::SchemaDocumentError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct FunctionSchema {
    /// The parameters that each call must give.
    #[serde(default)]
    pub parameters: Vec<FunctionParameter>,
    /// The parameter for all further arguments.
    #[serde(default)]
    pub variadic_parameter: Option<FunctionParameter>,
    /// The type of the result.
    pub return_type: Type,
}

/// A parameter of a provider's function.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct FunctionParameter {
    /// Its name.
    #[serde(default)]
    pub name: SmolStr,
    /// The type of its arguments.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Null is allowed.
    #[serde(default, rename = "is_nullable")]
    pub is_nullable: bool,
}
