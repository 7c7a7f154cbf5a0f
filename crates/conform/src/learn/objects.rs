//! Makes the objects that a provider plans.

use std::convert::Infallible;

use objchange::schema::Block;
use objchange::value::{Descend, Kind, PathStep};
use objchange::{Type, Value};
use objchange_model::empty_value;
use objchange_provider::Component;
use smol_str::SmolStr;

use crate::Hints;
use crate::generate::{Are, Maker, Put, Spot, Taste, What};
use crate::hints::Numbering;
use crate::within;

/// Makes values for the objects of one type. Another number gives other values.
pub(super) struct Values<'a> {
    pub(super) block: &'a Block,
    pub(super) name: &'a str,
    pub(super) hints: &'a Hints,
    pub(super) documents: Documents,
}

/// The JSON documents that a type takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Documents {
    /// Policies, as AWS has them.
    Policies,
    /// Lists of objects with names.
    Lists,
    /// Empty ones.
    Empty,
}

/// The unknown parts of a planned object that get a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filling {
    /// All.
    Whole,
    /// All but the objects in collections.
    NoObjects,
    /// Only parts that cannot be configured. Made-up arguments may contradict each other.
    OnlyComputed,
}

impl Documents {
    /// A document like those that people write, with keys that are not sorted: `{}` would not show that a provider compares
    /// documents as JSON.
    pub(super) fn text(self, number: u64) -> String {
        match self {
            Self::Policies => format!(
                r#"{{"Version":"2012-10-17","Statement":[{{"Sid":"s{number}","Effect":"Allow","Action":"s3:GetObject","Resource":"*"}}]}}"#
            ),
            Self::Lists => format!(r#"[{{"name":"n{number}","image":"i{number}"}}]"#),
            Self::Empty => "{}".to_owned(),
        }
    }

    /// Documents that may say the same: with empty members, with single elements in place of arrays of one, and in another
    /// order.
    pub(super) fn equal_texts(self) -> Vec<[String; 2]> {
        let policy = |statement: &str, actions: &str, end: &str| {
            format!(
                r#"{{"Version":"2012-10-17","Statement":{statement}{{"Effect":"Allow","Action":{actions},"Resource":"*"}}{end}}}"#
            )
        };
        let [one, two] = ["\"a:b\"", "[\"a:b\",\"a:c\"]"];
        match self {
            Self::Policies => vec![
                [policy("[", &format!("{one},\"Condition\":{{}}"), "]"), policy("[", one, "]")],
                [policy("[", one, "]"), policy("", "[\"a:b\"]", "")],
                [policy("[", two, "]"), policy("[", "[\"a:c\",\"a:b\"]", "]")],
            ],
            Self::Lists => vec![
                [r#"[{"image":"i","links":[],"name":"n"}]"#, r#"[{"image":"i","name":"n"}]"#]
                    .map(str::to_owned),
            ],
            Self::Empty => Vec::new(),
        }
    }

    /// An object with such documents in place of empty ones.
    pub(super) fn put_into(self, object: &Value, number: u64) -> Value {
        let text = self.text(number);
        let Ok(object) = object.transform(|_, part| {
            let is_empty = matches!(part.as_str(), Some("{}" | "[]"));
            Ok::<_, Infallible>(if is_empty && self != Self::Empty {
                Value::from(text.as_str())
            } else {
                part
            })
        });
        object
    }
}

impl<'a> Values<'a> {
    pub(super) fn maker(&self, number: u64) -> Maker<'a> {
        Maker::new(Component::Resource, self.name, self.hints, Numbering { seed: 0, sequence: number })
    }

    /// A value for a part.
    pub(super) fn part(&self, spot: &Spot<'_>, number: u64, what: What<'_>) -> Option<Value> {
        let maker = self.maker(number);
        let put = Put { names: &spot.names, what };
        let config = maker.config(self.block, Taste::Nothing, Some(put));
        let value = within::first(&config, &spot.names).filter(|value| !value.is_null());
        value.map(|value| self.documents.put_into(value, number))
    }

    /// Two values for a part that differ.
    pub(super) fn two(&self, spot: &Spot<'_>, number: u64) -> Option<[Value; 2]> {
        if spot.ty() == Type::Bool {
            let first = number.is_multiple_of(2);
            return Some([Value::from(first), Value::from(!first)]);
        }
        if spot.names[0] == "timeouts" && spot.ty() == Type::String {
            return Some([Value::from("30m"), Value::from("40m")]);
        }
        let part = |number| {
            let plausible = self.part(spot, number, What::Plausible)?;
            // Two blocks without content cannot differ, and their removal rarely changes anything.
            let full = || Some(without_inner_objects(&self.part(spot, number, What::Full)?));
            if spot.is_objects() && is_bare(&plausible) {
                full().or(Some(plausible))
            } else {
                Some(plausible)
            }
        };
        let (first, second) = (part(number)?, part(number + 1)?);
        let second = if second.identical(&first) { other(&first)? } else { second };
        Some([first, second])
    }

    /// Two blocks or elements in place of one.
    pub(super) fn several(&self, spot: &Spot<'_>, number: u64) -> Option<Value> {
        self.part(spot, number, What::Many(2, Are::Different)).filter(|value| value.len() == Some(2))
    }

    /// An object with each unknown part filled: with the part of `before`, if it has one, or else by its name and type.
    pub(super) fn filled(&self, planned: &Value, before: Option<&Value>, number: u64) -> Value {
        self.filled_with(planned, before, number, Filling::Whole)
    }

    /// Like [`filled`](Self::filled), perhaps with less.
    pub(super) fn filled_with(
        &self,
        planned: &Value,
        before: Option<&Value>,
        number: u64,
        filling: Filling,
    ) -> Value {
        let maker = self.maker(number);
        let filled = planned.transform(|path, part| {
            if part.is_known() {
                return Ok::<_, Infallible>(part);
            }
            let path = path.to_path();
            let known = before.and_then(|before| before.at(&path));
            if let Some(known) = known.filter(|known| known.is_wholly_known() && known.ty() == part.ty()) {
                return Ok(known.clone());
            }
            let holds_objects = part.ty().element().is_some_and(|element| element.as_object().is_some());
            // The older SDK adds `id` to each type, which no object is without.
            let is_argument = || {
                let attribute = self.block.attribute_by_path(&path);
                path.to_string() != "id" && attribute.is_none_or(|attribute| attribute.optional)
            };
            match (filling, empty_value(part.ty())) {
                (Filling::Whole, _) => {}
                (_, Some(empty)) if holds_objects => return Ok(empty),
                (Filling::OnlyComputed, _) if is_argument() => return Ok(Value::null(part.ty().clone())),
                _ => {}
            }
            let name = path.steps().iter().rev().find_map(|step| match step {
                PathStep::Attribute(name) => Some(name.clone()),
                PathStep::Index(_) => None,
            });
            Ok(maker.value(part.ty(), name.as_deref().unwrap_or_default(), 7, &mut Taste::Nothing))
        });
        let Ok(filled) = filled;
        self.documents.put_into(&filled, number)
    }

    /// An object with empty values in place of null arguments inside of blocks. Collections stay null.
    pub(super) fn as_read(&self, object: &Value) -> Value {
        let Ok(read) = object.transform(|path, part| {
            let is_open = path.depth() > 1 && part.is_null() && part.ty().is_primitive();
            if !is_open {
                return Ok::<_, Infallible>(part);
            }
            let path = path.to_path();
            let is_timeout = path.steps().first() == Some(&PathStep::Attribute("timeouts".into()));
            let attribute = self.block.attribute_by_path(&path).filter(|_| !is_timeout);
            let is_argument = attribute.is_some_and(|one| one.optional && !one.computed && !one.write_only);
            Ok(if is_argument { empty_value(part.ty()).unwrap_or(part) } else { part })
        });
        read
    }

    /// A configuration with a part set. Missing blocks around it are added.
    pub(super) fn with(&self, config: &Value, spot: &Spot<'_>, value: &Value, number: u64) -> Value {
        // The innermost block or object around the part that is there.
        let is_there = |length: usize| {
            let around = &spot.names[..length];
            length == 0
                || within::first(config, around).is_some_and(|part| !part.is_null() && part.len() != Some(0))
        };
        let around = (0..spot.names.len()).rev().find(|length| is_there(*length)).unwrap_or(0);
        let set = |_: &Value| value.clone();
        if around + 1 == spot.names.len() {
            return within::changed(config, &spot.names, &mut { set });
        }
        let outer = &spot.names[..=around];
        let maker = self.maker(number);
        let put = Put { names: &spot.names, what: What::Value(value) };
        let whole = maker.config(self.block, Taste::Nothing, Some(put));
        match within::first(&whole, outer) {
            Some(part) => within::changed(config, outer, &mut |_| part.clone()),
            None => config.clone(),
        }
    }
}

/// An object without a part.
pub(super) fn without(config: &Value, spot: &Spot<'_>) -> Value {
    within::changed(config, &spot.names, &mut |value| nothing(value, spot))
}

/// The value of a part that is left out.
fn nothing(value: &Value, spot: &Spot<'_>) -> Value {
    match (spot.can_be_unknown() && spot.is_objects(), value.ty()) {
        (true, ty @ (Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Tuple(_))) if spot.is_block() => {
            empty_value(ty).unwrap_or_else(|| Value::null(ty.clone()))
        }
        (_, ty) => Value::null(ty.clone()),
    }
}

/// Whether an object has a value at a part.
pub(super) fn has(object: &Value, names: &[SmolStr]) -> bool {
    let mut has = false;
    within::each(object, names, &mut |part| has |= !part.is_null() && part.len() != Some(0));
    has
}

/// Whether objects have no value in them.
fn is_bare(objects: &Value) -> bool {
    let mut is_bare = true;
    objects.visit(|_, part| {
        is_bare &= part.is_null() || part.as_object().is_some() || part.as_elements().is_some();
        Descend::Into
    });
    is_bare
}

/// Objects without the objects in them.
fn without_inner_objects(objects: &Value) -> Value {
    let Ok(outer) = objects.transform(|path, part| {
        let is_inner = matches!(path.last(), Some(PathStep::Attribute(_)))
            && (part.as_object().is_some()
                || part.ty().element().is_some_and(|element| element.as_object().is_some()));
        let empty = || empty_value(part.ty()).unwrap_or_else(|| Value::null(part.ty().clone()));
        Ok::<_, Infallible>(if is_inner { empty() } else { part })
    });
    outer
}

/// One block or object with an empty value for each attribute.
pub(super) fn blank(ty: &Type) -> Option<Value> {
    let object = ty.element().unwrap_or(ty);
    let members = object
        .as_object()?
        .attributes()
        .iter()
        .map(|(name, ty)| (name.clone(), empty_value(ty).unwrap_or_else(|| Value::null(ty.clone()))));
    let blank = Value::object(members);
    match ty {
        Type::List(_) | Type::Set(_) => Value::tuple([blank]).convert(ty).ok(),
        Type::Object(_) => Some(blank),
        _ => None,
    }
}

/// Another value of the same type.
fn other(value: &Value) -> Option<Value> {
    match value.kind() {
        Kind::String(text) if text.starts_with('{') => Some(Value::from(Documents::Policies.text(77))),
        Kind::String(text) if text.starts_with('[') => Some(Value::from(Documents::Lists.text(77))),
        Kind::String(text) if text.starts_with("10.") => Some(Value::from(text.replacen("10.", "10.9", 1))),
        Kind::String(text) => Some(Value::from(format!("{text}2"))),
        Kind::Number(number) => Some(Value::from(number.as_i64()? + 1)),
        Kind::Bool(value) => Some(Value::from(!value)),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            let changed = elements.iter().map(|element| other(element).unwrap_or_else(|| element.clone()));
            let changed = within::elements_like(value, changed);
            Some(changed).filter(|changed| !changed.identical(value))
        }
        Kind::Map(map) => {
            let changed = map
                .iter()
                .map(|(key, element)| (key.clone(), other(element).unwrap_or_else(|| element.clone())));
            Value::map(value.ty().element()?.clone(), changed)
                .ok()
                .filter(|changed| !changed.identical(value))
        }
        Kind::Object(members) => {
            let changed = members
                .iter()
                .map(|(name, member)| (name.clone(), other(member).unwrap_or_else(|| member.clone())));
            let changed = Value::object(changed);
            Some(changed).filter(|changed| changed.ty() == value.ty() && !changed.identical(value))
        }
        _ => None,
    }
}

