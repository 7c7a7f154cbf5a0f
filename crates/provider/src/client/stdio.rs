//! What a provider writes to its standard output and error after the handshake: it may come through the connection, and a
//! provider that nobody listens to would wait.

use tonic::Streaming;

use super::channel::Channel;
use super::log::Recorder;
use crate::wire::plugin::{StdioData, stdio_data};

/// The most of a line that is waited for the rest of, in bytes.
const MAX_LINE: usize = 64 << 10;

/// Keeps all that comes, until no more does. A provider need not have this call.
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

/// Keeps the lines that have come to their end, and the beginning of the next.
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
    use super::*;

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
