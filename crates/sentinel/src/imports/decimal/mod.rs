//! `decimal`: numbers of 100 decimal digits.

mod number;

use std::cmp::Ordering;

pub(super) use number::Decimal;
use number::parse;

use super::object::Kind;
use super::{Object, function, utf8};
use crate::builtins::native;
use crate::run::Machine;
use crate::value::{Done, Native, Value, fault};

/// The steps of a run that one operation costs, and one that evaluates a series.
const STEPS: usize = 500;
const MANY_STEPS: usize = 20_000;

static NATIVES: [Native; 9] = [
    native("new", 1, 1, true, |_, a| Ok(Object::decimal(convert(&a[0])?))),
    native("infinity", 1, 1, true, infinity),
    native("inf", 1, 1, true, infinity),
    native("is_infinite", 1, 1, true, is_infinite),
    native("is_inf", 1, 1, true, is_infinite),
    native("isinf", 1, 1, true, is_infinite),
    native("isinfinite", 1, 1, true, is_infinite),
    native("is_nan", 1, 1, true, is_nan),
    native("isnan", 1, 1, true, is_nan),
];

pub(super) fn member(name: &str) -> Option<Value> {
    if name == "nan" {
        return Some(Object::decimal(Decimal::NotANumber));
    }
    function(&NATIVES, name)
}

pub(super) fn names() -> Vec<&'static str> {
    NATIVES.iter().map(|native| native.name).chain(["nan"]).collect()
}

pub(super) static METHODS: [Native; 37] = [
    native("is", 1, 1, true, |_, a| compared(a, |order| order == Some(Ordering::Equal))),
    native("is_not", 1, 1, true, |_, a| compared(a, |order| order != Some(Ordering::Equal))),
    native("less_than", 1, 1, true, |_, a| compared(a, |order| order == Some(Ordering::Less))),
    native("lt", 1, 1, true, |_, a| compared(a, |order| order == Some(Ordering::Less))),
    native("less_than_or_equals", 1, 1, true, |_, a| compared(a, |order| order.is_some_and(Ordering::is_le))),
    native("lte", 1, 1, true, |_, a| compared(a, |order| order.is_some_and(Ordering::is_le))),
    native("greater_than", 1, 1, true, |_, a| compared(a, |order| order == Some(Ordering::Greater))),
    native("gt", 1, 1, true, |_, a| compared(a, |order| order == Some(Ordering::Greater))),
    native("greater_than_or_equals", 1, 1, true, |_, a| {
        compared(a, |order| order.is_some_and(Ordering::is_ge))
    }),
    native("gte", 1, 1, true, |_, a| compared(a, |order| order.is_some_and(Ordering::is_ge))),
    native("add", 1, 1, true, |machine, a| two(machine, a, STEPS, Decimal::add)),
    native("subtract", 1, 1, true, |machine, a| two(machine, a, STEPS, Decimal::subtract)),
    native("sub", 1, 1, true, |machine, a| two(machine, a, STEPS, Decimal::subtract)),
    native("multiply", 1, 1, true, |machine, a| two(machine, a, STEPS, Decimal::multiply)),
    native("mul", 1, 1, true, |machine, a| two(machine, a, STEPS, Decimal::multiply)),
    native("divide", 1, 1, true, |machine, a| two(machine, a, STEPS, Decimal::divide)),
    native("div", 1, 1, true, |machine, a| two(machine, a, STEPS, Decimal::divide)),
    native("modulo", 1, 1, true, |machine, a| two(machine, a, MANY_STEPS, Decimal::remainder)),
    native("mod", 1, 1, true, |machine, a| two(machine, a, MANY_STEPS, Decimal::remainder)),
    native("remainder", 1, 1, true, |machine, a| two(machine, a, MANY_STEPS, Decimal::remainder)),
    native("rem", 1, 1, true, |machine, a| two(machine, a, MANY_STEPS, Decimal::remainder)),
    native("power", 1, 1, true, |machine, a| two(machine, a, MANY_STEPS, Decimal::power)),
    native("pow", 1, 1, true, |machine, a| two(machine, a, MANY_STEPS, Decimal::power)),
    native("exp", 0, 0, true, |machine, a| one(machine, a, MANY_STEPS, Decimal::exp)),
    native("loge", 0, 0, true, |machine, a| one(machine, a, MANY_STEPS, |a| a.log(false))),
    native("ln", 0, 0, true, |machine, a| one(machine, a, MANY_STEPS, |a| a.log(false))),
    native("log10", 0, 0, true, |machine, a| one(machine, a, MANY_STEPS, |a| a.log(true))),
    native("log", 0, 0, true, |machine, a| one(machine, a, MANY_STEPS, |a| a.log(true))),
    native("square_root", 0, 0, true, |machine, a| one(machine, a, STEPS, Decimal::square_root)),
    native("sqrt", 0, 0, true, |machine, a| one(machine, a, STEPS, Decimal::square_root)),
    native("ceiling", 0, 0, true, |machine, a| one(machine, a, STEPS, |a| a.whole(true))),
    native("ceil", 0, 0, true, |machine, a| one(machine, a, STEPS, |a| a.whole(true))),
    native("floor", 0, 0, true, |machine, a| one(machine, a, STEPS, |a| a.whole(false))),
    native("absolute", 0, 0, true, |machine, a| one(machine, a, STEPS, Decimal::absolute)),
    native("abs", 0, 0, true, |machine, a| one(machine, a, STEPS, Decimal::absolute)),
    native("neg", 0, 0, true, |machine, a| one(machine, a, STEPS, Decimal::negate)),
    native("negate", 0, 0, true, |machine, a| one(machine, a, STEPS, Decimal::negate)),
];

