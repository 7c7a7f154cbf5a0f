//! Functions about an item: `unknown(rc, "path")` and others.

use std::fmt;

use cel::ExecutionError;
use cel::common::traits::Indexer;
use cel::common::types::{CelBool, CelNull, Type};
use cel::common::value::{CowVal, Val};
use objchange::address::{AddressStep, steps};
use objchange::value::Path;
use objchange_document::changes::ResourceActions;
use objchange_document::json::View;
use objchange_plan::IgnoredPath;

use super::error::refused;
use super::item::{Kind, Thing};
use super::kinds::PathReads;
use super::node::{absent, key_of, value};
use crate::collection::{Answer, Marked};
use crate::tfplan::Change;

/// One of them. In an expression it is a field of the item that has no written name, and its argument looks into that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Unknown,
    Changed,
    Old,
    New,
    Sensitive,
    Replaced,
    ChangesOnly,
    InModule,
}

impl Question {
    pub(super) fn named(field: &str) -> Option<Self> {
        Some(match field.strip_prefix('@')? {
            "unknown" => Self::Unknown,
            "changed" => Self::Changed,
            "old" => Self::Old,
            "new" => Self::New,
            "sensitive" => Self::Sensitive,
            "replaced" => Self::Replaced,
            "changes_only" => Self::ChangesOnly,
            "in_module" => Self::InModule,
            _ => return None,
        })
    }
}

/// The answer, or what gives it when it is looked into with the argument.
pub(super) fn ask<'a, 't: 'a>(
    question: Question,
    item: Thing<'a, 't>,
) -> Result<Box<dyn Val + 'a>, ExecutionError> {
    if let Kind::Possible(possible, _) = item.kind
        && !(question == Question::InModule && possible.is_instance)
    {
        return Err(item.scope.unknown());
    }
    if question != Question::Replaced {
        return Ok(Box::new(Asked { question, item }));
    }
    let change = item.kind.change().ok_or_else(absent)?;
    let actions = change.known_actions().ok_or_else(|| item.scope.unknown())?;
    let is_replaced = matches!(
        actions,
        ResourceActions::DeleteThenCreate
            | ResourceActions::CreateThenDelete
            | ResourceActions::CreateThenForget
            | ResourceActions::ForgetThenCreate
    );
    Ok(Box::new(CelBool::from(is_replaced)))
}

/// A question that waits for its argument.
#[derive(Clone)]
struct Asked<'a, 't> {
    question: Question,
    item: Thing<'a, 't>,
}

impl fmt::Debug for Asked<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.question)
    }
}

impl<'a, 't: 'a> Asked<'a, 't> {
    fn answer(&self, argument: &str) -> Result<Box<dyn Val + 'a>, ExecutionError> {
        let scope = &self.item.scope;
        scope.budget.pay_text(argument.len())?;
        if self.question == Question::InModule {
            return Ok(Box::new(CelBool::from(is_in_module(self.item.kind.module(), argument))));
        }
        if self.question == Question::ChangesOnly {
            let change = self.item.kind.change().ok_or_else(absent)?;
            change.known_actions().ok_or_else(|| scope.unknown())?;
            let paths: Result<Vec<IgnoredPath>, _> = argument.lines().map(str::parse).collect();
            let paths = paths.map_err(|_| refused("this is no path"))?;
            let answer = change.changes_only(&paths).map_err(|_| refused("the value cannot be read"))?;
            PathReads::note_ignored(&scope.paths, &paths, &answer.are_found);
            return Ok(Box::new(CelBool::from(answer.is_only)));
        }
        let mut path: Path = argument.parse().map_err(|_| refused("this is no path"))?;
        let sides = self.item.sides()?;
        // Schemas describe only resources, not values of outputs and variables.
        if matches!(self.item.kind, Kind::ResourceChange(_) | Kind::Resource(_)) {
            PathReads::note(&scope.paths, &path, &sides);
        }
        if scope.is_masked || self.question == Question::Sensitive {
            path = outermost_secret(path, &sides);
        }
        let [before, after] = sides.map(|side| side.map_or(Answer::Absent, |side| side.at(&path)));
        let shown = |answer: Answer<'a, 't>| match answer {
            Answer::Known(known) => value(known, scope),
            Answer::Unknown { .. } if !scope.is_masked => Err(scope.unknown()),
            // Displayed as null.
            Answer::Unknown { .. } | Answer::Absent => Ok(Box::new(CelNull) as Box<dyn Val + 'a>),
        };
        // The provider, which was not asked, may return the value while planning.
        let may_be_known = || self.item.kind.change().is_some_and(Change::has_doubtful_marks);
        let answer = match self.question {
            Question::Unknown if after.is_unknown() && may_be_known() => return Err(scope.unknown()),
            Question::Old => return shown(before),
            Question::New => return shown(after),
            Question::Unknown => after.is_unknown(),
            Question::Sensitive => before.is_sensitive() || after.is_sensitive(),
            _ => is_changed(before, after),
        };
        Ok(Box::new(CelBool::from(answer)))
    }
}

