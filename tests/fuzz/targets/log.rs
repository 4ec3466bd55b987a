#![no_main]
//! The reader, and every verb that reads a log, on damaged logs: the first byte chooses the verb.

use aclsan_fuzz::command;
use aclsan_fuzz_inputs::logs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((&choice, small)) = bytes.split_first() {
        command::read(&logs::expand(small), choice);
    }
});
