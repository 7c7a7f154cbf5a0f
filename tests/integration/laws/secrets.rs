//! No text contains a sensitive value.

use std::convert::Infallible;
use std::fmt::{Debug, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};

use objchange::change::{
    AppliedResource, ApplyRequest, ApplyResourceChange, Diagnostic, Lifecycle, PlanRequest,
    PlanResourceChange, PlannedResource, SimulatedProvider, apply_change, assert_object_compatible,
    assert_plan_valid, assert_value_compatible, normalize_from_legacy_sdk, plan_change,
    planned_data_resource, prepare_computed_blocks, proposed_new,
};
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::{Descend, Kind, Marks, Path, Refinements};
use objchange::{Type, Value};
use proptest::prelude::*;
use serde::Serialize;

use crate::common::{
    Content, SECRET, any_type, any_value, assert_shows_no_secret, block, loose_object_of, object_of, target,
    ty, value, with_secrets,
};
use crate::laws::parts::{children, rebuilt};

#[track_caller]
fn assert_hides(shown: impl Display + Debug) {
    assert_shows_no_secret(&shown.to_string());
    assert_shows_no_secret(&format!("{shown:?} {shown:#?}"));
}

#[track_caller]
fn assert_json_hides(shown: &impl Serialize) {
    assert_shows_no_secret(&serde_json::to_string(shown).unwrap());
}

/// The value with secrets in what the schema calls sensitive, without marks.
fn secret_by_schema(schema: &Block, value: &Value) -> Value {
    let plain = value.unmark_deep().0;
    let paths: Vec<Path> =
        schema.sensitive_paths(&plain).into_iter().chain(schema.write_only_paths(&plain)).collect();
    let planted = plain.transform(|path, part| {
        let is_secret = paths.contains(&path.to_path());
        Ok::<_, Infallible>(if is_secret { with_secrets(&part.sensitive()).unmark_deep().0 } else { part })
    });
    planted.unwrap_or_else(|never| match never {})
}

/// The value with each map written as configuration writes maps: as an object.
fn maps_as_objects(value: &Value) -> Value {
    let children: Vec<Value> = children(value).iter().map(maps_as_objects).collect();
    let changed = match value.kind() {
        Kind::Map(map) => Value::object(map.iter().map(|(key, _)| key.clone()).zip(children)),
        // Elements that had one type may now have several.
        Kind::List(_) => Value::tuple(children),
        Kind::Set(_) => return value.clone(),
        _ => return rebuilt(value.unmarked(), children).with_marks(value.marks()),
    };
    changed.with_marks(value.marks())
}

/// A schema with objects of it, some of which fit badly.
fn objects(schemas: BoxedStrategy<Block>) -> impl Strategy<Value = (Block, [Value; 3])> {
    schemas.prop_flat_map(|schema| {
        let one = || {
            prop_oneof![
                3 => object_of(&schema, Content::ANY),
                1 => loose_object_of(&schema),
                1 => Just(Value::null(schema.implied_type().clone())),
            ]
        };
        (Just(schema.clone()), [one(), one(), one()])
    })
}

fn assert_all_hide(schema: &Block, [prior, config, planned]: [&Value; 3]) {
    for result in [
        proposed_new(schema, prior, config),
        planned_data_resource(schema, config),
        prepare_computed_blocks(schema, config),
        normalize_from_legacy_sdk(config, schema),
    ] {
        if let Err(error) = result {
            assert_json_hides(&error);
            assert_hides(error);
        }
    }
    let (invalid, inconsistent) = (
        assert_plan_valid(schema, prior, config, planned),
        assert_object_compatible(schema, config, planned),
    );
    assert_json_hides(&invalid);
    assert_json_hides(&inconsistent);
    invalid.into_iter().for_each(assert_hides);
    inconsistent.into_iter().for_each(assert_hides);
    if let Err(error) = schema.coerce_value(config) {
        assert_hides(error);
    }
}

/// A provider's choice for each part of an object.
fn diagnostics(object: &Value, say: fn(&'static str) -> Diagnostic) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    object.unmark_deep().0.visit(|path, _| {
        let mut diagnostic = say("look at this");
        diagnostic.path = Some(path.to_path());
        said.push(diagnostic);
        Descend::Into
    });
    said
}

