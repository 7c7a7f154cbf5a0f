//! Learning a provider with planted behaviours: a model is exactly right, or says that it depends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use objchange::change::{Diagnostic, PlanRequest, PlanResourceChange, PlannedResource, Planning, begin_plan};
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_conform::{Hints, LearnOptions, Learned, learn};
use objchange_model::{GivenObject, Outcome, PlayOptions, Replaces, Situation, TypeModel};
use objchange_provider::{Call, ErrorKind, Provider, ProviderExt, Reply};

/// A planted secret that is in no hint.
const SECRET: &str = "pl4nted-s3cret";

fn block() -> Block {
    let rule = Block::new(
        [
            ("port", Attribute::required(Type::Number)),
            ("protocol", Attribute::optional_computed(Type::String)),
        ],
        [],
    );
    let disk = Block::new([("size", Attribute::optional_computed(Type::Number))], []);
    Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("name", Attribute::required(Type::String)),
            ("zone", Attribute::optional(Type::String)),
            ("size", Attribute::optional_computed(Type::Number)),
            ("mode", Attribute::optional_computed(Type::String)),
            ("policy", Attribute::optional(Type::String)),
            ("script", Attribute::optional(Type::String)),
            ("replace_on_script", Attribute::optional(Type::Bool)),
            ("tags", Attribute::optional(Type::map(Type::String))),
            ("tags_all", Attribute::computed(Type::map(Type::String))),
            ("version", Attribute::computed(Type::Number)),
            ("noise", Attribute::computed(Type::Number)),
            ("echo", Attribute::computed(Type::String)),
            ("tier", Attribute::optional_computed(Type::String)),
        ],
        [
            ("disk", NestedBlock::new(NestingMode::List, disk)),
            ("rule", NestedBlock::new(NestingMode::List, rule)),
        ],
    )
}

fn changed(request: &PlanResourceChange, name: &str) -> bool {
    let of = |object: &Value| object.attribute(name).filter(|value| !value.is_null()).cloned();
    of(&request.config) != of(&request.prior)
}

fn no_tags() -> Value {
    Value::map(Type::String, [("", "")].into_iter().take(0)).unwrap()
}

/// A plan with behaviours that no schema tells.
fn planned(request: &PlanResourceChange, calls: u64) -> PlannedResource {
    let PlanResourceChange { prior, config, proposed, .. } = request;
    let is_new = prior.is_null();
    let unknown = |name: &str| Value::unknown(proposed.attribute(name).unwrap().ty().clone());
    let members = proposed.as_object().unwrap();
    let after = Value::object(members.iter().map(|(name, value)| {
        let configured = config.attribute(name).unwrap();
        let value = match name.as_str() {
            "id" if is_new => unknown(name),
            // A constant where it is left out.
            "size" if configured.is_null() => Value::from(8),
            // A trap: the default depends on another argument.
            "mode" if configured.is_null() && is_new => match config.attribute("zone").unwrap().is_null() {
                true => Value::from("global"),
                false => Value::from("zonal"),
            },
            // A copy.
            "tags_all" => match config.attribute("tags").unwrap() {
                tags if tags.is_null() && is_new => unknown(name),
                tags if tags.is_null() => no_tags(),
                tags => tags.clone(),
            },
            // Changes with one argument.
            "version" if is_new || changed(request, "script") => unknown(name),
            // A trap: the answers are random.
            "noise" => Value::from(calls as i64),
            // A trap: an input comes back in another part.
            "echo" => Value::from(SECRET),
            "tier" if configured.is_null() && is_new => unknown(name),
            // Constants in blocks.
            "rule" => {
                let rules = configured.as_elements().unwrap().iter().map(|rule| {
                    let protocol = rule.attribute("protocol").unwrap();
                    let protocol = if protocol.is_null() { Value::from("tcp") } else { protocol.clone() };
                    Value::object([("port", rule.attribute("port").unwrap().clone()), ("protocol", protocol)])
                });
                Value::tuple(rules).convert(value.ty()).unwrap()
            }
            "disk" if configured.is_empty() && !is_new => prior.attribute(name).unwrap().clone(),
            "disk" if configured.is_empty() => Value::unknown(value.ty().clone()),
            _ => value.clone(),
        };
        (name.clone(), value)
    }));
    let mut answer = PlannedResource::new(after);
    answer.legacy_type_system = true;
    let path = |name: &str| Path::root().attribute(name);
    answer.requires_replace.push(path("name"));
    // A trap: only some new values replace the object.
    if config.attribute("tier").and_then(Value::as_str).is_some_and(|tier| tier.len() % 2 == 0) {
        answer.requires_replace.push(path("tier"));
    }
    if config.attribute("replace_on_script").unwrap().as_bool() == Some(true) {
        answer.requires_replace.push(path("script"));
    }
    // Documents are compared without their white space.
    if let (Some(before), Some(after)) = (
        prior.attribute("policy").and_then(Value::as_str),
        config.attribute("policy").and_then(Value::as_str),
    ) {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        if bare(before) == bare(after) {
            let kept = Value::from(before);
            let members = answer.planned.as_object().unwrap();
            answer.planned = Value::object(members.iter().map(|(name, value)| {
                (name.clone(), if name == "policy" { kept.clone() } else { value.clone() })
            }));
        }
    }
    answer
}

fn kit() -> Kit {
    let calls = AtomicU64::new(0);
    let thing = ResourceType::new(block())
        .on_plan(move |request| planned(request, calls.fetch_add(1, Ordering::Relaxed)))
        .on_validate(|config| {
            let zone = config.attribute("zone").and_then(Value::as_str);
            match zone.is_none_or(|zone| zone.starts_with("z")) {
                true => Vec::new(),
                false => vec![Diagnostic::error("zone must begin with \"z\"")],
            }
        });
    Kit::default()
        .configuration(Block::new([("token", Attribute::optional(Type::String))], []))
        .resource("kit_planted", thing)
        .resource("kit_odd", ResourceType::new(Block::new([("a", Attribute::optional(Type::String))], [])))
}

