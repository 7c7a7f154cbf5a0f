//! The hash of what a plan will do.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::address_map::Maps;
use super::error::{CompareError, ComparedPlan};
use super::steps::steps;
use crate::canonical::{CanonicalWriter, Secrets, write_len, write_text};
use crate::ignore::{IgnoredPath, IgnoredPaths};
use objchange_document::ChangeSet;
use objchange_document::Schemas;

/// The version of what is hashed, and how. A plan may have another hash in another version.
// Version 1 left out identities, so that two plans that did the same to different objects had one hash.
const VERSION: &str = "v2";

/// The hash of what a plan will do: equal for plans that do the same, as [`Comparison`](crate::Comparison) compares them.
///
/// Its text says how it was made: `v2:` and 64 hexadecimal digits, with `+key` after the version if it includes
/// secrets, `+sets` if schemas showed sets of several elements, whose order is ignored, and `+ignore.` with eight digits of
/// the list of ignored paths if there is one.
///
/// ```
/// use objchange_document::{Plan, Schemas};
/// use objchange_plan::compare::HashedPlan;
///
/// let hash = |text: &str| {
///     let plan = Plan::parse(text).unwrap();
///     HashedPlan::new(&plan.changes, &Schemas::none(), None, &[]).unwrap().hash.to_string()
/// };
/// let approved = hash(
///     r#"{"format_version":"1.2","timestamp":"2026-01-01T00:00:00Z","resource_changes":[{"address":"disk.a",
///     "change":{"actions":["create"],"before":null,"after":{"size":10,"kind":"ssd"},"after_unknown":{"id":true}}}]}"#,
/// );
/// let later = hash(
///     r#"{"format_version":"1.3","timestamp":"2026-01-02T00:00:00Z","resource_changes":[{"address":"disk.a",
///     "change":{"actions":["create"],"before":null,"after":{"kind":"ssd","size":10.0},"after_unknown":{"id":true}}}]}"#,
/// );
/// assert_eq!(approved, later);
/// assert!(approved.starts_with("v2:"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlanHash {
    form: HashForm,
    digest: [u8; 32],
}

/// The options that a hash was made with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HashForm {
    /// Sensitive values are, by a key.
    pub has_key: bool,
    /// The order of set elements is ignored: schemas showed that there are sets.
    pub has_sets: bool,
    /// The beginning of the hash of the list of ignored paths, if there is one.
    pub ignored: Option<[u8; 4]>,
}

/// The beginning of the hash of a list of ignored paths, in whatever order they are given; none of an empty list.
pub(super) fn ignored_list(paths: &[IgnoredPath]) -> Option<([u8; 4], Vec<u8>)> {
    let mut texts: Vec<String> = paths.iter().map(ToString::to_string).collect();
    texts.sort_unstable();
    texts.dedup();
    let mut bytes = Vec::new();
    texts.iter().for_each(|text| write_text(text, &mut bytes));
    let digest = Sha256::digest(&bytes);
    let start = digest.first_chunk::<4>().copied();
    start.filter(|_| !texts.is_empty()).map(|start| (start, bytes))
}

impl HashForm {
    /// Whether a hash of this form ignores these paths, and no others.
    pub fn ignores(&self, paths: &[IgnoredPath]) -> bool {
        self.ignored == ignored_list(paths).map(|(start, _)| start)
    }
}

/// A hash, and facts about it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct HashedPlan {
    /// The hash.
    pub hash: PlanHash,
    /// The number of steps of the plan.
    pub steps: usize,
    /// The number of its sensitive values, before and after. Without a key they are left out of the hash.
    pub secrets: usize,
}

/// A hash, for JSON (`schema/hash.schema.json`).
#[derive(Debug, Serialize)]
pub struct HashReport {
    format_version: &'static str,
    hash: String,
    /// Whether it is the one that was to be verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
    steps: usize,
    secrets: usize,
    /// Whether they are in the hash.
    secrets_included: bool,
    /// The paths whose values are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<String>,
}

impl HashedPlan {
    /// The hash as it is published, whether it is the one that was to be verified, and the paths that it ignores.
    pub fn document(&self, verified: Option<bool>, ignored: &[IgnoredPath]) -> HashReport {
        let Self { hash, steps, secrets } = *self;
        let (format_version, secrets_included) = ("1.0", hash.form().has_key);
        let ignored = ignored.iter().map(ToString::to_string).collect();
        HashReport {
            format_version,
            hash: hash.to_string(),
            verified,
            steps,
            secrets,
            secrets_included,
            ignored,
        }
    }
}