/// Cuts a path at its first sensitive part, because everything below it is secret, including which keys exist.
fn outermost_secret(path: Path, sides: &[Option<Marked<'_, '_>>; 2]) -> Path {
    let is_secret = |path: &Path| sides.iter().flatten().any(|side| side.at(path).is_sensitive());
    let prefixes =
        (0..path.steps().len()).map(|steps| path.steps()[..steps].iter().cloned().collect::<Path>());
    prefixes.into_iter().find(is_secret).unwrap_or(path)
}

/// Whether a value may be another one after apply. That there is nothing is the same as null.
fn is_changed(before: Answer<'_, '_>, after: Answer<'_, '_>) -> bool {
    fn there<'v, 't>(answer: Answer<'v, 't>) -> Option<View<'v, 't>> {
        answer.known().and_then(|known| known.exact()).filter(|value| !value.is_null())
    }
    after.is_unknown()
        || after.known().is_some_and(|known| known.has_unknown())
        || there(before) != there(after)
}

/// Whether a module is this one or within it. A step that is written without an instance key is any instance.
fn is_in_module(module: &str, wanted: &str) -> bool {
    let mut inner = steps(module);
    let fits = |wanted: AddressStep<'_>, step: AddressStep<'_>| {
        wanted.name == step.name && (wanted.key.is_empty() || wanted.key == step.key)
    };
    wanted.is_empty() || steps(wanted).all(|wanted| inner.next().is_some_and(|step| fits(wanted, step)))
}

impl<'a, 't: 'a> Indexer for Asked<'a, 't> {
    fn get<'b, 'v>(&'b self, argument: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let argument = key_of(argument).map_err(|_| refused("the argument must be a text"))?;
        self.answer(argument).map(|answer| CowVal::Owned(answer as Box<dyn Val + 'v>))
    }

    fn steal<'v>(self: Box<Self>, argument: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(argument).map(CowVal::into_owned)
    }
}

static QUESTION: Type = Type::new_unspecified_type("question");

impl<'a, 't: 'a> Val for Asked<'a, 't> {
    fn get_type(&self) -> &Type {
        &QUESTION
    }

    fn cel_type() -> &'static Type {
        &QUESTION
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_found_with_and_without_instance_keys() {
        let module = r#"module.a["x.y[\"0"].module.b[1]"#;
        for (wanted, expected) in [
            ("", true),
            ("module.a", true),
            ("module.a.module.b", true),
            (r#"module.a["x.y[\"0"]"#, true),
            (r#"module.a["x.y[\"0"].module.b"#, true),
            ("module.a.module.b[1]", true),
            ("module.a.module.b[0]", false),
            (r#"module.a["x"]"#, false),
            ("module.b", false),
            ("module", true),
            ("module.a.module.b.module.c", false),
            ("module.aa", false),
        ] {
            assert_eq!(is_in_module(module, wanted), expected, "{wanted}");
        }
        assert!(!is_in_module("", "module.a"));
        assert!(!is_in_module("module.ab", "module.a"));
    }
}
