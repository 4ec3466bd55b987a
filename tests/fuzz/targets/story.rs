#![no_main]
//! Replay, judge and every report, on logs with valid records and nonsensical content.

use aclsan_fuzz::command;
use aclsan_fuzz_inputs::story;
use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((&choice, rest)) = bytes.split_first()
        && let Ok(log) = story::log(Unstructured::new(rest))
    {
        command::read(&log, choice);
    }
});
