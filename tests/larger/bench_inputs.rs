//! The inputs that the benches build are those of the shared cases, where these are at hand.

use std::collections::BTreeMap;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use objchange::schema::{Block, NestingMode};
use objchange::{Type, Value};
use objchange_case::{Case, Outcome};
use serde_json::value::RawValue;

#[path = "../../benches/scenarios/mod.rs"]
mod scenarios;

use scenarios::Scenario;

/// How many elements the shared cases have.
const N: usize = 100;

/// The shared cases by the name of their scenario, each with the text of its fields.
type Cases<'t> = BTreeMap<&'t str, BTreeMap<&'t str, &'t RawValue>>;

fn parsed(text: &str) -> Cases<'_> {
    let parse = |line| {
        let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(line).expect("a case is an object");
        let id: &str = serde_json::from_str(fields["id"].get()).expect("an id is a text");
        let name =
            id.strip_prefix("bench-").and_then(|id| id.rsplit_once('-')).expect("a name and a number").0;
        (name, fields)
    };
    text.lines().map(parse).collect()
}

#[track_caller]
fn check(cases: &Cases<'_>, name: &str, schema: &Block, values: &[(&str, &Value)]) {
    let fields = &cases[name];
    let wanted: Block = serde_json::from_str(fields["schema"].get()).expect("a schema");
    assert_eq!(*schema, wanted, "{name}");
    for (field, value) in values {
        let wanted = Value::from_marker_json(fields[field].get(), wanted.implied_type()).expect("a value");
        assert!(**value == wanted, "{name}: {field} is another");
    }
}

#[track_caller]
fn check_lists(cases: &Cases<'_>, name: &str, lists: (Vec<Value>, Vec<Value>)) {
    for (field, list) in [("xs", lists.0), ("ys", lists.1)] {
        let list = Value::list(Type::String, list).expect("texts");
        let wanted = Value::from_marker_json(cases[name][field].get(), list.ty()).expect("a list");
        assert!(list == wanted, "{name}: {field} is another");
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench/core-n100.jsonl");
    let is_absent = !path.exists();
    vec![
        Trial::test("are_those_of_the_shared_cases", move || are_those_of_the_shared_cases(&path))
            .with_ignored_flag(is_absent),
        Trial::test("large_lists_are_merged_as_small_ones_are", large_lists_are_merged_as_small_ones_are),
    ]
}

fn are_those_of_the_shared_cases(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let cases = parsed(&text);
    for (name, Scenario { schema, prior, config }) in [
        ("a_proposed_new_set_block", scenarios::items(N, NestingMode::Set)),
        ("a2_proposed_new_set_block_scrambled", scenarios::scrambled(N)),
        ("b_proposed_new_list_block", scenarios::items(N, NestingMode::List)),
        ("c_assert_plan_valid_list_block", scenarios::items(N, NestingMode::List)),
        ("g_proposed_new_nested_set_attr", scenarios::nested_set(N)),
    ] {
        check(&cases, name, &schema, &[("prior", &prior), ("config", &config)]);
    }
    let (schema, planned, actual) = scenarios::applied_set(N);
    let name = "d_assert_object_compatible_set_block";
    check(&cases, name, &schema, &[("planned", &planned), ("actual", &actual)]);
    check_lists(&cases, "e_lcs_edits", scenarios::edited_lists(N));
    check_lists(&cases, "e_lcs_all_different", scenarios::different_lists(N));

    let scenarios::Typical { schema, prior, config, planned, actual } = scenarios::typical();
    let before = [("prior", &prior), ("config", &config)];
    check(&cases, "f_typical_proposed_new", &schema, &before);
    let all = [before[0], before[1], ("planned", &planned)];
    check(&cases, "f_typical_assert_plan_valid", &schema, &all);
    let after = [("planned", &planned), ("actual", &actual)];
    check(&cases, "f_typical_assert_object_compatible", &schema, &after);

    for line in text.lines() {
        let case = Case::parse(line).expect("a case");
        assert_eq!(case.run(), Outcome::Passed, "{:?}", case.id());
    }
    Ok(())
}

/// Where a collection is large, elements are looked at before their turn; that must not show.
fn large_lists_are_merged_as_small_ones_are() -> Result<(), Failed> {
    use objchange::change::{assert_plan_valid, proposed_new};

    for n in [10, 5_001] {
        let Scenario { schema, prior, config } = scenarios::items(n, NestingMode::List);
        let proposed = proposed_new(&schema, &prior, &config).expect("the values fit the schema");
        assert_eq!(assert_plan_valid(&schema, &prior, &config, &proposed), []);
        let items =
            |value: &Value| value.attribute("item").and_then(Value::as_elements).expect("items").to_vec();
        let (before, after) = (items(&prior), items(&proposed));
        assert_eq!((before.len(), after.len()), (n, n));
        for (i, (before, after)) in std::iter::zip(&before, &after).enumerate() {
            if i == n / 2 {
                assert_eq!(after.attribute("a2"), Some(&Value::from("beta-changed")));
                assert_eq!(after.attribute("c1"), before.attribute("c1"));
            } else {
                assert_eq!(before, after);
            }
        }
    }
    Ok(())
}
