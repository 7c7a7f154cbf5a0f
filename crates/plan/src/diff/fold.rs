//! Decides which parts of a value are shown, and which are only counted.

use super::{Diff, DiffAction, Kind};

/// Decides what is shown of a value, here and below; `full` hides nothing.
pub(crate) fn fold(diff: &mut Diff<'_>, full: bool) {
    // A change of only white space is shown whole, because it has no changed parts.
    let whole = full || diff.changes_only_white_space();
    let parts = |keep| Fold { keep, full };
    match &mut diff.kind {
        Kind::Json { value } | Kind::Yaml { value } | Kind::Shown { value, .. } => fold(value, whole),
        Kind::Object { attributes, .. } => attributes.fold(parts(Keep::Identifying)),
        Kind::Map { elements, .. } => elements.fold(parts(Keep::Changed)),
        // Lists and tuples show one unchanged element before and after each change (Terraform 1.11).
        Kind::List { elements, context: true } => elements.fold(parts(Keep::Beside)),
        Kind::List { elements, .. } | Kind::Set { elements, .. } => elements.fold(parts(Keep::Changed)),
        Kind::Block(block) => {
            block.attributes.fold(parts(Keep::Identifying));
            for ty in &mut block.blocks {
                if let Some(unknown) = &mut ty.unknown {
                    parts(Keep::Changed).decide(0, 1, None, |_| unknown.action).apply(unknown);
                }
                ty.blocks.fold(parts(Keep::Changed));
            }
        }
        Kind::TypeChange { before, after } => {
            fold(before, full);
            fold(after, full);
        }
        Kind::Unknown { before: Some(before) } => fold(before, full),
        Kind::Primitive(_)
        | Kind::Text { .. }
        | Kind::Unknown { before: None }
        | Kind::Sensitive(_)
        | Kind::SensitiveBlock(_)
        | Kind::WriteOnly { .. } => {}
    }
}

/// How the parts of one collection are chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    keep: Keep,
    full: bool,
}

/// Which parts are shown of those that stay the same; those that change always are.
#[derive(Debug, Clone, Copy)]
enum Keep {
    /// None.
    Changed,
    /// The one before a change and the one after: they help to find the place.
    Beside,
    /// Those that help to recognise the thing they belong to.
    Identifying,
}

/// How much of a part is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// It is counted.
    Nothing,
    /// Its changes, and the parts that help to recognise it.
    Changes,
    /// All of it.
    Everything,
}

impl Fold {
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let keeps = [Keep::Changed, Keep::Beside, Keep::Identifying];
        keeps.into_iter().flat_map(|keep| [false, true].map(|full| Self { keep, full }))
    }

    /// Decides how much is shown of a part, by its name and the actions of all parts.
    pub(crate) fn decide(
        self,
        index: usize,
        len: usize,
        name: Option<&str>,
        action: impl Fn(usize) -> DiffAction,
    ) -> Show {
        let changes = |index| action(index) != DiffAction::NoOp;
        let is_kept = || match self.keep {
            Keep::Changed => false,
            Keep::Beside => index > 0 && changes(index - 1) || index + 1 < len && changes(index + 1),
            // Terraform 1.11 always shows attributes of these names in full, but not elements of maps.
            Keep::Identifying => matches!(name, Some("id" | "name" | "tags")),
        };
        let is_identifying = matches!(self.keep, Keep::Identifying);
        if self.full || is_kept() && (is_identifying || !changes(index)) {
            Show::Everything
        } else if changes(index) {
            Show::Changes
        } else {
            Show::Nothing
        }
    }
}

impl Show {
    /// Writes the decision down in the part.
    pub(crate) fn apply(self, part: &mut Diff<'_>) {
        part.hidden = self == Show::Nothing;
        if let Kind::Sensitive(marks) | Kind::SensitiveBlock(marks) | Kind::Shown { marks, .. } = &part.kind {
            // Terraform 1.11 warns of a mark that comes or goes only where the value neither appears nor disappears.
            let stays = !matches!(part.action, DiffAction::Create | DiffAction::Delete);
            part.mark_changes = stays && marks.before != marks.after;
        }
        if !part.hidden {
            fold(part, self == Show::Everything);
        }
    }
}
