//! The model of values: types, numbers, marks, unknowns and their refinements, paths, equality, set order,
//! walking and conversion; and its formats: JSON, `MessagePack` and the marker JSON of case files.
//!
//! A [`Value`] is immutable and its clone is O(1): containers are shared. Each container knows the hash of
//! its content and whether anything unknown or marked is inside, so that most questions about unchanged
//! parts are answered without walking them.
//!
//! - *Made* from Rust types ([`From`], [`Value::object`], [`Value::list`] and their like), from JSON
//!   without a declared type (`TryFrom<serde_json::Value>`), or from a format under a known [`Type`].
//! - *Looked at* with [`Value::kind`], one match for all; [`Value::as_str`] and its like for one kind;
//!   [`Value::at`] along a [`Path`]; [`Value::visit`] and [`Value::transform`] for every part.
//! - *Compared* with `==`, which compares everything, or [`Value::equals`], whose answer may be unknown.
//! - *Brought into* another type with [`Value::convert`], or, if there is a schema, with
//!   [`Block::coerce_value`](crate::schema::Block::coerce_value).
//!
//! | written by | unknown parts | marks | for |
//! |---|---|---|---|
//! | [`Value::to_json`] | an error | an error | states, as go-cty writes them |
//! | [`Value::to_msgpack`] | kept, with promises | an error | the plugin protocol |
//! | [`Value::to_marker_json`] | kept, with promises | kept, **with content** | case files |
//! | [`Value::to_redacted_json`] | kept, with promises | in place of content | reports |
//! | `Display`, `Debug` | `(known after apply)` | in place of content | people |
//!
//! ```
//! use objchange::value::Kind;
//! use objchange::{Type, Value};
//!
//! let login = Value::object([("ports", Value::list(Type::Number, [80, 443])?), ("token", Value::from("x").sensitive())]);
//! assert_eq!(login.to_string(), "{ports = [80, 443], token = (sensitive value)}");
//! let ports = match login.attribute("ports").map(Value::kind) {
//!     Some(Kind::List(ports)) => ports.len(),
//!     _ => 0,
//! };
//! assert_eq!(ports, 2);
//! // A marked value must be unmarked before it can be written, so that secrets do not leak by accident.
//! assert!(login.to_json(login.ty()).is_err());
//! # Ok::<(), objchange::value::ConstructError>(())
//! ```

mod build;
mod conform;
mod convert;
mod entries;
mod equality;
mod from;
mod from_json;
mod json;
mod kind;
mod limits;
mod marks;
mod msgpack;
mod number;
mod order;
mod path;
mod path_set;
mod read_ahead;
mod set;
mod show;
mod stack;
mod ty;
mod unify;
mod unknown;
mod walk;

use std::sync::Arc;

use smol_str::SmolStr;
use triomphe::ThinArc;

pub use build::ConstructError;
pub(crate) use build::normal_form;
pub use conform::{TypeMismatch, TypeMismatchKind};
pub(crate) use convert::place;
pub use convert::{ConvertError, ConvertErrorKind};
pub(crate) use entries::sort_by_key;
pub(crate) use equality::hasher;
pub use from::NanError;
pub use json::{ReadError, ReadErrorKind, WriteError};
pub use kind::{Kind, Map, Object};
pub use limits::TooManyImplied;
pub use marks::Marks;
pub use msgpack::{MsgpackError, MsgpackProblem, StatedTypes};
pub use number::{ArithmeticError, Number, ParseNumberError};
pub(crate) use path::{Disclosure, PathRedactor, PathTrie, StepRef};
pub use path::{ParsePathError, ParsePathErrorKind, Path, PathStack, PathStep};
pub use path_set::PathSet;
pub(crate) use read_ahead::read_ahead;
pub(crate) use set::SetMerge;
pub(crate) use show::{EPHEMERAL, SENSITIVE, nameless};
pub use ty::{ObjectType, TupleType, Type};
pub use unify::unify;
pub(crate) use unknown::set_length_range;
pub use unknown::{Bound, RefinementError, Refinements};
pub use walk::Descend;

