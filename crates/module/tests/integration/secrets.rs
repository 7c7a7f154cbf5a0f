//! Secrets in broken files: no message and no line of source shows a piece of one.

use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::{Functions, snippet};
use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use objchange_module::plan::{PlanInput, plan};
use objchange_module::state::PriorState;
use objchange_module::test::{TestOptions, TestPrinter, TestReport, TestRunner, TestSuite, TestTexts};
use objchange_module::variables::{VariableArgument, VariableSources, given_variables};
use objchange_module::{DiagnosticPrinter, Schemas, SimulatedProviders};
use proptest::prelude::*;

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/example/sim":{
    "provider":{"version":0,"block":{"attributes":{
        "region":{"type":"string","optional":true},
        "key":{"type":["map","number"],"optional":true,"sensitive":true}}}},
    "resource_schemas":{"sim_thing":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},
        "name":{"type":"string","optional":true},
        "number":{"type":"number","optional":true,"sensitive":true},
        "secret":{"type":"string","optional":true,"computed":true,"sensitive":true},
        "env":{"type":["map","number"],"optional":true,"sensitive":true}},
        "block_types":{"login":{"nesting_mode":"list","block":{"attributes":{
            "token":{"type":["list","number"],"optional":true,"sensitive":true}}}}}}}}}}}"#;

/// Words of secrets. No message has four letters in this order.
const WORDS: [&str; 5] = ["vqxzkjw", "zjqkwpx", "qüßxzñj", "90817263", "kxqjzv_w"];

/// Texts of secrets: strings without their quotes, and whole expressions.
const STRINGS: [&str; 9] = [
    "vqxzkjw",
    "vqxzkjw zjqkwpx",
    "vqxzkjw$zjqkwpx%kxqjzv_w",
    "vqxzkjw ${zjqkwpx} kxqjzv_w",
    "vqxzkjw %{zjqkwpx} kxqjzv_w",
    "%{ if vqxzkjw }zjqkwpx%{ endif }",
    "vqxzkjw\\nzjqkwpx\\qkxqjzv_w",
    "qüßxzñj 90817263 \\\"vqxzkjw\\\" zjqkwpx=kxqjzv_w",
    "vqxzkjw.zjqkwpx[90817263](kxqjzv_w) # vqxzkjw // zjqkwpx /* qüßxzñj",
];
const EXPRESSIONS: [&str; 12] = [
    "vqxzkjw",
    "vqxzkjw$zjqkwpx",
    "vqxzkjw.zjqkwpx",
    "vqxzkjw(\"zjqkwpx\")",
    "90817263",
    "{ vqxzkjw = \"zjqkwpx\", \"kxqjzv_w\" = \"qüßxzñj\" }",
    "{\n    vqxzkjw = \"zjqkwpx\"\n    vqxzkjw = 90817263\n  }",
    "[\"vqxzkjw\", { zjqkwpx = kxqjzv_w }]",
    "<<EOT\nvqxzkjw zjqkwpx\nkxqjzv_w 90817263\nEOT",
    "<<-EOT\n    vqxzkjw ${zjqkwpx}\n    %{ for kxqjzv_w in 90817263 }\n  EOT",
    "upper(vqxzkjw, \"zjqkwpx\", kxqjzv_w[\"qüßxzñj\"])",
    "var.nothing[\"vqxzkjw\"] + local.none.zjqkwpx(90817263)",
];
/// Secrets in the JSON syntax, as whole values.
const JSON: [&str; 6] = [
    r#""vqxzkjw zjqkwpx""#,
    r#""vqxzkjw ${zjqkwpx} %{kxqjzv_w}""#,
    r#"{"vqxzkjw": "zjqkwpx", "kxqjzv_w": {"qüßxzñj": 90817263}}"#,
    r#"["vqxzkjw", "\u0041zjqkwpx\\kxqjzv_w", 90817263]"#,
    r#""vqxzkjw\"zjqkwpx\nkxqjzv_w""#,
    "90817263",
];

