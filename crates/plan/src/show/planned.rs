//! Changes that the engine has planned.

use objchange::change::{Action, DeferredReason, PlannedChange, ReplaceReason};
use objchange::schema::Block;

use super::Options;
use crate::change::ObjectChange;
use crate::diff::Diff;
use crate::document::{ChangedResource, ResourceActions};
use crate::render::{Counts, Heading, Outcome, Writer};
use crate::text::Text;

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

/// Renders a resource with what differs in it as `terraform show` prints it in a plan: a comment, its symbol and its
/// body. A resource to which nothing happens is rendered as nothing.
pub fn render_resource(resource: &ChangedResource<'_>, diff: &Diff<'_>, options: &Options) -> String {
    render(options, |writer| writer.changed(resource, Heading::Change, diff, options))
}

/// Renders a value with a name and what differs in it, as `terraform show` prints an output of a plan.
pub fn render_value(name: &str, diff: &Diff<'_>, options: &Options) -> String {
    render(options, |writer| writer.output(name, 0, diff))
}

/// Renders a change that the engine has planned as `terraform plan` prints it: the resource with what differs in it,
/// and how much that is. For the address see [`ChangedResource::planned`].
pub fn render_planned_change(
    address: &str,
    schema: &Block,
    change: &PlannedChange,
    options: &Options,
) -> String {
    let resource = ChangedResource::planned(address, change);
    let diff = ObjectChange::planned(schema, change).diff();
    let heading = match change.deferred {
        None => Heading::Change,
        Some(DeferredReason::ResourceConfigUnknown) => Heading::Deferred("resource_config_unknown"),
        Some(DeferredReason::ProviderConfigUnknown) => Heading::Deferred("provider_config_unknown"),
        Some(DeferredReason::AbsentPrerequisite) => Heading::Deferred("absent_prereq"),
        Some(_) => Heading::Deferred(""),
    };
    let mut counts = Counts::default();
    counts.add(resource.change.actions);
    render(options, |writer| {
        if !counts.any() {
            let (deferred, notice) = (change.deferred.is_some(), options.notice());
            return writer.nothing(
                options.frame(),
                Outcome { errored: false, deferred, drift: false, applyable: false, notice },
            );
        }
        writer.changed(&resource, heading, &diff, options);
        writer.line_break();
        if change.deferred.is_none() {
            writer.plan_line(&counts);
        }
    })
}

fn render(options: &Options, write: impl FnOnce(&mut Writer<'_>)) -> String {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, options.colour);
    write(&mut writer);
    // Writing to memory does not fail.
    let _ = writer.flush();
    String::from_utf8_lossy(&bytes).into_owned()
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
