//! A hints file to fill in.

use objchange::Type;
use objchange::schema::{Block, NestingMode};
use objchange_provider::{Component, Schemas};
use serde_json::{Map, Value as Json, json};

use super::{Hints, SENSITIVE};

impl Hints {
    /// A hints file with everything that the configuration of a provider requires, to be filled in: texts are empty, and
    /// sensitive ones are marked.
    ///
    /// ```
    /// use objchange_conform::Hints;
    /// use objchange_conform::kit::faulty;
    /// use objchange_provider::ProviderExt;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> objchange_provider::Result<()> {
    /// let template = Hints::template(&*faulty(true).schemas().await?);
    /// assert!(Hints::parse(template.as_bytes()).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn template(schemas: &Schemas) -> String {
        let provider = schemas.block(Component::Provider, "").map(required);
        let hints = json!({ "provider": provider.unwrap_or_default(), "values": {}, "types": [] });
        // Maps with texts as keys: nothing of it can fail.
        serde_json::to_string_pretty(&hints).unwrap_or_default() + "\n"
    }
}

/// The required arguments and blocks of a block.
fn required(block: &Block) -> Map<String, Json> {
    let attributes = block.attributes().iter().filter(|(_, attribute)| attribute.required);
    let attributes = attributes.map(|(name, attribute)| {
        let empty = empty(attribute.implied_type());
        (name.to_string(), if attribute.sensitive { json!({ SENSITIVE: empty }) } else { empty })
    });
    let blocks = block.block_types().iter().filter(|(_, nested)| nested.min_items > 0);
    let blocks = blocks.map(|(name, nested)| {
        let inside = Json::Object(required(&nested.block));
        let is_one = matches!(nested.nesting, NestingMode::Single | NestingMode::Group);
        (name.to_string(), if is_one { inside } else { json!([inside]) })
    });
    attributes.chain(blocks).collect()
}

/// A value to be replaced.
fn empty(ty: &Type) -> Json {
    match ty {
        Type::Bool => json!(false),
        Type::Number => json!(0),
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => json!([]),
        Type::Map(_) | Type::Object(_) => json!({}),
        _ => json!(""),
    }
}
