#![no_main]
//! `ACLSAN_OPTIONS`, by both who read it, and the names of logs that it gives.

use aclsan_options::Options;
use aclsan_sink::path;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (options, wrong) = Options::parse(&text);
    path::expand(&options.log_path);
    let (settings, strays) = analyzer::settings::Settings::parse(&text);
    assert!(wrong.len() <= text.len() + 1 && strays.len() <= text.len() + 1);
    // What the command passes on, it reads back.
    if let Ok(variable) = settings.to_variable() {
        assert_eq!(analyzer::settings::Settings::parse(&variable).0, settings);
    }
});
