//! A plan as others know it: the document of `terraform show -json`, and changes for reports.
