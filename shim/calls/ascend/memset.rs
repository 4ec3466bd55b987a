//! Fills: `aclrtMemset`, `aclrtMemsetD32`, and their asynchronous forms.
//!
//! Recorded and judged before they are forwarded, like copies.

use super::copy::checked;
use crate::abi::{aclError, aclrtStream};
use crate::calls::interpose;
use crate::heap::redzone_check;
use crate::judge::{AskObjects, AskOrder, Judge, is_reporting};
use crate::record::Hook;
use aclsan_log::{Event, Mapping};
use aclsan_os::maps;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::evidence::operation::Memset;
use aclsan_rules::judge;
use std::ffi::c_void;

interpose! {
    /// Records the range.
    fn aclrtMemset(dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize) -> aclError = on_set;
    /// Records the range and the stream.
    fn aclrtMemsetAsync(dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize, stream: aclrtStream)
        -> aclError = on_set_async;
    /// Records the range; `words` of 4 bytes.
    fn aclrtMemsetD32(ptr: *mut c_void, size: usize, value: u32, words: usize) -> aclError = on_set_words;
    fn aclrtMemsetD32Async(ptr: *mut c_void, size: usize, value: u32, words: usize, stream: aclrtStream)
        -> aclError = on_set_words_async;
}

fn on_set(
    hook: &Hook,
    next: aclrtMemset::Fn,
    dev_ptr: *mut c_void,
    max_count: usize,
    value: i32,
    count: usize,
) -> aclError {
    // SAFETY: the caller's own arguments.
    fill(
        hook,
        dev_ptr as u64,
        max_count as u64,
        value,
        count as u64,
        0,
        || unsafe { next(dev_ptr, max_count, value, count) },
    )
}

fn on_set_async(
    hook: &Hook,
    next: aclrtMemsetAsync::Fn,
    dev_ptr: *mut c_void,
    max_count: usize,
    value: i32,
    count: usize,
    stream: aclrtStream,
) -> aclError {
    fill(
        hook,
        dev_ptr as u64,
        max_count as u64,
        value,
        count as u64,
        stream as u64,
        || {
            // SAFETY: the caller's own arguments.
            unsafe { next(dev_ptr, max_count, value, count, stream) }
        },
    )
}

fn on_set_words(
    hook: &Hook,
    next: aclrtMemsetD32::Fn,
    ptr: *mut c_void,
    size: usize,
    value: u32,
    words: usize,
) -> aclError {
    let count = (words as u64).saturating_mul(4);
    // SAFETY: the caller's own arguments.
    let forward = || unsafe { next(ptr, size, value, words) };
    fill(
        hook,
        ptr as u64,
        size as u64,
        value as i32,
        count,
        0,
        forward,
    )
}

fn on_set_words_async(
    hook: &Hook,
    next: aclrtMemsetD32Async::Fn,
    ptr: *mut c_void,
    size: usize,
    value: u32,
    words: usize,
    stream: aclrtStream,
) -> aclError {
    let count = (words as u64).saturating_mul(4);
    // SAFETY: the caller's own arguments.
    let forward = || unsafe { next(ptr, size, value, words, stream) };
    fill(
        hook,
        ptr as u64,
        size as u64,
        value as i32,
        count,
        stream as u64,
        forward,
    )
}

#[inline(always)]
fn fill(
    hook: &Hook,
    to: u64,
    room: u64,
    value: i32,
    count: u64,
    stream: u64,
    forward: impl FnOnce() -> i32,
) -> i32 {
    let call = hook.record(|recorder| {
        let call = recorder.call(0);
        let place = recorder.process.heap.live.place(to);
        let is_worth_a_look = place == AddressInfo::Unknown
            && recorder.process.log.call_sites.take_maps_lookup(call.site);
        let mapping = if is_worth_a_look {
            maps::at(to)
        } else {
            Mapping::Unknown
        };
        recorder.event(&Event::Set {
            site: call.site,
            to,
            room,
            value,
            count,
            stream,
            mapping,
        });
        let set = Memset {
            to,
            room,
            count,
            mapping,
        };
        let place = is_reporting(recorder.process).then(|| recorder.resolve_place(to, place));
        if let Some(place) = &place {
            let part = recorder.part(to, count, place);
            recorder.judge(|profile| judge::set(&call, &set, &part, profile));
        }
        recorder.object_touched(&call, &[to]);
        redzone_check::note_writer(recorder, &call, to);
        if let Some(place) = &place {
            recorder.order_set(&call, &set, place, stream);
        }
        call
    });
    checked(hook, call, to, stream, forward())
}
