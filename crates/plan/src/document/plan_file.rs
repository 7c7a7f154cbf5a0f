//! A plan or state with its text: read once, and shared by everything that looks at it.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use objchange::schema::SchemaDocumentError;
use objchange_text::json::{Node, Reader};
use objchange_text::{Notice, visible};
use self_cell::self_cell;
use serde::de::IgnoredAny;

use super::Schemas;
use super::facts::{Facts, NoState};
use super::origin::PlanOrigin;
use super::redacted::{REDACTED, redacted};
use super::schema_marks::with_schema_marks;
use super::{Document, DocumentError, MissingChange, Plan, Problem, UnfamiliarKind, UnknownKind, extract};
use crate::mode::PlanMode;

self_cell!(
    struct Cell {
        owner: String,
        #[covariant]
        dependent: Document,
    }
);

/// A plan or a state, with its text and the name of its file. It is read once; clones share it.
///
/// ```
/// use objchange_plan::{PlanFile, PlanFileErrorKind};
///
/// let file = PlanFile::parse("plan.json", r#"{"format_version":"1.2","resource_changes":[]}"#.into())?;
/// assert!(file.judged()?.changes.resources.is_empty());
///
/// let state = PlanFile::parse("state.json", r#"{"format_version":"1.0"}"#.into())?;
/// assert_eq!(state.judged().unwrap_err().kind, PlanFileErrorKind::IsState);
/// # Ok::<(), objchange_plan::PlanFileError>(())
/// ```
#[derive(Clone)]
pub struct PlanFile(Arc<Contents>);

struct Contents {
    name: String,
    /// Its line, from 1, in a file that holds a document a line.
    line: Option<usize>,
    cell: Cell,
    notices: Vec<Notice>,
    /// It is the plan of a module, made from no state.
    no_state: Option<NoState>,
    /// The mode of the plan, where a plan file says it. No document does.
    mode: Option<PlanMode>,
    /// The sources and provider versions that it was made from, where they are known.
    origin: Option<PlanOrigin>,
    facts: OnceLock<Facts>,
    malformed: OnceLock<Option<DocumentError>>,
}

impl PlanFile {
    /// Reads the document in a text. Log lines around it are skipped with a notice. `name` appears in messages: a path,
    /// or `standard input`.
    ///
    /// # Errors
    ///
    /// There is no document in the text, or more than one, or it cannot be read.
    pub fn parse(name: impl Into<String>, text: String) -> Result<Self, PlanFileError> {
        Self::read(name.into(), None, text, None, None)
    }

    /// Like [`PlanFile::parse`], for the plan that was just made of a module with these schemas: it has their marks.
    /// `no_state` says why there was no state.
    ///
    /// # Errors
    ///
    /// As [`PlanFile::parse`].
    pub fn parse_planned(
        name: impl Into<String>,
        text: String,
        no_state: Option<NoState>,
        schemas: &Arc<Schemas>,
    ) -> Result<Self, PlanFileError> {
        Self::read(name.into(), None, text, no_state, Some(schemas))
    }

