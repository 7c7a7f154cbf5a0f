//! YAML, as the Kubernetes tools read and write it: by way of JSON, with the words of YAML 1.1.

mod read;
mod scalar;
mod tabs;
mod write;

use super::arguments::{some, text};
use super::{Builtin, Types};

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("yaml.marshal", &[Types::ANY], |context, o| some(write::write(context, &o[0])?)),
    Builtin::new("yaml.unmarshal", &[Types::STRING], |context, o| some(read::read(context, text(o, 0)?)?)),
    Builtin::new("yaml.is_valid", &[Types::ANY], |context, o| {
        let Some(text) = o[0].as_str() else { return some(false) };
        match read::read(context, text) {
            Err(error) if error.kind.ends() => Err(error),
            answer => some(answer.is_ok()),
        }
    }),
];
