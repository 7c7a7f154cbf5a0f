//! Limits the output of templates. A template comes from a repository, so anybody who can change that can write one.
//!
//! The template engine counts steps, not the text that a step makes: doubling a text forty times takes a terabyte. So
//! operators, literals, output and filters pay for their result before they make it. The total stays within [`ROOM`],
//! even if the template keeps little of it. Comparisons, tests and indices make little, but look at all of their operands:
//! what is looked at stays within [`LOOKS`]. All of them stop when the time is over.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use minijinja::machinery::{
    CodeGenerator, Instruction, Instructions, Token, WhitespaceConfig, parse, tokenize,
};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, filters, functions};
use objchange_text::TimeLimit;

use super::MarkdownTemplate;
use crate::report::TemplateError;

/// The approximate maximum size of the values and the text of one page, in bytes. A page of a site has 64 KiB.
const ROOM: u64 = 64 << 20;

/// The approximate maximum size of all values that comparisons, tests and indices look at for one page, in bytes. Without
/// optimisation, counting the characters of so much text takes about 3 s.
const LOOKS: u64 = 256 << 20;

/// The size of a value besides its text, in bytes.
const OWN: u64 = 24;

/// The maximum nesting of collections: walks are recursive, so each level takes stack.
const MAX_DEPTH: usize = 200;

/// The maximum number of operators, filters and attributes of one tag: each nests the one before.
const MAX_OPERATORS: usize = 200;

/// The maximum number of `elif` of a template: each nests in the one before.
const MAX_ELIF: usize = 200;

/// The maximum length of a line with tags. The engine (minijinja 2.24) counts columns in 16 bits, and adds one to the
/// last in an error.
const MAX_LINE: usize = 65_000;

const WHITESPACE: WhitespaceConfig =
    WhitespaceConfig { keep_trailing_newline: true, lstrip_blocks: true, trim_blocks: true };

/// The bytes left of [`ROOM`] and of [`LOOKS`], and the time.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    made: Arc<AtomicU64>,
    looked: Arc<AtomicU64>,
    time: TimeLimit,
}

impl Budget {
    pub(super) fn new(time: TimeLimit) -> Self {
        Self::of([ROOM, LOOKS], time)
    }

    /// So many bytes to make, and to look at.
    pub(super) fn of(bytes: [u64; 2], time: TimeLimit) -> Self {
        let [made, looked] = bytes.map(|bytes| Arc::new(AtomicU64::new(bytes)));
        Self { made, looked, time }
    }

    /// Pays for what is made next.
    pub(super) fn pay(&self, bytes: u64) -> Result<(), Error> {
        self.in_time()?;
        take(&self.made, bytes).ok_or_else(too_much)
    }

    fn in_time(&self) -> Result<(), Error> {
        match self.time.is_over() {
            true => Err(refused(format!("the template {}", self.time))),
            false => Ok(()),
        }
    }

    /// Pays for a look at all of these values, with the parts of their parts.
    fn look(&self, values: &[Value]) -> Result<(), Error> {
        self.look_often(values, 1)
    }

    /// Pays for so many looks at all of these values.
    fn look_often(&self, values: &[Value], times: u64) -> Result<(), Error> {
        self.in_time()?;
        let (mut bytes, most) = (0, self.looked.load(Ordering::Relaxed));
        for value in values {
            weigh(value, 0, &mut bytes, most).map_err(|weight| weight.error(looks_at_too_much))?;
        }
        take(&self.looked, bytes.saturating_mul(times)).ok_or_else(looks_at_too_much)
    }

    /// Pays for so many looks at the attribute of an element.
    fn look_at(&self, element: &Value, attribute: &str, times: u64) -> Result<(), Error> {
        let step = |value: Value, step: &str| match step.parse() {
            Ok(index) => value.get_item_by_index(index),
            Err(_) => value.get_attr(step),
        };
        let part = attribute.trim().split('.').try_fold(element.clone(), step).unwrap_or_default();
        self.look_often(&[part], times)
    }

