//! A planned change as it is shown.

use std::io::{self, Write};

use objchange::change::{Action, PlanViolation, PlannedChange};
use objchange_hcl::SourcePlace;
use objchange_plan::Colour;
use objchange_text::Notice;

use super::{Subject, json, text};

/// A planned change, and where its violations are in a block of configuration.
#[derive(Debug)]
pub struct ResourceReport<'a> {
    subject: &'a Subject<'a>,
    plan: &'a PlannedChange,
    places: [Vec<Option<SourcePlace>>; 2],
}

impl<'a> ResourceReport<'a> {
    /// The report of what was planned.
    pub fn new(subject: &'a Subject<'a>, plan: &'a PlannedChange) -> Self {
        let places = subject.written.as_ref().map_or_else(Default::default, |written| {
            [&plan.violations, &plan.at_apply].map(|violations| {
                written.places(&subject.request.schema, violations.iter().map(PlanViolation::path))
            })
        });
        Self { subject, plan, places }
    }

    /// Writes it as Terraform prints it, with its problems.
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn write_text(&self, out: &mut impl Write, colour: Colour) -> io::Result<()> {
        let Self { subject, plan, places } = self;
        text::write(out, colour, &subject.shown_address(), &subject.request.schema, plan, places)
    }

    /// Writes it as JSON (`schema/plan-report.schema.json`).
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        json::write(out, self.subject, self.plan, &self.places)
    }

    /// The assumptions of the plan. The JSON form lists missing references itself.
    pub fn notices(&self, is_json: bool) -> Vec<Notice> {
        let mut notices = Vec::new();
        let Some(written) = &self.subject.written else { return notices };
        let missing: Vec<&str> = written.missing.iter().map(String::as_str).collect();
        if !is_json && !missing.is_empty() {
            let missing = missing.join(", ");
            notices.push(Notice::Note(format!("not given and treated as unknown: {missing}")));
        }
        if !written.is_certain {
            let address = &written.address;
            notices.push(Notice::Note(format!("it is unknown whether configuration has {address}")));
        }
        notices.extend(written.unfollowed.notes().map(Notice::Note));
        notices
    }

    /// Whether `prevent_destroy` forbids the change.
    pub fn is_prevented(&self) -> bool {
        let destroys = !matches!(self.plan.action, Action::NoOp | Action::Create | Action::Update);
        destroys && self.subject.written.as_ref().is_some_and(|written| written.prevent_destroy)
    }

    /// Whether Terraform accepts the plan.
    pub fn is_valid(&self) -> bool {
        self.plan.violations.is_empty() || self.plan.legacy_type_system
    }
}
