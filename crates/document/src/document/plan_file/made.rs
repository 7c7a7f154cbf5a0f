//! Plans that were made in memory, by a planner or from a saved plan file.

use std::sync::{Arc, OnceLock};

use objchange_text::json::{Node, Reader};
use self_cell::self_cell;

use super::{Cell, parse};
use crate::Schemas;
use crate::changes::ChangeSet;
use crate::document::schema_marks::with_marks;
use crate::document::{Document, Facts, Plan};
use crate::mask::MaskedNames;
use crate::mode::PlanMode;

/// A plan in memory. Reports are made of its changes, without a detour over text.
///
/// ```
/// use std::sync::Arc;
///
/// use objchange_document::{ChangeSet, Facts, MadePlan, PlanFile, PlanMode, Schemas};
///
/// struct Nothing;
///
/// impl MadePlan for Nothing {
///     fn changes(&self) -> ChangeSet<'_> {
///         ChangeSet::default()
///     }
///     fn document(&self) -> String {
///         r#"{"format_version":"1.2","resource_changes":[]}"#.to_owned()
///     }
///     fn facts(&self) -> Facts {
///         Facts::default()
///     }
///     fn terraform_version(&self) -> &str {
///         "1.16.0"
///     }
///     fn mode(&self) -> PlanMode {
///         PlanMode::Destroy
///     }
///     fn schemas(&self) -> Option<Arc<Schemas>> {
///         None
///     }
/// }
///
/// let file = PlanFile::made("env/prod", Box::new(Nothing), None)?;
/// assert!(file.changes().is_some_and(|changes| changes.resources.is_empty()));
/// assert_eq!(file.mode(), Some(PlanMode::Destroy));
/// # Ok::<(), objchange_document::PlanFileError>(())
/// ```
pub trait MadePlan: Send + Sync {
    /// The changes.
    fn changes(&self) -> ChangeSet<'_>;

    /// The document of it, with the same changes. It is asked for once, by the first reader that needs one.
    fn document(&self) -> String;

    /// The limits of its answers, which a document would have to be searched for.
    fn facts(&self) -> Facts;

    /// The version in the document.
    fn terraform_version(&self) -> &str;

    /// The mode of the plan, which no document says.
    fn mode(&self) -> PlanMode;

    /// The workspace that it is for, which no document says; `None` if nothing else says it either.
    fn workspace(&self) -> Option<&str> {
        None
    }

    /// The schemas that it was made with, if its values have all their marks.
    fn schemas(&self) -> Option<Arc<Schemas>>;

    /// The names whose values have marks because of them.
    fn masked_names(&self) -> MaskedNames {
        MaskedNames::default()
    }
}

/// A plan in memory whose values of some names are hidden.
pub(super) struct MaskedPlan {
    pub(super) plan: Arc<Made>,
    pub(super) names: MaskedNames,
}

impl MadePlan for MaskedPlan {
    fn changes(&self) -> ChangeSet<'_> {
        self.plan.plan().changes().masked(&self.names)
    }

    fn document(&self) -> String {
        let text = self.plan.document().borrow_owner();
        let schemas = self.schemas();
        // A text that cannot be marked is not shown. It is our own, so that this does not happen.
        let Ok(document) = Node::read_all(Reader::new(text)) else { return String::new() };
        match with_marks(text, &document, schemas.as_deref(), &self.names) {
            Ok(marked) => marked.unwrap_or_else(|| text.clone()),
            Err(_) => String::new(),
        }
    }

    fn facts(&self) -> Facts {
        self.plan.plan().facts()
    }

    fn terraform_version(&self) -> &str {
        self.plan.plan().terraform_version()
    }

    fn mode(&self) -> PlanMode {
        self.plan.plan().mode()
    }

    fn workspace(&self) -> Option<&str> {
        self.plan.plan().workspace()
    }

    fn schemas(&self) -> Option<Arc<Schemas>> {
        self.plan.plan().schemas()
    }

    fn masked_names(&self) -> MaskedNames {
        self.names.clone()
    }
}

self_cell!(
    struct ChangesCell {
        owner: Box<dyn MadePlan>,
        #[covariant]
        dependent: ChangeSet,
    }
);

/// A plan in memory with its changes and, once somebody has asked for it, its document.
pub(super) struct Made {
    cell: ChangesCell,
    document: OnceLock<Cell>,
}

impl Made {
    pub(super) fn new(plan: Box<dyn MadePlan>) -> Self {
        Self { cell: ChangesCell::new(plan, |plan| plan.changes()), document: OnceLock::new() }
    }

    pub(super) fn plan(&self) -> &dyn MadePlan {
        &**self.cell.borrow_owner()
    }

    pub(super) fn changes(&self) -> &ChangeSet<'_> {
        self.cell.borrow_dependent()
    }

    /// The document that was read again.
    pub(super) fn document(&self) -> &Cell {
        self.document.get_or_init(|| {
            let (schemas, masked) = (self.plan().schemas(), self.plan().masked_names());
            // Our own text can be read. A plan without a format version is refused by everything that decides.
            Cell::new(self.plan().document(), |text| {
                parse(text, schemas.as_ref(), masked).unwrap_or_else(|_| Document::Plan(Plan::default()))
            })
        })
    }
}