    /// Pays for a look at texts, and at as many elements as must be counted to find one.
    fn glance(&self, values: &[Value]) -> Result<(), Error> {
        let bytes = |value: &Value| match value.kind() {
            ValueKind::Iterable => length(value).saturating_mul(OWN),
            _ => OWN + text_len(value),
        };
        self.in_time()?;
        take(&self.looked, values.iter().map(bytes).sum()).ok_or_else(looks_at_too_much)
    }

    /// Pays for the text of values, which shared parts are in as often as they are shared.
    pub(super) fn pay_text(&self, values: &[Value]) -> Result<(), Error> {
        let mut bytes = 0;
        values.iter().try_for_each(|value| self.weigh(value, &mut bytes))?;
        self.pay(bytes)
    }

    /// Adds the size of a value that is to be made.
    fn weigh(&self, value: &Value, bytes: &mut u64) -> Result<(), Error> {
        let most = self.made.load(Ordering::Relaxed);
        weigh(value, 0, bytes, most).map_err(|weight| weight.error(too_much))
    }

    /// Pays for a collection of so many elements that are there already.
    fn pay_elements(&self, count: u64) -> Result<(), Error> {
        self.pay(count.saturating_mul(OWN))
    }
}

/// Takes so many bytes of those that are left.
fn take(left: &AtomicU64, bytes: u64) -> Option<()> {
    let after = left.load(Ordering::Relaxed).checked_sub(bytes);
    // One thread makes a page; filters must be able to cross threads.
    left.store(after.unwrap_or(0), Ordering::Relaxed);
    after.map(drop)
}

/// Why a value has no weight.
enum Unweighed {
    TooHeavy,
    Error(Error),
}

impl Unweighed {
    fn error(self, too_heavy: impl FnOnce() -> Error) -> Error {
        match self {
            Self::TooHeavy => too_heavy(),
            Self::Error(error) => error,
        }
    }
}

/// Adds the size of a value, up to a limit. Shared parts count as often as they are shared.
fn weigh(value: &Value, depth: usize, bytes: &mut u64, most: u64) -> Result<(), Unweighed> {
    *bytes += OWN + text_len(value);
    if *bytes > most {
        return Err(Unweighed::TooHeavy);
    }
    if depth > MAX_DEPTH {
        return Err(Unweighed::Error(refused("lists and objects are within each other too deeply")));
    }
    let is_map = value.kind() == ValueKind::Map;
    if !is_map && !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return Ok(());
    }
    for element in value.try_iter().map_err(Unweighed::Error)? {
        if is_map {
            weigh(&value.get_item(&element).map_err(Unweighed::Error)?, depth + 1, bytes, most)?;
        }
        weigh(&element, depth + 1, bytes, most)?;
    }
    Ok(())
}

fn looks_at_too_much() -> Error {
    refused(format!("the template looks at more than {} MiB", LOOKS >> 20))
}

fn too_much() -> Error {
    refused(format!("the template makes more than {} MiB", ROOM >> 20))
}

fn refused(why: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidOperation, why)
}

fn text_len(value: &Value) -> u64 {
    value.as_str().map_or(0, str::len) as u64
}

/// The elements of a list, or the bytes of a text.
fn length(value: &Value) -> u64 {
    value.as_str().map_or_else(|| value.len().unwrap_or(1), str::len) as u64
}

