//! How each fault of the kit is tried.

use objchange::{Type, Value};
use objchange_conform::kit::{Fault, Stage, trial_config};
use objchange_conform::{Judgement, Trial, judge};
use objchange_provider::Provider;

/// The trial configuration under another name.
pub(crate) fn named(name: impl Into<Value>) -> Value {
    let name = name.into();
    let config = trial_config(true);
    let members = config.as_object().unwrap();
    let member = |(n, v): (&str, &Value)| (n.to_owned(), if n == "name" { name.clone() } else { v.clone() });
    Value::object(members.iter().map(|(n, v)| member((n.as_str(), v))))
}

fn unknown() -> Value {
    named(Value::unknown(Type::String))
}

/// All that Terraform would do with an object.
pub(crate) fn whole(stage: Stage) -> Trial {
    let is_final = stage == Stage::FinalPlan;
    let mut trial = Trial::new(if is_final { unknown() } else { named("a") });
    trial.known = is_final.then(|| named("a"));
    trial.update = Some(if is_final { (unknown(), Some(named("b"))) } else { (named("b"), None) });
    trial.apply = true;
    trial
}

pub(crate) async fn judged(provider: &dyn Provider, fault: Fault) -> Judgement {
    judge(provider, &format!("kit_{}", fault.kind()), &whole(fault.stage())).await.unwrap()
}
