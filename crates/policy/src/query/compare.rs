//! Comparisons that never hold, found before an expression is evaluated.

use cel::common::ast::{Expr, IdedExpr, LiteralValue};

use super::check::{literal, suggest};
use super::kinds::Kinds;
use super::model::Shape;

/// Why a comparison never holds.
pub(super) struct Wrong {
    pub(super) message: String,
    pub(super) help: Option<String>,
}

/// A checked part of an expression.
type Part<'e> = (Shape, &'e IdedExpr);

/// Explains an `a == b` or `a != b` with one answer for every item.
pub(super) fn wrong_equality((a, of_a): Part<'_>, (b, of_b): Part<'_>) -> Option<Wrong> {
    for ((shape, name), (other_shape, other)) in [((a, of_a), (b, of_b)), ((b, of_b), (a, of_a))] {
        let word = match shape {
            Shape::Word(words) => literal(other).and_then(|word| wrong_word(word, words)),
            Shape::Words(words) => listed(other).find_map(|word| wrong_word(word, words)),
            _ => None,
        };
        if word.is_some() {
            return word;
        }
        if shape.kinds().never_equal(other_shape.kinds()) {
            return Some(Wrong {
                message: format!("{} is never equal to {}", shape.kinds(), other_shape.kinds()),
                help: forgotten_item(name)
                    .or_else(|| forgotten_item(other))
                    .or_else(|| element(shape, other_shape)),
            });
        }
        // An empty list is equal to any empty one.
        if let (Some(elements), Some(others)) = (shape.elements(), other_shape.elements())
            && others != Kinds::NONE
            && elements != Kinds::NONE
            && elements.never_equal(others)
        {
            let message = format!(
                "an element of one list is {elements}, and of the other {others}: they are never equal"
            );
            return Some(Wrong { message, help: None });
        }
    }
    None
}

/// Explains an `element in container` with one answer for every item.
pub(super) fn wrong_containment((a, of_a): Part<'_>, (b, of_b): Part<'_>) -> Option<Wrong> {
    let word = match (a, b) {
        (_, Shape::Words(words)) => literal(of_a).and_then(|word| wrong_word(word, words)),
        (Shape::Word(words), _) => listed(of_b).find_map(|word| wrong_word(word, words)),
        _ => None,
    };
    if word.is_some() {
        return word;
    }
    if b.kinds().never_equal(Kinds::LIST.or(Kinds::MAP)) {
        let message = format!("`in` looks into a list or a map, and this is {}", b.kinds());
        let help = (b.kinds() == Kinds::STRING)
            .then(|| "`text.contains(part)` tells whether a text has a part".to_owned());
        return Some(Wrong { message, help });
    }
    let elements = b.elements().filter(|elements| *elements != Kinds::NONE)?;
    a.kinds().never_equal(elements).then(|| Wrong {
        message: format!("the list has elements that are {elements}, and never {}", a.kinds()),
        help: forgotten_item(of_a),
    })
}

/// A word that is not one of those that can be there.
fn wrong_word(word: &str, words: &[&'static str]) -> Option<Wrong> {
    if words.contains(&word) {
        return None;
    }
    let known = match word {
        // `terraform plan` prints "destroy" where its document has `delete`.
        "destroy" | "remove" => "delete",
        "noop" | "no_op" => "no-op",
        "modify" | "change" => "update",
        word => word,
    };
    let help =
        suggest(known, words.iter().copied()).unwrap_or_else(|| format!("it is one of {}", words.join(", ")));
    Some(Wrong { message: format!("this never is \"{}\"", word.escape_debug()), help: Some(help) })
}

/// The texts in a list that is written out.
fn listed(expr: &IdedExpr) -> impl Iterator<Item = &str> {
    let elements = match &expr.expr {
        Expr::List(list) => &list.elements[..],
        _ => &[],
    };
    elements.iter().filter_map(literal)
}

/// `type` alone names the type of types.
fn forgotten_item(expr: &IdedExpr) -> Option<String> {
    matches!(&expr.expr, Expr::Ident(name) if name == "type").then(|| "did you mean `rc.type`?".to_owned())
}

/// A list that is compared with what may be its element.
fn element(a: Shape, b: Shape) -> Option<String> {
    let is_element = |list: Shape, other: Shape| {
        list.elements().is_some_and(|elements| !elements.never_equal(other.kinds()))
    };
    (is_element(a, b) || is_element(b, a))
        .then(|| "`x in list` tells whether a list has the element x".to_owned())
}

/// The kind of a literal.
pub(super) fn kinds_of(literal: &LiteralValue) -> Kinds {
    match literal {
        LiteralValue::Null => Kinds::NULL,
        LiteralValue::Boolean(_) => Kinds::BOOL,
        LiteralValue::Int(_) | LiteralValue::UInt(_) | LiteralValue::Double(_) => Kinds::NUMBER,
        LiteralValue::String(_) => Kinds::STRING,
        LiteralValue::Bytes(_) => Kinds::BYTES,
    }
}

/// The shape of a function's result.
pub(super) fn shape_of_call(name: &str) -> Shape {
    match name {
        "contains" | "startsWith" | "endsWith" | "matches" | "hasValue" | "semver" | "bool" => {
            Shape::Leaf(Kinds::BOOL)
        }
        "size" | "int" | "uint" | "double" => Shape::Leaf(Kinds::NUMBER),
        "string" | "lowerAscii" | "upperAscii" | "trim" | "join" | "replace" | "substring" | "charAt" => {
            Shape::Leaf(Kinds::STRING)
        }
        "split" => Shape::List(Kinds::STRING),
        "bytes" => Shape::Leaf(Kinds::BYTES),
        "type" => Shape::Leaf(Kinds::TYPE),
        _ => Shape::Any,
    }
}
