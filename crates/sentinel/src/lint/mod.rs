//! Finds mistakes in a policy without running it.
//!
//! Only certain problems are reported: after a false alarm people stop reading.
//!
//! ```text
//! program ── names: which variable each name means ──▶ flow: unreachable code
//!                                                  ╰─▶ kinds: kinds of values, from literals and the host
//! ```

mod access;
mod conditions;
mod flow;
mod kinds;
mod names;
mod operators;
mod shape;
mod statements;
mod unused;

use objchange_text::{Diagnostic, Severity, Span, similar};

use crate::syntax::parse;

pub use shape::{Fields, Shape};

/// A problem with a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LintKind {
    /// A name that nothing has.
    UndefinedName,
    /// An import that is not used.
    UnusedImport,
    /// A parameter of the policy that is not used.
    UnusedParam,
    /// A parameter of a function that is not used.
    UnusedParameter,
    /// A variable or function that is not used.
    UnusedVariable,
    /// A rule that `main` does not use.
    UnusedRule,
    /// A variable that hides a function of the language.
    HiddenBuiltin,
    /// A policy without `main`.
    NoMain,
    /// Statements that are never run.
    Unreachable,
    /// A condition that is always the same.
    ConstantCondition,
    /// A key that a map has twice.
    DuplicateKey,
    /// Two values that are never equal, or have no order.
    UnlikeComparison,
    /// A comparison with undefined, which is never true or false.
    UndefinedComparison,
    /// A value that an operator or function refuses.
    WrongOperand,
    /// An invalid pattern.
    InvalidPattern,
    /// A key that the map does not have.
    UnknownMember,
    /// A loop over a value that may be undefined.
    LoopOverUndefined,
}

impl LintKind {
    /// All of them.
    pub const ALL: [LintKind; 17] = [
        LintKind::UndefinedName,
        LintKind::UnusedImport,
        LintKind::UnusedParam,
        LintKind::UnusedParameter,
        LintKind::UnusedVariable,
        LintKind::UnusedRule,
        LintKind::HiddenBuiltin,
        LintKind::NoMain,
        LintKind::Unreachable,
        LintKind::ConstantCondition,
        LintKind::DuplicateKey,
        LintKind::UnlikeComparison,
        LintKind::UndefinedComparison,
        LintKind::WrongOperand,
        LintKind::InvalidPattern,
        LintKind::UnknownMember,
        LintKind::LoopOverUndefined,
    ];

    /// The stable name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.describe().0
    }

    /// A short title.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.describe().2
    }

    /// The severity.
    #[must_use]
    pub fn severity(self) -> Severity {
        self.describe().1
    }

    fn describe(self) -> (&'static str, Severity, &'static str) {
        use Severity::{Error, Warning};
        match self {
            Self::UndefinedName => ("undefined-name", Error, "A name that nothing has"),
            Self::UnusedImport => ("unused-import", Warning, "An import that is not used"),
            Self::UnusedParam => ("unused-param", Warning, "A parameter of the policy that is not used"),
            Self::UnusedParameter => {
                ("unused-parameter", Warning, "A parameter of a function that is not used")
            }
            Self::UnusedVariable => ("unused-variable", Warning, "A variable or function that is not used"),
            Self::UnusedRule => ("unused-rule", Warning, "A rule that has no part in what main is"),
            Self::HiddenBuiltin => {
                ("hidden-builtin", Warning, "A variable that hides a function of the language")
            }
            Self::NoMain => ("no-main", Error, "A policy without main"),
            Self::Unreachable => ("unreachable", Warning, "Statements that are never run"),
            Self::ConstantCondition => ("constant-condition", Warning, "A condition that is always the same"),
            Self::DuplicateKey => ("duplicate-key", Warning, "A key that a map has twice"),
            Self::UnlikeComparison => {
                ("unlike-comparison", Error, "Two values that are never equal, or have no order")
            }
            Self::UndefinedComparison => {
                ("undefined-comparison", Error, "A comparison with undefined, which is never true or false")
            }
            Self::WrongOperand => ("wrong-operand", Error, "A value that an operator or function refuses"),
            Self::InvalidPattern => ("invalid-pattern", Error, "An invalid pattern"),
            Self::UnknownMember => ("unknown-member", Error, "A key that the map does not have"),
            Self::LoopOverUndefined => ("loop-over-undefined", Warning, "A loop over what may be undefined"),
        }
    }
}

