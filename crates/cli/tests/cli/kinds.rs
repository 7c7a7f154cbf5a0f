//! Every public error of the libraries has a kind by which programs match on it.

use std::path::PathBuf;

use objchange::address::{AddressError, AddressErrorKind};
use objchange::change::{
    ApplyChangeError, ApplyViolation, ChangeError, InconsistentResult, InvalidPlan, PlanChangeError,
    PlanViolation,
};
use objchange::schema::{
    CoerceError, CoerceErrorKind, MissingSchemaText, ProviderSchemas, SchemaDocumentError, SchemaProblem,
    SchemaProblemKind, UnknownPath, UnknownPathKind,
};
use objchange::value::{
    ArithmeticError, ConstructError, ConvertError, ConvertErrorKind, MsgpackError, MsgpackProblem, NanError,
    ParseNumberError, ParsePathError, ParsePathErrorKind, Path, ReadError, RefinementError, TooManyImplied,
    TypeMismatch, TypeMismatchKind, WriteError,
};
use objchange::{Type, Value};
use objchange_case::{Case, CaseError};
use objchange_document::changes::UnpackError;
use objchange_document::json::JsonError;
use objchange_document::schema_cache::SchemaCacheError;
use objchange_document::state_edit::StateEditError;
use objchange_document::{
    DocumentError, MaskedNameError, ObjectError, Plan, PlanFileError, PlannedError, PriorError, ProgramError,
    Schemas,
};
use objchange_files::FileError;
use objchange_files::input::InputError;
use objchange_hcl::{FunctionError, SelectError};
use objchange_model::ModelError;
use objchange_module::config::FilesError;
use objchange_module::plan::ExplainError;
use objchange_module::state::{ReadStateError, StateProblem};
use objchange_module::{AnswerError, ModuleDiagnostic, ProviderConfigAddressError};
use objchange_plan::IgnoredPathError;
use objchange_plan::compare::{AddressMapError, CompareError, HashKeyError, ParseHashError};
use objchange_plan::report::{GateError, ShowError, TemplateError};
use objchange_policy::ObjectValueError;
use objchange_policy::columns::RowError;
use objchange_policy::query::{QueryError, SubjectError};
use objchange_policy::rego::PolicyError;
use objchange_policy::sentinel::ParseTimeError;
use objchange_policy::sentinel::files::PolicyFilesError;
use objchange_policy::sentinel::mock::MockError;
use objchange_policy::sentinel::set::{NoSuchParam, UnusedGlobal};
use objchange_project::resource::{PartPathError, ResourceError};
use objchange_project::session::SessionError;
use objchange_project::{
    CacheFileError, ChangedFilesError, ChangedFilesProblem, ConfigurationError, InputsError, InstalledError,
    MissingSchemas, PlanError, PlanInputError, RootsError, RootsProblem, SchemaError, SchemaTextError,
    StateError, UpgradeError,
};
use objchange_sentinel::{HostError, RunError};
use objchange_text::re2::{PatternError, TooManyReads};
use objchange_text::{Diagnostic, DiagnosticsError, LineError};

use crate::program::workspace;

/// The names of the types, each of which gives a kind in this way.
macro_rules! kinds {
    ($($ty:ident: $kind:expr;)*) => {
        [$({
            let _: fn(&$ty) -> &str = $kind;
            stringify!($ty)
        }),*]
    };
}

