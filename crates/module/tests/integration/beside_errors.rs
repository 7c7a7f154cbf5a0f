//! Errors that Terraform finds, and what it plans beside them. The words and the changes are those of Terraform 1.11.4 and
//! 1.15.5, which were asked for each.

use std::collections::BTreeMap;

use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::Functions;
use objchange_module::config::MemoryFiles;
use objchange_module::plan::{ModulePlan, PlanMode, PlanOptions, PlannedAction};
use objchange_module::state::PriorState;
use objchange_module::variables::VariableSources;
use objchange_module::{Module, ModuleTexts, Schemas, SimulatedProviders};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/sim":{
    "resource_schemas":{"sim_thing":{"version":0,"block":{
        "attributes":{"id":{"type":"string","computed":true},"names":{"type":["list","string"],"optional":true}},
        "block_types":{
            "disk":{"nesting_mode":"list","block":{"attributes":{"size":{"type":"number","optional":true}}}},
            "rule":{"nesting_mode":"set","block":{"attributes":{"port":{"type":"number","optional":true}}}},
            "wait":{"nesting_mode":"single","block":{"attributes":{"create":{"type":"string","optional":true}}}}}}}}}}}"#;

/// Objects of `terraform_data`: `NAME`, `NAME[INDEX]` or `NAME DEPOSED`, and the one that each depends on.
fn state(objects: &[(&str, &str)]) -> String {
    let object = |(at, (name, dependency)): (usize, &(&str, &str))| {
        let (name, deposed) = name.split_once(' ').unwrap_or((name, ""));
        let (name, index) = name.split_once('[').unwrap_or((name, ""));
        let index =
            index.strip_suffix(']').map(|index| format!(r#""index_key":{index},"#)).unwrap_or_default();
        let deposed = match deposed {
            "" => String::new(),
            key => format!(r#""deposed":"{key}","#),
        };
        let dependencies = match *dependency {
            "" => String::new(),
            name => format!(r#","dependencies":["terraform_data.{name}"]"#),
        };
        let instance = format!(
            r#"{{{index}{deposed}"schema_version":0,"attributes":{{"id":"{at}","input":null,"output":null,"triggers_replace":null}}{dependencies}}}"#
        );
        (name.to_owned(), instance)
    };
    let mut resources: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, instance) in objects.iter().enumerate().map(object) {
        resources.entry(name).or_default().push(instance);
    }
    let resources = resources.into_iter().map(|(name, instances)| {
        format!(
            r#"{{"mode":"managed","type":"terraform_data","name":"{name}","provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[{}]}}"#,
            instances.join(",")
        )
    });
    let resources = resources.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"a","outputs":{{}},"resources":[{resources}]}}"#
    )
}

fn planned(files: &[(&str, &str)], state: &str, options: &PlanOptions) -> ModulePlan {
    let files: MemoryFiles = files.iter().copied().collect();
    let version = options.version.to_string();
    let variables = VariableSources::default();
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: &version };
    let module = Module::load(texts, options);
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    let state = match state {
        "" => PriorState::default(),
        state => PriorState::read(state, &schemas).unwrap().0,
    };
    module.plan(&state, &schemas, Functions::pure(), options, &mut SimulatedProviders::default())
}

fn options(version: &str, mode: PlanMode) -> PlanOptions {
    PlanOptions { version: Version::parse(version).unwrap(), mode, ..super::plan::plan_options() }
}

/// The summaries and details of errors.
fn errors_as(version: &str, root: &str) -> Vec<String> {
    let plan = planned(&[("main.tf", root)], "", &options(version, PlanMode::Normal));
    let found = plan.diagnostics.iter().map(|found| &found.diagnostic);
    found.map(|error| format!("{} | {}", error.summary, error.detail)).collect()
}

fn changes(plan: &ModulePlan) -> Vec<String> {
    let change = |change: &objchange_module::plan::PlannedObject| {
        let deposed = change.deposed.as_deref().map(|key| format!(" {key}")).unwrap_or_default();
        format!("{}{deposed} {:?}", change.address, change.action)
    };
    plan.changes.iter().filter(|change| change.action != PlannedAction::NoOp).map(change).collect()
}

