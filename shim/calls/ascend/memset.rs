//! Fills: `aclrtMemset`, `aclrtMemsetD32`, and their asynchronous forms.
//!
//! Recorded and judged before they are forwarded, like copies.

use super::copy::checked;
use crate::abi::{aclError, aclrtStream};
use crate::calls::interpose;
use crate::heap::redzone_check;
use crate::judge::{ask_rules, is_reporting, objects, stream_order};
use crate::record::Hook;
use aclsan_log::{Event, Mapping};
use aclsan_os::maps;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::evidence::operation::Memset;
use aclsan_rules::judge;
use std::ffi::c_void;

interpose! {
    fn aclrtMemset(dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize) -> aclError
        = filled (dev_ptr, max_count, value, count as u64, 0);
    fn aclrtMemsetAsync(dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize, stream: aclrtStream) -> aclError
        = filled (dev_ptr, max_count, value, count as u64, stream as u64);
    fn aclrtMemsetD32(ptr: *mut c_void, size: usize, value: u32, words: usize) -> aclError
        = filled (ptr, size, value as i32, bytes(words), 0);
    fn aclrtMemsetD32Async(ptr: *mut c_void, size: usize, value: u32, words: usize, stream: aclrtStream) -> aclError
        = filled (ptr, size, value as i32, bytes(words), stream as u64);
}

/// Bytes of `words` of 4.
fn bytes(words: usize) -> u64 {
    (words as u64).saturating_mul(4)
}

/// Records the range and the stream, then forwards.
fn filled(
    hook: &Hook,
    forward: impl FnOnce() -> i32,
    to: *mut c_void,
    room: usize,
    value: i32,
    count: u64,
    stream: u64,
) -> i32 {
    let (to, room) = (to as u64, room as u64);
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
        let place =
            is_reporting(recorder.process).then(|| objects::resolve_place(recorder, to, place));
        if let Some(place) = &place {
            let part = objects::part(recorder, to, count, place);
            ask_rules(recorder, |profile| judge::set(&call, &set, &part, profile));
        }
        objects::touched(recorder, &call, &[to]);
        redzone_check::note_writer(recorder, &call, to);
        if let Some(place) = &place {
            stream_order::set(recorder, &call, &set, place, stream);
        }
        call
    });
    checked(hook, call, to, stream, forward())
}