#[test]
fn every_error_type_has_one() {
    let kinds = kinds! {
        AddressError: |e| e.kind.kind();
        AddressErrorKind: |e| e.kind();
        AddressMapError: |e| e.kind();
        ApplyChangeError: |e| e.kind();
        ApplyViolation: |e| e.kind();
        ArithmeticError: |e| e.kind();
        CaseError: |e| e.kind.kind();
        ChangeError: |e| e.kind();
        CoerceError: |e| e.kind.kind();
        CoerceErrorKind: |e| e.kind();
        CompareError: |e| e.kind();
        ConstructError: |e| e.kind();
        ConvertError: |e| e.kind.kind();
        ConvertErrorKind: |e| e.kind();
        Diagnostic: |e| e.kind();
        DiagnosticsError: |e| e.kind();
        DocumentError: |e| e.problem.kind();
        FunctionError: |e| e.kind();
        GateError: |e| e.kind();
        HashKeyError: |e| e.kind();
        IgnoredPathError: |e| e.kind();
        InconsistentResult: |e| e.kind();
        InvalidPlan: |e| e.kind();
        JsonError: |e| e.kind().kind();
        LineError: |e| e.kind();
        MaskedNameError: |e| e.kind();
        MockError: |e| e.kind();
        MsgpackError: |e| e.problem.kind();
        MsgpackProblem: |e| e.kind();
        NanError: |e| e.kind();
        NoSuchParam: |e| e.kind();
        ObjectError: |e| e.kind.kind();
        ObjectValueError: |e| e.kind();
        ParseHashError: |e| e.kind();
        ParseNumberError: |e| e.kind();
        ParsePathError: |e| e.kind.kind();
        ParsePathErrorKind: |e| e.kind();
        PatternError: |e| e.kind();
        PlanChangeError: |e| e.kind();
        PlanViolation: |e| e.kind();
        PolicyError: |e| e.kind().kind();
        PolicyFilesError: |e| e.kind();
        PriorError: |e| e.kind();
        ProgramError: |e| e.kind();
        QueryError: |e| e.kind.kind();
        ReadError: |e| e.kind.kind();
        RefinementError: |e| e.kind();
        RunError: |e| e.kind.kind();
        ModelError: |e| e.kind();
        SchemaCacheError: |e| e.kind();
        SchemaDocumentError: |e| e.kind.kind();
        SchemaProblem: |e| e.kind.kind();
        SchemaProblemKind: |e| e.kind();
        RowError: |e| e.kind();
        SelectError: |e| e.kind();
        ShowError: |e| e.kind();
        StateEditError: |e| e.kind();
        SubjectError: |e| e.kind();
        TemplateError: |e| e.kind();
        TooManyImplied: |e| e.kind();
        TooManyReads: |e| e.kind();
        TypeMismatch: |e| e.kind.kind();
        TypeMismatchKind: |e| e.kind();
        UnknownPath: |e| e.kind.kind();
        UnknownPathKind: |e| e.kind();
        UnusedGlobal: |e| e.kind();
        PlanFileError: |e| e.kind();
        PlannedError: |e| e.kind();
        ParseTimeError: |e| e.kind();
        WriteError: |e| e.kind();
        MissingSchemaText: |e| e.kind();
        HostError: |e| e.kind();
        UnpackError: |e| e.kind();
        FileError: |e| e.kind.kind();
        InputError: |e| e.kind();
        FilesError: |e| e.kind();
        ExplainError: |e| e.kind();
        ReadStateError: |e| e.kind();
        StateProblem: |e| e.kind();
        AnswerError: |e| e.kind();
        ModuleDiagnostic: |e| e.diagnostic.kind();
        ProviderConfigAddressError: |e| e.kind();
        CacheFileError: |e| e.kind();
        ChangedFilesError: |e| e.kind();
        ChangedFilesProblem: |e| e.kind();
        ConfigurationError: |e| e.kind();
        InputsError: |e| e.kind();
        InstalledError: |e| e.kind();
        MissingSchemas: |e| e.kind();
        PartPathError: |e| e.kind();
        PlanError: |e| e.kind();
        PlanInputError: |e| e.kind();
        ResourceError: |e| e.kind();
        RootsError: |e| e.kind();
        RootsProblem: |e| e.kind();
        SchemaError: |e| e.kind();
        SchemaTextError: |e| e.kind();
        SessionError: |e| e.kind();
        StateError: |e| e.kind();
        UpgradeError: |e| e.kind();
    };
    let crates = [
        "case", "document", "files", "hcl", "model", "module", "plan", "policy", "project", "sentinel",
        "text",
    ];
    let crates = crates.map(|name| workspace().join("crates").join(name).join("src"));
    let mut found = 0;
    for (source, text) in sources([workspace().join("src")].into_iter().chain(crates)) {
        for name in error_types(&text) {
            assert!(kinds.contains(&name), "{name} of {} has no kind", source.display());
            found += 1;
        }
    }
    assert_eq!(found, kinds.len());
}

