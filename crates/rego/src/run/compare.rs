//! Equality and order of values with unknown parts.

use crate::compile::program::Comparison;
use crate::value::{Hint, Object, Set, Types, Unknown, Value, bounds_of};

/// Whether something holds, for all unknown values.
#[derive(Debug, Clone)]
pub(super) enum Truth {
    True,
    False,
    /// It depends on these unknown values.
    Maybe(Unknown),
}

impl Truth {
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::True => Value::Bool(true),
            Self::False => Value::Bool(false),
            Self::Maybe(unknown) => Value::Unknown(unknown.with_hint(Hint::Bool)),
        }
    }

    fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            maybe @ Self::Maybe(_) => maybe,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

pub(super) fn maybe(left: &Value, right: &Value) -> Truth {
    let both = match (left.unknowns(), right.unknowns()) {
        (Some(left), Some(right)) => left.union(&right),
        (Some(one), None) | (None, Some(one)) => one.plain(),
        (None, None) => Unknown::from_ids([]),
    };
    Truth::Maybe(both)
}

/// Whether two values are equal.
pub(super) fn equal(left: &Value, right: &Value) -> Truth {
    if !left.contains_unknown() && !right.contains_unknown() {
        return Truth::from(left == right);
    }
    match (left, right) {
        (Value::Unknown(one), Value::Unknown(other))
            if one.origin().is_some() && one.origin() == other.origin() =>
        {
            Truth::True
        }
        (Value::Unknown(_), _) | (_, Value::Unknown(_)) if !Types::of(left).may_be(right) => Truth::False,
        (Value::Unknown(one), Value::Unknown(other)) if are_other_texts(one, other) => Truth::False,
        (Value::Unknown(unknown), other) | (other, Value::Unknown(unknown)) => {
            match fits(unknown.hint(), other) {
                // `fits` does not know the numbers of the unknown values, so they are taken from both sides
                // here.
                Truth::Maybe(_) => maybe(left, right),
                truth => truth,
            }
        }
        (Value::Array(left_items), Value::Array(right_items)) => {
            if left_items.len() != right_items.len() {
                return Truth::False;
            }
            all_equal(left_items.iter().zip(right_items.iter()))
        }
        (Value::Object(one), Value::Object(other)) => equal_objects(left, right, one, other),
        // Equal lists alone prove nothing: two unknown members that look alike may turn out to be different.
        (Value::Set(one), Value::Set(other)) if one == other && left.has_origin() => Truth::True,
        (Value::Set(one), Value::Set(other)) => {
            let lacks = |one: &Set, other: &Set| {
                !other.contains_unknown()
                    && one.iter().any(|item| !item.contains_unknown() && !other.contains(item))
            };
            if lacks(one, other) || lacks(other, one) { Truth::False } else { maybe(left, right) }
        }
        _ => Truth::False,
    }
}

/// Whether both are strings that begin or end in another way.
fn are_other_texts(one: &Unknown, other: &Unknown) -> bool {
    match (one.hint(), other.hint()) {
        (Some(Hint::Text(one)), Some(Hint::Text(other))) => !one.may_equal(other),
        _ => false,
    }
}

impl Value {
    /// Whether both may turn out to be equal.
    pub fn may_equal(&self, other: &Self) -> bool {
        !matches!(equal(self, other), Truth::False)
    }
}

fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Truth {
    let mut result = Truth::True;
    for (left, right) in pairs {
        match (equal(left, right), &result) {
            (Truth::False, _) => return Truth::False,
            (Truth::Maybe(more), Truth::Maybe(before)) => result = Truth::Maybe(before.union(&more)),
            (Truth::Maybe(more), _) => result = Truth::Maybe(more),
            (Truth::True, _) => {}
        }
    }
    result
}

fn equal_objects(left: &Value, right: &Value, one: &Object, other: &Object) -> Truth {
    let has_known_keys = |object: &Object| !object.keys().any(Value::contains_unknown);
    if one.keys().eq(other.keys()) && one.keys().all(Value::has_origin) {
        return all_equal(one.values().zip(other.values()));
    }
    if has_known_keys(one) && has_known_keys(other) {
        return Truth::False;
    }
    let common = one.iter().filter_map(|(key, value)| Some((value, other.get(key)?)));
    match all_equal(common) {
        Truth::False => Truth::False,
        // A key that is unknown may turn out to be any other.
        _ => maybe(left, right),
    }
}

