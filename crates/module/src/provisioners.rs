//! The schemas of the provisioners that are part of Terraform.

use std::sync::LazyLock;

use objchange::Type;
use objchange::schema::{Attribute, Block};

/// The schema of a provisioner that is part of Terraform; there are no others since version 1.0.
pub(crate) fn provisioner_schema(kind: &str) -> Option<&'static Block> {
    static LOCAL_EXEC: LazyLock<Block> = LazyLock::new(|| {
        let attributes = [
            ("command", Attribute::required(Type::String)),
            ("environment", Attribute::optional(Type::map(Type::String))),
            ("interpreter", Attribute::optional(Type::list(Type::String))),
            ("quiet", Attribute::optional(Type::Bool)),
            ("working_dir", Attribute::optional(Type::String)),
        ];
        Block::new(attributes, [])
    });
    static REMOTE_EXEC: LazyLock<Block> = LazyLock::new(|| {
        let attributes = [
            ("inline", Attribute::optional(Type::list(Type::String))),
            ("script", Attribute::optional(Type::String)),
            ("scripts", Attribute::optional(Type::list(Type::String))),
        ];
        Block::new(attributes, [])
    });
    static FILE: LazyLock<Block> = LazyLock::new(|| {
        let attributes = [
            ("content", Attribute::optional(Type::String)),
            ("destination", Attribute::required(Type::String)),
            ("source", Attribute::optional(Type::String)),
        ];
        Block::new(attributes, [])
    });
    match kind {
        "local-exec" => Some(&LOCAL_EXEC),
        "remote-exec" => Some(&REMOTE_EXEC),
        "file" => Some(&FILE),
        _ => None,
    }
}
