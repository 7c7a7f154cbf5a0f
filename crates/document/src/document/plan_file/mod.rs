//! A plan or state with its text: read once, and shared by everything that looks at it.

mod error;
mod made;

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use objchange_text::Notice;
use objchange_text::json::{Node, Reader};
use self_cell::self_cell;
use serde::de::IgnoredAny;

use self::made::{Made, MaskedPlan};
use super::Schemas;
use super::facts::{Facts, NoState};
use super::origin::PlanOrigin;
use super::redacted::{REDACTED, redacted};
use super::schema_marks::with_marks;
use super::{Document, DocumentError, Plan, Problem, State, UnfamiliarKind, extract};
use crate::changes::ChangeSet;
use crate::mask::MaskedNames;
use crate::mode::PlanMode;

pub use self::error::placed_document;
pub use self::error::{PlanFileError, PlanFileErrorKind};
pub use self::made::MadePlan;

self_cell!(
    struct Cell {
        owner: String,
        #[covariant]
        dependent: Document,
    }
);

/// A plan or a state, with the name of its file. It was read from a text once, or made in memory; clones share it. The text of
/// a plan that was made is written when somebody first asks for it: reports need none.
///
/// ```
/// use objchange_document::{PlanFile, PlanFileErrorKind};
///
/// let file = PlanFile::parse("plan.json", r#"{"format_version":"1.2","resource_changes":[]}"#.into())?;
/// assert!(file.judged()?.changes.resources.is_empty());
///
/// let state = PlanFile::parse("state.json", r#"{"format_version":"1.0"}"#.into())?;
/// assert_eq!(state.judged().unwrap_err().kind, PlanFileErrorKind::IsState);
/// # Ok::<(), objchange_document::PlanFileError>(())
/// ```
#[derive(Clone)]
pub struct PlanFile(Arc<Contents>);

struct Contents {
    name: String,
    /// Its line, from 1, in a file that holds a document a line.
    line: Option<usize>,
    content: Content,
    notices: Vec<Notice>,
    /// It is the plan of a module, made from no state.
    no_state: Option<NoState>,
    /// The mode, where it was planned here or a plan file says it. No document does.
    mode: Option<PlanMode>,
    /// The workspace, where it was planned here or a plan file says it. No document does.
    workspace: Option<String>,
    /// The sources and provider versions that it was made from, where they are known.
    origin: Option<PlanOrigin>,
    facts: OnceLock<Facts>,
    malformed: OnceLock<Option<DocumentError>>,
}

/// Where a plan or state is from.
enum Content {
    Read(Cell),
    Made(Arc<Made>),
}

impl PlanFile {
    /// Reads the document in a text. Log lines around it are skipped with a notice. `name` appears in messages: a path,
    /// or `standard input`.
    ///
    /// # Errors
    ///
    /// There is no document in the text, or more than one, or it cannot be read.
    pub fn parse(name: impl Into<String>, text: String) -> Result<Self, PlanFileError> {
        Self::read(name.into(), None, text)
    }

    /// Takes a plan that is in memory. `no_state` says why it was made from no state.
    ///
    /// # Errors
    ///
    /// An object is in one of its lists twice.
    pub fn made(
        name: impl Into<String>,
        plan: Box<dyn MadePlan>,
        no_state: Option<NoState>,
    ) -> Result<Self, PlanFileError> {
        let (name, made) = (name.into(), Made::new(plan));
        refuse_repeated(&name, made.changes())?;
        let mode = Some(made.plan().mode());
        let workspace = made.plan().workspace().map(str::to_owned);
        Ok(Self(Arc::new(Contents {
            no_state,
            mode,
            workspace,
            ..Contents::new(name, Content::Made(Arc::new(made)))
        })))
    }