/// Refuses a template in which so much is nested that reading it takes more of the stack than there is.
pub(super) fn check_nesting(text: &str) -> Result<(), TemplateError> {
    let error = |line, message| Err(TemplateError { line, message });
    let most = MarkdownTemplate::MAX_LENGTH;
    if text.len() as u64 > most {
        return error(None, format!("the template is longer than {} KiB", most >> 10));
    }
    if let Some(long) = text.split('\n').position(|line| line.len() > MAX_LINE && line.contains('{')) {
        let why = format!("the line has tags and more than {MAX_LINE} bytes");
        return error(Some(long + 1), why);
    }
    let (mut operators, mut elif, mut is_block_start) = (0, 0, false);
    for token in tokenize(text, false, SyntaxConfig, WHITESPACE) {
        // Compiling the template reports this error with its line.
        let Ok((token, span)) = token else { break };
        match &token {
            Token::VariableStart | Token::BlockStart => operators = 0,
            Token::Ident("elif") if is_block_start => elif += 1,
            Token::Ident("not" | "is" | "in" | "and" | "or" | "if" | "else") => operators += 1,
            Token::Plus | Token::Minus | Token::Mul | Token::Div | Token::FloorDiv | Token::Mod => {
                operators += 1;
            }
            Token::Pow | Token::Tilde | Token::Dot | Token::Pipe | Token::BracketOpen => operators += 1,
            Token::ParenOpen | Token::BraceOpen => operators += 1,
            Token::Eq | Token::Ne | Token::Gt | Token::Gte | Token::Lt | Token::Lte => operators += 1,
            _ => {}
        }
        is_block_start = matches!(token, Token::BlockStart);
        let why = match (operators > MAX_OPERATORS, elif > MAX_ELIF) {
            (true, _) => format!("a tag has more than {MAX_OPERATORS} operators, filters and brackets"),
            (_, true) => format!("the template has more than {MAX_ELIF} `elif`"),
            _ => continue,
        };
        return error(Some(span.start_line.into()), why);
    }
    Ok(())
}

const CONCAT: &str = "~";
const ADD: &str = "+";
const MULTIPLY: &str = "*";
const LIST: &str = "[";
const MAP: &str = "{";
const KEEP: &str = "=";
const LOOK: &str = "?";
const GLANCE: &str = "!";
const SLICE: &str = ":";
const CHANGED: &str = "#";

/// Compiles a template to instructions that pay for their results, with the filters of [`add_filters`]. Templates
/// cannot redefine `~`, because it is an operator.
pub(super) fn compile<'t>(name: &'t str, text: &'t str) -> Result<Instructions<'t>, Error> {
    let tree = parse(text, name, SyntaxConfig, WHITESPACE)?;
    let mut generator = CodeGenerator::new(name, text);
    generator.compile_stmt(&tree);
    let (plain, _) = generator.finish();
    let mut paying = Instructions::new(name, text);
    // Where each instruction is now: some became several.
    let mut places = Vec::new();
    let mut index = 0;
    while let Some(instruction) = plain.get(index) {
        let line = plain.get_line(index).and_then(|line| u16::try_from(line).ok()).unwrap_or(0);
        for (i, replaced) in replaced(instruction)?.into_iter().enumerate() {
            let place = paying.add_with_line(replaced, line);
            if i == 0 {
                places.push(place);
            }
        }
        index += 1;
    }
    // Behind the last one.
    places.push(paying.add(Instruction::LoadConst(Value::UNDEFINED)));
    for index in 0..paying_len(&places) {
        let Some(
            Instruction::Jump(target)
            | Instruction::Iterate(target)
            | Instruction::JumpIfFalse(target)
            | Instruction::JumpIfFalseOrPop(target)
            | Instruction::JumpIfTrueOrPop(target),
        ) = paying.get_mut(index)
        else {
            continue;
        };
        *target = places.get(*target as usize).copied().unwrap_or(*target);
    }
    Ok(paying)
}

fn paying_len(places: &[u32]) -> u32 {
    places.last().copied().unwrap_or(0)
}

