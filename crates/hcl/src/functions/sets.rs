//! Sets: union, intersection, difference, product.

use objchange::value::{Kind, Marks, Refinements, unify};
use objchange::{Type, Value};

use super::limits::check_elements;
use super::seen::SeenValues;
use super::{Answer, any, elements, refined, unknown};
use crate::function::{Function, FunctionError, Functions, Parameter};

pub(super) fn add(functions: &mut Functions) {
    let set = |name| Parameter::new(name, Type::set(Type::Dynamic)).dynamic();
    let mut several = |name, body: fn(&[Value], &Type) -> Answer| {
        let function = Function::typed_by([set("first_set")], common_type, body);
        functions.insert(name, function.variadic(set("other_sets")));
    };
    several("setunion", |sets, ty| set_of_type(ty, sets.iter().flat_map(elements)));
    several("setintersection", |sets, ty| {
        known_or(sets, ty, |sets| {
            let others: Vec<SeenValues<'_>> =
                sets[1..].iter().map(|set| elements(set).iter().collect()).collect();
            let in_all = |element: &&Value| others.iter().all(|set| set.contains(element));
            set_of_type(ty, elements(&sets[0]).iter().filter(in_all))
        })
    });
    let subtract = Function::typed_by([set("a"), set("b")], common_type, |sets, ty| {
        known_or(sets, ty, |sets| {
            let others: SeenValues<'_> = elements(&sets[1]).iter().collect();
            set_of_type(ty, elements(&sets[0]).iter().filter(|element| !others.contains(element)))
        })
    });
    functions.insert("setsubtract", subtract);
    let product = Function::typed_by([], product_type, product).variadic(any("sets").unknown().marked());
    functions.insert("setproduct", product);
}

/// An empty set of no type takes no part.
fn common_type(sets: &[Value]) -> Result<Type, FunctionError> {
    let element = |set: &Value| set.ty().element().cloned().unwrap_or(Type::Dynamic);
    let types: Vec<Type> =
        sets.iter().filter(|set| !(set.is_empty() && element(set) == Type::Dynamic)).map(element).collect();
    // Typed elements must not lose their type to `dynamic`, unless an unknown set may still turn out to have that type.
    let is_known = sets.iter().all(Value::is_known);
    let loses =
        |common: &Type| is_known && *common == Type::Dynamic && types.iter().any(|ty| *ty != Type::Dynamic);
    let common = unify(&types).filter(|common| !loses(common));
    common.map(Type::set).ok_or(FunctionError::new("given sets must all have compatible element types"))
}

/// A set of the type of the result.
fn set_of_type<'v>(ty: &Type, elements: impl IntoIterator<Item = &'v Value>) -> Answer {
    let element = ty.element().unwrap_or(&Type::Dynamic);
    let convert =
        |value: &Value| value.convert(element).map_err(|error| FunctionError::new(error.to_string()));
    Ok(Value::set(element.clone(), elements.into_iter().map(convert).collect::<Result<Vec<_>, _>>()?)?)
}

/// Intersections and differences need every element to be known.
fn known_or(sets: &[Value], ty: &Type, answer: impl FnOnce(&[Value]) -> Answer) -> Answer {
    if !sets.iter().all(Value::is_wholly_known) {
        return Ok(unknown(ty.clone()));
    }
    answer(&sets.iter().map(|set| set_of_type(ty, elements(set))).collect::<Result<Vec<_>, _>>()?)
}

/// The type of the elements of one factor.
fn factor_type(position: usize, argument: &Value) -> Result<Type, FunctionError> {
    match argument.ty() {
        Type::List(element) | Type::Set(element) => Ok((**element).clone()),
        Type::Tuple(tuple) => unify(tuple.elements())
            .ok_or(FunctionError::argument(position, "all elements must be of the same type")),
        _ => Err(FunctionError::argument(position, "a set or a list is required")),
    }
}

