//! `objchange conform --scale`: how the cost of a provider grows with its data.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use objchange_conform::Options;
use objchange_conform::scale::{ScaleReport, Scaling, scale_all, table};
use objchange_provider::Error;
use objchange_provider::client::Children;
use objchange_text::{json, visible};

use super::{Args, FailOn};
use crate::exit::{self, CommandError};

/// Measures all selected types, and prints each as soon as it is measured.
pub(super) fn run(
    args: &Args,
    options: &Options,
    children: &Children,
) -> Result<Result<ExitCode, CommandError>, Error> {
    let runtime = super::runtime()?;
    let name = args.binary.display().to_string();
    let start = async || args.start(children).await;
    let each = |scaling: &Scaling| {
        if !args.json {
            print_table(scaling);
        }
    };
    let measured = runtime.block_on(scale_all(&name, options, start, each));
    children.kill_all();
    Ok(report(args, options, &measured?))
}

fn print_table(scaling: &Scaling) {
    if scaling.collections.is_empty() {
        return;
    }
    let mut out = crate::terminal::stdout();
    let text = table(scaling);
    for line in text.lines() {
        // A broken pipe is reported at the end.
        let _ = writeln!(out, "{}", visible(line));
    }
    let _ = writeln!(out);
}

fn report(args: &Args, options: &Options, document: &ScaleReport) -> Result<ExitCode, CommandError> {
    if args.json {
        let mut out = io::stdout().lock();
        json::write_line(&mut out, document)?;
    } else {
        document.write_summary(&mut crate::terminal::stdout())?;
    }
    let fails = args.fail_on == FailOn::Warning && !document.quadratic.is_empty();
    Ok(match options.stop.is_stopped() {
        true => ExitCode::from(exit::INTERRUPTED),
        false if fails => ExitCode::from(exit::FAILED),
        false => ExitCode::SUCCESS,
    })
}

/// The timeout of a call.
// Slow answers are the subject here, so a call gets four times as long as in other runs.
pub(super) const CALL: Duration = Duration::from_secs(120);
