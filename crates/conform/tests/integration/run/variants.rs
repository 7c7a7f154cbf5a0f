//! Providers that break the contract in ways that the kit's faults do not: each is found with its clause, once, whatever the seed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use objchange::change::{AppliedResource, PlannedResource};
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_conform::{Clause, Options};

use crate::run::provider::tried;

fn block() -> Block {
    let text = || Attribute::optional(Type::String);
    let part = Block::new([("name", text()), ("size", Attribute::optional(Type::Number))], []);
    Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("name", text()),
            ("note", Attribute::optional_computed(Type::String)),
            ("size", Attribute::optional(Type::Number)),
            ("on", Attribute::optional(Type::Bool)),
            ("tags", Attribute::optional(Type::list(Type::String))),
            ("labels", Attribute::optional(Type::map(Type::String))),
        ],
        [("part", NestedBlock::new(NestingMode::List, part))],
    )
}

/// The object with what `change` makes of one attribute; `None` leaves it as it is.
fn changed(object: &Value, name: &str, change: impl Fn(&Value) -> Option<Value>) -> Value {
    let Some(members) = object.as_object() else { return object.clone() };
    let part = |of: &str, value: &Value| {
        let new = (of == name && value.is_known()).then(|| change(value)).flatten();
        new.unwrap_or_else(|| value.clone())
    };
    Value::object(members.iter().map(|(of, value)| (of.clone(), part(of, value))))
}

fn planning(change: impl Fn(&Value) -> Value + Send + Sync + 'static) -> ResourceType {
    ResourceType::new(block()).on_plan(move |request| PlannedResource::new(change(&request.proposed)))
}

/// The object as the service would have answered, with one change.
fn applying(change: impl Fn(&Value) -> Value + Send + Sync + 'static) -> ResourceType {
    let made = AtomicU64::new(0);
    ResourceType::new(block()).on_apply(move |request| {
        // Objects are imported by their `id`.
        let id = format!("made-{}", made.fetch_add(1, Ordering::Relaxed));
        let known = request.planned.transform(|_, part| {
            let is_text = part.ty() == &Type::String;
            let known = if is_text { Value::from(id.as_str()) } else { Value::null(part.ty().clone()) };
            Ok::<_, std::convert::Infallible>(if part.is_known() { part } else { known })
        });
        let Ok(known) = known;
        AppliedResource::new(change(&known))
    })
}

fn text(value: &Value, change: impl Fn(&str) -> String) -> Option<Value> {
    value.as_str().map(|text| Value::from(change(text)))
}

/// A resource type by name, with the clauses that it breaks and where.
type Variant = (&'static str, ResourceType, Vec<(Clause, &'static str)>);

fn variants() -> Vec<Variant> {
    let p5 = |place| vec![(Clause::P5, place)];
    let a5 = |place| vec![(Clause::A5, place)];
    let sorted = |value: &Value| {
        let mut elements = value.as_elements()?.to_vec();
        let is_known = elements.iter().all(|element| element.as_str().is_some());
        elements.sort_by(|a, b| b.as_str().cmp(&a.as_str()));
        Some(Value::list(Type::String, elements).unwrap()).filter(|_| is_known)
    };
    vec![
        // One cause, with something configured and with nothing.
        ("kit_always", planning(|o| changed(o, "name", |_| Some("fixed".into()))), p5("name")),
        (
            "kit_suffixed",
            planning(|o| {
                changed(o, "name", |v| Some(Value::from(format!("{}-x", v.as_str().unwrap_or("")))))
            }),
            p5("name"),
        ),
        ("kit_default", planning(|o| changed(o, "size", |v| v.is_null().then(|| 8.into()))), p5("size")),
        ("kit_default_off", planning(|o| changed(o, "on", |v| v.is_null().then(|| false.into()))), p5("on")),
        ("kit_upper", planning(|o| changed(o, "name", |v| text(v, str::to_uppercase))), p5("name")),
        ("kit_quoted", planning(|o| changed(o, "name", |v| text(v, |t| format!("{t:?}")))), p5("name")),
        ("kit_reversed", planning(move |o| changed(o, "tags", sorted)), p5("tags")),
        ("kit_saved_upper", applying(|o| changed(o, "name", |v| text(v, str::to_uppercase))), a5("name")),
        ("kit_saved_empty", applying(|o| changed(o, "name", |v| v.is_null().then(|| "".into()))), a5("name")),
        (
            "kit_saved_rounded",
            applying(|o| changed(o, "size", |v| (!v.is_null()).then(|| 7.into()))),
            a5("size"),
        ),
        (
            "kit_saved_without_labels",
            applying(|o| changed(o, "labels", |v| (!v.is_null()).then(|| Value::null(v.ty().clone())))),
            a5("labels"),
        ),
    ]
}

#[test]
fn each_variant_is_found_once_with_its_clause() {
    let mut wrong = Vec::new();
    for seed in 1..=8 {
        let mut options = Options::default();
        (options.cases, options.apply, options.seed) = (40, true, seed);
        let make =
            || variants().into_iter().fold(Kit::default(), |kit, (name, ty, _)| kit.resource(name, ty));
        let (report, _) = tried(make, options);
        let found: BTreeMap<&str, Vec<(Clause, &str)>> = report
            .types
            .iter()
            .map(|of| {
                let findings = of.findings.iter().map(|found| (found.finding.clause, found.place.as_str()));
                (of.name.as_str(), findings.collect())
            })
            .collect();
        for (name, _, wanted) in variants() {
            if found[name] != wanted {
                wrong.push(format!("seed {seed}: {name}: {:?}, not {wanted:?}", found[name]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A secret of one type of the kit does not hide the findings of another.
#[test]
fn faults_of_secrets_hide_no_others() {
    let mut options = Options::default();
    (options.cases, options.apply) = (40, true);
    options.only =
        ["kit_planned_secret", "kit_applied_secret", "kit_planned_string"].map(str::to_owned).into();
    let (report, _) = tried(|| objchange_conform::kit::faulty(true), options);
    for of in report.types.iter().filter(|of| of.name == "kit_planned_string") {
        for found in &of.findings {
            assert!(!found.finding.message.contains("(sensitive value)"), "{}", found.finding.message);
        }
    }
}
