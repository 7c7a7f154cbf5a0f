//! Output of a provider after the handshake. It may come through the connection, and a provider whose
//! output is not read would block.

use tonic::Streaming;

use super::channel::Channel;
use crate::log::Recorder;
use crate::wire::plugin::{StdioData, stdio_data};

/// The maximum length of an unfinished line that is kept, in bytes.
const MAX_LINE: usize = 64 << 10;

/// Keeps all output until it ends. Providers may lack this call.
pub(super) fn listen(channel: &Channel, log: Recorder) {
    let path = "/plugin.GRPCStdio/StreamStdio".to_owned();
    channel.spawn_stream(path, (), move |stream| keep(stream, log));
}

async fn keep(mut stream: Streaming<StdioData>, log: Recorder) {
    let mut lines = [Vec::new(), Vec::new()];
    while let Ok(Some(data)) = stream.message().await {
        let is_error = data.channel() == stdio_data::Channel::Stderr;
        take(&mut lines[usize::from(is_error)], &data.data, &log);
    }
    for line in lines.iter().filter(|line| !line.is_empty()) {
        log.push(&String::from_utf8_lossy(line));
    }
}

/// Keeps the complete lines, and the beginning of the next one.
fn take(line: &mut Vec<u8>, mut data: &[u8], log: &Recorder) {
    while let Some(end) = data.iter().position(|byte| *byte == b'\n') {
        push(line, &data[..end]);
        log.push(&String::from_utf8_lossy(line));
        line.clear();
        data = &data[end + 1..];
    }
    push(line, data);
}

fn push(line: &mut Vec<u8>, part: &[u8]) {
    line.extend_from_slice(&part[..part.len().min(MAX_LINE - line.len())]);
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::{Ready, ready};
    use std::task::{Context, Poll};
    use std::time::Duration;

    use hyper::body::Incoming;
    use hyper::service::service_fn;
    use hyper_util::rt::{TokioExecutor, TokioIo};
    use tonic::{Request, Response, Status};
    use tonic_prost::ProstCodec;

    use super::*;
    use crate::client::{Client, Limits};

    /// Writes two lines after the handshake, and has no other call.
    #[derive(Clone)]
    struct Writing;

    impl tower_service::Service<Request<()>> for Writing {
        type Response = Response<tokio_stream::Iter<std::vec::IntoIter<Result<StdioData, Status>>>>;
        type Error = Status;
        type Future = Ready<Result<Self::Response, Status>>;

        fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Status>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _request: Request<()>) -> Self::Future {
            use stdio_data::Channel::{Stderr, Stdout};
            let data = [(Stdout, "out"), (Stderr, "[WARN] err\n"), (Stdout, "put\n")];
            let data =
                data.map(|(channel, text)| Ok(StdioData { channel: channel as i32, data: text.into() }));
            ready(Ok(Response::new(tokio_stream::iter(Vec::from(data)))))
        }
    }

    #[test]
    fn what_is_written_after_the_handshake_is_kept() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (here, there) = tokio::io::duplex(4096);
            let answer = |request: http::Request<Incoming>| async move {
                assert_eq!(request.uri().path(), "/plugin.GRPCStdio/StreamStdio");
                let codec: ProstCodec<StdioData, ()> = ProstCodec::default();
                Ok::<_, Infallible>(tonic::server::Grpc::new(codec).server_streaming(Writing, request).await)
            };
            tokio::spawn(
                hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(there), service_fn(answer)),
            );
            // No call is needed: the client reads the stream from the start.
            let client = Client::over(here, 6, Limits::default()).await.unwrap();
            while client.log().lines().len() < 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let log = client.log();
            let lines: Vec<&str> = log.lines().iter().map(|line| line.message.as_str()).collect();
            assert_eq!(lines, ["[WARN] err", "output"]);
        });
    }

    #[test]
    fn lines_come_in_pieces() {
        let (log, mut line) = (Recorder::default(), Vec::new());
        for piece in ["one\ntw", "o\n\nthr", "ee"] {
            take(&mut line, piece.as_bytes(), &log);
        }
        take(&mut line, &vec![b'x'; 3 * MAX_LINE], &log);
        take(&mut line, b"\n", &log);
        let all = log.since(0);
        let lengths: Vec<usize> = all.lines().iter().map(|line| line.message.len()).collect();
        assert_eq!(lengths, [3, 3, 0, MAX_LINE]);
    }
}
