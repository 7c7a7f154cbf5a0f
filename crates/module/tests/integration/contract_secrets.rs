//! Errors about providers that break their contract show no secret, in whatever form the provider repeats it.

use std::collections::BTreeMap;

use objchange::Value;
use objchange::schema::ProviderSchemas;
use objchange_hcl::Functions;
use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use objchange_module::plan::{GivenVariable, PlanInput, PlanOptions, plan};
use objchange_module::state::PriorState;
use objchange_module::{
    DiagnosticPrinter, ProviderCall, ProviderConfigAddress, ProviderReply, Providers, Schemas,
    SimulatedProviders,
};
use proptest::prelude::*;

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/local/leak":{
    "resource_schemas":{"leak_thing":{"version":0,"block":{"attributes":{
        "password":{"type":"string","optional":true,"sensitive":true},
        "name":{"type":"string","optional":true},
        "note":{"type":"string","optional":true},
        "tags":{"type":["map","string"],"optional":true},
        "any":{"type":"dynamic","optional":true},
        "zones":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
            "label":{"type":"string","optional":true}}}}},
        "block_types":{"disk":{"nesting_mode":"map","block":{"attributes":{
            "label":{"type":"string","optional":true}}}}}}}}}}}"#;

/// A provider that plans an attribute as it pleases.
struct Leaking {
    simulated: SimulatedProviders<'static>,
    attribute: &'static str,
    value: Value,
}

impl Providers for Leaking {
    fn is_simulated(&self, _: &ProviderConfigAddress) -> bool {
        false
    }

    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply {
        let is_plan = matches!(call, ProviderCall::Plan(..));
        match self.simulated.call(provider, call) {
            ProviderReply::Plan(Ok(mut planned)) if is_plan => {
                let object = planned.planned.as_object().unwrap();
                let members = object.iter().map(|(name, value)| match name == self.attribute {
                    true => (name.clone(), self.value.clone()),
                    false => (name.clone(), value.clone()),
                });
                planned.planned = Value::object(members);
                ProviderReply::Plan(Ok(planned))
            }
            reply => reply,
        }
    }
}

/// Where the secret is: in the configuration by its schema, there by a sensitive variable, or in the state.
const SOURCES: [(&str, bool); 3] = [("password = var.pin", false), ("name = var.pin", true), ("", false)];

/// The errors about a module whose secret a provider repeats in this form.
fn errors(secret: &str, source: usize, attribute: &'static str, value: Value) -> String {
    let (argument, is_sensitive) = SOURCES[source];
    let main = format!(
        "terraform {{\n  required_providers {{\n    leak = {{ source = \"local/leak\" }}\n  }}\n}}\nvariable \"pin\" \
         {{\n  sensitive = {is_sensitive}\n}}\nresource \"leak_thing\" \"a\" {{\n  {argument}\n  zones = {{ a = {{}} \
         }}\n  disk \"a\" {{}}\n}}\n"
    );
    let files: MemoryFiles = [("main.tf", &*main)].into_iter().collect();
    let (config, found) = Config::load(&files, ".", &LoadOptions::new("1.15.5"));
    assert!(!found.has_errors(), "{found:?}");
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    let state = match source {
        2 => format!(
            r#"{{"version":4,"lineage":"x","outputs":{{}},"resources":[{{"mode":"managed","type":"leak_thing","name":"a",
            "provider":"provider[\"registry.terraform.io/local/leak\"]",
            "instances":[{{"schema_version":0,"attributes":{{"password":"{secret}"}}}}]}}]}}"#
        ),
        _ => r#"{"version":4,"lineage":"x","outputs":{},"resources":[]}"#.to_owned(),
    };
    let (state, _) = PriorState::read(&state, &schemas).unwrap();
    let pin = GivenVariable { value: secret.into(), origin: "set using a test".to_owned(), span: None };
    let variables = BTreeMap::from([("pin".into(), pin)]);
    let input = PlanInput {
        config: &config,
        schemas: &schemas,
        state: &state,
        variables: &variables,
        functions: Functions::pure(),
        options: &PlanOptions::default(),
    };
    let simulated = SimulatedProviders::default();
    let planned = plan(&input, &mut Leaking { simulated, attribute, value });
    assert!(planned.diagnostics.has_errors());
    format!(
        "{}{:?}",
        DiagnosticPrinter::new(&config, &schemas).text(&planned.diagnostics),
        planned.diagnostics
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_secret_is_in_an_error_about_a_broken_contract(
        secret in "[a-zA-Z0-9]{12,24}",
        source in 0..SOURCES.len(),
        form in 0..4,
        place in 0..7,
    ) {
        let repeated = match form {
            0 => secret.clone(),
            1 => secret.chars().rev().collect(),
            2 => secret[..10].to_owned(),
            _ => secret.to_ascii_uppercase() + "!",
        };
        let object = |members: &[(&str, &str)]| Value::object(members.iter().copied());
        let nothing = || Value::object([("label", Value::null(objchange::Type::String))]);
        let map = |key: &str| Value::map(nothing().ty().clone(), [(key, nothing())]).unwrap();
        let tags = |key: &str, value: &str| Value::map(objchange::Type::String, [(key, value)]).unwrap();
        let (attribute, value) = match place {
            0 => ("note", Value::from(&*repeated)),
            1 => ("tags", tags(&repeated, "x")),
            2 => ("tags", tags("x", &repeated)),
            3 => ("any", object(&[(&repeated, "x")])),
            4 => ("zones", map(&repeated)),
            5 => ("disk", map(&repeated)),
            // Another type than that of the schema.
            _ => ("note", object(&[(&repeated, &repeated)])),
        };
        let text = errors(&secret, source, attribute, value);
        prop_assert!(text.contains("Provider produced invalid plan"), "{text}");
        prop_assert!(!text.contains(&repeated) && !text.contains(&secret), "{text}");
    }
}

#[test]
fn without_secrets_the_values_are_shown() {
    let text = errors("unused", 0, "note", Value::from("made up"));
    assert!(!text.contains("made up"), "{text}");
    let main = "terraform {\n  required_providers {\n    leak = { source = \"local/leak\" }\n  }\n}\nresource \
                \"leak_thing\" \"a\" {\n}\n";
    let files: MemoryFiles = [("main.tf", main)].into_iter().collect();
    let (config, _) = Config::load(&files, ".", &LoadOptions::new("1.15.5"));
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    let input = PlanInput {
        config: &config,
        schemas: &schemas,
        state: &PriorState::default(),
        variables: &BTreeMap::new(),
        functions: Functions::pure(),
        options: &PlanOptions::default(),
    };
    let simulated = SimulatedProviders::default();
    let planned = plan(&input, &mut Leaking { simulated, attribute: "note", value: "made up".into() });
    let text = DiagnosticPrinter::new(&config, &schemas).text(&planned.diagnostics);
    assert!(text.contains("made up"), "{text}");
}
