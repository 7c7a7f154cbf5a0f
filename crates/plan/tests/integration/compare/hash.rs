//! The hash of what a plan will do.

use objchange_document::{Plan, Schemas};
use objchange_plan::compare::{HashKey, HashedPlan};
use serde_json::{Value, json};

use super::{example, plan, resource, set_schemas};

pub(crate) fn key() -> HashKey {
    HashKey::new(b"0123456789abcdef").unwrap()
}

fn hashed(plan: &Value, schemas: &Schemas, key: Option<&HashKey>) -> HashedPlan {
    let text = plan.to_string();
    HashedPlan::new(&Plan::parse(&text).unwrap().changes, schemas, key, &[]).unwrap()
}

fn hash(plan: &Value) -> String {
    hashed(plan, &Schemas::none(), None).hash.to_string()
}

/// The form of the hash is a promise: it changes with the version, and with nothing else.
#[test]
fn the_hash_of_the_example() {
    let text = example("approved.json");
    let changes = Plan::parse(&text).unwrap().changes;
    let schemas = Schemas::parse(example("schemas.json")).unwrap();
    let key = key();
    let mut hashes = String::new();
    for (schemas, key) in
        [(&Schemas::none(), None), (&schemas, None), (&Schemas::none(), Some(&key)), (&schemas, Some(&key))]
    {
        let hashed = HashedPlan::new(&changes, schemas, key, &[]).unwrap();
        hashes += &format!("{} steps {} secrets {}\n", hashed.hash, hashed.steps, hashed.secrets);
    }
    insta::assert_snapshot!(hashes);
}

#[test]
fn what_does_not_change_what_is_done_is_not_in_it() {
    let one = resource("t.r", &["update"], json!({"a": 1}), json!({"a": 2, "b": {"x": 1, "y": 2}}));
    let base = plan(&[one.clone(), resource("t.s", &["no-op"], json!({}), json!({}))]);
    let mut other = plan(&[one]);
    other["format_version"] = json!("1.9");
    other["terraform_version"] = json!("1.12.0");
    other["timestamp"] = json!("2026-01-01T00:00:00Z");
    other["relevant_attributes"] = json!([{"resource": "t.r", "attribute": ["a"]}]);
    other["resource_drift"] = json!([resource("t.q", &["update"], json!({"a": 1}), json!({"a": 2}))]);
    other["resource_changes"][0]["action_reason"] = json!("replace_by_request");
    other["resource_changes"][0]["change"]["replace_paths"] = json!([["a"]]);
    assert_eq!(hash(&base), hash(&other));
    // The order of keys.
    let text = base.to_string().replace(r#""x":1,"y":2"#, r#""y":2,"x":1"#);
    let changes = Plan::parse(&text).unwrap().changes;
    assert_eq!(HashedPlan::new(&changes, &Schemas::none(), None, &[]).unwrap().hash.to_string(), hash(&base));
    // The action.
    other["resource_changes"][0]["change"]["actions"] = json!(["delete", "create"]);
    assert_ne!(hash(&base), hash(&other));
}

#[test]
fn identities_are_in_it() {
    let with = |members: Value| {
        let mut one = resource("t.r", &["update"], json!({"a": 1}), json!({"a": 2}));
        one["change"].as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        plan(&[one])
    };
    let all = [
        json!({}),
        json!({"before_identity": {"region": "eu"}}),
        json!({"after_identity": {"region": "eu"}}),
        json!({"before_identity": {"region": "eu"}, "after_identity": {"region": "eu"}}),
        json!({"before_identity": {"region": "us"}, "after_identity": {"region": "eu"}}),
        json!({"importing": {"identity": {"region": "eu"}}}),
        json!({"importing": {"identity": {"region": "us"}}}),
        json!({"importing": {"id": "eu"}}),
    ];
    let hashes: Vec<String> = all.iter().map(|members| hash(&with(members.clone()))).collect();
    for (i, one) in hashes.iter().enumerate() {
        assert!(!hashes[..i].contains(one), "{}", all[i]);
    }
    assert_eq!(hashes[0], hash(&with(json!({"before_identity": null, "after_identity": null}))));
}

#[test]
fn secrets_are_in_it_only_by_a_key() {
    let with = |secret: &str| {
        let mut one = resource("t.r", &["create"], Value::Null, json!({"password": secret, "size": 1}));
        one["change"]["after_sensitive"] = json!({"password": true});
        plan(&[one])
    };
    let none = Schemas::none();
    let other_key = HashKey::new(b"another key of 24 bytes.").unwrap();
    let (a, b) = (with("hunter2"), with("hunter3"));
    assert_eq!(hash(&a), hash(&b));
    assert_eq!(hashed(&a, &none, None).secrets, 1);
    let keyed = |plan: &Value, key: &HashKey| hashed(plan, &none, Some(key)).hash.to_string();
    assert_ne!(keyed(&a, &key()), keyed(&b, &key()));
    assert_eq!(keyed(&a, &key()), keyed(&with("hunter2"), &key()));
    assert_ne!(keyed(&a, &key()), keyed(&a, &other_key));
    assert!(keyed(&a, &key()).starts_with("v2+key:"));
    // That something is sensitive is a part of what is done.
    let mut plain = a.clone();
    plain["resource_changes"][0]["change"]["after_sensitive"] = json!({});
    assert_ne!(hash(&a), hash(&plain));
}

#[test]
fn sets_have_no_order_where_schemas_tell_them() {
    let with = |tags: Value| plan(&[resource("t.r", &["create"], Value::Null, json!({"tags": tags}))]);
    let (a, b) = (with(json!(["x", "y"])), with(json!(["y", "x"])));
    assert_ne!(hash(&a), hash(&b));
    let schemas = set_schemas();
    let told = |plan: &Value| hashed(plan, &schemas, None).hash.to_string();
    assert_eq!(told(&a), told(&b));
    assert!(told(&a).starts_with("v2+sets:"));
    // Where there is nothing to order, schemas make no difference.
    let single = with(json!(["x"]));
    assert_ne!(told(&single), told(&with(json!(["y"]))));
    assert!(told(&single).starts_with("v2:"));
}

#[test]
fn plans_that_failed_have_none() {
    let mut failed = plan(&[]);
    failed["errored"] = json!(true);
    let text = failed.to_string();
    let hash = HashedPlan::new(&Plan::parse(&text).unwrap().changes, &Schemas::none(), None, &[]);
    assert_eq!(hash.unwrap_err().kind(), "errored");
}
