#![no_main]
//! `ACLSAN_OPTIONS`, in both of its parsers, and the log names that it gives.

use aclsan_options::Options;
use aclsan_sink::path;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (options, wrong) = Options::parse(&text);
    path::expand(&options.log_path);
    let (settings, strays) = analyzer::settings::Settings::parse(&text);
    assert!(wrong.len() <= text.len() + 1 && strays.len() <= text.len() + 1);
    // The command can parse the options that it passes on.
    if let Ok(variable) = settings.to_variable() {
        assert_eq!(analyzer::settings::Settings::parse(&variable).0, settings);
    }
});
