//! `objchange provider plan` and `apply`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use objchange_project::Interrupt;
use objchange_project::resource::ResourceConfig;
use objchange_project::session::{
    Applied, AppliedReport, Hidden, PlannedObject, Session, SessionError, StateOut, instance_address,
    warnings_or_errors,
};
use objchange_provider::client::Children;
use objchange_text::{MAX_TEXTS, json, left_out};

use super::saved_or_printed;
use super::session::{Configured, Failure};
use crate::exit::{self, FAILED, INTERRUPTED, UNUSABLE};
use crate::plan::{SubjectArgs, refused_in, show};
use crate::terminal;

/// Plan a change and check the provider's answer
#[derive(Debug, clap::Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    provider: Configured,

    #[command(flatten)]
    subject: SubjectArgs,

    /// Refresh the prior object first
    #[arg(long, requires = "prior")]
    refresh: bool,
}

/// Plan a change and apply it
#[derive(Debug, clap::Args)]
pub(super) struct ApplyArgs {
    #[command(flatten)]
    plan: PlanArgs,

    /// Apply the change; otherwise it is only planned
    #[arg(long)]
    apply: bool,

    /// Add the new object to this state file, including secrets; the old file is kept as FILE.backup
    #[arg(long, value_name = "FILE", requires = "apply")]
    state_out: Option<PathBuf>,
}

pub(super) async fn plan(
    args: &PlanArgs,
    children: &Children,
    hidden: &Hidden<'_>,
) -> Result<ExitCode, Failure> {
    let config = ResourceConfig::read(args.subject.config()).map_err(SessionError::from)?;
    let (session, planned) = planned(args, &config, children, hidden).await?;
    session.end().await?;
    warnings_or_errors(&planned.change.diagnostics, hidden)?;
    Ok(show(&args.subject, &planned.subject, &planned.shown(hidden))?)
}

async fn planned<'s, 'h>(
    args: &PlanArgs,
    config: &'s ResourceConfig,
    children: &Children,
    hidden: &'h Hidden<'h>,
) -> Result<(Session<'h>, PlannedObject<'s>), Failure> {
    let session = args.provider.start_unconfigured(children, hidden).await?;
    let provider_config = args.provider.provider_config.as_deref();
    let inputs = args.subject.inputs(args.provider.max_input);
    match PlannedObject::plan(&session, &inputs, config, provider_config, args.refresh).await {
        Ok(planned) => Ok((session, planned)),
        Err(SessionError::Resource(error)) => Err(refused_in(*error, config).into()),
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn apply(
    args: &ApplyArgs,
    (children, interrupt): (&Children, &Interrupt),
    hidden: &Hidden<'_>,
) -> Result<ExitCode, Failure> {
    // First, because an object that exists and cannot be saved is lost: nothing is applied if the state cannot be
    // written.
    let out = args.state_out.as_deref().map(StateOut::open).transpose()?;
    let config = ResourceConfig::read(args.plan.subject.config()).map_err(SessionError::from)?;
    let (session, mut planned) = planned(&args.plan, &config, children, hidden).await?;
    session.end().await?;
    warnings_or_errors(&planned.change.diagnostics, hidden)?;
    let shown = show(&args.plan.subject, &planned.subject, &planned.shown(hidden))?;
    if !args.apply {
        exit::note("nothing was changed; apply the plan with --apply");
        return Ok(shown);
    }
    // Terraform does not apply a plan that breaks the contract, either.
    if shown != ExitCode::SUCCESS {
        return Ok(shown);
    }
    let target = out.map(|out| {
        let subject = &planned.subject;
        let address = instance_address(&subject.shown_address(), &subject.resource_type);
        let address = address?;
        out.check_free(&address, args.plan.subject.inputs(args.plan.provider.max_input).prior)?;
        Ok::<_, Failure>((out, address))
    });
    let target = target.transpose()?;
    // Start another process, as Terraform does: the provider may rely only on what it put into the plan.
    let session = args.plan.provider.start(children, hidden).await?;
    // Terraform plans again while it applies, and refuses a final plan that contradicts the first one.
    planned.plan_again(&session).await?;
    let Applied { change: applied, silence } = planned.apply(&session, interrupt).await?;
    // Save first, because later steps may fail, and only the state file records the new object.
    let is_saved = target.is_none_or(|(out, address)| {
        let provider = args.plan.provider.target.binary.address();
        saved_or_printed(planned.save((out, &address), provider, &applied))
    });
    // From here on the object is in the state file, so an interrupt loses nothing.
    interrupt.allow();
    if let Some(error) = silence {
        exit::warn("the provider may have made part of the change; the result is unknown");
        return Err(error.into());
    }
    session.end().await?;
    let refused = warnings_or_errors(&applied.diagnostics, hidden);
    let report = AppliedReport::new(&planned, &applied, hidden)?;
    let is_fine = report.is_fine();
    if args.plan.subject.json {
        json::write_line(&mut io::stdout().lock(), &report)?;
    } else {
        tell(&report)?;
        refused?;
        writeln!(terminal::stdout(), "\n{}", report.outcome())?;
    }
    Ok(match (is_saved, is_fine) {
        (false, _) => ExitCode::from(UNUSABLE),
        (true, _) if interrupt.was_heard() => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::from(FAILED),
        (true, true) => ExitCode::SUCCESS,
    })
}

/// Prints how a change breaks the contract.
fn tell(report: &AppliedReport<'_>) -> io::Result<()> {
    let violations = report.violations();
    let more = left_out(violations.len(), MAX_TEXTS, "violations");
    for (violation, is_tolerated) in violations.take(MAX_TEXTS) {
        if is_tolerated { exit::warn(&violation) } else { exit::complain(&violation)? }
    }
    more.map_or(Ok(()), |more| exit::complain(&more))
}
