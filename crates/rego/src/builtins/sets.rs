//! Sets, and the comparison operators.

use super::arguments::{mismatch, set, some};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::Limit;
use crate::error::MAX_PARTS;
use crate::value::{Set, Value};

const S: Types = Types::SET;
const ANY: Types = Types::ANY;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("and", &[S, S], |context, o| {
        context.charge_items(set(o, 0)?.len().min(set(o, 1)?.len()))?;
        some(Value::set(common(set(o, 0)?, set(o, 1)?)))
    }),
    Builtin::new("or", &[S, S], |context, o| {
        let (a, b) = (set(o, 0)?.items(), set(o, 1)?.items());
        context.charge_items(a.len() + b.len())?;
        refuse_if_large(o)?;
        some(Value::set([a, b].concat()))
    }),
    Builtin::new("set_diff", &[S, S], |context, o| {
        let other = set(o, 1)?;
        context.charge_items(set(o, 0)?.len())?;
        let rest: Vec<_> = set(o, 0)?.iter().filter(|item| !other.contains(item)).cloned().collect();
        some(Value::set(rest))
    }),
    Builtin::new("intersection", &[S], intersection),
    Builtin::new("union", &[S], union),
    Builtin::new("equal", &[ANY, ANY], |_, o| some(o[0] == o[1])),
    Builtin::new("neq", &[ANY, ANY], |_, o| some(o[0] != o[1])),
    Builtin::new("lt", &[ANY, ANY], |_, o| some(o[0] < o[1])),
    Builtin::new("lte", &[ANY, ANY], |_, o| some(o[0] <= o[1])),
    Builtin::new("gt", &[ANY, ANY], |_, o| some(o[0] > o[1])),
    Builtin::new("gte", &[ANY, ANY], |_, o| some(o[0] >= o[1])),
    Builtin::new("internal.member_2", &[ANY, ANY], |context, o| {
        let found = match &o[1] {
            Value::Array(array) => {
                context.charge(array.len())?;
                array.iter().any(|item| *item == o[0])
            }
            Value::Set(set) => set.contains(&o[0]),
            Value::Object(object) => {
                context.charge(object.len())?;
                object.values().any(|item| *item == o[0])
            }
            _ => false,
        };
        some(found)
    }),
    Builtin::new("internal.member_3", &[ANY, ANY, ANY], |_, o| {
        let found = match &o[2] {
            Value::Array(array) => array.get(&o[0]) == Some(&o[1]),
            Value::Set(set) => o[0] == o[1] && set.contains(&o[0]),
            Value::Object(object) => object.get(&o[0]) == Some(&o[1]),
            _ => false,
        };
        some(found)
    }),
];

/// Putting the elements of all of them in order looks at all of their parts.
fn refuse_if_large(sets: &[Value]) -> Result<(), BuiltinError> {
    match sets.iter().map(Value::parts).fold(0, u64::saturating_add) > MAX_PARTS {
        true => Err(BuiltinError::limit(Limit::Size)),
        false => Ok(()),
    }
}

fn common(a: &Set, b: &Set) -> Vec<Value> {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().filter(|item| many.contains(item)).cloned().collect()
}

/// The sets in a set.
fn members(operands: &[Value]) -> Result<Vec<&Set>, BuiltinError> {
    set(operands, 0)?
        .iter()
        .map(|item| {
            item.as_set()
                .ok_or_else(|| mismatch(0, "set of sets", &format!("set containing {}", item.type_name())))
        })
        .collect()
}

fn intersection(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut members = members(operands)?.into_iter();
    // In OPA 1.20 `intersection(set())` is the empty set.
    let mut found = members.next().cloned().unwrap_or_default();
    for member in members {
        context.charge(found.len())?;
        found = Set::new(common(&found, member));
    }
    some(Value::set(found.items()))
}

fn union(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    refuse_if_large(set(operands, 0)?.items())?;
    let members = members(operands)?;
    context.charge_items(members.iter().map(|member| member.len()).fold(0, usize::saturating_add))?;
    some(Value::set(members.iter().flat_map(|member| member.items()).cloned().collect::<Vec<_>>()))
}
