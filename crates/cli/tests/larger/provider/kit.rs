//! The provider that the tests talk to.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use objchange::change::{AppliedResource, Diagnostic, PlannedResource, PrivateData};
use objchange::value::Path;
use objchange_conform::kit::{ResourceType, faulty, trial_block};

/// Beside the kit's types: one that crashes, one that hangs, and one that repeats all that it is told.
pub(crate) fn serve() -> ExitCode {
    let crash = ResourceType::new(trial_block(true)).on_plan(|_| {
        let _ = writeln!(io::stderr(), "{{\"@level\":\"info\",\"@message\":\"planning\"}}\npanic: oh no");
        std::process::exit(2)
    });
    let hang = ResourceType::new(trial_block(true)).on_plan(|request| {
        thread::sleep(Duration::from_secs(3600));
        PlannedResource::new(request.proposed.clone())
    });
    let echo = ResourceType::new(trial_block(true)).on_plan(|request| {
        let text =
            |name| request.config.attribute(name).and_then(objchange::Value::as_str).unwrap_or_default();
        let mut answer = PlannedResource::new(request.proposed.clone());
        let mut diagnostic = if text("comment") == "crash" {
            let _ = writeln!(
                io::stderr(),
                "secret={}\npanic: {} and {}",
                text("secret"),
                text("token"),
                text("name")
            );
            std::process::exit(2)
        } else {
            Diagnostic::error(format!("not {}", text("secret")))
        };
        diagnostic.detail = format!("and {:?} neither, nor {:?}", text("token"), text("name"));
        answer.diagnostics.push(diagnostic);
        answer
    });
    let moody = ResourceType::new(trial_block(true)).on_plan(|request| {
        let note = if request.planned_private.0.is_empty() { "early" } else { "late" };
        let mut proposed = request.proposed.clone();
        if let Some(object) = proposed.as_object() {
            let attributes = object.iter().map(|(name, value)| {
                let value = match name.as_str() {
                    "note" => note.into(),
                    "id" | "status" => objchange::Value::unknown(value.ty().clone()),
                    "token" => objchange::Value::null(value.ty().clone()),
                    _ => value.clone(),
                };
                (name.clone(), value)
            });
            let attributes: Vec<_> = attributes.collect();
            proposed = objchange::Value::object(attributes);
        }
        let mut answer = PlannedResource::new(proposed);
        answer.private = PrivateData(vec![1]);
        answer
    });
    let vandal = ResourceType::new(trial_block(true)).on_apply(|request| {
        // It removes the folder in which the state is to be written.
        if let Some(folder) = request.config.attribute("name").and_then(objchange::Value::as_str) {
            let _ = fs::remove_dir_all(folder);
        }
        AppliedResource::new(known(&request.planned))
    });
    let partial = ResourceType::new(trial_block(true)).on_apply(|request| {
        let mut answer = AppliedResource::new(known(&request.planned));
        answer.diagnostics.push(Diagnostic::error("only half of it was made"));
        answer
    });
    let once = ResourceType::new(trial_block(true))
        .requires_replace([Path::root().attribute("size")])
        .on_apply(|request| {
            let is_second = request.config.attribute("comment").is_some_and(|value| !value.is_null());
            if is_second && !request.planned.is_null() {
                let _ = writeln!(io::stderr(), "panic: no second one");
                std::process::exit(2)
            }
            AppliedResource::new(known(&request.planned))
        });
    let parrot = ResourceType::new(trial_block(true))
        .on_validate(|config| repeat(config).into_iter().map(Diagnostic::warning).collect())
        .on_plan(|request| {
            let said = repeat(&request.config);
            // A token must not be stored, and whoever reads the state cannot know that it is one.
            let text = |name| request.config.attribute(name).and_then(objchange::Value::as_str);
            let note =
                format!("<{}> <{}>", text("name").unwrap_or_default(), text("secret").unwrap_or_default());
            let mut answer = PlannedResource::new(with(&request.proposed, |name| match name {
                "note" | "status" => Some(note.as_str().into()),
                "id" => Some("made".into()),
                "token" => Some(objchange::Value::null(objchange::Type::String)),
                _ => None,
            }));
            answer.diagnostics.extend(said.into_iter().map(Diagnostic::warning));
            answer
        })
        .on_apply(|request| {
            let mut answer = AppliedResource::new(known(&request.planned));
            let said = repeat(&request.config).into_iter();
            answer.diagnostics.extend(said.map(Diagnostic::warning));
            answer
        });
    let verbose = ResourceType::new(trial_block(true)).on_plan(|request| {
        for i in 0..3_000 {
            let _ = writeln!(io::stderr(), "line {i}{}", "!".repeat(10_000));
        }
        let mut answer = PlannedResource::new(request.proposed.clone());
        let long = || Diagnostic::warning("w".repeat(100_000));
        answer.diagnostics.extend((0..200).map(|_| long()));
        answer.diagnostics.extend((0..200).map(|i| Diagnostic::error(format!("{i}{}", "e".repeat(100_000)))));
        answer
    });
    let kit = faulty(true)
        .resource("kit_parrot", parrot)
        .resource("kit_verbose", verbose)
        .resource("kit_vandal", vandal)
        .resource("kit_partial", partial)
        .resource("kit_once", once)
        .resource("kit_moody", moody)
        .resource("kit_crash", crash)
        .resource("kit_hang", hang)
        .resource("kit_echo", echo);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(objchange_provider::server::serve(Arc::new(kit))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// All texts in a configuration, also as they are in its log.
fn repeat(config: &objchange::Value) -> Vec<String> {
    let text = |name: &&str| config.attribute(name).and_then(objchange::Value::as_str).map(str::to_owned);
    let texts: Vec<String> = ["name", "secret", "token"].iter().filter_map(text).collect();
    for text in &texts {
        let _ = writeln!(io::stderr(), "{text} and {text:?}");
    }
    texts.iter().flat_map(|text| [format!("{text:?}"), format!("<{text}>")]).collect()
}

fn with(object: &objchange::Value, change: impl Fn(&str) -> Option<objchange::Value>) -> objchange::Value {
    let Some(members) = object.as_object() else { return object.clone() };
    let members = members.iter().map(|(name, value)| (name.clone(), change(name).unwrap_or(value.clone())));
    objchange::Value::object(members.collect::<Vec<_>>())
}

/// The planned object, with unknown values replaced.
fn known(planned: &objchange::Value) -> objchange::Value {
    let Some(object) = planned.as_object() else { return planned.clone() };
    let attributes = object.iter().map(|(name, value)| {
        let value = if value.is_known() { value.clone() } else { "made".into() };
        (name.clone(), value)
    });
    objchange::Value::object(attributes.collect::<Vec<_>>())
}
