//! The size of values as a walk sees them.
//!
//! Values share their parts: nested loops make a value that is small in memory and too large to print, compare or
//! convert. So a new value costs as many steps as a walk through it.

use objchange::value::Kind;
use objchange::{Type, Value};

/// The deepest nesting of values. Walks are recursive, so each level takes stack.
pub(super) const MAX_DEPTH: u32 = 1_000;

/// The number of values in this one, itself included; types of absent parts count as well. `None` if there are more than
/// `most`, or they are nested too deeply.
pub(super) fn within(value: &Value, most: u64) -> Option<u64> {
    let mut walk = Walk { left: most, bytes_per_part: None };
    walk.value(value, MAX_DEPTH)?;
    Some(most - walk.left)
}

/// Like the function above, for callers that read texts, too: `bytes_per_part` bytes of text cost one step.
pub(super) fn with_texts(value: &Value, most: u64, bytes_per_part: u64) -> Option<u64> {
    let mut walk = Walk { left: most, bytes_per_part: Some(bytes_per_part) };
    walk.value(value, MAX_DEPTH)?;
    Some(most - walk.left)
}

struct Walk {
    left: u64,
    bytes_per_part: Option<u64>,
}

impl Walk {
    fn pay(&mut self, steps: u64) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.bytes_per_part.map_or(Some(()), |bytes| self.pay(text.len() as u64 / bytes))
    }

    fn value(&mut self, value: &Value, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        if !matches!(value.kind(), Kind::Null | Kind::Unknown(_)) {
            self.pay(1)?;
        }
        match value.kind() {
            Kind::Bool(_) | Kind::Number(_) => Some(()),
            Kind::String(text) => self.text(text),
            Kind::Null | Kind::Unknown(_) => self.ty(value.ty(), depth),
            Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
                elements.iter().try_for_each(|element| self.value(element, depth))
            }
            Kind::Map(map) => map.iter().try_for_each(|(key, element)| {
                self.text(key)?;
                self.value(element, depth)
            }),
            Kind::Object(object) => object.iter().try_for_each(|(_, attribute)| self.value(attribute, depth)),
        }
    }

    fn ty(&mut self, ty: &Type, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        self.pay(1)?;
        match ty {
            Type::List(element) | Type::Set(element) | Type::Map(element) => self.ty(element, depth),
            Type::Tuple(tuple) => tuple.elements().iter().try_for_each(|ty| self.ty(ty, depth)),
            Type::Object(object) => object.attributes().iter().try_for_each(|(_, ty)| self.ty(ty, depth)),
            _ => Some(()),
        }
    }
}
