//! State stores over a connection: states of any length, in pieces of any length.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::{Block, Schema};
use objchange_conform::kit::Kit;
use objchange_provider::client::Limits;
use objchange_provider::server::serve_connection;
use objchange_provider::{
    Call, Client, Component, Locked, Provider, ProviderExt, Reply, Result, Schemas, StateIds,
    StoreConfigured, StoredState,
};

/// Keeps states in memory; all else is the kit's.
#[derive(Default)]
struct Memory(Kit, Mutex<BTreeMap<String, Vec<u8>>>);

#[async_trait]
impl Provider for Memory {
    async fn call(&self, call: Call<'_>) -> Result<Reply> {
        let states = || self.1.lock().unwrap();
        Ok(match call {
            Call::Schemas => {
                let mut schemas = Schemas::clone(&*self.0.schemas().await?);
                schemas.state_stores.insert("kit_memory".into(), Schema::new(0, Block::new::<&str>([], [])));
                Arc::new(schemas).into()
            }
            Call::Validate(component, ..) => {
                assert_eq!(component, Component::StateStore);
                vec![Diagnostic::warning("only in memory")].into()
            }
            Call::ConfigureStore(_, _, chunk_size) => {
                StoreConfigured { chunk_size: chunk_size / 2, diagnostics: Vec::new() }.into()
            }
            Call::ReadState(_, id) => {
                let state = states().get(id).cloned().unwrap_or_default();
                StoredState { state, diagnostics: Vec::new() }.into()
            }
            Call::WriteState(_, id, state, _) => {
                states().insert(id.to_owned(), state.to_vec());
                Vec::<Diagnostic>::new().into()
            }
            Call::LockState(_, id, operation) => {
                Locked { lock: format!("{id}-{operation}"), diagnostics: Vec::new() }.into()
            }
            Call::UnlockState(_, _, lock) => vec![Diagnostic::warning(lock)].into(),
            Call::States(_) => {
                StateIds { ids: states().keys().cloned().collect(), diagnostics: Vec::new() }.into()
            }
            Call::DeleteState(_, id) => {
                states().remove(id);
                Vec::<Diagnostic>::new().into()
            }
            _ => self.0.call(call).await?,
        })
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn connected(version: u32) -> Client {
    let (here, there) = tokio::io::duplex(64 << 10);
    tokio::spawn(serve_connection(Arc::new(Memory::default()), there));
    Client::over(here, version, Limits::default()).await.unwrap()
}

#[test]
fn states_come_back() {
    run(async {
        let (client, store) = (connected(6).await, "kit_memory");
        let config = Value::object::<&str, Value>([]);
        let warned = client.validate(Component::StateStore, store, &config).await.unwrap();
        assert_eq!(warned, [Diagnostic::warning("only in memory")]);
        assert_eq!(client.configure_store(store, &config, 14).await.unwrap().chunk_size, 7);
        let pattern = |length: usize| (0..length).map(|i| (i % 251) as u8).collect::<Vec<u8>>();
        for (length, chunk_size) in [(0, 7), (1, 7), (7, 7), (8, 7), (100, 1), (100, 0), (3 << 20, 1 << 20)] {
            let state = pattern(length);
            assert_eq!(client.write_state(store, "a", &state, chunk_size).await.unwrap(), []);
            let stored = client.read_state(store, "a").await.unwrap();
            assert!(stored.state == state, "{length} bytes in pieces of {chunk_size}");
        }
        assert_eq!(client.states(store).await.unwrap().ids, ["a"]);
        let locked = client.lock_state(store, "a", "plan").await.unwrap();
        let unlocked = client.unlock_state(store, "a", &locked.lock).await.unwrap();
        assert_eq!(unlocked, [Diagnostic::warning("a-plan")]);
        client.delete_state(store, "a").await.unwrap();
        assert!(client.states(store).await.unwrap().ids.is_empty());
    });
}

#[test]
fn protocol_5_has_none() {
    run(async {
        let client = connected(5).await;
        assert!(client.schemas().await.unwrap().state_stores.is_empty());
        assert!(client.states("kit_memory").await.unwrap_err().is_unimplemented());
        assert!(client.read_state("kit_memory", "a").await.unwrap_err().is_unimplemented());
    });
}