/// The instruction in the form that pays.
fn replaced<'t>(instruction: &Instruction<'t>) -> Result<Vec<Instruction<'t>>, Error> {
    /// The engine looks a filter up each time, where it is not among the first fifty.
    const NOT_REMEMBERED: u8 = u8::MAX;
    let apply = |name, operands| Instruction::ApplyFilter(name, Some(operands), NOT_REMEMBERED);
    let operator = |name, operands: usize| match u16::try_from(operands) {
        Ok(operands) => Ok(apply(name, operands)),
        Err(_) => Err(refused("a list or an object in the template has too many elements")),
    };
    let looking = |name, operands: usize, instruction: &Instruction<'t>| {
        let look = [Instruction::DupTop, apply(name, 1), Instruction::DiscardTop];
        let swap = (operands == 2).then_some(Instruction::Swap);
        let looks = std::iter::repeat_n(swap.into_iter().chain(look), operands).flatten();
        Ok(looks.chain([instruction.clone()]).collect())
    };
    Ok(vec![match instruction {
        Instruction::StringConcat => operator(CONCAT, 2)?,
        Instruction::Add => operator(ADD, 2)?,
        Instruction::Mul => operator(MULTIPLY, 2)?,
        Instruction::BuildList(Some(count)) => operator(LIST, *count)?,
        Instruction::BuildMap(count) => operator(MAP, count.saturating_mul(2))?,
        Instruction::EmitRaw(text) => {
            let text = Value::from_safe_string((*text).to_owned());
            return Ok(vec![Instruction::LoadConst(text), Instruction::Emit]);
        }
        Instruction::Slice => operator(SLICE, 4)?,
        Instruction::Eq
        | Instruction::Ne
        | Instruction::Gt
        | Instruction::Gte
        | Instruction::Lt
        | Instruction::Lte
        | Instruction::In
        | Instruction::CompareAndPreserve(_)
        | Instruction::PerformTest(_, Some(2), _) => return looking(LOOK, 2, instruction),
        Instruction::PerformTest(_, None, _) | Instruction::CallMethod("changed", None) => {
            return Err(refused("`*` and `**` cannot stand before arguments of a test or of `loop.changed`"));
        }
        Instruction::CallMethod("changed", Some(operands)) => operator(CHANGED, (*operands).into())?,
        Instruction::GetItem => return looking(GLANCE, 2, instruction),
        Instruction::PerformTest(_, Some(1), _) => return looking(GLANCE, 1, instruction),
        // The object is on top of the value.
        Instruction::SetAttr(_) => {
            return Ok(vec![Instruction::Swap, operator(KEEP, 1)?, Instruction::Swap, instruction.clone()]);
        }
        other => other.clone(),
    }])
}