/// A new kind of error breaks nobody who matches on the others.
#[test]
fn every_error_may_get_new_kinds() {
    let crates = std::fs::read_dir(workspace().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let libraries = crates.filter(|path| !["cli", "python", "capi"].iter().any(|name| path.ends_with(name)));
    let folders = libraries.map(|path| path.join("src")).chain([workspace().join("src")]);
    for (source, text) in sources(folders) {
        for name in error_types(&text) {
            let declared = format!("\npub enum {name} {{");
            let Some(at) = text.find(&declared) else { continue };
            let attributes =
                text[..at].lines().rev().take_while(|line| line.starts_with("#[") || line.starts_with("///"));
            let is_open = attributes.into_iter().any(|line| line == "#[non_exhaustive]");
            assert!(is_open, "{name} of {} is not #[non_exhaustive]", source.display());
        }
    }
}

/// The sources in folders, with their texts.
fn sources(folders: impl IntoIterator<Item = PathBuf>) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = folders.into_iter().collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// The public types of a source that are errors.
fn error_types<'t>(text: &'t str) -> impl Iterator<Item = &'t str> {
    let by_hand = text.lines().filter_map(|line| line.strip_prefix("impl std::error::Error for "));
    let mut is_derived = false;
    let derived = text.lines().filter_map(move |line| {
        is_derived |= line.starts_with("#[derive(") && line.contains("Error)]");
        // The derived error is a private one.
        is_derived &=
            !["enum ", "struct ", "pub(crate) ", "pub(super) "].iter().any(|start| line.starts_with(start));
        let name = ["pub enum ", "pub struct "].iter().find_map(|start| line.strip_prefix(start))?;
        std::mem::take(&mut is_derived).then_some(name)
    });
    let name = |rest: &'t str| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_public =
        |name: &&str| ["enum", "struct"].iter().any(|kind| text.contains(&format!("pub {kind} {name}")));
    by_hand.chain(derived).map(name).filter(is_public)
}

#[test]
fn kinds_and_places_are_data() {
    let error = Case::parse("{\"op\":\n\"lcs\",}").unwrap_err();
    assert_eq!((error.kind.kind(), error.offset, error.line, error.column), ("not_a_case", 13, 2, 7));
    let error = Case::parse(" {}").unwrap_err();
    assert_eq!((error.kind.kind(), error.offset, error.column), ("missing_field", 1, 2));
    let error = Case::parse(r#"{"op":5}"#).unwrap_err();
    assert_eq!((error.kind.kind(), error.field.as_deref(), error.column), ("wrong_field", Some("op"), 7));

    let schemas = |text: &str| ProviderSchemas::parse(text).unwrap_err();
    let error = schemas("{\"provider_schemas\":\n5}");
    assert_eq!((error.kind.kind(), error.offset, error.line, error.column), ("mismatch", 21, 2, 1));
    assert_eq!(schemas(r#"{"values":{}}"#).kind.kind(), "not_schemas");
    assert_eq!(schemas("{").kind.kind(), "truncated");
    let error = schemas(r#"{"format_version":"2.0"}"#);
    assert_eq!((error.kind.kind(), error.offset), ("unsupported_version", 18));

    let kind = |text: &str| text.parse::<Path>().unwrap_err().kind.kind();
    assert_eq!(
        ["a b", "a.", "a.0", "a.*", r#"a.""#, "a[x]", "a[0"].map(kind),
        [
            "no_step",
            "missing_name",
            "position_after_dot",
            "no_name",
            "bad_string",
            "no_key",
            "missing_bracket"
        ]
    );
    let kind = |bytes: &[u8], ty: &Type| Value::from_msgpack(bytes, ty).unwrap_err().problem.kind();
    assert_eq!(kind(b"\x01\x01", &Type::Number), "trailing_bytes");
    assert_eq!(kind(b"\xa1x", &Type::Number), "not_a_number");
    assert_eq!(kind(b"\xcb\x7f\xf8\0\0\0\0\0\0", &Type::Number), "nan");
    assert_eq!(Value::unknown(Type::Bool).to_json(&Type::Bool).unwrap_err().kind(), "unknown");
    assert_eq!(Plan::parse("[]").unwrap_err().problem.kind(), "not_an_object");
    assert_eq!(Schemas::parse("{").unwrap_err().kind.kind(), "truncated");
}
