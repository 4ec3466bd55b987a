//! What the program tells about itself: by `aclsan.h`, whose weak symbols [`c_api`] defines, and by mstx, which [`mstx`] takes over.
//!
//! Annotations are facts like calls are: on record with a stack, judged by nobody here. None of them touches the runtime but
//! `aclsan_check`.

mod c_api;
mod mstx;
use crate::record::Recorder;
use crate::state::strings;
use std::ffi::{c_char, c_void};

/// The number of a text of the program's; 0 for null.
fn text(recorder: &Recorder, text: *const c_char) -> u64 {
    if text.is_null() {
        return 0;
    }
    // SAFETY: the caller's own text, which ends with a NUL by the interface; no more than the most is looked at.
    let length = unsafe { libc::strnlen(text, strings::MAX_BYTES) };
    // SAFETY: as many bytes as were found before the NUL.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    recorder.string_id(&String::from_utf8_lossy(bytes))
}

/// A pointer as a value of an event.
fn number<T>(pointer: *const T) -> u64 {
    pointer.cast::<c_void>() as u64
}
