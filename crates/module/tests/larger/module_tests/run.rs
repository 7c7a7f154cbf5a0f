//! Runs the tests of a case.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::{BaseDirectory, Functions};
use objchange_module::Schemas;
use objchange_module::config::{Files, FilesError};
use objchange_module::test::{
    Output, Stream, TestOptions, TestPrinter, TestReport, TestRunner, TestStatus, TestSuite, TestTexts,
};
use objchange_module::variables::{UnreadFile, VariableArgument, VariableSources, automatic_files};
use serde_json::Value as Json;

use super::case::{Answer, Case};

/// Runs cases.
#[derive(Debug)]
pub(crate) struct Tester {
    schemas: Schemas,
}

/// The files of a case.
struct Folder(PathBuf);

impl Files for Folder {
    fn list(&self, directory: &str) -> Result<Vec<String>, FilesError> {
        let entries = fs::read_dir(self.0.join(directory)).map_err(|error| unreadable(&error))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&error))?;
            if entry.path().is_file() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        Ok(names)
    }

    fn read(&self, path: &str) -> Result<Option<String>, FilesError> {
        let path = self.0.join(path);
        if path.is_file() {
            fs::read_to_string(path).map(Some).map_err(|error| unreadable(&error))
        } else {
            Ok(None)
        }
    }
}

fn unreadable(error: &std::io::Error) -> FilesError {
    FilesError::Unreadable(error.to_string())
}

/// The arguments of a case.
#[derive(Default)]
struct Arguments {
    test_directory: Option<String>,
    filter: Vec<String>,
    variables: VariableSources,
    verbose: bool,
    /// The first one that Terraform does not know.
    unknown: Option<String>,
}

impl Tester {
    /// With the schemas of all providers of the cases.
    pub(crate) fn new(folder: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(folder.join("schemas.json")).map_err(|error| error.to_string())?;
        let schemas = ProviderSchemas::parse(text).map_err(|error| error.to_string())?;
        Ok(Self::with(Schemas::new([schemas])))
    }

    /// With these schemas.
    pub(crate) fn with(schemas: Schemas) -> Self {
        Self { schemas }
    }

    /// Runs the tests of a case by the rules of Terraform 1.15.
    pub(crate) fn run(&self, case: &Case) -> Result<Answer, String> {
        self.run_as(case, Version::parse("1.15.5").ok_or("no such version")?)
    }

    /// Runs the case by the rules of another version.
    pub(crate) fn run_as(&self, case: &Case, version: Version) -> Result<Answer, String> {
        let files = Folder(case.directory.clone());
        let arguments = Arguments::read(case, &files)?;
        if let Some(name) = &arguments.unknown {
            return Ok(unknown_argument(name));
        }
        let manifest = fs::read_to_string(case.directory.join("modules.json")).ok();
        let test_directory = arguments.test_directory.as_deref().unwrap_or("tests");
        let texts = TestTexts {
            files: &files,
            manifest: manifest.as_deref(),
            test_directory,
            filter: &arguments.filter,
            variables: &arguments.variables,
            test_values: &values_of(&files, test_directory)?,
            version,
            terraform_version: "1.15.5",
        };
        let suite = TestSuite::load(texts);
        let schemas = self.schemas.clone().of_version(version);
        let printer = TestPrinter::new(&suite, &schemas);
        let mut outputs = printer.load_text();
        let mut messages = printer.load_messages();
        if suite.diagnostics.has_errors() {
            return Ok(answer(1, Vec::new(), &outputs, &messages, None));
        }
        let base = BaseDirectory::open(&case.directory).map_err(|error| error.to_string())?;
        let now = "2000-01-01T00:00:00Z";
        let functions = Functions::pure().clone().with_files(&base).with_plan_time(now);
        let options =
            TestOptions { verbose: arguments.verbose, now: Some(now.to_owned()), ..TestOptions::default() };
        let report: TestReport = TestRunner::new(&suite, &schemas, &functions, &options).run();
        for file in &report.files {
            outputs.extend(printer.file_text(file));
            messages.extend(printer.file_messages(file));
        }
        outputs.extend(printer.summary_text(&report));
        messages.extend(printer.summary_messages(&report));
        let runs = report.files.iter().flat_map(|file| {
            file.runs.iter().map(|run| [file.path.clone(), run.name.clone(), run.status.name().to_owned()])
        });
        let junit = printer.junit(&report, &|_| "2000-01-01T00:00:00Z".to_owned());
        let exit = u8::from(report.status() > TestStatus::Pass);
        Ok(answer(exit, runs.collect(), &outputs, &messages, Some(junit)))
    }
}

