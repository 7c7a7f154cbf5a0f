//! Reads the documents of inputs, and asks about each.

use std::io::{BufReader, Cursor, Read};
use std::panic::{self, AssertUnwindSafe};

use objchange_document::{DocumentKind, PlanFile};
use objchange_files::input::{Contents, InputError};
use objchange_files::unpacked;
use objchange_text::json::{DocumentBytes, Documents, Reader};
use objchange_text::{read_at_most, utf8_reader};

use super::find::PLAN_FILE;
use super::{Input, Inputs, InputsError, Origin};
use crate::counted_read::CountedRead;
use crate::plan_files::{PlanFileReader, PlanInputError};
use crate::pool::{self, Abandoned, Queue};

/// How many bytes tell a plan file from a text.
const HEAD: u64 = 8;

/// Which documents a command is about.
#[derive(Debug, Clone, Copy)]
pub struct WantedDocuments {
    /// The extensions of their files, for searching folders.
    pub extensions: &'static [&'static str],
    /// Their kind. Other documents that a folder has are skipped.
    pub kinds: &'static [DocumentKind],
    /// Their name, in the plural.
    pub name: &'static str,
}

impl WantedDocuments {
    /// Plans, as `terraform show -json PLANFILE` writes them.
    pub const PLANS: Self =
        Self { extensions: &["json", PLAN_FILE], kinds: &[DocumentKind::Plan], name: "plans" };
    /// Plans and states, those of `terraform show -json` and state files.
    pub const PLANS_AND_STATES: Self = Self {
        extensions: &["json", "tfstate", PLAN_FILE],
        kinds: &[DocumentKind::Plan, DocumentKind::State, DocumentKind::StateFile],
        name: "plans or states",
    };
}

/// A plan or state among the inputs.
#[derive(Debug)]
pub struct InputDocument {
    /// The plan or state.
    pub file: PlanFile,
    /// Whether it is the only document that was asked about: an answer need not name it.
    pub is_alone: bool,
}

/// A document that has not been read yet.
struct Job {
    contents: Content,
    is_alone: bool,
    /// How its file came to be among the inputs.
    origin: Origin,
}

/// The document of a job.
enum Content {
    Planned(PlanFile),
    Text { name: String, line: Option<u64>, text: String },
    PlanFile { name: String, bytes: Vec<u8> },
}

/// The outcome for an input or a document.
#[derive(Debug)]
pub enum DocumentOutcome<A, F> {
    /// The answer, with the name of the document unless it is the only one.
    Answered(Option<String>, A),
    /// Why it cannot be read.
    Unreadable(PlanInputError),
    /// Why there is nothing to ask about.
    Missing(InputsError),
    /// Why there is no answer.
    Failed(F),
    /// The name of a document in a folder that is not what is wanted.
    Skipped(String),
}

impl Inputs {
    /// Reads all documents, calls `answer` for each of them on all cores, and calls `handle` with the outcomes in the order of
    /// the inputs. It stops if `handle` fails. `count` gets the number of bytes of each read, for progress.
    ///
    /// A document that cannot be read does not stop the others. A folder without a document fails at the end.
    ///
    /// # Errors
    ///
    /// Those of `handle`.
    pub fn each_document<A: Send, F: Send, E>(
        &self,
        wanted: WantedDocuments,
        count: &(dyn Fn(u64) + Sync),
        answer: impl Fn(&InputDocument) -> Result<A, F> + Sync,
        mut handle: impl FnMut(DocumentOutcome<A, F>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut is_empty = vec![true; self.folders.len()];
        let read = |queue: &Queue<Job, FolderOutcome<A, F>>| read_all(self, count, queue);
        // One document waits for each core, not more, because each may have up to 1 GiB.
        pool::in_order(
            pool::cores(),
            1,
            read,
            |job| (job.origin.folder(), outcome(job, wanted, &self.plan_files, &answer)),
            |(folder, outcome)| {
                if let (
                    Some(folder),
                    DocumentOutcome::Answered(..) | DocumentOutcome::Missing(_) | DocumentOutcome::Failed(_),
                ) = (folder, &outcome)
                {
                    is_empty[folder] = false;
                }
                handle(outcome)
            },
        )?;
        for (folder, _) in std::iter::zip(&self.folders, is_empty).filter(|(_, is_empty)| *is_empty) {
            handle(DocumentOutcome::Missing(InputsError::EmptyFolder {
                folder: folder.clone(),
                wanted: wanted.name,
            }))?;
        }
        Ok(())
    }
}

/// An outcome, and the folder of its document.
type FolderOutcome<A, F> = (Option<usize>, DocumentOutcome<A, F>);

/// Reads the inputs until the receiver is gone.
fn read_all<A, F>(
    inputs: &Inputs,
    count: &(dyn Fn(u64) + Sync),
    queue: &Queue<Job, FolderOutcome<A, F>>,
) -> Result<(), Abandoned> {
    for input in &inputs.list {
        let (source, origin) = match input {
            Input::Source { source, origin } => (source, *origin),
            Input::Planned(file) => {
                let contents = Content::Planned(file.clone());
                queue.job(Job { contents, is_alone: inputs.are_one_name, origin: Origin::Named })?;
                continue;
            }
            Input::Missing(error) => {
                queue.answer((None, DocumentOutcome::Missing(error.clone())))?;
                continue;
            }
        };
        let opened = source.open_text().and_then(|reader| {
            let reader = unpacked(CountedRead::new(reader, count)).and_then(utf8_reader);
            reader.map_err(|error| source.unreadable(error))
        });
        let unreadable =
            |error: InputError| queue.answer((origin.folder(), DocumentOutcome::Unreadable(error.into())));
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => {
                unreadable(error)?;
                continue;
            }
        };
        // The reader may give fewer bytes at a time than it takes to tell a plan file.
        let head = match read_at_most(&mut reader, HEAD) {
            Ok(head) => head,
            Err(error) => {
                unreadable(source.unreadable(error))?;
                continue;
            }
        };
        let is_plan_file = Contents::is_plan_file(&head);
        let reader = BufReader::with_capacity(128 * 1024, Cursor::new(head).chain(reader));
        if is_plan_file {
            match source.all_as_allowed(reader, inputs.max_input) {
                Ok(bytes) => queue.job(Job {
                    contents: Content::PlanFile { name: source.to_string(), bytes },
                    is_alone: inputs.are_one_name,
                    origin,
                })?,
                Err(error) => unreadable(error)?,
            }
            continue;
        }
        for read in Documents::new(reader, inputs.max_input) {
            let text = read
                .map_err(|error| source.unreadable_within(error, inputs.max_input))
                .and_then(|DocumentBytes { line, bytes }| Ok((line, source.text(bytes, line.unwrap_or(1))?)));
            match text {
                Ok((line, text)) => queue.job(Job {
                    contents: Content::Text { name: source.to_string(), line, text },
                    // A document with a line is one of several in its file.
                    is_alone: inputs.are_one_name && line.is_none(),
                    origin,
                })?,
                Err(error) => unreadable(error)?,
            }
        }
    }
    Ok(())
}

