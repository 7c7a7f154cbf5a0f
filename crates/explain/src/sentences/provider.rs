//! Terraform's sentences about a provider, and the clause that each is about.

use crate::Clause;

/// The parts of sentences that findings print, without the provider and the address.
macro_rules! phrase {
    (write_only) => {
        "returned a value for the write-only attribute"
    };
    (planned_survival) => {
        "planned a non-null destroy value"
    };
    (replacement_nowhere) => {
        "for a non-existent attribute path"
    };
    (not_destroyed) => {
        "returned a non-null object"
    };
    (null_object) => {
        "produced a null value"
    };
    (action_changed) => {
        "changed the planned action from"
    };
    (final_plan_changed) => {
        "produced an invalid new value for"
    };
    (no_import_type) => {
        "didn't set type"
    };
    (other_import_type) => {
        "provider does not support resource type"
    };
}

/// A value for a write-only attribute.
pub const WRITE_ONLY: &str = phrase!(write_only);
/// A planned object in place of a destruction.
pub const PLANNED_SURVIVAL: &str = phrase!(planned_survival);
/// A replacement because of a path that does not exist.
pub const REPLACEMENT_NOWHERE: &str = phrase!(replacement_nowhere);
/// An object that still exists after it was destroyed.
pub const NOT_DESTROYED: &str = phrase!(not_destroyed);
/// A data source answers with no object.
pub const NULL_OBJECT: &str = phrase!(null_object);
/// The final plan has another action than the first.
pub const ACTION_CHANGED: &str = phrase!(action_changed);
/// The final plan has another value than the first.
pub const FINAL_PLAN_CHANGED: &str = phrase!(final_plan_changed);
/// An object of no type is imported.
pub const NO_IMPORT_TYPE: &str = phrase!(no_import_type);
/// An object of a type that the provider does not have is imported.
pub const OTHER_IMPORT_TYPE: &str = phrase!(other_import_type);

/// The heading where an identity is not of its type.
pub const IDENTITY_TYPE: &str = "Provider produced an identity that doesn't match the schema";
/// The heading where several objects are imported.
pub const SEVERAL_IMPORTED: &str = "Multiple import states not supported";

/// Headings without a detail.
pub(crate) const HEADINGS: [(&str, Clause); 4] = [
    ("InternalValidate", Clause::S0),
    (concat!("import of {address} ", phrase!(no_import_type)), Clause::I2),
    (concat!(phrase!(other_import_type), " {rest}"), Clause::I2),
    ("provider {provider} does not support resource type {rest}", Clause::I2),
];

/// The form of the last hole of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestForm {
    /// A place with an address, a colon, and the problem with the plan.
    PlanAt,
    /// A path, a colon, and the problem with the result; or only the problem.
    ResultAt,
    /// The address.
    Address,
    /// The address and the rest of the sentence. Without an address the sentence does not match.
    AddressFirst,
    /// An address with a path, a colon, and the problem with the type.
    TypeAt,
    /// A path as Go prints it.
    GoPath,
    /// The sentence is the words.
    Whole,
    /// As before, and a version of the schema has no upgrader.
    Upgrader,
    /// Nothing else.
    Other,
}

/// A sentence, and the clauses that it may be about, the most likely first.
pub(crate) struct Sentence {
    pub(crate) template: &'static str,
    pub(crate) clauses: &'static [Clause],
    pub(crate) rest: RestForm,
}

const fn sentence(template: &'static str, clauses: &'static [Clause], rest: RestForm) -> Sentence {
    Sentence { template, clauses, rest }
}

