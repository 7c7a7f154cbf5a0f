//! Calls about state stores, and the list of names.

use super::router::CallContext;
use crate::call::{Locked, StateIds, StoreConfigured, StoredState};
use crate::wire::{
    MAX_MESSAGE, read_value_or_null, tfplugin5 as pb5, tfplugin6 as pb, write_diagnostics, write_metadata,
    write_metadata_5,
};
use crate::{Component, ErrorKind, ProviderExt, Result};

/// How much of a state goes into one message.
const CHUNK: usize = 1 << 20;

pub(super) async fn metadata(
    asked: CallContext,
    _: pb::get_metadata::Request,
) -> Result<pb::get_metadata::Response> {
    Ok(write_metadata(&asked.provider.metadata().await?))
}

pub(super) async fn metadata_5(
    asked: CallContext,
    _: pb5::get_metadata::Request,
) -> Result<pb5::get_metadata::Response> {
    Ok(write_metadata_5(&asked.provider.metadata().await?))
}

pub(super) async fn configure(
    asked: CallContext,
    question: pb::configure_state_store::Request,
) -> Result<pb::configure_state_store::Response> {
    let ty = asked.ty(Component::StateStore, &question.type_name)?;
    let config = read_value_or_null("config", question.config, &ty)?;
    let offered = question.capabilities.map_or(0, |capabilities| capabilities.chunk_size);
    let StoreConfigured { chunk_size, diagnostics } =
        asked.provider.configure_store(&question.type_name, &config, offered).await?;
    Ok(pb::configure_state_store::Response {
        diagnostics: write_diagnostics(&diagnostics),
        capabilities: Some(pb::configure_state_store::Capabilities { chunk_size }),
    })
}

pub(super) async fn read(
    asked: CallContext,
    question: pb::read_state_bytes::Request,
) -> Result<Vec<pb::read_state_bytes::Response>> {
    let StoredState { state, diagnostics } =
        asked.provider.read_state(&question.type_name, &question.state_id).await?;
    let length = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
    let chunk = |(i, bytes): (usize, &[u8])| pb::read_state_bytes::Response {
        bytes: bytes.to_vec(),
        total_length: length(state.len()),
        range: Some(pb::StateRange { start: length(i * CHUNK), end: length(i * CHUNK + bytes.len()) }),
        diagnostics: Vec::new(),
    };
    let mut chunks: Vec<_> = state.chunks(CHUNK).enumerate().map(chunk).collect();
    // A stream without a message would not tell an empty state from one that is not there.
    if !diagnostics.is_empty() || chunks.is_empty() {
        let diagnostics = write_diagnostics(&diagnostics);
        chunks.push(pb::read_state_bytes::Response { diagnostics, ..Default::default() });
    }
    Ok(chunks)
}

pub(super) async fn write(
    asked: CallContext,
    chunks: Vec<pb::write_state_bytes::RequestChunk>,
) -> Result<pb::write_state_bytes::Response> {
    let (mut meta, mut state, mut size) = (None, Vec::new(), 0);
    for chunk in chunks {
        meta = meta.or(chunk.meta);
        size = size.max(chunk.bytes.len());
        if state.len() + chunk.bytes.len() > MAX_MESSAGE {
            let reason = format!("a state of more than {} MiB", MAX_MESSAGE >> 20);
            return Err(ErrorKind::TooLarge { reason }.into());
        }
        state.extend(chunk.bytes);
    }
    let Some(meta) = meta else {
        let reason = "no chunk says which state it is of".to_owned();
        return Err(ErrorKind::Malformed { field: "meta", reason }.into());
    };
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let diagnostics = asked.provider.write_state(&meta.type_name, &meta.state_id, &state, size).await?;
    Ok(pb::write_state_bytes::Response { diagnostics: write_diagnostics(&diagnostics) })
}

pub(super) async fn lock(
    asked: CallContext,
    question: pb::lock_state::Request,
) -> Result<pb::lock_state::Response> {
    let pb::lock_state::Request { type_name, state_id, operation } = question;
    let Locked { lock, diagnostics } = asked.provider.lock_state(&type_name, &state_id, &operation).await?;
    Ok(pb::lock_state::Response { lock_id: lock, diagnostics: write_diagnostics(&diagnostics) })
}

pub(super) async fn unlock(
    asked: CallContext,
    question: pb::unlock_state::Request,
) -> Result<pb::unlock_state::Response> {
    let pb::unlock_state::Request { type_name, state_id, lock_id } = question;
    let diagnostics = asked.provider.unlock_state(&type_name, &state_id, &lock_id).await?;
    Ok(pb::unlock_state::Response { diagnostics: write_diagnostics(&diagnostics) })
}

pub(super) async fn states(
    asked: CallContext,
    question: pb::get_states::Request,
) -> Result<pb::get_states::Response> {
    let StateIds { ids, diagnostics } = asked.provider.states(&question.type_name).await?;
    Ok(pb::get_states::Response { state_id: ids, diagnostics: write_diagnostics(&diagnostics) })
}

pub(super) async fn delete(
    asked: CallContext,
    question: pb::delete_state::Request,
) -> Result<pb::delete_state::Response> {
    let diagnostics = asked.provider.delete_state(&question.type_name, &question.state_id).await?;
    Ok(pb::delete_state::Response { diagnostics: write_diagnostics(&diagnostics) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Call, Provider, Reply, Schemas};

    /// Has one state of this length.
    #[derive(Debug)]
    struct Store(usize);

    #[async_trait::async_trait]
    impl Provider for Store {
        async fn call(&self, _: Call<'_>) -> Result<Reply> {
            Ok(StoredState { state: vec![b'x'; self.0], diagnostics: Vec::new() }.into())
        }
    }

    #[test]
    fn each_piece_of_a_state_says_where_it_is() {
        let length = 2 * CHUNK + 7;
        let asked = CallContext { provider: Arc::new(Store(length)), schemas: Arc::new(Schemas::default()) };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let pieces = runtime.block_on(read(asked, pb::read_state_bytes::Request::default())).unwrap();
        let ranges: Vec<_> = pieces
            .iter()
            .map(|piece| {
                let range = piece.range.as_ref().unwrap();
                assert_eq!(piece.bytes.len() as i64, range.end - range.start);
                assert_eq!(piece.total_length, length as i64);
                (range.start, range.end)
            })
            .collect();
        let chunk = CHUNK as i64;
        assert_eq!(ranges, [(0, chunk), (chunk, 2 * chunk), (2 * chunk, 2 * chunk + 7)]);
    }
}