/// Returns the shape of an import by its name.
pub type ImportShapes<'c> = dyn Fn(&str) -> Option<Shape> + 'c;

/// Knowledge about a policy from outside.
#[derive(Default)]
pub struct LintContext<'c> {
    /// Whether the text is run as a policy and not only imported: it must have `main`, and its variables
    /// are not used elsewhere. A text with `main` is treated as a policy anyway.
    pub is_policy: bool,
    /// Globals that the host sets.
    pub globals: Vec<String>,
    /// The shapes of imports. Without an entry the standard import is used, or the shape is unknown.
    pub imports: Option<&'c ImportShapes<'c>>,
}

impl std::fmt::Debug for LintContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { is_policy, globals, imports: _ } = self;
        f.debug_struct("LintContext")
            .field("is_policy", is_policy)
            .field("globals", globals)
            .finish_non_exhaustive()
    }
}

/// Finds problems in a policy that parses, in the order of the text. The kind of each is the name of a
/// [`LintKind`].
///
/// # Errors
///
/// Everything that is wrong with a text that cannot be read, in the order of the text.
///
/// # Examples
///
/// ```
/// use objchange_sentinel::{LineIndex, LintContext, lint};
///
/// let text = "types = [\"a\"]\nmain = rule { length(types) is \"1\" and typos is empty }";
/// let (lints, lines) = (lint(text, &LintContext::default()).unwrap(), LineIndex::new(text));
/// assert_eq!([&*lints[0].kind, &*lints[1].kind], ["unlike-comparison", "undefined-name"]);
/// assert_eq!(lints[0].with_position(&lines), "2:15: a number is never equal to a string");
/// assert_eq!(lints[1].with_position(&lines), "2:40: there is nothing called typos");
/// ```
pub fn lint(text: &str, context: &LintContext<'_>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let (program, _) = parse(text)?;
    let mut found = LintItems::default();
    let names = names::resolve(&program, context, &mut found);
    unused::check(&program, &names, context, &mut found);
    flow::check(&program, &mut found);
    kinds::check(&program, &names, context, &mut found);
    found.items.sort_by_key(|(kind, span, ..)| (span.start, *kind));
    let lint = |(kind, span, message, help): Item| Diagnostic {
        severity: kind.severity(),
        hints: help.into_iter().collect(),
        ..Diagnostic::new((kind.name(), message), span, "")
    };
    Ok(found.items.into_iter().take(MAX_LINTS).map(lint).collect())
}

/// Nobody reads more lints.
const MAX_LINTS: usize = 500;

type Item = (LintKind, Span, String, Option<String>);

/// Findings, in any order.
#[derive(Default)]
struct LintItems {
    items: Vec<Item>,
    /// How many names were compared for suggestions.
    compared: usize,
}

/// The maximum number of comparisons with unknown names: a text may have very many of both.
const MAX_COMPARED: usize = 200_000;

impl LintItems {
    /// The most similar existing name, as a hint.
    fn suggest<'n>(&mut self, word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
        let names: Vec<&str> = names.into_iter().collect();
        if self.compared >= MAX_COMPARED {
            return None;
        }
        self.compared += names.len();
        similar(word, names).first().map(|name| format!("did you mean {name}?"))
    }

    fn add(&mut self, kind: LintKind, span: Span, message: impl Into<String>) {
        self.items.push((kind, span, message.into(), None));
    }

    fn add_with_help(
        &mut self,
        kind: LintKind,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.items.push((kind, span, message.into(), help));
    }
}
