//! Expands `count` and `for_each` to instances.

use objchange::value::{Kind, Marks};
use objchange::{Type, Value};
use objchange_hcl::{Diagnostic, DiagnosticExt, Expr, Functions, Scope, evaluate};

use super::instances::{Expanded, Repetition};

/// The evaluated `count` or `for_each`.
#[derive(Debug)]
pub(crate) enum Expansion {
    /// These instances.
    Known(Expanded<Repetition>),
    /// It is unknown; holds the error for that, in case Terraform cannot know it either.
    Unknown(Diagnostic),
    /// It is wrong.
    Wrong,
}

/// The instances of something that has neither.
pub(crate) fn single() -> Expanded<Repetition> {
    Expanded::Single(Repetition::default())
}

/// The instances that `count` gives.
pub(crate) fn count(
    expr: &Expr,
    scope: &Scope<'_>,
    functions: &Functions,
    most: usize,
    errors: &mut Vec<Diagnostic>,
) -> Expansion {
    // Found by trying Terraform 1.11.4, so that a plan here accepts and refuses what Terraform does. It accepts text such as
    // "2", because it converts the value to a number, and it accepts a sensitive number. Null, unknown, negative, ephemeral
    // and fractional numbers are this error, and for a fraction the message has the range of integers. Anything that is not
    // a number is "Incorrect value type".
    const SUMMARY: &str = "Invalid count argument";
    let (value, mut found) = evaluate(expr, scope, functions);
    if !found.is_empty() {
        errors.append(&mut found);
        return Expansion::Wrong;
    }
    // Terraform does not say what is in an expression for a number of instances, unless its type is wrong.
    let error = |summary: &'static str, detail: String| Diagnostic::new(summary, expr.span, detail);
    // `count` may be sensitive, unlike the keys of `for_each`.
    let (value, marks) = value.unmark_deep();
    let number = match value.convert(&Type::Number) {
        Ok(number) => number,
        Err(wrong) => {
            let detail = format!("Invalid expression value: {}.", wrong.kind);
            errors.push(error("Incorrect value type", detail).explained(expr, scope));
            return Expansion::Wrong;
        }
    };
    let detail = if number.is_null() {
        "The given \"count\" argument value is null. An integer is required.".to_owned()
    } else if marks.contains(Marks::EPHEMERAL) {
        "The given \"count\" is derived from an ephemeral value, which means that Terraform cannot persist it between \
         plan/apply rounds. Use only non-ephemeral values to specify the number of resource instances."
            .to_owned()
    } else if !number.is_known() {
        let detail = "The \"count\" value depends on resource attributes that cannot be determined until apply, so Terraform \
                      cannot predict how many instances will be created. To work around this, use the -target argument to \
                      first apply only the resources that the count depends on.";
        return Expansion::Unknown(Diagnostic::new(SUMMARY, expr.span, detail));
    } else {
        let Some(number) = number.as_number() else { return Expansion::Wrong };
        match number.as_u64() {
            // Terraform has no limit. This one keeps a huge `count` from filling memory.
            Some(n) if n <= most as u64 => {
                let instances = (0..n).map(|i| Repetition {
                    count_index: Some(Value::from(i as i64)),
                    ..Repetition::default()
                });
                return Expansion::Known(Expanded::Count(instances.collect()));
            }
            Some(n) => {
                let detail = format!("{n} instances are more than this plan may have: at most {most}.");
                errors.push(error("Too many instances", detail));
                return Expansion::Wrong;
            }
            None if number.is_integer() => {
                "The given \"count\" argument value is unsuitable: must be greater than or equal to zero."
                    .to_owned()
            }
            None => {
                let detail = "The given \"count\" argument value is unsuitable: value must be a whole number, between \
                              -9223372036854775808 and 9223372036854775807.";
                errors.push(Diagnostic::new(SUMMARY, expr.span, detail));
                return Expansion::Wrong;
            }
        }
    };
    errors.push(error(SUMMARY, detail));
    Expansion::Wrong
}

