#![no_main]
//! Memory snapshots of PyTorch: the first byte decides between any bytes as a pickle and a well-formed snapshot that makes no sense.

use std::fs;

use aclsan_fuzz::command;
use aclsan_fuzz_inputs::torch_snapshot;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, rest)) = bytes.split_first() else {
        return;
    };
    let Some(file) = torch_snapshot::file(choice & 1, rest) else {
        return;
    };
    command::file("a.pickle", &file);
    command::run("import -o @made/ @a.pickle");
    let made = command::folder().join("made/a.aclsan");
    let log = fs::read(&made).unwrap_or_default();
    let _ = fs::remove_file(&made);
    if !log.is_empty() {
        // The output is a log like any other.
        command::read(&log, choice >> 1);
    }
});
