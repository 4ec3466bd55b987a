//! What hooks do with a call: the actions that rows of `interpose!` name. Each forwards the call and returns the runtime's answer; none
//! knows a vendor. `values` are what the log has of the call, in the order of the function's row in the table of known calls; they are
//! asked for once the call has returned, unless the action records first.

use crate::heap::{self, Request, record_call, record_handle, record_object, redzone_check};
use crate::record::Hook;
use aclsan_guards::left_redzone;
use aclsan_os::out_ptr::OutPtr;
use aclsan_rules::api::family::Family;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

/// An argument as the log has it.
pub trait Word: Copy {
    /// The number; `done` says whether the call succeeded, so that its outputs are written.
    fn word(self, done: bool) -> u64;
}

macro_rules! words {
    ($([$($part:ident),*] $ty:ty: $this:ident => $word:expr;)+) => {
        $(impl<$($part),*> Word for $ty {
            #[inline(always)]
            fn word(self, _: bool) -> u64 {
                let $this = self;
                $word
            }
        })+
    };
}

words! {
    [] u32: number => number.into();
    [] u64: number => number;
    [] usize: number => number as u64;
    [] i32: number => u64::from(number.cast_unsigned());
    [] i64: number => number.cast_unsigned();
    [T] *mut T: address => address as u64;
    [T] *const T: address => address as u64;
    [A, R] Option<unsafe extern "C" fn(A) -> R>: function => function.map_or(0, |function| function as usize as u64);
    [A, B, R] Option<unsafe extern "C" fn(A, B) -> R>: function => function.map_or(0, |function| function as usize as u64);
    [A, B, C, R] Option<unsafe extern "C" fn(A, B, C) -> R>: function => function.map_or(0, |function| function as usize as u64);
}

/// See [`out`].
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

/// What the runtime writes through `pointer` in a call that succeeds; 0 if it is null or the call failed.
pub fn out<T>(pointer: *mut T) -> Out<T> {
    Out(pointer)
}

impl<T: Word> Word for Out<T> {
    #[inline(always)]
    fn word(self, done: bool) -> u64 {
        written(self.0, done).map_or(0, |value| value.word(done))
    }
}

/// What the runtime has written through a pointer of the program; `None` if it is null or the call failed.
#[inline(always)]
pub fn written<T: Copy>(pointer: *mut T, done: bool) -> Option<T> {
    if !done {
        return None;
    }
    // SAFETY: null, or a pointer through which the runtime has written one on success, by the prototype.
    unsafe { pointer.as_ref() }.copied()
}

/// What the caller describes; `None` if it passes null.
pub fn given<T: Copy>(description: *const T) -> Option<T> {
    // SAFETY: null, or the caller's own, which the runtime reads as well.
    unsafe { description.as_ref() }.copied()
}

/// The caller's array of `count`; empty if it passes null. Only what the runtime reads or has written in the same call.
pub fn array<'a, T>(first: *const T, count: usize) -> &'a [T] {
    match first.is_null() {
        true => &[],
        // SAFETY: not null, and the caller promises the runtime as many.
        false => unsafe { std::slice::from_raw_parts(first, count) },
    }
}

/// What a call returns: a status, or nothing.
pub trait Status: Copy {
    /// The status in the log; 0 is success.
    fn code(self) -> i32;
    /// The inverse.
    fn of(code: i32) -> Self;
}

impl Status for i32 {
    fn code(self) -> i32 {
        self
    }

    fn of(code: i32) -> Self {
        code
    }
}

impl Status for u32 {
    fn code(self) -> i32 {
        self.cast_signed()
    }

    fn of(code: i32) -> Self {
        code.cast_unsigned()
    }
}

impl Status for () {
    fn code(self) -> i32 {
        0
    }

    fn of(_: i32) {}
}

/// Forwards the call, then records it.
pub fn recorded<S: Status, const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> S,
    values: impl FnOnce(bool) -> [u64; N],
) -> S {
    recorded_as(hook, forward, values, 0)
}

/// As [`recorded`]; `argument` selects the call's family or kind: see `Call::family`.
pub fn recorded_as<S: Status, const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> S,
    values: impl FnOnce(bool) -> [u64; N],
    argument: u32,
) -> S {
    let status = forward();
    let code = status.code();
    record(hook, argument, &values(code == 0), code);
    status
}

/// Records a call.
pub fn record(hook: &Hook, argument: u32, values: &[u64], status: i32) {
    hook.record(|recorder| {
        redzone_check::check_before_report(recorder, status);
        record_call(recorder, argument, values, status);
    });
}

/// Records the call, then forwards it: a function of the program may see the work complete before the call returns. A failure is recorded
/// afterwards.
pub fn announced<S: Status, const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> S,
    values: impl FnOnce(bool) -> [u64; N],
) -> S {
    let values = values(false);
    hook.record(|recorder| record_call(recorder, 0, &values, 0));
    let status = forward();
    if status.code() != 0 {
        hook.record(|recorder| record_call(recorder, 0, &values, status.code()));
    }
    status
}

/// A number of bytes, as prototypes spell it.
pub trait Bytes: Copy {
    /// The number.
    fn number(self) -> u64;
    /// The inverse.
    fn of(number: u64) -> Self;
}

impl Bytes for u64 {
    fn number(self) -> u64 {
        self
    }

    fn of(number: u64) -> Self {
        number
    }
}

impl Bytes for usize {
    fn number(self) -> u64 {
        self as u64
    }

    fn of(number: u64) -> Self {
        number as Self
    }
}