#[test]
fn steps_into_attributes_and_blocks_are_checked_before_values_are_known() {
    let of = |steps: &str| {
        errors_as(
            "1.11.4",
            &format!(
                "resource \"sim_thing\" \"a\" {{\n}}\noutput \"o\" {{\n  value = sim_thing.a.{steps}\n}}\n"
            ),
        )
    };
    let cases = [
        ("id[0]", "Invalid index | This value does not have any indices."),
        ("id.x", "Unsupported attribute | Can't access attributes on a primitive-typed value (string)."),
        (
            "names[\"x\"]",
            "Invalid index | The given key does not identify an element in this collection value: a number is required.",
        ),
        (
            "names[0].x",
            "Unsupported attribute | Can't access attributes on a primitive-typed value (string).",
        ),
        (
            "disk.size",
            "Invalid operation | Block type \"disk\" is represented by a list of objects, so it must be indexed using a numeric \
             key, like .disk[0].",
        ),
        (
            "disk[0].weight",
            "Unsupported attribute | This object has no argument, nested block, or exported attribute named \"weight\".",
        ),
        (
            "rule[0].port",
            "Cannot index a set value | Block type \"rule\" is represented by a set of objects, and set elements do not have \
             addressable keys. To find elements matching specific criteria, use a \"for\" expression with an \"if\" clause.",
        ),
        (
            "wait[0]",
            "Invalid index operation | Only attribute access is allowed here, using the dot operator.",
        ),
    ];
    for (steps, error) in cases {
        assert_eq!(of(steps), [error], "{steps}");
    }
    for steps in ["names", "disk", "disk[*].size", "rule", "wait"] {
        assert_eq!(of(steps), [""; 0], "{steps}");
    }
}

#[test]
fn a_key_that_an_unknown_object_lacks_is_an_error_since_1_13() {
    let of = |version: &str, key: &str| {
        let root = format!(
            "resource \"terraform_data\" \"a\" {{\n  input = {{ x = 1 }}\n}}\noutput \"o\" {{\n  value = \
             terraform_data.a.output[{key}]\n}}\n"
        );
        errors_as(version, &root)
    };
    assert_eq!(of("1.12.0", "\"p\""), [""; 0]);
    let missing = "Invalid index | The given key does not identify an element in this collection value.";
    assert_eq!(of("1.13.0", "\"p\""), [missing]);
    let number = " An object only supports looking up attributes by name, not by numeric index.";
    assert_eq!(of("1.13.0", "0"), [format!("{missing}{number}")]);
}