/// The instances that `for_each` gives.
pub(crate) fn for_each(
    expr: &Expr,
    scope: &Scope<'_>,
    functions: &Functions,
    most: usize,
    errors: &mut Vec<Diagnostic>,
) -> Expansion {
    let (value, mut found) = evaluate(expr, scope, functions);
    if !found.is_empty() {
        errors.append(&mut found);
        return Expansion::Wrong;
    }
    match elements(&value) {
        Ok(elements) if elements.len() > most => {
            let detail =
                format!("{} instances are more than this plan may have: at most {most}.", elements.len());
            errors.push(Diagnostic::new("Too many instances", expr.span, detail).explained(expr, scope));
            Expansion::Wrong
        }
        Ok(elements) => {
            let instances = elements.into_iter().map(|(key, value)| {
                let each = Some((Value::from(key.as_str()), value));
                (key, Repetition { each, ..Repetition::default() })
            });
            Expansion::Known(Expanded::ForEach(instances.collect()))
        }
        Err(Problem { summary, detail, cause }) => {
            // Terraform 1.11.4 reports both errors for a value that is sensitive and ephemeral.
            if value.marks().contains(Marks::EPHEMERAL) && value.marks().contains(Marks::SENSITIVE) {
                errors.push(
                    Diagnostic::new(summary, expr.span, SENSITIVE_KEYS).explained_by_marks(expr, scope),
                );
            }
            let error = Diagnostic::new(summary, expr.span, detail);
            match cause {
                Cause::Unknown => Expansion::Unknown(error.explained_by_unknown(expr, scope)),
                Cause::Marks => {
                    errors.push(error.explained_by_marks(expr, scope));
                    Expansion::Wrong
                }
                Cause::Other => {
                    errors.push(error.explained(expr, scope));
                    Expansion::Wrong
                }
            }
        }
    }
}

/// The errors of a `for_each` in the words for actions.
pub(crate) fn in_words_of_actions(errors: &mut [Diagnostic]) {
    for error in errors {
        if error.detail.contains("as a resource instance key") {
            error.detail =
                error.detail.replace("as a resource instance key", "as an action instance key").into();
        }
    }
}

/// The elements of an import's `for_each`, which may be any collection; `None` if it is unknown. Null imports nothing.
pub(crate) fn import_elements(
    expr: &Expr,
    scope: &Scope<'_>,
    functions: &Functions,
    most: usize,
) -> Result<Option<Vec<Repetition>>, Vec<Diagnostic>> {
    let (value, errors) = evaluate(expr, scope, functions);
    if !errors.is_empty() {
        return Err(errors);
    }
    // Each element is as sensitive as all of them.
    let marks = value.marks();
    if marks.contains(Marks::EPHEMERAL) {
        // Terraform keeps instance keys in the state, where nothing ephemeral may be.
        let error = Diagnostic::new("Invalid for_each argument", expr.span, EPHEMERAL_KEYS);
        return Err(vec![error.explained_by_marks(expr, scope)]);
    }
    let each = |key: Value, value: &Value| Repetition {
        each: Some((key, value.clone().with_marks(marks))),
        ..Repetition::default()
    };
    let wrong = |summary: &'static str, detail: String| {
        Err(vec![Diagnostic::new(summary, expr.span, detail).explained(expr, scope)])
    };
    if let Some(n) = value.len().filter(|n| *n > most) {
        let detail = format!("{n} instances are more than this plan may have: at most {most}.");
        return wrong("Too many instances", detail);
    }
    Ok(match value.kind() {
        Kind::Null => Some(Vec::new()),
        _ if !value.is_wholly_known() => None,
        Kind::Map(map) => {
            Some(map.iter().map(|(key, value)| each(Value::from(key.clone()), value)).collect())
        }
        Kind::Object(object) => {
            Some(object.iter().map(|(name, value)| each(Value::from(name.clone()), value)).collect())
        }
        Kind::List(elements) | Kind::Tuple(elements) => {
            Some(elements.iter().enumerate().map(|(i, value)| each(Value::from(i), value)).collect())
        }
        Kind::Set(elements) => Some(elements.iter().map(|value| each(value.clone(), value)).collect()),
        _ => {
            let detail = "The \"for_each\" expression must be a collection.".to_owned();
            return wrong("Invalid for_each argument", detail);
        }
    })
}

const EPHEMERAL_KEYS: &str = "The given \"for_each\" value is derived from an ephemeral value, which means that Terraform cannot \
                              persist it between plan/apply rounds. Use only non-ephemeral values to specify a resource's \
                              instance keys.";

const SENSITIVE_KEYS: &str = "Sensitive values, or values derived from sensitive values, cannot be used as for_each arguments. \
                              If used, the sensitive value could be exposed as a resource instance key.";

/// An error in a `for_each`.
struct Problem {
    summary: &'static str,
    detail: String,
    cause: Cause,
}