/// Texts that a provider may take for equal to this one.
pub(super) fn same_texts(text: &str) -> Vec<String> {
    let mut forms = vec![format!("{text} ")];
    let (upper, lower) = (text.to_ascii_uppercase(), text.to_ascii_lowercase());
    forms.extend([upper, lower].into_iter().find(|other| *other != text));
    if text.trim_start().starts_with(['{', '[']) {
        forms.push(text.replace("\":", "\" : ").replace(",\"", " ,\n \""));
    }
    forms
}

/// Collections of objects without their attributes but for one text, and but for numbers, too: both are often required.
pub(super) fn bare(value: &Value) -> Vec<Value> {
    let Some(element) = value.ty().element().and_then(Type::as_object) else { return Vec::new() };
    let first = element.attributes().iter().find(|(_, ty)| *ty == Type::String).map(|(name, _)| name.clone());
    let without = |keeps_numbers: bool| {
        let Ok(bare) = value.transform(|path, part| {
            let is_left_out = path.depth() == 2
                && match path.last() {
                    Some(PathStep::Attribute(name)) => {
                        !(keeps_numbers && *part.ty() == Type::Number) && Some(name) != first
                    }
                    _ => false,
                };
            Ok::<_, Infallible>(if is_left_out { Value::null(part.ty().clone()) } else { part })
        });
        bare
    };
    let mut all = vec![without(true)];
    all.extend(Some(without(false)).filter(|bare| !bare.identical(&all[0])));
    all
}

