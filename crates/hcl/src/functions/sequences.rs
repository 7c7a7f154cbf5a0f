//! Functions on lists and tuples: joining, slicing, reversing, filtering.

use objchange::value::{Kind, Marks, Refinements, unify};
use objchange::{Type, Value};

use super::limits::check_elements;
use super::seen::SeenValues;
use super::{Answer, any, elements, number, refined, unknown, whole_named};
use crate::function::{Function, FunctionError, Functions, Parameter};

pub(super) fn add(functions: &mut Functions) {
    let list_of = |name, element| Parameter::new(name, Type::list(element));
    let mut typed = |name, parameters: Vec<Parameter>, ty: fn(&[Value]) -> TypeAnswer, body: Body| {
        functions.insert(name, Function::typed_by(parameters, ty, body));
    };
    typed("reverse", vec![any("list").marked()], reversed_type, reverse);
    typed(
        "slice",
        vec![any("list").marked(), number("start_index"), number("end_index")],
        sliced_type,
        slice,
    );
    typed(
        "chunklist",
        vec![list_of("list", Type::Dynamic).marked(), number("size").marked()],
        |a| Ok(Type::list(a[0].ty().clone())),
        chunk,
    );
    typed("distinct", vec![list_of("list", Type::Dynamic)], |a| Ok(a[0].ty().clone()), distinct);
    let lists = ["values", "keys", "searchset"].map(|name| list_of(name, Type::Dynamic));
    typed("matchkeys", lists.into(), matched_type, match_keys);
    let concat = Function::typed_by([], concatenated_type, concatenate).variadic(any("seqs").marked());
    functions.insert("concat", concat);
    let element = Function::typed_by([any("list").marked(), number("index")], element_type, element);
    functions.insert("element", element.nullable().glancing());
    let flatten = Function::new([any("list").marked()], Type::Dynamic, flatten);
    functions.insert("flatten", flatten.nullable());
    let vals = any("vals").null().unknown().dynamic();
    let coalesce =
        Function::typed_by([], first_type, |a, ty| Ok(first_list(a)?.unwrap_or(Value::unknown(ty.clone()))));
    functions.insert("coalescelist", coalesce.variadic(vals).nullable());
    let strings = Type::list(Type::String);
    functions.insert("compact", Function::new([list_of("list", Type::String)], strings.clone(), compact));
    functions.insert("sort", Function::new([list_of("list", Type::String).unknown()], strings, sort));
}

type Body = fn(&[Value], &Type) -> Answer;
type TypeAnswer = Result<Type, FunctionError>;

fn reversed_type(arguments: &[Value]) -> TypeAnswer {
    match arguments[0].ty() {
        ty @ Type::List(_) => Ok(ty.clone()),
        Type::Set(element) => Ok(Type::list((**element).clone())),
        // Tuples keep a type for each element.
        Type::Tuple(tuple) => Ok(Type::tuple(tuple.elements().iter().rev().cloned())),
        ty => {
            let found = ty.friendly_name();
            let message = format!("can only reverse list or tuple values, not {found}");
            Err(FunctionError::argument(0, message))
        }
    }
}

/// A list or a tuple, as the type says.
fn sequence(ty: &Type, elements: impl IntoIterator<Item = Value>) -> Answer {
    Ok(match ty {
        Type::List(element) => Value::list((**element).clone(), elements)?,
        _ => Value::tuple(elements),
    })
}

fn reverse(arguments: &[Value], ty: &Type) -> Answer {
    let reversed = sequence(ty, elements(&arguments[0]).iter().rev().cloned())?;
    Ok(reversed.with_marks(arguments[0].marks()))
}

