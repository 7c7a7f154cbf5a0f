use proptest::prelude::*;

use super::*;

fn instance(text: &str) -> Result<InstanceAddress, AddressErrorKind> {
    text.parse().map_err(|error: AddressError| error.kind)
}

#[test]
fn keys_are_strings_of_configuration() {
    let key = |text: &str| instance(text).unwrap().key;
    assert_eq!(key("t.a"), None);
    assert_eq!(key("t.a[0]"), Some(InstanceKey::Number(0)));
    assert_eq!(key(r#"t.a["k$${v}"]"#), Some(InstanceKey::String("k${v}".to_owned())));
    assert_eq!(key(r#"t.a["\u0041%%{x}.\"]["]"#), Some(InstanceKey::String("A%{x}.\"][".to_owned())));
    assert_eq!(key(r#"t.a["$$$${"]"#), Some(InstanceKey::String("$$${".to_owned())));
}

#[test]
fn what_is_no_address_says_why() {
    use AddressErrorKind::{
        ExpectedKey, ExpectedName, ExpectedResource, InvalidEscape, MisplacedKey, Template, TrailingText,
        UnclosedKey,
    };
    for (text, kind, offset) in [
        ("", ExpectedName, 0),
        ("t", ExpectedResource, 1),
        ("t.a[", ExpectedKey, 4),
        ("t.a[1", UnclosedKey, 5),
        ("t.a[\"x", UnclosedKey, 6),
        ("t.a[1.5]", ExpectedKey, 5),
        ("t.a[-1]", ExpectedKey, 4),
        ("t.a[99999999999999999999]", ExpectedKey, 4),
        ("t.a[x]", ExpectedKey, 4),
        ("t.a[\"${x}\"]", Template, 5),
        ("t.a[\"\\x\"]", InvalidEscape, 5),
        ("t.a[\"\\ud800\"]", InvalidEscape, 5),
        ("a.b.c", TrailingText, 3),
        ("a.b[0][1]", MisplacedKey, 6),
        ("module.t.a", ExpectedResource, 10),
        ("module.t", ExpectedResource, 8),
        ("t.a b", TrailingText, 3),
        ("t[0].a", MisplacedKey, 1),
        ("data.t", ExpectedResource, 6),
        ("t.1", ExpectedName, 2),
    ] {
        assert_eq!(text.parse::<InstanceAddress>(), Err(AddressError { kind, offset }), "{text}");
    }
    assert_eq!("module.a.b".parse::<ModuleAddress>().unwrap_err().kind, TrailingText);
    assert_eq!("t.a[0]".parse::<ResourceAddress>().unwrap_err().kind, MisplacedKey);
}

#[test]
fn a_module_has_its_steps() {
    let text = r#"module.m["a.b"].module.n[1]"#;
    let module: ModuleAddress = text.parse().unwrap();
    assert_eq!(module.0.iter().map(|step| &*step.name).collect::<Vec<_>>(), ["m", "n"]);
    assert_eq!(module.to_string(), text);
    assert_eq!("".parse(), Ok(ModuleAddress::default()));
    assert!(InstanceAddress::is_same(r#"module.m["a"].t.x["\u0041"]"#, r#"module.m["\u0061"].t.x["A"]"#));
    assert!(!InstanceAddress::is_same(r#"module.m["a"].t.x"#, r#"module.m["b"].t.x"#));
}

#[test]
fn keys_are_quoted_as_in_configuration() {
    for (key, expected) in [
        ("a${b}", r#""a$${b}""#),
        ("$a %%{ $${", r#""$a %%%{ $$${""#),
        ("\t\n\r\"\\", r#""\t\n\r\"\\""#),
        ("\x01\x7f\u{ad}\u{2028}", r#""\u0001\u007f\u00ad\u2028""#),
        ("\u{1f600}\u{e0001}é", "\"\u{1f600}\\U000e0001é\""),
    ] {
        let mut quoted = String::new();
        quote_key(key, &mut quoted);
        assert_eq!(quoted, expected);
    }
}

fn key() -> impl Strategy<Value = Option<InstanceKey>> {
    prop_oneof![
        Just(None),
        any::<u64>().prop_map(|number| Some(InstanceKey::Number(number))),
        any::<String>().prop_map(|key| Some(InstanceKey::String(key))),
        r#"[a$%{}".\[\]\\\n]{0,6}"#.prop_map(|key| Some(InstanceKey::String(key))),
    ]
}

fn address() -> impl Strategy<Value = InstanceAddress> {
    let name = || "[a-c_][a-c0-1_-]{0,3}".prop_map(|name: String| name);
    let step = (name(), key()).prop_map(|(name, key)| ModuleStep { name, key });
    let mode = prop_oneof![Just(Mode::Managed), Just(Mode::Data), Just(Mode::Ephemeral)];
    let module = proptest::collection::vec(step, 0..3).prop_map(ModuleAddress);
    (module, mode, name(), name(), key()).prop_map(|(module, mode, resource_type, name, key)| {
        InstanceAddress { resource: ResourceAddress { module, mode, resource_type, name }, key }
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(address in address()) {
        let text = address.to_string();
        prop_assert_eq!(text.parse(), Ok(address.clone()));
        prop_assert_eq!(module_of(&text), address.resource.module.to_string());
        let mut bare = address;
        bare.key = None;
        bare.resource.module.0.iter_mut().for_each(|step| step.key = None);
        prop_assert_eq!(strip_keys(&text), bare.to_string());
    }

    #[test]
    fn any_text_has_steps(text in r#"[a.\["\]\\é]{0,12}"#) {
        let steps: Vec<_> = steps(&text).collect();
        let joined: Vec<String> = steps.iter().map(|step| format!("{}{}", step.name, step.key)).collect();
        prop_assert_eq!(joined.join("."), &*text);
        prop_assert!(text.starts_with(module_of(&text)));
        if let Ok(address) = text.parse::<InstanceAddress>() {
            prop_assert!(InstanceAddress::is_same(&text, &address.to_string()));
        }
    }
}
