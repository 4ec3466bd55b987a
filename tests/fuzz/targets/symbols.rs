#![no_main]
//! Programs and debug files: the input is one, and a log has frames throughout it.

use aclsan_fuzz::command;
use aclsan_log::Definition;
use aclsan_log::builder::LogBuilder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let module = command::file("module.so", bytes);
    let mut synth = LogBuilder::default();
    synth.define(Definition::Module {
        start: 0,
        end: 1 << 40,
        bias: 0,
        build_id: Vec::new(),
        path: module.display().to_string(),
    });
    // Usual load addresses, and the file's own start address.
    let entry = bytes.get(24..32).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
    let mut frames: Vec<u64> = (0..48).map(|at| entry.wrapping_add(at * 7).min(1 << 39)).collect();
    frames.extend((0..64).map(|at| 0x1000 + at * 0x41));
    let site = synth.site("aclrtMalloc", 0, 0, &frames);
    synth.allocation(1, site, 0x1000, 64);
    // Enough of them to be looked up in one batch.
    if bytes.len() % 4 == 0 {
        let more: Vec<u64> = (0..512).map(|at| entry.wrapping_add(at * 3).min(1 << 39)).collect();
        let site = synth.site("aclrtMalloc", 0, 0, &more);
        synth.allocation(1, site, 0x2000, 64);
    }
    command::file("names.aclsan", &synth.bytes());
    command::run("leaks @names.aclsan");
});
