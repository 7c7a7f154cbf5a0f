//! Unpacks documents in gzip, as CI systems store large plans: `plan.json.gz`.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use objchange_text::read_at_most;

/// The first bytes of a gzip file with `deflate`, its only method (RFC 1952).
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// Whether these are the first bytes of a gzip file.
pub fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// Reads the same bytes, or the unpacked ones if they are in gzip.
///
/// A small file may unpack to a huge one: the caller must limit the bytes that it reads.
///
/// ```
/// use std::io::Read;
///
/// let mut text = String::new();
/// objchange_files::unpacked(&b"{}"[..])?.read_to_string(&mut text)?;
/// assert_eq!(text, "{}");
/// // The rest of the archive is missing.
/// assert!(objchange_files::unpacked(&b"\x1f\x8b\x08"[..])?.read_to_string(&mut text).is_err());
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
///
/// The first bytes cannot be read.
pub fn unpacked<'r>(mut reader: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    let head = read_at_most(&mut reader, MAGIC.len() as u64)?;
    let is_packed = is_packed(&head);
    let all = Cursor::new(head).chain(reader);
    Ok(if is_packed { Box::new(Unpacked(MultiGzDecoder::new(all))) } else { Box::new(all) })
}

/// Adds to errors that the packed bytes are damaged.
struct Unpacked<R>(MultiGzDecoder<R>);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes).map_err(|error| match error.kind() {
            // `read_at_most` takes the first for no error, and the others for one of the text.
            io::ErrorKind::UnexpectedEof => io::Error::other("the gzip file is cut off"),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                io::Error::other(format!("the gzip file is damaged: {error}"))
            }
            _ => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        let read = unpacked(bytes).and_then(|mut reader| reader.read_to_end(&mut all));
        read.map(|_| all).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        for text in [&b""[..], b"{", b"{\"a\":1}", &[b'x'; 100_000]] {
            assert_eq!(read(text).as_deref(), Ok(text));
            assert_eq!(read(&packed(text)).as_deref(), Ok(text));
        }
        // Files of gzip may be put behind each other.
        assert_eq!(read(&[packed(b"[1,"), packed(b"2]")].concat()).as_deref(), Ok(&b"[1,2]"[..]));
    }

    #[test]
    fn a_part_of_an_archive_is_an_error() {
        let whole = packed(b"a plan that is longer than its head");
        for length in MAGIC.len()..whole.len() {
            let error = read(&whole[..length]).unwrap_err();
            assert!(error.starts_with("the gzip file is "), "{length}: {error}");
        }
        let (mut other_sum, behind) = (whole.clone(), [whole.clone(), b"other bytes".to_vec()].concat());
        other_sum[whole.len() - 6] ^= 1;
        for damaged in [other_sum, behind] {
            assert!(read(&damaged).unwrap_err().starts_with("the gzip file is damaged: "));
        }
    }
}
