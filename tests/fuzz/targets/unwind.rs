#![no_main]
//! The shim's reading of `.eh_frame_hdr` and `.eh_frame`, which is done in the program under test: a bad table gives no rule, and nothing
//! worse.

use aclsan_fuzz::modules::Module;
use aclsan_fuzz::stack::table;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&header, rest)) = bytes.split_first() else {
        return;
    };
    // A copy of its own, so that reading past the end is seen.
    let memory = rest.to_vec();
    let module = Module {
        bytes: &memory,
        eh_frame_hdr: Some(&memory[..memory.len().min(usize::from(header) * 16)]),
    };
    let base = memory.as_ptr() as u64;
    for pc in [0, base, base + 0x40, base + 0x1000, base - 0x1000, u64::MAX] {
        table::rule(&module, pc);
    }
});
