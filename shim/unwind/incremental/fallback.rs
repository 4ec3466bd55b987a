//! Unwinds with the `backtrace` crate, which can follow whatever `.eh_frame` says.

use crate::MAX_DEPTH;

/// The return addresses of the calling thread's stack, innermost first, without the innermost frames inside `own`.
#[cold]
pub fn unwind(own: (u64, u64)) -> Vec<u64> {
    let mut frames: Vec<u64> = Vec::with_capacity(64);
    // SAFETY: "unsynchronized" is about the crate's symbol tables on other platforms; walking one's own stack shares
    // nothing here.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            let pc = frame.ip() as u64;
            if pc == 0 {
                return false; // libgcc calls once more after the outermost frame.
            }
            if !frames.is_empty() || !(own.0..own.1).contains(&pc) {
                frames.push(pc);
            }
            frames.len() < MAX_DEPTH
        });
    }
    frames
}
