//! Adjusts a value to a wish of the provider.

use std::convert::Infallible;

use objchange::value::{Kind, Number};
use objchange::{Type, Value};

use super::super::generate::{plausible_text, plausible_texts};
use super::super::hints::{Numbering, RegexText};
use super::super::within::elements_like;
use super::sentence::{Measure, Wish};

/// Paths that exist on nearly every machine.
const EXISTING: [&str; 3] = ["/etc/hosts", "/dev/null", "/"];

/// The maximum length of a generated text.
const MAX_TEXT: usize = 100_000;

/// Adjusts a value to a wish.
pub(super) struct Grant<'w> {
    pub(super) wish: &'w Wish,
    /// The name of the attribute.
    pub(super) name: &'w str,
    pub(super) at: Numbering,
    /// The number of earlier attempts for the attribute that did not satisfy the provider.
    pub(super) turn: usize,
}

impl Grant<'_> {
    /// Adjusts each known text, number and bool in the value that does not meet the wish. Returns an equal
    /// value if there is nothing to adjust.
    pub(super) fn to(&self, value: &Value) -> Value {
        if let Kind::List(all) | Kind::Set(all) = value.kind() {
            match self.wish {
                Wish::Range { most: Some(most), .. } if counts(self.wish, value.ty()) => {
                    let most = count(Some(most)).unwrap_or(MAX_TEXT);
                    return elements_like(value, all.iter().take(most).cloned());
                }
                Wish::Include(element) if value.ty().element() == Some(&Type::String) => {
                    return elements_like(value, all.iter().cloned().chain([Value::from(element)]));
                }
                _ => {}
            }
        }
        let is_numeric = matches!(
            self.wish,
            Wish::Range { measure: Measure::Itself, .. } | Wish::Whole | Wish::MultipleOf(_)
        );
        // A wish about numbers concerns number values, unless all of them meet it already; then it concerns
        // texts.
        let numbers = is_numeric.then(|| self.granted(value, false)).filter(|numbers| numbers != value);
        numbers.unwrap_or_else(|| self.granted(value, true))
    }

    /// Adjusts the numbers in a value, and the texts if `with_texts`.
    fn granted(&self, value: &Value, with_texts: bool) -> Value {
        let granted = value.transform(|_, part| {
            Ok::<_, Infallible>(match part.kind() {
                Kind::String(text) if with_texts => self.text(text).map_or_else(|| part.clone(), Value::from),
                Kind::Number(number) => self.number(number).map_or_else(|| part.clone(), Value::from),
                _ => part,
            })
        });
        granted.unwrap_or_else(|never| match never {})
    }

    fn text(&self, text: &str) -> Option<String> {
        let of_number = |number: &Number| self.number(number).map(|number| number.to_string());
        let own = || plausible_text(self.name, self.at.sequence);
        match self.wish {
            Wish::OneOf(items) if items.iter().any(|item| item == text) && self.turn == 0 => None,
            Wish::OneOf(items) => {
                let sequence = usize::try_from(self.at.sequence).unwrap_or_default();
                // Each sample begins at another item, so that not all of them try the first one.
                items.get((sequence + self.turn) % items.len().max(1)).cloned()
            }
            Wish::Range { measure: Measure::Itself, .. } => {
                let number = Number::parse(text).ok();
                of_number(&number.unwrap_or_else(|| Number::from(0)))
                    .or_else(|| of_number(&Number::from(u64::MAX)))
            }
            Wish::Range { least, most, .. } => Some(fitted(
                text,
                count(least.as_ref()).unwrap_or(0),
                count(most.as_ref()).unwrap_or(MAX_TEXT),
            )),
            Wish::MultipleOf(_) | Wish::Whole => Number::parse(text)
                .ok()
                .and_then(|number| of_number(&number))
                .or_else(|| Some("1".to_owned())),
            Wish::Bool => Some("true".to_owned()),
            Wish::Matching(expression) => RegexText::new(expression)?.text(self.at),
            Wish::Begin(beginning) => {
                (!text.starts_with(beginning.as_str())).then(|| format!("{beginning}{text}"))
            }
            Wish::End(end) => (!text.ends_with(end.as_str())).then(|| format!("{text}{end}")),
            Wish::Like(form) if self.turn == 0 => Some(form.text(self.at.sequence)),
            Wish::Existing => EXISTING.get(self.turn % EXISTING.len()).map(|path| (*path).to_owned()),
            Wish::NotEmpty => text.trim().is_empty().then(own),
            _ if self.turn == 0 => Some(own()),
            _ => plausible_texts(self.at.sequence).nth(self.turn - 1),
        }
    }

    fn number(&self, number: &Number) -> Option<Number> {
        match self.wish {
            Wish::OneOf(items) => {
                let numbers: Vec<Number> = items.iter().filter_map(|item| Number::parse(item).ok()).collect();
                let is_one = numbers.contains(number);
                if is_one { None } else { numbers.get(self.turn % numbers.len().max(1)).cloned() }
            }
            Wish::Range { least, most, measure: Measure::Itself } => {
                let bound = |bound: &Option<Number>, is_out: fn(&Number, &Number) -> bool| {
                    bound.clone().filter(|bound| is_out(number, bound))
                };
                bound(least, |n, least| n < least).or_else(|| bound(most, |n, most| n > most))
            }
            Wish::MultipleOf(unit) => {
                let rest = number.try_rem(unit).ok()?;
                let below = number.try_sub(&rest).ok()?;
                Some(if below == Number::from(0) { unit.clone() } else { below })
            }
            Wish::Whole if number.as_i64().is_some() => None,
            Wish::Whole | Wish::Other => Some(Number::from(1 + self.turn as u64)),
            _ => None,
        }
    }
}

/// Whether a wish concerns the number of elements in a collection of this type.
pub(super) fn counts(wish: &Wish, ty: &Type) -> bool {
    let Wish::Range { measure, .. } = wish else { return false };
    ty.is_collection() && *measure == Measure::Length
}

fn count(bound: Option<&Number>) -> Option<usize> {
    bound?.as_u64().and_then(|bound| usize::try_from(bound).ok()).map(|bound| bound.min(MAX_TEXT))
}

/// The text, made longer or shorter.
fn fitted(text: &str, least: usize, most: usize) -> String {
    let characters = text.chars().count();
    let padded = text.chars().chain(std::iter::repeat_n('x', least.saturating_sub(characters)));
    padded.take(most.max(1)).collect()
}
