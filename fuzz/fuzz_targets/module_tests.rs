#![no_main]

#[path = "../module_tests.rs"]
mod module_tests;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    module_tests::module_tests(bytes);
});
