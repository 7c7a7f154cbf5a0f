//! Values that do not fit a schema are answered with errors, or as far as they can be, and never with a panic.

use objchange::change::{
    IgnoreChanges, Lifecycle, PlanRequest, PlanResourceChange, PlannedResource, SimulatedProvider,
    action_for_change, assert_object_compatible, assert_plan_valid, assert_value_compatible,
    longest_common_subsequence, normalize_from_legacy_sdk, plan_change, planned_data_resource,
    prepare_computed_blocks, proposed_new,
};
use objchange::schema::Block;
use objchange::value::Path;
use objchange::{Type, Value};
use proptest::prelude::*;

use crate::common::{Content, any_value, block, loose_object_of, name, object_of};

/// Nearly an object of the schema, one of another schema, or any value.
fn misfit(schema: &Block) -> BoxedStrategy<Value> {
    prop_oneof![
        4 => loose_object_of(schema),
        2 => object_of(schema, Content::ANY),
        1 => block().prop_flat_map(|other| object_of(&other, Content::ANY)),
        1 => any_value(Content::ANY),
        1 => Just(Value::null(Type::Dynamic)),
        1 => Just(Value::unknown(schema.implied_type().clone())),
    ]
    .boxed()
}

fn path() -> impl Strategy<Value = Path> {
    let step = prop_oneof![3 => name().prop_map(Ok), 1 => (0..3_i64).prop_map(Err)];
    prop::collection::vec(step, 0..4).prop_map(|steps| {
        steps.into_iter().fold(Path::root(), |path, step| match step {
            Ok(name) => path.attribute(name),
            Err(position) => path.index(position),
        })
    })
}

proptest! {
    #![proptest_config(crate::common::cases(1000))]

    #[test]
    fn never_panic(
        (schema, [a, b, c]) in block().prop_flat_map(|schema| {
            let values = misfit(&schema);
            (Just(schema), [values.clone(), values.clone(), values])
        }),
        paths in prop::collection::vec(path(), 0..3),
    ) {
        let proposed = proposed_new(&schema, &a, &b);
        let planned_data = planned_data_resource(&schema, &b);
        let prepared = prepare_computed_blocks(&schema, &b);
        let normalized = normalize_from_legacy_sdk(&b, &schema);
        for error in [proposed, planned_data, prepared, normalized].into_iter().filter_map(Result::err) {
            prop_assert!(!error.to_string().is_empty() && !error.kind().is_empty());
        }
        for error in assert_plan_valid(&schema, &a, &b, &c) {
            prop_assert!(!error.to_string().is_empty());
        }
        let objects = assert_object_compatible(&schema, &b, &c);
        for error in objects.into_iter().chain(assert_value_compatible(&b, &c)) {
            prop_assert!(!error.to_string().is_empty());
        }
        prop_assert!(!action_for_change(&a, &b).kind().is_empty());
        let list = |value: &Value| value.as_object().map(|o| o.values().to_vec()).unwrap_or_default();
        let common = longest_common_subsequence(&list(&a), &list(&b));
        prop_assert!(common.len() <= list(&a).len());

        for ignore_changes in [IgnoreChanges::default(), IgnoreChanges::All, IgnoreChanges::Paths(paths.clone())] {
            let lifecycle = Lifecycle { ignore_changes, ..Default::default() };
            let mut request = PlanRequest::new(&schema, &a, &b);
            request.lifecycle = lifecycle;
            let simulated = &mut SimulatedProvider { requires_replace: paths.clone() };
            let mut answer = PlannedResource::new(c.clone());
            answer.requires_replace.clone_from(&paths);
            let mut wild = |_: &PlanResourceChange| Ok(answer.clone());
            for change in [plan_change(&request, simulated), plan_change(&request, &mut wild)] {
                match change {
                    Ok(change) => prop_assert!(change.violations.iter().all(|v| !v.to_string().is_empty())),
                    Err(error) => prop_assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}
