#![no_main]
//! Recordings of msMemScope, CSV or database: the first byte decides whether bad rows are skipped.

use std::fs;

use aclsan_fuzz::command;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, rest)) = bytes.split_first() else {
        return;
    };
    command::file("dump.csv", rest);
    command::run(match choice & 1 {
        0 => "import -o @made/ @dump.csv",
        _ => "import --skip-bad -o @made/ @dump.csv",
    });
    let made = command::folder().join("made");
    for entry in fs::read_dir(&made).into_iter().flatten().flatten() {
        // The output is a log like any other.
        let log = fs::read(entry.path()).unwrap_or_default();
        let _ = fs::remove_file(entry.path());
        command::read(&log, choice >> 1);
    }
});
