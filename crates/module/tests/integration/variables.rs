//! Values of the root module's variables, as Terraform 1.11.4 and 1.15.5 take them.

use objchange::{Type, Value};
use objchange_document::Version;
use objchange_hcl::{ModuleConfig, Span, TypeConstraint, VariableConfig, parse_expression};
use objchange_module::config::{Config, LoadedModule};
use objchange_module::variables::{UnreadFile, VariableArgument, VariableSources, given_variables};
use objchange_module::{DiagnosticPrinter, Diagnostics, Schemas};

/// A root module that declares these variables, each with its type.
fn config(variables: &[(&str, Option<&str>)]) -> Config {
    let mut text = String::new();
    let mut declared = ModuleConfig::default();
    for (name, ty) in variables {
        let start = text.len() as u32;
        let header = format!("variable {name:?}");
        let variable = VariableConfig {
            header: Span::new(start, start + header.len() as u32),
            ty: ty.map(|ty| TypeConstraint::parse(&parse_expression(ty).unwrap()).unwrap()),
            default: None,
            description: None,
            nullable: true,
            sensitive: false,
            ephemeral: false,
            constant: false,
            validations: Vec::new(),
            deprecated: None,
        };
        declared.variables.insert((*name).into(), variable);
        text.push_str(&format!("{header} {{}}\n"));
    }
    let mut config = Config::default();
    config.sources.add("main.tf", text).unwrap();
    config.modules.push(LoadedModule { config: declared.into(), ..LoadedModule::default() });
    config
}

fn old() -> Version {
    Version::parse("1.11.4").unwrap()
}

fn value(text: &str) -> VariableArgument {
    VariableArgument::Value(text.to_owned())
}

fn file(name: &str, text: &str) -> VariableArgument {
    VariableArgument::File(name.to_owned(), Ok(text.to_owned()))
}

fn arguments(arguments: &[VariableArgument]) -> VariableSources {
    VariableSources { arguments: arguments.to_vec(), ..VariableSources::default() }
}

fn text(config: &Config, found: &Diagnostics) -> String {
    DiagnosticPrinter::new(config, &Schemas::default()).text(found)
}

fn summaries(found: &Diagnostics) -> Vec<String> {
    found.iter().map(|one| one.diagnostic.summary.to_string()).collect()
}

