//! Terraform's sentences about providers. The harness prints them, and [`explain`](crate::explain()) reads them.

mod provider;
mod schema;
mod template;
mod types;
mod value;

pub use self::provider::{
    ACTION_CHANGED, FINAL_PLAN_CHANGED, IDENTITY_TYPE, NO_IMPORT_TYPE, NOT_DESTROYED, NULL_OBJECT,
    OTHER_IMPORT_TYPE, PLANNED_SURVIVAL, REPLACEMENT_NOWHERE, SEVERAL_IMPORTED, WRITE_ONLY,
};
pub(crate) use self::provider::{HEADINGS, RestForm, SENTENCES};
pub(crate) use self::schema::SCHEMA_SENTENCES;
pub(crate) use self::template::matched;
pub(crate) use self::types::is_about_type;
pub use self::types::{lacking, mismatched, required};
pub(crate) use self::value::{Statement, read_of_plan, read_of_result};
pub use self::value::{words_of_plan, words_of_result};
