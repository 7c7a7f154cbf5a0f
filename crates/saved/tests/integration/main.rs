//! Plan files that Terraform 1.11.4 wrote, and hostile ones that are made here.

mod archive;
mod documents;
mod hostile;
