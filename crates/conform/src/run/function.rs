//! Functions: their arguments are made as if they were attributes.

use objchange::Value;
use objchange::schema::{Attribute, Block};
use objchange_provider::{Function, Parameter};

/// A block with an attribute for each parameter, in their order.
pub(super) fn block(function: &Function) -> Block {
    let attribute = |(i, parameter): (usize, &Parameter)| {
        let ty = parameter.ty.clone();
        let attribute = if parameter.allow_null { Attribute::optional(ty) } else { Attribute::required(ty) };
        // A block sorts its attributes by name: the numbers keep the order of the parameters, with the variadic one
        // last.
        (format!("{i:03}_{}", parameter.name), attribute)
    };
    let variadic = function
        .variadic
        .as_ref()
        .map(|parameter| (format!("999_{}", parameter.name), Attribute::optional(parameter.ty.clone())));
    Block::new(function.parameters.iter().enumerate().map(attribute).chain(variadic), [])
}

/// The arguments of a call; `None` where Terraform does not call with them.
pub(super) fn arguments(function: &Function, config: &Value) -> Option<Vec<Value>> {
    let arguments = marked_arguments(function, config)?;
    Some(arguments.iter().map(|argument| argument.unmark_deep().0).collect())
}

/// Like [`arguments`], with marks on secrets.
pub(super) fn marked_arguments(function: &Function, config: &Value) -> Option<Vec<Value>> {
    let all = config.as_object()?.values();
    let may_be = |(i, argument): (usize, &Value)| {
        let parameter = function.parameter(i)?;
        (argument.is_wholly_known() && (parameter.allow_null || !argument.is_null()))
            .then(|| argument.clone())
    };
    let count = function.parameters.len();
    let mut arguments: Vec<Value> = all.iter().take(count).enumerate().map(may_be).collect::<Option<_>>()?;
    if let Some(variadic) = all.get(count) {
        arguments.extend(may_be((count, variadic)).filter(|argument| !argument.is_null()));
    }
    Some(arguments)
}
