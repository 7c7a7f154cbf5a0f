//! The functions that expressions call beside those of the language.

use std::sync::{Arc, LazyLock};

use cel::common::types::{CelBool, CelDuration, CelInt, CelList, CelOptional, CelString, CelTimestamp, Kind};
use cel::common::value::{CowVal, Val};
use cel::{Context, Env, ExecutionError, FunctionContext, extensions};
use objchange_text::VersionConstraints;
use objchange_text::re2::Pattern;

use super::budget::Budget;
use super::error::refused;
use super::kinds::Comparison;
use super::node::{Scope, absent, equal};

type Answer<'c, 'v> = Result<CowVal<'c, 'v>, ExecutionError>;
type Function = Box<dyn for<'c, 'v> Fn(&mut FunctionContext<'c, 'v>) -> Answer<'c, 'v> + Send + Sync>;

/// The environment in which expressions are parsed and evaluated.
pub(super) static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    // The only possible error is a name clash, and there is none.
    _ = env.add_extension(extensions::strings);
    Arc::new(env)
});

/// A context with all functions.
pub(super) fn context<'v>(
    scope: &Scope,
    patterns: &Arc<[Pattern]>,
    comparisons: &Arc<[Comparison]>,
) -> Context<'static, 'v> {
    let budget = &scope.budget;
    let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
    let mut add = |name: &str, function: Function| {
        // The names are our own: none is declared already.
        _ = context.add_function(name, function);
    };
    let paying = Arc::clone(budget);
    add(
        "@paid",
        Box::new(move |call| {
            let value = argument(call, 0)?.clone();
            paying.pay_value(value.as_ref())?;
            Ok(value)
        }),
    );
    let paying = Arc::clone(budget);
    add(
        "@walked",
        Box::new(move |call| {
            let value = argument(call, 0)?.clone();
            paying.pay_value(value.as_ref())?;
            let steps = argument(call, 1)?.downcast_ref::<CelInt>().map_or(0, |steps| *steps.inner());
            let elements = value.as_sizer().map_or(0, |sizer| *sizer.size().inner());
            paying.pay(elements.unsigned_abs().saturating_mul(steps.unsigned_abs()))?;
            Ok(value)
        }),
    );
    for (name, is_wanted) in [("@equals", true), ("@differs", false)] {
        let (unknown, comparisons) = (Arc::clone(&scope.unknown), Arc::clone(comparisons));
        add(
            name,
            Box::new(move |call| {
                let (a, b) = (argument(call, 0)?.as_ref(), argument(call, 1)?.as_ref());
                if let Some(comparison) = comparison(call, &comparisons) {
                    comparison.note(a, b);
                }
                // Comparing maps takes an error for a difference, also the error of an unknown member.
                Ok(bool(unknown.hiding(|| equal(a, b)) == is_wanted))
            }),
        );
    }
    for (name, is_equal) in [("@itself", true), ("@other", false)] {
        // The value is looked up, so that one that is not there is an error as in other comparisons. A number that
        // is none, which does not equal itself, is in no document.
        add(name, Box::new(move |call| argument(call, 0).map(|_| bool(is_equal))));
    }
    let (unknown, noted) = (Arc::clone(&scope.unknown), Arc::clone(comparisons));
    add(
        "@contained",
        Box::new(move |call| {
            if let Some(comparison) = comparison(call, &noted) {
                comparison.note_contained(argument(call, 0)?.as_ref(), argument(call, 1)?.as_ref());
            }
            unknown.hiding(|| contained(call))
        }),
    );
    add("@has", Box::new(has));
    let patterns = Arc::clone(patterns);
    add(
        "@matches",
        Box::new(move |call| {
            let index = argument(call, 1)?.downcast_ref::<CelInt>().map(|index| *index.inner() as usize);
            let pattern =
                index.and_then(|index| patterns.get(index)).ok_or_else(|| refused("there is no pattern"))?;
            Ok(bool(pattern.is_match(text(call, 0, "matches")?.as_bytes())))
        }),
    );
    add("@getMilliseconds", Box::new(milliseconds));
    let paying = Arc::clone(budget);
    add("@split", Box::new(move |call| split(call, &paying)));
    let paying = Arc::clone(budget);
    add("@join", Box::new(move |call| join(call, &paying)));
    let paying = Arc::clone(budget);
    add("@replace", Box::new(move |call| replace(call, &paying)));
    add("semver", Box::new(semver));
    context
}

fn argument<'b, 'c, 'v>(
    call: &'b FunctionContext<'c, 'v>,
    index: usize,
) -> Result<&'b CowVal<'c, 'v>, ExecutionError> {
    call.args.get(index).ok_or_else(ExecutionError::missing_argument_or_target)
}

/// Where a comparison notes what it compares.
fn comparison<'n>(call: &FunctionContext<'_, '_>, all: &'n [Comparison]) -> Option<&'n Comparison> {
    let position = call.args.get(2)?.downcast_ref::<CelInt>()?;
    all.get(*position.inner() as usize)
}

fn text<'b>(
    call: &'b FunctionContext<'_, '_>,
    index: usize,
    function: &str,
) -> Result<&'b str, ExecutionError> {
    match argument(call, index)?.downcast_ref::<CelString>() {
        Some(text) => Ok(text.inner()),
        None => Err(no_such(function, call)),
    }
}