/// Whether a value may equal an unknown value with this hint.
fn fits(hint: Option<&Hint>, other: &Value) -> Truth {
    let unsure = || Truth::Maybe(Unknown::from_ids([]));
    if let (Some(Hint::Marker), Value::Object(object)) = (hint, other)
        && object.len() == 1
        && object.get_str("$unknown").is_some_and(|value| value.as_object().is_some_and(Object::is_empty))
    {
        return Truth::True;
    }
    let is_same_kind = match (hint, other) {
        // Other types have been looked at.
        (_, Value::Unknown(_)) | (None | Some(Hint::Marker | Hint::Types(_)), _) => true,
        (Some(Hint::Bool), Value::Bool(_)) | (Some(Hint::Object { .. }), Value::Object(_)) => true,
        (Some(Hint::Text(text)), Value::String(other)) => text.may_be(other),
        (Some(Hint::Array(items)), Value::Array(other)) => {
            let (min, max) = bounds_of(items);
            other.len() >= min && max.is_none_or(|max| other.len() <= max)
        }
        (Some(Hint::Set { certain, .. }), Value::Set(set)) => {
            let is_missing = |item: &Value| !item.contains_unknown() && !set.contains(item);
            set.contains_unknown() || !certain.iter().any(is_missing)
        }
        (Some(Hint::Count { min, max }), Value::Number(number)) => number
            .as_i64()
            .and_then(|number| usize::try_from(number).ok())
            .is_some_and(|number| number >= *min && max.is_none_or(|max| number <= max)),
        _ => false,
    };
    if is_same_kind { unsure() } else { Truth::False }
}

/// The answer of a comparison.
pub(super) fn compare(comparison: Comparison, left: &Value, right: &Value) -> Truth {
    match comparison {
        Comparison::Equal => equal(left, right),
        Comparison::NotEqual => equal(left, right).negated(),
        Comparison::LessOrEqual | Comparison::GreaterOrEqual
            if matches!((left, right), (Value::Unknown(_), Value::Unknown(_)))
                && matches!(equal(left, right), Truth::True) =>
        {
            Truth::True
        }
        Comparison::Less | Comparison::Greater
            if matches!((left, right), (Value::Unknown(_), Value::Unknown(_)))
                && matches!(equal(left, right), Truth::True) =>
        {
            Truth::False
        }
        _ if Types::of(left).are_below(Types::of(right)) => {
            Truth::from(matches!(comparison, Comparison::Less | Comparison::LessOrEqual))
        }
        _ if Types::of(right).are_below(Types::of(left)) => {
            Truth::from(matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual))
        }
        // Only whole numbers in bounds can be decided, such as `count(xs) > 0` where one element is certain.
        _ if left.contains_unknown() || right.contains_unknown() => {
            let answers = bounds(left).zip(bounds(right)).map(|((low, high), (other_low, other_high))| {
                let always = |holds: fn(i64, i64) -> bool, left, right| holds(left, right);
                let less: fn(i64, i64) -> bool = match comparison {
                    Comparison::Less | Comparison::GreaterOrEqual => |a, b| a < b,
                    _ => |a, b| a <= b,
                };
                let is_less = match (high, other_high) {
                    (Some(high), _) if always(less, high, other_low) => Some(true),
                    (_, Some(other_high)) if !always(less, low, other_high) => Some(false),
                    _ => None,
                };
                is_less.map(|is_less| {
                    Truth::from(is_less == matches!(comparison, Comparison::Less | Comparison::LessOrEqual))
                })
            });
            answers.flatten().unwrap_or_else(|| maybe(left, right))
        }
        Comparison::Less => Truth::from(left < right),
        Comparison::LessOrEqual => Truth::from(left <= right),
        Comparison::Greater => Truth::from(left > right),
        Comparison::GreaterOrEqual => Truth::from(left >= right),
    }
}

/// The least and, if there is one, the greatest that a whole number may be.
fn bounds(value: &Value) -> Option<(i64, Option<i64>)> {
    match value {
        Value::Number(number) => number.as_i64().map(|number| (number, Some(number))),
        Value::Unknown(unknown) => match unknown.hint() {
            Some(Hint::Count { min, max }) => {
                let max = max.map(|max| i64::try_from(max).unwrap_or(i64::MAX));
                Some((i64::try_from(*min).unwrap_or(i64::MAX), max))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a value is one of these.
pub(super) fn is_one_of<'a>(value: &Value, items: impl Iterator<Item = &'a Value>) -> Truth {
    let mut result = Truth::False;
    for item in items {
        match (equal(value, item), &result) {
            (Truth::True, _) => return Truth::True,
            (Truth::Maybe(more), Truth::Maybe(before)) => result = Truth::Maybe(before.union(&more)),
            (Truth::Maybe(more), _) => result = Truth::Maybe(more),
            (Truth::False, _) => {}
        }
    }
    result
}
