//! Copies and fills: `aclrtMemcpy`, `aclrtMemcpy2d`, `aclrtMemset`, and their asynchronous forms.
//!
//! Recorded and judged before the runtime has them: if the program goes down in the call, the reason is already told.

use super::interpose;
use crate::abi::{aclError, aclrtMemcpyKind, aclrtStream};
use crate::hook::Hook;
use crate::mapping;
use aclsan_log::{Event, Mapping, SiteId};
use aclsan_rules::Place;
use aclsan_rules::judge::{self, Copy, Copy2d, Set};
use std::ffi::c_void;

interpose! {
    /// Records both ends.
    fn aclrtMemcpy(dst: *mut c_void, dest_max: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind) -> aclError = on_copy;
    /// Records both ends and the stream.
    fn aclrtMemcpyAsync(dst: *mut c_void, dest_max: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind, stream: aclrtStream)
        -> aclError = on_copy_async;
    /// Records both ends, row by row.
    fn aclrtMemcpy2d(dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize, kind: aclrtMemcpyKind)
        -> aclError = on_copy_2d;
    /// Records both ends, row by row, and the stream.
    fn aclrtMemcpy2dAsync(dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize,
        kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError = on_copy_2d_async;
    /// Records the range.
    fn aclrtMemset(dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize) -> aclError = on_set;
    /// Records the range and the stream.
    fn aclrtMemsetAsync(dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize, stream: aclrtStream)
        -> aclError = on_set_async;
}

fn on_copy(
    hook: &Hook,
    next: aclrtMemcpy::Fn,
    dst: *mut c_void,
    dest_max: usize,
    src: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
) -> aclError {
    let copy = Copy {
        to: dst as u64,
        room: dest_max as u64,
        from: src as u64,
        count: count as u64,
    };
    // SAFETY: the caller's own arguments.
    one_dimensional(hook, kind, copy, 0, || unsafe {
        next(dst, dest_max, src, count, kind)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_copy_async(
    hook: &Hook,
    next: aclrtMemcpyAsync::Fn,
    dst: *mut c_void,
    dest_max: usize,
    src: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError {
    let copy = Copy {
        to: dst as u64,
        room: dest_max as u64,
        from: src as u64,
        count: count as u64,
    };
    // SAFETY: the caller's own arguments.
    one_dimensional(hook, kind, copy, stream as u64, || unsafe {
        next(dst, dest_max, src, count, kind, stream)
    })
}

#[inline(always)]
fn one_dimensional(
    hook: &Hook,
    kind: u32,
    copy: Copy,
    stream: u64,
    forward: impl FnOnce() -> i32,
) -> i32 {
    let Copy {
        to,
        room,
        from,
        count,
    } = copy;
    let site = hook.record(|recorder| {
        let call = recorder.call(kind);
        recorder.event(&Event::Copy {
            site: call.site,
            to,
            room,
            from,
            count,
            stream,
        });
        recorder.judge(|profile| {
            let (to, from) = (recorder.reach(to), recorder.reach(from));
            judge::copy(&call, &copy, &to, &from, profile)
        });
        call.site
    });
    checked(hook, site, to, forward())
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_copy_2d(
    hook: &Hook,
    next: aclrtMemcpy2d::Fn,
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: aclrtMemcpyKind,
) -> aclError {
    let copy = rows(dst, dpitch, src, spitch, width, height);
    // SAFETY: the caller's own arguments.
    two_dimensional(hook, kind, copy, 0, || unsafe {
        next(dst, dpitch, src, spitch, width, height, kind)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_copy_2d_async(
    hook: &Hook,
    next: aclrtMemcpy2dAsync::Fn,
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError {
    let copy = rows(dst, dpitch, src, spitch, width, height);
    // SAFETY: the caller's own arguments.
    two_dimensional(hook, kind, copy, stream as u64, || unsafe {
        next(dst, dpitch, src, spitch, width, height, kind, stream)
    })
}

fn rows(
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
) -> Copy2d {
    let (to_pitch, from_pitch) = (dpitch as u64, spitch as u64);
    Copy2d {
        to: dst as u64,
        to_pitch,
        from: src as u64,
        from_pitch,
        width: width as u64,
        height: height as u64,
    }
}

#[inline(always)]
fn two_dimensional(
    hook: &Hook,
    kind: u32,
    copy: Copy2d,
    stream: u64,
    forward: impl FnOnce() -> i32,
) -> i32 {
    let Copy2d {
        to,
        to_pitch,
        from,
        from_pitch,
        width,
        height,
    } = copy;
    let site = hook.record(|recorder| {
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
        recorder.judge(|profile| {
            let (to, from) = (recorder.reach(to), recorder.reach(from));
            judge::copy_2d(&call, &copy, &to, &from, profile)
        });
        call.site
    });
    checked(hook, site, to, forward())
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
    let site = hook.record(|recorder| {
        let call = recorder.call(0);
        let place = recorder.process.live.place(to);
        let is_worth_a_look = place == Place::Unknown && recorder.process.sites.may_look(call.site);
        let mapping = if is_worth_a_look {
            mapping::at(to)
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
        let set = Set {
            to,
            room,
            count,
            mapping,
        };
        recorder.judge(|profile| judge::set(&call, &set, &recorder.within(to, place), profile));
        call.site
    });
    checked(hook, site, to, forward())
}

/// Puts a refusal on record.
#[inline(always)]
fn checked(hook: &Hook, site: Option<SiteId>, address: u64, status: i32) -> i32 {
    if let (Some(site), true) = (site, status != 0) {
        hook.record(|recorder| {
            recorder.event(&Event::Refused {
                site,
                address,
                status,
            });
            recorder.name_status(status);
        });
    }
    status
}
