//! Measures the allocations of the engine: `cargo bench --bench allocations`.
//!
//! Inputs are built before anything is counted, and what a function returns is counted with what it needs on
//! the way. Nothing is timed.
#![allow(clippy::print_stdout, reason = "the table is what this is for")]

use std::hint::black_box;

use allocation_counter::{AllocationInfo, measure};
use objchange::Value;
use objchange::change::{
    assert_object_compatible, assert_plan_valid, longest_common_subsequence, proposed_new,
};
use objchange::schema::NestingMode;

mod scenarios;

use scenarios::{Scenario, Typical};

const SIZES: [usize; 2] = [1_000, 100_000];

/// The most that may be in use at once beyond the inputs, in bytes for each element of the largest size.
const PEAK_PER_ELEMENT: u64 = 1024;

fn main() {
    println!(
        "{:<38} {:>7} {:>11} {:>13} {:>13} {:>9}",
        "scenario", "n", "allocations", "bytes", "peak bytes", "peak / n"
    );
    for n in SIZES {
        merging("a_proposed_new_set_block", n, &scenarios::items(n, NestingMode::Set));
        merging("a2_proposed_new_set_block_scrambled", n, &scenarios::scrambled(n));
        merging("b_proposed_new_list_block", n, &scenarios::items(n, NestingMode::List));
        merging("g_proposed_new_nested_set_attr", n, &scenarios::nested_set(n));

        let Scenario { schema, prior, config } = scenarios::items(n, NestingMode::List);
        let planned = proposed_new(&schema, &prior, &config).expect("the values fit the schema");
        count("c_assert_plan_valid_list_block", n, || {
            assert_plan_valid(&schema, black_box(&prior), black_box(&config), black_box(&planned))
        });

        let (schema, planned, actual) = scenarios::applied_set(n);
        count("d_assert_object_compatible_set_block", n, || {
            assert_object_compatible(&schema, black_box(&planned), black_box(&actual))
        });

        reading(n);
        sequences("e_lcs_edits", n, &scenarios::edited_lists(n));
        sequences("e_lcs_ten_edits", n, &scenarios::lists_with_ten_edits(n));
    }
    // The work between lists without a common element grows with the product of their lengths.
    sequences("e_lcs_all_different", 2_000, &scenarios::different_lists(2_000));

    let Typical { schema, prior, config, planned, actual } = scenarios::typical();
    count("f_typical_proposed_new", 1, || proposed_new(&schema, black_box(&prior), black_box(&config)));
    count("f_typical_assert_plan_valid", 1, || {
        assert_plan_valid(&schema, black_box(&prior), black_box(&config), black_box(&planned))
    });
    count("f_typical_assert_object_compatible", 1, || {
        assert_object_compatible(&schema, black_box(&planned), black_box(&actual))
    });
}

/// A container takes one allocation; an element is an object with a list of two objects.
fn reading(n: usize) {
    let Scenario { schema, prior: value, .. } = scenarios::items(n, NestingMode::List);
    let ty = schema.implied_type();
    let json = value.to_json(ty).expect("it is wholly known");
    let markers = value.to_marker_json(ty).expect("it is finite");
    let msgpack = value.to_msgpack(ty).expect("it carries no marks");
    count("read_json", n, || Value::from_json(black_box(&json), ty));
    count("read_marker_json", n, || Value::from_marker_json(black_box(&markers), ty));
    count("read_msgpack", n, || Value::from_msgpack(black_box(&msgpack), ty));
}

fn merging(name: &str, n: usize, scenario: &Scenario) {
    let Scenario { schema, prior, config } = scenario;
    count(name, n, || proposed_new(schema, black_box(prior), black_box(config)));
}

fn sequences(name: &str, n: usize, (xs, ys): &(Vec<Value>, Vec<Value>)) {
    count(name, n, || longest_common_subsequence(black_box(xs), black_box(ys)));
}

/// Prints what a call allocates; fails if a large one needs too much memory at once.
fn count<T>(name: &str, n: usize, call: impl FnOnce() -> T) {
    let mut answer = None;
    let AllocationInfo { count_total, bytes_total, bytes_max, .. } = measure(|| answer = Some(call()));
    drop(answer);
    let per_element = bytes_max / n as u64;
    println!("{name:<38} {n:>7} {count_total:>11} {bytes_total:>13} {bytes_max:>13} {per_element:>9}");
    let large = Some(&n) == SIZES.last();
    assert!(
        !large || per_element < PEAK_PER_ELEMENT,
        "{name}: more than {PEAK_PER_ELEMENT} bytes an element"
    );
}
