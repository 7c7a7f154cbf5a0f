//! Reading plain JSON that states no type, where the type is dynamic: as `jsondecode` takes it, an array is a tuple and
//! an object an object.

use serde::Deserialize;

use super::{Document, Failure, ReadContext};
use crate::value::build::normal_form;
use crate::value::entries::UniqueEntries;
use crate::value::{StepRef, Type, Value};
use objchange_text::json::JsonError;

impl Document<'_> {
    /// Whether the object that the reader has stepped into is a value with its type.
    pub(super) fn is_typed(&self) -> bool {
        let mut ahead = self.reader.clone();
        let (mut has_type, mut has_value, mut is_first) = (false, false, true);
        let mut look = || {
            while let Some(name) = ahead.next_name(&mut is_first)? {
                ahead.colon()?;
                match &*name {
                    "type" if !has_type => {
                        Type::deserialize(&mut ahead)?;
                        has_type = true;
                    }
                    "value" if !has_value => {
                        ahead.raw()?;
                        has_value = true;
                    }
                    _ => return Ok(false),
                }
            }
            Ok::<bool, JsonError>(has_type && has_value)
        };
        look().unwrap_or(false)
    }

    pub(super) fn implied_object(&mut self, at: ReadContext<'_>) -> Result<Value, Failure> {
        let mut attributes = UniqueEntries::default();
        let mut is_first = true;
        while let Some(name) = self.reader.next_name(&mut is_first)? {
            let name = normal_form(&name);
            // The name is content, and so a key.
            let inside = at.inside(&Type::Dynamic, StepRef::Key(&name));
            if !attributes.is_new(&name) {
                return Err(self.error(inside, "this key is used twice; use each key once"));
            }
            self.reader.colon()?;
            let value = self.value(inside)?;
            attributes.push(name, value);
        }
        self.reader.leave();
        Ok(Value::object(attributes.into_entries()))
    }

    pub(super) fn implied_tuple(&mut self, at: ReadContext<'_>) -> Result<Value, Failure> {
        let mut elements = Vec::new();
        let mut is_first = true;
        while self.reader.next_element(&mut is_first)? {
            elements.push(self.value(at.inside(&Type::Dynamic, StepRef::Position(elements.len())))?);
        }
        self.reader.leave();
        Ok(Value::tuple(elements))
    }
}