/// The bounds of a slice, as far as they are known. Each is checked against the other known ones.
fn bounds(arguments: &[Value]) -> Result<(Option<usize>, Option<usize>), FunctionError> {
    let length = arguments[0].len().or(match arguments[0].ty() {
        Type::Tuple(tuple) => Some(tuple.elements().len()),
        _ => None,
    });
    let position = |i: usize, name: &str| match arguments[i].is_known() {
        false => Ok(None),
        true => {
            let wrong = |message: String| FunctionError::argument(i, message);
            let position = whole_named(&arguments[i], &format!("invalid {name}"));
            let position = usize::try_from(position.map_err(|error| wrong(error.to_string()))?)
                .map_err(|_| wrong(format!("{name} must not be less than zero")))?;
            match length {
                Some(length) if position > length => {
                    Err(wrong(format!("{name} must not be greater than the length of the list")))
                }
                _ => Ok(Some(position)),
            }
        }
    };
    let (start, end) = (position(1, "start index")?, position(2, "end index")?);
    if let (Some(start), Some(end)) = (start, end)
        && start > end
    {
        return Err(FunctionError::argument(1, "start index must not be greater than end index"));
    }
    Ok((start, end))
}

fn sliced_type(arguments: &[Value]) -> TypeAnswer {
    match arguments[0].ty() {
        Type::List(_) | Type::Tuple(_) => {}
        Type::Set(_) => {
            let message = "cannot slice a set, because its elements do not have indices; explicitly convert to a list \
                           if the ordering of the result is not important";
            return Err(FunctionError::argument(0, message));
        }
        _ => return Err(FunctionError::argument(0, "must be a list or tuple value")),
    }
    // The type of a part of a tuple needs both indexes.
    Ok(match (arguments[0].ty(), bounds(arguments)?) {
        (Type::Tuple(tuple), (Some(start), Some(end))) => {
            Type::tuple(tuple.elements()[start..end].iter().cloned())
        }
        (Type::Tuple(_), _) => Type::Dynamic,
        (ty, _) => ty.clone(),
    })
}

fn slice(arguments: &[Value], ty: &Type) -> Answer {
    let (start, end) = bounds(arguments)?;
    let part = elements(&arguments[0]).get(start.unwrap_or(0)..end.unwrap_or(0)).unwrap_or_default();
    Ok(sequence(ty, part.iter().cloned())?.with_marks(arguments[0].marks()))
}

fn chunk(arguments: &[Value], ty: &Type) -> Answer {
    let size = usize::try_from(whole_named(&arguments[1], "invalid size")?)
        .map_err(|_| FunctionError::new("the size argument must be positive"))?;
    let list = elements(&arguments[0]);
    let element = ty.element().and_then(Type::element).unwrap_or(&Type::Dynamic);
    // A size of 0 means one chunk with everything, as in Terraform.
    let size = if size == 0 { list.len().max(1) } else { size };
    let chunks = list.chunks(size).map(|chunk| Value::list(element.clone(), chunk));
    let chunks = Value::list(Type::list(element.clone()), chunks.collect::<Result<Vec<_>, _>>()?)?;
    Ok(chunks.with_marks(arguments[0].marks() | arguments[1].marks()))
}

fn distinct(arguments: &[Value], ty: &Type) -> Answer {
    let list = &arguments[0];
    // An unknown element may equal any other, so nothing is certain.
    if !list.is_wholly_known() {
        return Ok(unknown(ty.clone()));
    }
    let mut seen = SeenValues::default();
    sequence(ty, elements(list).iter().filter(|element| seen.insert(element)).cloned())
}

fn matched_type(arguments: &[Value]) -> TypeAnswer {
    let element = |i: usize| arguments[i].ty().element().unwrap_or(&Type::Dynamic);
    match unify([element(1), element(2)]) {
        Some(_) => Ok(arguments[0].ty().clone()),
        None => Err(FunctionError::new("keys and searchset must be of the same type")),
    }
}

