//! Expressions, templates and bodies with what Terraform answers for them, where those files are at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use objchange::schema::Block;
use objchange::{Type, Value};
use objchange_hcl::{
    BaseDirectory, Diagnostic, Functions, Lines, Purpose, Scope, Variables, decode, evaluate,
    evaluate_template, parse_body, parse_expression, parse_template, references,
};
use serde::Deserialize;
use serde_json::value::RawValue;

const OPERATIONS: [&str; 4] = ["expr", "template", "decode", "for_each_variables"];

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The file in `tests/cases` (written by hand) or `tests/vectors` (what Terraform answered).
fn own(folder: &str, op: &str) -> PathBuf {
    root().join("tests").join(folder).join(format!("hcl_{op}.jsonl"))
}

fn main() -> ExitCode {
    let vectors = root().join("../shared/vectors");
    let mut trials = vec![Trial::test("own::every_summary_has_a_case", every_summary_has_a_case)];
    for op in OPERATIONS {
        for folder in ["cases", "vectors"] {
            let path = own(folder, op);
            trials.push(Trial::test(format!("own::{folder}::{op}"), move || check_file(&path, op)));
        }
    }
    for file in ["hcl-dev", "hcl-corner-dev"] {
        for op in OPERATIONS {
            let path: PathBuf = vectors.join(format!("{file}.jsonl"));
            let is_absent = !path.exists();
            let test = Trial::test(format!("{file}::{op}"), move || check_file(&path, op));
            trials.push(test.with_ignored_flag(is_absent));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

#[derive(Deserialize)]
struct Case<'a> {
    id: String,
    op: String,
    expr: Option<String>,
    template: Option<String>,
    body: Option<String>,
    #[serde(default)]
    schema: Option<Block>,
    /// What file functions find.
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(borrow, default)]
    variables: BTreeMap<String, Typed<'a>>,
    want: Want<'a>,
}

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(rename = "type")]
    ty: Type,
    #[serde(borrow)]
    value: &'a RawValue,
}

#[derive(Deserialize)]
struct Want<'a> {
    #[serde(rename = "type")]
    ty: Option<Type>,
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<&'a RawValue>,
    errors: Option<Vec<Error>>,
    for_each: Option<Vec<String>>,
    #[serde(default)]
    all: Vec<String>,
    #[serde(default)]
    decode: Vec<String>,
    #[serde(default)]
    block: Vec<String>,
}

/// A wanted null is there, other than one that is missing.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Error {
    range: [u32; 4],
    summary: String,
}

fn errors(text: &str, diagnostics: &[Diagnostic]) -> Vec<Error> {
    let lines = Lines::new(text);
    let mut errors: Vec<Error> = diagnostics
        .iter()
        .map(|diagnostic| {
            let (start, end) =
                (lines.position(diagnostic.subject.start), lines.position(diagnostic.subject.end));
            let range = [start.line, start.column, end.line, end.column];
            Error { range, summary: diagnostic.summary.to_string() }
        })
        .collect();
    errors.sort();
    errors
}

impl Case<'_> {
    fn text(&self) -> &str {
        self.expr.as_deref().or(self.template.as_deref()).or(self.body.as_deref()).unwrap()
    }

    /// The type of the wanted value.
    fn ty(&self) -> Type {
        self.want.ty.clone().unwrap_or_else(|| self.schema.as_ref().unwrap().implied_type().clone())
    }
}