fn outcome<A, F>(
    job: Job,
    wanted: WantedDocuments,
    plan_files: &PlanFileReader,
    answer: &impl Fn(&InputDocument) -> Result<A, F>,
) -> DocumentOutcome<A, F> {
    let Job { contents, is_alone, origin } = job;
    let file = match contents {
        Content::Planned(file) => Ok(file),
        Content::Text { name, line, text } => {
            if origin.folder().is_some() && is_another_document(&text, wanted) {
                return DocumentOutcome::Skipped(line.map_or(name.clone(), |line| format!("{name}:{line}")));
            }
            if let Origin::FoundWithCapitals(_) = origin {
                return DocumentOutcome::Missing(InputsError::Capitals(name.into()));
            }
            plan_files.document(name, line, text)
        }
        Content::PlanFile { name, bytes } => {
            if let Origin::FoundWithCapitals(_) = origin {
                return DocumentOutcome::Missing(InputsError::Capitals(name.into()));
            }
            plan_files.marked_plan_file(&name, &bytes)
        }
    };
    let file = match file {
        Ok(file) => file,
        Err(error) => return DocumentOutcome::Unreadable(error),
    };
    let document = InputDocument { file, is_alone };
    // A panic about one document must not keep the others without an answer.
    match panic::catch_unwind(AssertUnwindSafe(|| answer(&document))) {
        Ok(Ok(answer)) => {
            let name = (!is_alone).then(|| document.file.name().to_owned());
            DocumentOutcome::Answered(name, answer)
        }
        Ok(Err(failure)) => DocumentOutcome::Failed(failure),
        Err(_) => DocumentOutcome::Missing(InputsError::Panic(document.file.name().to_owned())),
    }
}

/// A member of each kind of report that this program writes as JSON, which no plan and no state has.
const OF_REPORTS: [&str; 14] = [
    "ended",
    "enforcement_level",
    "hash",
    "messages",
    "missing",
    "nodes",
    "not_compared",
    "outcome",
    "roots",
    "rules",
    "schemas",
    "unusable",
    "verdict",
    "violations",
];

/// Whether a text is the whole document of another kind: schemas, a state, a report, or an object without a format
/// version, such as `package.json`. Everything else that is no plan may be what is left of one, and is never skipped.
fn is_another_document(text: &str, wanted: WantedDocuments) -> bool {
    let Some(members) = member_names(text) else { return false };
    let has = |name: &str| members.iter().any(|member| member == name);
    // The report of `show` has the changes of a plan, and nothing else that every program writes beside them.
    let is_whole_plan = ["planned_values", "prior_state", "configuration"].into_iter().any(has);
    if has("program") && has("counts") && !is_whole_plan {
        return true;
    }
    match DocumentKind::detect(text) {
        Err(_) => false,
        Ok(kind) if wanted.kinds.contains(&kind) => false,
        // A format version alone is what Terraform prints of an empty state, and what may be left of a plan.
        Ok(DocumentKind::State) => members.len() > 1,
        Ok(DocumentKind::Other) => !has("format_version") || OF_REPORTS.iter().any(|name| has(name)),
        Ok(_) => true,
    }
}

/// The names of an object's members, if the text is an object and nothing else.
fn member_names(text: &str) -> Option<Vec<String>> {
    let mut reader = Reader::new(text);
    if reader.peek() != Some(b'{') {
        return None;
    }
    let mut names = Vec::new();
    let read = reader.members(|key, reader| {
        names.push(key.to_string());
        reader.skip()
    });
    read.and_then(|()| reader.end()).ok().map(|()| names)
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
        // The note names three. A folder may have thousands of others.
        if self.first.len() < 3 {
            self.first.push(name);
        }
    }

    /// A note about them, if there are any.
    pub fn note(&self, wanted: WantedDocuments) -> Option<String> {
        let named = objchange_text::listed(&self.first, self.count);
        (self.count > 0).then(|| format!("skipped, because they are not {}: {named}", wanted.name))
    }
}