fn no_such(function: &str, call: &FunctionContext<'_, '_>) -> ExecutionError {
    let types = call.args.iter().map(|argument| argument.get_type().name().to_owned());
    ExecutionError::no_such_overload(function, types.collect())
}

fn bool<'c, 'v>(value: bool) -> CowVal<'c, 'v> {
    CowVal::owned(CelBool::from(value))
}

/// Whether a map has a member of this name, known or not.
fn has<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Answer<'c, 'v> {
    let (map, key) = (argument(call, 0)?, argument(call, 1)?);
    let has = |map: &dyn Val| {
        let members = map.as_container().filter(|_| map.get_type().kind() == Kind::Map)?;
        Some(members.contains(key.as_ref()).unwrap_or(false))
    };
    match map.downcast_ref::<CelOptional>() {
        Some(optional) => match optional.option() {
            Some(map) => has(map).map(bool).ok_or_else(absent),
            None => Ok(bool(false)),
        },
        None => has(map.as_ref()).map(bool).ok_or_else(|| no_such("_._", call)),
    }
}

fn contained<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Answer<'c, 'v> {
    let (element, container) = (argument(call, 0)?, argument(call, 1)?);
    if let Some(list) = container.downcast_ref::<CelList>() {
        return Ok(bool(list.inner().iter().any(|one| equal(one.as_ref(), element.as_ref()))));
    }
    match container.as_container().filter(|_| container.get_type().kind() == Kind::Map) {
        // No map has a key of another type.
        Some(map) => Ok(bool(map.contains(element.as_ref()).unwrap_or(false))),
        None => Err(no_such("@contained", call)),
    }
}

/// The milliseconds of a second, also of a duration: CEL's conformance tests ask for those of `123.321s`, which are 321,
/// and the library returns all of them.
fn milliseconds<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Answer<'c, 'v> {
    let value = argument(call, 0)?;
    let nanoseconds = match (value.downcast_ref::<CelDuration>(), value.downcast_ref::<CelTimestamp>()) {
        (Some(duration), _) => duration.inner().subsec_nanos(),
        (_, Some(timestamp)) => i32::try_from(timestamp.inner().timestamp_subsec_nanos()).unwrap_or_default(),
        _ => return Err(no_such("getMilliseconds", call)),
    };
    Ok(CowVal::owned(CelInt::from(i64::from(nanoseconds / 1_000_000))))
}

fn split<'c, 'v>(call: &mut FunctionContext<'c, 'v>, budget: &Budget) -> Answer<'c, 'v> {
    let (string, separator) = (text(call, 0, "split")?, text(call, 1, "split")?);
    let pieces: Vec<Box<dyn Val + 'v>> = if separator.is_empty() {
        budget.pay(string.len() as u64)?;
        string.chars().map(|c| Box::new(CelString::from(c.to_string())) as Box<dyn Val + 'v>).collect()
    } else {
        budget.pay_text(string.len())?;
        let piece = |piece: &str| {
            budget.pay_text(piece.len())?;
            Ok(Box::new(CelString::from(piece.to_owned())) as Box<dyn Val + 'v>)
        };
        string.split(separator).map(piece).collect::<Result<_, ExecutionError>>()?
    };
    Ok(CowVal::owned(CelList::from(pieces)))
}

fn join<'c, 'v>(call: &mut FunctionContext<'c, 'v>, budget: &Budget) -> Answer<'c, 'v> {
    let separator = if call.args.len() > 1 { text(call, 1, "join")? } else { "" };
    let list = argument(call, 0)?.downcast_ref::<CelList>().ok_or_else(|| no_such("join", call))?;
    let mut joined = String::new();
    for (index, piece) in list.inner().iter().enumerate() {
        let piece = piece.downcast_ref::<CelString>();
        let piece = piece.ok_or_else(|| refused("`join` is for a list of texts"))?.inner();
        let separator = if index == 0 { "" } else { separator };
        budget.pay_text(separator.len() + piece.len())?;
        joined.push_str(separator);
        joined.push_str(piece);
    }
    Ok(CowVal::owned(CelString::from(joined)))
}

fn replace<'c, 'v>(call: &mut FunctionContext<'c, 'v>, budget: &Budget) -> Answer<'c, 'v> {
    let (string, old, new) =
        (text(call, 0, "replace")?, text(call, 1, "replace")?, text(call, 2, "replace")?);
    let mut replaced = String::new();
    let mut end = 0;
    for (at, found) in string.match_indices(old) {
        budget.pay_text(at - end + new.len())?;
        replaced.push_str(&string[end..at]);
        replaced.push_str(new);
        end = at + found.len();
    }
    budget.pay_text(string.len() - end)?;
    replaced.push_str(&string[end..]);
    Ok(CowVal::owned(CelString::from(replaced)))
}

fn semver<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Answer<'c, 'v> {
    let constraints = VersionConstraints::parse(text(call, 1, "semver")?)
        .ok_or_else(|| refused("this is no constraint"))?;
    let held = constraints.allow(text(call, 0, "semver")?).ok_or_else(|| refused("this is no version"))?;
    Ok(bool(held))
}
