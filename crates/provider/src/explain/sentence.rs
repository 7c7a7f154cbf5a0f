//! The sentences in which Terraform complains of a provider, and the clause that each is about.

use super::place::{address_and_path, place};
use super::said::{Statement, said_of_plan, said_of_result};
use super::template::matched;
use super::trouble::Trouble;
use crate::conform::Clause;

/// How the last hole of a sentence is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// A place with an address, a colon, and what is wrong with the plan there.
    PlanAt,
    /// A path, a colon, and what is wrong with the result there; or the latter alone.
    ResultAt,
    /// The address.
    Address,
    /// Nothing that would have to be read.
    Other,
}

struct Sentence {
    template: &'static str,
    clauses: &'static [Clause],
    rest: Rest,
}

const fn of(template: &'static str, clauses: &'static [Clause], rest: Rest) -> Sentence {
    Sentence { template, clauses, rest }
}

/// What is longer stands before what is a part of it. Holes: the `provider`, the `address` of a resource, an `attribute` with
/// its address, and the `rest`.
const SENTENCES: &[Sentence] = {
    use Clause::*;
    &[
        of(
            "Provider {provider} planned an invalid value for {address} during refresh: {at}: missing required attribute {rest}",
            &[R2],
            Rest::Other,
        ),
        of(
            "Provider {provider} planned an invalid value for {attribute} during refresh: {rest}",
            &[R1],
            Rest::Other,
        ),
        of(
            "Provider {provider} planned an invalid value for {attribute}: missing required attribute {rest}",
            &[P4],
            Rest::Other,
        ),
        of("Provider {provider} planned an invalid value for {rest}", &[P5], Rest::PlanAt),
        of("provider {provider} planned an invalid value for {rest}", &[P5], Rest::PlanAt),
        of(
            "Provider {provider} has indicated \"requires replacement\" on {address} for a non-existent attribute path {rest}",
            &[P6],
            Rest::Other,
        ),
        of("Provider {provider} planned a non-null destroy value for {rest}", &[P8], Rest::Address),
        of(
            "Provider {provider} returned a value for the write-only attribute \"{attribute}\" during planning",
            &[P3],
            Rest::Other,
        ),
        of(
            "Provider {provider} returned a value for the write-only attribute \"{attribute}\" after apply",
            &[A3],
            Rest::Other,
        ),
        of(
            "Provider {provider} returned a value for the write-only attribute \"{attribute}\" during refresh",
            &[R3],
            Rest::Other,
        ),
        of(
            "While attempting to upgrade state of resource {address}, the provider {provider} returned a value for the write-only attribute \"{attribute}\"",
            &[U3],
            Rest::Other,
        ),
        of(
            "The provider {provider} returned a value for the write-only attribute \"{attribute}\" during an across type move operation",
            &[M3],
            Rest::Other,
        ),
        of(
            "provider {provider} returned a value for the write-only attribute \"{attribute}\"",
            &[I4],
            Rest::Other,
        ),
        of(
            "The {provider} provider upgraded the state for {address} from a previous version, but produced an invalid result: {rest}",
            &[U1, U2],
            Rest::Other,
        ),
        of(
            "When expanding the plan for {address} to include new values learned so far during apply, provider {provider} changed the planned action from {rest}",
            &[F1],
            Rest::Other,
        ),
        of(
            "When expanding the plan for {address} to include new values learned so far during apply, provider {provider} produced an invalid new value for {rest}",
            &[F2],
            Rest::ResultAt,
        ),
        of(
            "has encountered a bug where a provider would mark the resource \"{address}\" as deferred during apply",
            &[F3],
            Rest::Other,
        ),
        of(
            "When applying changes to {address}, provider {provider} produced an unexpected new value: {rest}",
            &[A5],
            Rest::ResultAt,
        ),
        of(
            "When applying the changes to {address}, provider {provider} produced an unexpected new value: {rest}",
            &[A5],
            Rest::ResultAt,
        ),
        // Terraform 0.12 has no colon there.
        of(
            "When applying changes to {address}, provider {provider} produced an unexpected new value for {rest}",
            &[A5],
            Rest::ResultAt,
        ),
        of("provider {provider} produced an unexpected new value: {rest}", &[A5], Rest::ResultAt),
        of(
            "Provider {provider} produced an unexpected new value for {address} during refresh.",
            &[R5],
            Rest::Other,
        ),
        of(
            "After the apply operation, the provider still indicated an unknown value for {attribute}. ",
            &[A4],
            Rest::Other,
        ),
        of("plan, the provider returned a non-null object for {address}. ", &[A6], Rest::Other),
        of(
            "While attempting to import an existing object to \"{address}\", the provider detected that no object exists",
            &[I6],
            Rest::Other,
        ),
        of("While attempting to import with ID {id}, the provider returned multiple", &[I1], Rest::Other),
        of("Provider {provider} produced a null value for {rest}", &[D2], Rest::Address),
        of("Provider {provider} produced a value for {address} that is not wholly known", &[D3], Rest::Other),
        of("failed: provider function returned an inconsistent result", &[N3], Rest::Other),
        of("failed: Plugin error: The plugin returned an unexpected error from {rest}", &[T1], Rest::Other),
        of("The plugin returned an unexpected error from {rest}", &[T1], Rest::Other),
        of("The plugin encountered an error, and failed to respond to the {rest}", &[T2], Rest::Other),
        of("This is always indicative of a bug within the plugin.", &[T2], Rest::Other),
        of("The {plugin} plugin crashed!", &[T2], Rest::Other),
        of("Stack trace from the {plugin} plugin:", &[T2], Rest::Other),
        of("rpc error: code = {code} desc = error reading from server: EOF", &[T2], Rest::Other),
        // What the SDKs say instead of Terraform.
        of("Missing Resource State After {call}", &[A6, A1], Rest::Other),
        of("unexpectedly returned no resource state after having no errors", &[A6, A1], Rest::Other),
        of("Missing Resource Identity After Read", &[R4], Rest::Other),
        of("Missing Resource Identity After Import", &[I3], Rest::Other),
        of("Missing Resource Identity After {call}", &[A7], Rest::Other),
        of("no resource identity data after having no errors in the resource read", &[R4], Rest::Other),
        of("no resource identity after having no errors in the resource read", &[R4], Rest::Other),
        of("unexpectedly returned no resource identity {rest}", &[A7], Rest::Other),
        of("unexpectedly returned a different identity {rest}", &[R4], Rest::Other),
        of("Unexpected Identity Change", &[R4], Rest::Other),
        of(
            "The provider returned a resource missing an identifier during ImportResourceState",
            &[I5],
            Rest::Other,
        ),
        of("Missing Resource Import State", &[I5], Rest::Other),
        of("ImportState method returned no State in response", &[I5], Rest::Other),
        of("Unable to Upgrade Resource State", &[U5], Rest::Other),
        of(
            "however Terraform was expecting an implementation for version {rest} upgrade",
            &[U5],
            Rest::Other,
        ),
        of("Unable to Read Previously Saved State for UpgradeResourceState", &[U5], Rest::Other),
        of(
            "Provider {provider} produced an invalid plan for {address}, but we are tolerating it",
            &[P5],
            Rest::Other,
        ),
        of(
            "Provider {provider} produced an unexpected new value for {address}, but we are tolerating it",
            &[A5],
            Rest::Other,
        ),
    ]
};

