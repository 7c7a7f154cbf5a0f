//! `[*]` and `.*`.

use objchange::value::{Kind, Refinements};
use objchange::{Type, Value};
use objchange_text::Span;

use super::{Evaluator, Scope, dynamic};
use crate::syntax::ast::Splat;

impl Evaluator<'_> {
    pub(super) fn splat(&mut self, splat: &Splat, span: Span, scope: &Scope<'_>) -> Value {
        let errors = self.errors();
        let source = self.value(&splat.source, scope);
        if self.failed_since(errors) {
            return dynamic();
        }
        let is_sequence = matches!(source.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_));
        let marks = source.marks();
        if source.is_null() {
            if is_sequence {
                let detail = "Splat expressions (with the * symbol) cannot be applied to null sequences.";
                self.error("Splat of null value", splat.source.span, detail);
                return dynamic();
            }
            // A null is a sequence without elements; only null sequences are errors in HCL.
            return Value::tuple::<Value>([]).with_marks(marks);
        }
        if *source.ty() == Type::Dynamic {
            return dynamic().with_marks(marks);
        }
        if !is_sequence {
            // A single value is a sequence of one, and null one of none, so the length may be unknown. The steps are
            // evaluated all the same, to find errors in them.
            let each = self.value(&splat.each, &scope.at(&source));
            let may_be_null = source.refinements().is_some_and(|promised| !promised.not_null);
            let whole = if may_be_null {
                dynamic()
            } else if self.failed_since(errors) {
                Value::unknown(Type::tuple([each.ty().clone()]))
            } else {
                Value::tuple([each])
            };
            return whole.with_marks(marks);
        }
        self.hiding(marks, |this| this.splat_sequence(splat, &source, span, scope)).with_marks(marks)
    }

    fn splat_sequence(&mut self, splat: &Splat, source: &Value, span: Span, scope: &Scope<'_>) -> Value {
        let errors = self.errors();
        let mut each = |element: &Value| self.value(&splat.each, &scope.at(element));
        match (source.ty(), source.kind()) {
            (Type::Tuple(tuple), Kind::Unknown(_)) => {
                let results = tuple.elements().iter().map(|ty| each(&Value::unknown(ty.clone())));
                super::unknown_not_null(Type::tuple(
                    results.map(|result| result.ty().clone()).collect::<Vec<_>>(),
                ))
            }
            (Type::List(element) | Type::Set(element), Kind::Unknown(promised)) => {
                let ty = Type::list(each(&Value::unknown((**element).clone())).ty().clone());
                // The length survives a splat; the elements do not.
                let kept = Refinements {
                    not_null: true,
                    length_lower: promised.length_lower,
                    length_upper: promised.length_upper,
                    ..Refinements::default()
                };
                Value::refined_unknown(ty.clone(), kept).unwrap_or_else(|_| Value::unknown(ty))
            }
            (Type::Tuple(_), Kind::Tuple(elements)) => {
                let tuple = Value::tuple(elements.iter().map(each).collect::<Vec<_>>());
                // An unknown tuple, so that nothing around it reports the missing elements: Terraform 1.11.4 and 1.15.5 give
                // one error.
                if self.failed_since(errors) { Value::unknown(tuple.ty().clone()) } else { tuple }
            }
            (Type::List(element) | Type::Set(element), Kind::List(elements) | Kind::Set(elements)) => {
                if elements.is_empty() {
                    // No element, but the steps are checked once against the element type (HCL 2.24).
                    let ty = each(&Value::unknown((**element).clone())).ty().clone();
                    return list(ty, Vec::new()).unwrap_or_else(|()| dynamic());
                }
                // Terraform repeats an error for each element: `l[*].x` gives two for two strings (Terraform 1.11.4).
                let results: Vec<Value> = elements.iter().map(each).collect();
                if self.failed_since(errors) {
                    return Value::unknown(Type::list(Type::Dynamic));
                }
                match list(Type::Dynamic, results) {
                    Ok(list) => list,
                    Err(()) => {
                        let detail = "The second level of splat expression produced elements of different types, so it \
                                      isn't possible to choose a type for the elements of the overall result.";
                        let span = Span::new(splat.marker.start, span.end);
                        self.error("Invalid nested splat expressions", span, detail);
                        dynamic()
                    }
                }
            }
            _ => dynamic(),
        }
    }
}

fn list(element: Type, elements: Vec<Value>) -> Result<Value, ()> {
    Value::list(element, elements).map_err(|_| ())
}
