//! Files of the schema cache: one provider at one version, from which single schemas are read.
//!
//! ```text
//! objchange schemas 1⏎          what it is, and the version of the format
//! 32 bytes                      SHA-256 of everything behind it
//! 4 bytes                       length of the index, least significant byte first
//! index                         JSON: the provider, and where the text of each schema is; what was learned of the provider
//!                               has texts beside them
//! texts                         each compressed by itself (DEFLATE)
//! ```
//!
//! A file that was changed or cut off is refused as a whole, by its hash. A text is decompressed when its schema is first
//! asked for.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use objchange::schema::{MissingSchemaText, ProviderSchemas, SchemaDocumentError, SchemaPart};
use objchange_text::json;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;
use thiserror::Error;

const MAGIC: &[u8] = b"objchange schemas ";
const FORMAT: &[u8] = b"1\n";
const HASH_LENGTH: usize = 32;

/// The maximum length of a schema, so that a small file cannot become a large text. The longest of the AWS provider has
/// 0.6 MB.
const MAX_SCHEMA: u32 = 64 << 20;

/// The schemas of one provider, from a file of a cache.
#[derive(Debug, Clone)]
pub struct CachedSchemas {
    /// The address: `registry.terraform.io/hashicorp/aws`.
    pub provider: String,
    /// The version, where it is known.
    pub version: Option<String>,
    /// Where the schemas were read: a name for people.
    pub origin: String,
    /// The schemas. Each is read when it is first asked for.
    pub schemas: ProviderSchemas,
    /// The model of the provider, if it was learned.
    pub model: Option<CachedModel>,
}

/// The model of a provider, as texts. The crate `objchange-model` reads them.
#[derive(Clone)]
pub struct CachedModel {
    file: Arc<Vec<u8>>,
    start: usize,
    head: TextPlace,
    types: BTreeMap<SmolStr, TextPlace>,
}

/// The texts of the model of a provider, to be written.
#[derive(Debug, Clone, Default)]
pub struct ModelTexts {
    /// How it was learned.
    pub head: String,
    /// By resource type.
    pub types: BTreeMap<SmolStr, String>,
}

impl std::fmt::Debug for CachedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedModel").field("types", &self.types.len()).finish_non_exhaustive()
    }
}

impl CachedModel {
    /// How the provider was learned; `None` if the text is damaged.
    pub fn head(&self) -> Option<String> {
        self.text(self.head)
    }

    /// The resource types that were learned.
    pub fn types(&self) -> impl ExactSizeIterator<Item = &SmolStr> {
        self.types.keys()
    }

    /// The model of a type, if it was learned.
    ///
    /// # Errors
    ///
    /// The text is damaged.
    pub fn of_type(&self, name: &str) -> Result<Option<String>, SchemaCacheError> {
        let Some(place) = self.types.get(name) else { return Ok(None) };
        self.text(*place).map(Some).ok_or_else(|| SchemaCacheError::DamagedModel(name.to_owned()))
    }

    /// All texts, to be written again.
    pub fn texts(&self) -> ModelTexts {
        let types = self.types.iter().filter_map(|(name, place)| Some((name.clone(), self.text(*place)?)));
        ModelTexts { head: self.head().unwrap_or_default(), types: types.collect() }
    }

    fn text(&self, place: TextPlace) -> Option<String> {
        let range = place.range(self.file.len() - self.start)?;
        decompress(&self.file[self.start + range.start..self.start + range.end], place.2)
    }
}

/// Why a file of a cache cannot be used, or not be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SchemaCacheError {
    /// It is another kind of file, or one that ends too early.
    #[error("this is not a file of cached schemas")]
    NotACache,
    /// Another version of the program wrote it.
    #[error("the file has another format")]
    OtherFormat,
    /// It was changed after it was written, or not written whole.
    #[error("the file is damaged: its content does not match its hash")]
    Damaged,
    /// Its hash is right, and its index is not.
    #[error("the index of the file is wrong: {0}")]
    Index(String),
    /// A schema to be written is invalid.
    #[error("{0}")]
    Schema(#[from] SchemaDocumentError),
    /// The model of a type cannot be decompressed.
    #[error("the cached model of {0} is damaged")]
    DamagedModel(String),
    /// A schema to be written is too large.
    #[error("the schema of {0} is too large to be cached")]
    TooLarge(String),
}