/// The key for hashing sensitive values. Only its owner can guess values by trying.
#[derive(Clone)]
pub struct HashKey(Vec<u8>);

impl HashKey {
    /// The least length of a key, in bytes.
    pub const MIN_LENGTH: usize = 16;

    /// A key of these bytes, without line breaks at their end.
    ///
    /// # Errors
    ///
    /// There are fewer than [`HashKey::MIN_LENGTH`], or all are equal: 256 keys of each length are soon tried.
    pub fn new(bytes: &[u8]) -> Result<Self, HashKeyError> {
        // Editors end a file with a line break, which is no part of the key.
        let end = bytes.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
        let key = &bytes[..end];
        if key.len() < Self::MIN_LENGTH {
            Err(HashKeyError::TooShort)
        } else if key.windows(2).all(|two| two[0] == two[1]) {
            Err(HashKeyError::OneByte)
        } else {
            Ok(Self(key.to_vec()))
        }
    }
}

/// Shows nothing of the key.
impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey")
    }
}

/// Why bytes are not a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HashKeyError {
    /// It is too short.
    #[error("a key has at least {} bytes; `openssl rand -hex 32` makes one", HashKey::MIN_LENGTH)]
    TooShort,
    /// It repeats one byte.
    #[error("a key that repeats one byte is soon guessed; `openssl rand -hex 32` makes one")]
    OneByte,
}

impl HashKeyError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        "hash_key"
    }
}

/// Why a text is not a hash of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseHashError {
    /// It has the form of none.
    #[error("expected a hash such as `v2:` and 64 hexadecimal digits, as `objchange hash` prints it")]
    NoHash,
    /// It is of another version.
    #[error(
        "this is a hash of version {0}, and this program makes and verifies those of {VERSION}; approve the plan again"
    )]
    OtherVersion(String),
}

impl ParseHashError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoHash => "no_hash",
            Self::OtherVersion(_) => "other_version",
        }
    }
}

impl HashedPlan {
    /// Hashes the actions of a plan. A key includes its sensitive values, which are left out otherwise. Schemas tell
    /// which arrays are sets, whose order is ignored, and which attributes are sensitive. Values at ignored paths are left out,
    /// and so are updates of these alone; the hash covers the list of paths.
    ///
    /// # Errors
    ///
    /// Planning failed, the plan does not say what happens to a resource, or it cannot be read.
    pub fn new(
        changes: &ChangeSet<'_>,
        schemas: &Schemas,
        key: Option<&HashKey>,
        ignored: &[IgnoredPath],
    ) -> Result<Self, CompareError> {
        let list = ignored_list(ignored);
        let ignored = IgnoredPaths::new(ignored);
        let secrets = if key.is_some() { Secrets::Included } else { Secrets::LeftOut };
        let mut writer = CanonicalWriter::new(secrets, &ignored);
        let mut digest = Digester::new(key);
        let mut count = 0;
        let steps = steps(changes, ComparedPlan::A, &Maps::new(&[]), schemas, &ignored)?;
        for step in steps.iter().filter(|step| step.is_done) {
            count += 1;
            digest.part(&step.header());
            digest.part(&step.import(&mut writer));
            match step.identities(changes, ComparedPlan::A)? {
                Some(identities) => {
                    identities
                        .canonical(&mut writer)
                        .iter()
                        .for_each(|identity| digest.part(identity.bytes()));
                }
                None => digest.part(&[]),
            }
            if step.has_values() {
                let values = step.read(changes, schemas, ComparedPlan::A)?;
                digest.part(values.before(&mut writer).bytes());
                digest.part(values.after(&mut writer).bytes());
            }
        }
        // An approval of some of the changes is not one of all of them, even if they are the same today.
        if changes.complete == Some(false) {
            digest.part(b"incomplete");
        }
        if let Some((_, list)) = &list {
            digest.part(list);
        }
        let ignored = list.map(|(start, _)| start);
        let form = HashForm { has_key: key.is_some(), has_sets: writer.notes.has_sets, ignored };
        let hash = PlanHash { form, digest: digest.end(form) };
        Ok(Self { hash, steps: count, secrets: writer.notes.secrets })
    }
}

impl PlanHash {
    /// The options that it was made with.
    pub fn form(&self) -> HashForm {
        self.form
    }
}

/// SHA-256, or the keyed hash over it.
enum Digester {
    Plain(Sha256),
    Keyed(Box<Hmac<Sha256>>),
}

