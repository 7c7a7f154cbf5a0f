//! The messages in a plan file, as far as they are read. Neither the backend's configuration nor private data of
//! providers is among them.

use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};

use crate::error::SavedPlanError;

/// A value in MessagePack.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DynamicValue {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) msgpack: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Variable {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Path {
    #[prost(message, repeated, tag = "1")]
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Step {
    #[prost(string, optional, tag = "1")]
    pub(crate) attribute_name: Option<String>,
    #[prost(message, optional, tag = "2")]
    pub(crate) element_key: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ResourceChange {
    #[prost(string, tag = "7")]
    pub(crate) deposed_key: String,
    #[prost(string, tag = "8")]
    pub(crate) provider: String,
    #[prost(message, optional, tag = "9")]
    pub(crate) change: Option<Change>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) required_replace: Vec<Path>,
    #[prost(int32, tag = "12")]
    pub(crate) action_reason: i32,
    #[prost(string, tag = "13")]
    pub(crate) addr: String,
    #[prost(string, tag = "14")]
    pub(crate) prev_run_addr: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Change {
    #[prost(int32, tag = "1")]
    pub(crate) action: i32,
    #[prost(message, repeated, tag = "2")]
    pub(crate) values: Vec<DynamicValue>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) before_sensitive_paths: Vec<Path>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) after_sensitive_paths: Vec<Path>,
    #[prost(message, optional, tag = "5")]
    pub(crate) importing: Option<Importing>,
    #[prost(string, tag = "6")]
    pub(crate) generated_config: String,
    #[prost(message, optional, tag = "7")]
    pub(crate) before_identity: Option<DynamicValue>,
    #[prost(message, optional, tag = "8")]
    pub(crate) after_identity: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Importing {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(bool, tag = "2")]
    pub(crate) unknown: bool,
    #[prost(message, optional, tag = "3")]
    pub(crate) identity: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OutputChange {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) change: Option<Change>,
    #[prost(bool, tag = "3")]
    pub(crate) sensitive: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RelevantAttribute {
    #[prost(string, tag = "1")]
    pub(crate) resource: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) attr: Option<Path>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CheckResults {
    #[prost(int32, tag = "1")]
    pub(crate) kind: i32,
    #[prost(string, tag = "2")]
    pub(crate) config_addr: String,
    #[prost(int32, tag = "3")]
    pub(crate) status: i32,
    #[prost(message, repeated, tag = "4")]
    pub(crate) objects: Vec<CheckObject>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CheckObject {
    #[prost(string, tag = "1")]
    pub(crate) object_addr: String,
    #[prost(int32, tag = "2")]
    pub(crate) status: i32,
    #[prost(string, repeated, tag = "3")]
    pub(crate) failure_messages: Vec<String>,
}

/// A change that is left to the next plan.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DeferredChange {
    #[prost(message, optional, tag = "1")]
    pub(crate) deferred: Option<Deferral>,
    #[prost(message, optional, tag = "2")]
    pub(crate) change: Option<ResourceChange>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Deferral {
    #[prost(int32, tag = "1")]
    pub(crate) reason: i32,
}

/// An action that is left to the next plan.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DeferredInvocation {
    #[prost(message, optional, tag = "1")]
    pub(crate) deferred: Option<Deferral>,
    #[prost(message, optional, tag = "2")]
    pub(crate) invocation: Option<ActionInvocation>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ActionInvocation {
    #[prost(string, tag = "1")]
    pub(crate) addr: String,
    #[prost(string, tag = "2")]
    pub(crate) provider: String,
    #[prost(message, optional, tag = "4")]
    pub(crate) config_value: Option<DynamicValue>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) sensitive_config_paths: Vec<Path>,
    #[prost(oneof = "Trigger", tags = "6, 7")]
    pub(crate) trigger: Option<Trigger>,
}