/// All functions, those for files where the case has some.
fn functions(case: &Case<'_>) -> Functions {
    let functions = Functions::pure().clone().with_plan_time("2026-01-02T03:04:05Z");
    if case.files.is_empty() {
        return functions;
    }
    let base = std::env::temp_dir().join(format!("objchange-vectors-{}", std::process::id())).join(&case.id);
    for (path, text) in &case.files {
        let path = base.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    functions.with_files(&BaseDirectory::open(base).unwrap())
}

/// What came of a case: a value, or errors.
fn answer(case: &Case<'_>) -> Result<Value, Vec<Error>> {
    let variables: Variables = case
        .variables
        .iter()
        .map(|(name, typed)| (name.clone(), Value::from_marker_json(typed.value.get(), &typed.ty).unwrap()))
        .collect();
    let scope = Scope::new(&variables);
    let text = case.text();
    if let (Some(body), Some(schema)) = (&case.body, &case.schema) {
        let parsed = parse_body(body).map_err(|found| errors(text, &found))?;
        let decoded = decode(&parsed, schema, &scope, &functions(case));
        return if decoded.errors.is_empty() {
            Ok(decoded.value)
        } else {
            Err(errors(text, &decoded.errors))
        };
    }
    let parsed = if case.expr.is_some() { parse_expression(text) } else { parse_template(text) };
    let parsed = parsed.map_err(|found| errors(text, &found))?;
    let evaluate = if case.expr.is_some() { evaluate } else { evaluate_template };
    let (value, found) = evaluate(&parsed, &scope, &functions(case));
    if found.is_empty() { Ok(value) } else { Err(errors(text, &found)) }
}

/// What is needed for each purpose.
fn needs(case: &Case<'_>) -> Result<[Vec<String>; 4], Vec<Error>> {
    let text = case.text();
    let body = parse_body(text).map_err(|found| errors(text, &found))?;
    let purposes = [Purpose::Expansion, Purpose::Everything, Purpose::Unexpanded, Purpose::Core];
    Ok(purposes.map(|purpose| {
        let found = references(&body, case.schema.as_ref().unwrap(), purpose);
        let sorted: BTreeSet<String> = found.iter().map(ToString::to_string).collect();
        sorted.into_iter().collect()
    }))
}

fn difference(case: &Case<'_>) -> Option<String> {
    if case.op == "for_each_variables" {
        let Want { for_each, all, decode, block, errors, .. } = &case.want;
        let want = match errors {
            Some(errors) => format!("{errors:?}"),
            None => format!("{:?}", [for_each.as_ref()?, all, decode, block]),
        };
        let got = needs(case).map_or_else(|errors| format!("{errors:?}"), |needs| format!("{needs:?}"));
        return (got != want).then(|| format!("want {want}\n   got  {got}"));
    }
    match (answer(case), &case.want.errors) {
        (Err(got), Some(want)) => (got != *want).then(|| format!("want {want:?}\n   got  {got:?}")),
        (Err(got), None) => Some(format!("want a value\n   got  {got:?}")),
        (Ok(value), Some(want)) => Some(format!(
            "want {want:?}\n   got  {}",
            value.to_marker_json(&Type::Dynamic).unwrap_or_default()
        )),
        (Ok(value), None) => {
            let ty = case.ty();
            let want = Value::from_marker_json(case.want.value.unwrap().get(), &ty).unwrap();
            (value != want).then(|| {
                let shown = |value: &Value| value.to_marker_json(&Type::Dynamic).unwrap_or_default();
                format!("want {}\n   got  {}", shown(&want), shown(&value))
            })
        }
    }
}

/// Cases that are answered otherwise on purpose: negative zero is zero here, also for `format`.
const DEPARTURES: [&str; 1] = ["expr-corner-2477"];

fn check_file(path: &Path, op: &str) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in fs::read_to_string(path)?.lines() {
        if !line.contains(&format!("\"op\":\"{op}\"")) {
            continue;
        }
        let case: Case<'_> = serde_json::from_str(line)?;
        if case.op != op || DEPARTURES.contains(&&*case.id) {
            continue;
        }
        count += 1;
        if let Some(difference) = difference(&case) {
            wrong.push(format!("{}: {:?}\n   {difference}", case.id, case.text()));
        }
    }
    if count == 0 {
        return Err("there are no cases".into());
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{} of {count} differ\n{}", wrong.len(), wrong.join("\n")).into())
    }
}

/// The summaries that stand in the source files below a folder, as patterns: a name in braces is any word.
///
/// A summary is the first argument of what reports an error, or a constant; functions have no summaries of their own.
fn summaries(folder: &Path) -> BTreeSet<String> {
    let reports = concat!(
        r#"(?:\b(?:error|fail|failed|report|report_last|Diagnostic::new)\(|const [A-Z_]+: &str =|=>|\()\s*"#,
        r#"(?:format!\()?"([A-Z][a-z]+ [^".,:]+)"[,;]"#
    );
    let reports = regex::Regex::new(reports).unwrap();
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(summaries(&path));
        } else {
            let source = fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]").next().unwrap_or_default();
            found.extend(reports.captures_iter(source).map(|captures| captures[1].to_owned()));
        }
    }
    found
}

/// Summaries that no small case gives.
const WITHOUT_A_CASE: [&str; 1] = ["Source too long"];

fn every_summary_has_a_case() -> Result<(), Failed> {
    let mut given = BTreeSet::new();
    for op in OPERATIONS {
        for line in fs::read_to_string(own("cases", op))?.lines() {
            let case: Case<'_> = serde_json::from_str(line)?;
            given.extend(case.want.errors.into_iter().flatten().map(|error| error.summary));
        }
    }
    let any_word = regex::Regex::new(r"\\\{\w+\\\}").unwrap();
    let mut all = BTreeSet::new();
    for folder in ["syntax", "eval", "decode"] {
        all.extend(summaries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder)));
    }
    // Fewer would mean that they are written in a form that is not looked for.
    assert!(all.len() > 90, "{all:?}");
    all.retain(|summary| {
        let pattern = any_word.replace_all(&regex::escape(summary), r"\w+").into_owned();
        let pattern = regex::Regex::new(&format!("^{pattern}$")).unwrap();
        !given.iter().any(|given| pattern.is_match(given)) && !WITHOUT_A_CASE.contains(&&**summary)
    });
    if all.is_empty() { Ok(()) } else { Err(format!("without a case: {all:?}").into()) }
}