#[test]
fn words_of_older_versions() {
    let of = |version: &str, root: &str| {
        let all = errors_as(version, root);
        all.into_iter()
            .map(|error| error.split(" | ").next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let twice = "terraform {\n  backend \"local\" {}\n  backend \"local\" {}\n}\n";
    assert_eq!(of("1.12.0", twice), ["Duplicate backend configuration"]);
    assert_eq!(of("1.13.0", twice), ["Duplicate 'backend' configuration block"]);
    let both = "terraform {\n  backend \"local\" {}\n  cloud {}\n}\n";
    assert_eq!(of("1.12.0", both)[0], "Both a backend and cloud configuration are present");
    let first =
        "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    create_before_destroy = [1]\n  }\n}\n";
    assert_eq!(errors_as("1.12.0", first), ["Unsuitable value type | Unsuitable value: bool required"]);
    assert_eq!(
        errors_as("1.13.0", first),
        ["Unsuitable value type | Unsuitable value: bool required, but have tuple"]
    );
}

#[test]
fn a_set_of_nulls_has_no_keys() {
    let root = "resource \"terraform_data\" \"a\" {\n  for_each = toset([null])\n}\n";
    assert_eq!(
        errors_as("1.15.5", root),
        [
            "Invalid for_each set argument | The given \"for_each\" argument value is unsuitable: \"for_each\" supports maps and \
          sets of strings, but you have provided a set containing type dynamic."
        ]
    );
}

/// An error says nothing of objects whose block is gone, nor of deposed ones.
#[test]
fn orphans_and_deposed_objects_are_planned_beside_errors() {
    let state = state(&[
        ("a", ""),
        ("b", "a"),
        ("b 00000001", ""),
        ("gone", "a"),
        ("many[0]", "a"),
        ("many[1]", "a"),
        ("many[1] 00000002", ""),
        ("z", ""),
    ]);
    let root = "resource \"terraform_data\" \"a\" {\n  input = [1][length(terraform_data.z.id)]\n}\n\
                resource \"terraform_data\" \"z\" {\n}\n\
                resource \"terraform_data\" \"b\" {\n  depends_on = [terraform_data.a]\n}\n\
                resource \"terraform_data\" \"many\" {\n  count = 1\n  depends_on = [terraform_data.a]\n}\n";
    let plan = planned(&[("main.tf", root)], &state, &options("1.15.5", PlanMode::Normal));
    assert!(plan.errored);
    assert_eq!(
        changes(&plan),
        [
            "terraform_data.b 00000001 Delete",
            "terraform_data.gone Delete",
            "terraform_data.many[1] 00000002 Delete"
        ]
    );
}

#[test]
fn conditions_of_destroy_plans_need_not_hold_but_have_a_result() {
    let with = |condition: &str| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n  lifecycle {{\n    precondition {{\n      condition = {condition}\n      \
             error_message = \"m\"\n    }}\n  }}\n}}\nresource \"terraform_data\" \"z\" {{\n}}\n"
        )
    };
    let state = state(&[("a", ""), ("z", "")]);
    let run = |condition: &str, refresh: bool| {
        let options = PlanOptions { refresh, ..options("1.15.5", PlanMode::Destroy) };
        let plan = planned(&[("main.tf", &*with(condition))], &state, &options);
        (plan.errored, plan.diagnostics.len())
    };
    assert_eq!(run("terraform_data.z.id == \"q\"", true), (false, 0));
    assert_eq!(run("terraform_data.z.id == \"q\" ? true : null", true), (true, 1));
    assert_eq!(run("[1][length(terraform_data.z.id)] == 2", true), (true, 1));
    // Without refreshing nothing is evaluated.
    assert_eq!(run("[1][length(terraform_data.z.id)] == 2", false), (false, 0));
}

#[test]
fn destroy_plans_without_refreshing_say_where_objects_were() {
    let root = "moved {\n  from = terraform_data.a\n  to   = terraform_data.b\n}\n";
    let run = |refresh: bool| {
        let options = PlanOptions { refresh, ..options("1.15.5", PlanMode::Destroy) };
        let plan = planned(&[("main.tf", root)], &state(&[("a", "")]), &options);
        plan.changes[0].previous_address.as_ref().map(ToString::to_string)
    };
    assert_eq!(run(true), None);
    assert_eq!(run(false).as_deref(), Some("terraform_data.a"));
}

#[test]
fn imports_of_missing_instances_are_one_error_for_each_resource() {
    let root = "import {\n  for_each = [1, 2, 3]\n  to       = terraform_data.a[each.key]\n  id       = \"x\"\n}\n\
                resource \"terraform_data\" \"a\" {\n  count = 0\n}\n";
    assert_eq!(errors_as("1.15.5", root).len(), 1);
}

#[test]
fn sources_may_have_backslashes() {
    let root = "module \"m\" {\n  source = \".\\\\net\\\\inner\"\n}\n";
    let files = [("main.tf", root), ("net/inner/main.tf", "resource \"terraform_data\" \"a\" {\n}\n")];
    let plan = planned(&files, "", &options("1.15.5", PlanMode::Normal));
    assert_eq!(changes(&plan), ["module.m.terraform_data.a Create"]);
    // Only a path with a separator is one.
    let error = &errors_as("1.15.5", "module \"m\" {\n  source = \".\"\n}\n")[0];
    assert!(error.starts_with("Invalid module source address"), "{error}");
}
