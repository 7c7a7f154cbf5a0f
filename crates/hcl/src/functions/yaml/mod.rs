//! YAML.

mod block_scalar;
mod decode;
mod encode;
mod fault;
mod rewrite;
mod scalar;
mod separators;
mod tabs;

use objchange::{Type, Value};

use super::{any, string, text};
use crate::function::{Function, Functions};

pub(super) fn add(functions: &mut Functions) {
    let value = any("value").null().dynamic();
    let encode = Function::new([value], Type::String, |a, ty| match a[0].is_wholly_known() {
        true => Ok(encode::encoded(&a[0])?.into()),
        false => Ok(Value::unknown(ty.clone())),
    });
    functions.insert("yamlencode", encode.nullable());
    let decode = Function::new([string("src")], Type::Dynamic, |a, _| decode::decoded(text(a, 0)));
    functions.insert("yamldecode", decode.nullable());
}
