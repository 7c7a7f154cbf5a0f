//! Writing a value as MessagePack under a type.

use rmp::encode::{self, ByteBuf};

use super::{REFINED, refinements};
use crate::value::{Kind, Number, PathStack, Refinements, StepRef, Type, Value, WriteError};

pub(super) fn to_vec(value: &Value, ty: &Type) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer { out: ByteBuf::new(), has_marks: value.contains_marked() };
    writer.value(value, ty, PathStack::ROOT)?;
    Ok(writer.out.into_vec())
}

struct Writer {
    /// Writing to it does not fail.
    out: ByteBuf,
    /// Something in the whole value is marked, and may be named by a type.
    has_marks: bool,
}

impl Writer {
    fn value(&mut self, value: &Value, ty: &Type, path: PathStack<'_>) -> Result<(), WriteError> {
        if value.is_marked() {
            return Err(WriteError::Marked { path: path.to_path() });
        }
        if *ty == Type::Dynamic && *value.ty() != Type::Dynamic {
            let own_type = value.ty().to_string();
            let length = length(own_type.len(), path)?;
            let Ok(_) = encode::write_array_len(&mut self.out, 2);
            let Ok(_) = encode::write_bin_len(&mut self.out, length);
            self.out.as_mut_vec().extend_from_slice(own_type.as_bytes());
            return self.value(value, value.ty(), path);
        }
        match (value.kind(), ty) {
            (Kind::Null, _) => {
                let Ok(()) = encode::write_nil(&mut self.out);
            }
            (Kind::Unknown(refinements), _) => self.unknown(refinements),
            (Kind::Bool(b), Type::Bool) => {
                let Ok(()) = encode::write_bool(&mut self.out, b);
            }
            (Kind::Number(n), Type::Number) => write_number(n, &mut self.out),
            (Kind::String(s), Type::String) => self.string(s, path)?,
            (Kind::List(elements), Type::List(element)) | (Kind::Set(elements), Type::Set(element)) => {
                self.array(elements.iter().map(|e| (e, &**element)), path)?;
            }
            (Kind::Tuple(elements), Type::Tuple(tuple)) if elements.len() == tuple.elements().len() => {
                self.array(std::iter::zip(elements, tuple.elements()), path)?;
            }
            (Kind::Map(map), Type::Map(element)) => {
                let Ok(_) = encode::write_map_len(&mut self.out, length(map.len(), path)?);
                for (key, value) in map.iter() {
                    self.string(key, path)?;
                    self.value(value, element, path.then(StepRef::Key(key)))?;
                }
            }
            (Kind::Object(object), Type::Object(object_ty))
                if object.len() == object_ty.attributes().len() =>
            {
                let Ok(_) = encode::write_map_len(&mut self.out, length(object.len(), path)?);
                for (i, (name, attribute_ty)) in object_ty.attributes().iter().enumerate() {
                    let Some(attribute) = object.get_at(i, name) else {
                        return Err(WriteError::wrong_type(value, ty, path.hide(self.has_marks)));
                    };
                    self.string(name, path)?;
                    self.value(attribute, attribute_ty, path.attribute(name))?;
                }
            }
            _ => return Err(WriteError::wrong_type(value, ty, path.hide(self.has_marks))),
        }
        Ok(())
    }

    fn unknown(&mut self, refinements: &Refinements) {
        match refinements::write(refinements) {
            // A bare unknown has one byte of payload, which means nothing.
            None => self.out.as_mut_vec().extend([0xd4, 0, 0]),
            Some(payload) => {
                // The payload is at most some hundred bytes long.
                let Ok(_) = encode::write_ext_meta(&mut self.out, payload.len() as u32, REFINED);
                self.out.as_mut_vec().extend(payload);
            }
        }
    }

    fn string(&mut self, text: &str, path: PathStack<'_>) -> Result<(), WriteError> {
        let Ok(_) = encode::write_str_len(&mut self.out, length(text.len(), path)?);
        self.out.as_mut_vec().extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn array<'v>(
        &mut self,
        elements: impl ExactSizeIterator<Item = (&'v Value, &'v Type)>,
        path: PathStack<'_>,
    ) -> Result<(), WriteError> {
        let Ok(_) = encode::write_array_len(&mut self.out, length(elements.len(), path)?);
        for (i, (element, ty)) in elements.enumerate() {
            self.value(element, ty, path.then(StepRef::Position(i)))?;
        }
        Ok(())
    }
}

fn length(length: usize, path: PathStack<'_>) -> Result<u32, WriteError> {
    length.try_into().map_err(|_| WriteError::TooLong { path: path.to_path() })
}

/// The smallest form of an integer of 64 bits; a double that is not an integer; else decimal text, also for
/// larger integers that are doubles.
pub(super) fn write_number(number: &Number, out: &mut ByteBuf) {
    if let Some(int) = number.as_i64() {
        let Ok(_) = encode::write_sint(out, int);
    } else if let Some(float) = number.as_f64().filter(|_| !number.is_integer()) {
        let Ok(()) = encode::write_f64(out, float);
    } else {
        // Some thousand digits at most.
        let Ok(()) = encode::write_str(out, &number.to_string());
    }
}