/// Files around a secret, which is `@`: the first has it. The line `--- ` begins each.
const NATIVE: [&str; 18] = [
    "--- a.tftest.hcl\nvariable \"pin\" {\n  sensitive = true\n  type = map(number)\n  default = @\n}\nrun \"r\" {\n  command = plan\n}\n--- main.tf\n",
    "--- main.tf\nvariable \"password\" {\n  type      = map(number)\n  sensitive = true\n  default   = @\n}\n",
    "--- main.tf\nvariable \"password\" {\n  ephemeral = true\n  default = @\n}\noutput \"x\" {\n  value = var.pasword\n}\n",
    "--- terraform.tfvars\npassword = @\n--- main.tf\nvariable \"password\" {\n  type = map(number)\n  sensitive = true\n}\n",
    "--- terraform.tfvars\nregion = \"eu\"\npassword = @\nsize = 3\n--- main.tf\nvariable \"region\" {}\nvariable \"size\" {\n  type = bool\n}\nvariable \"password\" {\n  sensitive = true\n}\n",
    "--- x.auto.tfvars\npassword=@\n--- main.tf\nvariable \"password\" {\n  sensitive = true\n}\n",
    "--- terraform.tfvars\nundeclared = @\n--- main.tf\nlocals {\n  a = 1\n}\n",
    "--- main.tf\nresource \"sim_thing\" \"a\" {\n  name   = \"web\"\n  secret = @\n  nme = 1\n}\n",
    "--- main.tf\nresource \"sim_thing\" \"a\" {\n  env = @\n  login {\n    token = [\"x\"]\n  }\n}\n",
    "--- main.tf\nresource \"sim_thing\" \"a\" {\n  login {\n    token = @\n  }\n}\n",
    "--- main.tf\nprovider \"sim\" {\n  region = 5\n  key = @\n}\nresource \"sim_thing\" \"a\" {}\n",
    "--- main.tf\noutput \"o\" {\n  sensitive = true\n  value = @\n}\n",
    "--- main.tf\nlocals {\n  a = sensitive(@)\n}\noutput \"o\" {\n  value = local.a\n}\n",
    "--- main.tf\nmodule \"m\" {\n  source = \"./m\"\n  password = @\n}\n--- m/main.tf\nvariable \"password\" {\n  type = map(number)\n  sensitive = true\n}\n",
    "--- main.tf\nresource \"other_thing\" \"a\" {\n  any = @\n  nested {\n    x = 1\n  }\n}\n",
    "--- main.tf\nmodule \"m\" {\n  source = \"acme/naming/aws\"\n  version = \"1.2.3\"\n  any = @\n}\n",
    "--- main.tf\nterraform {\n  backend \"s3\" {\n    secret_key = @\n  }\n}\n",
    "--- a.tftest.hcl\nvariables {\n  password = @\n}\nrun \"r\" {\n  command = plan\n}\n--- main.tf\nvariable \"password\" {\n  type = map(number)\n  sensitive = true\n}\n",
];
const OF_JSON: [&str; 8] = [
    "--- a.tftest.json\n{\"variable\": {\"pin\": {\"sensitive\": true, \"type\": \"map(number)\", \"default\": @}}, \"run\": {\"r\": {\"command\": \"plan\"}}}\n--- main.tf\n",
    "--- main.tf.json\n{\"variable\": {\"password\": {\"type\": \"map(number)\", \"sensitive\": true, \"default\": @}}}\n",
    "--- main.tf.json\n{\n  \"variable\": {\n    \"password\": {\n      \"sensitive\": true,\n      \"default\": @\n    }\n  }\n}\n",
    "--- terraform.tfvars.json\n{\"region\": \"eu\", \"password\": @, \"size\": 3}\n--- main.tf\nvariable \"region\" {}\nvariable \"size\" {}\nvariable \"password\" {\n  type = map(number)\n  sensitive = true\n}\n",
    "--- terraform.tfvars.json\n{\n  \"password\": @\n}\n--- main.tf\nvariable \"password\" {\n  sensitive = true\n}\n",
    "--- main.tf.json\n{\"resource\": {\"sim_thing\": {\"a\": {\"name\": [], \"env\": @, \"login\": {\"token\": @}}}}}\n",
    "--- main.tf.json\n{\"module\": {\"m\": {\"source\": \"acme/naming/aws\", \"any\": @}}, \"output\": {\"o\": {\"value\": @, \"sensitive\": true}}}\n",
    "--- a.tftest.json\n{\"variables\": {\"password\": @}, \"run\": {\"r\": {\"command\": \"plan\", \"variables\": {\"password\": @}}}}\n--- main.tf\nvariable \"password\" {\n  sensitive = true\n}\n",
];

fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(&STRINGS[..]).prop_map(|text| format!("\"{text}\"")),
        prop::sample::select(&EXPRESSIONS[..]).prop_map(str::to_owned),
    ]
}

/// The files around a secret, and where the secret is in the first.
fn files() -> impl Strategy<Value = (String, std::ops::Range<usize>)> {
    let native = (prop::sample::select(&NATIVE[..]), secret());
    let json = (prop::sample::select(&OF_JSON[..]), prop::sample::select(&JSON[..]).prop_map(str::to_owned));
    prop_oneof![2 => native, 1 => json].prop_map(|(files, secret)| {
        let start = files.find('@').unwrap();
        (files.replace('@', &secret), start..start + secret.len())
    })
}

/// A change of a text at one position.
#[derive(Debug, Clone)]
enum Damage {
    Delete,
    Insert(&'static str),
    Replace(&'static str),
    /// Takes out all of these characters.
    Without(char),
    Truncate,
}

fn damage() -> impl Strategy<Value = Damage> {
    let junk = || {
        prop::sample::select(vec![
            "\"", "'", "`", "{", "}", "${", "%{", "$", "%", "<", "<<E\n", "\n", "\r", "\\", "\\u", "=",
            " = ", "#", "//", "/*", "[", "]", "(", ")", ",", ":", ".", "?", " ", "é", "\u{202e}", "\u{0}",
            "EOT", "\nEOT\n", "~}", "!", "&", "|", "-",
        ])
    };
    prop_oneof![
        4 => Just(Damage::Delete),
        4 => junk().prop_map(Damage::Insert),
        2 => junk().prop_map(Damage::Replace),
        2 => prop::sample::select(vec!['"', '<', '{', '}', '=', '\n', ' ', '$']).prop_map(Damage::Without),
        1 => Just(Damage::Truncate),
    ]
}

/// The files, with damage to the secret and the characters beside it.
fn damaged(
    (mut text, range): (String, std::ops::Range<usize>),
    damage: &[(prop::sample::Index, Damage)],
) -> String {
    let mut range = range.start - 1..range.end + 1;
    for (at, damage) in damage {
        range.end = range.end.min(text.len());
        let places: Vec<(usize, char)> = text[range.clone()].char_indices().collect();
        if places.is_empty() {
            break;
        }
        let (at, c) = places[at.index(places.len())];
        let at = range.start + at;
        let length = text.len();
        match damage {
            Damage::Delete => text.replace_range(at..at + c.len_utf8(), ""),
            Damage::Insert(junk) => text.insert_str(at, junk),
            Damage::Replace(junk) => text.replace_range(at..at + c.len_utf8(), junk),
            Damage::Without(c) => {
                let left = text[range.clone()].replace(*c, "");
                text.replace_range(range.clone(), &left);
            }
            Damage::Truncate => {
                let end = text[at..].find("--- ").map_or(text.len(), |end| at + end);
                text.replace_range(at..end, "\n");
            }
        }
        range.end = (range.end + text.len()).saturating_sub(length).max(range.start);
        while !text.is_char_boundary(range.end.min(text.len())) {
            range.end += 1;
        }
    }
    text
}

/// All that is said of a module in these files, in each form.
fn said(files: &str) -> String {
    let files: Vec<(&str, &str)> =
        files.split("--- ").skip(1).map(|file| file.split_once('\n').unwrap_or((file, ""))).collect();
    let memory: MemoryFiles = files.iter().copied().collect();
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    let options = LoadOptions::new("1.15.5");
    let (mut config, mut found) = Config::load(&memory, ".", &options);
    let is_values = |name: &str| name.ends_with(".tfvars") || name.ends_with(".tfvars.json");
    let values: Vec<(&str, &str)> = files.iter().copied().filter(|(name, _)| is_values(name)).collect();
    let automatic = values.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut variables = VariableSources { automatic, ..VariableSources::default() };
    // The value alone, as an argument and in the environment.
    for (_, text) in &values {
        if let Some((_, value)) = text.split_once("password") {
            let value = value.trim_start_matches([' ', '=', ':', '"']);
            variables.arguments.push(VariableArgument::Value(format!("password={value}")));
        }
    }
    let (given, of_values) = given_variables(&mut config, &variables, Version::NEWEST);
    found.append(of_values);
    if !found.has_errors() {
        let options = crate::plan::plan_options();
        let input = PlanInput {
            config: &config,
            schemas: &schemas,
            state: &PriorState::default(),
            variables: &given,
            functions: Functions::pure(),
            options: &options,
        };
        found.append(plan(&input, &mut SimulatedProviders::default()).diagnostics);
    }
    let shown = DiagnosticPrinter::new(&config, &schemas);
    let mut said = shown.text(&found);
    shown.json(&found).iter().for_each(|json| said.push_str(json.get()));
    // As the program shows errors of one file.
    let hidden = objchange_hcl::HiddenSource::new(&config.sources, |_, _| None, []);
    for one in found.iter() {
        said.push_str(&snippet(&config.sources.places(), &hidden, &one.diagnostic, true));
    }
    if files.iter().any(|(name, _)| name.contains("tftest")) {
        said.push_str(&said_of_tests(&memory, &variables, &schemas));
    }
    said
}

fn said_of_tests(files: &MemoryFiles, variables: &VariableSources, schemas: &Schemas) -> String {
    let suite = TestSuite::load(TestTexts {
        files,
        manifest: None,
        test_directory: "tests",
        filter: &[],
        variables,
        test_values: &[],
        version: Version::NEWEST,
        terraform_version: "1.15.5",
    });
    let printer = TestPrinter::new(&suite, schemas);
    let mut said: String = printer.load_text().into_iter().map(|output| output.text).collect();
    said.extend(printer.load_messages().iter().map(ToString::to_string));
    if !suite.diagnostics.has_errors() {
        let options = TestOptions::default();
        let report: TestReport = TestRunner::new(&suite, schemas, Functions::pure(), &options).run();
        for file in &report.files {
            said.extend(printer.file_text(file).into_iter().map(|output| output.text));
            let messages = printer.file_messages(file);
            // Plans and states have all values.
            let messages = messages
                .iter()
                .filter(|one| !matches!(one["type"].as_str(), Some("test_plan" | "test_state")));
            said.extend(messages.map(ToString::to_string));
        }
        said.push_str(&printer.junit(&report, &|_| String::new()));
        said.push_str(&printer.elements(&report).join("\n"));
    }
    said
}

/// A piece of a secret of four characters or more in a text.
fn piece_in(text: &str) -> Option<String> {
    let pieces = WORDS.iter().flat_map(|word| {
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        ends.windows(5).map(|ends| word[ends[0]..ends[4]].to_owned()).collect::<Vec<_>>()
    });
    pieces.into_iter().find(|piece| text.contains(piece.as_str()))
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").map_or(400, |n| n.parse().unwrap_or(400))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn broken_files_are_reported_without_secrets(
        files in files(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), damage()), 0..4),
    ) {
        let files = damaged(files, &damage);
        let said = said(&files);
        prop_assert_eq!(piece_in(&said), None, "{}\n{}", files, said);
    }
}
