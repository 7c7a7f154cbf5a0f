//! Objects that imports return.

use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use super::decimal::{self, Decimal};
use super::time::{self, Moment};
use super::version::{self, Version};
use crate::value::{Code, Function, Native, Value};

/// A value of an import: a decimal number, a moment, a version.
#[derive(Clone)]
pub struct Object(pub(crate) Rc<Kind>);

pub(crate) enum Kind {
    Decimal(Decimal),
    Moment(Moment),
    Version(Version),
}

impl Object {
    pub(super) fn decimal(decimal: Decimal) -> Value {
        Value::Object(Object(Rc::new(Kind::Decimal(decimal))))
    }

    pub(super) fn moment(moment: Moment) -> Value {
        Value::Object(Object(Rc::new(Kind::Moment(moment))))
    }

    pub(super) fn version(version: Version) -> Value {
        Value::Object(Object(Rc::new(Kind::Version(version))))
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match &*self.0 {
            Kind::Decimal(_) => "decimal",
            Kind::Moment(_) => "timespace",
            Kind::Version(_) => "version",
        }
    }

    pub(crate) fn equals(&self, other: &Object) -> bool {
        match (&*self.0, &*other.0) {
            (Kind::Decimal(a), Kind::Decimal(b)) => a.order(b).is_some_and(Ordering::is_eq),
            (Kind::Moment(a), Kind::Moment(b)) => a == b,
            (Kind::Version(a), Kind::Version(b)) => a.cmp(b).is_eq(),
            _ => false,
        }
    }

    /// The member with this name.
    pub(crate) fn member(&self, name: &str) -> Option<Value> {
        let (field, methods): (_, &'static [Native]) = match &*self.0 {
            Kind::Decimal(decimal) => (decimal.field(name), &decimal::METHODS),
            Kind::Moment(moment) => (time::field(moment, name), &time::METHODS),
            Kind::Version(version) => (version.field(name), &version::METHODS),
        };
        field.or_else(|| {
            let method = methods.iter().find(|method| method.name == name)?;
            Some(Value::Function(Function(Code::Method(method, Rc::new(Value::Object(self.clone()))))))
        })
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Decimal(decimal) => write!(f, "{decimal}"),
            Kind::Moment(moment) => write!(f, "{moment:?}"),
            Kind::Version(version) => f.write_str(&version.text),
        }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