impl SchemaCacheError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotACache => "not_a_cache",
            Self::OtherFormat => "other_format",
            Self::Damaged => "damaged",
            Self::Index(_) => "index",
            Self::Schema(error) => error.kind.kind(),
            Self::DamagedModel(_) => "damaged_model",
            Self::TooLarge(_) => "too_large",
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Index {
    provider: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    origin: String,
    /// By the key that a document has for the kind, by name.
    schemas: BTreeMap<SmolStr, BTreeMap<SmolStr, TextPlace>>,
    /// The model of the provider: how it was learned, and by resource type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<(TextPlace, BTreeMap<SmolStr, TextPlace>)>,
}

/// Where a text begins, behind the index; how long it is compressed, and as it was.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct TextPlace(u32, u32, u32);

impl CachedSchemas {
    /// The file for a provider of a document: every schema of it, so that a command that needs the cache has all that the
    /// document had.
    ///
    /// # Errors
    ///
    /// A schema of the provider cannot be read, or is too large.
    pub fn to_file(
        schemas: &ProviderSchemas,
        provider: &str,
        version: Option<&str>,
        origin: &str,
    ) -> Result<Vec<u8>, SchemaCacheError> {
        Self::to_file_with_model(schemas, provider, version, origin, None)
    }

    /// Like [`to_file`](Self::to_file), with the model of the provider.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn to_file_with_model(
        schemas: &ProviderSchemas,
        provider: &str,
        version: Option<&str>,
        origin: &str,
        model: Option<&ModelTexts>,
    ) -> Result<Vec<u8>, SchemaCacheError> {
        let mut texts = Vec::new();
        let mut all: BTreeMap<SmolStr, BTreeMap<_, _>> = BTreeMap::new();
        for part in SchemaPart::all() {
            for name in schemas.part_names(provider, part) {
                // Read each schema now, so that an invalid one is found here and not by readers of the cache.
                match part {
                    SchemaPart::Schema(kind) => schemas.get(provider, kind, name)?.is_some(),
                    _ => schemas.function(provider, name)?.is_some(),
                };
                let Some(text) = schemas.text(provider, part, name)? else { continue };
                let place = add_text(&mut texts, name, &text)?;
                all.entry(part.key().into()).or_default().insert(name.into(), place);
            }
        }
        let model = match model {
            None => None,
            Some(model) => {
                let head = add_text(&mut texts, provider, &model.head)?;
                let types = model.types.iter();
                let types = types.map(|(name, text)| Ok((name.clone(), add_text(&mut texts, name, text)?)));
                Some((head, types.collect::<Result<_, SchemaCacheError>>()?))
            }
        };
        let index = Index {
            provider: provider.to_owned(),
            version: version.map(str::to_owned),
            origin: origin.to_owned(),
            schemas: all,
            model,
        };
        // Maps with names as keys and numbers: nothing of it can fail.
        let index = serde_json::to_vec(&index).unwrap_or_default();
        let length = u32::try_from(index.len()).unwrap_or(u32::MAX).to_le_bytes();
        let mut hash = Sha256::new();
        [&length[..], &index, &texts].into_iter().for_each(|part| hash.update(part));
        Ok([MAGIC, FORMAT, &hash.finalize(), &length, &index, &texts].concat())
    }

    /// Reads a file: its index, and nothing of the schemas.
    ///
    /// # Errors
    ///
    /// The bytes are not such a file, or not as it was written.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, SchemaCacheError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(SchemaCacheError::NotACache)?;
        let rest = rest.strip_prefix(FORMAT).ok_or(SchemaCacheError::OtherFormat)?;
        let (hash, rest) = rest.split_at_checked(HASH_LENGTH).ok_or(SchemaCacheError::NotACache)?;
        // The hash covers the index, so places in a file that was cut off or changed are not even looked at.
        if Sha256::digest(rest)[..] != *hash {
            return Err(SchemaCacheError::Damaged);
        }
        let (length, rest) = rest.split_first_chunk().ok_or(SchemaCacheError::NotACache)?;
        let length = u32::from_le_bytes(*length) as usize;
        let wrong = |why: &str| SchemaCacheError::Index(why.to_owned());
        let (index, texts) =
            rest.split_at_checked(length).ok_or_else(|| wrong("it is longer than the file"))?;
        let index: Index = std::str::from_utf8(index)
            .map_err(|error| SchemaCacheError::Index(error.to_string()))
            .and_then(|index| json::from_str(index).map_err(|error| wrong(&error.into_message())))?;
        let mut places = BTreeMap::new();
        for (key, names) in index.schemas {
            let part = SchemaPart::all().find(|part| part.key() == key);
            let part = part.ok_or_else(|| wrong("a kind of schemas is not known"))?;
            for (name, place) in names {
                let range = place.range(texts.len()).ok_or_else(|| wrong("a text is outside of the file"))?;
                places.insert((part, name), (range, place.2));
            }
        }
        let names: Vec<_> = places.keys().cloned().collect();
        let start = bytes.len() - texts.len();
        let bytes = Arc::new(bytes);
        let model = index.model.map(|(head, types)| {
            let all = std::iter::once(&head).chain(types.values());
            let length = bytes.len() - start;
            let is_inside = all.into_iter().all(|place| place.range(length).is_some());
            let model = CachedModel { file: bytes.clone(), start, head, types };
            is_inside.then_some(model).ok_or_else(|| wrong("a text is outside of the file"))
        });
        let model = model.transpose()?;
        let text = move |part: SchemaPart, name: &str| {
            // Nothing else is asked for than these names.
            let (range, size) = places.get(&(part, SmolStr::from(name))).ok_or("the schema is not cached")?;
            decompress(&bytes[start + range.start..start + range.end], *size)
                .ok_or_else(|| MissingSchemaText::from(format!("the cached schema of {name} is damaged")))
        };
        let schemas = ProviderSchemas::from_texts(index.provider.as_str(), names, text);
        Ok(Self { provider: index.provider, version: index.version, origin: index.origin, schemas, model })
    }
}

