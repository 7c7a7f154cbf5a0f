//! Sources of modules that are not literals, and modules that are wrong. Terraform 1.15.5 was asked for each.

use objchange_document::Version;
use objchange_module::config::MemoryFiles;
use objchange_module::plan::PlanOptions;
use objchange_module::variables::{VariableArgument, VariableSources};
use objchange_module::{Module, ModuleTexts};

/// A module that takes a name, and its directory: `m`, `n` and `5` are there.
fn loaded(version: &str, root: &str, child: &str, argument: Option<&str>) -> Module {
    let files: MemoryFiles = [
        ("main.tf", root),
        ("m/m.tf", "output \"o\" {\n  value = 1\n}\n"),
        ("n/n.tf", ""),
        ("5/5.tf", ""),
        ("c/c.tf", child),
    ]
    .into_iter()
    .collect();
    let arguments =
        argument.map(|argument| VariableArgument::Value(argument.to_owned())).into_iter().collect();
    let variables = VariableSources { arguments, ..VariableSources::default() };
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: version };
    let options = PlanOptions { version: Version::parse(version).unwrap(), ..PlanOptions::default() };
    Module::load(texts, &options)
}

/// The directories of the modules that are called, or what is wrong.
fn called(root: &str, child: &str, argument: Option<&str>) -> Vec<String> {
    let module = loaded("1.15.5", root, child, argument);
    if module.diagnostics.has_errors() {
        return module.diagnostics.iter().map(|found| found.diagnostic.summary.to_string()).collect();
    }
    module.config.modules.iter().skip(1).map(|called| called.directory.clone()).collect()
}

const VARIABLE: &str = "variable \"p\" {\n  default = \"./m\"\n  const = true\n}\n";

fn call(source: &str) -> String {
    format!(
        "{VARIABLE}locals {{\n  l = var.p\n  other = terraform_data.t.id\n  a = local.b\n  b = local.a\n}}\nmodule \"a\" {{\n  source = {source}\n}}\n"
    )
}

#[test]
fn constant_variables_and_local_values_are_known_before_modules_are() {
    let told = |source: &str, argument: Option<&str>| called(&call(source), "", argument).join(", ");
    assert_eq!(told("var.p", None), "m");
    assert_eq!(told("var.p", Some("p=./n")), "n");
    assert_eq!(told("local.l", None), "m");
    assert_eq!(told("format(\"./%d\", 5)", None), "5");
    assert_eq!(told("\"${path.module}/m\"", None), "m");
    assert_eq!(told("local.other", None), "Unknown module source");
    assert_eq!(told("terraform_data.t.id", None), "Invalid module source");
    assert_eq!(told("local.a", None), "Cycle: local.a (expand), local.b (expand)");
    assert_eq!(told("var.nope", None), "Reference to undeclared input variable");
    assert_eq!(told("[var.p]", None), "Incorrect value type");
    assert_eq!(told("\"${var.p}!\"", None), "Module not installed");
    assert_eq!(told("trimprefix(var.p, \"./\")", None), "Invalid module source address");
    let older = call("var.p").replace("  const = true\n", "");
    let module = loaded("1.11.4", &older, "", None);
    assert_eq!(module.diagnostics.iter().next().unwrap().diagnostic.summary, "Unsuitable value type");
}

#[test]
fn a_variable_without_a_value_is_told_before_the_source() {
    let root = call("var.p").replace("  default = \"./m\"\n", "");
    assert_eq!(called(&root, "", None), ["No value for required variable"]);
    assert_eq!(called(&root, "", Some("p=./n")), ["n"]);
}

#[test]
fn constants_are_passed_on_and_nothing_else_is() {
    let child = "variable \"d\" {\n  type = string\n  const = true\n}\nmodule \"a\" {\n  source = \"../${var.d}\"\n}\n";
    let root = |value: &str| {
        format!(
            "{VARIABLE}resource \"terraform_data\" \"t\" {{}}\nmodule \"c\" {{\n  source = \"./c\"\n  d = {value}\n}}\n"
        )
    };
    assert_eq!(called(&root("var.p"), child, None), ["c", "m"]);
    assert_eq!(called(&root("terraform_data.t.id"), child, None), ["Const variables must be known"]);
    for mark in ["sensitive", "ephemeral"] {
        let root = VARIABLE.replace("const", &format!("{mark} = true\n  const"));
        assert_eq!(called(&root, "", None), [format!("Const variable cannot be {mark}")]);
    }
}

#[test]
fn nothing_is_followed_of_a_called_module_that_is_wrong() {
    let wrong = "variable \"source\" {}\n";
    let files: MemoryFiles = [
        ("main.tf", "module \"a\" {\n  source = \"./a\"\n}\n"),
        ("a/a.tf", &*format!("module \"b\" {{\n  source = \"./b\"\n}}\n{wrong}")),
        ("a/b/b.tf", wrong),
    ]
    .into_iter()
    .collect();
    let count = |version: &str| {
        let variables = VariableSources::default();
        let texts =
            ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: version };
        Module::load(texts, &PlanOptions::default()).diagnostics.len()
    };
    assert_eq!((count("1.11.4"), count("1.15.5")), (2, 1));
}
