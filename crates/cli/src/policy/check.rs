//! `objchange policy check`: what is wrong or suspicious in policies, without a plan.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use objchange_policy::rego::{
    Options, Policies, PolicyFiles, read_data, read_policies, refuse_rules_in_tests,
};
use objchange_text::style::{BAD, CHANGED};
use objchange_text::visible;

use super::ChosenRules;
use crate::clock::now_ns;
use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::terminal;

const AFTER_HELP: &str = "\
Reports what `objchange policy` would refuse: errors of the language, names that nothing defines, and fields that no plan \
has. Warns of imports that nothing uses, and of rules that are neither evaluated nor used by one that is.

Exit codes:
  0  nothing is found
  1  there is an error or a warning
  2  a file cannot be read";

/// Check policies without a plan: errors, unused imports and rules, fields that no plan has
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Folders of policies, or files
    #[arg(value_name = "DIR|FILE", required = true)]
    policies: Vec<PathBuf>,

    #[command(flatten)]
    chosen: ChosenRules,

    /// Accept policies that use the network
    #[arg(long)]
    allow_net: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let PolicyFiles { policies: files, tests } = read_policies(&args.policies).map_err(unusable)?;
    let mut options = Options::new(now_ns);
    args.chosen.set(&mut options);
    options.network = super::network(args.allow_net);
    let data = read_data(&args.chosen.data, &args.policies).map_err(unusable)?;
    (options.data, options.data_left_out) = (data.value, data.left_out);
    let mut out = terminal::stdout();
    let lints = match refuse_rules_in_tests(&tests, &options)
        .and_then(|warnings| {
            warnings.iter().for_each(|warning| exit::warn(warning));
            Policies::compile(&files, options)
        })
        .and_then(|policies| policies.lints(&files))
    {
        Ok(lints) => lints,
        Err(error) => {
            writeln!(out, "{BAD}error{BAD:#}: {}", visible(&hints::policy(&error)))?;
            return Ok(ExitCode::from(1));
        }
    };
    for lint in &lints {
        writeln!(
            out,
            "{CHANGED}warning{CHANGED:#}: {}: {} ({})",
            visible(&lint.place.to_string()),
            visible(&lint.message),
            lint.kind
        )?;
    }
    let files = objchange_text::counted(files.len(), "policy file");
    writeln!(out, "{files}: {}", objchange_text::counted(lints.len(), "warning"))?;
    out.flush()?;
    Ok(ExitCode::from(u8::from(!lints.is_empty())))
}