/// Adds the filters and functions of templates, which pay for what they make.
pub(super) fn add_filters(environment: &mut Environment<'_>, budget: &Budget) {
    let mut add = |name: &'static str,
                   action: fn(&Budget, &State<'_, '_>, &[Value]) -> Result<Value, Error>| {
        let budget = budget.clone();
        environment.add_filter(name, move |state: &State<'_, '_>, operands: Rest<Value>| {
            action(&budget, state, &operands)
        });
    };
    add(CONCAT, |budget, _, operands| {
        defined(operands)?;
        budget.pay_text(operands)?;
        Ok(operands.iter().map(ToString::to_string).collect::<String>().into())
    });
    add(ADD, |budget, _, operands| add_values(budget, pair(operands)?));
    add(MULTIPLY, |budget, _, operands| multiply(budget, pair(operands)?));
    add(LIST, |budget, _, operands| {
        budget.pay_text(operands)?;
        Ok(Value::from(operands.to_vec()))
    });
    add(MAP, |budget, _, operands| {
        budget.pay_text(operands)?;
        Ok(operands.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
    });
    // A namespace in itself would be an object without an end.
    add(KEEP, |_, _, operands| match operands {
        [value] if holds_namespace(value, 0)? => Err(refused("a namespace cannot hold a namespace")),
        [value] => Ok(value.clone()),
        _ => Err(Error::from(ErrorKind::InvalidOperation)),
    });
    add(LOOK, |budget, _, operands| match operands {
        [value] => budget.look(operands).map(|()| value.clone()),
        _ => Err(Error::from(ErrorKind::InvalidOperation)),
    });
    add(GLANCE, |budget, _, operands| match operands {
        [value] => budget.glance(operands).map(|()| value.clone()),
        _ => Err(Error::from(ErrorKind::InvalidOperation)),
    });
    add(SLICE, |budget, state, operands| match operands {
        [value, start, stop, step] => {
            budget.glance(std::slice::from_ref(value))?;
            budget.pay(length(value))?;
            let parts = [("value", value), ("start", start), ("stop", stop), ("step", step)];
            let parts: BTreeMap<&str, Value> = parts.map(|(name, part)| (name, part.clone())).into();
            state.env().compile_expression("value[start:stop:step]")?.eval(parts)
        }
        _ => Err(Error::from(ErrorKind::InvalidOperation)),
    });
    add(CHANGED, |budget, state, operands| match operands {
        [loops, values @ ..] => {
            budget.look(values)?;
            loops.call_method(state, "changed", values)
        }
        [] => Err(Error::from(ErrorKind::InvalidOperation)),
    });
    let mut wrap = |name: &'static str, price: Price, filter: Value| {
        let budget = budget.clone();
        environment.add_filter(name, move |state: &State<'_, '_>, operands: Rest<Value>| {
            price(&budget, &operands)?;
            filter.call(state, &operands)
        });
    };
    let of_text: Price = |budget, operands| budget.pay_text(operands);
    for (name, filter) in [
        ("capitalize", Value::from_function(filters::capitalize)),
        ("e", Value::from_function(filters::escape)),
        ("escape", Value::from_function(filters::escape)),
        ("lines", Value::from_function(filters::lines)),
        ("lower", Value::from_function(filters::lower)),
        ("safe", Value::from_function(filters::safe)),
        ("split", Value::from_function(filters::split)),
        ("string", Value::from_function(filters::string)),
        ("title", Value::from_function(filters::title)),
        ("trim", Value::from_function(filters::trim)),
        ("upper", Value::from_function(filters::upper)),
        ("zip", Value::from_function(filters::zip)),
    ] {
        wrap(name, of_text, filter);
    }
    let of_elements: Price = |budget, operands| budget.pay_elements(operands.iter().map(length).sum());
    for (name, filter) in [
        ("chain", Value::from_function(filters::chain)),
        ("list", Value::from_function(filters::list)),
        ("reverse", Value::from_function(filters::reverse)),
    ] {
        wrap(name, of_elements, filter);
    }
    for (name, filter) in [
        ("dictsort", Value::from_function(filters::dictsort)),
        ("groupby", Value::from_function(filters::groupby)),
        ("sort", Value::from_function(filters::sort)),
        ("unique", Value::from_function(filters::unique)),
    ] {
        wrap(name, ordered, filter);
    }
    for (name, filter) in [
        ("map", Value::from_function(filters::map)),
        ("reject", Value::from_function(filters::reject)),
        ("select", Value::from_function(filters::select)),
    ] {
        wrap(name, each, filter);
    }
    for (name, filter) in [
        ("rejectattr", Value::from_function(filters::rejectattr)),
        ("selectattr", Value::from_function(filters::selectattr)),
    ] {
        wrap(name, each_attribute, filter);
    }
    wrap("items", of_elements, Value::from_function(filters::items));
    let of_glance: Price = Budget::glance;
    for (name, filter) in [
        ("count", Value::from_function(filters::length)),
        ("first", Value::from_function(filters::first)),
        ("float", Value::from_function(filters::float)),
        ("int", Value::from_function(filters::int)),
        ("last", Value::from_function(filters::last)),
        ("length", Value::from_function(filters::length)),
    ] {
        wrap(name, of_glance, filter);
    }
    let of_look: Price = Budget::look;
    for (name, filter) in [
        ("max", Value::from_function(filters::max)),
        ("min", Value::from_function(filters::min)),
        ("sum", Value::from_function(filters::sum)),
    ] {
        wrap(name, of_look, filter);
    }
    wrap("batch", filled, Value::from_function(filters::batch));
    wrap("slice", filled, Value::from_function(filters::slice));
    wrap("format", formatted, Value::from_function(filters::format));
    wrap("indent", indented, Value::from_function(filters::indent));
    wrap("join", joined, Value::from_function(filters::join));
    wrap("pprint", printed, Value::from_function(filters::pprint));
    wrap("replace", replaced_text, Value::from_function(filters::replace));
    let kept = budget.clone();
    environment.add_function("dict", move |value: Option<Value>, members: Kwargs| {
        let dict = functions::dict(value, members)?;
        kept.pay_text(std::slice::from_ref(&dict)).map(|()| dict)
    });
    environment.add_function("namespace", |defaults: Option<Value>| match &defaults {
        Some(defaults) if holds_namespace(defaults, 0)? => {
            Err(refused("a namespace cannot hold a namespace"))
        }
        _ => functions::namespace(defaults),
    });
}

