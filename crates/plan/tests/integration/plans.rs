//! Plans for tests of pages.

use serde_json::{Value, json};

/// A resource that changes.
pub(crate) fn resource(
    address: &str,
    module: Option<&str>,
    actions: &[&str],
    before: &Value,
    after: &Value,
) -> Value {
    json!({"address": address, "module_address": module, "mode": "managed", "type": "a_b", "name": "c",
        "provider_name": "registry.terraform.io/x/a", "change": {"actions": actions, "before": before, "after": after}})
}

/// A plan with something in each section, and this text at each place that a document can have it.
pub(crate) fn plan(text: &str) -> String {
    plan_with(text, &text.chars().take(20).collect::<String>())
}

/// A plan with this word as an action. A few hundred unknown words are kept.
pub(crate) fn plan_with(text: &str, action: &str) -> String {
    let value = json!({"id": text, "note": [text], "tags": {text: text}});
    let mut replaced =
        resource(text, None, &["delete", "create"], &json!({"ami": text}), &json!({"ami": "x"}));
    replaced["change"]["replace_paths"] = json!([["ami"]]);
    let mut moved = resource(text, Some(text), &["no-op"], &value, &value);
    moved["previous_address"] = format!("old {text}").into();
    let mut imported = resource(text, None, &["no-op"], &value, &value);
    imported["change"]["importing"] = json!({"id": text});
    let mut read = resource(text, Some(text), &["read"], &Value::Null, &value);
    read["mode"] = "data".into();
    read["action_reason"] = text.into();
    let mut deposed = resource(text, Some(text), &["delete"], &value, &Value::Null);
    deposed["deposed"] = text.into();
    let deferred = resource(text, None, &["create"], &Value::Null, &value);
    json!({
        "format_version": "1.2",
        "resource_changes": [
            resource(text, None, &["create"], &Value::Null, &value),
            resource(text, None, &["forget"], &value, &Value::Null),
            resource(text, Some("module.other"), &["update"], &json!({"id": text}), &json!({"id": "x"})),
            resource(text, None, &[action], &value, &value),
            replaced, moved, imported, read, deposed,
        ],
        "resource_drift": [resource(text, None, &["update"], &json!({"id": "x"}), &value)],
        "deferred_changes": [{"reason": text, "resource_change": deferred}],
        "output_changes": {text: {"actions": ["create"], "before": null, "after": text, "after_unknown": false}},
        "action_invocations": [{"address": text, "type": text, "name": text, "config_values": value,
            "invoke_action_trigger": {}}],
        "checks": [
            {"address": {"to_display": text}, "status": "fail", "instances": [{"problems": [{"message": text}]}]},
            {"address": {"to_display": text}, "status": "unknown"},
            {"address": {"to_display": "check.passed"}, "status": "pass"},
        ],
    })
    .to_string()
}

/// A plan of so many resources, those that are destroyed in the end.
pub(crate) fn large(count: usize) -> String {
    let changes: Vec<_> = (0..count)
        .map(|index| {
            let (address, module) =
                (format!("module.m{}.a_b.c[{index}]", index % 7), format!("module.m{}", index % 7));
            let value = json!({"id": "x".repeat(40)});
            match index % 3 {
                0 => resource(&address, Some(&module), &["create"], &Value::Null, &value),
                1 => resource(&address, Some(&module), &["update"], &value, &json!({"id": "y"})),
                _ => resource(&address, Some(&module), &["delete"], &value, &Value::Null),
            }
        })
        .collect();
    json!({"format_version": "1.2", "resource_changes": changes}).to_string()
}

/// Texts that would be markup if they were not escaped.
pub(crate) const HOSTILE: [&str; 22] = [
    "</code></h3></summary></details></article></div></section></main><script>alert(1)</script>",
    "<script>alert(1)</script>",
    "</script><b>",
    "</style></title><b>",
    "<img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)\" x=\"",
    "' onmouseover='alert(1)' x='",
    "<!-- x",
    "--> x",
    "]]> <![CDATA[ x",
    "<plaintext>",
    "<textarea>",
    "<svg><a href=javascript:alert(1)>",
    "&lt;b&gt; &amp; &#60; &",
    "javascript:alert(1)",
    "data:text/html,<b>",
    "https://x.example/?a=<b>&c",
    "{{x}} ${x} <%= x %>",
    "\n+ b\n- c\n<b>\n",
    "\u{202e}x\u{0}\u{c}\u{2028}",
    "x y\tz",
    "main",
];
