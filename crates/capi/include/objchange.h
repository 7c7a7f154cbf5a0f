/* The engine of objchange for C. Made by cbindgen from crates/capi/src/lib.rs: do not edit. */

#ifndef OBJCHANGE_H
#define OBJCHANGE_H

#include <stddef.h>

/*
 A schema that is read once. It never changes: any number of threads may use it at the same time.
 */
typedef struct ObjchangeSchema ObjchangeSchema;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Answers a question with the engine.

 `operation` is an operation of case files, such as `plan_change`. `json` points to `len` bytes of JSON in UTF-8: an object
 with the fields of a case for this operation. `op` and `want` are not needed.

 The answer is JSON: the `want` of a case, in which each of `errors` also has a `message`. If there is no answer it is
 `{"error":{"kind":…,"message":…}}`, with `field`, `line` and `column` if the question cannot be read. Values in the
 answer have the markers of cases. Sensitive values are in it too, below their marker: do not log it.

 Hand the answer to `objchange_free`. It is never null. Any number of threads may call at the same time; each needs
 2 MB of stack.

 # Safety

 `operation` is null or ends with a NUL. `json` is null or points to `len` bytes.
 */
char *objchange_call(const char *operation,
                     const char *json,
                     size_t len);

/*
 Like `objchange_call`, with a schema that is read already: the question needs no field `schema`.

 # Safety

 As `objchange_call`. `schema` is null or was made by `objchange_schema_new` and is not freed.
 */
char *objchange_call_with_schema(const ObjchangeSchema *schema,
                                 const char *operation,
                                 const char *json,
                                 size_t len);

/*
 Reads a plan file that `terraform plan -out=FILE` saved.

 `plan` points to `len` bytes: the file. `schemas` is null or points to `schemas_len` bytes: the output of `terraform
 providers schema -json`. Without the schemas of a provider, values are hidden where the file does not say whether they are
 sensitive.

 The answer is the document that `terraform show -json FILE` prints, with the marks of the schemas; or
 `{"error":{"kind":…,"message":…}}`. Sensitive values are in it, beside their marks: do not log it. Hand it to
 `objchange_free`. It is never null.

 # Safety

 `plan` is null or points to `len` bytes, `schemas` is null or points to `schemas_len` bytes.
 */
char *objchange_plan_document(const char *plan,
                              size_t len,
                              const char *schemas,
                              size_t schemas_len);

/*
 Reads a schema: a block, or an entry with `version` and `block`, as `terraform providers schema -json` prints it.

 `json` points to `len` bytes. If they are not a schema the result is null and, unless `error_out` is null, `*error_out`
 has the error in the form of answers: hand it to `objchange_free`. Otherwise `*error_out` is null; hand the schema to
 `objchange_schema_free`.

 # Safety

 `json` is null or points to `len` bytes. `error_out` is null or points to a pointer.
 */
ObjchangeSchema *objchange_schema_new(const char *json,
                                      size_t len,
                                      char **error_out);

/*
 Frees a schema. Null is ignored.

 # Safety

 `schema` is null or was made by `objchange_schema_new` and is not freed; no call is using it.
 */
void objchange_schema_free(ObjchangeSchema *schema);

/*
 Frees an answer or an error. Null is ignored.

 # Safety

 `text` is null or came from this library, is as it came, and is not freed.
 */
void objchange_free(char *text);

/*
 The version of the library, such as `0.1.0`. It is not to be freed.
 */
const char *objchange_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* OBJCHANGE_H */