/// Why an action is invoked. If the message has both fields, the last one is used.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Trigger {
    #[prost(message, tag = "6")]
    Change(ChangeTrigger),
    #[prost(message, tag = "7")]
    Asked(Asked),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ChangeTrigger {
    #[prost(string, tag = "1")]
    pub(crate) triggering_resource_addr: String,
    #[prost(int32, tag = "2")]
    pub(crate) trigger_event: i32,
    #[prost(int64, tag = "3")]
    pub(crate) action_trigger_block_index: i64,
    #[prost(int64, tag = "4")]
    pub(crate) actions_list_index: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Asked {}

/// The value of a field.
#[derive(Clone, Copy)]
pub(crate) enum Content<'m> {
    Number(u64),
    Bytes(&'m [u8]),
    /// Four or eight bytes, which no field of a plan has.
    Fixed,
}

/// Visits the fields of a message one at a time, so that a long list never is in memory as a whole.
pub(crate) fn each_field<'m>(
    message: &'m [u8],
    mut visit: impl FnMut(u32, Content<'m>) -> Result<(), SavedPlanError>,
) -> Result<(), SavedPlanError> {
    let mut rest = message;
    let broken = |rest: &[u8], problem: &str| SavedPlanError::Message {
        place: format!("byte {}", message.len() - rest.len()),
        problem: problem.to_owned(),
    };
    while !rest.is_empty() {
        let at = rest;
        let (number, wire_type) = decode_key(&mut rest).map_err(|error| broken(at, &error.to_string()))?;
        let skip = |rest: &mut &'m [u8], length: usize| match rest.split_at_checked(length) {
            Some((taken, after)) => {
                *rest = after;
                Ok(taken)
            }
            None => Err(broken(at, "the message ends within this field")),
        };
        let content = match wire_type {
            WireType::Varint => {
                Content::Number(decode_varint(&mut rest).map_err(|error| broken(at, &error.to_string()))?)
            }
            WireType::LengthDelimited => {
                let length = decode_varint(&mut rest).map_err(|error| broken(at, &error.to_string()))?;
                Content::Bytes(skip(&mut rest, usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            WireType::ThirtyTwoBit => skip(&mut rest, 4).map(|_| Content::Fixed)?,
            WireType::SixtyFourBit => skip(&mut rest, 8).map(|_| Content::Fixed)?,
            WireType::StartGroup | WireType::EndGroup => return Err(broken(at, "no field is a group")),
        };
        // Two bytes in the file can be a whole empty change in memory, so callers decode one at a time.
        visit(number, content)?;
    }
    Ok(())
}

/// A message in a field; `place` names it in an error.
pub(crate) fn decode<M: Message + Default>(content: Content<'_>, place: &str) -> Result<M, SavedPlanError> {
    let fail = |problem: String| SavedPlanError::Message { place: place.to_owned(), problem };
    match content {
        Content::Bytes(bytes) => M::decode(bytes).map_err(|error| fail(error.to_string())),
        Content::Number(_) | Content::Fixed => Err(fail("this is not a message".to_owned())),
    }
}

/// Text in a field.
pub(crate) fn text<'m>(content: Content<'m>, place: &str) -> Result<&'m str, SavedPlanError> {
    let fail =
        |problem: &str| SavedPlanError::Message { place: place.to_owned(), problem: problem.to_owned() };
    match content {
        Content::Bytes(bytes) => std::str::from_utf8(bytes).map_err(|_| fail("the text is not UTF-8")),
        Content::Number(_) | Content::Fixed => Err(fail("this is not a text")),
    }
}

/// A number in a field.
pub(crate) fn number(content: Content<'_>, place: &str) -> Result<u64, SavedPlanError> {
    match content {
        Content::Number(number) => Ok(number),
        Content::Bytes(_) | Content::Fixed => Err(SavedPlanError::Message {
            place: place.to_owned(),
            problem: "this is not a number".to_owned(),
        }),
    }
}