/// A collection with empty values in place of null attributes of the objects in it.
pub(super) fn with_empty_attributes(value: &Value) -> Value {
    let Ok(whole) = value.transform(|path, part| {
        let is_attribute = path.depth() == 2 && matches!(path.last(), Some(PathStep::Attribute(_)));
        let empty = if is_attribute && part.is_null() { empty_value(part.ty()) } else { None };
        Ok::<_, Infallible>(empty.unwrap_or(part))
    });
    whole
}

/// A collection with one more element that is unknown, or with objects that have an unknown part.
pub(super) fn partly_unknown(value: &Value) -> Option<Value> {
    let element = value.ty().element()?.clone();
    if let Some(object) = element.as_object() {
        let first = object.attributes().iter().find(|(_, ty)| *ty == Type::String)?.0.clone();
        let Ok(partly) = value.transform(|path, part| {
            let is_it =
                path.depth() == 2 && matches!(path.last(), Some(PathStep::Attribute(name)) if name == first);
            Ok::<_, Infallible>(if is_it { Value::unknown(part.ty().clone()) } else { part })
        });
        return Some(partly);
    }
    let unknown = Value::unknown(element.clone());
    match value.kind() {
        Kind::List(elements) | Kind::Set(elements) => {
            Some(within::elements_like(value, elements.iter().cloned().chain([unknown])))
        }
        Kind::Map(map) => {
            let all = map.iter().map(|(key, element)| (key.to_string(), element.clone()));
            Value::map(element, all.chain([("unknown".to_owned(), unknown)])).ok()
        }
        _ => None,
    }
}
