//! The provider of [`objchange_conform::kit::faulty`], for tests: of this crate, and through Terraform itself.
//!
//! Beside its types there are two whose plans never come: `kit_crash` crashes as a program in Go does, `kit_hang` writes the file that
//! `KIT_PLANNING` names, and hangs. A plan of `kit_slow` takes a time that grows with the square of its `tags`; `kit_slow_apply` applies slowly, and writes the file
//! that `KIT_APPLYING` names when it begins. Where the variable `KIT_SCHEMA` has a number, it is the provider with
//! that one of the schemas that are wrong. Where `KIT_SECRETS` has three secrets with spaces between them, it is the one
//! that leaks them. Where `KIT_SERVICE` is set, it is the one for tests of whole modules, [`objchange_conform::kit::service`].

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use std::{env, io, process, thread};

use objchange::change::AppliedResource;
use objchange::schema::{Attribute, Block};
use objchange::{Type, Value};
use objchange_conform::kit::{Leaky, Planted, ResourceType, faulty, misdeclared, service, trial_block};
use objchange_provider::Provider;
use objchange_provider::server::serve;

fn main() -> process::ExitCode {
    let versions = env::var("PLUGIN_PROTOCOL_VERSIONS").unwrap_or_default();
    let nested_types = versions.split(',').any(|version| version == "6");
    let crash = ResourceType::new(trial_block(nested_types)).on_plan(|_| {
        let dump = "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:";
        let _ = writeln!(io::stderr(), "{{\"@level\":\"info\",\"@message\":\"planning\"}}\n{dump}");
        // A program in Go exits with 2 after a panic.
        process::exit(2)
    });
    let hang = ResourceType::new(trial_block(nested_types)).on_plan(|request| {
        env::var("KIT_PLANNING").into_iter().for_each(|path| drop(std::fs::write(path, "")));
        thread::sleep(Duration::from_secs(3600));
        objchange::change::PlannedResource::new(request.proposed.clone())
    });
    let names = || Block::new([("tags", Attribute::optional(Type::list(Type::String)))], []);
    let slow = ResourceType::new(names()).on_plan(|request| {
        let tags = request.proposed.attribute("tags").and_then(Value::len).unwrap_or_default() as u64;
        thread::sleep(Duration::from_nanos(100).saturating_mul((tags * tags).try_into().unwrap_or(u32::MAX)));
        objchange::change::PlannedResource::new(request.proposed.clone())
    });
    let slow_apply = ResourceType::new(names()).on_apply(|request| {
        // Tells a test that the apply has begun, so that it can interrupt it.
        env::var("KIT_APPLYING").into_iter().for_each(|path| drop(std::fs::write(path, "")));
        thread::sleep(Duration::from_millis(500));
        AppliedResource::new(request.planned.clone())
    });
    let kit = faulty(nested_types)
        .resource("kit_crash", crash)
        .resource("kit_hang", hang)
        .resource("kit_slow", slow)
        .resource("kit_slow_apply", slow_apply);
    let wrong =
        env::var("KIT_SCHEMA").ok().and_then(|number| misdeclared().into_iter().nth(number.parse().ok()?));
    let kit = wrong.map_or(kit, |wrong| wrong.kit());
    let kit = if env::var_os("KIT_SERVICE").is_some() { service() } else { kit };
    let provider: Arc<dyn Provider> = match planted() {
        Some(planted) => Arc::new(Leaky::new(planted)),
        None => Arc::new(kit),
    };
    let served = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .and_then(|runtime| runtime.block_on(serve(provider)));
    match served {
        Ok(()) => process::ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            process::ExitCode::FAILURE
        }
    }
}

fn planted() -> Option<Planted> {
    let secrets = env::var("KIT_SECRETS").ok()?;
    let mut secrets = secrets.split(' ').map(str::to_owned);
    Some(Planted { given: secrets.next()?, own: secrets.next()?, made: secrets.next()? })
}
