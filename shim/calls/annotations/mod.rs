//! What the program reports about itself: by `aclsan.h`, whose weak symbols [`c_api`] defines, and by mstx, which [`mstx`] hooks.
//!
//! Annotations are facts, like calls: recorded with a stack, except for the end of an mstx region, and not judged here. Only `aclsan_check`
//! touches the runtime.

mod c_api;
mod mstx;
use crate::record::Recorder;
use crate::state::strings;
use std::ffi::{c_char, c_void};

/// The id of a text of the program; 0 for null.
fn text(recorder: &Recorder, text: *const c_char) -> u64 {
    if text.is_null() {
        return 0;
    }
    // SAFETY: the caller's own text, terminated by a NUL as the interface says; at most the maximum length is read.
    let length = unsafe { libc::strnlen(text, strings::MAX_BYTES) };
    // SAFETY: the bytes before the NUL.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    recorder.string_id(&String::from_utf8_lossy(bytes))
}

/// A pointer as a value of an event.
fn number<T>(pointer: *const T) -> u64 {
    pointer.cast::<c_void>() as u64
}
