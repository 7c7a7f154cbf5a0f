//! The provisioners that are part of Terraform, and the connections that they use.

use std::sync::LazyLock;

use objchange::schema::{Attribute, Block};
use objchange::{Type, Value};

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

/// The problem with the arguments of a provisioner that its schema allows: a summary and a detail.
pub(crate) fn wrong_provisioner(kind: &str, arguments: &Value) -> Option<(&'static str, &'static str)> {
    let is_set = |name: &&str| arguments.attribute(name).is_some_and(|value| !value.is_null());
    let count = |names: &[&str]| names.iter().copied().filter(|name| is_set(name)).count();
    match kind {
        "remote-exec" if count(&["inline", "script", "scripts"]) != 1 => Some((
            "Invalid remote-exec provisioner configuration",
            "Only one of \"inline\", \"script\", or \"scripts\" must be set",
        )),
        "file" => match count(&["source", "content"]) {
            0 => Some(("Must provide one of 'source' or 'content'", "")),
            1 => None,
            _ => Some(("Cannot set both 'source' and 'content'", "")),
        },
        _ => None,
    }
}

/// The arguments of `connection` blocks that are passwords and keys.
const SECRETS_OF_CONNECTIONS: [&str; 5] =
    ["password", "private_key", "proxy_user_password", "bastion_password", "bastion_private_key"];

/// The schema of `connection` blocks, for all kinds of connections.
pub(crate) fn connection_schema() -> &'static Block {
    static CONNECTION: LazyLock<Block> = LazyLock::new(|| {
        let texts = [
            "type",
            "user",
            "password",
            "timeout",
            "script_path",
            "target_platform",
            "private_key",
            "certificate",
            "host_key",
            "agent_identity",
            "proxy_scheme",
            "proxy_host",
            "proxy_user_name",
            "proxy_user_password",
            "bastion_host",
            "bastion_host_key",
            "bastion_user",
            "bastion_password",
            "bastion_private_key",
            "bastion_certificate",
            "cacert",
        ];
        // Terraform has one schema for both types: 1.11.4 accepts `https` and `use_ntlm` of WinRM with `type = "ssh"`.
        let numbers = ["port", "proxy_port", "bastion_port"];
        let bools = ["agent", "https", "insecure", "use_ntlm"];
        let optional = |ty: Type| move |name| (name, Attribute::optional(ty.clone()));
        let attributes = texts.into_iter().map(optional(Type::String));
        let attributes = attributes.chain(numbers.into_iter().map(optional(Type::Number)));
        let attributes = attributes.chain(bools.into_iter().map(optional(Type::Bool)));
        // Terraform's schema does not say so. They are hidden in lines of source alone: no plan has them.
        let attributes = attributes.map(|(name, attribute)| match SECRETS_OF_CONNECTIONS.contains(&name) {
            true => (name, attribute.sensitive()),
            false => (name, attribute),
        });
        Block::new(attributes.chain([("host", Attribute::required(Type::String))]), [])
    });
    &CONNECTION
}
