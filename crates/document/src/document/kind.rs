//! Telling from its first level what a text is.

use super::error::{DocumentError, Problem};
use super::open;
use crate::json::JsonError;

/// The kind of a document, judged by the names of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentKind {
    /// A plan, as `terraform show -json PLANFILE` prints it.
    Plan,
    /// A state, as `terraform show -json` prints it.
    State,
    /// A state file of Terraform or OpenTofu.
    StateFile,
    /// A state file that OpenTofu has encrypted.
    Encrypted,
    /// The document of `terraform providers schema -json`.
    Schemas,
    /// The redacted plan of HCP Terraform, from `json-output-redacted`: its members differ from those of a plan.
    RedactedPlan,
    /// The messages of a command with `-json`.
    Messages,
    /// The answer of `terraform validate -json`.
    Validation,
    /// The document of `terraform metadata functions -json`.
    Functions,
    /// The list of `terraform modules -json`.
    Modules,
    /// An object that is not one of these.
    Other,
}

impl DocumentKind {
    /// Finds out what a text is, by looking at no more of it than that takes.
    ///
    /// # Errors
    ///
    /// The text is not JSON object, as far as it was looked at.
    ///
    /// ```
    /// use objchange_document::DocumentKind;
    ///
    /// assert_eq!(DocumentKind::detect(r#"{"version":4,"serial":1,"lineage":"x"}"#)?, DocumentKind::StateFile);
    /// assert_eq!(DocumentKind::detect(r#"{"version":"1.29","name":"web"}"#)?, DocumentKind::Other);
    /// # Ok::<(), objchange_document::DocumentError>(())
    /// ```
    pub fn detect(text: &str) -> Result<Self, DocumentError> {
        /// Looking ends with an answer, too.
        enum End {
            Found(DocumentKind),
            Error(JsonError),
        }
        impl From<JsonError> for End {
            fn from(error: JsonError) -> Self {
                Self::Error(error)
            }
        }
        let mut reader = open(text)?;
        let mut seen = Members::default();
        let end = reader.members(|key, reader| {
            seen.note(&key);
            match seen.kind() {
                Some(kind) => Err(End::Found(kind)),
                None => Ok(reader.raw().map(|_| ())?),
            }
        });
        match end {
            Err(End::Found(kind)) => Ok(kind),
            Err(End::Error(error)) => Err(DocumentError::from_json(&error, text, "")),
            // An empty state has no more members than these.
            Ok(()) if seen.format_version && !seen.is_other() => Ok(Self::State),
            // A part was cut out of a document.
            Ok(()) if seen.planned => Ok(Self::Plan),
            Ok(()) if seen.schemas => Ok(Self::Schemas),
            Ok(()) if seen.values && seen.terraform_version => Ok(Self::State),
            Ok(()) => Ok(Self::Other),
        }
    }

    /// The error for a document that cannot be shown.
    pub(super) fn problem(self) -> Option<Problem> {
        match self {
            Self::Encrypted => Some(Problem::Encrypted),
            Self::Schemas => Some(Problem::Schemas),
            Self::RedactedPlan => Some(Problem::RedactedPlan),
            Self::Messages => Some(Problem::Messages),
            Self::Validation | Self::Functions | Self::Modules => Some(Problem::Neither),
            Self::Plan | Self::State | Self::StateFile | Self::Other => None,
        }
    }
}

/// The members that tell.
#[derive(Default)]
struct Members {
    format_version: bool,
    terraform_version: bool,
    version: bool,
    lineage: bool,
    encrypted_data: bool,
    values: bool,
    changes: bool,
    /// One of those that nothing else has, either.
    planned: bool,
    schemas: bool,
    plan_format_version: bool,
    messages: bool,
    valid: bool,
    diagnostics: bool,
    function_signatures: bool,
    modules: bool,
    serial: bool,
    others: bool,
}

impl Members {
    fn note(&mut self, key: &str) {
        self.planned |=
            matches!(key, "resource_changes" | "resource_drift" | "planned_values" | "output_changes");
        let member = match key {
            "format_version" => &mut self.format_version,
            "terraform_version" => &mut self.terraform_version,
            "version" => &mut self.version,
            "lineage" => &mut self.lineage,
            "encrypted_data" => &mut self.encrypted_data,
            "values" => &mut self.values,
            "resource_changes" | "resource_drift" | "deferred_changes" | "planned_values"
            | "output_changes" | "prior_state" | "configuration" | "errored" | "applyable" | "complete" => {
                &mut self.changes
            }
            "provider_schemas" => &mut self.schemas,
            "plan_format_version" => &mut self.plan_format_version,
            "@level" | "@message" => &mut self.messages,
            "valid" => &mut self.valid,
            "diagnostics" => &mut self.diagnostics,
            "function_signatures" => &mut self.function_signatures,
            "modules" => &mut self.modules,
            "serial" => &mut self.serial,
            // Plans and states have checks.
            "checks" => return,
            _ => &mut self.others,
        };
        *member = true;
    }

    /// Whether it has a member that no state has.
    fn is_other(&self) -> bool {
        self.others || self.valid || self.diagnostics || self.function_signatures || self.modules
    }

    /// The kind, as soon as it is clear. Two members must agree, as a resource may have an attribute of any name.
    fn kind(&self) -> Option<DocumentKind> {
        Some(match self {
            Self { plan_format_version: true, changes: true, .. }
            | Self { plan_format_version: true, schemas: true, .. } => DocumentKind::RedactedPlan,
            Self { format_version: true, changes: true, .. } => DocumentKind::Plan,
            Self { format_version: true, values: true, .. } => DocumentKind::State,
            // HCP Terraform writes schemas in front of `plan_format_version`, too.
            Self { schemas: true, format_version: true, .. } => DocumentKind::Schemas,
            Self { version: true, lineage: true, .. } | Self { version: true, serial: true, .. } => {
                DocumentKind::StateFile
            }
            Self { encrypted_data: true, lineage: true, .. } => DocumentKind::Encrypted,
            Self { messages: true, .. } => DocumentKind::Messages,
            Self { valid: true, diagnostics: true, .. } => DocumentKind::Validation,
            Self { format_version: true, function_signatures: true, .. } => DocumentKind::Functions,
            Self { format_version: true, modules: true, .. } => DocumentKind::Modules,
            _ => return None,
        })
    }
}
