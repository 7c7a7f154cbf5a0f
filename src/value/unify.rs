//! Which types convert to which, and the common type of several (spec section 1, "Conversion").

use super::{ObjectType, Type};

/// The one type that values of all these types can be converted to: the type of a conditional with such
/// branches, and of the elements of a list made of such elements. `None` if there is none.
///
/// Of primitives, string takes in the others; a number and a bool have nothing in common. Tuples of one
/// length and objects with the same attributes go part by part; otherwise tuples become a list and objects a
/// map. A list takes in sets and tuples, a set tuples, a map objects. Next to anything that is no primitive,
/// a dynamic type leaves the whole dynamic. No types at all give the dynamic type.
///
/// Takes time linear in the size of the types, unless many different lists, sets and tuples are mixed.
///
/// ```
/// use objchange::Type;
/// use objchange::value::unify;
///
/// assert_eq!(unify([&Type::Number, &Type::String]), Some(Type::String));
/// assert_eq!(unify([&Type::Number, &Type::Bool]), None);
///
/// let pair = Type::tuple([Type::Number, Type::Number]);
/// assert_eq!(unify([&pair, &Type::tuple([Type::String])]), Some(Type::list(Type::String)));
/// ```
#[doc(alias = "UnifyUnsafe")]
pub fn unify<'t>(types: impl IntoIterator<Item = &'t Type>) -> Option<Type> {
    unify_all(&types.into_iter().collect::<Vec<_>>())
}

/// How many types there are of each kind.
#[derive(Default)]
struct Census {
    dynamic: usize,
    primitives: usize,
    lists: usize,
    sets: usize,
    maps: usize,
    tuples: usize,
    objects: usize,
}

impl Census {
    fn of(types: &[&Type]) -> Self {
        let mut census = Self::default();
        for ty in types {
            *match ty {
                Type::Dynamic => &mut census.dynamic,
                Type::String | Type::Number | Type::Bool => &mut census.primitives,
                Type::List(_) => &mut census.lists,
                Type::Set(_) => &mut census.sets,
                Type::Map(_) => &mut census.maps,
                Type::Tuple(_) => &mut census.tuples,
                Type::Object(_) => &mut census.objects,
            } += 1;
        }
        census
    }
}

fn unify_all(types: &[&Type]) -> Option<Type> {
    let [first, rest @ ..] = types else { return Some(Type::Dynamic) };
    if rest.iter().all(|ty| ty == first) {
        return Some(first.without_optional());
    }
    let census = Census::of(types);
    let typed = types.len() - census.dynamic;
    let one_kind = [census.lists, census.sets, census.maps, census.tuples, census.objects].contains(&typed);
    if one_kind && census.dynamic > 0 {
        return Some(Type::Dynamic);
    }
    match typed {
        n if n == census.primitives => unify_primitives(types),
        n if n == census.lists => unify_elements(types).map(Type::list),
        n if n == census.sets => unify_elements(types).map(Type::set),
        n if n == census.maps => unify_elements(types).map(Type::map),
        n if n == census.tuples => unify_tuples(types),
        n if n == census.objects => unify_objects(types),
        n if n == census.maps + census.objects && census.dynamic == 0 => {
            unify_parts(types, Type::map).or_else(|| preferred(types))
        }
        n if n == census.lists + census.tuples && census.dynamic == 0 => {
            unify_parts(types, Type::list).or_else(|| preferred(types))
        }
        n if n == census.maps + census.objects => preferred(types),
        n if n == census.lists + census.sets + census.tuples => preferred(types),
        _ => None,
    }
}

fn unify_primitives(types: &[&Type]) -> Option<Type> {
    let mut typed = types.iter().filter(|ty| ***ty != Type::Dynamic);
    if typed.clone().any(|ty| **ty == Type::String) {
        return Some(Type::String);
    }
    let first = *typed.next()?;
    typed.all(|ty| *ty == first).then(|| first.clone())
}

fn unify_elements(types: &[&Type]) -> Option<Type> {
    let elements: Vec<&Type> = types.iter().filter_map(|ty| ty.element()).collect();
    unify_all(&elements)
}

/// A collection of the common type of all elements and attributes.
fn unify_parts(types: &[&Type], collection: fn(Type) -> Type) -> Option<Type> {
    let mut parts = Vec::new();
    for ty in types {
        match ty {
            Type::List(e) | Type::Set(e) | Type::Map(e) => parts.push(&**e),
            Type::Tuple(t) => parts.extend(t.elements()),
            Type::Object(o) => parts.extend(o.attributes().iter().map(|(_, ty)| ty)),
            _ => {}
        }
    }
    let common = unify_all(&parts).map(collection)?;
    // A dynamic part hides that others have nothing in common.
    (!common.has_dynamic() || types.iter().all(|ty| ty.converts_to(&common))).then_some(common)
}