/// A value of some [`Type`]: known, unknown or null, any part of it possibly marked.
///
/// `==` asks whether two values are *identical*: same type, content, refinements and marks at every depth.
/// [`equals`](Value::equals) is the three-valued equality of the configuration language.
///
/// ```
/// use objchange::{Type, Value};
///
/// let disk = Value::object([("name", Value::from("data")), ("size", Value::from(20))]);
/// assert_eq!(disk.attribute("size"), Some(&Value::from(20)));
/// assert_eq!(disk.equals(&Value::unknown(disk.ty().clone())), None);
/// ```
#[derive(Clone)]
pub struct Value(Repr);

/// The elements of a list, set, tuple or object, with facts about all of them.
type Seq = ThinArc<Head, Value>;
/// The entries of a map, sorted by key.
type Entries = ThinArc<Head, (SmolStr, Value)>;

#[derive(Clone)]
enum Repr {
    Null(Type),
    Unknown(Arc<Unknown>),
    Bool(bool),
    Number(Number),
    /// Always in normal form C.
    String(SmolStr),
    List(Seq),
    /// In set order, without duplicates; the elements carry no marks.
    Set(Seq),
    Tuple(Seq),
    /// One value for each attribute of the type, in its order.
    Object(Seq),
    Map(Entries),
    /// Marks are never empty, and the value inside is not marked itself (but its parts may be).
    Marked(Arc<Marked>),
}

struct Unknown {
    ty: Type,
    refinements: Refinements,
}

struct Marked {
    marks: Marks,
    value: Value,
}

/// Facts about a container that need no look at its elements.
#[derive(Debug)]
struct Head {
    /// Every element has the type that this type declares for it.
    ty: Type,
    /// The hash of the content without marks, refinements and types.
    hash: u64,
    flags: Flags,
}

/// Features that occur at or below a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Flags(u8);

impl Flags {
    const UNKNOWN: Self = Self(1);
    const MARKED: Self = Self(2);
    /// For a set: two of its elements have the same order key, so they are in the order of insertion.
    const TIED: Self = Self(4);
    /// The flags that a container has if one of its elements has them.
    const INHERITED: Self = Self(3);

    const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

const _: () = {
    assert!(size_of::<Value>() == 24);
    assert!(size_of::<Option<Value>>() == 24);
    const fn shareable<T: Send + Sync>() {}
    shareable::<Value>();
};

impl Value {
    /// The null of this type.
    pub fn null(ty: Type) -> Self {
        Self(Repr::Null(ty))
    }

    /// The unknown value of this type, about which nothing is promised.
    pub fn unknown(ty: Type) -> Self {
        Self(Repr::Unknown(Arc::new(Unknown { ty, refinements: Refinements::default() })))
    }

    /// The type of the value.
    pub fn ty(&self) -> &Type {
        match &self.0 {
            Repr::Null(ty) => ty,
            Repr::Unknown(u) => &u.ty,
            Repr::Bool(_) => &Type::Bool,
            Repr::Number(_) => &Type::Number,
            Repr::String(_) => &Type::String,
            Repr::List(s) | Repr::Set(s) | Repr::Tuple(s) | Repr::Object(s) => &s.header.header.ty,
            Repr::Map(m) => &m.header.header.ty,
            Repr::Marked(m) => m.value.ty(),
        }
    }

    /// Whether the value is null; marks do not matter.
    pub fn is_null(&self) -> bool {
        matches!(self.unmarked().0, Repr::Null(_))
    }

    /// Whether the value itself is known; null is known, and parts of a known value may be unknown.
    pub fn is_known(&self) -> bool {
        !matches!(self.unmarked().0, Repr::Unknown(_))
    }

    /// Whether neither the value nor any part of it is unknown. O(1).
    pub fn is_wholly_known(&self) -> bool {
        !self.flags().has(Flags::UNKNOWN)
    }

    /// Whether the value itself carries marks.
    pub fn is_marked(&self) -> bool {
        matches!(self.0, Repr::Marked(_))
    }

    /// Whether the value or any part of it carries marks. O(1).
    pub fn contains_marked(&self) -> bool {
        self.flags().has(Flags::MARKED)
    }

    fn flags(&self) -> Flags {
        match &self.0 {
            Repr::Null(_) | Repr::Bool(_) | Repr::Number(_) | Repr::String(_) => Flags::default(),
            Repr::Unknown(_) => Flags::UNKNOWN,
            Repr::List(s) | Repr::Set(s) | Repr::Tuple(s) | Repr::Object(s) => s.header.header.flags,
            Repr::Map(m) => m.header.header.flags,
            Repr::Marked(m) => m.value.flags().with(Flags::MARKED),
        }
    }
}