/// A longer sentence comes before one that is a part of it. Holes: the `provider`, the `address` of a
/// resource, an `attribute` with its address, and the `rest`.
pub(crate) const SENTENCES: &[Sentence] = {
    use Clause::*;
    &[
        sentence(
            "Provider {provider} planned an invalid value for {address} during refresh: {at}: missing required attribute {rest}",
            &[R2],
            RestForm::Other,
        ),
        sentence(
            "Provider {provider} planned an invalid value for {attribute} during refresh: The returned state contains unknown",
            &[R1],
            RestForm::Other,
        ),
        sentence(
            "Provider {provider} planned an invalid value for {attribute} during refresh: {rest}",
            &[R2],
            RestForm::TypeAt,
        ),
        sentence(
            "Provider {provider} produced an invalid nil value after apply for {rest}",
            &[A1],
            RestForm::Address,
        ),
        sentence(
            "Provider {provider} produced an invalid value after apply for {rest}",
            &[A2],
            RestForm::TypeAt,
        ),
        sentence(
            "Provider {provider} produced an invalid value for the list block {address}: {rest}",
            &[L2],
            RestForm::ResultAt,
        ),
        sentence("Provider {provider} produced an invalid value for {rest}", &[D1], RestForm::TypeAt),
        sentence("The provider for {type} produced an inconsistent result: {rest}", &[E1], RestForm::PlanAt),
        sentence(
            "The provider signaled a deferred action for \"{address}\", but in this context deferrals are disabled",
            &[P2],
            RestForm::Other,
        ),
        sentence(
            "Provider {provider} planned an invalid value for {attribute}: missing required attribute {rest}",
            &[P4],
            RestForm::Other,
        ),
        sentence("Provider {provider} planned an invalid value for {rest}", &[P5], RestForm::PlanAt),
        sentence("provider {provider} planned an invalid value for {rest}", &[P5], RestForm::PlanAt),
        sentence(
            concat!(
                "Provider {provider} has indicated \"requires replacement\" on {address} ",
                phrase!(replacement_nowhere),
                " {rest}"
            ),
            &[P6],
            RestForm::GoPath,
        ),
        sentence(
            concat!("Provider {provider} ", phrase!(planned_survival), " for {rest}"),
            &[P8],
            RestForm::Address,
        ),
        sentence(
            concat!("Provider {provider} ", phrase!(write_only), " \"{attribute}\" during planning"),
            &[P3],
            RestForm::Other,
        ),
        sentence(
            concat!("Provider {provider} ", phrase!(write_only), " \"{attribute}\" after apply"),
            &[A3],
            RestForm::Other,
        ),
        sentence(
            concat!("Provider {provider} ", phrase!(write_only), " \"{attribute}\" during refresh"),
            &[R3],
            RestForm::Other,
        ),
        sentence(
            concat!(
                "While attempting to upgrade state of resource {address}, the provider {provider} ",
                phrase!(write_only),
                " \"{attribute}\""
            ),
            &[U3],
            RestForm::Other,
        ),
        sentence(
            concat!(
                "The provider {provider} ",
                phrase!(write_only),
                " \"{attribute}\" during an across type move operation"
            ),
            &[M3],
            RestForm::Other,
        ),
        sentence(
            concat!("provider {provider} ", phrase!(write_only), " \"{attribute}\""),
            &[I4],
            RestForm::Other,
        ),
        sentence(
            "The {provider} provider upgraded the state for {address} from a previous version, but produced an invalid result: {rest}",
            &[U1, U2],
            RestForm::Other,
        ),
        sentence(
            concat!(
                "When expanding the plan for {address} to include new values learned so far during apply, provider {provider} ",
                phrase!(action_changed),
                " {rest}"
            ),
            &[F1],
            RestForm::Whole,
        ),
        sentence(
            concat!(
                "When expanding the plan for {address} to include new values learned so far during apply, provider {provider} ",
                phrase!(final_plan_changed),
                " {rest}"
            ),
            &[F2],
            RestForm::ResultAt,
        ),
        sentence(
            "has encountered a bug where a provider would mark the resource \"{address}\" as deferred during apply",
            &[F3],
            RestForm::Other,
        ),
        sentence(
            "When applying changes to {address}, provider {provider} produced an unexpected new value: {rest}",
            &[A5],
            RestForm::ResultAt,
        ),
        sentence(
            "When applying the changes to {address}, provider {provider} produced an unexpected new value: {rest}",
            &[A5],
            RestForm::ResultAt,
        ),
        // Terraform 0.12 has no colon there.
        sentence(
            "When applying changes to {address}, provider {provider} produced an unexpected new value for {rest}",
            &[A5],
            RestForm::ResultAt,
        ),
        sentence("provider {provider} produced an unexpected new value: {rest}", &[A5], RestForm::ResultAt),
        // The beginning may be cut off.
        sentence(concat!("provider {provider} ", phrase!(action_changed), " {rest}"), &[F1], RestForm::Whole),
        sentence(concat!(phrase!(action_changed), " {rest}"), &[F1], RestForm::Whole),
        sentence("produced an unexpected new value: {rest}", &[A5], RestForm::ResultAt),
        sentence("unexpected new value: {rest}", &[A5], RestForm::ResultAt),
        sentence(concat!(phrase!(final_plan_changed), " {rest}"), &[F2], RestForm::ResultAt),
        sentence(
            "Provider {provider} produced an unexpected new value for {address} during refresh.",
            &[R5],
            RestForm::Other,
        ),
        sentence(
            "After the apply operation, the provider still indicated an unknown value for {attribute}. ",
            &[A4],
            RestForm::Other,
        ),
        sentence(
            concat!("plan, the provider ", phrase!(not_destroyed), " for {address}. "),
            &[A6],
            RestForm::Other,
        ),
        sentence(
            "While attempting to import an existing object to {address}, the provider detected that no object exists",
            &[I6],
            RestForm::Other,
        ),
        sentence(
            "While attempting to import with ID {id}, the provider returned multiple",
            &[I1],
            RestForm::Other,
        ),
        sentence(
            concat!("Provider {provider} ", phrase!(null_object), " for {rest}"),
            &[D2],
            RestForm::Address,
        ),
        sentence(
            "Provider {provider} produced a value for {attribute} that is not wholly known",
            &[D3],
            RestForm::Other,
        ),
        sentence("Error validating write-only attributes: {rest}", &[A3, R3, P3], RestForm::Whole),
        sentence("failed: provider function returned an inconsistent result", &[N3], RestForm::Other),
        sentence(
            "failed: provider {provider} returned an inconsistent result: {rest}",
            &[N3],
            RestForm::Other,
        ),
        // Terraform 0.11 compares the two plans itself.
        sentence("diffs didn't match during apply. {rest}", &[F2], RestForm::Other),
        sentence(
            "failed: Plugin error: The plugin returned an unexpected error from {rest}",
            &[T1],
            RestForm::Whole,
        ),
        sentence("The plugin returned an unexpected error from {rest}", &[T1], RestForm::Whole),
        sentence(
            "The plugin encountered an error, and failed to respond to the {rest}",
            &[T2],
            RestForm::Whole,
        ),
        sentence("This is always indicative of a bug within the plugin.", &[T2], RestForm::Other),
        sentence("The {plugin} plugin crashed!", &[T2], RestForm::Other),
        sentence("Stack trace from the {plugin} plugin:", &[T2], RestForm::Other),
        sentence("rpc error: code = {code} desc = error reading from server: {rest}", &[T2], RestForm::Whole),
        // Versions before 1.0 print the error of the connection itself.
        sentence("rpc error: code = Unavailable desc = transport is closing", &[T2], RestForm::Whole),
        sentence("rpc error: code = Unavailable desc = unexpected EOF", &[T2], RestForm::Whole),
        sentence(
            "rpc error: code = Unavailable desc = all SubConns are in TransientFailure",
            &[T2],
            RestForm::Whole,
        ),
        sentence(
            "rpc error: code = Internal desc = grpc: error while marshaling: {rest}",
            &[T1],
            RestForm::Whole,
        ),
        sentence("rpc error: code = ResourceExhausted desc = grpc: {rest}", &[T1], RestForm::Whole),
        sentence(
            "rpc error: code = Unimplemented desc = unknown service tfplugin{rest}",
            &[T1],
            RestForm::Whole,
        ),
        sentence("rpc error: code = Unimplemented desc = unknown method {rest}", &[T1], RestForm::Whole),
        sentence(
            "rpc error: code = Unavailable desc = connection closed before server preface received",
            &[T2],
            RestForm::Whole,
        ),
        sentence(
            "rpc error: code = Unavailable desc = connection error: {error} dial unix {rest}",
            &[T2],
            RestForm::Whole,
        ),
        sentence(
            "rpc error: code = Unavailable desc = connection error: {error} dial tcp 127.0.0.1:{rest}",
            &[T2],
            RestForm::Whole,
        ),
        // Sentences of the SDKs.
        sentence("Missing Resource State After {call}", &[A6, A1], RestForm::Other),
        sentence(
            "unexpectedly returned no resource state after having no errors",
            &[A6, A1],
            RestForm::Other,
        ),
        sentence("Missing Resource Identity After Read", &[R4], RestForm::Other),
        sentence("Missing Resource Identity After Import", &[I3], RestForm::Other),
        sentence("Missing Resource Identity After {call}", &[A7], RestForm::Other),
        sentence(
            "no resource identity data after having no errors in the resource read",
            &[R4],
            RestForm::Other,
        ),
        sentence("no resource identity after having no errors in the resource read", &[R4], RestForm::Other),
        sentence("unexpectedly returned no resource identity {rest}", &[A7], RestForm::Whole),
        sentence("unexpectedly returned a different identity {rest}", &[R4], RestForm::Whole),
        sentence("Unexpected Identity Change", &[R4], RestForm::Other),
        sentence(
            "The provider returned a resource missing an identifier during ImportResourceState",
            &[I5],
            RestForm::Other,
        ),
        sentence("Missing Resource Import State", &[I5], RestForm::Other),
        sentence("ImportState method returned no State in response", &[I5], RestForm::Other),
        sentence(
            "however Terraform was expecting an implementation for version {rest} upgrade",
            &[U5],
            RestForm::Upgrader,
        ),
        sentence("Unable to Upgrade Resource State", &[U5], RestForm::Other),
        sentence("Unable to Read Previously Saved State for UpgradeResourceState", &[U5], RestForm::Other),
        sentence(
            "Provider {provider} produced an invalid plan for {address}, but we are tolerating it",
            &[P5],
            RestForm::Other,
        ),
        sentence(
            "Provider {provider} produced an unexpected new value for {address}, but we are tolerating it",
            &[A5],
            RestForm::Other,
        ),
        // The beginning or the end may be cut off.
        sentence("produced an invalid plan for {address}, but we are tolerating it", &[P5], RestForm::Other),
        sentence(
            "produced an unexpected new value for {address}, but we are tolerating it",
            &[A5],
            RestForm::Other,
        ),
        sentence("When expanding the plan for {rest}", &[F2, F1], RestForm::AddressFirst),
        sentence("When applying changes to {rest}", &[A5, A6, A1], RestForm::AddressFirst),
    ]
};