/// Pays for what a filter makes of operands.
type Price = fn(&Budget, &[Value]) -> Result<(), Error>;

fn pair(operands: &[Value]) -> Result<(&Value, &Value), Error> {
    defined(operands)?;
    match operands {
        [first, second] => Ok((first, second)),
        _ => Err(Error::from(ErrorKind::InvalidOperation)),
    }
}

fn defined(operands: &[Value]) -> Result<(), Error> {
    match operands.iter().any(Value::is_undefined) {
        true => Err(Error::from(ErrorKind::UndefinedError)),
        false => Ok(()),
    }
}

fn is_list(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable)
}

fn add_values(budget: &Budget, (a, b): (&Value, &Value)) -> Result<Value, Error> {
    if is_list(a) && is_list(b) {
        budget.pay_elements(length(a) + length(b))?;
        return Ok(a.try_iter()?.chain(b.try_iter()?).collect());
    }
    if let (Some(first), Some(second)) = (a.as_str(), b.as_str()) {
        budget.pay(text_len(a) + text_len(b))?;
        return Ok([first, second].concat().into());
    }
    number(ADD, a, b, i128::checked_add, |a, b| a + b)
}

fn multiply(budget: &Budget, (a, b): (&Value, &Value)) -> Result<Value, Error> {
    let (many, times) = if b.as_str().is_some() || is_list(b) { (b, a) } else { (a, b) };
    if many.as_str().is_none() && !is_list(many) {
        return number(MULTIPLY, a, b, i128::checked_mul, |a, b| a * b);
    }
    let Some(times) = times.as_usize() else {
        return Err(refused("texts and lists can be multiplied by whole numbers only"));
    };
    let made = length(many).saturating_mul(times as u64);
    match many.as_str() {
        Some(text) => budget.pay(made).map(|()| text.repeat(times).into()),
        None => {
            budget.pay_elements(made)?;
            let elements: Vec<Value> = many.try_iter()?.collect();
            Ok(std::iter::repeat_n(elements, times).flatten().collect())
        }
    }
}

fn number(
    operator: &str,
    a: &Value,
    b: &Value,
    whole: fn(i128, i128) -> Option<i128>,
    float: fn(f64, f64) -> f64,
) -> Result<Value, Error> {
    if let (Ok(a), Ok(b), true) = (
        i128::try_from(a.clone()),
        i128::try_from(b.clone()),
        [a, b].iter().all(|operand| operand.is_integer() || operand.kind() == ValueKind::Bool),
    ) {
        let number = whole(a, b).ok_or_else(|| refused("a number is too large"))?;
        return Ok(i64::try_from(number).map_or_else(|_| Value::from(number), Value::from));
    }
    match (f64::try_from(a.clone()), f64::try_from(b.clone())) {
        (Ok(a), Ok(b)) => Ok(float(a, b).into()),
        _ => Err(refused(format!("`{operator}` does not go with {} and {}", a.kind(), b.kind()))),
    }
}

