//! `objchange sentinel fmt`: policies in their form.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use objchange_policy::sentinel::files::find_policies;
use objchange_text::visible;
use similar::{ChangeTag, TextDiff};

use super::files;
use crate::exit::{self, CommandError, unusable};
use crate::input::Source;
use crate::style::{BAD, FAINT, GOOD};
use crate::write_file::{Access, write_file};

const AFTER_HELP: &str = "\
Levels are indented by a tab, operators have a space on both sides, and each statement has its own line. Lists, \
maps, arguments and operators keep their line breaks, and the values of a map are aligned. Comments and literals do \
not change. Formatting twice changes nothing more, and the meaning stays the same.

The names of changed files are printed. Files with syntax errors are left alone. Files are written in UTF-8.

Exit codes:
  0  all files are formatted
  1  with --check: a file is not formatted
  2  an input cannot be read or is not a policy, or a file cannot be written

Examples:
  objchange sentinel fmt
  objchange sentinel fmt --check --diff policies/
  objchange sentinel fmt - < policy.sentinel";

/// Format policies
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Policies, or folders of them (all *.sentinel in and below them); `-` formats standard input to
    /// standard output
    #[arg(value_name = "FILE|DIR", default_value = ".")]
    files: Vec<PathBuf>,

    /// Write nothing; exit with 1 if a file would change
    #[arg(long)]
    check: bool,

    /// Show the changes
    #[arg(long)]
    diff: bool,
}

/// The outcome for a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Same,
    Changed,
    Unusable,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let sources = find_policies(&args.files).map_err(unusable)?;
    let (mut is_changed, mut is_unusable) = (false, false);
    for source in &sources {
        let outcome = format(source, args)?;
        is_changed |= outcome == Outcome::Changed;
        is_unusable |= outcome == Outcome::Unusable;
    }
    Ok(match (is_unusable, is_changed && args.check) {
        (true, _) => ExitCode::from(exit::UNUSABLE),
        (false, true) => ExitCode::from(exit::FAILED),
        (false, false) => ExitCode::SUCCESS,
    })
}

fn format(source: &Source, args: &Args) -> io::Result<Outcome> {
    let name = source.to_string();
    let (bytes, text) = match source.read_with_bytes() {
        Ok(read) => read,
        Err(error) => {
            exit::complain(&error.to_string())?;
            return Ok(Outcome::Unusable);
        }
    };
    let form = match objchange_sentinel::format(&text) {
        Ok(form) => form,
        Err(errors) => {
            files::show_errors(&name, &text, &errors)?;
            return Ok(Outcome::Unusable);
        }
    };
    // The form of a policy is UTF-8: a file in UTF-16 changes even if its text does not.
    let is_changed = form.as_bytes() != bytes;
    let mut out = crate::terminal::stdout();
    if let Source::File(path) = source
        && is_changed
    {
        if !args.check
            && let Err(error) = write_file(path, &form, Access::Usual)
        {
            exit::complain(&format!("{name}: cannot be written: {error}"))?;
            return Ok(Outcome::Unusable);
        }
        writeln!(out, "{}", visible(&name))?;
    }
    if args.diff {
        show(&mut out, &name, &text, &form)?;
    } else if *source == Source::Stdin && !args.check {
        // Not through `anstream`, which strips escape sequences: the text must keep all of its bytes.
        let mut out = io::stdout().lock();
        out.write_all(form.as_bytes())?;
        out.flush()?;
    }
    out.flush()?;
    Ok(if is_changed { Outcome::Changed } else { Outcome::Same })
}

/// Two texts that differ everywhere would take long to compare.
const MAX_COMPARE: Duration = Duration::from_secs(2);

/// Shows what changes, as `diff -u` does.
fn show(out: &mut impl Write, name: &str, old: &str, new: &str) -> io::Result<()> {
    let diff = TextDiff::configure().timeout(MAX_COMPARE).diff_lines(old, new);
    let name = visible(name);
    for (index, hunk) in diff.unified_diff().iter_hunks().enumerate() {
        if index == 0 {
            writeln!(out, "--- {name}\n+++ {name}")?;
        }
        writeln!(out, "{FAINT}{}{FAINT:#}", hunk.header())?;
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', BAD),
                ChangeTag::Insert => ('+', GOOD),
                ChangeTag::Equal => (' ', anstyle::Style::new()),
            };
            let line = change.value().trim_end_matches('\n');
            // `visible` escapes tabs, but those are how policies are indented.
            let line = line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
            writeln!(out, "{style}{sign}{line}{style:#}")?;
        }
    }
    Ok(())
}