/// A set if any factor is one.
fn product_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    if arguments.len() < 2 {
        return Err(FunctionError::new("at least two arguments are required"));
    }
    let types = arguments.iter().enumerate().map(|(i, argument)| factor_type(i, argument));
    let tuple = Type::tuple(types.collect::<Result<Vec<_>, _>>()?);
    // Terraform answers with a list only if no argument is a set.
    let is_set = arguments.iter().any(|argument| matches!(argument.ty(), Type::Set(_)));
    Ok(if is_set { Type::set(tuple) } else { Type::list(tuple) })
}

/// With larger bounds, the unknown result of `setproduct` has no upper bound of its length.
const MAX_PROMISED_FACTOR: u64 = 1024;
const MAX_PROMISED_LENGTH: u64 = 2048;

fn product(arguments: &[Value], ty: &Type) -> Answer {
    let marks = arguments.iter().fold(Marks::NONE, |marks, argument| marks | argument.marks());
    Ok(product_of(arguments, ty)?.with_marks(marks))
}

fn product_of(arguments: &[Value], ty: &Type) -> Answer {
    let element = ty.element().unwrap_or(&Type::Dynamic);
    let empty = || {
        if matches!(ty, Type::Set(_)) {
            Value::set(element.clone(), [] as [Value; 0])
        } else {
            Value::list(element.clone(), [] as [Value; 0])
        }
    };
    let has_length = |argument: &Value| match argument.kind() {
        // Unknown elements of a set may turn out equal, so its length is unknown.
        Kind::Set(set) => set.len() < 2 || argument.is_wholly_known(),
        _ => argument.is_known(),
    };
    if !arguments.iter().all(has_length) {
        let bounds = arguments.iter().map(|argument| match (argument.ty(), argument.len()) {
            (Type::Tuple(tuple), _) => Some(tuple.elements().len() as u64),
            (_, Some(length)) => has_length(argument).then_some(length as u64),
            _ => argument.refinements().and_then(|promised| promised.length_upper),
        });
        // Seen with Terraform 1.11.4 and 1.15.5: no bounds beyond these limits.
        let upper = bounds
            .map(|bound| bound.filter(|bound| *bound <= MAX_PROMISED_FACTOR))
            .try_fold(1_u64, |product, bound| Some(product.saturating_mul(bound?)))
            .filter(|product| *product <= MAX_PROMISED_LENGTH);
        return Ok(match upper {
            Some(0) => empty()?,
            Some(_) => {
                let promised =
                    // Terraform's lower bound is 1, whatever the lower bounds of the arguments are.
                    Refinements { length_lower: Some(1), length_upper: upper, ..Refinements::not_null() };
                refined(ty.clone(), promised)
            }
            None => unknown(ty.clone()),
        });
    }
    if arguments.iter().any(|argument| elements(argument).is_empty()) {
        return Ok(empty()?);
    }
    let mut lengths = arguments.iter().map(|argument| elements(argument).len());
    check_elements(lengths.try_fold(arguments.len(), usize::checked_mul))?;
    let Type::Tuple(types) = element else { return Ok(unknown(ty.clone())) };
    let mut factors = Vec::new();
    for (argument, ty) in std::iter::zip(arguments, types.elements()) {
        let convert =
            |value: &Value| value.convert(ty).map_err(|error| FunctionError::new(error.to_string()));
        factors.push(elements(argument).iter().map(convert).collect::<Result<Vec<_>, _>>()?);
    }
    let mut tuples: Vec<Vec<Value>> = vec![Vec::new()];
    for factor in &factors {
        let longer = |tuple: &Vec<Value>, value: &Value| tuple.iter().chain([value]).cloned().collect();
        tuples =
            tuples.iter().flat_map(|tuple| factor.iter().map(move |value| longer(tuple, value))).collect();
    }
    let tuples = tuples.into_iter().map(Value::tuple);
    Ok(match ty {
        Type::Set(_) => Value::set(element.clone(), tuples)?,
        _ => Value::list(element.clone(), tuples)?,
    })
}
