//! Connections that are cut, slow or full of garbage: a call ends with an error, and never hangs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use objchange_conform::kit::faulty;
use objchange_provider::client::Limits;
use objchange_provider::server::serve_connection;
use objchange_provider::{Client, Error, ProviderExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, split};

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn limits() -> Limits {
    Limits { call: Duration::from_secs(20), ..Limits::default() }
}

/// A provider behind a connection that passes on at most `bytes` of its answer, in pieces with a pause
/// after each.
fn behind(bytes: usize, piece: usize, pause: Duration) -> DuplexStream {
    let (here, mut outer) = tokio::io::duplex(1 << 10);
    let (inner, there) = tokio::io::duplex(1 << 10);
    tokio::spawn(serve_connection(Arc::new(faulty(true)), there));
    tokio::spawn(async move {
        let (mut from_provider, mut to_provider) = split(inner);
        let (mut from_client, mut to_client) = split(&mut outer);
        let answers = async {
            let (mut left, mut buffer) = (bytes, vec![0; piece]);
            while left > 0 {
                let length = left.min(piece);
                let Ok(count @ 1..) = from_provider.read(&mut buffer[..length]).await else { break };
                if to_client.write_all(&buffer[..count]).await.is_err() {
                    break;
                }
                left -= count;
                tokio::time::sleep(pause).await;
            }
        };
        let questions = tokio::io::copy(&mut from_client, &mut to_provider);
        tokio::select! {
            () = answers => {}
            _ = questions => {}
        }
        // Both ends are dropped here.
    });
    here
}

async fn schemas(io: DuplexStream, limits: Limits) -> Result<usize, Error> {
    let client = Client::over(io, 6, limits).await?;
    Ok(client.schemas().await?.resources.len())
}

#[test]
fn an_answer_may_be_cut_anywhere() {
    run(async {
        let whole = schemas(behind(usize::MAX, 4096, Duration::ZERO), limits()).await.unwrap();
        assert!(whole > 50);
        // The beginning of the connection byte by byte, the rest in steps.
        for bytes in (0..200).chain((200..30_000).step_by(977)) {
            let error = schemas(behind(bytes, 4096, Duration::ZERO), limits()).await.unwrap_err();
            let kind = error.kind().kind();
            assert!(["disconnected", "not_connected", "status"].contains(&kind), "{bytes}: {error}");
        }
    });
}

#[test]
fn garbage_is_no_answer() {
    run(async {
        for garbage in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], &[0xff; 4096], &[0; 4096], b"\0"] {
            let (here, mut there) = tokio::io::duplex(64 << 10);
            there.write_all(garbage).await.unwrap();
            drop(there);
            let error = schemas(here, limits()).await.unwrap_err();
            assert!(["disconnected", "not_connected", "status"].contains(&error.kind().kind()), "{error}");
        }
    });
}

#[test]
fn a_slow_connection_takes_its_time() {
    run(async {
        // As slow as it is, it comes through.
        let slow = behind(usize::MAX, 512, Duration::from_micros(500));
        assert!(schemas(slow, limits()).await.unwrap() > 50);
        // And is given up where it takes longer than it may.
        let mut limits = limits();
        limits.call = Duration::from_millis(200);
        let start = Instant::now();
        let error = schemas(behind(usize::MAX, 16, Duration::from_millis(5)), limits).await.unwrap_err();
        assert_eq!(error.kind().kind(), "timeout");
        assert!(start.elapsed() < Duration::from_secs(10));
    });
}