async fn learned(hints: Hints) -> Learned {
    let mut options = LearnOptions::default();
    options.hints = hints;
    learn(|| async { Ok(Arc::new(kit()) as Arc<dyn Provider>) }, options, |_| ()).await.unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn planted() -> TypeModel {
    let hints =
        Hints::parse(format!(r#"{{"provider": {{"token": {{"$sensitive": "{SECRET}"}}}}}}"#).as_bytes());
    runtime().block_on(learned(hints.unwrap())).types.remove("kit_planted").unwrap()
}

/// The usual outcome of a part in a situation, if it is stable.
fn stable<'m>(model: &'m TypeModel, part: &str, situation: Situation) -> Option<&'m Outcome> {
    model.parts.get(part)?.planned.get(&situation)?.usual.as_ref()?.stable()
}

#[test]
fn planted_behaviours_are_found() {
    let model = planted();
    assert!(model.legacy && model.probes > 100);
    let constant = |json: &str| Some(Outcome::Constant(json.to_owned()));
    assert_eq!(stable(&model, "size", Situation::Created).cloned(), constant("8"));
    assert_eq!(stable(&model, "rule.protocol", Situation::Created).cloned(), constant("\"tcp\""));
    assert_eq!(stable(&model, "id", Situation::Created), Some(&Outcome::Unknown));
    assert_eq!(stable(&model, "id", Situation::Updated), Some(&Outcome::Kept));
    assert_eq!(stable(&model, "disk", Situation::Updated), Some(&Outcome::Kept));
    assert_eq!(stable(&model, "policy", Situation::Json), Some(&Outcome::Kept));
    let when = |part: &str, situation, cause: &str| {
        model.parts[part].planned[&situation].when.get(&cause.parse().unwrap())?.stable().cloned()
    };
    assert_eq!(when("tags_all", Situation::Created, "set tags"), Some(Outcome::CopyOf("tags".into())));
    assert_eq!(when("version", Situation::Updated, "value script"), Some(Outcome::Unknown));
    let nothing = Value::null(block().implied_type().clone());
    let replaces = |cause: &str, config: &Value| model.replaces(&cause.parse().unwrap(), config);
    assert_eq!(replaces("value name", &nothing), Replaces::Always);
    assert_eq!(replaces("value zone", &nothing), Replaces::Never);
    let flag = |on: bool| Value::object([("replace_on_script", on)]);
    assert_eq!(replaces("value script", &flag(true)), Replaces::Always);
    assert_eq!(replaces("value script", &flag(false)), Replaces::Never);
}

#[test]
fn traps_depend_on_something() {
    let model = planted();
    // The default with an argument is known to be another one.
    let mode = &model.parts["mode"].planned[&Situation::Created];
    let set = mode.when.get(&"set zone".parse().unwrap());
    assert_ne!(set.and_then(|fact| fact.stable()), mode.usual.as_ref().and_then(|fact| fact.stable()));
    let noise = model.parts["noise"].planned.values();
    let facts = noise.flat_map(|cases| cases.usual.iter().chain(&cases.alone).chain(cases.when.values()));
    assert!(facts.clone().count() > 0);
    for fact in facts {
        assert!(fact.probes < 2 || fact.stable().is_none(), "{fact:?}");
    }
    let nothing = Value::null(block().implied_type().clone());
    assert_ne!(model.replaces(&"value tier".parse().unwrap(), &nothing), Replaces::Never);
}

#[test]
fn a_model_holds_no_input() {
    let text = planted().to_text();
    assert!(!text.contains(SECRET), "{text}");
    assert!(!text.contains("name-0"), "{text}");
}

/// A provider that makes values of the token in its settings.
fn token_kit() -> Kit {
    let token = Arc::new(Mutex::new(String::new()));
    let configured = token.clone();
    let computed = || Attribute::computed(Type::String);
    let block = Block::new(
        [
            ("name", Attribute::optional(Type::String)),
            ("region", computed()),
            ("url", computed()),
            ("reversed", computed()),
            ("length", Attribute::computed(Type::Number)),
            ("mode", Attribute::optional(Type::String)),
        ],
        [],
    );
    let accepted = token.clone();
    let thing = ResourceType::new(block)
        .on_plan(move |request| {
            let token = token.lock().unwrap().clone();
            PlannedResource::new(Value::object([
                ("name", request.proposed.attribute("name").unwrap().clone()),
                ("region", Value::from("eu-central")),
                ("url", Value::from(format!("https://{token}@host"))),
                ("reversed", Value::from(token.chars().rev().collect::<String>())),
                ("length", Value::from(token.len() as i64)),
                ("mode", request.proposed.attribute("mode").unwrap().clone()),
            ]))
        })
        .on_validate(move |config| {
            let (mode, token) = (config.attribute("mode").and_then(Value::as_str), accepted.lock().unwrap());
            match mode {
                Some(mode) if mode != "on" && mode != token.as_str() => {
                    vec![Diagnostic::error(format!(
                        "expected mode to be one of [\"on\" \"{token}\"], got {mode}"
                    ))]
                }
                _ => Vec::new(),
            }
        });
    Kit::default()
        .configuration(Block::new([("token", Attribute::required(Type::String))], []))
        .on_configure(move |config| {
            let token = config.attribute("token").and_then(Value::as_str).unwrap();
            *configured.lock().unwrap() = token.to_owned();
            Vec::new()
        })
        .resource("kit_secret", thing)
}

#[test]
fn a_model_holds_nothing_that_is_made_of_a_secret() {
    let learned = |token: &str, is_one_process: bool| {
        let mut options = LearnOptions::default();
        let hints = format!(r#"{{"provider": {{"token": {token}}}}}"#);
        options.hints = Hints::parse(hints.as_bytes()).unwrap();
        options.is_one_process = is_one_process;
        let start = || async { Ok(Arc::new(token_kit()) as Arc<dyn Provider>) };
        runtime().block_on(learn(start, options, |_| ())).unwrap()
    };
    for token in ["pl4nted-s3cret", "t0k"] {
        let with_secret = learned(&format!(r#"{{"$sensitive": "{token}"}}"#), false);
        let model = &with_secret.types["kit_secret"];
        let region = stable(model, "region", Situation::Created).cloned();
        assert_eq!(region, Some(Outcome::Constant("\"eu-central\"".to_owned())));
        for part in ["url", "reversed", "length"] {
            assert_eq!(stable(model, part, Situation::Created), None, "{part}");
        }
        let (text, reversed) = (model.to_text(), token.chars().rev().collect::<String>());
        assert!(!text.contains(token) && !text.contains(&reversed), "{text}");
        assert_eq!(with_secret.info.partly_learned.len(), 0);
        // Nothing can be confirmed without a second provider.
        let alone = learned(&format!(r#"{{"$sensitive": "{token}"}}"#), true);
        assert!(!alone.types["kit_secret"].to_text().contains("constant"));
        assert!(alone.info.partly_learned["kit_secret"].contains("no constants"));
    }
    // Texts that are not secret are not in the model, whatever their length.
    let text = learned("\"t0k\"", false).types["kit_secret"].to_text();
    assert!(!text.contains("t0k") && text.contains("eu-central"), "{text}");
}

/// A default may be a value that another argument has in the request.
#[test]
fn a_default_that_equals_another_argument_is_a_constant() {
    let text = || Attribute::optional_computed(Type::String);
    let block = Block::new(
        [("protocol", Attribute::required(Type::String)), ("check", text()), ("copy", text())],
        [],
    );
    let start = move || {
        let thing = ResourceType::new(block.clone())
            .on_plan(|request| {
                let members = request.proposed.as_object().unwrap().iter().map(|(name, value)| {
                    let value = match (name.as_str(), request.config.attribute(name).unwrap().is_null()) {
                        ("check", true) => Value::from("alpha"),
                        ("copy", true) => request.config.attribute("protocol").unwrap().clone(),
                        _ => value.clone(),
                    };
                    (name.clone(), value)
                });
                PlannedResource::new(Value::object(members))
            })
            .on_validate(|config| {
                let protocol = config.attribute("protocol").and_then(Value::as_str).unwrap_or_default();
                match protocol {
                    "alpha" | "beta" => Vec::new(),
                    other => vec![Diagnostic::error(format!(
                        "expected protocol to be one of [\"alpha\" \"beta\"], got {other}"
                    ))],
                }
            });
        async move { Ok(Arc::new(Kit::default().resource("kit_choice", thing)) as Arc<dyn Provider>) }
    };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let model = &learned.types["kit_choice"];
    assert_eq!(model.parts["protocol"].one_of, ["alpha", "beta"]);
    let created = |part: &str| stable(model, part, Situation::Created).cloned();
    assert_eq!(created("check"), Some(Outcome::Constant("\"alpha\"".to_owned())));
    assert_eq!(created("copy"), Some(Outcome::CopyOf("protocol".into())));
}

/// A provider that collects a set from two arguments, if a third one has a certain value, and writes a text in upper case.
fn collecting_kit() -> Kit {
    let record = Type::object([("domain", Type::String), ("value", Type::String)]);
    let texts = || Type::set(Type::String);
    let block = Block::new(
        [
            ("domain", Attribute::required(Type::String)),
            ("others", Attribute::optional_computed(texts())),
            ("method", Attribute::optional(Type::String)),
            ("records", Attribute::computed(Type::set(record.clone()))),
            ("protocol", Attribute::optional_computed(Type::String)),
            ("comment", Attribute::optional(Type::String)),
        ],
        [],
    );
    let thing = ResourceType::new(block)
        .on_plan(move |request| {
            let of = |name: &str| request.config.attribute(name).unwrap().clone();
            let is_new = request.prior.is_null();
            let mut domains = vec![of("domain")];
            domains.extend(of("others").as_elements().unwrap_or_default().iter().cloned());
            let collected = Value::tuple(domains.clone()).convert(&texts()).unwrap();
            let members = request.proposed.as_object().unwrap().iter().map(|(name, value)| {
                let unknown = Value::unknown(value.ty().clone());
                let value = match name.as_str() {
                    "others" => collected.clone(),
                    "records" if is_new && of("method").as_str() == Some("DNS") => {
                        let records = collected.as_elements().unwrap().iter().map(|domain| {
                            Value::object([
                                ("domain", domain.clone()),
                                ("value", Value::unknown(Type::String)),
                            ])
                        });
                        Value::tuple(records).convert(value.ty()).unwrap()
                    }
                    "records" if is_new => unknown,
                    "protocol" => match value.as_str() {
                        Some(text) => Value::from(text.to_ascii_uppercase()),
                        None => unknown,
                    },
                    _ => value.clone(),
                };
                (name.clone(), value)
            });
            let mut answer = PlannedResource::new(Value::object(members));
            answer.legacy_type_system = true;
            answer
        })
        .on_validate(|config| match config.attribute("method").and_then(Value::as_str) {
            None | Some("DNS" | "EMAIL") => Vec::new(),
            Some(other) => vec![Diagnostic::error(format!(
                "expected method to be one of [\"DNS\" \"EMAIL\"], got {other}"
            ))],
        });
    Kit::default().resource("kit_collecting", thing)
}

/// Plans an object of the only type of a kit with the model.
fn played(kit: &Kit, model: &TypeModel, prior: Option<&Value>, config: &Value) -> Value {
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources.values().next().unwrap().block;
    let config = block.coerce_config(config).unwrap();
    let prior = prior.cloned().unwrap_or_else(|| Value::null(block.implied_type().clone()));
    let Ok(Planning::Ask(question)) = begin_plan(&PlanRequest::new(block, &prior, &config)) else {
        panic!("there is nothing to plan")
    };
    model.play(block, question.request(), PlayOptions::default()).answer.planned
}

#[test]
fn a_set_is_collected_from_arguments_where_another_one_has_a_certain_value() {
    let start = || async { Ok(Arc::new(collecting_kit()) as Arc<dyn Provider>) };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let (kit, model) = (collecting_kit(), &learned.types["kit_collecting"]);
    let object = |method: Option<&str>, others: &[&str]| {
        let others = Value::tuple(others.iter().map(|other| Value::from(*other)));
        let method = method.map_or(Value::null(Type::String), Value::from);
        Value::object([("domain", Value::from("a")), ("method", method), ("others", others)])
    };
    let planned = played(&kit, model, None, &object(Some("DNS"), &["b"]));
    let of = |planned: &Value, name: &str| planned.attribute(name).unwrap().clone();
    assert_eq!(of(&planned, "others").to_string(), r#"["a", "b"]"#);
    let domains = of(&planned, "records");
    let domains: Vec<_> = domains.as_elements().unwrap().iter().map(|one| of(one, "domain")).collect();
    assert_eq!(domains, [Value::from("a"), Value::from("b")]);
    for method in [None, Some("EMAIL"), Some("SMOKE")] {
        let planned = played(&kit, model, None, &object(method, &["b"]));
        assert!(!of(&planned, "records").is_known(), "{method:?}");
    }
}

#[test]
fn a_text_that_is_left_out_keeps_its_value_in_upper_case() {
    let start = || async { Ok(Arc::new(collecting_kit()) as Arc<dyn Provider>) };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let (kit, model) = (collecting_kit(), &learned.types["kit_collecting"]);
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources["kit_collecting"].block;
    let config = Value::object([("domain", Value::from("a"))]);
    for (before, after) in [("HTTP", "HTTP"), ("http", "HTTP")] {
        let prior = Value::object([("domain", Value::from("a")), ("protocol", Value::from(before))]);
        let prior = block.coerce_config(&prior).unwrap();
        let planned = played(&kit, model, Some(&prior), &config);
        assert_eq!(planned.attribute("protocol").unwrap(), &Value::from(after));
    }
}

/// A provider whose updates fail where the arguments of an object that are left out do not agree.
#[test]
fn a_prior_object_has_no_arguments_that_contradict_each_other() {
    let key = || Attribute::optional_computed(Type::String);
    let block = Block::new(
        [
            ("name", Attribute::required(Type::String)),
            ("key", key()),
            ("index", key()),
            ("note", Attribute::optional(Type::String)),
            ("arn", Attribute::computed(Type::String)),
        ],
        [],
    );
    let start = move || {
        let thing = ResourceType::new(block.clone()).on_plan(|request| {
            let is_new = request.prior.is_null();
            let of = |name: &str| request.proposed.attribute(name).unwrap();
            let members = request.proposed.as_object().unwrap().iter().map(|(name, value)| {
                let is_unknown = is_new && value.is_null() && name != "note";
                (name.clone(), if is_unknown { Value::unknown(Type::String) } else { value.clone() })
            });
            let mut answer = PlannedResource::new(Value::object(members));
            if !is_new && of("key") != of("index") {
                answer.diagnostics.push(Diagnostic::error("All keys must be indexed."));
            }
            answer
        });
        async move { Ok(Arc::new(Kit::default().resource("kit_keyed", thing)) as Arc<dyn Provider>) }
    };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    assert!(learned.info.partly_learned.is_empty(), "{:?}", learned.info.partly_learned);
    let model = &learned.types["kit_keyed"];
    assert_eq!(stable(model, "arn", Situation::Updated), Some(&Outcome::Kept));
}

/// A provider that refuses some made-up arguments, and computes another one where an object has none.
fn labelled_kit() -> Kit {
    let computed = |ty| Attribute::optional_computed(ty);
    let block = Block::new(
        [
            ("name", Attribute::required(Type::String)),
            ("key", computed(Type::String)),
            ("index", computed(Type::String)),
            ("labels", computed(Type::map(Type::String))),
            ("note", Attribute::optional(Type::String)),
        ],
        [],
    );
    let thing = ResourceType::new(block).on_plan(|request| {
        let of = |name: &str| request.proposed.attribute(name).unwrap();
        let members = request.proposed.as_object().unwrap().iter().map(|(name, value)| {
            let is_unknown =
                value.is_null() && (name == "labels" || request.prior.is_null() && name != "note");
            (name.clone(), if is_unknown { Value::unknown(value.ty().clone()) } else { value.clone() })
        });
        let mut answer = PlannedResource::new(Value::object(members));
        if !request.prior.is_null() && of("key") != of("index") {
            answer.diagnostics.push(Diagnostic::error("All keys must be indexed."));
        }
        answer
    });
    Kit::default().resource("kit_labelled", thing)
}

#[test]
fn a_prior_object_has_what_the_provider_computes() {
    let start = || async { Ok(Arc::new(labelled_kit()) as Arc<dyn Provider>) };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let (kit, model) = (labelled_kit(), &learned.types["kit_labelled"]);
    assert_eq!(stable(model, "labels", Situation::Updated), Some(&Outcome::Kept));
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources["kit_labelled"].block;
    let config = Value::object([("name", Value::from("a")), ("note", Value::from("n"))]);
    for labels in [no_tags(), Value::map(Type::String, [("k", "v")]).unwrap()] {
        let prior = Value::object([("name", Value::from("a")), ("labels", labels.clone())]);
        let planned = played(&kit, model, Some(&block.coerce_config(&prior).unwrap()), &config);
        assert_eq!(planned.attribute("labels").unwrap(), &labels);
    }
}

/// A provider of the older SDK with blocks whose arguments are all optional: one is kept where it has only empty values, one
/// always, and one has tags that become empty while something changes.
fn blocks_kit() -> Kit {
    let flag = || Attribute::optional(Type::Bool);
    let expiry = Block::new([("enabled", flag()), ("field", Attribute::optional(Type::String))], []);
    let credit = Block::new([("mode", Attribute::optional(Type::String))], []);
    let disk = Block::new(
        [("size", Attribute::optional(Type::Number)), ("tags", Attribute::optional(Type::map(Type::String)))],
        [],
    );
    let one = |block| {
        let mut nested = NestedBlock::new(NestingMode::List, block);
        nested.max_items = 1;
        nested
    };
    let block = Block::new(
        [("name", Attribute::required(Type::String)), ("note", Attribute::optional(Type::String))],
        [("credit", one(credit)), ("disk", one(disk)), ("expiry", one(expiry))],
    );
    let thing = ResourceType::new(block).on_plan(|request| {
        let PlanResourceChange { prior, config, proposed, .. } = request;
        let is_left_out = |name: &str| config.attribute(name).unwrap().is_empty();
        let before = |name: &str| prior.attribute(name).filter(|blocks| !blocks.is_empty());
        let is_on = |expiry: &Value| {
            let flag = expiry.index(0).and_then(|one| one.attribute("enabled").cloned());
            flag.and_then(|flag| flag.as_bool()) == Some(true)
        };
        let with =
            |change: &dyn Fn(&str, &Value) -> Option<Value>| {
                let members = proposed.as_object().unwrap().iter();
                Value::object(members.map(|(name, value)| {
                    (name.clone(), change(name, value).unwrap_or_else(|| value.clone()))
                }))
            };
        let kept = with(&|name, _| match (name, before(name)) {
            ("credit", Some(before)) if is_left_out(name) => Some(before.clone()),
            ("expiry", Some(before)) if is_left_out(name) && !is_on(before) => Some(before.clone()),
            _ => None,
        });
        let is_changed = !prior.is_null() && !kept.identical(prior);
        let planned = kept.transform(|path, part| {
            let is_tags = path.to_string() == "disk[0].tags" && part.is_null();
            Ok::<_, std::convert::Infallible>(if is_tags && is_changed { no_tags() } else { part })
        });
        let mut answer = PlannedResource::new(planned.unwrap());
        answer.legacy_type_system = true;
        answer
    });
    Kit::default().resource("kit_blocks", thing)
}

#[test]
fn blocks_that_are_left_out_are_kept_or_not() {
    let start = || async { Ok(Arc::new(blocks_kit()) as Arc<dyn Provider>) };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let (kit, model) = (blocks_kit(), &learned.types["kit_blocks"]);
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources["kit_blocks"].block;
    let expiry = |enabled: bool, field: &str| {
        Value::tuple([Value::object([("enabled", Value::from(enabled)), ("field", Value::from(field))])])
    };
    let credit = Value::tuple([Value::object([("mode", "fast")])]);
    let disk = |tags: Value| Value::tuple([Value::object([("size", Value::from(3)), ("tags", tags)])]);
    let nothing = || Value::null(Type::map(Type::String));
    let object = |members: Vec<(&str, Value)>| {
        let members = std::iter::once(("name", Value::from("a"))).chain(members);
        block.coerce_config(&Value::object(members)).unwrap()
    };
    let note = || ("note", Value::from("n"));
    for (before, config, after) in [
        (vec![("expiry", expiry(false, ""))], vec![], vec![("expiry", expiry(false, ""))]),
        (vec![("expiry", expiry(true, "f"))], vec![], vec![]),
        (vec![("credit", credit.clone())], vec![], vec![("credit", credit.clone())]),
        (vec![("credit", credit.clone())], vec![note()], vec![("credit", credit), note()]),
        (vec![("disk", disk(nothing()))], vec![("disk", disk(nothing()))], vec![("disk", disk(nothing()))]),
        (
            vec![("disk", disk(nothing()))],
            vec![("disk", disk(nothing())), note()],
            vec![("disk", disk(no_tags())), note()],
        ),
    ] {
        let planned = played(&kit, model, Some(&object(before.clone())), &object(config));
        assert!(planned.identical(&object(after)), "{before:?}: {planned}");
    }
}

/// A provider of the older SDK: it plans null where `false` is added to an object, and keeps a text that is left out. It
/// knows only the rules of a document, and takes all others for equal.
fn older_kit() -> Kit {
    let text = || Attribute::optional(Type::String);
    let block = Block::new(
        [
            ("name", Attribute::required(Type::String)),
            ("force", Attribute::optional(Type::Bool)),
            ("state", text()),
            ("policy", text()),
        ],
        [],
    );
    let rules = |document: &Value| {
        let document: Option<serde_json::Value> =
            document.as_str().and_then(|text| serde_json::from_str(text).ok());
        document.and_then(|document| document.get("rules").cloned())
    };
    let thing = ResourceType::new(block).on_plan(move |request| {
        let PlanResourceChange { prior, proposed, .. } = request;
        let members = proposed.as_object().unwrap().iter().map(|(name, value)| {
            let before = prior.attribute(name).filter(|before| !before.is_null());
            let value = match (name.as_str(), before) {
                ("force", None) if !prior.is_null() && value.as_bool() == Some(false) => {
                    Value::null(Type::Bool)
                }
                ("state", Some(before)) if value.is_null() => before.clone(),
                ("policy", Some(before)) if !value.is_null() && rules(before) == rules(value) => {
                    before.clone()
                }
                _ => value.clone(),
            };
            (name.clone(), value)
        });
        let mut answer = PlannedResource::new(Value::object(members));
        answer.legacy_type_system = true;
        answer.requires_replace.push(Path::root().attribute("policy"));
        answer
    });
    Kit::default().resource("kit_older", thing)
}

#[test]
fn false_is_told_from_null_in_new_objects_alone() {
    let start = || async { Ok(Arc::new(older_kit()) as Arc<dyn Provider>) };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let (kit, model) = (older_kit(), &learned.types["kit_older"]);
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources["kit_older"].block;
    let object = |members: Vec<(&str, Value)>| {
        let members = std::iter::once(("name", Value::from("a"))).chain(members);
        block.coerce_config(&Value::object(members)).unwrap()
    };
    let force = |on: bool| object(vec![("force", Value::from(on))]);
    let nothing = object(vec![]);
    assert!(played(&kit, model, None, &force(false)).identical(&force(false)));
    assert!(played(&kit, model, Some(&nothing), &force(true)).identical(&force(true)));
    assert!(played(&kit, model, Some(&nothing), &force(false)).identical(&nothing));
    assert!(played(&kit, model, Some(&force(true)), &force(false)).identical(&force(false)));
    // A text that is kept is kept in its case.
    let state = object(vec![("state", Value::from("ENABLED"))]);
    assert!(played(&kit, model, Some(&state), &nothing).identical(&state));
}

#[test]
fn a_document_that_may_be_ignored_is_undecided() {
    let start = || async { Ok(Arc::new(older_kit()) as Arc<dyn Provider>) };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let (kit, model) = (older_kit(), &learned.types["kit_older"]);
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources["kit_older"].block;
    let object = |policy: &str| {
        let object = Value::object([("name", Value::from("a")), ("policy", Value::from(policy))]);
        block.coerce_config(&object).unwrap()
    };
    let (before, after) = (object(r#"{"rules":["x"]}"#), object(r#"{"rules":["y"]}"#));
    let Ok(Planning::Ask(question)) = begin_plan(&PlanRequest::new(block, &before, &after)) else { panic!() };
    let played = model.play(block, question.request(), PlayOptions::default());
    assert!(played.may_replace);
    assert!(!played.answer.planned.attribute("policy").unwrap().is_known());
    // White space alone means nothing.
    let spaced = object(r#"{ "rules": ["x"] }"#);
    let Ok(Planning::Ask(question)) = begin_plan(&PlanRequest::new(block, &before, &spaced)) else {
        panic!()
    };
    let played = model.play(block, question.request(), PlayOptions::default());
    assert!(played.answer.planned.identical(&before) && !played.may_replace);
}

/// Terraform refuses other values than configured ones, but from providers of the older SDK.
#[test]
fn a_configured_value_is_planned_where_probes_disagree() {
    let block = Block::new(
        [("name", Attribute::required(Type::String)), ("spec", Attribute::optional(Type::String))],
        [],
    );
    let kit = move || {
        let calls = AtomicU64::new(0);
        let thing = ResourceType::new(block.clone()).on_plan(move |request| {
            let is_kept = calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
            let members = request.proposed.as_object().unwrap().iter().map(|(name, value)| {
                let before = request.prior.attribute(name).filter(|_| is_kept && name == "spec");
                let before = before.filter(|before| !before.is_null() && !value.is_null());
                (name.clone(), before.unwrap_or(value).clone())
            });
            PlannedResource::new(Value::object(members))
        });
        Kit::default().resource("kit_alike", thing)
    };
    let start = {
        let kit = kit.clone();
        move || {
            let kit = kit();
            async move { Ok(Arc::new(kit) as Arc<dyn Provider>) }
        }
    };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let model = &learned.types["kit_alike"];
    assert_eq!(stable(model, "spec", Situation::Reconfigured), None);
    let object = |spec: &str| Value::object([("name", "a"), ("spec", spec)]);
    let planned = played(&kit(), model, Some(&object("x")), &object("y"));
    assert!(planned.identical(&object("y")), "{planned}");
}

/// A provider that plans updates only where two arguments agree, and says so.
#[test]
fn a_base_is_one_whose_updates_are_planned() {
    let block = Block::new(
        [
            ("key", Attribute::required(Type::String)),
            ("index", Attribute::required(Type::String)),
            ("arn", Attribute::computed(Type::String)),
        ],
        [],
    );
    let start = move || {
        let thing = ResourceType::new(block.clone()).on_plan(|request| {
            let of = |name: &str| request.config.attribute(name).unwrap().clone();
            let members = request.proposed.as_object().unwrap().iter().map(|(name, value)| {
                let is_unknown = name == "arn" && request.prior.is_null();
                (name.clone(), if is_unknown { Value::unknown(Type::String) } else { value.clone() })
            });
            let mut answer = PlannedResource::new(Value::object(members));
            if !request.prior.is_null() && of("key") != of("index") {
                answer.diagnostics.push(Diagnostic::error(format!(
                    "all keys must be indexed. Unused keys: [{}]\nUnmatched indexes: [{}]",
                    of("key"),
                    of("index")
                )));
            }
            answer
        });
        async move { Ok(Arc::new(Kit::default().resource("kit_indexed", thing)) as Arc<dyn Provider>) }
    };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    assert!(learned.info.partly_learned.is_empty(), "{:?}", learned.info.partly_learned);
    let model = &learned.types["kit_indexed"];
    assert_eq!(stable(model, "arn", Situation::Updated), Some(&Outcome::Kept));
}

/// A provider with an argument that has a default only where another one is set.
#[test]
fn a_default_depends_on_whether_another_argument_is_set() {
    let text = || Attribute::optional(Type::String);
    let scope = Attribute::optional_computed(Type::String);
    let block = Block::new(
        [("policy", text()), ("scope", scope), ("name", text()), ("note", text()), ("topic", text())],
        [],
    );
    let kit = {
        let block = block.clone();
        move || {
            let thing = ResourceType::new(block.clone()).on_plan(|request| {
                let of = |name: &str| request.config.attribute(name).unwrap();
                let members = request.proposed.as_object().unwrap().iter().map(|(name, value)| {
                    let value = match name.as_str() {
                        "scope" if of("scope").is_null() && !of("policy").is_null() => {
                            Value::from("attributes")
                        }
                        "scope" if of("scope").is_null() && request.prior.is_null() => {
                            Value::unknown(Type::String)
                        }
                        _ => value.clone(),
                    };
                    (name.clone(), value)
                });
                PlannedResource::new(Value::object(members))
            });
            Kit::default().resource("kit_scoped", thing)
        }
    };
    let start = {
        let kit = kit.clone();
        move || {
            let kit = kit();
            async move { Ok(Arc::new(kit) as Arc<dyn Provider>) }
        }
    };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let model = &learned.types["kit_scoped"];
    let prior = |policy: Option<&str>, scope: &str| {
        let policy = policy.map_or(Value::null(Type::String), Value::from);
        let object = Value::object([("policy", policy), ("scope", Value::from(scope))]);
        block.coerce_config(&object).unwrap()
    };
    for (policy, before, after) in
        [(Some("p"), "attributes", "attributes"), (Some("p"), "body", "attributes"), (None, "body", "body")]
    {
        let config = policy.map_or(Value::null(Type::String), Value::from);
        let config = Value::object([("policy", config)]);
        let planned = played(&kit(), model, Some(&prior(policy, before)), &config);
        assert_eq!(planned.attribute("scope").unwrap(), &Value::from(after), "{policy:?} {before}");
    }
}

/// A provider that repeats an argument in other forms, and refuses a certain one with it in the message.
fn repeating_kit() -> Kit {
    let block = Block::new(
        [
            ("name", Attribute::required(Type::String)),
            ("note", Attribute::optional(Type::String)),
            ("reversed", Attribute::computed(Type::String)),
            ("size", Attribute::optional_computed(Type::Number)),
        ],
        [],
    );
    let thing = ResourceType::new(block).on_plan(|request| {
        let name = request.config.attribute("name").unwrap().as_str().unwrap_or_default().to_owned();
        // It knows only the names in given objects.
        let is_known = name.contains(SECRET);
        let members = request.proposed.as_object().unwrap().iter().map(|(part, value)| {
            let is_left_out = request.config.attribute(part).unwrap().is_null();
            let value = match part.as_str() {
                "reversed" if is_known => Value::from(name.chars().rev().collect::<String>()),
                "reversed" => Value::unknown(Type::String),
                "size" if is_left_out && is_known => Value::from(name.len() as i64),
                "size" if is_left_out => Value::from(8),
                _ => value.clone(),
            };
            (part.clone(), value)
        });
        let mut answer = PlannedResource::new(Value::object(members));
        if is_known && !request.prior.is_null() && !request.config.attribute("note").unwrap().is_null() {
            answer.diagnostics.push(Diagnostic::error(format!("{name} has a note")));
        }
        answer
    });
    Kit::default().resource("kit_repeating", thing)
}

#[test]
fn a_model_holds_no_value_of_the_objects_of_people() {
    let nothing = Value::null(Type::String);
    let object = |name: &str, note: &Value| {
        Value::object([
            ("name", Value::from(name)),
            ("note", note.clone()),
            ("reversed", Value::from(name.chars().rev().collect::<String>())),
            ("size", Value::from(name.len() as i64)),
        ])
    };
    let mut options = LearnOptions::default();
    options.given = ["", "-1", "-2"]
        .map(|end| object(&format!("{SECRET}{end}"), &nothing))
        .into_iter()
        .chain([object(SECRET, &Value::from("n0te-of-people"))])
        .map(|prior| GivenObject {
            type_name: "kit_repeating".into(),
            prior: Some(prior.clone()),
            planned: Some(prior),
        })
        .collect();
    let start = || async { Ok(Arc::new(repeating_kit()) as Arc<dyn Provider>) };
    let without = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    let with = runtime().block_on(learn(start, options, |_| ())).unwrap();
    // The objects were planned, and show that the size is not always the same.
    let size =
        |learned: &Learned| stable(&learned.types["kit_repeating"], "size", Situation::Created).cloned();
    assert_eq!(size(&without), Some(Outcome::Constant("8".to_owned())));
    assert_ne!(size(&with), size(&without));
    let texts = [with.types["kit_repeating"].to_text(), with.info.to_text()];
    let reversed: String = SECRET.chars().rev().collect();
    for part in [SECRET, &reversed, "n0te", &SECRET.len().to_string()] {
        let is_size = part.len() == 2;
        let found = |text: &String| match is_size {
            true => text.contains(&format!("\"constant\":\"{part}\"")),
            false => text.contains(part),
        };
        assert!(!texts.iter().any(found), "{part}: {texts:?}");
    }
}

/// A fresh request, made of random values.
fn request(block: &Block, dice: &mut u64) -> Option<PlanResourceChange> {
    let mut roll = |sides: u64| {
        *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*dice >> 33) % sides
    };
    let mut object = |is_prior: bool| {
        let mut text = |what: &str| match roll(3) {
            0 => Value::null(Type::String),
            n => Value::from(format!("{what}{n}")),
        };
        let (zone, script, mode) = (text("z"), text("script"), text("mode"));
        let tags = match roll(3) {
            0 => Value::null(Type::map(Type::String)),
            n => Value::map(Type::String, [("k", format!("v{n}"))]).unwrap(),
        };
        let flag = match roll(3) {
            0 => Value::null(Type::Bool),
            n => Value::from(n == 1),
        };
        let rules = (0..roll(3)).map(|port| {
            Value::object([
                ("port", Value::from(80 + port as i64)),
                ("protocol", if is_prior { Value::from("tcp") } else { Value::null(Type::String) }),
            ])
        });
        let rules = Value::tuple(rules.collect::<Vec<_>>());
        let computed = |value: Value| if is_prior { value } else { Value::null(value.ty().clone()) };
        Value::object([
            ("id", computed(Value::from("i-1"))),
            ("name", Value::from(format!("n{}", roll(2)))),
            ("zone", zone),
            ("size", if is_prior || roll(2) == 0 { Value::from(8) } else { Value::null(Type::Number) }),
            ("mode", mode),
            ("script", script),
            ("replace_on_script", flag),
            ("tags_all", computed(if tags.is_null() { no_tags() } else { tags.clone() })),
            ("tags", tags),
            ("version", computed(Value::from(3))),
            ("echo", computed(Value::from(SECRET))),
            ("rule", rules),
        ])
    };
    let (prior, config) =
        (block.coerce_config(&object(true)).ok()?, block.coerce_config(&object(false)).ok()?);
    let is_new = dice.is_multiple_of(5);
    let prior = if is_new { Value::null(block.implied_type().clone()) } else { prior };
    match begin_plan(&PlanRequest::new(block, &prior, &config)) {
        Ok(Planning::Ask(question)) => Some(question.request().clone()),
        _ => None,
    }
}

#[test]
fn stable_facts_hold_in_fresh_probes() {
    let (model, block, kit) = (planted(), block(), kit());
    let (mut dice, mut known) = (42, 0_u32);
    for _ in 0..10_000 {
        let request = request(&block, &mut dice).unwrap();
        let answer = runtime_answer(&kit, &request);
        let strict = PlayOptions { is_strict: true, ..PlayOptions::default() };
        let played = model.play(&block, &request, strict);
        let replaced = |answer: &PlannedResource| {
            let differs = |path: &Path| request.prior.at(path) != answer.planned.at(path);
            !request.prior.is_null() && answer.requires_replace.iter().any(differs)
        };
        if !played.may_replace {
            assert_eq!(replaced(&played.answer), replaced(&answer), "{}\n{}", request.prior, request.config);
        }
        if replaced(&answer) {
            continue;
        }
        for (name, ours) in played.answer.planned.as_object().unwrap().iter() {
            // Nobody can foresee the order in which they were called.
            if ours.is_wholly_known() && name != "noise" {
                known += 1;
                let theirs = answer.planned.attribute(name).unwrap();
                assert!(
                    ours.identical(theirs),
                    "{name}: {ours} and {theirs}\n{}\n{}",
                    request.prior,
                    request.config
                );
            }
        }
    }
    assert!(known > 50_000, "{known}");
}

fn runtime_answer(kit: &Kit, request: &PlanResourceChange) -> PlannedResource {
    thread_local!(static RUNTIME: tokio::runtime::Runtime = runtime());
    RUNTIME.with(|runtime| runtime.block_on(kit.plan("kit_planted", request))).unwrap()
}

/// A provider that panics on some prior objects, and refuses all calls but those of learning.
struct Fragile(Kit);

#[async_trait::async_trait]
impl Provider for Fragile {
    async fn call(&self, call: Call<'_>) -> objchange_provider::Result<Reply> {
        match call {
            Call::Schemas | Call::Configure(_) | Call::Validate(..) => {}
            Call::Plan("kit_odd", request) if !request.prior.is_null() => {
                return Err(ErrorKind::Disconnected.into());
            }
            Call::Plan(..) => {}
            other => panic!("{other:?} was called"),
        }
        self.0.call(call).await
    }
}

/// A provider of the older SDK that keeps a block which is left out, as if it were there with nothing in it, and whose version is
/// computed again beside a flag. It has a set of objects with empty texts in place of null.
fn keeping_kit() -> Kit {
    let text = || Attribute::optional(Type::String);
    let mail = Block::new([("sender", text()), ("account", text())], []);
    let rule = Type::object([("name", Type::String), ("note", Type::String), ("code", Type::Number)]);
    let block = Block::new(
        [
            ("name", text()),
            ("memory", Attribute::optional(Type::Number)),
            ("publish", Attribute::optional(Type::Bool)),
            ("version", Attribute::computed(Type::String)),
            ("rules", Attribute::optional(Type::set(rule))),
        ],
        [("mail", NestedBlock::new(NestingMode::List, mail))],
    );
    let thing = ResourceType::new(block).on_plan(|request| {
        let PlanResourceChange { prior, config, proposed, .. } = request;
        let of = |object: &Value, name: &str| object.attribute(name).cloned();
        let or_empty =
            |value: Option<Value>| value.filter(|value| !value.is_null()).unwrap_or(Value::from(""));
        let members = proposed.as_object().unwrap().iter().map(|(name, value)| {
            let configured = config.attribute(name).unwrap();
            let before = of(prior, name).filter(|before| before.len() == Some(1));
            let is_published = config.attribute("publish").unwrap().as_bool() == Some(true);
            let value = match name.as_str() {
                "mail" => {
                    let blocks = if configured.is_empty() { before.as_ref() } else { Some(configured) };
                    let elements = blocks.and_then(Value::as_elements).unwrap_or_default().iter();
                    let planned = elements.enumerate().map(|(i, block)| {
                        let kept = |name: &str| {
                            let before =
                                prior.attribute("mail").and_then(|mail| mail.index(i)?.attribute(name));
                            before.filter(|before| before.as_str() == Some("")).cloned()
                        };
                        let set = |name: &str| match configured.is_empty() {
                            true => None,
                            false => of(block, name).filter(|value| !value.is_null()),
                        };
                        let sender = set("sender").or_else(|| kept("sender"));
                        let account = set("account").unwrap_or(Value::from("STANDARD"));
                        Value::object([
                            ("sender", sender.unwrap_or(Value::null(Type::String))),
                            ("account", account),
                        ])
                    });
                    Value::tuple(planned).convert(value.ty()).unwrap()
                }
                "version" if prior.is_null() || is_published => Value::unknown(Type::String),
                "rules" if !configured.is_null() => {
                    let rules = configured.as_elements().unwrap().iter().map(|rule| {
                        Value::object([
                            ("name", or_empty(of(rule, "name"))),
                            ("note", or_empty(of(rule, "note"))),
                            ("code", of(rule, "code").unwrap()),
                        ])
                    });
                    let planned = Value::tuple(rules).convert(value.ty()).unwrap();
                    let zeros = |set: &Value| {
                        let zeroed = set.transform(|_, part| {
                            let is_number = part.is_null() && *part.ty() == Type::Number;
                            Ok::<_, std::convert::Infallible>(if is_number { Value::from(0) } else { part })
                        });
                        zeroed.unwrap_or_else(|never| match never {})
                    };
                    match before.filter(|before| zeros(before).identical(&zeros(&planned))) {
                        Some(before) => before,
                        None => planned,
                    }
                }
                _ => value.clone(),
            };
            (name.clone(), value)
        });
        let mut answer = PlannedResource::new(Value::object(members));
        answer.legacy_type_system = true;
        answer
    });
    Kit::default().resource("kit_keeping", thing)
}

fn keeping_model() -> TypeModel {
    let start = || async { Ok(Arc::new(keeping_kit()) as Arc<dyn Provider>) };
    let mut learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    learned.types.remove("kit_keeping").unwrap()
}

#[test]
fn a_block_is_kept_as_if_it_had_nothing_in_it() {
    let (kit, model) = (keeping_kit(), keeping_model());
    assert_eq!(stable(&model, "mail", Situation::Updated), Some(&Outcome::KeptBlocks));
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources["kit_keeping"].block;
    let mail = |blocks: &[[&str; 2]]| {
        let blocks = blocks.iter().map(|[sender, account]| {
            Value::object([("sender", Value::from(*sender)), ("account", Value::from(*account))])
        });
        let object = Value::object([
            ("name", Value::from("a")),
            ("version", Value::from("1")),
            ("mail", Value::tuple(blocks)),
        ]);
        block.coerce_config(&object).unwrap()
    };
    let config = Value::object([("name", Value::from("a"))]);
    let planned = |blocks: &[[&str; 2]]| {
        played(&kit, &model, Some(&mail(blocks)), &config).attribute("mail").unwrap().to_string()
    };
    // Nothing changes where the block has its default and empty values, as a provider reads it.
    let unchanged = played(&kit, &model, Some(&mail(&[["", "STANDARD"]])), &config);
    assert!(unchanged.identical(&mail(&[["", "STANDARD"]])), "{unchanged}");
    assert_eq!(planned(&[["a@b", "OWN"]]), r#"[{account = "STANDARD", sender = null}]"#);
    // Several blocks are another matter.
    assert_ne!(
        planned(&[["", "STANDARD"], ["", "STANDARD"]]),
        mail(&[["", "STANDARD"], ["", "STANDARD"]]).attribute("mail").unwrap().to_string()
    );
}

#[test]
fn a_flag_decides_whether_a_value_is_kept() {
    let (kit, model) = (keeping_kit(), keeping_model());
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources["kit_keeping"].block;
    let object = |publish: bool, memory: i64| {
        let object = [
            ("name", Value::from("a")),
            ("publish", Value::from(publish)),
            ("memory", Value::from(memory)),
            ("version", Value::from("1")),
        ];
        block.coerce_config(&Value::object(object)).unwrap()
    };
    let config = |publish: Value, memory: i64| {
        Value::object([("name", Value::from("a")), ("publish", publish), ("memory", Value::from(memory))])
    };
    for (publish, memory, is_known) in [
        (Value::from(false), 1, true),
        (Value::from(false), 2, true),
        (Value::from(true), 1, false),
        (Value::from(true), 2, false),
        (Value::unknown(Type::Bool), 1, false),
    ] {
        let prior = object(publish.as_bool() == Some(true), 1);
        let planned = played(&kit, &model, Some(&prior), &config(publish.clone(), memory));
        assert_eq!(planned.attribute("version").unwrap().is_known(), is_known, "{publish} {memory}");
    }
}

#[test]
fn objects_that_differ_in_empty_values_are_the_same() {
    let (kit, model) = (keeping_kit(), keeping_model());
    assert_eq!(stable(&model, "rules", Situation::Alike), Some(&Outcome::Kept));
    let schemas = runtime().block_on(kit.schemas()).unwrap();
    let block = &schemas.resources["kit_keeping"].block;
    let with_rule = |name: &str, note: Value, code: Value| {
        let rule = Value::object([("name", Value::from(name)), ("note", note), ("code", code)]);
        let object =
            [("name", Value::from("a")), ("version", Value::from("1")), ("rules", Value::tuple([rule]))];
        block.coerce_config(&Value::object(object)).unwrap()
    };
    let null = |ty| Value::null(ty);
    let configured = |name: &str| {
        let whole = with_rule(name, null(Type::String), null(Type::Number));
        let rules = whole.attribute("rules").unwrap().clone();
        Value::object([("name", Value::from("a")), ("rules", rules)])
    };
    for code in [null(Type::Number), Value::from(0)] {
        let prior = with_rule("r", Value::from(""), code);
        let planned = played(&kit, &model, Some(&prior), &configured("r"));
        assert!(planned.identical(&prior), "{planned}");
    }
    let prior = with_rule("r", Value::from(""), null(Type::Number));
    let planned = played(&kit, &model, Some(&prior), &configured("s"));
    let expected = with_rule("s", Value::from(""), null(Type::Number));
    assert!(planned.identical(&expected), "{planned}");
}

#[test]
fn a_provider_that_crashes_is_started_again() {
    let starts = Arc::new(AtomicU64::new(0));
    let counted = starts.clone();
    let start = move || {
        let starts = counted.clone();
        async move {
            starts.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::new(Fragile(kit())) as Arc<dyn Provider>)
        }
    };
    let learned = runtime().block_on(learn(start, LearnOptions::default(), |_| ())).unwrap();
    assert!(learned.types.contains_key("kit_planted"));
    assert!(starts.load(Ordering::Relaxed) > 2);
    let reason = &learned.info.partly_learned["kit_odd"];
    assert!(reason.contains("does not answer"), "{reason}");
}

#[test]
fn settings_that_are_refused_are_an_error_without_their_secrets() {
    let hints = format!(r#"{{"provider": {{"token": {{"$sensitive": "{SECRET}"}}}}}}"#);
    let mut options = LearnOptions::default();
    options.hints = Hints::parse(hints.as_bytes()).unwrap();
    let refusing = || async {
        let kit = kit().on_configure(|config| {
            let token = config.attribute("token").and_then(Value::as_str).unwrap_or_default();
            vec![Diagnostic::error(format!("{token} is no token"))]
        });
        Ok(Arc::new(kit) as Arc<dyn Provider>)
    };
    let error = runtime().block_on(learn(refusing, options, |_| ())).unwrap_err();
    assert!(error.to_string().contains("is no token"), "{error}");
    assert!(!error.to_string().contains(SECRET), "{error}");
}
