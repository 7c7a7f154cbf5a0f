//! Damaged modules do no harm: the body of the fuzz target on modules whose words are mixed, doubled, left out and exchanged.

use proptest::prelude::*;

#[path = "../../../../fuzz/module_tests.rs"]
mod module_tests;
#[path = "../../../../fuzz/whole_module.rs"]
mod whole_module;

/// Parts of a module; the tests exchange words in them.
const MODULES: [&str; 4] = [
    r#"variable "n" {
  type    = number
  default = 2
  validation {
    condition     = var.n < 5
    error_message = "no ${var.n}"
  }
}
variable "key" {
  default   = "hush"
  sensitive = true
}
locals {
  names = { for i in range(var.n) : "k${i}" => i }
  all   = [for k, v in sim_thing.a : v.id]
}
resource "sim_thing" "a" {
  for_each = local.names
  name     = each.key
  secret   = var.key
  any      = [each.value, null]
  parts    = { x = { label = "l" } }
  rule {
    port = 80
  }
  dynamic "rule" {
    for_each = toset([1, 2])
    content {
      port = rule.value
    }
  }
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [name]
    replace_triggered_by  = [terraform_data.first.id]
    precondition {
      condition     = length(local.names) > 0
      error_message = "none"
    }
    postcondition {
      condition     = self.name != ""
      error_message = "empty"
    }
  }
}
resource "terraform_data" "first" {
}
resource "terraform_data" "t" {
  count            = var.n
  input            = count.index
  triggers_replace = sim_thing.a["k0"].id
  depends_on       = [module.m]
}
"#,
    r#"module "m" {
  source   = "./m"
  for_each = { for n in data.sim_lookup.d.names : n => n }
  v        = { a = each.value }
  providers = {
    sim = sim.b
  }
}
provider "sim" {
  alias  = "b"
  region = terraform_data.first.output
}
data "sim_lookup" "d" {
  key = "x-${var.n}"
}
moved {
  from = terraform_data.old
  to   = terraform_data.t[0]
}
removed {
  from = terraform_data.gone
  lifecycle {
    destroy = false
  }
}
import {
  for_each = local.names
  to       = sim_thing.a[each.key]
  id       = "id-${each.value}"
}
check "c" {
  data "sim_lookup" "inner" {
    key = "y"
  }
  assert {
    condition     = length(data.sim_lookup.inner.names) == 1
    error_message = "not one"
  }
}
output "o" {
  value     = [module.m["a"].v, [for a in sim_thing.a : a.secret], provider::sim::count("x")]
  sensitive = true
  precondition {
    condition     = var.n > 0
    error_message = "never"
  }
}
terraform {
  required_version = ">= 1.0"
  required_providers {
    sim = {
      source = "hashicorp/sim"
    }
  }
}
--- m/main.tf
terraform {
  required_providers {
    sim = {
      source = "hashicorp/sim"
    }
  }
}
variable "v" {
  type    = object({ a = optional(string, "x") })
  default = {}
}
output "v" {
  value = var.v
}
resource "terraform_data" "t" {
  input = var.v
}
"#,
    r#"--- terraform.tfstate
{"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "outputs": {"o": {"value": 1, "type": "number"}},
 "resources": [
  {"mode": "managed", "type": "terraform_data", "name": "old", "provider": "provider[\"terraform.io/builtin/terraform\"]",
   "instances": [{"schema_version": 0, "attributes": {"id": "1", "input": {"value": 1, "type": "number"}}, "status": "tainted"}]},
  {"mode": "managed", "type": "sim_thing", "name": "a", "module": "module.m[\"a\"]",
   "provider": "provider[\"registry.terraform.io/hashicorp/sim\"].b",
   "instances": [{"index_key": "k0", "schema_version": 0, "attributes": {"id": "2", "name": "x"}, "deposed": "0badc0de"}]}]}
"#,
    r#"--- a.tf.json
{"resource": {"terraform_data": {"j": {"count": "${var.n}", "input": {"a": "${sim_thing.a[\"k1\"].parts}"}}}},
 "output": {"p": {"value": "${terraform_data.j[*].id}"}}, "locals": [{"x": "${1 + 1}"}]}
--- terraform.tfvars
n   = 3
key = "other"
"#,
];