    /// Adds the marks of these schemas: every reader hides the values that they call sensitive, even if the document does not
    /// mark them, such as a document of an older or other program, or a state file. The plan of a module has the schemas
    /// that it was made with, and is returned as it is.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use objchange_plan::{PlanFile, Schemas};
    ///
    /// let schemas = Schemas::parse(
    ///     r#"{"format_version":"1.0","provider_schemas":{"p":{"resource_schemas":{"disk":{"version":0,"block":{
    ///         "attributes":{"key":{"type":"string","optional":true,"sensitive":true}}}}}}}}"#,
    /// )?;
    /// let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"disk.a","mode":"managed","type":"disk",
    ///     "name":"a","provider_name":"p","change":{"actions":["create"],"before":null,"after":{"key":"x"}}}]}"#;
    /// let file = PlanFile::parse("plan.json", plan.into())?.with_schemas(&Arc::new(schemas))?;
    /// assert!(file.text().contains(r#""after":{"key":"x"},"after_sensitive":{"key":true}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A schema cannot be read, or the text is no JSON somewhere.
    pub fn with_schemas(self, schemas: &Arc<Schemas>) -> Result<Self, PlanFileError> {
        if self.plan().is_some_and(|plan| plan.schemas().is_some()) {
            return Ok(self);
        }
        let fail = |kind| PlanFileError { name: self.0.name.clone(), kind };
        let text = self.text();
        // A part that cannot be read cannot be marked.
        let document = Node::read_all(Reader::new(text))
            .map_err(|error| self.error(DocumentError::from_json(&error, text, "")))?;
        let marked = with_schema_marks(text, &document, schemas)
            .map_err(|error| fail(PlanFileErrorKind::Schemas(Box::new(error))))?;
        let text = marked.unwrap_or_else(|| text.to_owned());
        let known = Some(schemas);
        let cell = Cell::try_new(text, |text| parse(text, known))
            .map_err(|error| fail(PlanFileErrorKind::Document(Box::new(error))))?;
        let Contents { name, line, notices, no_state, mode, origin, .. } = &*self.0;
        let (name, notices) = (name.clone(), notices.clone());
        Ok(Self(Arc::new(Contents {
            name,
            line: *line,
            cell,
            notices,
            no_state: *no_state,
            mode: *mode,
            origin: origin.clone(),
            facts: OnceLock::new(),
            // `Node::read_all` has read the whole text, and marks are added in well-formed JSON.
            malformed: OnceLock::from(None),
        })))
    }

    /// Like [`PlanFile::parse`], for the document of a plan file that `terraform plan -out` saved, with the mode of that and
    /// notices about it.
    ///
    /// # Errors
    ///
    /// As [`PlanFile::parse`].
    pub fn parse_saved(
        name: impl Into<String>,
        text: String,
        mode: PlanMode,
        notices: Vec<Notice>,
    ) -> Result<Self, PlanFileError> {
        let read = Self::read(name.into(), None, text, None, None)?;
        Ok(read.with(|contents| Contents { mode: Some(mode), notices, ..contents }))
    }

    /// The plan with the sources and provider versions that it was made from.
    #[must_use]
    pub fn with_origin(self, origin: PlanOrigin) -> Self {
        self.with(|contents| Contents { origin: Some(origin), ..contents })
    }

    /// The sources and provider versions that it was made from; `None` for a document, which does not state them.
    pub fn origin(&self) -> Option<&PlanOrigin> {
        self.0.origin.as_ref()
    }

    /// Changes contents that nobody else has yet.
    fn with(self, change: impl FnOnce(Contents) -> Contents) -> Self {
        match Arc::try_unwrap(self.0) {
            Ok(contents) => Self(Arc::new(change(contents))),
            Err(contents) => Self(contents),
        }
    }

    /// The text of a plan in which `"(sensitive value)"` stands for each sensitive value, for sending to others. It has the
    /// member `redacted`, so that nothing decides by it.
    ///
    /// ```
    /// use objchange_plan::{PlanFile, PlanFileErrorKind};
    ///
    /// let plan = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{"key":{"actions":["create"],
    ///     "before":null,"after":"hunter2","after_sensitive":true}}}"#;
    /// let text = PlanFile::parse("plan.json", plan.into())?.redacted()?;
    /// assert!(text.contains(r#""after":"(sensitive value)""#) && !text.contains("hunter2"));
    /// let again = PlanFile::parse("redacted.json", text)?;
    /// assert_eq!(again.judged().unwrap_err().kind, PlanFileErrorKind::Redacted);
    /// # Ok::<(), objchange_plan::PlanFileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It is a state, or no JSON somewhere.
    pub fn redacted(&self) -> Result<String, PlanFileError> {
        if self.plan().is_none() {
            return Err(PlanFileError { name: self.0.name.clone(), kind: PlanFileErrorKind::IsState });
        }
        let text = self.text();
        let document = Node::read_all(Reader::new(text))
            .map_err(|error| self.error(DocumentError::from_json(&error, text, "")))?;
        Ok(redacted(text, &document))
    }