/// Plans with the planned object as the provider's answer, or with what is proposed.
fn assert_planning_hides(schema: &Block, [prior, config, planned]: [&Value; 3]) {
    for (planned, force_replace) in
        [(Some(planned), false), (Some(planned), true), (None, false), (None, true)]
    {
        let lifecycle = Lifecycle { force_replace, ..Lifecycle::default() };
        let mut request = PlanRequest::new(schema, prior, config);
        request.lifecycle = lifecycle;
        assert_shows_no_secret(&format!("{request:?}"));
        let mut provider = |request: &PlanResourceChange| {
            assert_shows_no_secret(&format!("{request:?}"));
            let mut answer = PlannedResource::new(planned.unwrap_or(&request.proposed).clone());
            assert_shows_no_secret(&format!("{answer:?}"));
            answer.diagnostics = diagnostics(&answer.planned, Diagnostic::warning);
            answer.requires_replace =
                answer.diagnostics.iter().filter_map(|said| said.path.clone()).collect();
            Ok(answer)
        };
        match plan_change(&request, &mut provider) {
            Ok(change) => {
                assert_shows_no_secret(&format!("{change:?}"));
                assert_json_hides(&change);
                for value in [&change.before, &change.proposed, &change.after] {
                    let json = value.to_redacted_json(schema.implied_type());
                    assert_shows_no_secret(&json.unwrap_or_else(|error| error.to_string()));
                }
                change.violations.iter().chain(&change.at_apply).for_each(assert_hides);
                let mut provider = |question: &ApplyResourceChange| {
                    assert_shows_no_secret(&format!("{question:?}"));
                    let mut answer = AppliedResource::new(planned.unwrap_or(&question.planned).clone());
                    answer.diagnostics =
                        diagnostics(planned.unwrap_or(&question.planned), Diagnostic::warning);
                    Ok(answer)
                };
                match apply_change(&ApplyRequest::new(schema, &change, config), &mut provider) {
                    Ok(applied) => {
                        assert_shows_no_secret(&format!("{applied:?}"));
                        assert_json_hides(&applied);
                        applied.violations.iter().for_each(assert_hides);
                    }
                    Err(error) => assert_hides(error),
                }
            }
            Err(error) => assert_hides(error),
        }
        let mut refuses = |request: &PlanResourceChange| {
            let mut answer = PlannedResource::new(planned.unwrap_or(&request.proposed).clone());
            answer.diagnostics = diagnostics(&answer.planned, Diagnostic::error);
            Ok(answer)
        };
        if let Err(error) = plan_change(&request, &mut refuses) {
            assert_hides(error);
        }
    }
}

/// Two values of one type, and any value.
fn pairs() -> impl Strategy<Value = (Type, Value, Value)> {
    ty().prop_flat_map(|ty| {
        (Just(ty.clone()), value(&ty, Content::ANY).boxed(), value(&ty, Content::ANY).boxed())
    })
}