fn unify_tuples(types: &[&Type]) -> Option<Type> {
    let tuples: Vec<&[Type]> = types
        .iter()
        .filter_map(|ty| match ty {
            Type::Tuple(t) => Some(t.elements()),
            _ => None,
        })
        .collect();
    let length = tuples.first()?.len();
    if tuples.iter().any(|t| t.len() != length) {
        return unify_parts(types, Type::list);
    }
    let elements: Option<Vec<Type>> =
        (0..length).map(|i| unify_all(&tuples.iter().filter_map(|t| t.get(i)).collect::<Vec<_>>())).collect();
    elements.map(Type::tuple)
}

fn unify_objects(types: &[&Type]) -> Option<Type> {
    let objects: Vec<&ObjectType> = types.iter().filter_map(|ty| ty.as_object()).collect();
    let first = objects.first()?;
    let names = |o: &ObjectType| o.attributes().iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let expected = names(first);
    if objects.iter().any(|o| !o.attributes().iter().map(|(name, _)| name).eq(&expected)) {
        return unify_parts(types, Type::map);
    }
    let attributes: Option<Vec<_>> = expected
        .into_iter()
        .enumerate()
        .map(|(i, name)| {
            let column: Vec<&Type> =
                objects.iter().filter_map(|o| o.attributes().get(i).map(|(_, ty)| ty)).collect();
            Some((name, unify_all(&column)?))
        })
        .collect();
    attributes.map(Type::object)
}

/// The first list or map, or else set, that all the others convert to; those of strings before others.
fn preferred(types: &[&Type]) -> Option<Type> {
    let mut candidates: Vec<&Type> = types.iter().copied().filter(|ty| ty.is_collection()).collect();
    candidates.sort_by_key(|ty| (matches!(ty, Type::Set(_)), ty.element() != Some(&Type::String)));
    candidates.dedup();
    candidates
        .into_iter()
        .find(|candidate| types.iter().all(|ty| ty.converts_to(candidate)))
        .map(Type::without_optional)
}

impl Type {
    /// Whether there is a conversion from values of this type to another, though some values may be refused:
    /// a string that is no number, a map that lacks an attribute.
    ///
    /// ```
    /// use objchange::Type;
    ///
    /// assert!(Type::String.converts_to(&Type::Number));
    /// assert!(!Type::list(Type::String).converts_to(&Type::String));
    /// ```
    pub fn converts_to(&self, to: &Type) -> bool {
        match (self, to) {
            (_, Type::Dynamic) | (Type::Dynamic, _) => true,
            (Type::String | Type::Number | Type::Bool, Type::String)
            | (Type::String | Type::Number, Type::Number)
            | (Type::String | Type::Bool, Type::Bool) => true,
            (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
            | (Type::Map(from), Type::Map(to)) => from.converts_to(to),
            (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
                parts_convert_to(from.elements().iter(), to)
            }
            (Type::Object(from), Type::Map(to)) => {
                parts_convert_to(from.attributes().iter().map(|(_, ty)| ty), to)
            }
            (Type::Tuple(from), Type::Tuple(to)) => {
                from.elements().len() == to.elements().len()
                    && std::iter::zip(from.elements(), to.elements()).all(|(from, to)| from.converts_to(to))
            }
            (Type::Object(from), Type::Object(to)) => to.attributes().iter().all(|(name, to_type)| {
                from.attribute(name).map_or_else(|| to.is_optional(name), |from| from.converts_to(to_type))
            }),
            // An element for an optional attribute may be missing.
            (Type::Map(from), Type::Object(to)) => to
                .attributes()
                .iter()
                .all(|(name, to_type)| to.is_optional(name) || from.converts_to(to_type)),
            _ => false,
        }
    }
}

/// Whether parts of these types can be elements of one collection.
fn parts_convert_to<'t>(parts: impl Iterator<Item = &'t Type>, element: &Type) -> bool {
    if *element == Type::Dynamic {
        unify(parts).is_some()
    } else {
        let mut previous = None;
        parts.filter(|ty| previous.replace(*ty) != Some(*ty)).all(|ty| ty.converts_to(element))
    }
}