#[test]
fn later_sources_count() {
    let names = ["a", "b", "c", "d", "e"].map(|name| (name, None));
    let mut config = config(&names);
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let sources = VariableSources {
        environment: vec![
            pair("TF_VAR_a", "env"),
            pair("TF_VAR_b", "env"),
            pair("TF_VAR_nope", "1"),
            pair("HOME", "h"),
        ],
        automatic: vec![
            pair("terraform.tfvars", "b = \"tfvars\"\nc = \"tfvars\"\nd = 1"),
            pair("x.auto.tfvars.json", r#"{"c": "auto ${x}", "d": [1]}"#),
        ],
        arguments: vec![value("d=first"), file("f.tfvars", "d = \"file\"\ne = null"), value("e=x=y")],
    };
    let (given, found) = given_variables(&mut config, &sources, Version::NEWEST);
    assert!(found.is_empty(), "{found:?}");
    let values: Vec<(&str, Value)> =
        given.iter().map(|(name, given)| (name.as_str(), given.value.clone())).collect();
    let text = |text: &str| Value::from(text);
    assert_eq!(
        values,
        [
            ("a", text("env")),
            ("b", text("tfvars")),
            ("c", text("auto ${x}")),
            ("d", text("file")),
            ("e", text("x=y"))
        ]
    );
    assert_eq!(given["a"].origin, "set using the TF_VAR_a environment variable");
    assert_eq!(given["e"].origin, "set using -var=\"e=...\"");
    let place = config.sources.places().find(given["d"].span.unwrap()).unwrap().to_string();
    assert_eq!(place, "f.tfvars:1,5-11");
}

#[test]
fn the_type_says_whether_a_text_is_an_expression() {
    let mut config =
        config(&[("any", Some("any")), ("l", Some("list(string)")), ("n", Some("number")), ("u", None)]);
    let sources = arguments(&[value("any=01"), value("l=[\"x\", 1]"), value("n=01"), value("u=[1]")]);
    let (given, found) = given_variables(&mut config, &sources, Version::NEWEST);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(given["any"].value, Value::from(1));
    assert_eq!(given["l"].value, Value::tuple([Value::from("x"), Value::from(1)]));
    assert_eq!(given["n"].value, Value::from("01"));
    assert_eq!(given["u"].value.ty(), &Type::String);
}

#[test]
fn what_is_secret_in_an_argument_is_not_shown() {
    let mut config = config(&[("l", Some("list(string)"))]);
    let sources = arguments(&[value("l=[upper(\"s3cret\"), x.y]")]);
    let (_, found) = given_variables(&mut config, &sources, old());
    assert_eq!(
        text(&config, &found),
        "\nError: Function calls not allowed\n\n  on <value for var.l> line 1:\n  (source code not available)\n\nFunctions may \
         not be called here.\n\nError: Variables not allowed\n\n  on <value for var.l> line 1:\n  (source code not \
         available)\n\nVariables may not be used here.\n\nError: No value for required variable\n\n  on main.tf line 1:\n   1: \
         variable \"l\" {}\n\nThe root module input variable \"l\" is not set, and has no default value. Use\na -var or \
         -var-file command line argument to provide a value for this\nvariable.\n"
    );
}

#[test]
fn wrong_files_are_told_in_terraforms_words() {
    let mut one = config(&[("n", None)]);
    let (_, found) = given_variables(&mut one, &arguments(&[file("a.tfvars", "variable \"n\" {}\n")]), old());
    assert_eq!(
        text(&one, &found),
        "\nError: Variable declaration in .tfvars file\n\n  on a.tfvars line 1:\n   1: variable \"n\" {}\n\nA .tfvars file is \
         used to assign values to variables that have already been\ndeclared in .tf files, not to declare new variables. To \
         declare variable \"n\",\nplace this block in one of your .tf files, such as variables.tf.\n\nTo set a value for this \
         variable in a.tfvars, use the definition syntax\ninstead:\n    n = <value>\n"
    );
    for (text, summary) in [("x {\n}\n", "Unexpected \"x\" block"), ("n = \n", "Invalid expression")] {
        let mut config = config(&[("n", None)]);
        let (_, found) = given_variables(&mut config, &arguments(&[file("a.tfvars", text)]), old());
        assert_eq!(summaries(&found), [summary]);
    }
    let missing = VariableArgument::File("x.tfvars".to_owned(), Err(UnreadFile::Missing));
    let (_, found) =
        given_variables(&mut config(&[("n", None)]), &arguments(std::slice::from_ref(&missing)), old());
    assert_eq!(summaries(&found), ["Failed to read variables file"]);
    let newer = Version::parse("1.15.5").unwrap();
    let (_, found) = given_variables(&mut config(&[("n", None)]), &arguments(&[missing]), newer);
    assert_eq!(summaries(&found), ["Failed to read variables file", "No value for required variable"]);
}

#[test]
fn wrong_arguments_are_told_in_terraforms_words() {
    let sources = arguments(&[value("n"), value("n =1"), value("nope=1")]);
    let (_, found) = given_variables(&mut config(&[("n", None)]), &sources, old());
    let details: Vec<&str> = found.iter().map(|one| &*one.diagnostic.detail).collect();
    assert_eq!(
        details,
        [
            "The given -var option \"n\" is not correctly specified. Must be a variable name and value separated by an equals \
             sign, like -var=\"key=value\".",
            "Variable name \"n \" is invalid due to trailing space. Did you mean -var=\"n=1\"?",
        ]
    );
    let (_, found) = given_variables(&mut config(&[]), &arguments(&[value("nope=1")]), old());
    assert_eq!(summaries(&found), ["Value for undeclared variable"]);
}

#[test]
fn undeclared_values_of_files_are_counted() {
    let text = "a = 1\nb = 1\nc = 1\nd = 1\n";
    let (_, found) = given_variables(&mut config(&[]), &arguments(&[file("a.tfvars", text)]), old());
    assert!(!found.has_errors());
    let details: Vec<&str> = found.iter().map(|one| &*one.diagnostic.detail).collect();
    assert!(details[0].starts_with(
        "The root module does not declare a variable named \"a\" but a value was found in file"
    ));
    assert_eq!(
        details[2],
        "In addition to the other similar warnings shown, 2 other variable(s) defined without being declared."
    );
}
