//! Arithmetic, bits, ranges and random numbers.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::arguments::{int, items, kind, mismatch, number, some, text, type_mismatch};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Number, Value};

const N: Types = Types::NUMBER;
const NS: Types = Types::NUMBER.or(Types::SET);

/// How far a number may be shifted to the left.
// A number of 65,536 bits has about 20,000 digits, which is the limit of the operators as well.
const MAX_SHIFT: u64 = 65_536;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("plus", &[N, N], |_, o| some(number(o, 0)?.add(number(o, 1)?)?)),
    Builtin::new("minus", &[NS, NS], minus),
    Builtin::new("mul", &[N, N], |_, o| some(number(o, 0)?.multiply(number(o, 1)?)?)),
    Builtin::new("div", &[N, N], |_, o| some(number(o, 0)?.divide(number(o, 1)?)?)),
    Builtin::new("rem", &[N, N], |_, o| some(number(o, 0)?.remainder(number(o, 1)?)?)),
    Builtin::new("abs", &[N], |_, o| some(number(o, 0)?.abs()?)),
    Builtin::new("ceil", &[N], |_, o| some(number(o, 0)?.ceil()?)),
    Builtin::new("floor", &[N], |_, o| some(number(o, 0)?.floor()?)),
    Builtin::new("round", &[N], |_, o| some(number(o, 0)?.round()?)),
    Builtin::new("numbers.range", &[Types::ANY, Types::ANY], |context, o| range(context, o, BigInt::from(1))),
    Builtin::new("numbers.range_step", &[Types::ANY, Types::ANY, Types::ANY], range_step),
    Builtin::new("bits.and", &[Types::ANY, Types::ANY], |_, o| bits(o, BigInt::bitand)),
    Builtin::new("bits.or", &[Types::ANY, Types::ANY], |_, o| bits(o, BigInt::bitor)),
    Builtin::new("bits.xor", &[Types::ANY, Types::ANY], |_, o| bits(o, BigInt::bitxor)),
    Builtin::new("bits.negate", &[Types::ANY], |_, o| some(Number::from_bigint(&big(o, 0)?.not()))),
    Builtin::new("bits.lsh", &[Types::ANY, Types::ANY], shift_left),
    Builtin::new("bits.rsh", &[Types::ANY, Types::ANY], shift_right),
    Builtin::new("rand.intn", &[Types::STRING, N], random),
];

fn minus(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    match (&operands[0], &operands[1]) {
        (Value::Number(a), Value::Number(b)) => some(a.subtract(b)?),
        (Value::Set(a), Value::Set(b)) => {
            some(Value::set(a.iter().filter(|item| !b.contains(item)).cloned().collect::<Vec<_>>()))
        }
        (Value::Number(_), other) => Err(type_mismatch(1, N, other)),
        (Value::Set(_), other) => Err(type_mismatch(1, Types::SET, other)),
        (other, _) => Err(type_mismatch(0, NS, other)),
    }
}

/// An integer of any size.
fn big(operands: &[Value], index: usize) -> Result<BigInt, BuiltinError> {
    let Value::Number(number) = &operands[index] else {
        return Err(mismatch(index, "integer", operands[index].type_name()));
    };
    number.to_bigint()?.ok_or_else(|| mismatch(index, "integer number", kind(number)))
}

fn range(context: &mut Context<'_>, operands: &[Value], step: BigInt) -> Outcome {
    let (start, end) = (big(operands, 0)?, big(operands, 1)?);
    let steps = ((&end - &start).abs() / &step).to_usize();
    let Some(steps) = steps.filter(|steps| *steps < 1 << 32) else {
        return Err(BuiltinError::refused("numbers.range: more than 4294967296 numbers"));
    };
    // OPA 1.20 counts down as well: `numbers.range(3, 1)` is `[3, 2, 1]`.
    let step = if start <= end { step } else { -step };
    context.charge_items(steps + 1)?;
    let mut numbers = Vec::with_capacity(steps + 1);
    let mut at = start;
    for _ in 0..=steps {
        numbers.push(Value::Number(Number::from_bigint(&at)));
        at += &step;
    }
    some(Value::array(numbers))
}

fn range_step(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    big(operands, 0)?;
    big(operands, 1)?;
    let step = big(operands, 2)?;
    if !step.is_positive() {
        return Err(BuiltinError::failed("step must be a positive integer"));
    }
    range(context, operands, step)
}

fn bits(operands: &[Value], operate: fn(BigInt, BigInt) -> BigInt) -> Outcome {
    some(Number::from_bigint(&operate(big(operands, 0)?, big(operands, 1)?)))
}

fn shift(operands: &[Value]) -> Result<(BigInt, BigInt), BuiltinError> {
    let (value, by) = (big(operands, 0)?, big(operands, 1)?);
    if by.is_negative() {
        return Err(mismatch(1, "an unsigned integer number", "a negative integer"));
    }
    Ok((value, by))
}

fn shift_left(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (value, by) = shift(operands)?;
    match by.to_u64().filter(|by| *by <= MAX_SHIFT) {
        Some(by) => {
            context.charge(usize::try_from(by).unwrap_or(0))?;
            some(Number::from_bigint(&(value << by)))
        }
        None => Err(BuiltinError::failed(format!("shifts by more than {MAX_SHIFT} bits"))),
    }
}

fn shift_right(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (value, by) = shift(operands)?;
    // With all bits gone only the sign remains: `bits.rsh(-1, 70)` is -1 in OPA 1.20.
    let by = by.to_u64().unwrap_or(u64::MAX).min(value.bits() + 1);
    some(Number::from_bigint(&(value >> by)))
}

fn random(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    text(operands, 0)?;
    // OPA 1.20 takes -5 for 5, and answers 0 for 0.
    let limit = int(operands, 1)?.unsigned_abs();
    if limit == 0 {
        return some(Value::int(0));
    }
    let key = Value::array(operands.to_vec());
    some(context.random_of("rand.intn", &key, |context| {
        let number = context.random() % limit;
        Value::Number(Number::from_bigint(&BigInt::from(number)))
    }))
}

/// The numbers in an array or a set.
pub(super) fn numbers(operands: &[Value], index: usize) -> Result<Vec<&Number>, BuiltinError> {
    let type_name = operands[index].type_name();
    items(operands, index)?
        .iter()
        .map(|item| {
            item.as_number().ok_or_else(|| {
                mismatch(
                    index,
                    &format!("{type_name} of numbers"),
                    &format!("{type_name} containing {}", item.type_name()),
                )
            })
        })
        .collect()
}
