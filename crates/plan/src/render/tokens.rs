//! Tokens, the pieces of a page: each is a text with a role. A sink decides how it looks.

#[cfg(test)]
mod tests;

use std::io;
use std::ops::Range;

use crate::diff::DiffAction;
use objchange_document::Program;
use objchange_document::changes::ResourceActions;

/// Where tokens go. It is called with some of them at a time, in the order of the page, and not with those of two entries.
pub(super) type Sink<'s> = dyn FnMut(&Tokens) -> io::Result<()> + 's;

/// Pieces of text with their roles.
#[derive(Default)]
pub(super) struct Tokens {
    /// The text as it is without colour.
    pub(super) text: String,
    /// The role of each piece, and its end.
    ends: Vec<(Role, usize)>,
    /// The address of the entry, if any of this is in one.
    pub(super) address: String,
}

impl Tokens {
    /// Adds a piece of text.
    pub(super) fn push(&mut self, role: Role, text: &str) {
        self.text.push_str(text);
        self.end(role);
    }

    /// Makes a piece of all text since the last one.
    pub(super) fn end(&mut self, role: Role) {
        self.ends.push((role, self.text.len()));
    }

    /// The roles and where in the text their pieces are.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Role, Range<usize>)> {
        let mut start = 0;
        self.ends.iter().map(move |(role, end)| (*role, std::mem::replace(&mut start, *end)..*end))
    }

    /// Forgets all but the address.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }
}

/// The role of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Brackets, line breaks, and sentences between entries.
    Plain,
    /// The spaces in front of a line, before its sign.
    Indent,
    /// The sign in front of a line, for its action, in its own columns. A no-op has none.
    Sign,
    /// A sign in a sentence.
    LegendSign,
    /// The name of an attribute, an output or a block; the key of an element; the label of a block.
    Key,
    /// A value of the document.
    Value,
    /// Text in place of a value: `(sensitive value)`, `(known after apply)`.
    Marker,
    /// The value `null`, also as what becomes of a value.
    Null,
    /// The arrow from one value to the next.
    Arrow,
    /// That a value forces a replacement.
    ForcesReplacement,
    /// How much is not shown.
    Hidden,
    /// Unchanged parts start that a reader can unfold, with a line of how many they are. Without text.
    FoldStart,
    /// That line has ended, and the parts follow. Without text.
    FoldBody,
    /// They end. Without text.
    FoldEnd,
    /// A remark about an entry or a value.
    Comment,
    /// The `#` of a comment after which Terraform resets the colour.
    CommentSign,
    /// The name of an entry or a group.
    Heading,
    /// Important words.
    Strong,
    /// Important words up to the end of the unit.
    StrongRest,
    /// Words about what is destroyed, or wrong.
    Danger,
    /// Words about what may be unexpected.
    Caution,
    /// Such words before important ones.
    CautionStart,
    /// The word before something to know.
    Note,
    /// That all is well.
    Success,
    /// That it is not.
    Failure,
    /// A unit ends: a heading, a comment or a sentence that has text in several roles. Without text.
    UnitEnd,
    /// Prose starts that may be wrapped. Without text.
    ParagraphStart,
    /// It ends. Without text.
    ParagraphEnd,
    /// A line between two parts of the page. Without text.
    Rule,
    /// A resource, an action or an output starts. Without text.
    EntryStart,
    /// It ends. Without text.
    EntryEnd,
}

/// The sign of what happens to a resource, in the columns where a program writes it.
pub(super) fn resource_sign(actions: ResourceActions, program: Program) -> &'static str {
    match actions {
        ResourceActions::NoOp => sign(DiffAction::NoOp),
        ResourceActions::Create => sign(DiffAction::Create),
        ResourceActions::Update => sign(DiffAction::Update),
        ResourceActions::Delete => sign(DiffAction::Delete),
        ResourceActions::Read => " <= ",
        ResourceActions::DeleteThenCreate => "-/+ ",
        ResourceActions::CreateThenDelete => "+/- ",
        ResourceActions::Forget if program.is_opentofu() => "  . ",
        ResourceActions::Forget => " . ",
        ResourceActions::CreateThenForget => " +/. ",
        ResourceActions::ForgetThenCreate => "  ./+ ",
        ResourceActions::Unknown => "  ? ",
    }
}

/// The sign of what happens to a value, in its columns.
pub(super) fn sign(action: DiffAction) -> &'static str {
    match action {
        DiffAction::NoOp => "    ",
        DiffAction::Create => "  + ",
        DiffAction::Delete => "  - ",
        DiffAction::Update => "  ~ ",
    }
}
