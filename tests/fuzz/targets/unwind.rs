#![no_main]
//! The shim's parser of `.eh_frame_hdr` and `.eh_frame`, which runs in the program under test: a bad table gives no rule and has no
//! other effect.

use aclsan_fuzz_inputs::image::Image;
use aclsan_unwind::eh_frame;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&header, rest)) = bytes.split_first() else {
        return;
    };
    // A separate copy, so that reads past the end are detected.
    let memory = rest.to_vec();
    let image = Image {
        bytes: &memory,
        eh_frame_hdr: Some(&memory[..memory.len().min(usize::from(header) * 16)]),
    };
    let base = memory.as_ptr() as u64;
    let near = [0, 0x40, 0x1000, -0x1000].map(|by| base.wrapping_add_signed(by));
    for pc in near.into_iter().chain([0, u64::MAX]) {
        eh_frame::rule(&image, pc);
        eh_frame::saved(&image, pc);
    }
});
