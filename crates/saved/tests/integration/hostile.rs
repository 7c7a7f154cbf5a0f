//! Wrong files are refused for the right reason, and nothing panics.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use objchange::schema::ProviderSchemas;
use objchange_document::MadePlan;
use objchange_module::Schemas;
use objchange_saved::{SavedPlan, SavedPlanError, refusal};
use proptest::prelude::*;

use crate::archive::{Entry, NEW, archive, bytes, change, entries, number, plan, plan_file, varint};

fn document(file: &[u8]) -> Result<String, SavedPlanError> {
    Ok(SavedPlan::read(file)?.decode(&Schemas::default())?.document())
}

/// The stable name of the reason, and the sentence.
fn refused(file: &[u8]) -> (&'static str, String) {
    match document(file) {
        Ok(_) => ("", String::new()),
        Err(error) => (error.kind(), error.to_string()),
    }
}

fn good() -> Vec<u8> {
    plan(&[change("terraform_data.a", 1, &[NEW])], b"")
}

#[test]
fn a_good_file_is_read() {
    let text = document(&plan_file(&good())).unwrap();
    assert!(text.contains(r#""address":"terraform_data.a""#), "{text}");
}

#[test]
fn entries_of_one_name_are_refused() {
    let message = good();
    let other = plan(&[], b"");
    let mut twice = entries(&message);
    twice.push(Entry::stored("tfplan", &other));
    let (kind, sentence) = refused(&archive(&twice));
    assert_eq!(kind, "repeated_entry");
    assert!(sentence.contains("two entries of this name"), "{sentence}");
    // Names are compared exactly, as Terraform does it.
    let mut capitals = entries(&message);
    capitals.push(Entry::stored("TFPLAN", &other));
    assert!(document(&archive(&capitals)).is_ok());
}

#[test]
fn entries_that_no_terraform_writes_are_refused() {
    let message = good();
    let with = |change: &dyn Fn(&mut Entry<'_>)| {
        let mut all = entries(&message);
        change(&mut all[0]);
        refused(&archive(&all))
    };
    assert!(with(&|entry| entry.flags = 1).1.contains("encrypted"));
    assert!(with(&|entry| entry.method = 99).1.contains("encrypted"));
    assert!(with(&|entry| entry.method = 12).1.contains("method 12"));
    assert!(with(&|entry| entry.crc ^= 1).1.contains("damaged"));
    assert!(with(&|entry| entry.content = b"short").1.contains("damaged"));
    assert_eq!(with(&|entry| entry.name = "other").0, "archive");
    let mut lies = archive(&entries(&message));
    lies[30] = b'x';
    assert!(refused(&lies).1.contains("the directory of the archive says something else"));
    let mut longer = archive(&entries(&message));
    longer.extend(b"junk");
    assert_eq!(refused(&longer).0, "archive");
}

#[test]
fn bombs_are_not_unpacked() {
    let zeros = vec![0; (64 << 20) + 1];
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&zeros).unwrap();
    let message = good();
    let mut all = entries(&message);
    let bomb =
        Entry { data: encoder.finish().unwrap(), method: 8, ..Entry::stored("tfconfig/m-/b.tf", &zeros) };
    all.push(bomb);
    let file = archive(&all);
    assert!(file.len() < 1 << 20);
    let (kind, sentence) = refused(&file);
    assert_eq!(kind, "archive_entry");
    assert!(sentence.contains("too large"), "{sentence}");
}

#[test]
fn broken_messages_are_refused() {
    let good = good();
    let with = |rest: &[u8]| refused(&plan_file(&[good.clone(), rest.to_vec()].concat())).0;
    assert_eq!(with(&[varint(3 << 3 | 2), varint(1 << 63)].concat()), "plan_message");
    assert_eq!(with(&[varint(3 << 3 | 2), varint(100)].concat()), "plan_message");
    assert_eq!(with(&[0x80; 11]), "plan_message");
    assert_eq!(with(&[3 << 3 | 3]), "plan_message");
    assert_eq!(with(&[0]), "plan_message");
    assert_eq!(with(&bytes(3, &bytes(9, &number(1, 1)))), "plan_message");
    assert_eq!(with(&bytes(3, &[])), "plan_message");
    assert_eq!(with(&bytes(14, b"\xff")), "plan_message");
    assert_eq!(with(&bytes(5, b"\xff")), "plan_message");
    assert_eq!(with(&bytes(99, b"unknown")), "");
    assert_eq!(with(&number(1, 4)), "format_version");
    assert_eq!(with(&bytes(14, b"1.0.3")), "old_plan_file");
    assert_eq!(with(&number(17, 9)), "unknown_enum");
    let changed = |address, action, values: &[&[u8]]| {
        refused(&plan_file(&plan(&[change(address, action, values)], b"")))
    };
    let (kind, sentence) = changed("terraform_data.a", 42, &[NEW]);
    assert_eq!((kind, sentence.contains("terraform_data.a: unknown action 42")), ("unknown_enum", true));
    assert_eq!(changed("terraform_data.a", 3, &[NEW]).0, "plan_message");
    assert_eq!(changed("terraform_data.a", 1, &[]).0, "plan_message");
    assert_eq!(changed("terraform_data.a[", 1, &[NEW]).0, "plan_message");
    let deep = "module.m.".repeat(10_000) + "terraform_data.a";
    assert!(changed(&deep, 1, &[NEW]).1.contains("in more than 256 modules"));
    let (kind, sentence) = changed("terraform_data.a[\"\u{1b}[2J\"]", 1, &[b"\x80\x80"]);
    assert_eq!(kind, "trailing_bytes");
    assert!(!sentence.contains('\u{1b}'), "{sentence}");
}

/// An action, with `rest` in place of its trigger.
fn action(address: &str, rest: &[u8]) -> Vec<u8> {
    let provider = bytes(2, br#"provider["registry.terraform.io/x/y"]"#);
    [bytes(1, address.as_bytes()), provider, bytes(4, &bytes(1, b"\xc0")), rest.to_vec()].concat()
}

fn trigger(resource: &str, event: u64, index: u64) -> Vec<u8> {
    bytes(6, &[bytes(1, resource.as_bytes()), number(2, event), number(4, index)].concat())
}

#[test]
fn broken_actions_are_refused() {
    let refused = |field: u64, entry: &[u8]| refused(&plan_file(&plan(&[], &bytes(field, entry))));
    let ok = action("module.m[0].action.a_b.c[\"k\"]", &trigger("terraform_data.a", 1, 0));
    assert_eq!(refused(30, &ok).0, "");
    assert_eq!(refused(30, &action("action.a_b.c", &bytes(7, b""))).0, "");
    // Terraform 1.15.5 refuses these, too.
    for address in [
        "",
        "a_b.c",
        "action.a_b",
        "action.a_b.c[*]",
        "module.m.action.module.n.a_b.c",
        "module.m[*].action.a_b.c",
    ] {
        assert_eq!(refused(30, &action(address, &bytes(7, b""))).0, "plan_message", "{address}");
    }
    for resource in ["", "terraform_data.a[*]", "terraform_data"] {
        let entry = action("action.a_b.c", &trigger(resource, 1, 0));
        assert_eq!(refused(30, &entry).0, "plan_message", "{resource}");
    }
    assert_eq!(refused(30, &action("action.a_b.c", b"")).0, "plan_message");
    assert_eq!(
        refused(30, &action("action.a_b.c", &trigger("terraform_data.a", 1, u64::MAX))).0,
        "plan_message"
    );
    for event in [0, 7, 8] {
        let (kind, sentence) = refused(30, &action("action.a_b.c", &trigger("terraform_data.a", event, 0)));
        assert_eq!(kind, "unknown_enum");
        assert_eq!(
            sentence,
            format!("action.a_b.c: unknown trigger event {event}; a newer objchange may know it")
        );
    }
    let deferred = |reason: u64, entry: &[u8]| [bytes(1, &number(1, reason)), bytes(2, entry)].concat();
    assert_eq!(refused(31, &deferred(1, &ok)).0, "");
    assert_eq!(refused(31, &deferred(6, &ok)).0, "unknown_enum");
    assert_eq!(refused(31, &bytes(2, &ok)).0, "unknown_enum");
    assert_eq!(refused(31, &bytes(1, &number(1, 1))).0, "plan_message");
}

#[test]
fn broken_deferrals_are_refused() {
    let refused = |reason: u64, address: &str| {
        let entry = [bytes(1, &number(1, reason)), bytes(2, &change(address, 1, &[NEW]))].concat();
        refused(&plan_file(&plan(&[], &bytes(27, &entry))))
    };
    assert_eq!(refused(1, "module.m[*].terraform_data.a[*]").0, "");
    for address in [
        "",
        "terraform_data[*].a",
        "module[*].m.terraform_data.a",
        "terraform_data.a[*][*]",
        "terraform_data.a[*]x",
    ] {
        assert_eq!(refused(1, address).0, "plan_message", "{address}");
    }
    for reason in [0, 6] {
        assert_eq!(refused(reason, "terraform_data.a").0, "unknown_enum");
    }
    let deep = "module.m[*].".repeat(10_000) + "terraform_data.a";
    assert!(refused(1, &deep).1.contains("in more than 256 modules"));
}

#[test]
fn values_that_do_not_fit_are_named() {
    let value = b"\x84\xa2id\xc3\xa5input\xc0\xa6output\xc0\xb0triggers_replace\xc0";
    let (kind, sentence) = refused(&plan_file(&plan(&[change("terraform_data.a", 1, &[value])], b"")));
    assert_eq!(kind, "wrong_kind");
    assert!(sentence.starts_with("terraform_data.a: "), "{sentence}");
    assert!(sentence.contains(": id"), "{sentence}");
}

#[test]
fn schemas_that_lack_a_type_of_the_state_are_named() {
    let state = br#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
        {"mode":"managed","type":"disk","name":"a","provider":"provider[\"registry.terraform.io/x/y\"]","instances":[
        {"schema_version":0,"attributes":{"key":"s3cret"}}]}]}"#;
    let lock = b"provider \"registry.terraform.io/x/y\" {\n  version = \"1.2.3\"\n}\n";
    let message = good();
    let mut all = entries(&message);
    all[1] = Entry::stored("tfstate", state);
    all[5] = Entry::stored(".terraform.lock.hcl", lock);
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/x/y":{"resource_schemas":{}}}}"#;
    let saved = SavedPlan::read(&archive(&all)).unwrap();
    assert!(saved.decode(&Schemas::default()).is_ok());
    let error =
        saved.decode(&Schemas::new([ProviderSchemas::parse(schemas).unwrap()])).unwrap_err().to_string();
    assert_eq!(error, "the state in it: the schemas do not fit disk.a; give those of version 1.2.3 of x/y");
}

