//! The engine for C: the operations of case files, over JSON.
//!
//! The functions and their documentation are also in `include/objchange.h`, which is made from this file:
//! `cbindgen --config crates/capi/cbindgen.toml --output crates/capi/include/objchange.h crates/capi`. No
//! panic crosses the border to C, and only handles keep data between calls.

#![expect(unsafe_code, reason = "C hands over pointers")]

mod answer;

use std::ffi::{CStr, CString, c_char};
use std::panic::catch_unwind;
use std::ptr;
use std::slice;

use objchange::schema::Block;
use objchange_case::Case;

use answer::{answer, error, plan_document, unusable};

/// A schema that is read once. It never changes: any number of threads may use it at the same time.
#[derive(Debug)]
pub struct ObjchangeSchema(Block);

// C passes handles from thread to thread, and its compiler does not check that.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<ObjchangeSchema>();
};

/// Answers a question with the engine.
///
/// `operation` is an operation of case files, such as `plan_change`. `json` points to `len` bytes of JSON in UTF-8: an object
/// with the fields of a case for this operation. `op` and `want` are not needed.
///
/// The answer is JSON: the `want` of a case, in which each of `errors` also has a `message`. If there is no answer it is
/// `{"error":{"kind":…,"message":…}}`, with `field`, `line` and `column` if the question cannot be read. Values in the
/// answer have the markers of cases. Sensitive values are in it too, below their marker: do not log it.
///
/// Hand the answer to `objchange_free`. It is never null. Any number of threads may call at the same time; each needs
/// 2 MB of stack.
///
/// # Safety
///
/// `operation` is null or ends with a NUL. `json` is null or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn objchange_call(
    operation: *const c_char,
    json: *const c_char,
    len: usize,
) -> *mut c_char {
    // SAFETY: the caller promises the same.
    unsafe { objchange_call_with_schema(ptr::null(), operation, json, len) }
}

/// Like `objchange_call`, with a schema that is read already: the question needs no field `schema`.
///
/// # Safety
///
/// As `objchange_call`. `schema` is null or was made by `objchange_schema_new` and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn objchange_call_with_schema(
    schema: *const ObjchangeSchema,
    operation: *const c_char,
    json: *const c_char,
    len: usize,
) -> *mut c_char {
    let answered = catch_unwind(|| {
        if operation.is_null() {
            return error("null", "the operation is null");
        }
        // SAFETY: it is not null, and the caller promises that it ends with a NUL.
        let Ok(operation) = unsafe { CStr::from_ptr(operation) }.to_str() else {
            return error("not_utf8", "the operation is not UTF-8");
        };
        // SAFETY: the caller promises this.
        let (json, schema) = unsafe { (text(json, len), schema.as_ref()) };
        match json {
            Ok(json) => answer(operation, json, schema.map(|schema| &schema.0)),
            Err(error) => error,
        }
    });
    to_c(answered.unwrap_or_else(|_| defect()))
}

/// Reads a plan file that `terraform plan -out=FILE` saved.
///
/// `plan` points to `len` bytes: the file. `schemas` is null or points to `schemas_len` bytes: the output of `terraform
/// providers schema -json`. Without the schemas of a provider, values are hidden where the file does not say whether they are
/// sensitive.
///
/// The answer is the document that `terraform show -json FILE` prints, with the marks of the schemas; or
/// `{"error":{"kind":…,"message":…}}`. Sensitive values are in it, beside their marks: do not log it. Hand it to
/// `objchange_free`. It is never null.
///
/// # Safety
///
/// `plan` is null or points to `len` bytes, `schemas` is null or points to `schemas_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn objchange_plan_document(
    plan: *const c_char,
    len: usize,
    schemas: *const c_char,
    schemas_len: usize,
) -> *mut c_char {
    let answered = catch_unwind(|| {
        if plan.is_null() {
            return error("null", "the plan is null");
        }
        // SAFETY: it is not null, and the caller promises that it points to so many bytes.
        let plan = unsafe { slice::from_raw_parts(plan.cast::<u8>(), len) };
        let schemas = match schemas.is_null() {
            true => Ok(""),
            // SAFETY: the caller promises this.
            false => unsafe { text(schemas, schemas_len) },
        };
        schemas.map_or_else(|error| error, |schemas| plan_document(plan, schemas))
    });
    to_c(answered.unwrap_or_else(|_| defect()))
}

/// Reads a schema: a block, or an entry with `version` and `block`, as `terraform providers schema -json` prints it.
///
/// `json` points to `len` bytes. If they are not a schema the result is null and, unless `error_out` is null, `*error_out`
/// has the error in the form of answers: hand it to `objchange_free`. Otherwise `*error_out` is null; hand the schema to
/// `objchange_schema_free`.
///
/// # Safety
///
/// `json` is null or points to `len` bytes. `error_out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn objchange_schema_new(
    json: *const c_char,
    len: usize,
    error_out: *mut *mut c_char,
) -> *mut ObjchangeSchema {
    let schema = catch_unwind(|| {
        // SAFETY: the caller promises this.
        let json = unsafe { text(json, len) }?;
        Case::parse_schema(json).map_err(|error| unusable(&error))
    });
    let (schema, error) = match schema.unwrap_or_else(|_| Err(defect())) {
        Ok(block) => (Box::into_raw(Box::new(ObjchangeSchema(block))), None),
        Err(error) => (ptr::null_mut(), Some(error)),
    };
    if !error_out.is_null() {
        // SAFETY: it is not null, and the caller promises that it points to a pointer.
        unsafe { error_out.write(error.map_or(ptr::null_mut(), to_c)) };
    }
    schema
}

/// Frees a schema. Null is ignored.
///
/// # Safety
///
/// `schema` is null or was made by `objchange_schema_new` and is not freed; no call is using it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn objchange_schema_free(schema: *mut ObjchangeSchema) {
    if !schema.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and the caller promises that it is not freed.
        drop(unsafe { Box::from_raw(schema) });
    }
}

/// Frees an answer or an error. Null is ignored.
///
/// # Safety
///
/// `text` is null or came from this library, is as it came, and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn objchange_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it was made by `CString::into_raw`, and the caller promises that it is not freed.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// The version of the library, such as `0.1.0`. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn objchange_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("the version has no NUL"),
        };
    VERSION.as_ptr()
}

/// The text at these bytes, or the error that it is not text.
///
/// # Safety
///
/// `json` is null or points to `len` bytes, which stay as they are for as long as the text is used.
unsafe fn text<'a>(json: *const c_char, len: usize) -> Result<&'a str, String> {
    if json.is_null() {
        return Err(error("null", "the JSON is null"));
    }
    if isize::try_from(len).is_err() {
        return Err(error("too_large", "the text is too long"));
    }
    // SAFETY: it is not null, the length is one that a slice can have, and the caller promises the rest.
    let bytes = unsafe { slice::from_raw_parts(json.cast::<u8>(), len) };
    std::str::from_utf8(bytes).map_err(|_| error("not_utf8", "the JSON is not UTF-8"))
}

fn defect() -> String {
    error("defect", "this shows a defect of objchange")
}

fn to_c(text: String) -> *mut c_char {
    // JSON escapes a NUL (RFC 8259), so this does not fail.
    let text = CString::new(text)
        .unwrap_or_else(|_| c"{\"error\":{\"kind\":\"defect\",\"message\":\"a NUL\"}}".to_owned());
    text.into_raw()
}