enum Cause {
    Unknown,
    /// It is sensitive or ephemeral.
    Marks,
    Other,
}

fn elements(value: &Value) -> Result<Vec<(String, Value)>, Problem> {
    let problem =
        |detail: String| Problem { summary: "Invalid for_each argument", detail, cause: Cause::Other };
    let unsuitable =
        |detail: String| problem(format!("The given \"for_each\" argument value is unsuitable: {detail}"));
    let marks = value.marks();
    if marks.contains(Marks::EPHEMERAL) {
        let problem = problem(EPHEMERAL_KEYS.to_owned());
        return Err(Problem { cause: Cause::Marks, ..problem });
    }
    // Only the collection as a whole is refused. Sensitive values of a map may stay: they are no keys.
    if marks.contains(Marks::SENSITIVE) {
        return Err(Problem { cause: Cause::Marks, ..problem(SENSITIVE_KEYS.to_owned()) });
    }
    if value.is_null() {
        return Err(unsuitable(
            "the given \"for_each\" argument value is null. A map, or set of strings is allowed.".to_owned(),
        ));
    }
    if !matches!(value.ty(), Type::Map(_) | Type::Object(_) | Type::Set(_) | Type::Dynamic) {
        return Err(unsuitable(format!(
            "the \"for_each\" argument must be a map, or set of strings, and you have provided a value of type {}.",
            value.ty().friendly_name()
        )));
    }
    let unknown = || Problem {
        summary: "Invalid for_each argument",
        detail: unknown_detail(matches!(value.ty(), Type::Set(_))),
        cause: Cause::Unknown,
    };
    match value.kind() {
        Kind::Map(map) => Ok(map.iter().map(|(key, value)| (key.to_string(), value.clone())).collect()),
        Kind::Object(object) => {
            Ok(object.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
        }
        Kind::Set(elements) => {
            let unsuitable = |detail: String| Problem {
                summary: "Invalid for_each set argument",
                detail: format!("The given \"for_each\" argument value is unsuitable: {detail}"),
                cause: Cause::Other,
            };
            let element = value.ty().element().cloned().unwrap_or(Type::Dynamic);
            let is_unknown = elements.iter().any(|element| !element.is_known());
            // A set of nothing but nulls has elements of no type.
            let is_of_keys = element == Type::String || (element == Type::Dynamic && is_unknown);
            if !elements.is_empty() && !is_of_keys {
                return Err(unsuitable(format!(
                    "\"for_each\" supports maps and sets of strings, but you have provided a set containing type {}.",
                    element.friendly_name()
                )));
            }
            // Elements are keys, so a single unknown one hides how many instances there are.
            if is_unknown {
                return Err(unknown());
            }
            let keys =
                elements.iter().map(|element| element.as_str().map(|key| (key.to_owned(), element.clone())));
            keys.collect::<Option<_>>()
                .ok_or_else(|| unsuitable("\"for_each\" sets must not contain null values.".to_owned()))
        }
        _ => match value.ty() {
            Type::Set(_) if !matches!(value.ty().element(), Some(Type::String | Type::Dynamic)) => {
                Err(Problem {
                    summary: "Invalid for_each set argument",
                    detail: format!(
                        "The given \"for_each\" argument value is unsuitable: \"for_each\" supports maps and sets of strings, but \
                     you have provided a set containing type {}.",
                        value.ty().element().map(Type::friendly_name).unwrap_or_default()
                    ),
                    cause: Cause::Other,
                })
            }
            _ => Err(unknown()),
        },
    }
}

fn unknown_detail(is_set: bool) -> String {
    // Terraform gives different advice for sets and for maps.
    let (what, advice) = if is_set {
        (
            "The \"for_each\" set includes values derived from resource attributes that cannot be determined until apply, and \
             so Terraform cannot determine the full set of keys that will identify the instances of this resource.",
            "When working with unknown values in for_each, it's better to use a map value where the keys are defined \
             statically in your configuration and where only the values contain apply-time results.",
        )
    } else {
        (
            "The \"for_each\" map includes keys derived from resource attributes that cannot be determined until apply, and \
             so Terraform cannot determine the full set of keys that will identify the instances of this resource.",
            "When working with unknown values in for_each, it's better to define the map keys statically in your \
             configuration and place apply-time results only in the map values.",
        )
    };
    format!(
        "{what}\n\n{advice}\n\nAlternatively, you could use the -target planning option to first apply only the resources \
         that the for_each value depends on, and then apply a second time to fully converge."
    )
}
