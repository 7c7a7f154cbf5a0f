//! The data source `terraform_remote_state`: the outputs of another state.

use objchange::Type;
use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::{Schema, SchemaKind};
use objchange::value::{Kind, Path};
use objchange_document::State;
use smol_str::SmolStr;

use super::DataAnswer;
use super::builtin::with_attributes;
use crate::files::Files;
use crate::state::outputs;

/// The kinds of backends that Terraform has.
const BACKENDS: [&str; 13] = [
    "azurerm",
    "cloud",
    "consul",
    "cos",
    "gcs",
    "http",
    "inmem",
    "kubernetes",
    "local",
    "oss",
    "pg",
    "remote",
    "s3",
];

/// Validates a configuration, beyond its schema.
pub(super) fn validate(kind: SchemaKind, type_name: &str, config: &Value) -> Vec<Diagnostic> {
    if (kind, type_name) != (SchemaKind::DataSource, "terraform_remote_state") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let backend = known(config, "backend").and_then(Value::as_str);
    let invalid =
        |detail: String, attribute: &str| attribute_error("Invalid backend configuration", detail, attribute);
    match backend {
        None if config.attribute("backend").is_some_and(Value::is_null) => {
            found.push(invalid("The name of the backend must not be null.".to_owned(), "backend"));
        }
        Some(name) if !BACKENDS.contains(&name) => {
            found.push(invalid(format!("There is no backend type named {name:?}."), "backend"));
        }
        Some("local") => {
            let problem = match known(config, "config").map(Value::kind) {
                None => None,
                Some(Kind::Object(object)) => {
                    let mut names = object.iter().map(|(name, _)| name);
                    let other = names.find(|name| !matches!(name.as_str(), "path" | "workspace_dir"));
                    other.map(|name| format!("unexpected attribute {:?}", name.as_str()))
                }
                Some(Kind::Map(_)) => None,
                Some(_) => Some("an object is required".to_owned()),
            };
            if let Some(problem) = problem {
                let detail =
                    format!("The given configuration is not valid for backend \"local\": {problem}.");
                found.push(invalid(detail, "config"));
            }
        }
        _ => {}
    }
    if known(config, "defaults")
        .is_some_and(|defaults| !matches!(defaults.kind(), Kind::Object(_) | Kind::Map(_)))
    {
        let detail = "Defaults must be given in an object value.".to_owned();
        found.push(attribute_error("Invalid default values", detail, "defaults"));
    }
    found
}

/// Reads the state of the backend `local`. Others are not at hand.
pub(super) fn read(files: &dyn Files, schema: &Schema, config: &Value) -> DataAnswer {
    if known(config, "backend").and_then(Value::as_str) != Some("local") || !config.is_wholly_known() {
        return DataAnswer::NotKnown;
    }
    let part = |name: &str| known(config, "config").and_then(|config| text(member(config, name)?));
    // The local backend keeps `default` in a file of its own, and each other workspace in a folder.
    let path = match known(config, "workspace").and_then(text) {
        Some(workspace) if !workspace.is_empty() && workspace != "default" => {
            let folder = part("workspace_dir").unwrap_or_else(|| "terraform.tfstate.d".to_owned());
            format!("{folder}/{workspace}/terraform.tfstate")
        }
        _ => part("path").unwrap_or_else(|| "terraform.tfstate".to_owned()),
    };
    let failed = |diagnostic| DataAnswer::Failed(vec![diagnostic]);
    let file = match files.read(&path) {
        Ok(Some(file)) => file,
        Ok(None) => {
            let detail = "No stored state was found for the given workspace in the given backend.".to_owned();
            // Unlike the backend of the module, where no state means that nothing exists yet.
            return failed(attribute_error("Unable to find remote state", detail, "workspace"));
        }
        Err(error) => {
            let mut failure = Diagnostic::error("Error loading state error");
            failure.detail = format!("error loading the remote state: {error}");
            return failed(failure);
        }
    };
    let read = State::parse_file(&file).map_err(|error| error.to_string());
    let stored = match read.and_then(|state| outputs(&state).map_err(|error| error.to_string())) {
        Ok(stored) => stored,
        Err(error) => {
            let mut failure = Diagnostic::error("Unsupported state file format");
            failure.detail = format!("The state file {path} cannot be read: {error}.");
            return failed(failure);
        }
    };
    let defaults: Vec<(SmolStr, Value)> = match known(config, "defaults").map(Value::kind) {
        Some(Kind::Object(object)) => {
            object.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        Some(Kind::Map(map)) => map.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        _ => Vec::new(),
    };
    // A stored output wins over its default.
    let stored = stored.into_iter().map(|(name, output)| match output.sensitive {
        // Terraform 1.11 shows it; what a state hides is never shown here.
        true => (name, output.value.sensitive()),
        false => (name, output.value),
    });
    let all = Value::object(defaults.into_iter().chain(stored));
    let Ok(object) = schema.block.coerce_value(config) else { return DataAnswer::NotKnown };
    DataAnswer::Known(with_attributes(&object, &[("outputs", all)]), Vec::new())
}

/// An argument that has a value.
fn known<'v>(config: &'v Value, name: &str) -> Option<&'v Value> {
    config.attribute(name).filter(|value| value.is_known() && !value.is_null())
}

fn member<'v>(config: &'v Value, name: &str) -> Option<&'v Value> {
    match config.kind() {
        Kind::Object(object) => object.get(name),
        Kind::Map(map) => map.get(name),
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    value.convert(&Type::String).ok()?.as_str().map(str::to_owned)
}

fn attribute_error(summary: &str, detail: String, attribute: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(summary);
    diagnostic.detail = detail;
    diagnostic.path = Some(Path::root().attribute(attribute));
    diagnostic
}