/// What a sentence tells.
#[derive(Debug, Default)]
pub(super) struct Found<'t> {
    pub(super) clauses: Vec<Clause>,
    pub(super) provider: Option<&'t str>,
    pub(super) address: Option<&'t str>,
    pub(super) path: Option<&'t str>,
    pub(super) said: Statement,
    /// The words about the value.
    pub(super) words: Option<&'t str>,
    /// Terraform goes on: the provider uses the legacy type system, or something changed outside of Terraform.
    pub(super) is_tolerated: bool,
    /// What is wrong where no clause is broken.
    pub(super) trouble: Option<Trouble>,
}

/// What a paragraph says of a provider.
pub(super) fn sentence(text: &str) -> Option<Found<'_>> {
    SENTENCES.iter().find_map(|sentence| {
        let holes = matched(sentence.template, text)?;
        let mut found = Found { clauses: sentence.clauses.to_vec(), ..Found::default() };
        found.is_tolerated =
            ["tolerating it", "during refresh."].iter().any(|end| sentence.template.ends_with(end));
        for (name, text) in holes {
            match name.as_str() {
                "provider" => found.provider = Some(text),
                "address" => found.address = Some(without_label(text)),
                "plugin" => found.provider = plugin(text),
                "attribute" => (found.address, found.path) = split(text),
                "rest" => read_rest(sentence.rest, text, &mut found),
                _ => {}
            }
        }
        Some(found)
    })
}

/// One of the problems that Terraform tolerates: `.path: what is wrong`.
pub(super) fn tolerated<'t>(text: &'t str, of: &Found<'t>) -> Found<'t> {
    let rest = if of.clauses == [Clause::P5] { Rest::PlanAt } else { Rest::ResultAt };
    let mut found = Found {
        clauses: of.clauses.clone(),
        provider: of.provider,
        address: of.address,
        is_tolerated: true,
        ..Found::default()
    };
    read_rest(rest, text, &mut found);
    found
}

