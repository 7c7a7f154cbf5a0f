//! Conversions between types, and the common type of several.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use hashbrown::HashMap;

use super::{ObjectType, Type};

/// The type that values of all these types can be converted to: the type of a conditional with such
/// branches, and of the elements of a list made of such elements. `None` if there is none.
///
/// Among primitives string takes in the others; a number and a bool have nothing in common. Tuples of one
/// length and objects with the same attributes go part by part; otherwise tuples become a list and objects
/// a map. A list takes in sets and tuples, a set tuples, a map objects. Next to anything that is not a
/// primitive, and next to types that have nothing in common, a dynamic type leaves the whole dynamic. No
/// types at all give the dynamic type.
///
/// Takes time linear in the size of the types times their depth, unless many different lists, sets and tuples
/// are mixed. Where finding out would take unreasonable time the answer is `None`, too;
/// [`convert`](crate::Value::convert) tells that apart.
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
    Unifier::default().common(&types.into_iter().collect::<Vec<_>>()).ok()
}

/// How many questions about types one question may lead to. Only two kinds of input take that many:
/// thousands of different lists mixed with sets and tuples that one or the other refuses, and types that
/// hold one type very often.
const MAX_STEPS: u64 = 1 << 24;

/// Why types do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// They have no type in common, or there is no conversion.
    Never,
    /// It would take too long to find out.
    TooComplex,
}

/// Answers related questions about types, and remembers expensive answers.
///
/// Whether a tuple converts to a list of any type depends on the common type of its elements. Each type
/// around the tuple asks for it again, twice per level without a cache.
pub(super) struct Unifier {
    /// The common type of the parts of a tuple or an object, by the address of that type in memory. The
    /// type is kept alive, so that no other type can take its address.
    // Without it 22 levels of tuples took seconds. With it 60 levels take 0.1 ms.
    common_parts: RefCell<HashMap<usize, Known>>,
    steps_left: Cell<u64>,
}

/// A type, and the common type of its parts.
type Known = (Type, Result<Type, Apart>);