    /// The mode of the plan, if it was read from a plan file. No document says it.
    pub fn mode(&self) -> Option<PlanMode> {
        self.0.mode
    }

    /// Like [`PlanFile::parse`], for a document that is this line, from 1, of a file that holds a document a line.
    ///
    /// # Errors
    ///
    /// As [`PlanFile::parse`]. The error names the line of the file.
    pub fn parse_line(name: &str, line: usize, text: String) -> Result<Self, PlanFileError> {
        Self::read(name.to_owned(), Some(line), text, None, None)
    }

    fn read(
        name: String,
        line: Option<usize>,
        text: String,
        no_state: Option<NoState>,
        schemas: Option<&Arc<Schemas>>,
    ) -> Result<Self, PlanFileError> {
        let fail = |name: &str, error| PlanFileError::in_document(name, line, error);
        let (cell, notices) = match Cell::try_new_or_recover(text, |text| parse(text, schemas)) {
            Ok(cell) => (cell, Vec::new()),
            Err((text, error)) => match extract(&text) {
                None => return Err(fail(&name, error)),
                Some(found) => {
                    if let Some(line) = found.another {
                        return Err(PlanFileError { name, kind: PlanFileErrorKind::Another(line) });
                    }
                    let notice = Notice::Warning(format!("{name}: {found}"));
                    let cell = Cell::try_new(found.text, |text| parse(text, schemas));
                    (cell.map_err(|error| fail(&name, error))?, vec![notice])
                }
            },
        };
        if let Document::Plan(plan) = cell.borrow_dependent()
            && let Some(address) = repeated_object(plan)
        {
            return Err(PlanFileError { name, kind: PlanFileErrorKind::RepeatedObject(address) });
        }
        let name = line.map_or(name.clone(), |line| format!("{name}:{line}"));
        Ok(Self(Arc::new(Contents {
            name,
            line,
            cell,
            notices,
            no_state,
            mode: None,
            origin: None,
            facts: OnceLock::new(),
            malformed: OnceLock::new(),
        })))
    }

    /// Why there was no state, if it is the plan of a module that was made from none.
    pub fn no_state(&self) -> Option<NoState> {
        self.0.no_state
    }

    /// The name that messages have for it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The text that it was read from, which may hold secrets.
    pub fn text(&self) -> &str {
        self.0.cell.borrow_owner()
    }

