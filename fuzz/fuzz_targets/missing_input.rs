#![no_main]

#[path = "../whole_module.rs"]
mod whole_module;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    whole_module::missing_input(bytes);
});
