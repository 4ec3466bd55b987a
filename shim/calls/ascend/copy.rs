//! Copies: `aclrtMemcpy`, `aclrtMemcpy2d`, and their asynchronous forms.
//!
//! Recorded and judged before they are forwarded: if the program crashes in the call, the cause is already reported.

use crate::abi::{aclError, aclrtMemcpyKind, aclrtStream};
use crate::calls::interpose;
use crate::heap::{guard_page, poison, redzone_check};
use crate::judge::{ask_rules, host_access, is_reporting, objects, refused_at, stream_order};
use crate::record::{Hook, Recorder};
use crate::state::process::Process;
use aclsan_log::Event;
use aclsan_options::Guard;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::operation::{Copy, Copy2d};
use aclsan_rules::judge;
use std::ffi::c_void;

interpose! {
    fn aclrtMemcpy(dst: *mut c_void, dest_max: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind) -> aclError
        = copied (kind, linear(dst, dest_max, src, count), 0) => MEMCPY;
    fn aclrtMemcpyAsync(dst: *mut c_void, dest_max: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind, stream: aclrtStream)
        -> aclError = copied (kind, linear(dst, dest_max, src, count), stream as u64);
    fn aclrtMemcpyAsyncWithCondition(dst: *mut c_void, dest_max: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind,
        stream: aclrtStream) -> aclError = copied (kind, linear(dst, dest_max, src, count), stream as u64);
    fn aclrtMemcpy2d(dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize, kind: aclrtMemcpyKind)
        -> aclError = copied_2d (kind, rows(dst, dpitch, src, spitch, width, height), 0);
    fn aclrtMemcpy2dAsync(dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize,
        kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError
        = copied_2d (kind, rows(dst, dpitch, src, spitch, width, height), stream as u64);
}

#[inline(always)]
pub(super) fn linear(dst: *mut c_void, room: usize, src: *const c_void, count: usize) -> Copy {
    Copy {
        to: dst as u64,
        room: room as u64,
        from: src as u64,
        count: count as u64,
    }
}

fn rows(
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
) -> Copy2d {
    Copy2d {
        to: dst as u64,
        to_pitch: dpitch as u64,
        from: src as u64,
        from_pitch: spitch as u64,
        width: width as u64,
        height: height as u64,
    }
}

/// Records both ends and the stream, then forwards.
#[inline(always)]
pub(super) fn copied(
    hook: &Hook,
    forward: impl FnOnce() -> i32,
    kind: u32,
    copy: Copy,
    stream: u64,
) -> i32 {
    let mut call = None;
    hook.record(|recorder| {
        let call = call.insert(recorder.call(kind));
        record(recorder, call, &copy, stream);
    });
    let status = checked(hook, call, copy.to, stream, forward());
    // Asked before the recorder is entered again, which would cost a copy as much as encoding it.
    if let Some(call) = call
        && status == 0
        && !call.function.is_async
        && poison::has_any(Process::current())
    {
        hook.record(|recorder| poison::check_copied_out(recorder, &call, &copy));
    }
    status
}

/// Records a copy and judges it.
#[inline(always)]
pub(super) fn record(recorder: &mut Recorder, call: &Call, copy: &Copy, stream: u64) {
    let &Copy {
        to,
        room,
        from,
        count,
    } = copy;
    recorder.event(&Event::Copy {
        site: call.site,
        to,
        room,
        from,
        count,
        stream,
    });
    let places =
        is_reporting(recorder.process).then(|| [to, from].map(|at| objects::resolve(recorder, at)));
    if let Some([written, read]) = &places {
        let written = objects::part(recorder, to, count, written);
        let read = objects::part(recorder, from, count, read);
        ask_rules(recorder, |profile| {
            judge::copy(call, copy, &written, &read, profile)
        });
    }
    objects::touched(recorder, call, &[to, from]);
    guard_page::on_queued(recorder, call, stream, &[to, from]);
    redzone_check::note_writer(recorder, call, to);
    if let Some(places) = &places {
        stream_order::copy(recorder, call, copy, places.each_ref(), stream);
    }
}

/// As [`copied`], row by row.
fn copied_2d(
    hook: &Hook,
    forward: impl FnOnce() -> i32,
    kind: u32,
    copy: Copy2d,
    stream: u64,
) -> i32 {
    let Copy2d {
        to,
        to_pitch,
        from,
        from_pitch,
        width,
        height,
    } = copy;
    let call = hook.record(|recorder| {
        let call = recorder.call(kind);
        recorder.event(&Event::Copy2d {
            site: call.site,
            to,
            to_pitch,
            from,
            from_pitch,
            width,
            height,
            stream,
        });
        let places = is_reporting(recorder.process)
            .then(|| [to, from].map(|at| objects::resolve(recorder, at)));
        if let Some([written, read]) = &places {
            let written = objects::part(recorder, to, copy.extent(to_pitch), written);
            let read = objects::part(recorder, from, copy.extent(from_pitch), read);
            ask_rules(recorder, |profile| {
                judge::copy_2d(&call, &copy, &written, &read, profile)
            });
        }
        objects::touched(recorder, &call, &[to, from]);
        guard_page::on_queued(recorder, &call, stream, &[to, from]);
        redzone_check::note_writer(recorder, &call, to);
        if let Some(places) = &places {
            stream_order::copy_2d(recorder, &call, &copy, places.each_ref(), stream);
        }
        call
    });
    checked(hook, call, to, stream, forward())
}

/// Records a failure.
#[inline(always)]
pub(super) fn checked(
    hook: &Hook,
    call: Option<Call>,
    address: u64,
    stream: u64,
    status: i32,
) -> i32 {
    if let (Some(call), true) = (call, status != 0) {
        hook.record(|recorder| {
            redzone_check::check_before_refusal(recorder, &call, status);
            recorder.event(&Event::Refused {
                site: call.site,
                address,
                status,
            });
            recorder.define_status(status);
            let (finding, is_explained) = guard_page::on_refused(recorder, &call, stream, status);
            ask_rules(recorder, |_| finding);
            refused_at(recorder, call.site);
            stream_order::failed(recorder, call.site);
            if !is_explained {
                stream_order::faulted_early(recorder, &call, stream, status);
            }
            host_access::end_queued(recorder, false);
            let stream = recorder.process.heap.live.place(Family::Stream.key(stream));
            ask_rules(recorder, |_| judge::refused_on(&call, &stream, status));
        });
    } else if let Some(call) = call {
        let options = Process::current().options;
        if call.function.is_async {
            if options.traps_host_access() {
                hook.record(|recorder| host_access::end_queued(recorder, true));
            }
        } else if options.guard() != Guard::Off {
            hook.record(|recorder| redzone_check::check_after_copy(recorder, &call, address));
        }
    }
    status
}
