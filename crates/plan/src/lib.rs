//! The plan and state documents of `terraform show -json`, the diff of a change as data, and renderers of that diff.