fn match_keys(arguments: &[Value], ty: &Type) -> Answer {
    let [values, keys, wanted] = [0, 1, 2].map(|i| elements(&arguments[i]));
    if values.len() != keys.len() {
        return Err(FunctionError::new("length of keys and values should be equal"));
    }
    // Terraform needs both lists to be wholly known, although only matching elements matter.
    if !arguments[0].is_wholly_known() || !arguments[1].is_wholly_known() {
        return Ok(unknown(ty.clone()));
    }
    let element = |i: usize| arguments[i].ty().element().unwrap_or(&Type::Dynamic);
    let common = unify([element(1), element(2)]).unwrap_or(Type::Dynamic);
    let convert =
        |list: &[Value]| list.iter().map(|value| value.convert(&common)).collect::<Result<Vec<_>, _>>();
    let (Ok(keys), Ok(wanted)) = (convert(keys), convert(wanted)) else {
        return Err(FunctionError::new("keys and searchset must be of the same type"));
    };
    // The search ends at the first unknown wanted value; keys that only later values match have no match.
    let known = wanted.iter().position(|value| !value.is_wholly_known());
    let seen: SeenValues<'_> = wanted[..known.unwrap_or(wanted.len())].iter().collect();
    let mut matched = Vec::new();
    for (key, value) in std::iter::zip(&keys, values) {
        if seen.contains(key) {
            matched.push(value.clone());
        } else if known.is_some() {
            // Terraform answers with an empty list if it meets an unknown before a match.
            return sequence(ty, []);
        }
    }
    sequence(ty, matched)
}

fn concatenated_type(arguments: &[Value]) -> TypeAnswer {
    if arguments.is_empty() {
        return Err(FunctionError::new("at least one argument is required"));
    }
    let lists = arguments.iter().map(|argument| match argument.ty() {
        Type::List(element) => Some(&**element),
        _ => None,
    });
    if let Some(elements) = lists.collect::<Option<Vec<_>>>()
        && let Some(common) = unify(elements)
    {
        return Ok(Type::list(common));
    }
    let mut all = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        match (argument.ty(), argument.len()) {
            (Type::Tuple(tuple), _) => all.extend(tuple.elements().iter().cloned()),
            (Type::List(element), Some(length)) => {
                all.extend(std::iter::repeat_n((**element).clone(), length));
            }
            // Terraform ends here: later arguments are not even checked.
            (Type::List(_), None) => return Ok(Type::Dynamic),
            (ty, _) => {
                let found = ty.friendly_name();
                let message = format!("all arguments must be lists or tuples; got {found}");
                return Err(FunctionError::argument(i, message));
            }
        }
    }
    Ok(Type::tuple(all))
}

fn concatenate(arguments: &[Value], ty: &Type) -> Answer {
    let mut marks = Marks::NONE;
    let mut all = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        marks |= argument.marks();
        if matches!(ty, Type::List(_)) {
            let converted =
                argument.convert(ty).map_err(|error| FunctionError::argument(i, error.to_string()))?;
            all.extend_from_slice(elements(&converted));
        } else {
            all.extend_from_slice(elements(argument));
        }
    }
    Ok(sequence(ty, all)?.with_marks(marks))
}

/// The position of an element, counted modulo the length.
fn position(index: &Value, length: usize) -> Result<usize, FunctionError> {
    // Terraform takes the index modulo the length; negative ones count from the end.
    match whole_named(index, "invalid index")?.checked_rem_euclid(length as i64) {
        Some(position) => Ok(position as usize),
        None => Err(FunctionError::new("cannot use element function with an empty list")),
    }
}

fn element_type(arguments: &[Value]) -> TypeAnswer {
    match arguments[0].ty() {
        Type::List(element) => Ok((**element).clone()),
        Type::Tuple(_) if !arguments[1].is_known() => Ok(Type::Dynamic),
        Type::Tuple(tuple) => Ok(tuple.elements()[position(&arguments[1], tuple.elements().len())?].clone()),
        ty => Err(FunctionError::new(format!("cannot read elements from {}", ty.friendly_name()))),
    }
}

fn element(arguments: &[Value], _: &Type) -> Answer {
    let list = elements(&arguments[0]);
    let element = list[position(&arguments[1], list.len())?].clone();
    Ok(element.with_marks(arguments[0].marks()))
}

/// The result of flattening all nested lists, sets and tuples.
#[derive(Default)]
struct Flat {
    elements: Vec<Value>,
    /// The marks of all flattened values.
    marks: Marks,
    is_unknown: bool,
    /// The number of visited values.
    opened: usize,
}

