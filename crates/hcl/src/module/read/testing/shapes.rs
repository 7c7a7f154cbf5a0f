//! The arguments and blocks that are allowed in test files and mock files.

use crate::decode::shape::Shape;
use crate::syntax::json::Style::{Constant, Name, Template};

/// Labels of overrides: none.
const NONE: &[&str] = &[];

pub(super) const FILE: Shape = Shape {
    arguments: &[],
    required: &[],
    blocks: &[
        ("test", NONE),
        ("run", &["name"]),
        ("variable", &["name"]),
        ("variables", NONE),
        ("provider", &["name"]),
        ("mock_provider", &["name"]),
        ("override_resource", NONE),
        ("override_data", NONE),
        ("override_module", NONE),
    ],
    newer: &[],
    is_open: false,
};

pub(super) const TEST: Shape =
    Shape { arguments: &[("parallel", Constant)], required: &[], blocks: &[], newer: &[], is_open: false };

pub(super) const RUN: Shape = Shape {
    arguments: &[
        ("command", Name),
        ("providers", Name),
        ("expect_failures", Name),
        ("state_key", Constant),
        ("parallel", Constant),
    ],
    required: &[],
    blocks: &[
        ("plan_options", NONE),
        ("assert", NONE),
        ("variables", NONE),
        ("module", NONE),
        ("override_resource", NONE),
        ("override_data", NONE),
        ("override_module", NONE),
    ],
    newer: &[],
    is_open: false,
};

pub(super) const PLAN_OPTIONS: Shape = Shape {
    arguments: &[("mode", Name), ("refresh", Constant), ("replace", Name), ("target", Name)],
    required: &[],
    blocks: &[],
    newer: &[],
    is_open: false,
};

pub(super) const MODULE: Shape = Shape {
    arguments: &[("source", Constant), ("version", Constant)],
    required: &[],
    blocks: &[],
    newer: &[],
    is_open: false,
};

pub(super) const MOCK_PROVIDER: Shape = Shape {
    arguments: &[("alias", Constant), ("source", Constant), ("override_during", Name)],
    required: &[],
    blocks: MOCK_FILE.blocks,
    newer: &[],
    is_open: false,
};

pub(super) const MOCK_FILE: Shape = Shape {
    arguments: &[],
    required: &[],
    blocks: &[
        ("mock_resource", &["type"]),
        ("mock_data", &["type"]),
        ("override_resource", NONE),
        ("override_data", NONE),
    ],
    newer: &[],
    is_open: false,
};

pub(super) const MOCK_OBJECT: Shape = Shape {
    arguments: &[("defaults", Template), ("override_during", Name)],
    required: &[],
    blocks: &[],
    newer: &[],
    is_open: false,
};

pub(super) const OVERRIDE: Shape = Shape {
    arguments: &[("target", Name), ("values", Template), ("override_during", Name)],
    required: &[],
    blocks: &[],
    newer: &[],
    is_open: false,
};

pub(super) const OVERRIDE_MODULE: Shape = Shape {
    arguments: &[("target", Name), ("outputs", Template), ("override_during", Name)],
    required: &[],
    blocks: &[],
    newer: &[],
    is_open: false,
};
