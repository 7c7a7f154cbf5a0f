//! A provider with its own configuration. Its objects drift, vanish and refuse changes.

use std::sync::{Arc, Mutex, PoisonError};

use objchange::change::{
    Diagnostic, PlanResourceChange, PlannedResource, PrivateData, Provider as _, SimulatedProvider,
};
use objchange::schema::{Attribute, Block};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_provider::{Answer, Function, FunctionAnswer, ImportTarget, Imported, Opened, Parameter};

use super::edit::set;
use super::{Kit, ResourceType};

/// A provider for tests of whole modules. Its region is that of its disks, and known where the provider's configuration is.
///
/// A disk cannot get another `name`; its `kind` is `ssd` by default. Its `say` names the step that fails, `validate`,
/// `plan`, `read` or `destroy`; `warn` makes its plans warn. A disk called `gone` is gone when it is read, and one
/// called `drift` has another size. The function `length` counts the bytes of a text, unless the text is `quiet`.
pub fn service() -> Kit {
    let region = Arc::new(Mutex::new(Value::null(Type::String)));
    let configured = Arc::clone(&region);
    let configuration = Block::new(
        [
            ("region", Attribute::optional(Type::String)),
            ("token", Attribute::optional(Type::String).sensitive()),
        ],
        [],
    );
    let found = || {
        Block::new(
            [
                ("name", Attribute::required(Type::String)),
                ("id", Attribute::computed(Type::String)),
                ("zones", Attribute::computed(Type::list(Type::String))),
            ],
            [],
        )
    };
    let kit = Kit::default().configuration(configuration).on_configure(move |config| {
        let region = config.attribute("region").cloned().unwrap_or_else(|| Value::null(Type::String));
        if region.as_str() == Some("nowhere") {
            return vec![complaint("There is no such region", config, "region")];
        }
        *configured.lock().unwrap_or_else(PoisonError::into_inner) = region;
        Vec::new()
    });
    kit.resource("kit_disk", disk(move || region.lock().unwrap_or_else(PoisonError::into_inner).clone()))
        .data_source("kit_disk", found(), |config| {
            if text(config, "name") == "none" {
                return Answer::failed(complaint("There is no such disk", config, "name"));
            }
            let zones = Value::list(Type::String, [Value::from("a"), Value::from("b")]);
            let zones = zones.unwrap_or_else(|_| Value::null(Type::list(Type::String)));
            Answer::new(set(&set(config, "id", "found"), "zones", zones))
        })
        .ephemeral_resource("kit_disk", found(), |config| {
            let mut opened = Opened::default();
            opened.object = Some(set(config, "id", "opened"));
            opened.private = Some(PrivateData(b"opened".to_vec()));
            opened
        })
        .function(
            "length",
            Function {
                parameters: vec![Parameter::new("text", Type::String)],
                variadic: None,
                returns: Type::Number,
            },
            |arguments| match arguments.first().and_then(Value::as_str) {
                Some("quiet") => {
                    FunctionAnswer::Error { text: "quiet is not measured".into(), argument: Some(0) }
                }
                text => FunctionAnswer::Result(Some(Value::from(text.map_or(0, str::len)))),
            },
        )
}

fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object.attribute(name).and_then(Value::as_str).unwrap_or_default()
}

/// An error about an attribute, which repeats all secrets that it knows.
fn complaint(summary: &str, object: &Value, attribute: &str) -> Diagnostic {
    let mut error = Diagnostic::error(summary);
    error.detail =
        format!("The secret is {:?}, the token {:?}.", text(object, "secret"), text(object, "token"));
    error.path = Some(Path::root().attribute(attribute));
    error
}

fn disk(region: impl Fn() -> Value + Send + Sync + 'static) -> ResourceType {
    let block = Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("name", Attribute::required(Type::String)),
            ("size", Attribute::optional(Type::Number)),
            ("kind", Attribute::optional_computed(Type::String)),
            ("etag", Attribute::computed(Type::String)),
            ("region", Attribute::computed(Type::String)),
            ("secret", Attribute::optional(Type::String).sensitive()),
            ("say", Attribute::optional(Type::String)),
            ("tags", Attribute::optional(Type::map(Type::String))),
        ],
        [],
    );
    let empty = block.empty_value().clone();
    ResourceType::new(block)
        .on_validate(|config| match text(config, "say") {
            "validate" => vec![complaint("This is not valid", config, "say")],
            _ => Vec::new(),
        })
        .on_plan(move |request| plan(request, &region()))
        .on_read(|request| {
            let mut answer = Answer::new(request.state.clone());
            answer.private.clone_from(&request.private);
            match (text(&request.state, "name"), text(&request.state, "say")) {
                (_, "read") => {
                    return Answer::failed(complaint("This cannot be read", &request.state, "say"));
                }
                ("gone", _) => answer.object = Some(Value::null(request.state.ty().clone())),
                ("drift", _) => answer.object = Some(set(&request.state, "size", 99)),
                _ => {}
            }
            answer
        })
        .on_import(move |request| {
            let mut answer = objchange_provider::ImportAnswer::default();
            let ImportTarget::Id(id) = &request.target else { return answer };
            if id == "none" {
                answer.diagnostics.push(Diagnostic::error("There is nothing to import"));
                return answer;
            }
            let named = [("id", id.as_str()), ("name", id), ("kind", "ssd"), ("etag", "1")];
            let object = named.iter().fold(empty.clone(), |object, (name, text)| set(&object, name, *text));
            answer.resources.push(Imported {
                type_name: request.type_name.clone(),
                object: Some(object),
                private: PrivateData(b"imported".to_vec()),
                identity: None,
            });
            answer
        })
}

fn plan(request: &PlanResourceChange, region: &Value) -> PlannedResource {
    let name = Path::root().attribute("name");
    let mut simulated = SimulatedProvider { requires_replace: vec![name] };
    let mut answer =
        simulated.plan(request).unwrap_or_else(|_| PlannedResource::new(request.proposed.clone()));
    if request.proposed.is_null() {
        if text(&request.prior, "say") == "destroy" {
            answer.diagnostics.push(complaint("This cannot be destroyed", &request.prior, "say"));
        }
        return answer;
    }
    match text(&request.config, "say") {
        "plan" => answer.diagnostics.push(complaint("This cannot be planned", &request.config, "say")),
        "warn" => {
            let mut warning = complaint("This is worth a thought", &request.config, "say");
            warning.severity = objchange::change::Severity::Warning;
            answer.diagnostics.push(warning);
        }
        _ => {}
    }
    if !request.proposed.definitely_equals(&request.prior) && !request.prior.is_null() {
        answer.planned = set(&answer.planned, "etag", Value::unknown(Type::String));
    }
    let is_configured = request.config.attribute("kind").is_some_and(|kind| !kind.is_null());
    if !is_configured && request.prior.is_null() {
        answer.planned = set(&answer.planned, "kind", "ssd");
    }
    if request.prior.is_null() {
        answer.planned = set(&answer.planned, "region", region.clone());
    }
    answer
}
