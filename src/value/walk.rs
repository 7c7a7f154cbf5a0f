//! Walks a value, and rebuilds it with parts replaced.

use std::ops::ControlFlow;

use super::{Kind, Path, PathStack, PathStep, Repr, StepRef, Type, Value, set};

/// Whether a walk descends into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descend {
    /// Visit the parts.
    Into,
    /// Skip the parts.
    Over,
}

impl Value {
    /// Visits the value and all its parts with their paths, parents first; `visit` decides whether to
    /// descend. A marked value is visited once, with its marks on. Paths allocate nothing until one is
    /// stored.
    ///
    /// ```
    /// use objchange::Value;
    /// use objchange::value::Descend;
    ///
    /// let value = Value::object([("ports", Value::tuple([80, 443]))]);
    /// let mut paths = Vec::new();
    /// value.visit(|path, _| {
    ///     paths.push(path.to_string());
    ///     Descend::Into
    /// });
    /// assert_eq!(paths, ["", "ports", "ports[0]", "ports[1]"]);
    /// ```
    #[doc(alias = "Walk")]
    pub fn visit<'v>(&'v self, mut visit: impl FnMut(PathStack<'_>, &'v Value) -> Descend) {
        walk(self, PathStack::ROOT, &mut visit);
    }

    /// Rebuilds the value: replaces each part by the result of `change`, children first.
    ///
    /// Unchanged parts remain shared. If the elements of a collection get different types, it becomes a tuple
    /// or an object.
    ///
    /// # Errors
    ///
    /// The first error of `change`.
    ///
    /// ```
    /// use objchange::value::{ConvertError, PathStack};
    /// use objchange::{Type, Value};
    ///
    /// let numbers = |path: PathStack<'_>, part: Value| match part.as_str() {
    ///     Some(_) => part.convert_at(&Type::Number, path),
    ///     None => Ok(part),
    /// };
    /// let disk = Value::object([("sizes", Value::tuple(["20", "30"]))]);
    /// assert_eq!(disk.transform(numbers)?, Value::object([("sizes", Value::tuple([20, 30]))]));
    ///
    /// let error = Value::object([("sizes", Value::tuple(["20", "large"]))]).transform(numbers).unwrap_err();
    /// assert_eq!(error.path.to_string(), "sizes[1]");
    /// # Ok::<(), ConvertError>(())
    /// ```
    #[doc(alias = "Transform")]
    pub fn transform<E>(
        &self,
        mut change: impl FnMut(PathStack<'_>, Value) -> Result<Value, E>,
    ) -> Result<Value, E> {
        transform(self, PathStack::ROOT, &mut change)
    }

    /// The part at this path, looking through marks; `None` if the path leads nowhere.
    #[doc(alias = "Apply")]
    pub fn at(&self, path: &Path) -> Option<&Value> {
        path.steps().iter().try_fold(self, |value, step| value.step(step))
    }

    /// The part at this step.
    pub(crate) fn step(&self, step: &PathStep) -> Option<&Value> {
        self.part(self.position_of(step)?)
    }

    /// The part at this position of the container.
    pub(crate) fn part(&self, position: usize) -> Option<&Value> {
        match self.kind() {
            Kind::Map(map) => map.entries().get(position).map(|(_, value)| value),
            Kind::Object(object) => object.values().get(position),
            _ => self.as_elements()?.get(position),
        }
    }

    /// The position of the part at this step of the container.
    pub(crate) fn position_of(&self, step: &PathStep) -> Option<usize> {
        match (self.kind(), step) {
            (Kind::Object(object), PathStep::Attribute(name)) => object.object_type().position(name),
            (Kind::List(s) | Kind::Tuple(s), PathStep::Index(key)) => {
                let position = usize::try_from(key.as_number()?.as_u64()?).ok()?;
                (position < s.len()).then_some(position)
            }
            (Kind::Map(entries), PathStep::Index(key)) => entries.position(key.as_str()?),
            (Kind::Set(s), PathStep::Index(key)) => set::position(s, key),
            _ => None,
        }
    }

    /// Replaces each element or attribute of a container; returns other values as they are.
    pub(crate) fn map_children(&self, mut change: impl FnMut(&Value) -> Value) -> Value {
        self.map_steps(|_, child| change(child))
    }

    /// Like [`map_children`](Self::map_children), with the step to each child.
    pub(crate) fn map_steps(&self, mut change: impl FnMut(StepRef<'_>, &Value) -> Value) -> Value {
        let result: Result<Value, std::convert::Infallible> =
            self.try_map_steps(|step, child| Ok(change(step, child)));
        match result {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// Replaces each element or attribute of a container, unless that fails; marks stay.
    pub(crate) fn try_map_steps<E>(
        &self,
        mut change: impl FnMut(StepRef<'_>, &Value) -> Result<Value, E>,
    ) -> Result<Value, E> {
        let children: Vec<Value> = match self.unmarked().kind() {
            Kind::List(s) | Kind::Tuple(s) => s
                .iter()
                .enumerate()
                .map(|(i, v)| change(StepRef::Position(i), v))
                .collect::<Result<_, _>>()?,
            Kind::Set(s) => s.iter().map(|v| change(StepRef::Element(v), v)).collect::<Result<_, _>>()?,
            Kind::Map(m) => m.iter().map(|(k, v)| change(StepRef::Key(k), v)).collect::<Result<_, _>>()?,
            Kind::Object(o) => {
                o.iter().map(|(n, v)| change(StepRef::Attribute(n), v)).collect::<Result<_, _>>()?
            }
            _ => return Ok(self.clone()),
        };
        if std::iter::zip(self.children(), &children).all(|(before, after)| before.same_place(after)) {
            return Ok(self.clone());
        }
        Ok(self.with_children(children).with_marks(self.marks()))
    }

    /// Replaces the children of this container.
    fn with_children(&self, children: Vec<Value>) -> Value {
        match (self.kind(), self.ty()) {
            (Kind::List(_), ty) => Value::list_like(ty, children),
            (Kind::Set(_), ty) => Value::set_like(ty, children),
            (Kind::Map(m), ty) => {
                Value::map_like(ty, m.iter().map(|(k, _)| k.clone()).zip(children).collect())
            }
            (Kind::Object(_), Type::Object(ty)) => Value::object_like(ty, children),
            _ => Value::tuple(children),
        }
    }

    /// Whether both are one shared container, or equal leaves that are cheap to compare.
    pub(crate) fn same_place(&self, other: &Value) -> bool {
        match (&self.0, &other.0) {
            (Repr::Marked(a), Repr::Marked(b)) => {
                std::sync::Arc::ptr_eq(a, b) || a.marks == b.marks && a.value.same_place(&b.value)
            }
            (Repr::Unknown(a), Repr::Unknown(b)) => std::sync::Arc::ptr_eq(a, b),
            (Repr::List(a), Repr::List(b))
            | (Repr::Set(a), Repr::Set(b))
            | (Repr::Tuple(a), Repr::Tuple(b))
            | (Repr::Object(a), Repr::Object(b)) => std::ptr::addr_eq(a.as_ptr(), b.as_ptr()),
            (Repr::Map(a), Repr::Map(b)) => std::ptr::addr_eq(a.as_ptr(), b.as_ptr()),
            (Repr::Null(a), Repr::Null(b)) => a == b,
            (Repr::Bool(a), Repr::Bool(b)) => a == b,
            (Repr::Number(a), Repr::Number(b)) => a == b,
            (Repr::String(a), Repr::String(b)) => a == b,
            _ => false,
        }
    }
}

fn walk<'v>(
    value: &'v Value,
    path: PathStack<'_>,
    visit: &mut impl FnMut(PathStack<'_>, &'v Value) -> Descend,
) {
    if visit(path, value) == Descend::Over {
        return;
    }
    let path = path.hide(value.is_marked());
    let _: ControlFlow<()> = value.each_step(|step, child| {
        walk(child, path.then(step), visit);
        ControlFlow::Continue(())
    });
}

fn transform<E>(
    value: &Value,
    path: PathStack<'_>,
    change: &mut impl FnMut(PathStack<'_>, Value) -> Result<Value, E>,
) -> Result<Value, E> {
    let inner = path.hide(value.is_marked());
    let inside = value.try_map_steps(|step, child| transform(child, inner.then(step), change))?;
    change(path, inside)
}

impl Value {
    /// Each child with the step to it, until `visit` breaks.
    pub(crate) fn each_step<'v, B>(
        &'v self,
        mut visit: impl FnMut(StepRef<'_>, &'v Value) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self.kind() {
            Kind::List(s) | Kind::Tuple(s) => {
                s.iter().enumerate().try_for_each(|(i, v)| visit(StepRef::Position(i), v))
            }
            Kind::Set(s) => s.iter().try_for_each(|v| visit(StepRef::Element(v), v)),
            Kind::Map(m) => m.iter().try_for_each(|(k, v)| visit(StepRef::Key(k), v)),
            Kind::Object(o) => o.iter().try_for_each(|(n, v)| visit(StepRef::Attribute(n), v)),
            _ => ControlFlow::Continue(()),
        }
    }
}