/// Tests of a module, in both syntaxes, with mocks of their own and of files.
const TESTS: [&str; 3] = [
    r#"terraform {
  required_providers {
    sim = { source = "hashicorp/sim" }
  }
}
variable "name" {
  type = string
  validation {
    condition     = var.name != "bad"
    error_message = "bad"
  }
}
resource "sim_thing" "a" {
  count  = 2
  name   = "${var.name}-${count.index}"
  secret = "hush"
}
data "sim_lookup" "l" {
  key = var.name
}
check "c" {
  assert {
    condition     = length(data.sim_lookup.l.names) == 0
    error_message = "names"
  }
}
output "ids" {
  value = sim_thing.a[*].id
}
--- tests/a.tftest.hcl
test {
  parallel = true
}
variables {
  name = "x"
}
mock_provider "sim" {
  override_during = plan
  mock_resource "sim_thing" {
    defaults = { id = "i", parts = { made = "m" } }
  }
  override_resource {
    target = sim_thing.a[0]
    values = { id = "first" }
  }
}
run "plan" {
  command = plan
  assert {
    condition     = sim_thing.a[0].id == "first" && sim_thing.a[1].id == "j"
    error_message = "no ${sim_thing.a[1].name}"
  }
}
run "bad" {
  command = plan
  variables {
    name = "bad"
  }
  expect_failures = [var.name, check.c]
}
run "apply" {
  state_key = "other"
  variables {
    name = run.plan.ids[0]
  }
  assert {
    condition     = alltrue([for a in sim_thing.a : a.secret == "hush"])
    error_message = "no"
  }
  plan_options {
    target = [sim_thing.a[1]]
    replace = [sim_thing.a[1]]
  }
}
"#,
    r#"--- tests/b.tftest.json
{"mock_provider": {"sim": {"alias": "x", "source": "./mocks"}},
 "override_data": {"target": "data.sim_lookup.l", "values": {"names": ["n"]}},
 "run": [{"one": {"command": "plan", "variables": {"name": "y"}, "providers": {"sim": "sim.x"},
   "assert": [{"condition": "${var.name == \"z\"}", "error_message": "no"}]}},
  {"two": {"module": {"source": "./m"}, "assert": {"condition": "${output.o == 1}", "error_message": "no ${output.o}"}}}]}
--- mocks/m.tfmock.hcl
mock_data "sim_lookup" {
  defaults = { names = ["a"] }
}
--- m/main.tf
output "o" {
  value = 1
}
"#,
    r#"--- c.tftest.hcl
provider "sim" {
  region = var.where
}
variables {
  where = upper("x")
}
override_module {
  target  = module.m
  outputs = { o = 2 }
}
run "targets" {
  expect_failures = [sim_thing.a, output.ids]
  module {
    source = "./m"
  }
  variables {
    name = null
  }
}
"#,
];

/// The words of a text, with what is between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (i, c) in text.char_indices() {
        let before = text[start..i].chars().next_back();
        if i > start && !(before.is_some_and(is_word) && is_word(c)) {
            words.push(&text[start..i]);
            start = i;
        }
    }
    words.push(&text[start..]);
    words
}

#[derive(Debug, Clone)]
enum Damage {
    LeaveOut(usize),
    Double(usize),
    Exchange(usize, usize),
    Cut(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = 0..4000_usize;
    prop_oneof![
        3 => place.clone().prop_map(Damage::LeaveOut),
        2 => place.clone().prop_map(Damage::Double),
        4 => (place.clone(), place.clone()).prop_map(|(a, b)| Damage::Exchange(a, b)),
        1 => place.prop_map(Damage::Cut),
    ]
}

#[test]
fn the_modules_that_are_damaged_are_modules() {
    let planned = whole_module::module(MODULES.concat().as_bytes());
    assert!(planned.contains("{\"format_version\"") && !planned.contains("\nError: "), "{planned}");
}

/// The body of a case without the input in a mask.
fn without(mask: u32, text: &str) -> Vec<u8> {
    mask.to_le_bytes().into_iter().chain(text.bytes()).collect()
}

#[test]
fn the_modules_that_lose_input_are_planned() {
    assert!(whole_module::missing_input(&without(u32::MAX, &MODULES.concat())));
}

#[test]
fn the_tests_that_are_damaged_are_tests() {
    let ran = module_tests::module_tests(TESTS[..2].concat().as_bytes());
    assert!(ran.contains("\nFailure! 0 passed, 4 failed, 1 skipped.\n"), "{ran}");
    assert!(ran.contains("Test assertion failed") && ran.contains("Check block assertion failed"), "{ran}");
}

fn damaged(text: &str, damages: Vec<Damage>) -> String {
    let mut words = words(text);
    for damage in damages {
        let at = |place: usize| place % words.len();
        match damage {
            Damage::LeaveOut(a) => {
                words.remove(at(a));
            }
            Damage::Double(a) => words.insert(at(a), words[at(a)]),
            Damage::Exchange(a, b) => {
                let (a, b) = (at(a), at(b));
                words.swap(a, b);
            }
            Damage::Cut(a) => {
                let length = at(a).max(1);
                words.truncate(length);
            }
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn damaged_modules_do_no_harm(
        which in prop::collection::vec(0..MODULES.len(), 1..4),
        damages in prop::collection::vec(damage(), 0..6),
    ) {
        let text: String = which.into_iter().map(|which| MODULES[which]).collect();
        let _ = whole_module::module(damaged(&text, damages).as_bytes());
    }

    #[test]
    fn nothing_known_changes_when_a_damaged_module_gets_its_input(
        which in prop::collection::vec(0..MODULES.len(), 1..4),
        damages in prop::collection::vec(damage(), 0..3),
        mask in any::<u32>(),
    ) {
        let text: String = which.into_iter().map(|which| MODULES[which]).collect();
        whole_module::missing_input(&without(mask, &damaged(&text, damages)));
    }

    #[test]
    fn damaged_tests_do_no_harm(
        which in prop::collection::vec(1..TESTS.len(), 0..3),
        damages in prop::collection::vec(damage(), 0..6),
    ) {
        let text: String = std::iter::once(0).chain(which).map(|which| TESTS[which]).collect();
        let _ = module_tests::module_tests(damaged(&text, damages).as_bytes());
    }
}
