//! The provider's answers to the configuration and the plan of an instance, and Core's checks of them.

use objchange::Value;
use objchange::change::{Action, PlanChangeError, PlanViolation, PlannedChange};
use objchange::schema::Block;
use objchange::value::{Descend, Path};
use objchange_hcl::{Decoded, Purpose, Scope, expanded_references, references};

use super::check::{ReferenceContext, check};
use super::graph::ResourceNode;
use super::inventions::decode_excusing;
use super::managed::Instance;
use super::resource::{ephemeral_refusals, value_place, without_ephemeral};
use super::walk::Walk;
use crate::Severity;
use crate::providers::refusals::refusals;
use crate::providers::{A_BUG, BrokenContract, ProvidersExt};

impl<'c> Walk<'_, 'c> {
    /// The configuration of an instance as an object, before anything of it is validated; `None` where it has errors.
    pub(crate) fn decoded_config<'r>(
        &mut self,
        instance: &Instance<'_>,
        resource: &'r ResourceNode<'c>,
        scope: &Scope<'_>,
    ) -> Option<Decoded<'r>> {
        if !self.are_expanded_references_right(instance, resource, scope) {
            return None;
        }
        let schema = &instance.schema.block;
        let (mut decoded, is_excused) = decode_excusing(&resource.body, schema, scope, self.functions);
        if is_excused {
            self.push_undecided_value(resource.config.header, &[]);
        }
        self.set_inventions_apart(&mut decoded);
        if !decoded.errors.is_empty() {
            self.found.errors(decoded.errors);
            return None;
        }
        Some(decoded)
    }

    /// The configuration of an instance as an object, if nothing is wrong with it.
    pub(crate) fn config_object<'r>(
        &mut self,
        instance: &Instance<'_>,
        resource: &'r ResourceNode<'c>,
        scope: &Scope<'_>,
    ) -> Option<Decoded<'r>> {
        let mut decoded = self.decoded_config(instance, resource, scope)?;
        if resource.is_inferred {
            // An argument with such a value is write-only, or the schema makes this an error.
            decoded.value = without_ephemeral(&decoded.value);
        }
        let address = instance.address.to_string();
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        let refused = ephemeral_refusals(&address, &instance.schema.block, &decoded.value, place);
        if refused.has_errors() {
            self.found.append(refused);
            return None;
        }
        self.validated(instance, resource, decoded)
    }

    /// Checks the references that a body has only after its dynamic blocks are expanded; the others were checked
    /// before.
    pub(crate) fn are_expanded_references_right(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
    ) -> bool {
        let config = resource.config;
        let place = ReferenceContext {
            module: self.graph.nodes[instance.index].module,
            has_count: config.count.is_some(),
            has_each: config.for_each.is_some(),
            check: config.check.as_deref(),
            ..ReferenceContext::default()
        };
        let (body, block) = (&resource.body, &instance.schema.block);
        // Instances differ only by what their dynamic blocks generate. Where the whole body is right, one check serves all
        // of them.
        let are_all_right = *self.right_references.entry(instance.index).or_insert_with(|| {
            let all = references(body, block, Purpose::Core);
            check(self.input.config, self.graph, place, &all, self.functions).errors.is_empty()
        });
        if are_all_right {
            return true;
        }
        let referenced = expanded_references(body, block, scope, self.functions);
        let errors = check(self.input.config, self.graph, place, &referenced, self.functions).errors;
        let is_right = errors.is_empty();
        self.found.errors(errors);
        is_right
    }

    /// The configuration again, if its provider finds nothing wrong with it.
    pub(crate) fn validated<'r>(
        &mut self,
        instance: &Instance<'_>,
        resource: &'r ResourceNode<'c>,
        decoded: Decoded<'r>,
    ) -> Option<Decoded<'r>> {
        let address = instance.address.to_string();
        self.secrets.learn(&instance.schema.block, &decoded.value);
        let kind = super::graph::schema_kind(resource.name.mode);
        let plain = decoded.value.unmark_deep().0;
        let mut found =
            self.providers.validate(instance.provider, kind, &resource.name.resource_type, &plain);
        // Validation has seen no values of variables yet, so that a null may only be found here.
        if self.providers.is_simulated(instance.provider) {
            let provider = &instance.provider.provider;
            let refusals = refusals(self.input.schemas, provider, &instance.schema.block, &plain);
            found.extend(self.certain_refusals(instance, resource, refusals));
        }
        let errors = self.found.error_count();
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        self.provider_diagnostics(found, Some(&address), Some(&place));
        let is_right = self.found.error_count() == errors;
        is_right.then_some(decoded)
    }

    pub(crate) fn refused(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        decoded: &Decoded<'_>,
        error: PlanChangeError,
    ) {
        let address = instance.address.to_string();
        match error {
            PlanChangeError::Refused(found) => {
                let place = |path: &Path| value_place(&resource.body, decoded, path);
                self.provider_diagnostics(found, Some(&address), Some(&place));
            }
            other => {
                let detail = self.secrets.hide(&format!("{address}: {other}.")).into_owned();
                self.found.error("Change cannot be planned", resource.config.header, detail);
            }
        }
    }

    /// Reports an object with an infinite number, which no state can hold.
    pub(crate) fn is_infinite(&mut self, address: &str, object: &Value) -> bool {
        let is_infinite = has_infinity(object);
        if is_infinite {
            let summary =
                format!("failed to encode {address} in state: failed to serialize value: {NO_INFINITY}");
            self.found.without_place(Severity::Error, ("failed_to_encode_address_in_state", summary), "");
        }
        is_infinite
    }

    /// Reports what is wrong with the answer of a provider; whether it can be used.
    pub(crate) fn accepted(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        decoded: &Decoded<'_>,
        change: &PlannedChange,
    ) -> bool {
        let address = instance.address.to_string();
        let place = |path: &Path| value_place(&resource.body, decoded, path);
        self.provider_diagnostics(change.diagnostics.clone(), Some(&address), Some(&place));
        if change.action != Action::NoOp && self.is_infinite(&address, &change.after) {
            return false;
        }
        // Terraform only logs the violations of a provider that sets `legacy_type_system`, as those of the older SDK do: of
        // 4,310 plans by four of these, 2,068 had violations.
        if change.legacy_type_system || change.violations.is_empty() {
            return true;
        }
        // A provider may have made a value of a secret, which no mask finds then.
        let schema = &instance.schema.block;
        let objects = [&change.before, &decoded.value, &change.after];
        let has_secrets = objects.iter().any(|object| has_secrets(schema, object));
        objects.iter().for_each(|object| self.secrets.learn(schema, object));
        for violation in &change.violations {
            let (summary, detail) = match violation {
                PlanViolation::DeferralNotAllowed => {
                    let broken = BrokenContract::Deferred;
                    let said =
                        broken.diagnostic(&resource.provider_config, &address, &resource.name.resource_type);
                    self.provider_diagnostics(vec![said], None, None);
                    continue;
                }
                PlanViolation::WriteOnly(path) => {
                    let path = if has_secrets { schema.hide_keys_below(path, 0) } else { path.clone() };
                    let provider = resource.provider_config.to_string();
                    let detail = format!(
                        "Provider {provider:?} returned a value for the write-only attribute \"{address}{}\" during \
                         planning. Write-only attributes cannot be read back from the provider. {A_BUG}",
                        path.suffix()
                    );
                    ("Provider produced invalid plan", detail)
                }
                violation => {
                    let separator = if violation.path().is_root() { ": " } else { "." };
                    let said =
                        if has_secrets { without_values(schema, violation) } else { violation.to_string() };
                    let provider = resource.provider.to_string();
                    let detail = format!(
                        "Provider {provider:?} planned an invalid value for {address}{separator}{said}.\n\n{A_BUG}"
                    );
                    ("Provider produced invalid plan", detail)
                }
            };
            let detail = self.secrets.hide(&detail).into_owned();
            self.found.without_place(Severity::Error, summary, detail);
        }
        false
    }
}