impl TextPlace {
    fn new(start: usize, compressed: usize, size: usize) -> Option<Self> {
        let size = u32::try_from(size).ok().filter(|size| *size <= MAX_SCHEMA)?;
        start.checked_add(compressed).filter(|end| u32::try_from(*end).is_ok())?;
        Some(Self(u32::try_from(start).ok()?, u32::try_from(compressed).ok()?, size))
    }

    /// Where it is among so many bytes of texts.
    fn range(self, length: usize) -> Option<Range<usize>> {
        let (start, compressed) = (self.0 as usize, self.1 as usize);
        let end = start.checked_add(compressed)?;
        (end <= length && self.2 <= MAX_SCHEMA).then_some(start..end)
    }
}

/// Adds a text, compressed, and returns its place.
fn add_text(texts: &mut Vec<u8>, name: &str, text: &str) -> Result<TextPlace, SchemaCacheError> {
    let compressed = compress(text.as_bytes());
    let place = TextPlace::new(texts.len(), compressed.len(), text.len());
    let place = place.ok_or_else(|| SchemaCacheError::TooLarge(name.to_owned()))?;
    texts.extend_from_slice(&compressed);
    Ok(place)
}

fn compress(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // A vector takes everything.
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default()
}

/// The text of this size; `None` if it has another one.
fn decompress(bytes: &[u8], size: u32) -> Option<String> {
    // One byte more is enough to notice a text that is longer than it should be.
    let text = objchange_text::read_at_most(DeflateDecoder::new(bytes), u64::from(size) + 1).ok()?;
    let text = String::from_utf8(text).ok()?;
    (text.len() == size as usize).then_some(text)
}

#[cfg(test)]
mod tests {
    use objchange::schema::SchemaKind;
    use proptest::prelude::*;

    use super::*;

    const ADDRESS: &str = "registry.terraform.io/hashicorp/null";

