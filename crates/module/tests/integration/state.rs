//! Reading state files.

use objchange::address::InstanceAddress;
use objchange::schema::ProviderSchemas;
use objchange_module::state::{PriorState, StateObject};
use objchange_module::{ProviderAddress, ProviderConfigAddress, Schemas};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/local/sim":{
    "resource_schemas":{
        "sim_thing":{"version":2,"block":{
            "attributes":{
                "id":{"type":"string","computed":true},
                "name":{"type":"string","required":true},
                "secret":{"type":"string","optional":true,"sensitive":true},
                "shape":{"type":["object",{"a":"string","b":"number"}],"optional":true},
                "tags":{"type":["map","string"],"optional":true}},
            "block_types":{"rule":{"nesting_mode":"list","block":{"attributes":{
                "port":{"type":"number","required":true}}}}}}}}}}}"#;

fn schemas() -> Schemas {
    Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()])
}

/// A state with this resource type, its instances and the provider of the schemas.
fn state(mode: &str, resource_type: &str, instances: &str) -> String {
    format!(
        r#"{{"version":4,"lineage":"x","outputs":{{"o":{{"value":"v","type":"string"}},
            "hidden":{{"value":[1],"type":["list","number"],"sensitive":true}}}},"resources":[
            {{"module":"module.m[\"k\"]","mode":"{mode}","type":"{resource_type}","name":"a",
            "provider":"module.m.provider[\"registry.terraform.io/local/sim\"].east",
            "instances":[{instances}]}}]}}"#
    )
}

fn address() -> InstanceAddress {
    r#"module.m["k"].sim_thing.a"#.parse().unwrap()
}

/// The only object of the state; its errors and warnings are to be none.
fn only(instance: &str) -> StateObject {
    let (state, diagnostics) =
        PriorState::read(&state("managed", "sim_thing", instance), &schemas()).unwrap();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    state.resources[&address().resource].instances[&None].current.clone().unwrap()
}

#[test]
fn an_object_has_the_type_of_its_schema() {
    let object = only(
        r#"{"attributes":{"id":"1","gone":{"x":1},"shape":{"b":2,"c":3},"rule":[{"port":1,"gone":2},{}],
            "tags":{"any":"x"}}}"#,
    );
    assert_eq!(
        object.value.to_string(),
        r#"{id = "1", name = null, rule = [{port = 1}, {port = null}], secret = (sensitive value), shape = {a = null, b = 2}, tags = {"any" = "x"}}"#
    );
    // As Terraform before 0.12 kept it.
    let flat = only(
        r##"{"attributes_flat":{"id":"1","gone.#":"1","gone.0":"x","rule.#":"2","rule.0.port":"1","rule.0.gone":"2",
            "tags.%":"1","tags.any.key":"x"}}"##,
    );
    assert_eq!(
        flat.value.to_string(),
        r#"{id = "1", name = null, rule = [{port = 1}, {port = null}], secret = (sensitive value), shape = {a = null, b = null}, tags = {"any.key" = "x"}}"#
    );
    let empty = only("{}");
    assert_eq!(
        empty.value.to_string(),
        r"{id = null, name = null, rule = [], secret = (sensitive value), shape = null, tags = null}"
    );
}

#[test]
fn what_the_state_calls_sensitive_is_marked_as_well() {
    let object = only(
        r#"{"attributes":{"name":"hunter","secret":"hunter"},
            "sensitive_attributes":[[{"type":"get_attr","value":"name"}]]}"#,
    );
    assert!(!format!("{object:?}").contains("hunter"));
}

#[test]
fn everything_about_an_object_is_read() {
    let object = only(
        r#"{"status":"tainted","private":"aGk=","create_before_destroy":true,
            "dependencies":["module.m.sim_thing.b","data.sim_data.c"]}"#,
    );
    assert!(object.tainted && object.create_before_destroy);
    assert_eq!(object.private.0, b"hi");
    let dependencies: Vec<String> = object.dependencies.iter().map(ToString::to_string).collect();
    assert_eq!(dependencies, ["module.m.sim_thing.b", "data.sim_data.c"]);
}

