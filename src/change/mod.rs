//! What happens to a value: the questions that Terraform Core asks around a provider.
//!
//! ```text
//! prior state ─┐
//!              ├─ proposed_new ──▶ provider plans ──▶ assert_plan_valid ──▶ action
//! config ──────┘                                                             │
//!                                         provider applies ──▶ assert_object_compatible
//! ```

mod access;
mod computed_blocks;
mod error;
mod proposed_new;
mod set_match;
mod subsequence;

pub use computed_blocks::prepare_computed_blocks;
pub use error::ChangeError;
pub use proposed_new::{planned_data_resource, proposed_new};
pub use subsequence::common_subsequence;