impl Digester {
    fn new(key: Option<&HashKey>) -> Self {
        // Every length is one of a key of this hash.
        match key.and_then(|key| Hmac::new_from_slice(&key.0).ok()) {
            Some(keyed) => Self::Keyed(Box::new(keyed)),
            None => Self::Plain(Sha256::new()),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Plain(hash) => Digest::update(hash, bytes),
            Self::Keyed(hash) => Mac::update(hash.as_mut(), bytes),
        }
    }

    /// Adds a part, so that nothing behind it can be taken for a part of it.
    fn part(&mut self, bytes: &[u8]) {
        let mut length = Vec::with_capacity(8);
        // With the length in front no end of one part can be taken for the beginning of the next.
        write_len(bytes.len(), &mut length);
        self.update(&length);
        self.update(bytes);
    }

    fn end(mut self, form: HashForm) -> [u8; 32] {
        self.update(prefix(form).as_bytes());
        match self {
            Self::Plain(hash) => hash.finalize().into(),
            Self::Keyed(hash) => hash.finalize().into_bytes().into(),
        }
    }
}

/// How a hash begins as text.
fn prefix(form: HashForm) -> String {
    let key = if form.has_key { "+key" } else { "" };
    let sets = if form.has_sets { "+sets" } else { "" };
    let ignored = form
        .ignored
        .map_or_else(String::new, |start| format!("+ignore.{}", data_encoding::HEXLOWER.encode(&start)));
    format!("{VERSION}{key}{sets}{ignored}")
}

impl fmt::Display for PlanHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", prefix(self.form), data_encoding::HEXLOWER.encode(&self.digest))
    }
}

impl FromStr for PlanHash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (start, digits) = text.trim().split_once(':').ok_or(ParseHashError::NoHash)?;
        let digest = data_encoding::HEXLOWER_PERMISSIVE.decode(digits.as_bytes());
        let digest = digest.ok().and_then(|bytes| bytes.try_into().ok()).ok_or(ParseHashError::NoHash)?;
        let (options, ignored) = match start.split_once("+ignore.") {
            Some((options, list)) => {
                let list = data_encoding::HEXLOWER.decode(list.as_bytes()).ok();
                let list = list.and_then(|bytes| bytes.try_into().ok()).ok_or(ParseHashError::NoHash)?;
                (options, Some(list))
            }
            None => (start, None),
        };
        let forms = [(false, false), (false, true), (true, false), (true, true)];
        let forms = forms.map(|(has_key, has_sets)| HashForm { has_key, has_sets, ignored: None });
        if let Some(form) = forms.into_iter().find(|form| prefix(*form) == options) {
            return Ok(Self { form: HashForm { ignored, ..form }, digest });
        }
        match start.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            Some(_) => Err(ParseHashError::OtherVersion(start.chars().take(20).collect())),
            None => Err(ParseHashError::NoHash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_read_as_they_are_written() {
        let digits = "0123456789abcdef".repeat(4);
        for start in
            ["v2", "v2+key", "v2+sets", "v2+key+sets", "v2+ignore.0a1b2c3d", "v2+key+sets+ignore.0a1b2c3d"]
        {
            let text = format!("{start}:{digits}");
            assert_eq!(text.parse::<PlanHash>().unwrap().to_string(), text);
        }
        let kind = |text: &str| text.parse::<PlanHash>().unwrap_err().kind();
        assert_eq!(kind(&digits), "no_hash");
        assert_eq!(kind(&format!("v2:{}", &digits[1..])), "no_hash");
        assert_eq!(kind(&format!("sha256:{digits}")), "no_hash");
        assert_eq!(kind(&format!("v2+ignore.0a1b:{digits}")), "no_hash");
        assert_eq!(kind(&format!("v1:{digits}")), "other_version");
        assert_eq!(kind(&format!("v3+key:{digits}")), "other_version");
    }

    #[test]
    fn keys_are_long_enough_and_never_shown() {
        assert!(HashKey::new(b"too short\n\n\n\n\n\n\n\n\n\n").is_err());
        assert_eq!(HashKey::new(&[b'a'; 15]).unwrap_err(), HashKeyError::TooShort);
        for byte in [0, b'a', b'\n'] {
            assert!(HashKey::new(&[byte; 64]).is_err(), "{byte}");
        }
        assert_eq!(HashKey::new(b"aaaaaaaaaaaaaaaaaaaaaaaa\n").unwrap_err(), HashKeyError::OneByte);
        let key = HashKey::new(b"0123456789abcdef\r\n").unwrap();
        assert_eq!(format!("{key:?} {}", key.0.len()), "HashKey 16");
    }
}