fn infinity(_: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let sign = convert(&arguments[0])?;
    Ok(Object::decimal(Decimal::Infinite { is_negative: sign.is_negative() }))
}

fn is_infinite(_: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    Ok(Value::Bool(matches!(convert(&arguments[0])?, Decimal::Infinite { .. })))
}

fn is_nan(_: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    Ok(Value::Bool(matches!(convert(&arguments[0])?, Decimal::NotANumber)))
}

fn convert(value: &Value) -> Done<Decimal> {
    match value {
        Value::Object(object) => match &*object.0 {
            Kind::Decimal(decimal) => return Ok(decimal.clone()),
            _ => return fault(format!("expected a number, found {}", value.type_name())),
        },
        Value::Int(int) => return Ok(Decimal::from(*int)),
        Value::Float(float) if float.is_nan() => return Ok(Decimal::NotANumber),
        Value::Float(float) if float.is_infinite() => {
            return Ok(Decimal::Infinite { is_negative: *float < 0.0 });
        }
        // The shortest text that reads back as the float: 0.1 is the decimal 0.1, without the 55 digits of its
        // exact value.
        Value::Float(float) => return Ok(parse(&float.to_string()).unwrap_or(Decimal::NotANumber)),
        _ => {}
    }
    let text = utf8(value)?;
    match parse(&text) {
        Some(decimal) => Ok(decimal),
        None => fault(format!("this is no decimal number: {text:.100}")),
    }
}

fn compared(arguments: &[Value], is_so: fn(Option<Ordering>) -> bool) -> Done<Value> {
    Ok(Value::Bool(is_so(convert(&arguments[0])?.order(&convert(&arguments[1])?))))
}

fn one(machine: &mut Machine<'_>, a: &[Value], steps: usize, act: fn(&Decimal) -> Decimal) -> Done<Value> {
    machine.budget.step(steps)?;
    Ok(Object::decimal(act(&convert(&a[0])?)))
}

fn two(
    machine: &mut Machine<'_>,
    a: &[Value],
    steps: usize,
    act: fn(&Decimal, &Decimal) -> Decimal,
) -> Done<Value> {
    machine.budget.step(steps)?;
    Ok(Object::decimal(act(&convert(&a[0])?, &convert(&a[1])?)))
}
