//! The messages of `terraform test -json`, in their order.

use objchange_text::counted;
use serde_json::{Map, Value as Json, json};

use super::report::{CleanUp, FileReport, RunOutcome, RunReport, TestReport, TestStatus};
use super::text::{TestPrinter, summary};
use crate::document::{output_and_resource_changes, state_values};
use crate::{Diagnostics, ModuleDiagnostic};

/// The file and run that a message is about.
#[derive(Clone, Copy, Default)]
struct About<'m> {
    file: Option<&'m str>,
    run: Option<&'m str>,
}

impl TestPrinter<'_> {
    /// The messages before the first file: errors in the suite, else the files with their runs.
    pub fn load_messages(&self) -> Vec<Json> {
        let mut messages = Vec::new();
        self.diagnostic_messages(&self.suite.diagnostics, About::default(), &mut messages);
        if self.suite.diagnostics.has_errors() {
            return messages;
        }
        let files = self.suite.paths().enumerate();
        let names = |index| {
            // Terraform writes null for a file without runs.
            let names: Vec<&str> = self.suite.run_names(index).collect();
            if names.is_empty() { Json::Null } else { names.into() }
        };
        let files: Map<String, Json> = files.map(|(index, path)| (path.to_owned(), names(index))).collect();
        let runs: usize = files.values().filter_map(Json::as_array).map(Vec::len).sum();
        let text = format!("Found {} and {}", counted(files.len(), "file"), counted(runs, "run block"));
        messages.push(message("info", &text, About::default(), "test_abstract", Json::Object(files)));
        messages
    }

    /// The messages of a file.
    pub fn file_messages(&self, file: &FileReport) -> Vec<Json> {
        let mut messages = Vec::new();
        let about = About { file: Some(&file.path), run: None };
        let progress = |messages: &mut Vec<Json>, word: &str, fields: Json| {
            let text = format!("{}... {word}", file.path);
            messages.push(message("info", &text, about, "test_file", fields));
        };
        progress(&mut messages, "in progress", json!({"path": file.path, "progress": "starting"}));
        file.runs.iter().for_each(|run| self.run_messages(&file.path, run, &mut messages));
        // Terraform 1.15 tears nothing down in a file without runs.
        if !file.names.is_empty() || !self.is_new() {
            progress(&mut messages, "tearing down", json!({"path": file.path, "progress": "teardown"}));
        }
        file.cleanups.iter().for_each(|cleanup| self.clean_up_messages(&file.path, cleanup, &mut messages));
        progress(
            &mut messages,
            file.status.shown(),
            json!({"path": file.path, "progress": "complete", "status": file.status.name()}),
        );
        self.diagnostic_messages(&file.unused, about, &mut messages);
        self.diagnostic_messages(&file.diagnostics, about, &mut messages);
        messages
    }

    /// The messages after all files.
    pub fn summary_messages(&self, report: &TestReport) -> Vec<Json> {
        let mut messages = Vec::new();
        let mut fields = json!({
            "status": report.status().name(),
            "passed": report.count(TestStatus::Pass),
            "failed": report.count(TestStatus::Fail),
            "errored": report.count(TestStatus::Error),
            "skipped": report.count(TestStatus::Skip),
        });
        // Terraform has no undecided runs, and tools that read its messages may not expect the field.
        if let undecided @ 1.. = report.count(TestStatus::Undecided) {
            fields["undecided"] = undecided.into();
        }
        messages.push(message("info", &summary(report), About::default(), "test_summary", fields));
        messages
    }

    fn run_messages(&self, path: &str, run: &RunReport, messages: &mut Vec<Json>) {
        let about = About { file: Some(path), run: Some(&run.name) };
        let name = &run.name;
        if run.started {
            let fields = json!({"path": path, "run": name, "progress": "starting", "elapsed": 0});
            messages.push(message("info", &format!("  {name:?}... in progress"), about, "test_run", fields));
        }
        let fields = json!({"path": path, "run": name, "progress": "complete", "status": run.status.name()});
        let text = format!("  {name:?}... {}", run.status.shown());
        messages.push(message("info", &text, about, "test_run", fields));
        match &run.outcome {
            Some(RunOutcome::Plan(plan, ..)) => {
                let mut fields = json!({"plan_format_version": "1.2", "provider_format_version": "1.0"});
                merge(&mut fields, output_and_resource_changes(plan));
                self.add_provider_schemas(&mut fields, run);
                let text = "-verbose flag enabled, printing plan";
                messages.push(message("info", text, about, "test_plan", fields));
            }
            Some(RunOutcome::State(state, _)) => {
                let mut fields = json!({"state_format_version": "1.0", "provider_format_version": "1.0"});
                merge(&mut fields, state_values(state, self.schemas));
                self.add_provider_schemas(&mut fields, run);
                let text = "-verbose flag enabled, printing state";
                messages.push(message("info", text, about, "test_state", fields));
            }
            None => {}
        }
        self.diagnostic_messages(&run.diagnostics, about, messages);
    }

    /// The schemas of the providers of the module.
    fn add_provider_schemas(&self, fields: &mut Json, run: &RunReport) {
        let module = match &run.outcome {
            Some(RunOutcome::Plan(_, _, module) | RunOutcome::State(_, module)) => *module,
            None => return,
        };
        let providers = self.suite.modules.get(module).map(|module| module.config.providers());
        let schemas: Map<String, Json> = providers
            .iter()
            .flatten()
            .filter_map(|provider| {
                Some((provider.to_string(), self.schemas.document_of(provider, self.is_new())?))
            })
            .collect();
        if !schemas.is_empty() {
            fields["provider_schemas"] = Json::Object(schemas);
        }
    }

    fn clean_up_messages(&self, path: &str, cleanup: &CleanUp, messages: &mut Vec<Json>) {
        let about = About { file: Some(path), run: Some(&cleanup.run) };
        let fields = json!({"path": path, "run": cleanup.run, "progress": "teardown", "elapsed": 0});
        let text = format!("  {:?}... tearing down", cleanup.run);
        messages.push(message("info", &text, about, "test_run", fields));
        if !cleanup.left.is_empty() {
            let left: Vec<Json> = cleanup.left.iter().map(|address| json!({"instance": address})).collect();
            let text = format!(
                "Terraform left some resources in state after executing {path}/{}, they need to be cleaned up manually.",
                cleanup.run
            );
            let fields = json!({"failed_resources": left});
            messages.push(message("error", &text, about, "test_cleanup", fields));
        }
        self.diagnostic_messages(&cleanup.diagnostics, about, messages);
    }

    fn diagnostic_messages(&self, found: &Diagnostics, about: About<'_>, messages: &mut Vec<Json>) {
        let shown = self.shown.json_in_order(found);
        for (ModuleDiagnostic { diagnostic, .. }, shown) in found.iter().zip(shown) {
            let (level, word) = match diagnostic.severity {
                crate::Severity::Error => ("error", "Error"),
                crate::Severity::Warning => ("warn", "Warning"),
            };
            let fields: Json = serde_json::from_str(shown.get()).unwrap_or_default();
            let text = format!("{word}: {}", fields["summary"].as_str().unwrap_or_default());
            messages.push(message(level, &text, about, "diagnostic", fields));
        }
    }
}

fn message(level: &str, text: &str, about: About<'_>, kind: &str, fields: Json) -> Json {
    let mut message = Map::new();
    message.insert("@level".to_owned(), level.into());
    message.insert("@message".to_owned(), text.into());
    message.insert("@module".to_owned(), "terraform.ui".into());
    if let Some(file) = about.file {
        message.insert("@testfile".to_owned(), file.into());
    }
    if let Some(run) = about.run {
        message.insert("@testrun".to_owned(), run.into());
    }
    message.insert(kind.to_owned(), fields);
    message.insert("type".to_owned(), kind.into());
    Json::Object(message)
}

fn merge(fields: &mut Json, others: Json) {
    if let (Json::Object(fields), Json::Object(others)) = (fields, others) {
        fields.extend(others);
    }
}
