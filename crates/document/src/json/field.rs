//! Reading single members. For a text or a flag null is as good as absent; a list or an object must be there.

use std::borrow::Cow;

use super::{JsonError, Raw, Reader};
use crate::text::Text;

/// Whether the next value is null; if so it is skipped.
pub(crate) fn is_null(reader: &mut Reader<'_>) -> Result<bool, JsonError> {
    if reader.peek() == Some(b'n') { reader.word("null").map(|()| true) } else { Ok(false) }
}

/// Puts what was read into its place.
pub(crate) fn keep<T>(place: &mut T, read: Result<T, JsonError>) -> Result<(), JsonError> {
    *place = read?;
    Ok(())
}

pub(crate) fn text<'t>(reader: &mut Reader<'t>) -> Result<Option<Text<'t>>, JsonError> {
    match reader.peek() {
        Some(b'n') => reader.word("null").map(|()| None),
        Some(b'"') => Ok(Some(reader.string()?.into())),
        _ => Err(reader.error("expected a string")),
    }
}

pub(crate) fn flag(reader: &mut Reader<'_>) -> Result<Option<bool>, JsonError> {
    match reader.peek() {
        Some(b'n') => reader.word("null").map(|()| None),
        Some(b't') => reader.word("true").map(|()| Some(true)),
        Some(b'f') => reader.word("false").map(|()| Some(false)),
        _ => Err(reader.error("expected true or false")),
    }
}

pub(crate) fn list<'t, T>(
    reader: &mut Reader<'t>,
    mut element: impl FnMut(&mut Reader<'t>) -> Result<T, JsonError>,
) -> Result<Vec<T>, JsonError> {
    let mut list = Vec::new();
    reader.elements(|reader| {
        list.push(element(reader)?);
        Ok::<(), JsonError>(())
    })?;
    Ok(list)
}

/// Like [`list`] in state files, where Terraform reads null as an empty list.
pub(crate) fn list_or_null<'t, T>(
    reader: &mut Reader<'t>,
    element: impl FnMut(&mut Reader<'t>) -> Result<T, JsonError>,
) -> Result<Vec<T>, JsonError> {
    if is_null(reader)? { Ok(Vec::new()) } else { list(reader, element) }
}

/// Like [`Reader::members`] in state files, where Terraform reads null as an object without members.
pub(crate) fn object_or_null<'t>(
    reader: &mut Reader<'t>,
    member: impl FnMut(Cow<'t, str>, &mut Reader<'t>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    if is_null(reader)? { Ok(()) } else { reader.members(member) }
}

/// The text of a member that begins with this bracket.
pub(crate) fn bracketed<'t>(reader: &mut Reader<'t>, bracket: u8) -> Result<Raw<'t>, JsonError> {
    reader.clone().enter(bracket)?;
    reader.raw()
}

/// Puts the members of an object into the order of their names; of a repeated one the last counts.
pub(crate) fn by_name<'t, T>(members: &mut Vec<T>, name: impl for<'m> Fn(&'m T) -> &'m Text<'t>) {
    members.sort_by(|a, b| name(a).cmp(name(b)));
    members.dedup_by(|later, kept| {
        let repeated = name(later) == name(kept);
        if repeated {
            std::mem::swap(later, kept);
        }
        repeated
    });
}