    /// Adds the marks of these schemas: every reader hides the values that they call sensitive, even if the document does not
    /// mark them, such as a document of an older or other program, or a state file. The plan of a module has the schemas
    /// that it was made with, and is returned as it is.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use objchange_document::{PlanFile, Schemas};
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
        if let Content::Made(made) = &self.0.content
            && made.plan().schemas().is_some()
        {
            return Ok(self);
        }
        let masked = self.masked_names();
        self.marked(Some(schemas), masked)
    }

    /// Adds marks to the values of these names, so that every reader hides them: [`MaskedNames`] says which these are.
    ///
    /// # Errors
    ///
    /// The text is no JSON somewhere.
    pub fn with_masked_names(self, names: &MaskedNames) -> Result<Self, PlanFileError> {
        if names.is_empty() {
            return Ok(self);
        }
        let cell = match &self.0.content {
            Content::Made(made) => {
                return Ok(self.masked(MaskedPlan { plan: Arc::clone(made), names: names.clone() }));
            }
            Content::Read(cell) => cell,
        };
        let schemas = match cell.borrow_dependent() {
            Document::Plan(plan) => plan.schemas.clone(),
            Document::State(_) => None,
        };
        self.marked(schemas.as_ref(), names.clone())
    }

    /// With the values of a plan in memory masked. No text is written for it.
    fn masked(&self, plan: MaskedPlan) -> Self {
        let Contents { name, line, notices, no_state, mode, workspace, origin, .. } = &*self.0;
        Self(Arc::new(Contents {
            line: *line,
            notices: notices.clone(),
            no_state: *no_state,
            mode: *mode,
            workspace: workspace.clone(),
            origin: origin.clone(),
            ..Contents::new(name.clone(), Content::Made(Arc::new(Made::new(Box::new(plan)))))
        }))
    }

    fn masked_names(&self) -> MaskedNames {
        self.plan().map(|plan| plan.masked.clone()).unwrap_or_default()
    }

    /// The document of it, with these marks.
    fn marked(self, schemas: Option<&Arc<Schemas>>, masked: MaskedNames) -> Result<Self, PlanFileError> {
        let fail = |kind| PlanFileError { name: self.0.name.clone(), kind };
        let text = self.text();
        // A part that cannot be read cannot be marked.
        let document = Node::read_all(Reader::new(text))
            .map_err(|error| self.error(DocumentError::from_json(&error, text, "")))?;
        let marked = with_marks(text, &document, schemas.map(|schemas| &**schemas), &masked)
            .map_err(|error| fail(PlanFileErrorKind::Schemas(Box::new(error))))?;
        let text = marked.unwrap_or_else(|| text.to_owned());
        let cell = Cell::try_new(text, |text| parse(text, schemas, masked))
            .map_err(|error| fail(PlanFileErrorKind::Document(Box::new(error))))?;
        let Contents { name, line, notices, no_state, mode, workspace, origin, .. } = &*self.0;
        Ok(Self(Arc::new(Contents {
            line: *line,
            notices: notices.clone(),
            no_state: *no_state,
            mode: *mode,
            workspace: workspace.clone(),
            origin: origin.clone(),
            facts: self
                .made_changes()
                .map(|_| self.facts().clone())
                .map_or_else(OnceLock::new, OnceLock::from),
            // `Node::read_all` has read the whole text, and marks are added in well-formed JSON.
            malformed: OnceLock::from(None),
            ..Contents::new(name.clone(), Content::Read(cell))
        })))
    }

    /// The plan with these notices about how it was read.
    #[must_use]
    pub fn with_notices(self, notices: Vec<Notice>) -> Self {
        self.with(|contents| Contents { notices, ..contents })
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
    /// use objchange_document::{PlanFile, PlanFileErrorKind};
    ///
    /// let plan = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{"key":{"actions":["create"],
    ///     "before":null,"after":"hunter2","after_sensitive":true}}}"#;
    /// let text = PlanFile::parse("plan.json", plan.into())?.redacted()?;
    /// assert!(text.contains(r#""after":"(sensitive value)""#) && !text.contains("hunter2"));
    /// let again = PlanFile::parse("redacted.json", text)?;
    /// assert_eq!(again.judged().unwrap_err().kind, PlanFileErrorKind::Redacted);
    /// # Ok::<(), objchange_document::PlanFileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It is a state, or no JSON somewhere, or its marks cannot be read.
    pub fn redacted(&self) -> Result<String, PlanFileError> {
        let Some(plan) = self.plan() else {
            return Err(PlanFileError { name: self.0.name.clone(), kind: PlanFileErrorKind::IsState });
        };
        let document = Node::read_all(Reader::new(plan.text()))
            .map_err(|error| self.error(DocumentError::from_json(&error, plan.text(), "")))?;
        redacted(plan, &document).map_err(|error| self.error(error))
    }

    /// The mode of the plan, if it was planned here or read from a plan file. No document says it.
    pub fn mode(&self) -> Option<PlanMode> {
        self.0.mode
    }

    /// The workspace of the plan, if it was planned here or read from a plan file. No document says it.
    pub fn workspace(&self) -> Option<&str> {
        self.0.workspace.as_deref()
    }

    /// Like [`PlanFile::parse`], for a document that is this line, from 1, of a file that holds a document a line.
    ///
    /// # Errors
    ///
    /// As [`PlanFile::parse`]. The error names the line of the file.
    pub fn parse_line(name: &str, line: usize, text: String) -> Result<Self, PlanFileError> {
        Self::read(name.to_owned(), Some(line), text)
    }

    fn read(name: String, line: Option<usize>, text: String) -> Result<Self, PlanFileError> {
        let fail = |name: &str, error| PlanFileError::in_document(name, line, error);
        let (cell, notices) = match Cell::try_new_or_recover(text, |text| {
            parse(text, None, MaskedNames::default())
        }) {
            Ok(cell) => (cell, Vec::new()),
            Err((text, error)) => match extract(&text) {
                None => return Err(fail(&name, error)),
                Some(found) => {
                    if let Some(line) = found.another {
                        return Err(PlanFileError { name, kind: PlanFileErrorKind::Another(line) });
                    }
                    let notice = Notice::Warning(format!("{name}: {found}"));
                    let cell = Cell::try_new(found.text, |text| parse(text, None, MaskedNames::default()));
                    (cell.map_err(|error| fail(&name, error))?, vec![notice])
                }
            },
        };
        if let Document::Plan(plan) = cell.borrow_dependent() {
            refuse_repeated(&name, &plan.changes)?;
        }
        let name = line.map_or(name.clone(), |line| format!("{name}:{line}"));
        Ok(Self(Arc::new(Contents { line, notices, ..Contents::new(name, Content::Read(cell)) })))
    }

    /// Why there was no state, if it is the plan of a module that was made from none.
    pub fn no_state(&self) -> Option<NoState> {
        self.0.no_state
    }

    /// The name that messages have for it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The text that it was read from, or the document of a plan that was made. It may hold secrets.
    pub fn text(&self) -> &str {
        self.cell().borrow_owner()
    }

    /// The plan or state, with the text that it was read from.
    pub fn document(&self) -> &Document<'_> {
        self.cell().borrow_dependent()
    }

    fn cell(&self) -> &Cell {
        match &self.0.content {
            Content::Read(cell) => cell,
            Content::Made(made) => made.document(),
        }
    }

    /// The plan with its text, unless it is a state.
    pub fn plan(&self) -> Option<&Plan<'_>> {
        match self.document() {
            Document::Plan(plan) => Some(plan),
            Document::State(_) => None,
        }
    }

    /// The plan in memory, if it was made and not read.
    pub fn made_changes(&self) -> Option<&ChangeSet<'_>> {
        match &self.0.content {
            Content::Read(_) => None,
            Content::Made(made) => Some(made.changes()),
        }
    }

    /// The state, as it is stored: it has what planning needs, which `terraform show -json` leaves out.
    ///
    /// ```
    /// use objchange_document::PlanFile;
    ///
    /// let state = PlanFile::parse("a.tfstate", r#"{"version":4,"lineage":"x","resources":[]}"#.into())?;
    /// assert!(state.state_file()?.resources.is_empty());
    ///
    /// let shown = PlanFile::parse("state.json", r#"{"format_version":"1.0"}"#.into())?;
    /// assert_eq!(shown.state_file().unwrap_err().kind(), "no_state_file");
    /// # Ok::<(), objchange_document::PlanFileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It is a plan, or a state in another form.
    pub fn state_file(&self) -> Result<&State<'_>, PlanFileError> {
        match self.document() {
            Document::State(state) if state.is_file => Ok(state),
            _ => Err(PlanFileError { name: self.0.name.clone(), kind: PlanFileErrorKind::NoStateFile }),
        }
    }

    /// Whether it is a plan, and not a state.
    pub fn is_plan(&self) -> bool {
        self.changes().is_some()
    }

    /// The changes, unless it is a state. No text is written for them.
    pub fn changes(&self) -> Option<&ChangeSet<'_>> {
        self.made_changes().or_else(|| self.plan().map(|plan| &plan.changes))
    }

    /// The version of the program that wrote it, or whose rules it was made by.
    pub fn terraform_version(&self) -> Option<&str> {
        match &self.0.content {
            Content::Made(made) => Some(made.plan().terraform_version()),
            Content::Read(cell) => match cell.borrow_dependent() {
                Document::Plan(plan) => plan.terraform_version.as_deref(),
                Document::State(state) => state.terraform_version.as_deref(),
            },
        }
    }

    /// The providers that it names, in byte order.
    pub fn providers(&self) -> BTreeSet<&str> {
        match self.made_changes() {
            Some(changes) => changes.providers(),
            None => self.document().providers(),
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
        self.0.facts.get_or_init(|| match &self.0.content {
            Content::Read(cell) => Facts::new(cell.borrow_dependent()),
            Content::Made(made) => made.plan().facts(),
        })
    }

    /// The plan, if nothing is missing from it. Actions in it may be unknown.
    ///
    /// # Errors
    ///
    /// It is a state or a part of a document, it is no JSON somewhere, a member is repeated, sensitive values were taken out, a change
    /// is missing, is not that of its action, or lacks one of its sides.
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
        if plan.member(REDACTED).is_some_and(|flag| flag.text() != "false") {
            return fail(PlanFileErrorKind::Redacted);
        }
        // People leave members out of plans that they write by hand.
        match facts.unknown_kinds.iter().find(|unknown| plan.is_by_program() && unknown.lacks_side()) {
            Some(unknown) => fail(PlanFileErrorKind::Unreadable(unknown.clone())),
            None => Ok(plan),
        }
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
        let is_by_program = plan.is_by_program();
        let mut unknown_kinds = self.facts().unknown_kinds.iter();
        match unknown_kinds.find(|one| one.may_do_anything() || is_by_program && one.lacks_needed()) {
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

fn parse<'t>(
    text: &'t str,
    schemas: Option<&Arc<Schemas>>,
    masked: MaskedNames,
) -> Result<Document<'t>, DocumentError> {
    let mut document = Document::parse_part(text)?;
    if let Document::Plan(plan) = &mut document {
        plan.schemas = schemas.cloned();
        if !masked.is_empty() {
            plan.changes.mask_identities(&masked);
        }
        plan.masked = masked;
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

/// Refuses changes if a list of them has an object twice. In Terraform's lists each object, and each deposed object, has one
/// entry.
fn refuse_repeated(name: &str, changes: &ChangeSet<'_>) -> Result<(), PlanFileError> {
    let repeated = [&changes.resources, &changes.drift].into_iter().find_map(|list| {
        let mut seen = HashSet::with_capacity(list.len());
        let mut named = list.iter().filter(|resource| !resource.address.is_empty());
        named.find(|one| !seen.insert((one.address.as_str(), one.deposed.as_deref())))
    });
    match repeated {
        None => Ok(()),
        Some(resource) => Err(PlanFileError {
            name: name.to_owned(),
            kind: PlanFileErrorKind::RepeatedObject(resource.address.to_string()),
        }),
    }
}

impl Contents {
    fn new(name: String, content: Content) -> Self {
        Self {
            name,
            line: None,
            content,
            notices: Vec::new(),
            no_state: None,
            mode: None,
            workspace: None,
            origin: None,
            facts: OnceLock::new(),
            malformed: OnceLock::new(),
        }
    }
}

impl fmt::Debug for PlanFile {
    /// Without its text, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanFile").field("name", &self.0.name).finish_non_exhaustive()
    }
}
