#![no_main]
//! Suppression files, on a log that has findings and leaks.

use aclsan_fuzz::{command, faulty};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    faulty::once();
    command::file("lines", bytes);
    command::run("report --suppressions @lines @faulty.aclsan");
});
