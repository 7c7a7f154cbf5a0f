//! The colour sequences, unit by unit.
//!
//! A unit that has any sequence ends in one more reset, even where nothing is left to reset: that is what
//! Terraform writes.

use crate::diff::DiffAction;
use crate::document::ResourceActions;
use crate::options::Colour;
use crate::program::Program;

impl Colour {
    fn pick(self, plain: &'static str, coloured: &'static str) -> &'static str {
        match self {
            Colour::Never => plain,
            Colour::Always => coloured,
        }
    }

    /// The four columns that say what happens to a value.
    pub(super) fn symbol(self, action: DiffAction) -> &'static str {
        match action {
            DiffAction::NoOp => "    ",
            DiffAction::Create => self.pick("  + ", "  \x1b[32m+\x1b[0m\x1b[0m "),
            DiffAction::Delete => self.pick("  - ", "  \x1b[31m-\x1b[0m\x1b[0m "),
            DiffAction::Update => self.pick("  ~ ", "  \x1b[33m~\x1b[0m\x1b[0m "),
        }
    }

    /// The columns that say what happens to a resource.
    pub(super) fn resource_symbol(self, actions: ResourceActions, program: Program) -> &'static str {
        match actions {
            ResourceActions::NoOp => self.symbol(DiffAction::NoOp),
            ResourceActions::Create => self.symbol(DiffAction::Create),
            ResourceActions::Update => self.symbol(DiffAction::Update),
            ResourceActions::Delete => self.symbol(DiffAction::Delete),
            ResourceActions::Read => self.pick(" <= ", " \x1b[36m<=\x1b[0m\x1b[0m "),
            ResourceActions::DeleteThenCreate => {
                self.pick("-/+ ", "\x1b[31m-\x1b[0m/\x1b[32m+\x1b[0m\x1b[0m ")
            }
            ResourceActions::CreateThenDelete => {
                self.pick("+/- ", "\x1b[32m+\x1b[0m/\x1b[31m-\x1b[0m\x1b[0m ")
            }
            ResourceActions::Forget if program.is_opentofu() => {
                self.pick("  . ", "  \x1b[31m.\x1b[0m\x1b[0m ")
            }
            ResourceActions::Forget => self.pick(" . ", " \x1b[31m.\x1b[0m\x1b[0m "),
            ResourceActions::ForgetThenCreate => {
                self.pick("  ./+ ", "  \x1b[31m.\x1b[0m/\x1b[32m+\x1b[0m\x1b[0m ")
            }
            ResourceActions::Unknown(_) => self.pick("  ? ", "  \x1b[33m?\x1b[0m\x1b[0m "),
            ResourceActions::CreateThenForget => {
                self.pick(" +/. ", " \x1b[32m+\x1b[0m/\x1b[31m.\x1b[0m\x1b[0m ")
            }
        }
    }

    pub(super) fn null(self) -> &'static str {
        self.pick("null", "\x1b[90mnull\x1b[0m\x1b[0m")
    }

    pub(super) fn null_suffix(self) -> &'static str {
        self.pick(" -> null", " \x1b[90m-> null\x1b[0m\x1b[0m")
    }

    pub(super) fn forces_replacement(self) -> &'static str {
        self.pick(" # forces replacement", " \x1b[31m# forces replacement\x1b[0m\x1b[0m")
    }

    pub(super) fn arrow(self) -> &'static str {
        self.pick(" -> ", " \x1b[33m->\x1b[0m\x1b[0m ")
    }

    pub(super) fn warning(self) -> (&'static str, &'static str) {
        match self {
            Colour::Never => ("# Warning", ""),
            Colour::Always => ("# \x1b[33mWarning\x1b[0m", "\x1b[0m"),
        }
    }

    pub(super) fn dark_gray(self) -> (&'static str, &'static str) {
        match self {
            Colour::Never => ("", ""),
            Colour::Always => ("\x1b[90m", "\x1b[0m\x1b[0m"),
        }
    }

    /// A sequence, or nothing in plain text.
    pub(super) fn code(self, sequence: &'static str) -> &'static str {
        self.pick("", sequence)
    }

    pub(super) fn bold(self) -> &'static str {
        self.code("\x1b[1m")
    }

    pub(super) fn reset(self) -> &'static str {
        self.code("\x1b[0m")
    }
}
