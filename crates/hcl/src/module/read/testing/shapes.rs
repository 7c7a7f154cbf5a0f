//! The arguments and blocks that are allowed in test files and mock files.

use crate::decode::shape::Shape;
use crate::edition::Edition;
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
        ("override_ephemeral", NONE),
    ],
    newer: &[("test", Edition(12)), ("variable", Edition(13)), OVERRIDE_EPHEMERAL],
    is_open: false,
};

/// Terraform mocks ephemeral resources since 1.17. Its 1.16 reports each one as an error, which helps nobody.
const OVERRIDE_EPHEMERAL: (&str, Edition) = ("override_ephemeral", Edition(16));

pub(super) const TEST: Shape =
    Shape { arguments: &[("parallel", Constant)], required: &[], blocks: &[], newer: &[], is_open: false };

pub(super) const RUN: Shape = Shape {
    arguments: &[
        ("command", Name),
        ("providers", Name),
        ("expect_failures", Name),
        ("state_key", Constant),
        ("parallel", Constant),
        ("skip_cleanup", Constant),
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
        ("override_ephemeral", NONE),
        ("backend", &["type"]),
    ],
    newer: &[
        ("parallel", Edition(12)),
        ("skip_cleanup", Edition(14)),
        ("backend", Edition(14)),
        OVERRIDE_EPHEMERAL,
    ],
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
    newer: MOCK_FILE.newer,
    is_open: false,
};

pub(super) const MOCK_FILE: Shape = Shape {
    arguments: &[],
    required: &[],
    blocks: &[
        ("mock_resource", &["type"]),
        ("mock_data", &["type"]),
        ("mock_ephemeral", &["type"]),
        ("override_resource", NONE),
        ("override_data", NONE),
        ("override_ephemeral", NONE),
    ],
    newer: &[("mock_ephemeral", Edition(16)), OVERRIDE_EPHEMERAL],
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