impl Default for Unifier {
    fn default() -> Self {
        Self { common_parts: RefCell::default(), steps_left: Cell::new(MAX_STEPS) }
    }
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
    fn new(types: &[&Type]) -> Self {
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

impl Unifier {
    fn spend_one(&self) -> Result<(), Apart> {
        self.steps_left.set(self.steps_left.get().saturating_sub(1));
        self.check_budget()
    }

    /// Fails if a question has been too complex.
    pub(super) fn check_budget(&self) -> Result<(), Apart> {
        if self.steps_left.get() > 0 { Ok(()) } else { Err(Apart::TooComplex) }
    }

    /// Like [`unify`].
    pub(super) fn common(&self, types: &[&Type]) -> Result<Type, Apart> {
        // The cases and their order are those of go-cty 1.18's `UnifyUnsafe`.
        let [first, rest @ ..] = types else { return Ok(Type::Dynamic) };
        if rest.iter().all(|ty| ty == first) {
            return Ok(first.without_optional());
        }
        self.spend_one()?;
        let census = Census::new(types);
        let typed = types.len() - census.dynamic;
        let one_kind =
            [census.lists, census.sets, census.maps, census.tuples, census.objects].contains(&typed);
        // A null or an unknown without a type may become any of the collections.
        if one_kind && census.dynamic > 0 {
            return Ok(Type::Dynamic);
        }
        let common = match typed {
            n if n == census.primitives => common_primitive(types),
            n if n == census.lists => self.common_element(types).map(Type::list),
            n if n == census.sets => self.common_element(types).map(Type::set),
            n if n == census.maps => self.common_element(types).map(Type::map),
            n if n == census.tuples => self.common_of_tuples(types),
            n if n == census.objects => self.common_of_objects(types),
            n if n == census.maps + census.objects && census.dynamic == 0 => {
                self.collection(types, Type::map).or_else(|apart| self.preferred_after(apart, types))
            }
            n if n == census.lists + census.tuples && census.dynamic == 0 => {
                self.collection(types, Type::list).or_else(|apart| self.preferred_after(apart, types))
            }
            n if n == census.maps + census.objects => self.preferred(types),
            n if n == census.lists + census.sets + census.tuples => self.preferred(types),
            _ => Err(Apart::Never),
        };
        // Everything converts to a dynamic type in the list. With both objects and tuples Terraform gives
        // up before it gets there.
        let is_open = census.dynamic > 0 && (census.objects == 0 || census.tuples == 0);
        if is_open && common == Err(Apart::Never) { Ok(Type::Dynamic) } else { common }
    }

    /// The common type of the parts of a tuple or an object.
    pub(super) fn common_part(&self, whole: &Type) -> Result<Type, Apart> {
        let (address, parts): (_, Vec<&Type>) = match whole {
            Type::Tuple(tuple) => (Arc::as_ptr(tuple).addr(), tuple.elements().iter().collect()),
            Type::Object(object) => (Arc::as_ptr(object).addr(), types_of(object).collect()),
            _ => return Err(Apart::Never),
        };
        if parts.iter().all(|part| part.is_primitive()) {
            return self.common(&parts);
        }
        // Types are shared, so the address identifies one. The stored clone keeps the address from being
        // used again.
        if let Some((_, common)) = self.common_parts.borrow().get(&address) {
            return common.clone();
        }
        let common = self.common(&parts);
        self.common_parts.borrow_mut().insert(address, (whole.clone(), common.clone()));
        common
    }

    fn common_element(&self, types: &[&Type]) -> Result<Type, Apart> {
        let elements: Vec<&Type> = types.iter().filter_map(|ty| ty.element()).collect();
        self.common(&elements)
    }

    /// A collection of the common type of all elements and attributes.
    fn collection(&self, types: &[&Type], collection_type: fn(Type) -> Type) -> Result<Type, Apart> {
        let mut parts = Vec::new();
        for ty in types {
            match ty {
                Type::List(e) | Type::Set(e) | Type::Map(e) => parts.push(&**e),
                Type::Tuple(t) => parts.extend(t.elements()),
                Type::Object(o) => parts.extend(types_of(o)),
                _ => {}
            }
        }
        let common = self.common(&parts).map(collection_type)?;
        // A dynamic part hides that others have nothing in common.
        if common.has_dynamic() {
            types.iter().try_for_each(|ty| self.converts(ty, &common))?;
        }
        Ok(common)
    }

    fn common_of_tuples(&self, types: &[&Type]) -> Result<Type, Apart> {
        let tuples: Vec<&[Type]> = types
            .iter()
            .filter_map(|ty| match ty {
                Type::Tuple(t) => Some(t.elements()),
                _ => None,
            })
            .collect();
        let length = tuples.first().map_or(0, |first| first.len());
        // Tuples of different lengths only go together as a list.
        if tuples.iter().any(|t| t.len() != length) {
            return self.collection(types, Type::list);
        }
        let column = |i: usize| tuples.iter().filter_map(|t| t.get(i)).collect::<Vec<_>>();
        let elements: Result<Vec<Type>, _> = (0..length).map(|i| self.common(&column(i))).collect();
        elements.map(Type::tuple)
    }

    fn common_of_objects(&self, types: &[&Type]) -> Result<Type, Apart> {
        let objects: Vec<&ObjectType> = types.iter().filter_map(|ty| ty.as_object()).collect();
        let names =
            |o: &'_ ObjectType| o.attributes().iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let expected = objects.first().map_or_else(Vec::new, |first| names(first));
        if objects.iter().any(|o| !o.attributes().iter().map(|(name, _)| name).eq(&expected)) {
            return self.collection(types, Type::map);
        }
        let column = |i: usize| {
            objects.iter().filter_map(|o| o.attributes().get(i).map(|(_, ty)| ty)).collect::<Vec<_>>()
        };
        let attributes: Result<Vec<_>, _> =
            expected.into_iter().enumerate().map(|(i, name)| Ok((name, self.common(&column(i))?))).collect();
        attributes.map(Type::object)
    }

    fn preferred_after(&self, apart: Apart, types: &[&Type]) -> Result<Type, Apart> {
        match apart {
            Apart::Never => self.preferred(types),
            Apart::TooComplex => Err(apart),
        }
    }

    /// The first list or map, or else set, that all others convert to, with string elements preferred; or
    /// else the first such object, the least demanding preferred. Nothing else converts to a tuple.
    fn preferred(&self, types: &[&Type]) -> Result<Type, Apart> {
        let mut collections: Vec<&Type> = types.iter().copied().filter(|ty| ty.is_collection()).collect();
        collections.sort_by_key(|ty| (matches!(ty, Type::Set(_)), ty.element() != Some(&Type::String)));
        match self.first_for_all(types, collections) {
            Err(Apart::Never) => {}
            decided => return decided,
        }
        let objects = types.iter().copied().filter(|ty| ty.as_object().is_some());
        let mut objects: Vec<_> = objects.map(|ty| Ok((self.demands(ty)?, ty))).collect::<Result<_, _>>()?;
        objects.sort_by_key(|(demands, _)| *demands);
        self.first_for_all(types, objects.into_iter().map(|(_, ty)| ty).collect())
    }

    /// The first of the candidates that all types convert to.
    fn first_for_all(&self, types: &[&Type], mut candidates: Vec<&Type>) -> Result<Type, Apart> {
        candidates.dedup();
        // A type that does not convert to one candidate often converts to none, so it is tried first.
        let mut refusing = None;
        for candidate in candidates {
            let mut all = refusing.into_iter().chain(types.iter().copied());
            match all.try_for_each(|ty| self.converts(ty, candidate).map_err(|apart| (apart, ty))) {
                Ok(()) => return Ok(candidate.without_optional()),
                Err((Apart::Never, ty)) => refusing = Some(ty),
                Err((Apart::TooComplex, _)) => return Err(Apart::TooComplex),
            }
        }
        Err(Apart::Never)
    }

    /// How demanding a type is for values that are converted to it: the number of attributes, and of
    /// numbers and bools. A type that always converts to another one is at least as demanding.
    fn demands(&self, ty: &Type) -> Result<(usize, usize), Apart> {
        self.spend_one()?;
        match ty {
            Type::Dynamic | Type::String => Ok((0, 0)),
            Type::Number | Type::Bool => Ok((0, 1)),
            Type::List(element) | Type::Set(element) | Type::Map(element) => self.demands(element),
            Type::Tuple(tuple) => self.sum_of_demands(tuple.elements().iter()),
            Type::Object(object) => {
                let (attributes, others) = self.sum_of_demands(types_of(object))?;
                Ok((attributes + object.attributes().len(), others))
            }
        }
    }

    fn sum_of_demands<'t>(&self, mut types: impl Iterator<Item = &'t Type>) -> Result<(usize, usize), Apart> {
        types.try_fold((0, 0), |(attributes, others), ty| {
            let demands = self.demands(ty)?;
            Ok((attributes + demands.0, others + demands.1))
        })
    }

    /// Fails where [`Type::converts_to`] is false.
    pub(super) fn converts(&self, from: &Type, to: &Type) -> Result<(), Apart> {
        self.spend_one()?;
        match (from, to) {
            (_, Type::Dynamic) | (Type::Dynamic, _) => Ok(()),
            (Type::String | Type::Number | Type::Bool, Type::String)
            | (Type::String | Type::Number, Type::Number)
            | (Type::String | Type::Bool, Type::Bool) => Ok(()),
            (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
            | (Type::Map(from), Type::Map(to)) => self.converts(from, to),
            (Type::Object(_), Type::Map(to)) if **to == Type::Dynamic => self.common_part(from).map(|_| ()),
            // A null element leaves the common type open.
            (Type::Tuple(tuple), Type::List(to) | Type::Set(to)) if **to == Type::Dynamic => {
                let is_open = self.common_part(from)? == Type::Dynamic;
                let is_typed = tuple.elements().iter().any(|element| *element != Type::Dynamic);
                if is_open && is_typed { Err(Apart::Never) } else { Ok(()) }
            }
            (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
                self.all_convert(from.elements().iter(), to)
            }
            (Type::Object(from), Type::Map(to)) => self.all_convert(types_of(from), to),
            (Type::Tuple(from), Type::Tuple(to)) if from.elements().len() == to.elements().len() => {
                std::iter::zip(from.elements(), to.elements())
                    .try_for_each(|(from, to)| self.converts(from, to))
            }
            (Type::Object(from), Type::Object(to)) => {
                to.attributes().iter().try_for_each(|(name, to_type)| match from.attribute(name) {
                    Some(from) => self.converts(from, to_type),
                    None if to.is_optional(name) => Ok(()),
                    None => Err(Apart::Never),
                })
            }
            // An element for an optional attribute may be missing.
            (Type::Map(from), Type::Object(to)) => to
                .attributes()
                .iter()
                .filter(|(name, _)| !to.is_optional(name))
                .try_for_each(|(_, to_type)| self.converts(from, to_type)),
            _ => Err(Apart::Never),
        }
    }

    fn all_convert<'t>(
        &self,
        mut parts: impl Iterator<Item = &'t Type>,
        element: &Type,
    ) -> Result<(), Apart> {
        let mut previous = None;
        parts.try_for_each(|part| {
            if previous.replace(part) == Some(part) { Ok(()) } else { self.converts(part, element) }
        })
    }
}

fn types_of(object: &ObjectType) -> impl Iterator<Item = &Type> {
    object.attributes().iter().map(|(_, ty)| ty)
}

fn common_primitive(types: &[&Type]) -> Result<Type, Apart> {
    let typed = || types.iter().copied().filter(|ty| **ty != Type::Dynamic);
    // Numbers and bools convert to strings, but not to each other.
    if typed().any(|ty| *ty == Type::String) {
        return Ok(Type::String);
    }
    let first = typed().next().ok_or(Apart::Never)?;
    if typed().all(|ty| ty == first) { Ok(first.clone()) } else { Err(Apart::Never) }
}

impl Type {
    /// Whether there is a conversion from values of this type to another, though some values may be refused:
    /// a string that is not a number, a map that lacks an attribute.
    ///
    /// ```
    /// use objchange::Type;
    ///
    /// assert!(Type::String.converts_to(&Type::Number));
    /// assert!(!Type::list(Type::String).converts_to(&Type::String));
    /// ```
    pub fn converts_to(&self, to: &Type) -> bool {
        Unifier::default().converts(self, to).is_ok()
    }
}
