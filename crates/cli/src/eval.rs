//! `objchange eval`: evaluates expressions.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use objchange_hcl::{HiddenSource, Sources, asks_type, console_text, console_type, parse_expression};
use objchange_project::{Configuration, Evaluation, errors_document, value_document};
use objchange_text::{BoundedLine, BoundedLines, visible_json};

use crate::configuration::{GivenArgs, error_in, report};
use crate::exit::{self, CommandError, unusable};
use crate::input::Source;

const AFTER_HELP: &str = "\
Values are printed as `terraform console` prints them; sensitive ones are hidden. `type(EXPR)` prints the type of a \
value. Without an expression, or with `-`, each line of standard input is evaluated; errors do not stop it.

--config reads the `variable` blocks, with types, defaults and sensitivity, and the local values of a file or \
module. In a directory, `terraform.tfvars` and `*.auto.tfvars` are read too; TF_VAR_… variables are not. Any other \
name is an error unless --unknown lists it.

Exit codes:
  0  every expression has a value
  1  an expression failed
  2  the input cannot be used, or the output cannot be written

Examples:
  objchange eval 'cidrsubnet(\"10.0.0.0/16\", 8, 2)'
  objchange eval 'upper(var.name)' --var name=web
  objchange eval '{ for k, v in var.tags : k => upper(v) }' --vars terraform.tfvars
  objchange eval '\"id-${aws_instance.web.id}\"' --unknown aws_instance.web
  objchange eval local.name --config main.tf --json
  objchange eval < expressions.txt";

/// Evaluate expressions of the configuration language
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The expression; `-` reads one from each line of standard input
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expression: Option<String>,

    /// A configuration file or module directory whose variables and local values the expression can use
    #[arg(long, value_name = "FILE|DIR")]
    config: Option<PathBuf>,

    #[command(flatten)]
    given: GivenArgs,

    /// Treat this name as unknown, e.g. `var.size` or `aws_instance.web`. Can be repeated
    #[arg(long, value_name = "NAME")]
    unknown: Vec<String>,

    /// Print JSON: the value of each expression, with its type unless sensitive, or the error
    #[arg(long)]
    json: bool,
}

/// Evaluates expressions and prints their values.
struct Evaluator<'a> {
    args: &'a Args,
    evaluation: Evaluation<'a>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let configuration = args.config.as_deref().map(Configuration::read).transpose().map_err(unusable)?;
    let configuration = configuration.unwrap_or_default();
    let given = args.given.given();
    let evaluation = exit::noted(Evaluation::new(&configuration, &given, &args.unknown))
        .map_err(|error| error_in(error, &configuration.sources))?;
    let evaluator = Evaluator { args, evaluation };
    let all_right = match args.expression.as_deref() {
        Some(text) if text != "-" => evaluator.answer("(expression)", text)?,
        _ => {
            let reads_twice = given.sources().any(|source| source == Source::Stdin);
            if reads_twice {
                return Err("standard input (-) can be read only once".into());
            }
            evaluator.answer_lines()?
        }
    };
    Ok(if all_right { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
}

impl Evaluator<'_> {
    /// Answers to each line; whether there was no error.
    fn answer_lines(&self) -> io::Result<bool> {
        let stdin = io::stdin();
        let is_terminal = stdin.is_terminal();
        let mut all_right = true;
        let mut lines = BoundedLines::new(stdin.lock());
        loop {
            if is_terminal {
                write!(anstream::stderr(), "> ")?;
            }
            let Some(BoundedLine { number, text }) = lines.next().transpose()? else { break };
            // Files from Windows have a carriage return before each line feed.
            match text.as_ref().map(|text| text.trim_end_matches('\r')) {
                // `exit` ends `terraform console`, too.
                Ok(text) if text.trim() == "exit" => break,
                Ok(text) => all_right &= self.answer(&format!("(stdin line {number})"), text)?,
                Err(error) => {
                    exit::complain(&format!("(stdin):{number}: {error}"))?;
                    all_right = false;
                }
            }
        }
        Ok(all_right)
    }

    /// Prints the value of an expression, or its errors. Returns whether it has a value.
    fn answer(&self, name: &str, text: &str) -> io::Result<bool> {
        let sources = self.evaluation.sources;
        let parsed = parse_expression(text);
        // The function `type` exists in `terraform console` alone, not in configuration.
        let asked = parsed.as_ref().ok().and_then(asks_type);
        let (value, found, in_file) = match &parsed {
            Ok(expr) => self.evaluation.value(asked.unwrap_or(expr)),
            Err(found) => (None, found.clone(), Vec::new()),
        };
        let mut out = io::stdout().lock();
        let mut is_right = value.is_some();
        if self.args.json {
            let written = value.as_ref().map(|value| value_document(value, asked.is_some(), text));
            let json = match written {
                Some(Ok(json)) => json,
                Some(Err(error)) => {
                    is_right = false;
                    errors_document(text, &[*error], sources, &[])
                }
                None => errors_document(text, &found, sources, &in_file),
            };
            writeln!(out, "{}", visible_json(&json))?;
            out.flush()?;
            return Ok(is_right);
        }
        if let Some(value) = &value {
            writeln!(out, "{}", if asked.is_some() { console_type(value) } else { console_text(value) })?;
            out.flush()?;
        }
        if !in_file.is_empty() {
            let hidden = HiddenSource::new(sources, |_, _| None, &parsed);
            report::show(sources, &hidden, &in_file)?;
        }
        if let Ok(sources) = Sources::from_text(name, text) {
            report::show(&sources, &HiddenSource::in_expression(text), &found)?;
        }
        Ok(value.is_some())
    }
}
