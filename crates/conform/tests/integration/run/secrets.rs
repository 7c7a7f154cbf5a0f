//! Nothing of a secret is in what comes of a run, whatever the provider does with it.

use objchange::change::{Diagnostic, PlannedResource};
use objchange::schema::{Attribute, Block};
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_conform::{Baseline, Hints, Options};
use proptest::prelude::*;

use crate::run::provider::tried;

fn block() -> Block {
    Block::new(
        [
            ("name", Attribute::optional(Type::String)),
            ("note", Attribute::optional_computed(Type::String)),
            ("password", Attribute::optional(Type::String).sensitive()),
            ("pin", Attribute::optional(Type::Number).sensitive()),
            ("keys", Attribute::optional(Type::map(Type::String)).sensitive()),
            ("token", Attribute::optional(Type::String).write_only()),
            ("tags", Attribute::optional(Type::map(Type::String))),
        ],
        [],
    )
}

/// A provider that says and keeps secrets wherever it can.
fn leaky(own: &str) -> Kit {
    let own = own.to_owned();
    let text = |config: &Value, name: &str| {
        config.attribute(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let refuses = ResourceType::new(block()).on_validate(move |config| {
        let mut said = Diagnostic::error(format!("{} is no password", text(config, "password")));
        said.detail = format!("neither is {}, nor {own}", text(config, "tags"));
        vec![said]
    });
    let set = |name: &'static str, from: &'static str| {
        ResourceType::new(block()).on_plan(move |request| {
            let Some(object) = request.proposed.as_object() else {
                return PlannedResource::new(request.proposed.clone());
            };
            let secret = Value::from(text(&request.config, from));
            let part = |(n, v): (&smol_str::SmolStr, &Value)| {
                (n.clone(), if n == name { secret.clone() } else { v.clone() })
            };
            PlannedResource::new(Value::object(object.iter().map(part)))
        })
    };
    Kit::default()
        .configuration(Block::new([("token", Attribute::optional(Type::String).sensitive())], []))
        .resource("kit_refuses", refuses)
        .resource("kit_name", set("name", "password"))
        .resource("kit_token", set("name", "token"))
        .resource("kit_password", set("password", "name"))
        .resource("kit_note", set("note", "password"))
}

fn holds(secret: &str, tags: &str, own: &str) {
    let hints = serde_json::json!({"provider": {"token": own}, "values": {
        "password": {"$sensitive": secret},
        "token": {"$sensitive": secret},
        "keys": {"$sensitive": {secret: secret}},
        "tags": {"$sensitive": {"of": tags}},
    }});
    let mut options = Options::default();
    options.cases = 12;
    options.hints = Hints::parse(hints.to_string().as_bytes()).unwrap();
    let (report, corpus) = {
        let own = own.to_owned();
        tried(move || leaky(&own), options)
    };
    assert!(report.findings().count() > 2);
    let mut shown = format!("{report:?}\n{}", serde_json::to_string(&report).unwrap());
    shown += &corpus.to_json_lines();
    shown += &Baseline::new(&report).to_json();
    for (_, found) in report.findings() {
        shown += &found.finding.message;
        shown += found.case.as_deref().unwrap_or_default();
    }
    // Nulls are not secret.
    for smallest in report.findings().filter_map(|(_, found)| found.smallest.as_ref()) {
        smallest.config.visit(|path, part| {
            assert!(!(part.is_null() && part.is_marked()), "{}", path.to_path());
            objchange::value::Descend::Into
        });
    }
    let refused = report.types.iter().find(|of| of.name == "kit_refuses").unwrap();
    assert!(refused.refusals.iter().all(|refusal| refusal.summary.contains("is no password")));
    for planted in [secret, tags, own] {
        assert!(!shown.contains(planted), "{planted} in {shown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_secret_comes_out(secret in "[a-zA-Z0-9]{8,16}", tags in "[a-z]{10,12}[0-9]{4}", own in "[A-Z]{9}[0-9]{5}") {
        holds(&secret, &tags, &own);
    }
}
