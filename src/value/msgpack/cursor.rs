//! Reads MessagePack one piece at a time.

use rmp::Marker;
use rmp::decode::{self, Bytes};

use super::MsgpackProblem::{self, InvalidUtf8, NotANumber, TooShort, WrongKind};
use crate::value::Number;

/// A place in a message. Lengths that it returns never exceed the bytes that follow.
pub(super) struct Cursor<'m> {
    rest: &'m [u8],
    /// The length of the whole message.
    length: usize,
}

impl<'m> Cursor<'m> {
    pub(super) fn new(message: &'m [u8]) -> Self {
        Self { rest: message, length: message.len() }
    }

    /// How many bytes were read.
    pub(super) fn offset(&self) -> usize {
        self.length - self.rest.len()
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next marker, without taking it.
    pub(super) fn peek(&self) -> Result<Marker, MsgpackProblem> {
        self.rest.first().map(|byte| Marker::from_u8(*byte)).ok_or(TooShort { missing: 1 })
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'m [u8], MsgpackProblem> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(TooShort { missing: count - self.rest.len() });
        };
        self.rest = rest;
        Ok(taken)
    }

    /// Reads a piece with the codec's function for the marker, which only fails if bytes are missing.
    fn piece<T, E>(
        &mut self,
        read: impl FnOnce(&mut Bytes<'m>) -> Result<T, E>,
    ) -> Result<T, MsgpackProblem> {
        let mut bytes = Bytes::new(self.rest);
        let piece = read(&mut bytes).map_err(|_| TooShort { missing: 1 })?;
        self.rest = bytes.remaining_slice();
        Ok(piece)
    }

    pub(super) fn bool(&mut self) -> Result<bool, MsgpackProblem> {
        match self.peek()? {
            Marker::True | Marker::False => self.piece(decode::read_bool),
            marker => Err(wrong_kind("a bool", marker)),
        }
    }

    /// A number in any form: an integer, a float, or text.
    pub(super) fn number(&mut self) -> Result<Number, MsgpackProblem> {
        match self.peek()? {
            Marker::F32 => {
                let float = self.piece(decode::read_f32)?;
                Number::from_f64(float.into()).ok_or(NotANumber)
            }
            Marker::F64 => {
                let float = self.piece(decode::read_f64)?;
                Number::from_f64(float).ok_or(NotANumber)
            }
            Marker::FixPos(n) => {
                self.take(1)?;
                Ok(n.into())
            }
            marker if is_integer(marker) => Ok(self.integer("a number")?.into()),
            _ => Ok(Number::parse(self.text("a number")?)?),
        }
    }

    pub(super) fn integer(&mut self, expected: &'static str) -> Result<i128, MsgpackProblem> {
        match self.peek()? {
            marker if is_integer(marker) => self.piece(decode::read_int),
            marker => Err(wrong_kind(expected, marker)),
        }
    }

    /// Text, in the form of a string or of bytes.
    pub(super) fn text(&mut self, expected: &'static str) -> Result<&'m str, MsgpackProblem> {
        let length = match self.peek()? {
            // Most texts are this short. The codec would look at the marker once more.
            Marker::FixStr(length) => {
                self.take(1)?;
                length.into()
            }
            Marker::Str8 | Marker::Str16 | Marker::Str32 => self.piece(decode::read_str_len)?,
            Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => self.piece(decode::read_bin_len)?,
            marker => return Err(wrong_kind(expected, marker)),
        };
        std::str::from_utf8(self.take(length as usize)?).map_err(|_| InvalidUtf8)
    }

    /// Skips this short text if it comes next. It needs no check for valid UTF-8 then.
    pub(super) fn take_text(&mut self, text: &str) -> bool {
        let after = self.rest.split_first().filter(|(marker, _)| {
            matches!(Marker::from_u8(**marker), Marker::FixStr(length) if usize::from(length) == text.len())
        });
        match after.and_then(|(_, rest)| rest.strip_prefix(text.as_bytes())) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The number of elements that follow.
    pub(super) fn array_len(&mut self, expected: &'static str) -> Result<usize, MsgpackProblem> {
        match self.peek()? {
            Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => {
                let count = self.piece(decode::read_array_len)? as usize;
                self.needs(count)
            }
            marker => Err(wrong_kind(expected, marker)),
        }
    }

    /// Whether an array of a type and a value comes next. Only a type is in the form of bytes.
    pub(super) fn states_type(&self) -> bool {
        // go-cty marshals a type to bytes of JSON, and writes every text as a string.
        let is_pair = self.rest.first().is_some_and(|byte| Marker::from_u8(*byte) == Marker::FixArray(2));
        is_pair && self.rest.get(1).is_some_and(|byte| (0xc4..=0xc6).contains(byte))
    }

    /// The number of entries that follow.
    pub(super) fn map_len(&mut self, expected: &'static str) -> Result<usize, MsgpackProblem> {
        match self.peek()? {
            Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => {
                let count = self.piece(decode::read_map_len)? as usize;
                self.needs(count.saturating_mul(2)).map(|_| count)
            }
            marker => Err(wrong_kind(expected, marker)),
        }
    }

    /// The announced number of parts, of at least one byte each.
    fn needs(&self, parts: usize) -> Result<usize, MsgpackProblem> {
        match parts.checked_sub(self.left()) {
            None | Some(0) => Ok(parts),
            Some(missing) => Err(TooShort { missing }),
        }
    }

    /// The code and the payload of an extension that is at most so long.
    pub(super) fn extension(&mut self, max: u32) -> Result<(i8, &'m [u8]), MsgpackProblem> {
        let extension = self.piece(decode::read_ext_meta)?;
        if extension.size > max {
            return Err(MsgpackProblem::ExtensionTooLong { length: extension.size });
        }
        Ok((extension.typeid, self.take(extension.size as usize)?))
    }

    /// Skips the next value of any depth, without recursion: parts are counted, not descended into.
    pub(super) fn skip(&mut self) -> Result<(), MsgpackProblem> {
        // rmp 0.8 can measure a value, but panics at some extensions (`todo!`).
        let mut pending = 1usize;
        while pending > 0 {
            pending -= 1;
            match self.peek()? {
                Marker::Null | Marker::True | Marker::False | Marker::Reserved => {
                    self.take(1)?;
                }
                Marker::F32 => {
                    self.take(5)?;
                }
                Marker::F64 => {
                    self.take(9)?;
                }
                Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => {
                    pending += self.array_len("an array")?;
                }
                Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => pending += 2 * self.map_len("a map")?,
                Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => {
                    let length = self.piece(decode::read_bin_len)?;
                    self.take(length as usize)?;
                }
                Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
                    let length = self.piece(decode::read_str_len)?;
                    self.take(length as usize)?;
                }
                marker if is_extension(marker) => {
                    self.extension(u32::MAX)?;
                }
                _ => {
                    self.integer("an integer")?;
                }
            }
        }
        Ok(())
    }
}

fn is_integer(marker: Marker) -> bool {
    matches!(
        marker,
        Marker::FixPos(_)
            | Marker::FixNeg(_)
            | Marker::I8
            | Marker::I16
            | Marker::I32
            | Marker::I64
            | Marker::U8
            | Marker::U16
            | Marker::U32
            | Marker::U64
    )
}

pub(super) fn is_extension(marker: Marker) -> bool {
    matches!(
        marker,
        Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32
    )
}

pub(super) fn wrong_kind(expected: &'static str, found: Marker) -> MsgpackProblem {
    let found = match found {
        Marker::Null => "null",
        Marker::Reserved => "a byte that no MessagePack has",
        Marker::True | Marker::False => "a bool",
        Marker::F32 | Marker::F64 => "a float",
        Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => "a string",
        Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => "bytes",
        Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => "an array",
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => "a map",
        marker if is_extension(marker) => "an unknown value",
        _ => "an integer",
    };
    WrongKind { expected, found }
}
