//! Random types and values of them.

use objchange::value::{Bound, Marks, Number, Refinements};
use objchange::{Type, Value};
use proptest::collection::vec;
use proptest::prelude::*;

/// The contents of a value beyond those that every format has.
#[derive(Clone, Copy)]
pub(crate) struct With {
    pub(crate) unknown: bool,
    pub(crate) marks: bool,
    /// Doubles, which JSON writes as the decimal that they print.
    pub(crate) doubles: bool,
}

pub(crate) const PLAIN: With = With { unknown: false, marks: false, doubles: false };
pub(crate) const MARKERS: With = With { unknown: true, marks: true, doubles: false };
pub(crate) const MSGPACK: With = With { unknown: true, marks: false, doubles: true };

/// Text with what needs care in it: characters in several forms, marks that combine, quotes, and the names
/// that the formats use themselves.
pub(crate) fn text() -> BoxedStrategy<String> {
    let special = ["$sensitive", "$unknown", "$literal", "type", "value", "$serde_json::private::Number"];
    let character = prop_oneof![
        4 => prop::char::range(' ', '~'),
        1 => any::<char>(),
        1 => prop::sample::select(vec!['e', '\u{301}', '\u{327}', '\u{e9}', '\u{212b}', '\0', '"', '\\', '\n']),
    ];
    prop_oneof![
        4 => vec(character, 0..6).prop_map(String::from_iter),
        1 => prop::sample::select(special.to_vec()).prop_map(str::to_owned),
    ]
    .boxed()
}

/// As [`text`], in the form that all text of values has.
fn name() -> BoxedStrategy<String> {
    text().prop_map(|text| Value::from(text).as_str().unwrap_or_default().to_owned()).boxed()
}

/// Types of all kinds; where `dynamic` is set, with dynamic ones outside of collections.
pub(crate) fn ty(dynamic: bool) -> BoxedStrategy<Type> {
    let primitive = prop::sample::select(vec![Type::String, Type::Number, Type::Bool]).boxed();
    let fixed = primitive.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            structural(inner),
        ]
    });
    if !dynamic {
        return fixed.boxed();
    }
    prop_oneof![1 => Just(Type::Dynamic), 3 => fixed].prop_recursive(2, 8, 3, structural).boxed()
}

fn structural(inner: impl Strategy<Value = Type> + Clone + 'static) -> BoxedStrategy<Type> {
    prop_oneof![
        vec(inner.clone(), 0..3).prop_map(Type::tuple),
        vec((name(), inner), 0..4).prop_map(Type::object),
    ]
    .boxed()
}

/// A type and a value that may stand where that type is declared.
pub(crate) fn typed_value(with: With) -> BoxedStrategy<(Type, Value)> {
    ty(true).prop_flat_map(move |ty| (Just(ty.clone()), value(&ty, with))).boxed()
}

pub(crate) fn value(ty: &Type, with: With) -> BoxedStrategy<Value> {
    let known = match ty {
        Type::Dynamic => {
            return prop_oneof![
                1 => Just(Value::null(Type::Dynamic)),
                6 => self::ty(false).prop_flat_map(move |ty| value(&ty, with)),
            ]
            .boxed();
        }
        Type::String => text().prop_map(Value::from).boxed(),
        Type::Number => number(with).prop_map(Value::from).boxed(),
        Type::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Type::List(element) => {
            let element = element.as_ref().clone();
            let elements = vec(value(&element, with), 0..4);
            elements.prop_map(move |elements| Value::list(element.clone(), elements).unwrap()).boxed()
        }
        Type::Set(element) => {
            let element = element.as_ref().clone();
            let elements = vec(value(&element, with), 0..4);
            elements.prop_map(move |elements| Value::set(element.clone(), elements).unwrap()).boxed()
        }
        Type::Map(element) => {
            let element = element.as_ref().clone();
            let entries = vec((text(), value(&element, with)), 0..4);
            entries.prop_map(move |entries| Value::map(element.clone(), entries).unwrap()).boxed()
        }
        Type::Tuple(tuple) => {
            let elements: Vec<_> = tuple.elements().iter().map(|ty| value(ty, with)).collect();
            elements.prop_map(Value::tuple).boxed()
        }
        Type::Object(object) => {
            let (names, values): (Vec<_>, Vec<_>) =
                object.attributes().iter().map(|(name, ty)| (name.clone(), value(ty, with))).unzip();
            values.prop_map(move |values| Value::object(std::iter::zip(names.clone(), values))).boxed()
        }
    };
    let known_or_null = prop_oneof![8 => known, 1 => Just(Value::null(ty.clone()))];
    let value = if with.unknown {
        prop_oneof![6 => known_or_null, 1 => unknown(ty, with)].boxed()
    } else {
        known_or_null.boxed()
    };
    if !with.marks {
        return value;
    }
    let marks = prop_oneof![
        8 => Just(Marks::NONE),
        1 => Just(Marks::SENSITIVE),
        1 => Just(Marks::EPHEMERAL),
        1 => Just(Marks::SENSITIVE | Marks::EPHEMERAL),
    ];
    (value, marks).prop_map(|(value, marks)| value.with_marks(marks)).boxed()
}

fn unknown(ty: &Type, with: With) -> BoxedStrategy<Value> {
    let ty = ty.clone();
    let bound = (number(with), any::<bool>()).prop_map(|(value, inclusive)| Bound { value, inclusive });
    let numbers = (prop::option::of(bound.clone()), prop::option::of(bound), any::<bool>());
    let lengths = (prop::option::of(1_u64..4), prop::option::of(3_u64..6), any::<bool>());
    let prefix = prop::option::of(text().prop_filter("promises something", |text| !text.is_empty()));
    (numbers, lengths, prefix)
        .prop_map(move |((number_lower, number_upper, not_null), (length_lower, length_upper, _), prefix)| {
            let mut refinements = Refinements { not_null, ..Refinements::default() };
            match &ty {
                Type::String => refinements.string_prefix = prefix.map(Into::into),
                Type::Number => {
                    refinements.number_lower = number_lower;
                    refinements.number_upper = number_upper;
                }
                ty if ty.is_collection() => {
                    refinements.length_lower = length_lower;
                    refinements.length_upper = length_upper;
                }
                _ => {}
            }
            // Bounds may contradict each other.
            Value::refined_unknown(ty.clone(), refinements).unwrap_or_else(|_| Value::unknown(ty.clone()))
        })
        .boxed()
}

fn number(with: With) -> BoxedStrategy<Number> {
    let decimal = (any::<bool>(), "[0-9]{1,40}", prop::option::of("[0-9]{1,30}"), -30_i32..30).prop_map(
        |(negative, integer, fraction, exponent)| {
            let sign = if negative { "-" } else { "" };
            let fraction = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
            Number::parse(&format!("{sign}{integer}{fraction}e{exponent}")).unwrap()
        },
    );
    // Doubles beyond are integers that no format has a form of its own for: they travel as decimal text.
    let double = any::<f64>().prop_filter_map("double with a form of its own", |double| {
        Number::from_f64(double).filter(|n| !n.is_integer() || n.as_i64().is_some())
    });
    let integer = prop_oneof![(-200_i64..200).prop_map(Number::from), any::<i64>().prop_map(Number::from)];
    if with.doubles {
        prop_oneof![integer, decimal, double].boxed()
    } else {
        prop_oneof![integer, decimal].boxed()
    }
}
