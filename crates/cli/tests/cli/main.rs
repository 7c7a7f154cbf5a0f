//! The program, run as a user runs it.

#[cfg(unix)]
mod answers;
mod apply_interrupted;
mod bad_input;
mod changes;
mod check;
mod configuration;
mod conform;
mod conform_secrets;
mod diagnostics;
mod diff;
mod eval;
mod explain;
mod fields;
mod folder;
mod hash;
mod kinds;
#[path = "../../../conform/tests/kit_program/mod.rs"]
mod kit;
mod module_test;
mod module_tools;
mod options;
mod output;
mod pages;
mod plan;
mod plan_module;
mod plan_real;
mod policy;
mod policy_network;
mod program;
mod query;
mod query_columns;
mod query_limits;
mod schema_cache;
mod schemas;
mod sentinel_apply;
mod sentinel_check;
mod sentinel_fmt;
mod sentinel_mock;
mod sentinel_page;
mod sentinel_test;
mod show;
mod show_choice;
mod show_gate;
mod state;
mod unread_files;