    fn document() -> ProviderSchemas {
        let text = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/null":{
            "provider":{"version":2,"block":{"attributes":{"token":{"type":"string","optional":true,"sensitive":true}}}},
            "resource_schemas":{"null_resource":{"version":1,"block":{"attributes":{"id":{"type":"string","computed":true}}}},
                "null_ä":{"version":0}},
            "functions":{"shout":{"return_type":"string","parameters":[{"name":"text","type":"string"}]}},
            "data_source_schemas":{"null_data":{"version":0,"block":{}}},
            "resource_identity_schemas":{"null_resource":{"version":0,"attributes":{"id":{"type":"string","required_for_import":true}}}}}}}"#;
        ProviderSchemas::parse(text).unwrap()
    }

    fn file() -> Vec<u8> {
        CachedSchemas::to_file(&document(), ADDRESS, Some("3.2.1"), "schemas.json").unwrap()
    }

    /// A file with this index and these texts, and the right hash.
    fn forged(index: &str, texts: &[u8]) -> Vec<u8> {
        let length = u32::try_from(index.len()).unwrap().to_le_bytes();
        let rest = [&length[..], index.as_bytes(), texts].concat();
        [MAGIC, FORMAT, &Sha256::digest(&rest), &rest].concat()
    }

    #[test]
    fn a_file_has_what_the_document_has() {
        let (document, cached) = (document(), CachedSchemas::parse(file()).unwrap());
        assert_eq!((cached.provider.as_str(), cached.version.as_deref()), (ADDRESS, Some("3.2.1")));
        assert_eq!(cached.origin, "schemas.json");
        for kind in SchemaKind::ALL {
            let names: Vec<&str> = document.names(ADDRESS, kind).collect();
            assert_eq!(cached.schemas.names(ADDRESS, kind).collect::<Vec<_>>(), names);
            for name in names {
                let schema = document.get(ADDRESS, kind, name).unwrap();
                assert_eq!(cached.schemas.get(ADDRESS, kind, name).unwrap(), schema);
            }
        }
        for part in SchemaPart::all() {
            for name in document.part_names(ADDRESS, part) {
                let text = document.text(ADDRESS, part, name);
                assert!(text.as_ref().is_ok_and(Option::is_some));
                assert_eq!(cached.schemas.text(ADDRESS, part, name), text);
            }
        }
        let function = cached.schemas.function(ADDRESS, "shout").unwrap();
        assert_eq!(function, document.function(ADDRESS, "shout").unwrap());
        assert!(function.is_some());
        // A file is made of a file, too.
        let again = CachedSchemas::to_file(&cached.schemas, ADDRESS, Some("3.2.1"), "schemas.json");
        assert_eq!(again.unwrap(), file());
    }

    #[test]
    fn a_schema_that_cannot_be_read_is_not_cached() {
        let text = r#"{"provider_schemas":{"p":{"resource_schemas":{"a":{"block":5}}}}}"#;
        let error =
            CachedSchemas::to_file(&ProviderSchemas::parse(text).unwrap(), "p", None, "").unwrap_err();
        assert_eq!(error.kind(), "mismatch");
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_found() {
        let file = file();
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 0x20;
            assert!(CachedSchemas::parse(changed).is_err(), "byte {at}");
            assert!(CachedSchemas::parse(file[..at].to_vec()).is_err(), "cut at {at}");
        }
        assert!(CachedSchemas::parse([&file[..], b"x"].concat()).is_err());
    }

    #[test]
    fn what_was_made_to_deceive_is_refused() {
        let index = |schemas: &str| format!(r#"{{"provider":"p","origin":"","schemas":{schemas}}}"#);
        let kind = |file: Vec<u8>| CachedSchemas::parse(file).map(|_| ()).map_err(|error| error.kind());
        for schemas in [
            r#"{"resource_schemas":{"a":[0,5,1]}}"#,
            r#"{"resource_schemas":{"a":[4294967295,4294967295,1]}}"#,
            r#"{"resource_schemas":{"a":[0,1,4294967295]}}"#,
            r#"{"resource_schemas":{"a":[-1,1,1]}}"#,
            r#"{"others":{"a":[0,1,1]}}"#,
            "[]",
        ] {
            assert_eq!(kind(forged(&index(schemas), b"abcd")), Err("index"), "{schemas}");
        }
        assert_eq!(kind(forged(&"[".repeat(1 << 16), b"")), Err("index"));
        // 1 MB of zeros in 1 kB, called small or as large as it is.
        let zeros = compress(&vec![0; 1 << 20]);
        for size in [10, 1 << 20] {
            let schemas = format!(r#"{{"resource_schemas":{{"a":[0,{},{size}]}}}}"#, zeros.len());
            let cached = CachedSchemas::parse(forged(&index(&schemas), &zeros)).unwrap();
            assert!(cached.schemas.find(SchemaKind::Resource, "a").is_err());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_read(
            index in r#"(\{"provider":"p","origin":"o","schemas":\{("resource_schemas":\{"a":\[[0-9]{1,2},[0-9]{1,2},[0-9]{1,2}\]\})?\}\}|.*)"#,
            texts in prop::collection::vec(any::<u8>(), 0..100),
        ) {
            for bytes in [texts.clone(), [MAGIC, FORMAT, &texts].concat(), forged(&index, &texts)] {
                if let Ok(cached) = CachedSchemas::parse(bytes) {
                    let _ = cached.schemas.find(SchemaKind::Resource, "a");
                }
            }
        }
    }
}
