//! The calls for state stores.

use objchange::Value;
use objchange::change::Diagnostic;

use super::Client;
use crate::call::{Locked, StateIds, StoreConfigured, StoredState};
use crate::wire::{MAX_MESSAGE, Method, read_diagnostics, tfplugin6 as pb, write_value};
use crate::{Component, ErrorKind, Result};

pub(super) async fn configure_store(
    client: &Client,
    type_name: &str,
    config: &Value,
    chunk_size: i64,
) -> Result<StoreConfigured> {
    let ty = client.ty(Component::StateStore, type_name).await?;
    let question = pb::configure_state_store::Request {
        type_name: type_name.to_owned(),
        config: write_value("config", config, &ty)?,
        capabilities: Some(pb::configure_state_store::Capabilities { chunk_size }),
    };
    let answer: pb::configure_state_store::Response = client.unary(Method::CONFIGURE_STORE, question).await?;
    let chunk_size = answer.capabilities.map_or(chunk_size, |capabilities| capabilities.chunk_size);
    Ok(StoreConfigured { chunk_size, diagnostics: read_diagnostics(answer.diagnostics) })
}

pub(super) async fn read_state(client: &Client, type_name: &str, id: &str) -> Result<StoredState> {
    let question = pb::read_state_bytes::Request { type_name: type_name.to_owned(), state_id: id.to_owned() };
    let chunks: Vec<pb::read_state_bytes::Response> = client.events(Method::READ_STATE, question).await?;
    let (mut stored, mut wanted) = (StoredState::default(), None);
    for chunk in chunks {
        if stored.state.len() + chunk.bytes.len() > MAX_MESSAGE {
            let reason = format!("a state of more than {} MiB", MAX_MESSAGE >> 20);
            return Err(ErrorKind::TooLarge { reason }.into());
        }
        // The last message may have only diagnostics, without a length.
        wanted = Some(chunk.total_length).filter(|length| *length > 0).or(wanted);
        stored.state.extend(chunk.bytes);
        stored.diagnostics.extend(read_diagnostics(chunk.diagnostics));
    }
    match wanted.map(usize::try_from) {
        Some(Ok(wanted)) if wanted != stored.state.len() && stored.diagnostics.is_empty() => {
            let reason = format!("{wanted} bytes are announced, and {} come", stored.state.len());
            Err(ErrorKind::Malformed { field: "total_length", reason }.into())
        }
        _ => Ok(stored),
    }
}

pub(super) async fn write_state(
    client: &Client,
    type_name: &str,
    id: &str,
    state: &[u8],
    chunk_size: i64,
) -> Result<Vec<Diagnostic>> {
    let chunk_size = usize::try_from(chunk_size).unwrap_or_default().clamp(1, MAX_MESSAGE / 2);
    let length = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
    let meta =
        pb::write_state_bytes::RequestMeta { type_name: type_name.to_owned(), state_id: id.to_owned() };
    let mut meta = Some(meta);
    let mut chunks = Vec::new();
    let mut start = 0;
    // Even an empty state is sent as one chunk, because the first chunk identifies the state.
    while start < state.len() || meta.is_some() {
        let end = (start + chunk_size).min(state.len());
        chunks.push(pb::write_state_bytes::RequestChunk {
            meta: meta.take(),
            bytes: state[start..end].to_vec(),
            total_length: length(state.len()),
            range: Some(pb::StateRange { start: length(start), end: length(end) }),
        });
        start = end;
    }
    let answer: pb::write_state_bytes::Response = client.send(Method::WRITE_STATE, chunks).await?;
    Ok(read_diagnostics(answer.diagnostics))
}

pub(super) async fn lock_state(
    client: &Client,
    type_name: &str,
    id: &str,
    operation: &str,
) -> Result<Locked> {
    let question = pb::lock_state::Request {
        type_name: type_name.to_owned(),
        state_id: id.to_owned(),
        operation: operation.to_owned(),
    };
    let answer: pb::lock_state::Response = client.unary(Method::LOCK_STATE, question).await?;
    Ok(Locked { lock: answer.lock_id, diagnostics: read_diagnostics(answer.diagnostics) })
}

pub(super) async fn unlock_state(
    client: &Client,
    type_name: &str,
    id: &str,
    lock: &str,
) -> Result<Vec<Diagnostic>> {
    let question = pb::unlock_state::Request {
        type_name: type_name.to_owned(),
        state_id: id.to_owned(),
        lock_id: lock.to_owned(),
    };
    let answer: pb::unlock_state::Response = client.unary(Method::UNLOCK_STATE, question).await?;
    Ok(read_diagnostics(answer.diagnostics))
}

pub(super) async fn states(client: &Client, type_name: &str) -> Result<StateIds> {
    let question = pb::get_states::Request { type_name: type_name.to_owned() };
    let answer: pb::get_states::Response = client.unary(Method::STATES, question).await?;
    Ok(StateIds { ids: answer.state_id, diagnostics: read_diagnostics(answer.diagnostics) })
}

pub(super) async fn delete_state(client: &Client, type_name: &str, id: &str) -> Result<Vec<Diagnostic>> {
    let question = pb::delete_state::Request { type_name: type_name.to_owned(), state_id: id.to_owned() };
    let answer: pb::delete_state::Response = client.unary(Method::DELETE_STATE, question).await?;
    Ok(read_diagnostics(answer.diagnostics))
}
