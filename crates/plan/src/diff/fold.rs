//! Decides which parts of a value are shown, and which are only counted.

use objchange::schema::Block as Schema;

use super::{CollectionPart, Diff, DiffAction, Kind, Parts};

/// How much is hidden of what could be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Folding {
    /// Nothing.
    pub(crate) full: bool,
    /// Also what Terraform shows: long values that become unknown.
    pub(crate) own_format: bool,
}

/// The lines of a value that becomes unknown, of which more are hidden in formats of our own.
const LONG: usize = 10;

/// Decides what is shown of a value, here and below.
pub(crate) fn fold(diff: &mut Diff<'_>, folding: Folding) {
    // JSON that only another text has is shown whole, because it has no changed parts.
    let whole = Folding { full: folding.full || diff.keeps_its_json(), ..folding };
    let parts = |keep| Fold { keep, folding };
    match &mut diff.kind {
        Kind::Json { value, .. } | Kind::Yaml { value } | Kind::Shown { value, .. } => fold(value, whole),
        Kind::Object { attributes, .. } => attributes.fold(parts(Keep::Identifying)),
        Kind::Map { elements, .. } => elements.fold(parts(Keep::Changed)),
        // Lists and tuples show one unchanged element before and after each change (Terraform 1.11).
        Kind::List { elements, context: true } => elements.fold(parts(Keep::Beside)),
        Kind::List { elements, .. } | Kind::Set { elements, .. } => elements.fold(parts(Keep::Changed)),
        Kind::Block(block) => {
            block.attributes.fold(parts(Keep::Identifying));
            for ty in &mut block.blocks {
                if let Some(unknown) = &mut ty.unknown {
                    parts(Keep::Changed).decide(0, 1, None, |_| unknown.action).apply(unknown, folding);
                }
                ty.blocks.fold(parts(Keep::Changed));
            }
        }
        Kind::TypeChange { before, after } => {
            fold(before, folding);
            fold(after, folding);
        }
        Kind::Unknown { before: Some(before) }
            if folding.own_format && !folding.full && before.lines() > LONG =>
        {
            before.hidden = true;
        }
        Kind::Unknown { before: Some(before) } => fold(before, folding),
        Kind::Primitive(_)
        | Kind::Text { .. }
        | Kind::Unknown { before: None }
        | Kind::Sensitive(_)
        | Kind::SensitiveBlock(_)
        | Kind::WriteOnly { .. } => {}
    }
}

/// Hides the attributes of a replaced object that its provider computes again, unless they force the replacement: nearly all
/// objects have some, and the object is another one anyway. Without a schema these are all that become unknown.
pub(crate) fn fold_recomputed(diff: &mut Diff<'_>, schema: Option<&Schema>) {
    let Kind::Block(block) = &mut diff.kind else { return };
    let is_computed = |name: &str| {
        schema.is_none_or(|schema| schema.attribute(name).is_some_and(|attribute| attribute.computed))
    };
    for index in 0..block.attributes.len() {
        if block.attributes.action(index) != DiffAction::Update {
            continue;
        }
        let entry = block.attributes.get_mut(index);
        let becomes_unknown = matches!(entry.diff.kind, Kind::Unknown { before: Some(_) });
        if becomes_unknown && !entry.diff.replace && is_computed(&entry.key) {
            (entry.diff.hidden, entry.diff.recomputed) = (true, true);
        }
    }
}

impl Diff<'_> {
    /// How many lines the text of it has, about.
    pub(crate) fn lines(&self) -> usize {
        fn of<'t, T: CollectionPart<'t>>(parts: &Parts<'t, T>) -> usize {
            2 + parts.iter().map(|part| part.diff().lines()).sum::<usize>()
        }
        match &self.kind {
            Kind::Text { lines, .. } => lines.len(),
            Kind::Json { value, .. } | Kind::Yaml { value } => value.lines() + 2,
            Kind::Shown { value, .. } => value.lines(),
            Kind::Object { attributes: parts, .. } | Kind::Map { elements: parts, .. } => of(parts),
            Kind::List { elements, .. } | Kind::Set { elements, .. } => of(elements),
            Kind::Block(block) => {
                of(&block.attributes) + block.blocks.iter().map(|ty| of(&ty.blocks)).sum::<usize>()
            }
            Kind::TypeChange { before, after } => before.lines() + after.lines(),
            Kind::Primitive(_)
            | Kind::Unknown { .. }
            | Kind::Sensitive(_)
            | Kind::SensitiveBlock(_)
            | Kind::WriteOnly { .. } => 1,
        }
    }
}

/// How the parts of one collection are chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    keep: Keep,
    folding: Folding,
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
        let folding = |full| Folding { full, own_format: false };
        keeps
            .into_iter()
            .flat_map(move |keep| [false, true].map(|full| Self { keep, folding: folding(full) }))
    }

    pub(crate) fn folding(self) -> Folding {
        self.folding
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
        if self.folding.full || is_kept() && (is_identifying || !changes(index)) {
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
    pub(crate) fn apply(self, part: &mut Diff<'_>, folding: Folding) {
        part.hidden = self == Show::Nothing;
        if let Kind::Sensitive(marks) | Kind::SensitiveBlock(marks) | Kind::Shown { marks, .. } = &part.kind {
            // Terraform 1.11 warns of a mark that comes or goes only where the value neither appears nor disappears.
            let stays = !matches!(part.action, DiffAction::Create | DiffAction::Delete);
            part.mark_changes = stays && marks.before != marks.after;
        }
        if !part.hidden {
            fold(part, Folding { full: self == Show::Everything, ..folding });
        }
    }
}
