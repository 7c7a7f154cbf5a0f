//! The types that attributes may have where nobody has the schema of a mocked provider.
//!
//! A schema converts what is written: `"10"` may become a number, `[1]` a set. A run is decided if it ends alike whatever the
//! types are, so it runs once with each of these readings. One in which it has an error is not the right one, as long as it has
//! none in another: the index of a list is an error with a set.

use std::collections::BTreeSet;

use objchange::schema::Block;
use objchange::value::Kind;
use objchange::{Type, Value};
use objchange_hcl::{Diagnostic, Span};
use smol_str::SmolStr;

use super::report::{FileReport, RunReport, TestStatus};
use crate::{ModuleDiagnostic, NOWHERE, ProviderAddress};

/// A reading of values whose types only a schema would tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Typing {
    /// As they are written.
    #[default]
    Written,
    /// Numbers and booleans are texts.
    Texts,
    /// Texts that can be are numbers and booleans.
    Scalars,
    /// Tuples and objects, as lists and objects are written, are lists and maps.
    Collections,
    /// Tuples, as lists are written, are sets.
    Sets,
}

impl Typing {
    pub(super) const OTHERS: [Self; 4] = [Self::Texts, Self::Scalars, Self::Collections, Self::Sets];

    /// An object as references see it. Parts that are lists for certain are no sets.
    pub(super) fn seen(self, schema: &Block, object: &Value, is_list: &dyn Fn(&str) -> bool) -> Value {
        if self == Self::Written {
            return object.clone();
        }
        let (plain, marks) = object.unmark();
        let Some(members) = plain.as_object() else { return object.clone() };
        let member = |(name, value): (&SmolStr, &Value)| {
            let nested = schema.block_types().iter().find(|(other, _)| other == name);
            let value = match nested {
                _ if self == Self::Sets && is_list(name) => value.clone(),
                Some((_, nested)) => self.blocks(&nested.block, value),
                None => self.converted(value),
            };
            (name.clone(), value)
        };
        Value::object(members.iter().map(member).collect::<Vec<_>>()).with_marks(marks)
    }

    /// Blocks are lists of objects in each reading but one.
    fn blocks(self, schema: &Block, value: &Value) -> Value {
        let (plain, marks) = value.unmark();
        let (Kind::List(elements) | Kind::Tuple(elements)) = plain.kind() else { return value.clone() };
        let elements = elements.iter().map(|element| self.seen(schema, element, &|_| false));
        let seen = Value::tuple(elements.collect::<Vec<_>>());
        let seen = if self == Self::Sets { as_type(seen, &Type::set(Type::Dynamic)) } else { seen };
        seen.with_marks(marks)
    }

    fn converted(self, value: &Value) -> Value {
        let (plain, marks) = value.unmark();
        let elements = |elements: &[Value]| {
            Value::tuple(elements.iter().map(|element| self.converted(element)).collect::<Vec<_>>())
        };
        let members = |members: &mut dyn Iterator<Item = (SmolStr, Value)>| {
            Value::object(members.map(|(name, member)| (name, self.converted(&member))).collect::<Vec<_>>())
        };
        let list = |made: Value| match self {
            Self::Sets => as_type(made, &Type::set(Type::Dynamic)),
            _ => as_type(made, &Type::list(Type::Dynamic)),
        };
        let converted = match plain.kind() {
            Kind::Number(_) | Kind::Bool(_) if self == Self::Texts => as_type(plain.clone(), &Type::String),
            Kind::String(_) if self == Self::Scalars => match plain.convert(&Type::Number) {
                Ok(number) => number,
                Err(_) => as_type(plain.clone(), &Type::Bool),
            },
            Kind::Tuple(parts) if matches!(self, Self::Collections | Self::Sets) => list(elements(parts)),
            Kind::Tuple(parts) => elements(parts),
            Kind::List(parts) => list(elements(parts)),
            Kind::Set(parts) => {
                let parts: Vec<Value> = parts.to_vec();
                as_type(elements(&parts), &Type::set(Type::Dynamic))
            }
            Kind::Object(object) => {
                let made = members(&mut object.iter().map(|(name, member)| (name.clone(), member.clone())));
                match self {
                    Self::Collections => as_type(made, &Type::map(Type::Dynamic)),
                    _ => made,
                }
            }
            Kind::Map(map) => {
                let made = members(&mut map.iter().map(|(name, member)| (name.clone(), member.clone())));
                as_type(made, &Type::map(Type::Dynamic))
            }
            _ => plain.clone(),
        };
        converted.with_marks(marks)
    }
}

/// A value as one of a type, or as it is where that has no such value.
fn as_type(value: Value, ty: &Type) -> Value {
    value.convert(ty).unwrap_or(value)
}

/// The report of a file: runs that end in one way with some types, and in another way with others, are undecided.
pub(super) fn settled(
    mut readings: Vec<FileReport>,
    headers: &[Span],
    providers: &BTreeSet<ProviderAddress>,
    is_strict: bool,
) -> FileReport {
    let runs = readings.first().map_or(0, |first| first.runs.len());
    let header = |run: usize| headers.get(run).copied().unwrap_or(NOWHERE);
    let settled: Vec<RunReport> =
        (0..runs).map(|run| settled_run(&mut readings, (run, header(run)), providers, is_strict)).collect();
    let mut report = readings.into_iter().next().unwrap_or_default();
    if !settled.is_empty() {
        let of_file = if report.diagnostics.has_errors() { TestStatus::Error } else { TestStatus::Skip };
        report.status = settled.iter().map(|run| run.status).max().unwrap_or_default().max(of_file);
    }
    report.runs = settled;
    report
}

fn settled_run(
    readings: &mut [FileReport],
    (run, header): (usize, Span),
    providers: &BTreeSet<ProviderAddress>,
    is_strict: bool,
) -> RunReport {
    let status = |reading: &FileReport| reading.runs.get(run).map_or(TestStatus::Error, |run| run.status);
    let has_ended = |status: TestStatus| !matches!(status, TestStatus::Error | TestStatus::Skip);
    let ended: Vec<(usize, TestStatus)> =
        readings.iter().map(status).enumerate().filter(|(_, status)| has_ended(*status)).collect();
    // The mildest is shown, so that nothing is said to fail that may hold.
    let shown = ended.iter().min_by_key(|(_, status)| *status).map_or(0, |(reading, _)| *reading);
    let mut report = readings[shown].runs.get_mut(run).map(std::mem::take).unwrap_or_default();
    let is_undecided = ended.iter().any(|(_, other)| *other != report.status);
    if is_undecided {
        let names: Vec<String> = providers.iter().map(ProviderAddress::for_display).collect();
        let detail = format!(
            "It depends on the types of attributes, such as whether one is a text or a number, and there are no schemas of {}.",
            names.join(", ")
        );
        let warning = Diagnostic::warning("Test run undecided", header, detail);
        report
            .diagnostics
            .add(ModuleDiagnostic { is_undecided: true, ..ModuleDiagnostic::new(warning, None) });
        report.undecided += 1;
        report.status = TestStatus::Undecided;
        if is_strict {
            report.diagnostics.refuse_undecided();
            report.status = TestStatus::Error;
        }
    }
    report
}
