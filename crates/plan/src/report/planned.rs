//! Changes that the engine has planned.

use objchange::change::{Action, DeferredReason, PlannedChange, ReplaceReason};
use objchange::schema::Block;

use super::header::ChangeContext;
use super::{Counts, Options, Outcome, Report, ReportEntry, Section, header};
use crate::document::{ChangedResource, ResourceActions};
use crate::text::Text;
use crate::walk::ObjectChange;

impl<'t> ChangedResource<'t> {
    /// What a plan document says around the values of a change that the engine has planned. The address, such as
    /// `module.web["a"].aws_instance.this[0]`, names the resource and its type.
    pub fn planned(address: &'t str, change: &PlannedChange) -> Self {
        let (resource_type, name) = type_and_name(address);
        let mut resource = Self {
            address: Text::from(address),
            mode: Text::from("managed"),
            resource_type: Text::from(resource_type),
            name: Text::from(name),
            ..Self::default()
        };
        resource.change.actions = match change.action {
            Action::Create => ResourceActions::Create,
            Action::Update => ResourceActions::Update,
            Action::Delete => ResourceActions::Delete,
            Action::DeleteThenCreate => ResourceActions::DeleteThenCreate,
            Action::CreateThenDelete => ResourceActions::CreateThenDelete,
            _ => ResourceActions::NoOp,
        };
        resource.action_reason = change.replace_reason.as_ref().map(|reason| match reason {
            ReplaceReason::Tainted => Text::from("replace_because_tainted"),
            ReplaceReason::Requested => Text::from("replace_by_request"),
            _ => Text::from("replace_because_cannot_update"),
        });
        resource
    }
}

/// The type and the name in the address of a resource instance. Keys in it may hold anything.
fn type_and_name(address: &str) -> (&str, &str) {
    let (mut dots, mut end) = ([None; 2], address.len());
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in address.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_quoted,
            b'"' => is_quoted = !is_quoted,
            b'.' if !is_quoted => (dots, end) = ([dots[1], Some(at)], address.len()),
            b'[' if !is_quoted => end = end.min(at),
            _ => {}
        }
    }
    let [before_type, before_name] = dots.map(|dot| dot.map_or(0, |dot| dot + 1));
    (&address[before_type..dots[1].unwrap_or(end)], &address[before_name..end])
}

impl<'p> Report<'p> {
    /// What is shown of a change that the engine has planned, as of a plan of this change alone. For the address see
    /// [`ChangedResource::planned`].
    pub fn of_planned_change(
        address: &'p str,
        schema: &'p Block,
        change: &PlannedChange,
        options: &Options,
    ) -> Self {
        let program = options.program.unwrap_or_default();
        let resource = ChangedResource::planned(address, change);
        let diff = ObjectChange::planned(schema, change).diff();
        let entry = ReportEntry::of_change(&resource, diff, options);
        let mut counts = Counts::default();
        let sections = match (header::is_shown(&resource), change.deferred) {
            (true, Some(reason)) => {
                let occasion = ChangeContext::Deferral(Text::from(deferral(reason)));
                let entry = ReportEntry { header: header::header(&resource, &occasion, program), ..entry };
                counts.defer = 1;
                vec![Section::DeferredChanges(vec![entry].into())]
            }
            (true, None) => {
                counts = Counts::of([&resource]);
                let summary = counts.summary(program, false);
                vec![Section::ResourceChanges(vec![entry].into()), Section::Summary(summary)]
            }
            (false, Some(_)) => vec![Section::Outcome(Outcome::NeedsAnotherPlan)],
            (false, None) => vec![Section::Outcome(Outcome::Matches)],
        };
        Self { program, mode: options.mode.unwrap_or_default(), counts, sections, ..Self::default() }
    }
}

/// The reason as plan documents write it.
fn deferral(reason: DeferredReason) -> &'static str {
    match reason {
        DeferredReason::ResourceConfigUnknown => "resource_config_unknown",
        DeferredReason::ProviderConfigUnknown => "provider_config_unknown",
        DeferredReason::AbsentPrerequisite => "absent_prereq",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::type_and_name;

    #[test]
    fn addresses_name_a_type_and_a_resource() {
        for (address, resource_type, name) in [
            ("a.b", "a", "b"),
            ("a.b[0]", "a", "b"),
            (r#"module.m["x.y[\"]."].module.n.aws_vpc.this["a.b[0]\\"]"#, "aws_vpc", "this"),
            ("data.aws_ami.x", "aws_ami", "x"),
            ("alone", "alone", "alone"),
            ("", "", ""),
        ] {
            assert_eq!(type_and_name(address), (resource_type, name), "{address}");
        }
    }
}
