//! Reading files and standard input as text.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Where a document comes from: a file, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// A path as it is given on the command line, where `-` is standard input.
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::Stdin } else { Self::File(path.to_owned()) }
    }

    /// Reads all of it as text, in UTF-8 or UTF-16, with or without a byte order mark.
    pub(crate) fn read(&self) -> Result<String, InputError> {
        let bytes = match self {
            Self::File(path) => fs::read(path).map_err(|e| InputError::new(self, Fault::Read(e)))?,
            Self::Stdin => {
                let mut stdin = io::stdin().lock();
                if stdin.is_terminal() {
                    return Err(InputError::new(self, Fault::Terminal));
                }
                let mut bytes = Vec::new();
                stdin.read_to_end(&mut bytes).map_err(|e| InputError::new(self, Fault::Read(e)))?;
                bytes
            }
        };
        decode(bytes).map_err(|fault| InputError::new(self, fault))
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Why a document cannot be read as text.
#[derive(Debug, Error)]
#[error("{source_name}: {fault}")]
pub(crate) struct InputError {
    source_name: String,
    fault: Fault,
}

impl InputError {
    fn new(source: &Source, fault: Fault) -> Self {
        Self { source_name: source.to_string(), fault }
    }
}

#[derive(Debug, Error)]
enum Fault {
    #[error("cannot be read: {0}")]
    Read(io::Error),
    #[error("nothing is piped in: name a file, or pipe in the output of `terraform show -json PLANFILE`")]
    Terminal,
    #[error(
        "this is a plan file, which only Terraform can read: pass the output of `terraform show -json` for it"
    )]
    PlanFile,
    #[error("line {line}: the text is neither UTF-8 nor UTF-16")]
    Encoding { line: usize },
}

/// Text from bytes. PowerShell writes UTF-16 where others write UTF-8.
fn decode(mut bytes: Vec<u8>) -> Result<String, Fault> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let text: Option<String> =
            char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).map(Result::ok).collect();
        text.filter(|_| rest.is_empty()).ok_or(Fault::Encoding { line: 1 })
    };
    match &bytes[..] {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // JSON begins with an ASCII character.
        [1..=255, 0, ..] => utf16(&bytes, u16::from_le_bytes),
        [0, 1..=255, ..] => utf16(&bytes, u16::from_be_bytes),
        [b'P', b'K', 3, 4, ..] => Err(Fault::PlanFile),
        _ => {
            if bytes.starts_with(b"\xef\xbb\xbf") {
                bytes.drain(..3);
            }
            String::from_utf8(bytes).map_err(|error| {
                let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                Fault::Encoding { line: valid.iter().filter(|b| **b == b'\n').count() + 1 }
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_encoding_that_terraforms_output_arrives_in() {
        let text = "{\"a\":\"ü🔑\"}";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let with = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        for bytes in [
            text.as_bytes().to_vec(),
            with(b"\xef\xbb\xbf", text.as_bytes()),
            with(b"\xff\xfe", &le),
            with(b"\xfe\xff", &be),
            le,
            be,
        ] {
            assert_eq!(decode(bytes).unwrap(), text);
        }
    }

    #[test]
    fn names_what_is_not_text() {
        let message = |bytes: &[u8]| decode(bytes.to_vec()).unwrap_err().to_string();
        assert!(message(b"PK\x03\x04rest").contains("terraform show -json"));
        assert!(message(b"{\n\n\xff}").starts_with("line 3:"));
        assert!(message(b"\xff\xfe{").contains("UTF-16"));
    }
}