    /// The plan or state.
    pub fn document(&self) -> &Document<'_> {
        self.0.cell.borrow_dependent()
    }

    /// The plan, unless it is a state.
    pub fn plan(&self) -> Option<&Plan<'_>> {
        match self.document() {
            Document::Plan(plan) => Some(plan),
            Document::State(_) => None,
        }
    }

    /// An error in a part of the document that is read later, with the name of the file.
    pub fn error(&self, error: DocumentError) -> PlanFileError {
        match self.0.line {
            None => PlanFileError::in_document(&self.0.name, None, error),
            // The name ends with the line.
            Some(line) => {
                let name = self.0.name.rsplit_once(':').map_or(&*self.0.name, |(name, _)| name);
                PlanFileError::in_document(name, Some(line), error)
            }
        }
    }

    /// Notices about the text, such as log lines around the document.
    pub fn notices(&self) -> &[Notice] {
        &self.0.notices
    }

    /// The limits of the answers that it can give. Computed when it is first asked for.
    pub fn facts(&self) -> &Facts {
        self.0.facts.get_or_init(|| Facts::new(self.document()))
    }

    /// The plan, if nothing is missing from it. Actions in it may be unknown.
    ///
    /// # Errors
    ///
    /// It is a state or a part of a document, it is no JSON somewhere, a member is repeated, or a change is missing.
    pub fn whole(&self) -> Result<&Plan<'_>, PlanFileError> {
        let fail = |kind| Err(PlanFileError { name: self.0.name.clone(), kind });
        let Some(plan) = self.plan() else { return fail(PlanFileErrorKind::IsState) };
        if plan.format_version.is_none() {
            return fail(PlanFileErrorKind::Part);
        }
        if let Some(error) = self.0.malformed.get_or_init(|| malformed(self.text())) {
            return Err(self.error(error.clone()));
        }
        let facts = self.facts();
        if let Some(name) = &facts.repeated_member {
            return fail(PlanFileErrorKind::RepeatedMember(name.clone()));
        }
        if let Some(missing) = &facts.missing_change {
            return fail(PlanFileErrorKind::MissingChange(missing.clone()));
        }
        Ok(plan)
    }

    /// The plan, for everything that decides by it: a policy, a query, a comparison, a hash. Nothing is missing from it,
    /// and all its actions are known. A gate that shows unknown actions itself takes [`PlanFile::whole`].
    ///
    /// An errored plan is returned: callers check [`Facts::errored`].
    ///
    /// # Errors
    ///
    /// As [`PlanFile::whole`], or an action or a mode is unknown, or a change lacks a member that every program writes.
    pub fn judged(&self) -> Result<&Plan<'_>, PlanFileError> {
        let plan = self.whole()?;
        if plan.member(REDACTED).is_some_and(|flag| flag.text() != "false") {
            return Err(PlanFileError { name: self.0.name.clone(), kind: PlanFileErrorKind::Redacted });
        }
        let is_by_program = plan.is_by_program();
        match self.facts().unknown_kinds.iter().find(|unknown| unknown.hinders(is_by_program)) {
            Some(unknown) => {
                let kind = match unknown.kind {
                    UnfamiliarKind::Actions => PlanFileErrorKind::UnknownAction(unknown.clone()),
                    _ => PlanFileErrorKind::Unreadable(unknown.clone()),
                };
                Err(PlanFileError { name: self.0.name.clone(), kind })
            }
            None => Ok(plan),
        }
    }
}

fn parse<'t>(text: &'t str, schemas: Option<&Arc<Schemas>>) -> Result<Document<'t>, DocumentError> {
    let mut document = Document::parse_part(text)?;
    if let Document::Plan(plan) = &mut document {
        plan.schemas = schemas.cloned();
    }
    Ok(document)
}

/// The first place at which a text is no JSON. Documents are read as far as they are looked at, and their brackets and
/// strings alone are known to be right.
fn malformed(text: &str) -> Option<DocumentError> {
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let offset = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let problem = match error.is_eof() {
        true => Problem::Truncated,
        false => Problem::Malformed("this is no JSON".into()),
    };
    // serde_json counts columns in bytes, and may stop within a character.
    let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    Some(DocumentError::at(text, offset.unwrap_or_default(), "", problem))
}

/// Finds an object that a list of changes has twice. In Terraform's lists each object, and each deposed object, has one
/// entry.
fn repeated_object(plan: &Plan<'_>) -> Option<String> {
    [&plan.changes.resources, &plan.changes.drift].into_iter().find_map(|list| {
        let mut seen = HashSet::with_capacity(list.len());
        let mut named = list.iter().filter(|resource| !resource.address.is_empty());
        let repeated = named.find(|one| !seen.insert((one.address.as_str(), one.deposed.as_deref())))?;
        Some(repeated.address.to_string())
    })
}

impl fmt::Debug for PlanFile {
    /// Without its text, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanFile").field("name", &self.0.name).finish_non_exhaustive()
    }
}

/// Why a file cannot be used as a plan or state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanFileError {
    /// The name of the file.
    pub name: String,
    /// The reason.
    pub kind: PlanFileErrorKind,
}

/// The reason why a file cannot be used as a plan or state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanFileErrorKind {
    /// It cannot be read.
    Document(Box<DocumentError>),
    /// The schema of one of its types cannot be read.
    Schemas(Box<SchemaDocumentError>),
    /// A second document starts in this line.
    Another(usize),
    /// A plan is needed, and it is a state.
    IsState,
    /// It is a part of a document, without its format version.
    Part,
    /// Sensitive values were taken out of it.
    Redacted,
    /// A list has this object twice, so its action is ambiguous.
    RepeatedObject(String),
    /// It has this member more than once.
    RepeatedMember(String),
    /// A change was removed.
    MissingChange(MissingChange),
    /// The plan has an unknown action, which may create or destroy something.
    UnknownAction(UnknownKind),
    /// A change has an unknown mode, or lacks a member that every program writes.
    Unreadable(UnknownKind),
}