fn answer(
    exit: u8,
    runs: Vec<[String; 3]>,
    outputs: &[Output],
    messages: &[Json],
    junit: Option<String>,
) -> Answer {
    let text: String = outputs.iter().map(|output| output.text.as_str()).collect();
    let errors: String = outputs
        .iter()
        .filter(|output| output.stream == Stream::Err)
        .map(|output| output.text.as_str())
        .collect();
    let messages: Vec<String> = messages.iter().map(ToString::to_string).collect();
    let messages = without_random(&messages.join("\n"));
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let out: String = outputs
        .iter()
        .filter(|output| output.stream == Stream::Out)
        .map(|output| output.text.as_str())
        .collect();
    Answer {
        exit,
        runs,
        out: without_random(&out),
        text: Some(without_random(&text)),
        errors: Some(without_random(&errors)),
        messages: Some(messages),
        junit,
    }
}

/// The text with numbers in place of what is another one each time: UUIDs, and identifiers of the null provider.
pub(crate) fn without_random(text: &str) -> String {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let mut flush = |word: &mut String, out: &mut String| {
        let is_uuid = word.len() == 36
            && word.char_indices().all(|(i, c)| match i {
                8 | 13 | 18 | 23 => c == '-',
                _ => c.is_ascii_hexdigit(),
            });
        let is_number = (17..=19).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
        if is_uuid || is_number {
            let same = known.keys().filter(|other| other.len() == 36).count();
            let same = if is_uuid { same } else { known.len() - same };
            let number = *known.entry(word.clone()).or_insert(same + 1);
            match is_uuid {
                true => out.push_str(&format!("00000000-0000-4000-8000-{number:012}")),
                false => out.push_str(&format!("1{number:018}")),
            }
        } else {
            out.push_str(word);
        }
        word.clear();
    };
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '-' {
            word.push(c);
        } else {
            flush(&mut word, &mut out);
            out.push(c);
        }
    }
    flush(&mut word, &mut out);
    out
}

/// As the program answers to an argument that Terraform does not know.
fn unknown_argument(name: &str) -> Answer {
    let text = format!(
        "\nError: Failed to parse command-line flags\n\nflag provided but not defined: {name}\n\nFor more help on using this \
         command, run:\n  terraform test -help\n"
    );
    Answer { exit: 1, text: Some(text.clone()), errors: Some(text), ..Answer::default() }
}

/// The files of the test directory that give values to variables.
fn values_of(files: &Folder, directory: &str) -> Result<Vec<(String, String)>, String> {
    let names = files.list(directory).unwrap_or_default();
    automatic_files(names.iter().map(String::as_str))
        .into_iter()
        .map(|name| {
            let path = format!("{directory}/{name}");
            let text = files.read(&path).map_err(|error| error.to_string())?.unwrap_or_default();
            Ok((path, text))
        })
        .collect()
}

impl Arguments {
    fn read(case: &Case, files: &Folder) -> Result<Self, String> {
        let mut arguments = Self::default();
        let sources = &mut arguments.variables;
        for word in &case.run.args {
            let (name, value) = word.split_once('=').unwrap_or((word.as_str(), ""));
            let value = value.to_owned();
            match name {
                "-test-directory" => arguments.test_directory = Some(value),
                "-filter" => arguments.filter.push(value),
                "-verbose" => arguments.verbose = true,
                "-json" | "-junit-xml" => {}
                "-var" => sources.arguments.push(VariableArgument::Value(value)),
                "-var-file" => {
                    let text = match files.read(&value) {
                        Ok(Some(text)) => Ok(text),
                        Ok(None) => Err(UnreadFile::Missing),
                        Err(error) => Err(UnreadFile::Other(error.to_string())),
                    };
                    sources.arguments.push(VariableArgument::File(value, text));
                }
                name if name.starts_with('-') => arguments.unknown = Some(name.to_owned()),
                _ => {}
            }
        }
        let names = files.list(".").map_err(|error| error.to_string())?;
        for name in automatic_files(names.iter().map(String::as_str)) {
            sources.automatic.push((
                name.to_owned(),
                files.read(name).map_err(|error| error.to_string())?.unwrap_or_default(),
            ));
        }
        sources.environment = case.run.env.clone().into_iter().collect();
        Ok(arguments)
    }
}