proptest! {
    #![proptest_config(crate::common::cases(1000))]

    #[test]
    fn of_values_and_paths(value in any_value(Content::ANY)) {
        let value = with_secrets(&value);
        assert_hides(&value);
        value.visit(|path, _| {
            assert_hides(path);
            Descend::Into
        });
        for (path, _) in value.unmark_deep_with_paths().1 {
            assert_hides(path);
        }
        let redacted = value.to_redacted_json(value.ty());
        assert_shows_no_secret(&redacted.unwrap_or_else(|error| error.to_string()));
    }

    #[test]
    fn that_marks_hide((schema, values) in objects(block()), loose in any::<bool>()) {
        let [a, b, c] = values.map(|value| with_secrets(&value));
        let inconsistent = assert_value_compatible(&b, &c);
        assert_json_hides(&inconsistent);
        inconsistent.into_iter().for_each(assert_hides);
        let [a, b, c] = [a, b, c].map(|value| if loose { maps_as_objects(&value) } else { value });
        assert_all_hide(&schema, [&a, &b, &c]);
        assert_planning_hides(&schema, [&a, &b, &c]);
    }

    #[test]
    fn that_the_prior_object_hides((schema, values) in objects(block())) {
        // Configuration and answer only repeat the prior object, without its secrets and marks.
        let [a, b, c] = values;
        let [b, c] = [b, c].map(|value| value.unmark_deep().0);
        assert_planning_hides(&schema, [&with_secrets(&a), &b, &c]);
    }

    #[test]
    fn that_the_schema_hides((schema, values) in objects(block()), loose in any::<bool>()) {
        let [a, b, c] = values.map(|value| secret_by_schema(&schema, &value));
        let [a, b, c] = [a, b, c].map(|value| if loose { maps_as_objects(&value) } else { value });
        assert_all_hide(&schema, [&a, &b, &c]);
        assert_planning_hides(&schema, [&a, &b, &c]);
    }

    #[test]
    fn is_marked_as_the_schema_says((schema, values) in objects(block())) {
        let [prior, config, _] = values.map(|value| schema.coerce_config(&value.unmark_deep().0));
        let (Ok(prior), Ok(config)) = (prior, config) else { return Ok(()) };
        let marked = |value: &Value| {
            let hidden: Vec<Path> =
                schema.sensitive_paths(value).into_iter().chain(schema.write_only_paths(value)).collect();
            let is_outermost = |path: &&Path| !hidden.iter().any(|outer| outer != *path && path.starts_with(outer));
            let marks = hidden.iter().filter(is_outermost).map(|path| (path.clone(), Marks::SENSITIVE));
            value.mark_where_present(&marks.collect::<Vec<_>>())
        };
        let request = PlanRequest::new(&schema, &prior, &config);
        if let Ok(change) = plan_change(&request, &mut SimulatedProvider::default()) {
            prop_assert_eq!(&change.before, &marked(&prior));
            prop_assert_eq!(&change.proposed, &marked(&change.proposed.unmark_deep().0));
            prop_assert_eq!(&change.after, &marked(&change.after.unmark_deep().0));
        }
    }

    #[test]
    fn of_conversions(value in any_value(Content::ANY), target in target(), other in any_type(), loose in any::<bool>()) {
        let value = with_secrets(&value);
        let value = if loose { maps_as_objects(&value) } else { value };
        for ty in [&target, &other] {
            if let Err(error) = value.convert(ty) {
                assert_hides(error);
            }
        }
        // Finding what the elements have in common fails, or it does not: in neither case they are told.
        if let Err(error) = Value::tuple([value.clone(), Value::tuple([value])]).convert(&Type::list(target)) {
            assert_hides(error);
        }
    }

    #[test]
    fn of_unreadable_objects((schema, [value, ..]) in objects(block()), other in any_type(), at in any::<prop::sample::Index>()) {
        let ty = schema.implied_type();
        let value = secret_by_schema(&schema, &value);
        let assert_hides = |path: &Path, message: &dyn Display| {
            // Keys of maps are in the path: which of them are secret is known to the schema.
            assert_hides(schema.hide_keys(path));
            assert_shows_no_secret(&message.to_string());
        };
        if let Ok(text) = value.to_json(ty) {
            let cut = text.get(..at.index(text.len())).unwrap_or_default();
            let spoilt = text.replacen("\":", "\":[],\"s\":", 1 + at.index(3));
            for (text, ty) in [(cut, ty), (&spoilt, ty), (&text, &other)] {
                if let Err(error) = Value::from_json(text, ty) {
                    assert_hides(&error.path, &error.message);
                }
            }
        }
        if let Ok(mut bytes) = value.to_msgpack(ty) {
            for (bytes, ty) in [(&bytes[..at.index(bytes.len())], ty), (&bytes[..], &other)] {
                if let Err(error) = Value::from_msgpack(bytes, ty) {
                    assert_hides(&error.path, &error.problem);
                }
            }
            let spoilt = at.index(bytes.len());
            bytes[spoilt] ^= 0x11;
            // A wrong length makes keys of a map names of attributes, which may be told: only the content is secret.
            if let Err(error) = Value::from_msgpack(&bytes, ty) {
                assert_shows_no_secret(&error.problem.to_string());
            }
        }
    }

    #[test]
    fn of_unreadable_markers(value in any_value(Content::ANY), other in any_type(), cut in any::<prop::sample::Index>()) {
        let text = with_secrets(&value).to_marker_json(value.ty()).unwrap();
        if let Err(error) = Value::from_marker_json(&text, &other) {
            assert_hides(error);
        }
        // Where text ends early or goes on, its markers cannot be told.
        if let Some(Err(error)) = text.get(..cut.index(text.len() + 1)).map(|t| Value::from_marker_json(t, value.ty())) {
            assert_hides(error);
        }
    }

    #[test]
    fn of_cases((ty, a, b) in pairs(), other in any_type()) {
        use objchange_case::{Case, Outcome};

        let marker = |value: &Value| value.to_marker_json(&ty).unwrap();
        let (a, b) = (marker(&with_secrets(&a)), marker(&with_secrets(&b)));
        let cases = [
            format!(r#"{{"id":"x","op":"lcs","type":{ty},"xs":[{a},{b}],"ys":[{b},{a}],"want":{{"values":[{a},{b},{a}]}}}}"#),
            format!(r#"{{"id":"x","op":"lcs","type":{ty},"xs":[{a},{b}],"ys":[{b},{a}],"want":{{"errors":[]}}}}"#),
            format!(
                r#"{{"id":"x","op":"assert_value_compatible","type":{ty},"planned":{a},"actual":{b},"want":{{"values":[{a}]}}}}"#
            ),
            format!(
                r#"{{"id":"x","op":"assert_value_compatible","type":{ty},"planned":{a},"actual":{b},"want":{{"errors":[{{"path":[{{"index":{a}}}],"kind":"k"}}]}}}}"#
            ),
            format!(r#"{{"id":"x","op":"action_for_change","type":{other},"before":{a},"after":{b},"want":{{"value":{b}}}}}"#),
            format!(
                r#"{{"id":"x","op":"proposed_new","schema":{{"attributes":{{"a":{{"type":{ty},"optional":true}}}}}},"prior":{{"a":{b}}},"config":{{"a":{a}}},"want":{{"value":{{"a":{b}}}}}}}"#
            ),
        ];
        for text in cases {
            match Case::parse(&text) {
                Err(error) => assert_hides(error),
                Ok(case) => match case.run() {
                    Outcome::Failed(difference) => {
                        assert_hides(&difference.path);
                        assert_shows_no_secret(&format!("{difference:?} {} {}", difference.got, difference.want));
                    }
                    Outcome::Unusable(error) => assert_hides(error),
                    outcome => assert_shows_no_secret(&format!("{outcome:?}")),
                },
            }
        }
    }
}

/// A panic of a user's closure is passed on unchanged, and everything can be used as before.
#[test]
fn where_a_closure_panics() {
    let panics = |run: &mut dyn FnMut()| {
        let payload = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"mine"));
    };
    let schema = Block::new(
        [("id", Attribute::computed(Type::String)), ("key", Attribute::optional(Type::String).sensitive())],
        [],
    );
    let config = Value::object([("key", SECRET)]);
    let nothing = Value::null(schema.implied_type().clone());
    let request = PlanRequest::new(&schema, &nothing, &config);
    panics(&mut || drop(plan_change(&request, &mut |_: &PlanResourceChange| panic!("mine"))));
    let change = plan_change(&request, &mut SimulatedProvider::default()).unwrap();
    assert!(change.violations.is_empty());
    panics(&mut || {
        drop(apply_change(&ApplyRequest::new(&schema, &change, &config), &mut |_| panic!("mine")));
    });
    let before = change.after.clone();
    panics(&mut || change.after.visit(|_, _| panic!("mine")));
    panics(&mut || drop(change.after.transform(|_, _| -> Result<Value, Infallible> { panic!("mine") })));
    assert_eq!(change.after, before);
    assert_shows_no_secret(&format!("{change:?}"));
}

#[test]
fn of_computed_blocks_that_break_a_promise() {
    let one = Block::new([("key", Attribute::computed(Type::String).sensitive())], []);
    let ty = one.implied_type().clone();
    let disks = NestedBlock::new(NestingMode::List, one).computed();
    let schema = Block::new([], [("disk", disks)]);
    let promise = Refinements { length_lower: Some(2), ..Refinements::not_null() };
    let planned = Value::refined_unknown(Type::list(ty.clone()), promise).unwrap();
    let actual = Value::list(ty, [Value::object([("key", SECRET)])]).unwrap();
    let object = |disk: &Value| Value::object([("disk", disk.clone())]);
    let errors = assert_object_compatible(&schema, &object(&planned), &object(&actual));
    assert_eq!(errors.len(), 1);
    errors.into_iter().for_each(assert_hides);
}