fn holds_namespace(value: &Value, depth: usize) -> Result<bool, Error> {
    let Some(object) = value.as_object() else { return Ok(false) };
    if object.type_name().ends_with("Namespace") {
        return Ok(true);
    }
    if depth > MAX_DEPTH {
        return Err(refused("lists and objects are within each other too deeply"));
    }
    let is_map = value.kind() == ValueKind::Map;
    if !is_map && !is_list(value) {
        return Ok(false);
    }
    for element in value.try_iter()? {
        let inner = if is_map { value.get_item(&element)? } else { element };
        if holds_namespace(&inner, depth + 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The operand at this place, or of this name.
fn operand(operands: &[Value], index: usize, name: &str) -> Option<Value> {
    let named = operands.last().filter(|last| last.is_kwargs()).and_then(|named| named.get_attr(name).ok());
    let placed = operands.get(index).filter(|value| !value.is_kwargs()).cloned();
    placed.or(named).filter(|value| !value.is_undefined())
}

/// Filters that compare each element with some others, as a whole or by attributes.
fn ordered(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    let Some((list, others)) = operands.split_first() else { return Ok(()) };
    let count = length(list);
    let compared = u64::from(count.max(1).ilog2()) + 1;
    budget.pay_elements(count)?;
    budget.look_often(others, count.saturating_mul(compared))?;
    match operand(operands, 1, "attribute").as_ref().and_then(Value::as_str) {
        None => budget.look_often(std::slice::from_ref(list), compared),
        Some(names) => {
            for element in list.try_iter()? {
                names.split(',').try_for_each(|name| budget.look_at(&element, name, compared))?;
            }
            Ok(())
        }
    }
}

/// Filters that look at each element with all other operands. A filter that `map` applies pays for itself.
fn each(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    each_part(budget, operands, None)
}

/// Tests of an attribute of each element.
fn each_attribute(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    each_part(budget, operands, operands.get(1))
}

fn each_part(budget: &Budget, operands: &[Value], attribute: Option<&Value>) -> Result<(), Error> {
    let Some((list, others)) = operands.split_first() else { return Ok(()) };
    budget.pay_elements(length(list))?;
    budget.look_often(others, length(list))?;
    match (others, attribute.and_then(Value::as_str)) {
        ([], _) => Ok(()),
        (_, Some(name)) => list.try_iter()?.try_for_each(|element| budget.look_at(&element, name, 1)),
        // A test of one value, such as `defined` and `lower`, sees no part of it.
        ([_], None) => list.try_iter()?.try_for_each(|element| budget.glance(&[element])),
        (_, None) => budget.look(std::slice::from_ref(list)),
    }
}

/// `batch` and `slice`: lists of so many elements, or so many lists, with a value where there are too few.
fn filled(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    let count = operand(operands, 1, "count").and_then(|count| count.as_usize()).unwrap_or(0) as u64;
    budget.pay_elements(operands.first().map_or(0, length).saturating_add(count))
}

/// `format`: the result of each directive may be as wide as the format or a number says, or as long as the longest operand.
fn formatted(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    budget.pay_text(operands)?;
    let Some(format) = operands.first().and_then(Value::as_str) else { return Ok(()) };
    let digits = format.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let written = digits.map(|digits| digits.parse().unwrap_or(u64::MAX)).max().unwrap_or(0);
    let given = match format.contains('*') {
        true => {
            operands.iter().filter_map(minijinja::Value::as_i64).map(i64::unsigned_abs).max().unwrap_or(0)
        }
        false => 0,
    };
    let mut longest = 0;
    for value in &operands[1..] {
        let mut bytes = 0;
        budget.weigh(value, &mut bytes)?;
        longest = longest.max(bytes);
    }
    let widest = written.max(given).saturating_add(longest);
    budget.pay(widest.saturating_mul(format.matches('%').count() as u64))?;
    // The engine's own formatting panics at a greater precision.
    match written.max(given) > u64::from(u16::MAX) {
        true => Err(refused(format!("`format` writes at most {} characters for one value", u16::MAX))),
        false => Ok(()),
    }
}

fn indented(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    budget.pay_text(operands)?;
    let width = operand(operands, 1, "width").and_then(|width| width.as_usize()).unwrap_or(4) as u64;
    let lines = operands.first().and_then(Value::as_str).map_or(1, |text| text.matches('\n').count() + 1);
    budget.pay(width.saturating_mul(lines as u64 + 1))
}

fn joined(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    budget.pay_text(operands)?;
    let between = operand(operands, 1, "d").map_or(0, |joiner| text_len(&joiner));
    budget.pay(between.saturating_mul(operands.first().map_or(0, length)))
}

/// `pprint`: a line for each value, indented by four for each collection around it.
fn printed(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    let mut bytes = 0;
    operands.iter().try_for_each(|value| budget.weigh(value, &mut bytes))?;
    budget.pay(bytes.saturating_mul(16))
}

fn replaced_text(budget: &Budget, operands: &[Value]) -> Result<(), Error> {
    budget.pay_text(operands)?;
    let [text, old, new] =
        [0, 1, 2].map(|index| operands.get(index).map(ToString::to_string).unwrap_or_default());
    let times = if old.is_empty() { text.chars().count() + 1 } else { text.matches(&*old).count() };
    budget.pay((new.len() as u64).saturating_mul(times as u64))
}