/// What the program asks for: `size` bytes, whose address goes to `out`.
#[inline(always)]
pub fn request<B: Bytes>(out: *mut *mut c_void, size: B, argument: u32) -> Request {
    Request {
        // SAFETY: where the caller wants the address, by the prototype.
        out: unsafe { OutPtr::new(out) },
        size: size.number(),
        argument,
    }
}

/// Forwards an allocation, with more bytes where it gets redzones, and records the block.
// In one function with the export, unless it is unoptimized: see MAX_HOOK_FRAME.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn allocated<B: Bytes>(
    hook: &Hook,
    forward: impl Fn(B) -> i32 + Copy,
    out: *mut *mut c_void,
    size: B,
    argument: u32,
) -> i32 {
    heap::allocate(hook, request(out, size, argument), |size| {
        forward(B::of(size))
    })
}

/// As [`allocated`], for page-locked memory of the host.
pub fn allocated_pinned<B: Bytes>(
    hook: &Hook,
    forward: impl Fn(B) -> i32 + Copy,
    out: *mut *mut c_void,
    size: B,
) -> i32 {
    heap::allocate_pinned(hook, request(out, size, 0), |size| forward(B::of(size)))
}

/// Records the release of a block before it happens (afterwards another thread may own the address), and forwards it with the start that
/// the runtime knows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn freed(hook: &Hook, forward: impl FnOnce(*mut c_void) -> i32, address: *mut c_void) -> i32 {
    heap::release(hook, address as u64, || {
        left_redzone::release(address, forward)
    })
}

/// Records the release of what `handle` names, then forwards it.
pub fn released<T, S: Status>(hook: &Hook, mut forward: impl FnMut() -> S, handle: *const T) -> S {
    S::of(release(hook, handle as u64, &mut || forward().code()))
}

/// As [`released`]; the runtime may call the program back meanwhile.
pub fn released_with_callbacks<T>(
    hook: &Hook,
    mut forward: impl FnMut() -> i32,
    handle: *const T,
) -> i32 {
    release(hook, handle as u64, &mut || {
        hook.allow_callbacks(&mut forward)
    })
}

/// Not generic, so that the path of a release is not compiled once per row.
fn release(hook: &Hook, handle: u64, forward: &mut dyn FnMut() -> i32) -> i32 {
    heap::release(hook, handle, forward)
}

/// Forwards the call, then records the object whose handle or address it wrote to `out`, with `size` bytes of memory, or the failure.
pub fn made<T>(
    hook: &Hook,
    forward: impl FnOnce() -> i32,
    out: *mut *mut T,
    size: u64,
    argument: u32,
) -> i32 {
    let status = forward();
    hook.record(|recorder| match written(out, status == 0) {
        Some(thing) => {
            // A stream is created in a context; for events no document says so, and the query must not fail.
            if hook.function.family() == Some(Family::Stream) {
                recorder.detect_device();
            }
            let call = recorder.call(argument);
            record_object(recorder, &call, thing as u64, size);
        }
        None => {
            record_call(recorder, argument, &[], status);
        }
    });
    status
}

/// As [`made`]; the runtime may call the program back meanwhile.
pub fn made_with_callbacks<T>(
    hook: &Hook,
    forward: impl FnOnce() -> i32,
    out: *mut *mut T,
    argument: u32,
) -> i32 {
    made(hook, || hook.allow_callbacks(forward), out, 0, argument)
}

/// Records an object that holds no memory of the program.
pub fn record_descriptor(hook: &Hook, handle: u64, values: &[u64]) {
    hook.record(|recorder| {
        let call = recorder.call(0);
        record_handle(recorder, &call, handle, values);
    });
}

/// Forwards the call, then records the object that it returned, unless that is null.
pub fn created<T>(hook: &Hook, forward: impl FnOnce() -> *mut T) -> *mut T {
    let object = forward();
    if !object.is_null() {
        record_descriptor(hook, object as u64, &[]);
    }
    object
}

/// As [`created`], for objects written to an array of `count`.
pub fn created_in<T, S: Status>(
    hook: &Hook,
    forward: impl FnOnce() -> S,
    out: *mut *mut T,
    count: u32,
) -> S {
    let status = forward();
    if status.code() == 0 && !out.is_null() {
        for at in 0..count as usize {
            // SAFETY: the caller's own array, in which the runtime has written `count` on success.
            let object = unsafe { out.wrapping_add(at).read() };
            record_descriptor(hook, object as u64, &[]);
        }
    }
    status
}

/// Forwards the call, then records the channel that it opened for `descriptor`, under the address of the descriptor.
pub fn opened<T>(hook: &Hook, forward: impl FnOnce() -> i32, descriptor: *mut T) -> i32 {
    let status = forward();
    if status == 0 {
        record_descriptor(hook, descriptor as u64, &[]);
    }
    status
}

/// Records and judges the ranges that the call reads and writes, forwards it, then records the call.
pub fn launched<Q: Word, S: Status, const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> S,
    values: impl FnOnce(bool) -> [u64; N],
    ranges: impl IntoIterator<Item = RangeUse>,
    stream: Q,
) -> S {
    launched_as(hook, forward, values, ranges, stream, 0)
}

/// As [`launched`], with an argument as for [`recorded_as`].
pub fn launched_as<Q: Word, S: Status, const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> S,
    values: impl FnOnce(bool) -> [u64; N],
    ranges: impl IntoIterator<Item = RangeUse>,
    stream: Q,
    argument: u32,
) -> S {
    let ranges: Vec<RangeUse> = ranges.into_iter().collect();
    let (stream, values) = (stream.word(false), values(false));
    S::of(heap::launch(
        hook,
        argument,
        &ranges,
        stream,
        &values,
        || forward().code(),
    ))
}