impl Flat {
    fn open(&mut self, value: &Value) -> Result<(), FunctionError> {
        // A list may occur in it many times.
        // Each level may repeat the one before, so the count bounds the work, not memory.
        self.opened += 1;
        check_elements(Some(self.opened))?;
        match value.kind() {
            Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
                self.marks |= value.marks();
                elements.iter().try_for_each(|element| self.open(element))?;
            }
            Kind::Unknown(_) if is_sequence(value.ty()) || *value.ty() == Type::Dynamic => {
                self.marks |= value.marks();
                self.is_unknown = true;
            }
            _ => self.elements.push(value.clone()),
        }
        Ok(())
    }
}

fn is_sequence(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_))
}

fn flatten(arguments: &[Value], _: &Type) -> Answer {
    let mut flat = Flat::default();
    let whole = &arguments[0];
    if is_sequence(whole.ty()) {
        flat.open(whole)?;
    } else if whole.is_wholly_known() {
        return Err(FunctionError::new("can only flatten lists, sets and tuples"));
    } else {
        // Terraform checks the kind of a value only once it is wholly known. Until then it flattens maps and objects, too.
        flat.marks = whole.marks();
        match whole.kind() {
            Kind::Map(elements) => elements.iter().try_for_each(|(_, element)| flat.open(element))?,
            Kind::Object(object) => object.iter().try_for_each(|(_, element)| flat.open(element))?,
            _ => flat.is_unknown = true,
        }
    }
    let value = if flat.is_unknown { Value::unknown(Type::Dynamic) } else { Value::tuple(flat.elements) };
    Ok(value.with_marks(flat.marks))
}

/// The first list or tuple that is not empty, all being some up to the first that is not known.
fn first_list(arguments: &[Value]) -> Result<Option<Value>, FunctionError> {
    if arguments.is_empty() {
        return Err(FunctionError::new("at least one argument is required"));
    }
    // Terraform checks the types of all known arguments, even after the answer.
    let mut known = arguments.iter().take_while(|argument| argument.is_known());
    if !known.all(|argument| matches!(argument.ty(), Type::List(_) | Type::Tuple(_))) {
        return Err(FunctionError::new("coalescelist arguments must be lists or tuples"));
    }
    for argument in arguments {
        if !argument.is_known() {
            return Ok(None);
        }
        if argument.len() > Some(0) {
            return Ok(Some(argument.clone()));
        }
    }
    Err(FunctionError::new("no non-null arguments"))
}

fn first_type(arguments: &[Value]) -> TypeAnswer {
    Ok(first_list(arguments)?.map_or(Type::Dynamic, |list| list.ty().clone()))
}

fn compact(arguments: &[Value], ty: &Type) -> Answer {
    if !arguments[0].is_wholly_known() {
        return Ok(unknown(ty.clone()));
    }
    let is_text = |element: &&Value| element.as_str().is_some_and(|text| !text.is_empty());
    sequence(ty, elements(&arguments[0]).iter().filter(is_text).cloned())
}

fn sort(arguments: &[Value], ty: &Type) -> Answer {
    let list = &arguments[0];
    if list.is_wholly_known() {
        let mut texts: Vec<&Value> = elements(list).iter().collect();
        if let Some(i) = texts.iter().position(|text| text.is_null()) {
            let message = format!("given list element {i} is null; a null string cannot be sorted");
            return Err(FunctionError::new(message));
        }
        // The order of bytes in UTF-8 is that of code points: `sort(["b", "B"])` begins with `B`.
        texts.sort_by_key(|text| text.as_str());
        return sequence(ty, texts.into_iter().cloned());
    }
    // Sorting keeps the length, so the result has the bounds of the list.
    let (lower, upper) = match list.refinements() {
        Some(promised) => (promised.length_lower, promised.length_upper),
        None => (list.len().map(|n| n as u64), list.len().map(|n| n as u64)),
    };
    Ok(refined(
        ty.clone(),
        Refinements { length_lower: lower, length_upper: upper, ..Refinements::not_null() },
    ))
}
