//! A planned change as it is shown.

use std::io;
use std::process::ExitCode;

use objchange::change::{Action, PlanViolation, PlannedChange};

use super::subject::{Subject, SubjectArgs};
use super::{json, text};
use crate::exit;

/// Shows what was planned: the code says whether anything is against it.
pub(crate) fn show(args: &SubjectArgs, subject: &Subject<'_>, plan: &PlannedChange) -> io::Result<ExitCode> {
    let (schema, written) = (&subject.request.schema, &subject.written);
    let places = written.as_ref().map_or_else(Default::default, |written| {
        [&plan.violations, &plan.at_apply]
            .map(|violations| written.places(schema, violations.iter().map(PlanViolation::path)))
    });
    if args.json {
        let missing = written.as_ref().map(|written| &written.missing);
        json::write(&subject.resource_type, subject.address.as_deref(), schema, plan, missing, &places)?;
    } else {
        text::write(&subject.shown_address(), schema, plan, &places)?;
        let missing = written.iter().flat_map(|written| &written.missing);
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            exit::note(&format!("not given, so taken as not known yet: {}", missing.join(", ")));
        }
    }
    for written in written.iter().filter(|written| !written.is_certain) {
        exit::note(&format!("it is not known yet whether configuration has {}", written.address));
    }
    let unfollowed = written.iter().flat_map(|written| written.unfollowed.notes());
    unfollowed.for_each(|note| exit::note(&note));
    let destroys = !matches!(plan.action, Action::NoOp | Action::Create | Action::Update);
    let is_prevented = destroys && written.as_ref().is_some_and(|written| written.prevent_destroy);
    if is_prevented {
        exit::complain("the object cannot be destroyed: lifecycle.prevent_destroy forbids it")?;
    }
    let is_valid = plan.violations.is_empty() || plan.legacy_type_system;
    Ok(if is_valid && !is_prevented { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
}
