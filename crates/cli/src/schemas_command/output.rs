//! What `objchange schemas` prints.

use std::fs;
use std::io::{self, Write};

use objchange::schema::SchemaKind;
use objchange_text::{json, visible};
use serde::Serialize;

use crate::terminal;
use objchange_project::{CacheFile, SchemaCache};

/// A file of the cache, and what is in it.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    provider: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    file: String,
    size: u64,
    #[serde(flatten)]
    content: Content,
    #[serde(skip)]
    display: String,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Content {
    Schemas { resource_types: usize, data_sources: usize, origin: String },
    Damaged { error: String },
}

#[derive(Serialize)]
struct Page<'e> {
    directory: String,
    schemas: &'e [Entry],
}

impl Entry {
    pub(super) fn read(file: &CacheFile) -> Self {
        let content = match file.read() {
            Ok(cached) => {
                let count = |kind| cached.schemas.names(&cached.provider, kind).count();
                let (resource_types, data_sources) =
                    (count(SchemaKind::Resource), count(SchemaKind::DataSource));
                Content::Schemas { resource_types, data_sources, origin: cached.origin }
            }
            Err(error) => Content::Damaged { error: error.to_string() },
        };
        Self {
            provider: file.provider.to_string(),
            version: file.version.clone(),
            file: file.path.display().to_string(),
            size: fs::metadata(&file.path).map_or(0, |metadata| metadata.len()),
            content,
            display: file.display(),
        }
    }

    fn line(&self) -> String {
        let content = match &self.content {
            Content::Schemas { resource_types, data_sources, origin } => format!(
                "{}, {}, {} kB, from {origin}",
                counted(*resource_types, "resource type"),
                counted(*data_sources, "data source"),
                self.size.div_ceil(1000)
            ),
            Content::Damaged { error } => format!("cannot be used: {error}"),
        };
        format!("{}: {content}", self.display)
    }
}

fn counted(count: usize, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

/// Prints files of the cache.
pub(super) fn write(cache: &SchemaCache, entries: &[Entry], is_json: bool) -> io::Result<()> {
    let mut out = terminal::stdout();
    if is_json {
        let directory = cache.directory.display().to_string();
        json::write_pretty(&mut out, &Page { directory, schemas: entries })?;
        return out.flush();
    }
    for entry in entries {
        writeln!(out, "{}", visible(&entry.line()))?;
    }
    out.flush()
}