/// The name of the provider whose program is called `terraform-provider-aws_v5.0.0_x5`.
fn plugin(program: &str) -> Option<&str> {
    let name = program.split_whitespace().next_back()?.rsplit(['/', '\\']).next()?;
    let name = name.strip_prefix("terraform-provider-").unwrap_or(name);
    let name = name.split("_v").next().unwrap_or(name).trim_end_matches(".exe");
    Some(name).filter(|name| !name.is_empty() && *name != "plugin")
}

/// An address without the name that the Cloud Development Kit puts behind it: `aws_disk.a (a)`.
fn without_label(address: &str) -> &str {
    match address.strip_suffix(')').and_then(|inside| inside.rsplit_once(" (")) {
        Some((address, _)) => address,
        None => address,
    }
}

fn split(text: &str) -> (Option<&str>, Option<&str>) {
    if let Some((address, rest)) = text.split_once(" (")
        && let Some((_, path)) = rest.split_once(')')
        && address_and_path(address).is_some_and(|(_, path)| path.is_empty())
        && (path.is_empty() || path.starts_with(['.', '[']))
    {
        return (Some(address), Some(path).filter(|path| !path.is_empty()));
    }
    match address_and_path(text) {
        Some((address, path)) => (Some(address), Some(path).filter(|path| !path.is_empty())),
        None => (None, Some(text)),
    }
}

fn read_rest<'t>(rest: Rest, text: &'t str, found: &mut Found<'t>) {
    // Where paragraphs ran into one another.
    let text = text.split(" This is a bug in the provider").next().unwrap_or(text).trim_end_matches('.');
    match rest {
        Rest::Other => found.words = Some(text),
        Rest::Address => found.address = Some(without_label(text)),
        Rest::PlanAt => {
            let (at, words) = place(text, &[": "]).unwrap_or(("", text));
            let (address, path) = if at.starts_with(['.', '[']) { (None, Some(at)) } else { split(at) };
            (found.address, found.path, found.words) = (address.or(found.address), path, Some(words));
            found.said = said_of_plan(words);
        }
        Rest::ResultAt => {
            let at = place(text, &[": "]).filter(|(at, _)| at.starts_with(['.', '[']));
            let (path, words) = at.map_or((None, text), |(at, words)| (Some(at), words));
            (found.path, found.words) = (path, Some(words));
            found.said = said_of_result(words);
            // Terraform 0.12 does not name the root.
            if found.path.is_none() && found.said.kind == Some("object_now_absent") {
                found.said.kind = Some("no_object");
            }
            if found.said.kind == Some("no_object") && found.clauses == [Clause::A5] {
                found.clauses = vec![Clause::A6, Clause::A1];
            }
        }
    }
}

/// What Terraform says in a heading that has no detail.
pub(super) fn heading(summary: &str) -> Option<Found<'_>> {
    let templates: [(&str, Clause); 3] = [
        ("import of {address} didn't set type", Clause::I2),
        ("provider does not support resource type {rest}", Clause::I2),
        ("provider {provider} does not support resource type {rest}", Clause::I2),
    ];
    templates.into_iter().find_map(|(template, clause)| {
        let mut found = Found { clauses: vec![clause], ..Found::default() };
        for (name, text) in matched(template, summary)? {
            match name.as_str() {
                "address" => found.address = Some(text),
                "provider" => found.provider = Some(text),
                _ => {}
            }
        }
        Some(found)
    })
}

/// Whose values may be of the wrong type.
const WRONG_TYPES: [Clause; 9] = [
    Clause::P4,
    Clause::A2,
    Clause::R2,
    Clause::U2,
    Clause::D1,
    Clause::M2,
    Clause::E2,
    Clause::I2,
    Clause::I9,
];

/// What Terraform says of a value of the wrong type: neither the resource nor the call is named.
pub(super) fn wrong_type(summary: &str) -> Option<Found<'_>> {
    let (path, words) = match place(summary, &[": "]).filter(|(at, _)| at.starts_with(['[', '.'])) {
        Some((path, words)) => (Some(path), words),
        None => (None, summary),
    };
    let is_type = ["string", "number", "bool", "list", "set", "map", "object", "tuple"]
        .iter()
        .any(|ty| words.strip_prefix("a ").unwrap_or(words).starts_with(ty));
    let is_wrong = words == "an object is required"
        || (is_type && words.ends_with(" is required"))
        || (words.starts_with("an object with ") && words.contains(" is required ("))
        || words.starts_with("unsupported attribute ")
        || (words.starts_with("attribute ") && words.ends_with(" is required"));
    let clauses = WRONG_TYPES.to_vec();
    is_wrong.then(|| Found { clauses, path, words: Some(words), ..Found::default() })
}
