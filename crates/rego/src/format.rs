//! The form of the input: which fields its parts have.
//!
//! ```
//! use objchange_rego::{CompileOptions, Format, InputFormat, ObjectFormat, Program, SourceFile};
//!
//! static PET: ObjectFormat =
//!     ObjectFormat { title: "a pet", fields: &[("name", Format::Scalar), ("toys", Format::Any)] };
//! static PETS: Format = Format::List(&Format::Object(&PET));
//! let input = InputFormat {
//!     fields: vec![("pets", PETS)],
//!     documents: Vec::new(),
//!     other_forms: Vec::new(),
//! };
//! let text = "package a\n\ndeny contains pet.name if {\n\tsome pet in input.pets\n\tpet.kind == \"cat\"\n}\n";
//! let files = [SourceFile { name: "a.rego".to_owned(), text: text.to_owned() }];
//! let program = Program::compile(&files, &CompileOptions::default())?;
//! let rules: Vec<_> = program.rules().map(|rule| rule.id).collect();
//! let missing = program.missing_fields(&rules, &input, &CompileOptions::default())?;
//! assert_eq!(missing[0].field, "kind");
//! assert_eq!(missing[0].location.line, 5);
//! # Ok::<(), objchange_rego::CompileErrors>(())
//! ```

use crate::error::Location;
use crate::value::Value;

/// The form of a part of the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Format {
    /// Anything.
    Any,
    /// A text, a number or a bool.
    Scalar,
    /// One of these texts.
    Words(&'static [&'static str]),
    /// A list.
    List(&'static Format),
    /// An object whose members have free names.
    Map(&'static Format),
    /// An object with fixed fields.
    Object(&'static ObjectFormat),
}

/// An object with fixed fields.
#[derive(Debug)]
pub struct ObjectFormat {
    /// Its name in errors, such as `a change`.
    pub title: &'static str,
    /// All of its fields.
    pub fields: &'static [(&'static str, Format)],
}

/// An object may contain objects of its own format, so formats are compared by address.
impl PartialEq for ObjectFormat {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ObjectFormat {}

/// The form of the input itself.
#[derive(Debug, Clone)]
pub struct InputFormat {
    /// Its fields.
    pub fields: Vec<(&'static str, Format)>,
    /// Fields whose values are known when policies are compiled.
    pub documents: Vec<(&'static str, Value)>,
    /// Fields of other formats, which policies may be written for as well. Here they are undefined.
    pub other_forms: Vec<&'static str>,
}

/// A read of a field that the input never has.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MissingField {
    /// The place of the read.
    pub location: Location,
    /// The field; `a number`, if something is read by its position.
    pub field: String,
    /// The part of the input that lacks it.
    pub part: MissingPart,
}

/// A part of the input that lacks a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingPart {
    /// The input itself.
    Input,
    /// An object with other fields.
    Object(&'static ObjectFormat),
    /// A document whose value is known.
    Document,
    /// A list, whose elements have numbers.
    List,
    /// An object whose members have names.
    Map,
    /// A text, a number or a bool.
    Scalar,
    /// A text that is never any other than these: the field is the one that it is compared with.
    Word(&'static [&'static str]),
    /// A list that is compared with a text: the field is that text.
    WholeList,
}
