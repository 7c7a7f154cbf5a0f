//! Numbers. Exact where Terraform is; powers and logarithms are of doubles.

use objchange::value::{Number, ParseNumberError};
use objchange::{Type, Value};

use super::limits::MAX_RANGE;
use super::{Answer, any, elements, number, quote, text, unknown, whole, whole_argument};
use crate::function::{Function, FunctionError, Functions, Parameter};

pub(super) fn add(functions: &mut Functions) {
    let mut add = |name, parameters: Vec<Parameter>, body: fn(&[Value], &Type) -> Answer| {
        functions.insert(name, Function::new(parameters, Type::Number, body));
    };
    add("abs", vec![number("num").dynamic().marked()], |a, _| {
        Ok(Value::from(known_number(&a[0]).abs()).with_marks(a[0].marks()))
    });
    add("ceil", vec![number("num")], |a, _| Ok(known_number(&a[0]).ceil().into()));
    add("floor", vec![number("num")], |a, _| Ok(known_number(&a[0]).floor().into()));
    add("log", vec![number("num"), number("base")], |a, _| {
        Ok(known_number(&a[0]).try_log(&known_number(&a[1]))?.into())
    });
    add("pow", vec![number("num"), number("power")], |a, _| {
        Ok(known_number(&a[0]).try_pow(&known_number(&a[1]))?.into())
    });
    // Terraform converts to a Go `int`, so fractions and larger numbers fail.
    add("signum", vec![number("num")], |a, _| Ok(whole(&a[0])?.signum().into()));
    add("sum", vec![any("list")], sum);
    let parse = Function::typed_by([any("number"), number("base")], text_only, parse_int);
    functions.insert("parseint", parse);
    let numbers = || number("numbers").dynamic();
    functions.insert("max", Function::new([], Type::Number, |a, _| extreme(a, Ord::max)).variadic(numbers()));
    functions.insert("min", Function::new([], Type::Number, |a, _| extreme(a, Ord::min)).variadic(numbers()));
    let range = Function::new([], Type::list(Type::Number), range);
    functions.insert("range", range.variadic(number("params")));
}

/// The number of an argument that is a known one.
fn known_number(value: &Value) -> Number {
    value.as_number().cloned().unwrap_or_default()
}

fn extreme(arguments: &[Value], choose: fn(Number, Number) -> Number) -> Answer {
    let numbers = arguments.iter().map(known_number);
    numbers.reduce(choose).map(Value::from).ok_or(FunctionError::new("must pass at least one number"))
}

fn sum(arguments: &[Value], _: &Type) -> Answer {
    let list = &arguments[0];
    match list.ty() {
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => {}
        // As in Terraform 1.11.4, which looks at the length first.
        Type::Map(_) | Type::Object(_) if list.len() == Some(0) => {
            return Err(FunctionError::argument(0, "cannot sum an empty list"));
        }
        ty @ (Type::Map(_) | Type::Object(_)) => {
            let found = ty.friendly_name();
            let message = format!("argument must be list, set, or tuple. Received {found}");
            return Err(FunctionError::argument(0, message));
        }
        _ => return Err(FunctionError::argument(0, "cannot sum noniterable")),
    }
    // Types are not checked then, as in Terraform.
    if !list.is_wholly_known() {
        return Ok(unknown(Type::Number));
    }
    let wrong = || FunctionError::argument(0, "argument must be list, set, or tuple of number values");
    let numbers = elements(list).iter().map(|element| {
        // Each element is converted by itself: `sum(["1", 2])` is 3 (Terraform 1.11.4).
        let number = element.convert(&Type::Number).ok().filter(|number| !number.is_null());
        number.map(|number| known_number(&number)).ok_or_else(wrong)
    });
    let mut total: Option<Number> = None;
    for number in numbers {
        let number = number?;
        total = Some(match total {
            Some(total) => total.try_add(&number)?,
            None => number,
        });
    }
    total.map(Value::from).ok_or(FunctionError::argument(0, "cannot sum an empty list"))
}

fn text_only(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::String => Ok(Type::Number),
        ty => {
            let found = ty.friendly_name();
            Err(FunctionError::argument(0, format!("first argument must be a string, not {found}")))
        }
    }
}

fn parse_int(arguments: &[Value], _: &Type) -> Answer {
    let base = u32::try_from(whole_argument(arguments, 1)?).unwrap_or(u32::MAX);
    let text = text(arguments, 0);
    Number::parse_integer(text, base).map(Value::from).map_err(|error| match error {
        ParseNumberError::Base => {
            FunctionError::argument(1, "base must be a whole number between 2 and 62 inclusive")
        }
        ParseNumberError::Empty | ParseNumberError::NotANumber | ParseNumberError::NotAnInteger { .. } => {
            FunctionError::argument(0, format!("cannot parse {} as a base {base} integer", quote(text)))
        }
        _ => FunctionError::argument(0, error.to_string()),
    })
}

/// Missing arguments have a fixed default: start 0, and step 1 or -1 by direction.
fn range(arguments: &[Value], _: &Type) -> Answer {
    let given: Vec<Number> = arguments.iter().map(known_number).collect();
    let direction = |start: &Number, end: &Number| Number::from(if start <= end { 1 } else { -1 });
    let (start, end, step) = match given.as_slice() {
        // Terraform steps down if the end is below the start.
        [end] => (Number::ZERO, end.clone(), direction(&Number::ZERO, end)),
        [start, end] => (start.clone(), end.clone(), direction(start, end)),
        [start, end, step] => (start.clone(), end.clone(), step.clone()),
        _ => {
            return Err(FunctionError::new("must have one, two, or three arguments"));
        }
    };
    let is_down = step < Number::ZERO;
    if is_down && end > start || !is_down && end < start {
        let message = match is_down {
            true => "end must be less than start when step is negative",
            false => "end must be greater than start when step is positive",
        };
        // Terraform blames the end, even if the step has the wrong sign.
        return Err(FunctionError::argument(1, message));
    }
    let too_many = || {
        FunctionError::new(
            "more than 1024 values were generated; either decrease the difference between start and end or use a \
             smaller step",
        )
    };
    // A step of zero has no message of its own: Terraform finds that there are too many values (Terraform 1.11.4).
    if step == Number::ZERO && start != end {
        return Err(too_many());
    }
    let mut numbers = Vec::new();
    let mut next = start;
    while if is_down { next > end } else { next < end } {
        if numbers.len() == MAX_RANGE {
            return Err(too_many());
        }
        numbers.push(Value::from(next.clone()));
        next = next.try_add(&step)?;
    }
    Ok(Value::list(Type::Number, numbers)?)
}
