//! One change of one resource: its inputs, and the report of its plan.

mod error;
mod json;
mod report;
mod schema;
mod simulate;
mod subject;
mod text;

pub use self::error::{ResourceError, most_similar};
pub use self::report::ResourceReport;
pub use self::schema::find_schema;
pub use self::subject::{
    IgnoredChange, PartPathError, ResourceConfig, ResourceInputs, Subject, check_path, part_path,
    prior_object, read_written,
};
