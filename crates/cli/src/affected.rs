//! `objchange affected`: the root modules that changed files touch.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use objchange_project::{ChangedFiles, Reason, ReasonKind, reasons_for, repository_top, root_modules};
use objchange_text::{visible, visible_json};
use serde_json::json;

use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::input::Source;
use crate::options::MaxInput;
use crate::terminal;

const AFTER_HELP: &str = "\
A root module is a directory with configuration that no other one calls, or that has a backend, a state, a lock file or \
values of variables. It is touched by changes of its files, of local modules that it calls, of files that functions such as \
`file` and `templatefile` read, of files that texts such as \"${path.module}/app.zip\" name, of values of variables in its \
directory and the folders in that, of its state, and of the lock file. Other files that providers and provisioners read are not \
found.

Anything that only a plan would know counts as touched: if a path depends on a variable, every file whose path begins alike \
may be read. A module that cannot be read is always printed.

Names are relative to the top of the repository around the current directory, as git prints them, or with --relative to the \
current directory. Without --no-renames git leaves out the old name of a file that was moved.

Exit codes:
  0  the root modules are printed, even if there are none
  2  the input cannot be used, or the output cannot be written

Examples:
  git diff --name-only --no-renames main > changed.txt && objchange affected --changed changed.txt
  git diff --name-only --no-renames -z main | objchange affected environments --why
  objchange affected --changed changed.txt --json | jq -c '[.roots[].directory]'
  objchange affected --changed changed.txt | xargs -r -d '\\n' objchange plan --fail-on delete --";

/// Print the root modules that changed files touch
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Directories in which to look for root modules, and below which
    #[arg(value_name = "DIR", default_value = ".")]
    directories: Vec<PathBuf>,

    /// A file with the names of changed files, one a line or ended by a byte 0; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    changed: PathBuf,

    /// Names of changed files are relative to the current directory, as of `git diff --relative`
    #[arg(long)]
    relative: bool,

    /// Print why each root module is touched
    #[arg(long, conflicts_with = "json")]
    why: bool,

    /// Print JSON (schema/affected.schema.json)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    max_input: MaxInput,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let source = Source::new(&args.changed);
    // Standard input is the default. Without a note the program would seem to hang.
    if source.is_terminal() {
        exit::note("the names of changed files are read from the terminal; end them with Ctrl+D");
    }
    let text = source.read_as_allowed(args.max_input.size.0);
    let text = text.map_err(|error| unusable(hints::input(&error)))?;
    let here = Path::new(".");
    // `git diff --name-only` prints paths from the top of the repository, and with `--relative` from the current
    // directory.
    let base = match args.relative {
        true => std::fs::canonicalize(here),
        false => repository_top(here),
    };
    let changed = ChangedFiles::parse(&text, &base.map_err(unusable)?)
        .map_err(|error| unusable(format!("{source}: {error}")))?;
    let roots = root_modules(&args.directories).map_err(unusable)?;
    if changed.is_empty() {
        exit::note(&format!("{source}: no file has changed"));
    }
    let mut out = terminal::stdout();
    // Root by root, so that no more than the reasons of one are in memory.
    if args.json {
        write!(out, "{{\"format_version\":\"1.0\",\"roots\":[")?;
    }
    let mut is_first = true;
    for root in roots {
        let reasons = reasons_for(&root, &changed).map_err(unusable)?;
        if reasons.is_empty() {
            continue;
        }
        let directory = root.display().to_string();
        if args.json {
            let one = json!({"directory": directory, "reasons": reasons}).to_string();
            write!(out, "{}{}", if is_first { "" } else { "," }, visible_json(&one))?;
        } else {
            writeln!(out, "{}", visible(&directory))?;
            for reason in reasons.iter().filter(|_| args.why) {
                writeln!(out, "  {}", visible(&sentence(reason)))?;
            }
        }
        is_first = false;
    }
    if args.json {
        writeln!(out, "]}}")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn sentence(reason: &Reason) -> String {
    let file = reason.file.as_deref().unwrap_or_default();
    let place = reason.place.as_deref().unwrap_or_default();
    match reason.kind {
        ReasonKind::Configuration => format!("{file} is part of its configuration"),
        ReasonKind::Variables => format!("{file} has values of variables"),
        ReasonKind::LockFile => format!("{file} locks its providers"),
        ReasonKind::State => format!("{file} is its state, or says where that is"),
        ReasonKind::ReadFile => format!("{file} is read, or may be: {place}"),
        ReasonKind::MissingModule => format!("{file} is where a missing module should be"),
        ReasonKind::UnknownPath => format!("only a plan knows which file is read: {place}"),
        ReasonKind::UnknownModule => format!("only a plan knows where {place} is"),
        ReasonKind::Unreadable => format!("it cannot be read: {place}"),
        // `ReasonKind` is `#[non_exhaustive]`, so another crate needs an arm for kinds to come.
        _ => format!("{file}: {place}"),
    }
}