#[test]
fn deposed_objects_outputs_and_the_provider_configuration_are_read() {
    let text = state("managed", "sim_thing", r#"{"deposed":"01","attributes":{"id":"x"}}"#);
    let (state, _) = PriorState::read(&text, &schemas()).unwrap();
    let resource = &state.resources[&address().resource];
    assert!(resource.instances[&None].current.is_none());
    assert!(resource.instances[&None].deposed.contains_key("01"));
    assert_eq!(resource.provider.to_string(), r#"module.m.provider["registry.terraform.io/local/sim"].east"#);
    assert_eq!(state.outputs["o"].value.to_string(), r#""v""#);
    assert!(state.outputs["hidden"].sensitive);
}

#[test]
fn what_no_schema_describes_is_an_error_and_stays() {
    let newer = state("managed", "sim_thing", r#"{"schema_version":3,"attributes":{"id":"1"}}"#);
    let (prior, diagnostics) = PriorState::read(&newer, &schemas()).unwrap();
    let error = &diagnostics.iter().next().unwrap().diagnostic;
    assert_eq!(error.summary, "Resource instance managed by newer provider version");
    assert!(error.detail.contains(r#"The current state of module.m["k"].sim_thing.a was created by"#));
    assert!(prior.unreadable.contains(&address()));
    assert!(prior.resources.contains_key(&address().resource));

    let unknown = state("managed", "sim_other", "{}");
    let (prior, diagnostics) = PriorState::read(&unknown, &schemas()).unwrap();
    assert_eq!(
        diagnostics.iter().next().unwrap().diagnostic.summary,
        r#"no schema available for module.m["k"].sim_other.a while reading state; this is a bug in Terraform and should be reported"#
    );
    assert_eq!(prior.resources.len(), 1);

    // Data sources are read again.
    let data = state("data", "sim_other", r#"{"schema_version":9,"attributes":{"id":1}}"#);
    let (prior, diagnostics) = PriorState::read(&data, &schemas()).unwrap();
    assert!(diagnostics.is_empty() && prior.unreadable.is_empty() && prior.resources.len() == 1);

    // Whether a provider may be missing is for the caller to say.
    let (prior, diagnostics) = PriorState::read(&newer, &Schemas::default()).unwrap();
    assert!(diagnostics.is_empty() && prior.unreadable.is_empty() && prior.resources.len() == 1);
}

#[test]
fn the_builtin_provider_needs_no_document() {
    let text = r#"{"version":4,"resources":[{"mode":"managed","type":"terraform_data","name":"a",
        "provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[{"attributes":{
        "id":"1","input":{"value":["x"],"type":["list","string"]},"triggers_replace":null,"nope":1}}]}]}"#;
    let (state, diagnostics) = PriorState::read(text, &Schemas::default()).unwrap();
    assert!(diagnostics.is_empty());
    let resource = state.resources.values().next().unwrap();
    let value = &resource.instances[&None].current.as_ref().unwrap().value;
    assert_eq!(
        value.to_string(),
        r#"{id = "1", input = ["x"], output = null, store = null, triggers_replace = null}"#
    );
}

#[test]
fn a_broken_state_is_told_with_its_place_and_without_its_values() {
    let broken = [
        (r#"{"attributes":{"name":{"hunter":1}}}"#, "name: "),
        (r#"{"attributes":{"rule":"hunter"}}"#, "a list of blocks is required"),
        (r#"{"private":"hunter!"}"#, "not in base 64"),
        (r#"{"dependencies":["hunter["]}"#, "not a list of resource addresses"),
        (r#"{"index_key":-1}"#, "not the address of a resource instance"),
        (r#"{},{}"#, "appears multiple times"),
        (r#"{"attributes_flat":{"id":["hunter"]}}"#, "expected a string"),
        (r##"{"attributes_flat":{"rule.#":"1","rule.0.port":"hunter"}}"##, "rule: a number is required"),
        (r#"{"attributes":{"id":"hunter}}"#, "line 5"),
    ];
    for (instances, wanted) in broken {
        let error = PriorState::read(&state("managed", "sim_thing", instances), &schemas()).unwrap_err();
        let told = error.to_string();
        assert!(told.contains(wanted), "{instances}: {told}");
        assert!(told.starts_with("line "), "{told}");
        assert!(!told.contains("hunter") && !format!("{error:?}").contains("hunter"), "{told} {error:?}");
        assert!(!error.kind().is_empty());
    }
    assert!(PriorState::read(r#"{"version":3}"#, &schemas()).is_err());
}

#[test]
fn addresses_of_provider_configurations_are_read_as_they_are_written() {
    for text in [
        r#"provider["registry.terraform.io/hashicorp/aws"]"#,
        r#"module.a.module.b.provider["example.com/x/y"].east"#,
    ] {
        assert_eq!(text.parse::<ProviderConfigAddress>().unwrap().to_string(), text);
    }
    let old: ProviderConfigAddress = "module.a.provider.aws.east".parse().unwrap();
    assert_eq!((old.provider, old.alias.as_deref()), (ProviderAddress::implied("aws"), Some("east")));
    for broken in [
        "",
        "aws",
        "provider.",
        r#"provider["aws"]"#,
        r#"provider["a/b/c"]x"#,
        r#"provider["a/b/c"]."#,
        "module.a",
    ] {
        assert!(broken.parse::<ProviderConfigAddress>().is_err(), "{broken}");
    }
}
