//! Reads the documents of inputs, and asks about each.

use std::io::BufReader;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;

use objchange_files::capitals;
use objchange_files::input::MAX_DOCUMENT;
use objchange_plan::{DocumentError, DocumentKind};
use objchange_text::json::{DocumentBytes, Documents};
use objchange_text::utf8_reader;

use super::{Input, Inputs, Origin};
use crate::counted_read::CountedRead;
use crate::pool::{self, Abandoned, Queue};

/// Which documents a command is about.
#[derive(Debug, Clone, Copy)]
pub struct WantedDocuments {
    /// What their files are called, where a folder is searched for them.
    pub extensions: &'static [&'static str],
    /// Their kind. Other documents that a folder has are skipped.
    pub kinds: &'static [DocumentKind],
    /// What they are called, in the plural.
    pub name: &'static str,
}

impl WantedDocuments {
    /// Plans, as `terraform show -json PLANFILE` writes them.
    pub const PLANS: Self = Self { extensions: &["json"], kinds: &[DocumentKind::Plan], name: "plans" };
    /// Plans and states, those of `terraform show -json` and state files.
    pub const PLANS_AND_STATES: Self = Self {
        extensions: &["json", "tfstate"],
        kinds: &[DocumentKind::Plan, DocumentKind::State, DocumentKind::StateFile],
        name: "plans or states",
    };
}

/// The text of one document, and where it is from.
#[derive(Debug)]
pub struct InputDocument {
    /// Its file, with the line where the file holds a document a line.
    pub name: String,
    /// What it holds.
    pub text: Arc<String>,
    /// Whether it is the only document that was asked about: an answer need not name it.
    pub is_alone: bool,
    /// Where in its file it begins, from 1, if the file holds a document a line.
    line: Option<u64>,
    /// How its file came to be among the inputs.
    origin: Origin,
}

impl InputDocument {
    /// What is wrong with the document, after its file and place.
    pub fn complaint(&self, error: &DocumentError) -> String {
        let DocumentError { line, column, location, problem, .. } = error;
        let location = if location.is_empty() { String::new() } else { format!("{location}: ") };
        // The name of a document that is a line of its file ends with that line.
        let line = if self.line.is_some() { String::new() } else { format!(":{line}") };
        format!("{}{line}:{column}: {location}{problem}", self.name)
    }
}

/// What became of an input or a document.
#[derive(Debug)]
pub enum DocumentOutcome<A> {
    /// The answer, with the name of the document unless it is the only one.
    Answered(Option<String>, A),
    /// Why it cannot be read or answered to.
    Failed(String),
    /// The name of a document in a folder that is not what is wanted.
    Skipped(String),
}

impl Inputs {
    /// Reads all documents, calls `answer` for each of them on all cores, and calls `handle` with the outcomes in the order of
    /// the inputs. It stops if `handle` fails. `count` gets the number of bytes of each read, for progress.
    ///
    /// A document that cannot be read does not stop the others.
    ///
    /// # Errors
    ///
    /// Those of `handle`.
    pub fn each_document<A: Send, E>(
        &self,
        wanted: WantedDocuments,
        count: &(dyn Fn(u64) + Sync),
        answer: impl Fn(&InputDocument) -> Result<A, String> + Sync,
        handle: impl FnMut(DocumentOutcome<A>) -> Result<(), E>,
    ) -> Result<(), E> {
        let read = |queue: &Queue<InputDocument, DocumentOutcome<A>>| read_all(self, count, queue);
        pool::in_order(1, read, |document| outcome(document, wanted, &answer), handle)
    }
}

/// Reads the inputs until nobody listens.
fn read_all<A>(
    inputs: &Inputs,
    count: &(dyn Fn(u64) + Sync),
    queue: &Queue<InputDocument, DocumentOutcome<A>>,
) -> Result<(), Abandoned> {
    for input in &inputs.list {
        let (source, origin) = match input {
            Input::Source { source, origin } => (source, *origin),
            Input::Planned { name, text } => {
                queue.job(InputDocument {
                    name: name.clone(),
                    text: Arc::clone(text),
                    is_alone: inputs.are_one_name,
                    line: None,
                    origin: Origin::Named,
                })?;
                continue;
            }
            Input::Missing(message) => {
                queue.answer(DocumentOutcome::Failed(message.clone()))?;
                continue;
            }
        };
        let opened = source.open_text().and_then(|reader| {
            utf8_reader(CountedRead::new(reader, count)).map_err(|error| source.unreadable(error))
        });
        let reader = match opened {
            Ok(reader) => BufReader::with_capacity(128 * 1024, reader),
            Err(error) => {
                queue.answer(DocumentOutcome::Failed(error.to_string()))?;
                continue;
            }
        };
        for read in Documents::new(reader, MAX_DOCUMENT) {
            let text = read
                .map_err(|error| source.unreadable(error))
                .and_then(|DocumentBytes { line, bytes }| Ok((line, source.text(bytes, line.unwrap_or(1))?)));
            match text {
                Ok((line, text)) => queue.job(InputDocument {
                    name: match line {
                        Some(line) => format!("{source}:{line}"),
                        None => source.to_string(),
                    },
                    text: Arc::new(text),
                    is_alone: inputs.are_one_name && line.is_none(),
                    line,
                    origin,
                })?,
                Err(error) => queue.answer(DocumentOutcome::Failed(error.to_string()))?,
            }
        }
    }
    Ok(())
}

fn outcome<A>(
    document: InputDocument,
    wanted: WantedDocuments,
    answer: &impl Fn(&InputDocument) -> Result<A, String>,
) -> DocumentOutcome<A> {
    let is_other = || DocumentKind::detect(&document.text).is_ok_and(|kind| !wanted.kinds.contains(&kind));
    if document.origin != Origin::Named && (!looks_like_an_object(&document.text) || is_other()) {
        return DocumentOutcome::Skipped(document.name);
    }
    if document.origin == Origin::FoundWithCapitals {
        // A plan that is not judged must not look like one that passes.
        let name = match document.line {
            Some(line) => document.name.strip_suffix(&format!(":{line}")).unwrap_or(&document.name),
            None => &document.name,
        };
        return DocumentOutcome::Failed(capitals(Path::new(name)));
    }
    // The others are answered to even where one of them finds a defect.
    match panic::catch_unwind(AssertUnwindSafe(|| answer(&document))) {
        Ok(Ok(answer)) => DocumentOutcome::Answered((!document.is_alone).then_some(document.name), answer),
        Ok(Err(message)) => DocumentOutcome::Failed(message),
        Err(_) => DocumentOutcome::Failed(format!("{}: this is a bug in objchange", document.name)),
    }
}

/// Whether it may be a document at all, even one that was cut off.
fn looks_like_an_object(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{')
}

/// Documents of folders that are not what is wanted.
#[derive(Debug, Default)]
pub struct SkippedDocuments {
    /// The names of the first.
    first: Vec<String>,
    count: usize,
}

impl SkippedDocuments {
    /// Adds one with this name.
    pub fn add(&mut self, name: String) {
        self.count += 1;
        if self.first.len() < 3 {
            self.first.push(name);
        }
    }

    /// A note about them, if there are any.
    pub fn note(&self, wanted: WantedDocuments) -> Option<String> {
        let more = match self.count - self.first.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = self.first.join(", ");
        (self.count > 0).then(|| format!("skipped, because they are not {}: {names}{more}", wanted.name))
    }
}
