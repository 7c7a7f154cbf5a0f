//! `objchange eval`: evaluates expressions.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use objchange::Value;
use objchange::value::WriteError;
use objchange_hcl::{
    Diagnostic, Environment, Expr, Functions, HiddenSource, ModuleConfig, Places, Scope, Sources, Span,
    VariableValues, asks_type, console_text, console_type, evaluate, parse_expression, variables,
};
use objchange_project::{Configuration, ConfigurationError, covers};
use objchange_text::visible_json;
use serde_json::{Value as Json, json};

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
    /// The expression; `-` reads each line of standard input as one
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

/// What expressions are evaluated with.
struct Evaluation<'a> {
    args: &'a Args,
    sources: &'a Sources,
    module: ModuleConfig,
    variables: VariableValues,
    unknown: BTreeSet<String>,
    functions: Functions,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let configuration = args.config.as_deref().map(Configuration::read).transpose().map_err(unusable)?;
    let configuration = configuration.unwrap_or_default();
    let evaluation =
        Evaluation::new(args, &configuration).map_err(|error| error_in(error, &configuration.sources))?;
    let all_right = match args.expression.as_deref() {
        Some(text) if text != "-" => evaluation.answer("(expression)", text)?,
        _ => {
            let reads_twice = evaluation.args.given.given().sources().any(|source| source == Source::Stdin);
            if reads_twice {
                return Err("standard input (-) can be read only once".into());
            }
            evaluation.answer_lines()?
        }
    };
    Ok(if all_right { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
}

impl<'a> Evaluation<'a> {
    fn new(args: &'a Args, configuration: &'a Configuration) -> Result<Self, ConfigurationError> {
        let sources = &configuration.sources;
        let problems = |found| {
            let hidden = HiddenSource::new(sources, |_, _| None, []);
            ConfigurationError::Problems { found, hidden }
        };
        let module = configuration.module()?;
        let given = args.given.given();
        let inputs = given.inputs(configuration, &module, &exit::remark)?;
        let functions = given.functions()?;
        let (variables, errors) = VariableValues::new(&module, sources, &inputs, &functions);
        if !errors.is_empty() {
            return Err(problems(errors));
        }
        let full = |name: &String| if name.contains('.') { name.clone() } else { format!("var.{name}") };
        let unknown = args.unknown.iter().map(full).collect();
        Ok(Self { args, sources, module, variables, unknown, functions })
    }

    /// Answers to each line; whether there was no error.
    fn answer_lines(&self) -> io::Result<bool> {
        let stdin = io::stdin();
        let is_terminal = stdin.is_terminal();
        let mut all_right = true;
        let mut reader = stdin.lock();
        let mut bytes = Vec::new();
        for number in 1.. {
            if is_terminal {
                write!(anstream::stderr(), "> ")?;
            }
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            let Ok(text) = std::str::from_utf8(&bytes) else {
                exit::complain(&format!("(stdin):{number}: the text is not UTF-8"))?;
                all_right = false;
                continue;
            };
            let text = text.trim_end_matches(['\n', '\r']);
            match text.trim() {
                "" => {}
                "exit" => break,
                _ => all_right &= self.answer(&format!("(stdin line {number})"), text)?,
            }
        }
        Ok(all_right)
    }

    /// Says what an expression comes to; whether it has a value.
    fn answer(&self, name: &str, text: &str) -> io::Result<bool> {
        let parsed = parse_expression(text);
        let asked = parsed.as_ref().ok().and_then(asks_type);
        let (value, found, in_file) = match &parsed {
            Ok(expr) => self.value(asked.unwrap_or(expr)),
            Err(found) => (None, found.clone(), Vec::new()),
        };
        let mut out = io::stdout().lock();
        let mut is_right = value.is_some();
        if self.args.json {
            let json = match &value {
                Some(value) if asked.is_some() => json!({"type_text": console_type(value)}).to_string(),
                Some(value) => match value_json(value) {
                    Ok(json) => json,
                    Err(error) => {
                        is_right = false;
                        let whole = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
                        let detail = match error {
                            WriteError::Infinite { .. } => {
                                "JSON has no form for the infinite number in this value.".to_owned()
                            }
                            error => format!("{error}."),
                        };
                        let found = [Diagnostic::new("Value without a JSON form", whole, detail)];
                        errors_json(text, &found, self.sources, &[])
                    }
                },
                None => errors_json(text, &found, self.sources, &in_file),
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
            let hidden = HiddenSource::new(self.sources, |_, _| None, &parsed);
            report::show(self.sources, &hidden, &in_file)?;
        }
        if let Ok(sources) = Sources::of(name, text) {
            report::show(&sources, &HiddenSource::in_expression(text), &found)?;
        }
        Ok(value.is_some())
    }

    /// The value of an expression, or what is wrong: with it, and with what it needs of the file.
    fn value(&self, expr: &Expr) -> (Option<Value>, Vec<Diagnostic>, Vec<Diagnostic>) {
        let references = variables(expr);
        let Environment { variables, missing, errors, .. } =
            Environment::new(&self.module, &self.variables, references.iter().cloned(), &[], &self.functions);
        if !errors.is_empty() {
            return (None, Vec::new(), errors);
        }
        let mut missing: BTreeSet<String> =
            missing.into_iter().filter(|name| !covers(&self.unknown, name)).collect();
        let mut found = Vec::new();
        for reference in &references {
            let written = reference.to_string();
            let is_it = |name: &String| covers(&BTreeSet::from([name.clone()]), &written);
            if let Some(name) = missing.iter().find(|name| is_it(name)).cloned() {
                found.push(not_given(&name, reference.whole()));
                missing.remove(&name);
            }
        }
        // Those that only local values need.
        found.extend(missing.iter().map(|name| not_given(name, expr.span)));
        if !found.is_empty() {
            return (None, found, Vec::new());
        }
        let (value, found) = evaluate(expr, &Scope::new(&variables), &self.functions);
        if found.is_empty() { (Some(value), found, Vec::new()) } else { (None, found, Vec::new()) }
    }
}

fn not_given(name: &str, span: objchange_hcl::Span) -> Diagnostic {
    let how = match name.strip_prefix("var.") {
        Some(variable) => format!("Give it with --var {variable}=VALUE or in a --var-file, or"),
        None => "If it is not known yet,".to_owned(),
    };
    Diagnostic::new("Value not given", span, format!("{name} has no value. {how} say --unknown {name}."))
}

/// The type and the value, in the form of case files without what is marked.
///
/// # Errors
///
/// There is an infinite number in it, for which JSON has no form.
fn value_json(value: &Value) -> Result<String, WriteError> {
    let ty = value.ty();
    let text = value.to_redacted_json(ty)?;
    // The names of attributes may be what is marked.
    let ty = if value.contains_marked() { String::new() } else { format!(r#""type":{ty},"#) };
    Ok(format!(r#"{{{ty}"value":{text}}}"#))
}

fn errors_json(text: &str, found: &[Diagnostic], sources: &Sources, in_file: &[Diagnostic]) -> String {
    let expression = Sources::of("", text).unwrap_or_default();
    let (in_text, in_sources) = (expression.places(), sources.places());
    let of_text = found.iter().map(|error| error_json(error, "expression", &in_text));
    let of_files = in_file.iter().map(|error| error_json(error, "config", &in_sources));
    json!({"errors": of_text.chain(of_files).collect::<Vec<_>>()}).to_string()
}

fn error_json(error: &Diagnostic, source: &str, places: &Places<'_>) -> Json {
    let mut json = json!({
        "kind": error.kind,
        "summary": error.summary,
        "detail": error.detail,
        "source": source,
    });
    if let Some(place) = error.subject.and_then(|subject| places.find(subject)) {
        let (start, end) = (place.start(), place.end());
        json["range"] = json!([start.line, start.column, end.line, end.column]);
        if source == "config" {
            json["file"] = place.name.into();
        }
    }
    json
}
