//! The header declares the functions of the library.

use std::fs;
use std::path::Path;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// A type of Rust as C writes it, before a name.
fn c_type(ty: &str) -> &'static str {
    match ty {
        "*const c_char" => "const char *",
        "*mut c_char" => "char *",
        "*mut *mut c_char" => "char **",
        "*const ObjchangeSchema" => "const ObjchangeSchema *",
        "*mut ObjchangeSchema" => "ObjchangeSchema *",
        "usize" => "size_t ",
        "" => "void ",
        _ => panic!("how does C write {ty}?"),
    }
}

/// The prototype of a function, from the Rust text behind `extern "C" fn`.
fn prototype(declaration: &str) -> String {
    let (name, rest) = declaration.split_once('(').unwrap();
    let (arguments, rest) = rest.split_once(')').unwrap();
    let result = rest.split_once('{').unwrap().0.trim().trim_start_matches("->").trim();
    let arguments: Vec<String> = arguments
        .split(',')
        .map(str::trim)
        .filter(|argument| !argument.is_empty())
        .map(|argument| {
            let (name, ty) = argument.split_once(": ").unwrap();
            format!("{}{name}", c_type(ty))
        })
        .collect();
    let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    format!("{}{name}({arguments});", c_type(result))
}

/// The text on one line.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(")
}

#[test]
fn the_header_declares_what_the_library_exports() {
    let (source, header) = (read("src/lib.rs"), on_one_line(&read("include/objchange.h")));
    let functions: Vec<String> = source
        .split("extern \"C\" fn ")
        .skip(1)
        .map(|declaration| on_one_line(&prototype(declaration)))
        .collect();
    assert_eq!(functions.len(), 7);
    for function in &functions {
        assert!(
            header.contains(function.as_str()),
            "include/objchange.h lacks {function}: make it again (src/lib.rs says how)"
        );
    }
    let declared = header.matches(");").count();
    assert_eq!(declared, functions.len(), "include/objchange.h has other functions than src/lib.rs");
}

#[test]
fn the_header_has_the_documentation_of_the_library() {
    let (source, header) = (read("src/lib.rs"), read("include/objchange.h"));
    let mut documentation = Vec::new();
    for line in source.lines() {
        match line.strip_prefix("///") {
            Some(line) => documentation.push(line.trim()),
            None if line.starts_with("pub ") => {
                for line in documentation.drain(..) {
                    assert!(
                        header.contains(line),
                        "include/objchange.h lacks {line:?}: make it again (src/lib.rs says how)"
                    );
                }
            }
            None if line.starts_with("#[") => {}
            None => documentation.clear(),
        }
    }
}

/// An answer of the library.
#[expect(unsafe_code, reason = "it is called as C calls it")]
fn answer(operation: &str, question: &str) -> String {
    let operation = std::ffi::CString::new(operation).unwrap();
    // SAFETY: the operation ends with a NUL, the question has so many bytes, and the answer is freed once.
    unsafe {
        let answer =
            objchange_capi::objchange_call(operation.as_ptr(), question.as_ptr().cast(), question.len());
        let text = std::ffi::CStr::from_ptr(answer).to_str().unwrap().to_owned();
        objchange_capi::objchange_free(answer);
        text
    }
}

#[test]
fn sensitive_values_are_below_their_marker() {
    const SCHEMA: &str = r#"{"attributes": {
        "id": {"type": "string", "computed": true},
        "token": {"type": "string", "optional": true, "sensitive": true}},
        "block_types": {"login": {"nesting_mode": "list", "block": {"attributes": {
            "key": {"type": ["map", "string"], "optional": true, "sensitive": true}}}}}}"#;
    let object = r#"{"id": null, "token": "swordfish", "login": [{"key": {"swordfish": "swordfish"}}]}"#;
    let fields = ["prior", "config", "value", "planned", "actual"].map(|name| format!("{name:?}: {object}"));
    for operation in [
        "proposed_new",
        "planned_data_resource",
        "prepare_computed_blocks",
        "normalize_legacy",
        "coerce_value",
        "plan_change",
        "apply_change",
    ] {
        let ty = r#"["object", {"id": "string", "token": "string", "login": ["list", ["object", {"key": ["map", "string"]}]]}]"#;
        let question = format!(r#"{{"schema": {SCHEMA}, "type": {ty}, {}}}"#, fields.join(", "));
        let said = answer(operation, &question);
        let mut rest = said.clone();
        for marked in [r#"{"$sensitive":"swordfish"}"#, r#"{"$sensitive":{"swordfish":"swordfish"}}"#] {
            rest = rest.replace(marked, "");
        }
        assert!(said.contains("$sensitive") && !rest.contains("swordfish"), "{operation}: {said}");
    }
}