/// Whether a part of an object is sensitive and has a value.
fn has_secrets(schema: &Block, object: &Value) -> bool {
    let mut found = false;
    schema.mark_hidden(object).visit(|_, part| {
        found = found || part.is_marked() && part.is_known() && !part.is_null();
        if found || !part.contains_marked() { Descend::Over } else { Descend::Into }
    });
    found
}

/// Terraform's words for a number that no document and no state can hold.
pub(crate) const NO_INFINITY: &str = "cannot serialize infinity as JSON";

/// Whether a part of a value is an infinite number, such as `1 / 0`.
pub(crate) fn has_infinity(value: &Value) -> bool {
    let mut has_infinity = false;
    value.visit(|_, part| {
        has_infinity |= part.as_number().is_some_and(|number| !number.is_finite());
        if has_infinity { Descend::Over } else { Descend::Into }
    });
    has_infinity
}

/// Describes a violation without values and keys, which a provider may have made of a secret. Names of the schema stay.
fn without_values(schema: &Block, violation: &PlanViolation) -> String {
    let path = schema.hide_keys_below(violation.path(), 0);
    match violation {
        PlanViolation::WrongType(_) => format!("{path}: the type is not that of the schema"),
        PlanViolation::Invalid(invalid) if invalid.unfit.is_none() => {
            let mut invalid = invalid.clone();
            (invalid.prior, invalid.config, invalid.planned) = (None, None, None);
            invalid.path = path;
            invalid.to_string()
        }
        PlanViolation::RequiresReplaceNowhere(_) => PlanViolation::RequiresReplaceNowhere(path).to_string(),
        violation => format!("{path}: {}", violation.kind()),
    }
}
