//! `moved` and `removed` blocks. The expected results are those of Terraform 1.11.4.

use std::collections::BTreeMap;

use objchange::address::{InstanceAddress, ModuleAddress};
use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use objchange_module::plan::Target;
use objchange_module::state::{Instances, MoveTypes, Moves, PriorState, Removals, warn_of_forgotten};
use objchange_module::{Diagnostics, ProviderAddress, ProviderConfigAddress, Schemas, SimulatedProviders};

fn load(files: &[(&str, &str)]) -> Config {
    let files: MemoryFiles = files.iter().copied().collect();
    let options = LoadOptions::new("1.11.4");
    let (config, diagnostics) = Config::load(&files, ".", &options);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    config
}

/// A state with instances at these addresses; the identifier of each is its address.
fn state(addresses: &[&str]) -> PriorState {
    let mut resources: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for address in addresses {
        let InstanceAddress { resource, key } = address.parse().unwrap();
        let key = key.map(|key| format!(r#""index_key":{},"#, key.to_string().trim_matches(['[', ']'])));
        let instance = format!(
            r#"{{{}"attributes":{{"id":{}}}}}"#,
            key.unwrap_or_default(),
            serde_json::Value::from(*address)
        );
        let head = format!(
            r#""module":{},"mode":"managed","type":"{}","name":"{}","provider":"provider[\"terraform.io/builtin/terraform\"]""#,
            serde_json::Value::from(resource.module.to_string()),
            if resource.resource_type == "null_resource" {
                "terraform_data"
            } else {
                &resource.resource_type
            },
            resource.name
        );
        resources.entry(head).or_default().push(instance);
    }
    let resources: Vec<String> = resources
        .iter()
        .map(|(head, instances)| format!(r#"{{{head},"instances":[{}]}}"#, instances.join(",")))
        .collect();
    let text = format!(r#"{{"version":4,"resources":[{}]}}"#, resources.join(","));
    PriorState::read(&text, &Schemas::default()).unwrap().0
}

/// The moves, the state after them, and what is said.
fn apply(config: &Config, mut state: PriorState) -> (Moves, PriorState, Diagnostics) {
    let provider_of = |_: &_| {
        Some(ProviderConfigAddress { module: Vec::new(), provider: ProviderAddress::builtin(), alias: None })
    };
    let schemas = Schemas::default();
    let mut types = MoveTypes {
        schemas: &schemas,
        providers: &mut SimulatedProviders::default(),
        provider_of: &provider_of,
    };
    let mut diagnostics = Diagnostics::default();
    let moves = Moves::apply(config, &mut state, &mut types, &mut diagnostics);
    (moves, state, diagnostics)
}

/// The moves as `new <- old`, and blocked ones as `old x new`.
fn moved(files: &[(&str, &str)], addresses: &[&str]) -> Vec<String> {
    let (moves, state, diagnostics) = apply(&load(files), state(addresses));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let count: usize = state.resources.values().map(|resource| resource.instances.len()).sum();
    assert_eq!(count, addresses.len(), "nothing is lost");
    for (new, old) in &moves.moved {
        let object = state.resources[&new.resource].instances[&new.key].current.as_ref().unwrap();
        assert_eq!(object.value.attribute("id").unwrap().as_str(), Some(old.to_string().as_str()));
    }
    let made = moves.moved.iter().map(|(new, old)| format!("{new} <- {old}"));
    made.chain(moves.blocked.iter().map(|(from, to)| format!("{from} x {to}"))).collect()
}

const SINGLE: &str = "resource \"terraform_data\" \"a\" {}\n";
const COUNTED: &str = "resource \"terraform_data\" \"a\" {\n  count = 2\n}\n";
const KEYED: &str = "resource \"terraform_data\" \"a\" {\n  for_each = toset([\"k\"])\n}\n";

fn block(from: &str, to: &str) -> String {
    format!("moved {{\n  from = {from}\n  to   = {to}\n}}\n")
}

fn call(name: &str) -> String {
    format!("module \"{name}\" {{\n  source = \"./m\"\n}}\n")
}

#[test]
fn a_chain_is_followed_whatever_the_order_of_its_blocks() {
    let files = block("terraform_data.c", "terraform_data.a")
        + &block("terraform_data.b", "terraform_data.c")
        + SINGLE;
    let files: &[_] = &[("main.tf", files.as_str())];
    assert_eq!(moved(files, &["terraform_data.b"]), ["terraform_data.a <- terraform_data.b"]);
    // The second link is blocked by an object that moves on afterwards.
    assert_eq!(
        moved(files, &["terraform_data.b", "terraform_data.c"]),
        ["terraform_data.a <- terraform_data.c", "terraform_data.b x terraform_data.c"]
    );
}

#[test]
fn count_that_comes_or_goes_moves_the_first_instance() {
    let one = |text: &str, addresses: &[&str]| moved(&[("main.tf", text)], addresses);
    let (a, first, second) = ("terraform_data.a", "terraform_data.a[0]", "terraform_data.a[1]");
    assert_eq!(one(COUNTED, &[a]), ["terraform_data.a[0] <- terraform_data.a"]);
    assert_eq!(one(COUNTED, &[a, first]), ["terraform_data.a x terraform_data.a[0]"]);
    assert_eq!(one(SINGLE, &[first, second]), ["terraform_data.a <- terraform_data.a[0]"]);
    assert!(one(KEYED, &[a, first]).is_empty());
    assert!(one("", &[a, first]).is_empty());
    // A `moved` block for a resource turns off its implied moves.
    let explicit = block(a, second) + COUNTED;
    assert_eq!(one(&explicit, &[a]), ["terraform_data.a[1] <- terraform_data.a"]);
    let other = block("terraform_data.b[1]", second) + COUNTED;
    assert_eq!(one(&other, &["terraform_data.b[1]", a]), ["terraform_data.a[1] <- terraform_data.b[1]"]);
    let to = block("terraform_data.b", a) + COUNTED;
    assert_eq!(one(&to, &["terraform_data.b"]), ["terraform_data.a <- terraform_data.b"]);
}

#[test]
fn modules_never_move_by_themselves() {
    let root = "module \"m\" {\n  source = \"./m\"\n  count  = 1\n}\n";
    assert!(moved(&[("main.tf", root), ("m/m.tf", SINGLE)], &["module.m.terraform_data.a"]).is_empty());
    let inside = [("main.tf", call("m")), ("m/m.tf", COUNTED.to_owned())];
    let inside = inside.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_eq!(
        moved(&inside, &["module.m.terraform_data.a"]),
        ["module.m.terraform_data.a[0] <- module.m.terraform_data.a"]
    );
}

#[test]
fn modules_move_with_all_that_is_in_them() {
    let root = block("module.a", "module.b") + "module \"b\" {\n  source = \"./m\"\n  count = 2\n}\n";
    let files: &[_] = &[("main.tf", root.as_str()), ("m/m.tf", SINGLE)];
    assert_eq!(
        moved(files, &["module.a[0].terraform_data.a", "module.a[1].module.n.terraform_data.x"]),
        [
            "module.b[0].terraform_data.a <- module.a[0].terraform_data.a",
            "module.b[1].module.n.terraform_data.x <- module.a[1].module.n.terraform_data.x"
        ]
    );
    assert_eq!(
        moved(
            files,
            &["module.a.terraform_data.a", "module.a.terraform_data.b", "module.b.terraform_data.b"]
        ),
        ["module.a x module.b"]
    );
    let one = root.replace("to   = module.b", "to   = module.b[1]");
    assert_eq!(
        moved(
            &[("main.tf", &one), ("m/m.tf", SINGLE)],
            &["module.a.terraform_data.a", "module.a[0].terraform_data.a"]
        ),
        ["module.b[1].terraform_data.a <- module.a.terraform_data.a"]
    );
}

#[test]
fn blocks_of_a_child_are_relative_to_it_and_come_after_moves_of_it() {
    let root = block("module.a", "module.b") + &call("b");
    let child = block("terraform_data.x", "terraform_data.a") + SINGLE;
    assert_eq!(
        moved(&[("main.tf", &root), ("m/m.tf", &child)], &["module.a.terraform_data.x"]),
        ["module.b.terraform_data.a <- module.a.terraform_data.x"]
    );
    let calls = "module \"b\" {\n  source = \"./m\"\n  for_each = toset([\"k\", \"l\"])\n}\n";
    assert_eq!(
        moved(
            &[("main.tf", calls), ("m/m.tf", &child)],
            &[r#"module.b["k"].terraform_data.x"#, r#"module.b["l"].terraform_data.x"#]
        ),
        [
            r#"module.b["k"].terraform_data.a <- module.b["k"].terraform_data.x"#,
            r#"module.b["l"].terraform_data.a <- module.b["l"].terraform_data.x"#
        ]
    );
}

#[test]
fn resources_move_into_modules_and_out_of_them() {
    let root = block("module.a.terraform_data.x", "terraform_data.a")
        + &block("module.a", "module.b")
        + &block("terraform_data.y", "module.b.terraform_data.a")
        + SINGLE
        + &call("b");
    assert_eq!(
        moved(
            &[("main.tf", &root), ("m/m.tf", SINGLE)],
            &["module.a.terraform_data.x", "module.a.terraform_data.z", "terraform_data.y"]
        ),
        [
            "terraform_data.a <- module.a.terraform_data.x",
            "module.b.terraform_data.a <- terraform_data.y",
            "module.b.terraform_data.z <- module.a.terraform_data.z"
        ]
    );
}

#[test]
fn objects_of_another_type_are_the_providers_to_move() {
    let root = block("null_resource.x", "terraform_data.a") + SINGLE;
    let config = load(&[("main.tf", &root)]);
    let (moves, after, diagnostics) = apply(&config, state_of("null_resource"));
    assert!(diagnostics.is_empty());
    assert_eq!(after.resources.len(), 1);
    let new = moves.moved.keys().next().unwrap();
    assert_eq!(new.to_string(), "terraform_data.a");
    assert!(moves.converted.contains(new));
    let object = after.resources[&new.resource].instances[&None].current.as_ref().unwrap();
    assert!(object.tainted, "it has to be replaced as before");

    let root = root.replace("null_resource", "sim_old");
    let config = load(&[("main.tf", &root)]);
    let (moves, after, diagnostics) = apply(&config, state_of("sim_old"));
    assert_eq!(diagnostics.iter().next().unwrap().diagnostic.summary, "Unsupported resource move");
    assert!(moves.moved.is_empty());
    assert_eq!(after.resources.keys().next().unwrap().resource_type, "sim_old");
}

/// A tainted object of a provider that has no schemas.
fn state_of(resource_type: &str) -> PriorState {
    let text = format!(
        r#"{{"version":4,"resources":[{{"mode":"managed","type":"{resource_type}","name":"x",
        "provider":"provider[\"registry.terraform.io/x/y\"]","instances":[{{"status":"tainted","attributes":{{"id":"1"}}}}]}}]}}"#
    );
    PriorState::read(&text, &Schemas::default()).unwrap().0
}

/// The errors in moves of a configuration with these instances, each as summary and detail.
fn errors(files: &[(&str, &str)], modules: &[&str], instances: &[&str]) -> Vec<String> {
    let config = load(files);
    let (moves, ..) = apply(&config, PriorState::default());
    let modules: Vec<ModuleAddress> = modules
        .iter()
        .map(|module| format!("{module}.x.x").parse::<InstanceAddress>().unwrap().resource.module)
        .collect();
    let all = |path: &[smol_str::SmolStr]| {
        let root = std::iter::once(ModuleAddress::default()).filter(|_| path.is_empty());
        let others = modules.iter().filter(|module| {
            module.0.len() == path.len()
                && std::iter::zip(&module.0, path).all(|(step, name)| step.name == *name)
        });
        root.chain(others.cloned()).collect()
    };
    let has = |address: &InstanceAddress| instances.contains(&address.to_string().as_str());
    let mut diagnostics = Diagnostics::default();
    moves.validate(&config, &Instances { modules: &all, expands: &|_| true, has: &has }, &mut diagnostics);
    let told = |d: &objchange_module::ModuleDiagnostic| {
        let detail = d.diagnostic.detail.replace("\n\n", "\n");
        let first = detail.split("\nEach").next().unwrap_or_default();
        let first = first.split("\nA chain").next().unwrap_or_default();
        format!("{}: {first}", d.diagnostic.summary)
    };
    diagnostics.iter().map(told).collect()
}

#[test]
fn moves_that_cannot_be_are_errors() {
    let (a, b, c) = ("terraform_data.a", "terraform_data.b", "terraform_data.c");
    let root = |text: String| errors(&[("main.tf", &text)], &[], &[]);
    assert_eq!(
        root(block(a, a)),
        [
            "Redundant move statement: This statement declares a move from terraform_data.a to the same address, which is the same as not declaring this move at all."
        ]
    );
    assert_eq!(
        root(block(a, b) + &block(a, c)),
        [
            "Ambiguous move statements: A statement at main.tf:1,1 declared that terraform_data.a moved to terraform_data.b, but this statement instead declares that it moved to terraform_data.c."
        ]
    );
    assert_eq!(
        root(
            block("module.x", "module.b")
                + &block("module.z", "module.b")
                + &block("module.x[0]", "module.c")
        ),
        [
            "Ambiguous move statements: A statement at main.tf:1,1 declared that module.x moved to module.b, but this statement instead declares that module.z moved there."
        ]
    );
    assert_eq!(
        root(block(a, b) + &block(b, c) + &block(c, a)),
        [
            "Cyclic dependency in move statements: The following chained move statements form a cycle, and so there is no final location to move objects to:\n  - main.tf:1,1: terraform_data.a[*] → terraform_data.b[*]\n  - main.tf:5,1: terraform_data.b[*] → terraform_data.c[*]\n  - main.tf:9,1: terraform_data.c[*] → terraform_data.a[*]"
        ]
    );
}

#[test]
fn errors_in_a_child_are_those_of_each_instance() {
    let calls = "module \"b\" {\n  source = \"./m\"\n  count = 2\n}\n";
    let child = block("terraform_data.a", "terraform_data.y");
    let found = errors(
        &[("main.tf", calls), ("m/m.tf", &(SINGLE.to_owned() + &child))],
        &["module.b[0]", "module.b[1]"],
        &[],
    );
    assert_eq!(
        found,
        [0, 1].map(|i| format!(
            "Moved object still exists: This statement declares a move from module.b[{i}].terraform_data.a, but that resource is \
             still declared at m/m.tf:1,1.\nChange your configuration so that this resource will be declared as \
             module.b[{i}].terraform_data.y instead."
        ))
    );
    let cycle = block("terraform_data.x[0]", "module.q.terraform_data.z")
        + &block("module.q", "module.r")
        + &block("module.r.terraform_data.z", "terraform_data.x[0]");
    let found = errors(&[("main.tf", calls), ("m/m.tf", &cycle)], &[], &[]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains(
        "\n  - m/m.tf:1,1: module.b[*].terraform_data.x[0] → module.b[*].module.q.terraform_data.z"
    ));
    assert!(found[0].contains("module.b[*].module.q[*] → module.b[*].module.r[*]"));
}

#[test]
fn what_is_still_declared_cannot_have_moved() {
    let told = |files: &[(&str, &str)], modules: &[&str], instances: &[&str]| -> Vec<String> {
        let errors = errors(files, modules, instances);
        let place = |error: &String| {
            let (start, rest) = error.split_once(" but that ").unwrap();
            assert!(start.starts_with("Moved object still exists"));
            rest.split(".\n").next().unwrap().to_owned()
        };
        errors.iter().map(place).collect()
    };
    let counted = COUNTED.to_owned() + &block("terraform_data.a[1]", "terraform_data.b");
    let counted: &[_] = &[("main.tf", counted.as_str())];
    assert_eq!(
        told(counted, &[], &["terraform_data.a[1]"]),
        ["resource instance is still declared at main.tf:2,11"]
    );
    assert!(told(counted, &[], &["terraform_data.a[0]"]).is_empty());
    let single = SINGLE.to_owned() + &block("terraform_data.a", "terraform_data.b[0]");
    assert_eq!(
        told(&[("main.tf", &single)], &[], &["terraform_data.a"]),
        ["resource instance is still declared at main.tf:1,1"]
    );
    let all = call("m") + &block("module.m", "module.n");
    let all: &[_] = &[("main.tf", all.as_str()), ("m/m.tf", SINGLE)];
    assert_eq!(told(all, &[], &[]), ["module call is still declared at main.tf:1,1"]);
    let calls = "module \"m\" {\n  source = \"./m\"\n  count  = 2\n}\n".to_owned()
        + &block("module.m[1]", "module.n");
    let calls: &[_] = &[("main.tf", calls.as_str()), ("m/m.tf", SINGLE)];
    assert_eq!(
        told(calls, &["module.m[0]", "module.m[1]"], &[]),
        ["module instance is still declared at main.tf:3,12"]
    );
    assert!(told(calls, &["module.m[0]"], &[]).is_empty());
}

#[test]
fn targets_must_have_both_ends_of_a_move() {
    let root = SINGLE.to_owned()
        + &block("terraform_data.b", "terraform_data.a")
        + &block("module.k", "module.m")
        + &call("m");
    let config = load(&[("main.tf", &root), ("m/m.tf", SINGLE)]);
    let (moves, ..) = apply(&config, state(&["terraform_data.b[1]", "module.k.terraform_data.a"]));
    let told = |targets: &[&str]| {
        let targets: Vec<Target> =
            targets.iter().map(|target| Target::Resource(target.parse().unwrap())).collect();
        let mut diagnostics = Diagnostics::default();
        moves.check_targets(&targets, &mut diagnostics);
        let told = diagnostics.iter().next().map(|d| d.diagnostic.detail.to_string())?;
        Some(
            told.lines()
                .filter(|line| line.starts_with("  "))
                .map(|line| line.trim().to_owned())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        told(&["terraform_data.c"]).unwrap(),
        [
            "-target=\"terraform_data.a\"",
            "-target=\"terraform_data.b\"",
            "-target=\"module.k.terraform_data.a\"",
            "-target=\"module.m.terraform_data.a\""
        ]
    );
    let all =
        ["terraform_data.a", "terraform_data.b", "module.k.terraform_data.a", "module.m.terraform_data.a"];
    assert_eq!(told(&all[..3]).unwrap(), ["-target=\"module.m.terraform_data.a\""]);
    assert!(told(&all).is_none() && told(&[]).is_none());
}

#[test]
fn what_could_not_move_is_told() {
    let config = load(&[("main.tf", &(SINGLE.to_owned() + &block("terraform_data.b", "terraform_data.a")))]);
    let (moves, ..) = apply(&config, state(&["terraform_data.b", "terraform_data.a"]));
    let mut diagnostics = Diagnostics::default();
    moves.warn_of_blocked(&mut diagnostics);
    let warning = &diagnostics.iter().next().unwrap().diagnostic;
    assert_eq!(warning.summary, "Unresolved resource instance address changes");
    assert!(
        warning
            .detail
            .contains("addresses:\n  - terraform_data.b could not move to terraform_data.a\n\nTerraform")
    );
}

#[test]
fn removed_blocks_say_what_is_forgotten() {
    let removed = |from: &str, destroy: bool| {
        format!("removed {{\n  from = {from}\n  lifecycle {{\n    destroy = {destroy}\n  }}\n}}\n")
    };
    let root = removed("terraform_data.x", false)
        + &removed("terraform_data.x", true)
        + &removed("terraform_data.y", true)
        + &removed("module.n", false)
        + &call("m");
    let child = SINGLE.to_owned() + &removed("terraform_data.z", false);
    let mut diagnostics = Diagnostics::default();
    let config = load(&[("main.tf", &root), ("m/m.tf", &child)]);
    let removals = Removals::new(&config);
    removals.check(&config, &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let forgets = |address: &str| removals.forgets(&address.parse().unwrap());
    assert!(forgets("terraform_data.x") && forgets("terraform_data.x[0]"));
    assert!(!forgets("terraform_data.y") && !forgets("terraform_data.w"));
    assert!(forgets("module.n[0].terraform_data.y") && forgets("module.n.module.o.terraform_data.y"));
    assert!(forgets("module.m.terraform_data.z") && !forgets("terraform_data.z"));

    let still =
        SINGLE.to_owned() + &removed("terraform_data.a", false) + &call("m") + &removed("module.m", true);
    let mut diagnostics = Diagnostics::default();
    let config = load(&[("main.tf", &still), ("m/m.tf", "")]);
    Removals::new(&config).check(&config, &mut diagnostics);
    let told: Vec<_> =
        diagnostics.iter().map(|d| format!("{}: {}", d.diagnostic.summary, d.diagnostic.detail)).collect();
    assert_eq!(
        told,
        [
            "Removed resource still exists: This statement declares that terraform_data.a was removed, but it is still declared in configuration.",
            "Removed module still exists: This statement declares that module.m was removed, but it is still declared in configuration."
        ]
    );

    let mut diagnostics = Diagnostics::default();
    let address = "terraform_data.a[0]".parse().unwrap();
    warn_of_forgotten([&address], &Config::default(), &mut diagnostics);
    let warning = &diagnostics.iter().next().unwrap().diagnostic;
    assert!(warning.detail.contains("delete them:\n - terraform_data.a[0]\n\nAfter"));
}
