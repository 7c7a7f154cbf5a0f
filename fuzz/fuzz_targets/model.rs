#![no_main]

#[path = "../readers.rs"]
#[allow(dead_code, reason = "each target uses one of the readers")]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| readers::model(bytes));
