//! The operations of case files, of all libraries.

use std::sync::LazyLock;

use objchange_case::Operation;

/// All operations that a case file can ask for. Those of providers are there with the feature `provider`.
pub static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    [
        objchange_case::OPERATIONS,
        objchange_hcl::OPERATIONS,
        objchange_plan::OPERATIONS,
        #[cfg(feature = "provider")]
        objchange_provider::OPERATIONS,
    ]
    .concat()
});