impl PlanFileError {
    /// Adds the file name to an error. `line` is the first line of the document in its file.
    fn in_document(name: &str, line: Option<usize>, mut error: DocumentError) -> Self {
        if let Some(first) = line {
            error.line += first - 1;
        }
        Self { name: name.to_owned(), kind: PlanFileErrorKind::Document(Box::new(error)) }
    }

    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match &self.kind {
            PlanFileErrorKind::Document(error) => error.problem.kind(),
            PlanFileErrorKind::Schemas(error) => error.kind.kind(),
            PlanFileErrorKind::Another(_) => "another_document",
            PlanFileErrorKind::IsState => "state",
            PlanFileErrorKind::Part => "no_format_version",
            PlanFileErrorKind::Redacted => "redacted",
            PlanFileErrorKind::RepeatedObject(_) => "repeated_object",
            PlanFileErrorKind::RepeatedMember(_) => "repeated_member",
            PlanFileErrorKind::MissingChange(_) => "lacks_changes",
            PlanFileErrorKind::UnknownAction(_) => "unknown_action",
            PlanFileErrorKind::Unreadable(_) => "unreadable_change",
        }
    }
}

impl std::error::Error for PlanFileError {}

impl fmt::Display for PlanFileError {
    /// The name of the file and the position come first, as compilers print them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.kind {
            PlanFileErrorKind::Document(error) => f.write_str(&placed_document(error)),
            PlanFileErrorKind::Another(line) => write!(f, ":{line}: {}", self.kind),
            kind => write!(f, ": {kind}"),
        }
    }
}

impl fmt::Display for PlanFileErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WHOLE: &str = "pass the whole output of `terraform show -json PLANFILE`";
        match self {
            Self::Document(error) => write!(f, "{error}"),
            Self::Schemas(error) => write!(f, "the schemas for it cannot be read: {error}"),
            Self::Another(_) => f.write_str("a second document starts here; split the file"),
            Self::IsState => {
                f.write_str("this is a state, not a plan; pass the output of `terraform show -json PLANFILE`")
            }
            Self::Part => write!(f, "this is a part of a document, without `format_version`; {WHOLE}"),
            Self::Redacted => {
                write!(f, "sensitive values were taken out of this plan, so nobody can judge it; {WHOLE}")
            }
            Self::RepeatedObject(address) => {
                write!(f, "{}: this object is in the list twice; {WHOLE}", visible(address))
            }
            Self::RepeatedMember(name) => {
                write!(f, "the member `{}` is in this plan more than once; {WHOLE}", visible(name))
            }
            Self::MissingChange(missing) => write!(f, "{missing}; {WHOLE}"),
            Self::UnknownAction(unknown) | Self::Unreadable(unknown)
                if unknown.kind != UnfamiliarKind::LeftOut =>
            {
                write!(f, "{unknown}, so nobody can judge this plan; a newer objchange may know it")
            }
            Self::UnknownAction(unknown) | Self::Unreadable(unknown) => write!(f, "{unknown}; {WHOLE}"),
        }
    }
}

/// A document's error after the name of its file: with line and column first, as compilers print it.
pub(crate) fn placed_document(error: &DocumentError) -> String {
    let DocumentError { line, column, location, problem } = error;
    let location = if location.is_empty() { String::new() } else { format!("{location}: ") };
    let advice = match problem {
        // The others say it themselves.
        Problem::Malformed(_) | Problem::Value(_) => {
            "; pass the output of `terraform show -json`, or a state file, as it was written"
        }
        _ => "",
    };
    format!(":{line}:{column}: {location}{problem}{advice}")
}
