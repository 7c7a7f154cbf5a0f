//! Secrets whose quotes are forgotten, wrong or half there: no error about them shows a word of them.

use serde_json::json;

use crate::folder::Folder;
use crate::program::objchange;

const WORD: &str = "swordfish";

/// Ways to write a secret, most of them wrong.
const WRITTEN: [&str; 24] = [
    "swordfish",
    "swordfish$",
    "\"swordfish",
    "swordfish\"",
    "'swordfish'",
    "swordfish.x",
    "swordfish#x",
    "-swordfish",
    "swordfish ? 1 : 2",
    "swordfish(1)",
    "swordfish::x(1)",
    "{ swordfish = 1",
    "[for swordfish in x : y]",
    "\"%{swordfish}\"",
    "\"${swordfish\"",
    "\"x${swordfish}y\"",
    "\"swordfish\\q\"",
    "<<E\nswordfish\n",
    "sensitive//(swordfish)",
    "sensitive//(\"swordfish\")",
    "sensitive(\"swordfish\"",
    "file(\"swordfish\")",
    "cidrsubnet(\"swordfish\", 1, 1)",
    "regex(\"swordfish(\", \"x\")",
];

const DECLARED: &str = "variable \"token\" {\n  sensitive = true\n}\noutput \"o\" {\n  sensitive = true\n  value     = \
                        var.token\n}\n";

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/test":{
    "provider":{"version":0,"block":{"attributes":{"token":{"type":"string","optional":true,"sensitive":true}}}},
    "resource_schemas":{"test_disk":{"version":0,"block":{"attributes":{
        "secret":{"type":"string","optional":true,"sensitive":true},
        "conf":{"type":["map","string"],"optional":true,"sensitive":true}}}}}}}}"#;

/// Places of the secret `@`: the files of a module.
const PLACES: [&[(&str, &str)]; 15] = [
    &[("main.tf", DECLARED), ("terraform.tfvars", "token = @\n")],
    &[("main.tf", DECLARED), ("terraform.tfvars.json", "{\"token\": @}")],
    &[("main.tf", "variable \"token\" {\n  default   = @\n  sensitive = true\n}\n")],
    &[(
        "main.tf",
        "locals {\n  token = @\n}\noutput \"o\" {\n  sensitive = true\n  value     = local.token\n}\n",
    )],
    &[("main.tf", "output \"o\" {\n  sensitive = true\n  value     = @\n}\n")],
    &[("main.tf", "module \"m\" {\n  source = \"./m\"\n  token  = @\n}\n"), ("m/main.tf", DECLARED)],
    &[
        ("main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"),
        ("m/main.tf", "variable \"token\" {\n  sensitive = true\n  default   = @\n}\n"),
    ],
    &[("main.tf", "resource \"test_disk\" \"a\" {\n  secret = @\n}\n")],
    &[("main.tf", "resource \"test_disk\" \"a\" {\n  conf = { a = @ }\n}\n")],
    &[("main.tf", "provider \"test\" {\n  token = @\n}\nresource \"test_disk\" \"a\" {}\n")],
    &[("main.tf.json", "{\"variable\":{\"token\":{\"sensitive\":true,\"default\":@}}}")],
    &[("main.tf.json", "{\"resource\":{\"test_disk\":{\"a\":{\"secret\":\"${@}\"}}}}")],
    &[
        ("main.tf.json", "{\"module\":{\"m\":{\"source\":\"./m\",\"token\":\"${@}\"}}}"),
        ("m/main.tf", DECLARED),
    ],
    &[
        ("main.tf", DECLARED),
        ("a.tftest.hcl", "run \"r\" {\n  command = plan\n  variables {\n    token = @\n  }\n}\n"),
    ],
    &[
        ("main.tf", "resource \"test_disk\" \"a\" {}\n"),
        (
            "a.tftest.hcl",
            "override_resource {\n  target = test_disk.a\n  values = {\n    secret = @\n  }\n}\nrun \"r\" {\n  command = \
             plan\n}\n",
        ),
    ],
];

#[test]
fn no_word_of_a_secret_is_shown() {
    for (index, place) in PLACES.iter().enumerate() {
        for (nth, written) in WRITTEN.iter().enumerate() {
            let folder = Folder::with("unquoted", &[("schemas.json", SCHEMAS)]);
            for (name, text) in *place {
                // A string of JSON holds what is written there.
                let inside = match text.contains("${@}") {
                    true => json!(written).to_string().trim_matches('"').to_owned(),
                    false => (*written).to_owned(),
                };
                folder.write(&format!("m/{name}"), text.replace('@', &inside));
            }
            let module = folder.at("m").display().to_string();
            let schemas = folder.at("schemas.json").display().to_string();
            let block = format!("{module}:test_disk.a");
            let is_test = place.iter().any(|(name, _)| name.contains("tftest"));
            let commands: &[&[&str]] = match is_test {
                true => &[&["test", &module, "--schemas", &schemas]],
                false => &[
                    &["plan", &module, "--schemas", &schemas],
                    &["plan", "--schema", &schemas, "--type", "test_disk", "--config", &block],
                    &["eval", "1", "--config", &module],
                ],
            };
            // Each place meets each command, and so does each way of writing.
            for command in commands.iter().skip((index + nth) % commands.len()).take(1) {
                let output = objchange(*command, "");
                let shown = [&output.stdout, &output.stderr].into_iter().find(|text| text.contains(WORD));
                assert_eq!(shown, None, "place {index}: {written}: {command:?}");
            }
        }
    }
}
