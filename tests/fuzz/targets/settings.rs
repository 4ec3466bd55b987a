#![no_main]
//! `aclsan.toml`: budgets of `check`, and options of `run`.

use aclsan_fuzz::{command, faulty};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    faulty::once();
    command::file("aclsan.toml", bytes);
    command::run("check --config @aclsan.toml @faulty.aclsan");
    if let Ok(settings) = analyzer::settings::Settings::read(&command::folder().join("aclsan.toml"), true) {
        let _ = settings.to_variable();
    }
});