#[test]
fn numbers_with_huge_exponents_stay_small() {
    let text = b"1e999999999";
    let input = [b"\x92\xc4\x08\"number\"".to_vec(), vec![0xa0 | text.len() as u8], text.to_vec()].concat();
    let value =
        [&b"\x84\xa2id\xd4\x00\x00\xa5input"[..], &input, b"\xa6output\xc0\xb0triggers_replace\xc0"].concat();
    let file = plan_file(&plan(&[change("terraform_data.a", 1, &[&value])], b""));
    let (kind, text) = match document(&file) {
        Ok(text) => ("", text),
        Err(error) => (error.kind(), error.to_string()),
    };
    assert!(text.len() < 1 << 20, "{kind}");
}

#[test]
fn files_that_hold_no_plan_say_so() {
    assert_eq!(refused(b"tfplan\x02\0\0").0, "old_plan_file");
    let no_plan = archive(&entries(b"")[1..]);
    assert!(refused(&no_plan).1.contains("no entry `tfplan`"));
    let encrypted = r#"{"meta":{},"encrypted_data":"aGk=","encryption_version":"v0"}"#;
    assert_eq!(refusal(encrypted).unwrap().kind(), "encrypted_plan_file");
    assert!(refusal(r#"{"format_version":"1.2"}"#).is_none());
}

#[test]
fn modules_that_contradict_each_other_leave_the_configuration_out() {
    let message = good();
    for modules in [
        r#"[{"Key":"","Dir":"."},{"Key":"","Dir":"x"}]"#,
        r#"[{"Key":"a","Dir":"a"}]"#,
        r#"{"Modules":[]}"#,
        "null",
        "[",
    ] {
        let mut all = entries(&message);
        all[4] = Entry::stored("tfconfig/modules.json", modules.as_bytes());
        let saved = SavedPlan::read(&archive(&all)).unwrap().decode(&Schemas::default()).unwrap();
        assert_eq!(saved.notices().len(), 1, "{modules}");
        let text = saved.document();
        assert!(text.contains("terraform_data.a"));
        // An empty configuration would say that nothing is configured.
        assert!(saved.unread_configuration().is_some() && !text.contains("configuration"), "{text}");
    }
}

#[test]
fn neither_the_backend_nor_private_data_is_in_a_document() {
    let backend = [bytes(1, b"http"), bytes(2, &bytes(1, b"backend-secret")), bytes(3, b"default")].concat();
    let mut with_private = change("terraform_data.a", 1, &[NEW]);
    with_private.extend(bytes(10, b"private-secret"));
    let text = document(&plan_file(&plan(&[with_private], &bytes(13, &backend)))).unwrap();
    assert!(!text.contains("secret"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn changed_files_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/replace.tfplan");
        let mut file = fs::read(path).unwrap();
        let at = at.index(file.len());
        if cut { file.truncate(at) } else { file[at] = byte }
        let _ = document(&file);
    }

    #[test]
    fn changed_messages_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let path = bytes(4, &[bytes(1, &bytes(1, b"input"))].concat());
        let mut changed = change("module.m[\"k\"].terraform_data.a[0]", 6, &[NEW, NEW]);
        changed.extend(bytes(11, &path));
        let check = [number(1, 1), bytes(2, b"terraform_data.a"), number(3, 1)].concat();
        let invoked = action("action.a_b.c[0]", &trigger("terraform_data.a", 1, 0));
        let deferred = bytes(1, &number(1, 1));
        let deferred_change = [&deferred[..], &bytes(2, &change("module.m[*].terraform_data.a[*]", 1, &[NEW]))].concat();
        let deferred_action = [&deferred[..], &bytes(2, &invoked)].concat();
        let rest = [bytes(19, &check), bytes(30, &invoked), bytes(27, &deferred_change), bytes(31, &deferred_action)];
        let mut message = plan(&[changed], &rest.concat());
        let at = at.index(message.len());
        if cut { message.truncate(at) } else { message[at] = byte }
        let _ = document(&plan_file(&message));
    }
}
