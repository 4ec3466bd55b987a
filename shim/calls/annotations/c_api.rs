//! The symbols that `shim/include/aclsan.h` declares weak.
//!
//! A call from inside a hook (by a signal handler) is ignored and returns what the header returns without the shim.

use super::{number, text};
use crate::calls::entry;
use crate::heap::{record_call, redzone_check, stopped};
use crate::lifecycle::snapshot;
use crate::record::Recorder;
use crate::runtime::next::Interceptor;
use aclsan_rules::api::functions;
use aclsan_unwind::registers;
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// `ACLSAN_INTERFACE` of the header.
const INTERFACE: c_int = 2;

/// Generates exports of functions that the log calls `$name`. A call that is not ignored is passed to the behavior.
macro_rules! exports {
    ($($(#[doc = $doc:literal])* fn $name:ident as $symbol:literal ($($arg:ident: $ty:ty),*) $(-> $ret:ty)? = $behavior:path;)+) => {
        $($(#[doc = $doc])*
        #[cfg_attr(not(test), unsafe(export_name = $symbol))]
        pub unsafe extern "C-unwind" fn $name($($arg: $ty),*) $(-> $ret)? {
            static ROW: Interceptor = Interceptor::unforwarded(functions::number(stringify!($name)));
            match entry::enter(&ROW, registers::here()) {
                Some(hook) => hook.record(|recorder| $behavior(recorder $(, $arg)*)).unwrap_or_default(),
                None => Default::default(),
            }
        })+
    };
}

exports! {
    /// Creates a pool and returns its number.
    fn aclsan_pool_create as "__aclsan_pool_create" (name: *const c_char, address: *const c_void, size: usize) -> u64 = pool_create;
    /// Declares alignment and rounding of the pool.
    fn aclsan_pool_policy as "__aclsan_pool_policy" (pool: u64, alignment: usize, rounding: usize) = pool_policy;
    /// A sub-block was allocated.
    fn aclsan_pool_alloc as "__aclsan_pool_alloc" (pool: u64, address: *const c_void, size: usize, stream: *const c_void) = pool_alloc;
    /// A sub-block is about to be freed.
    fn aclsan_pool_free as "__aclsan_pool_free" (pool: u64, address: *const c_void, stream: *const c_void) = pool_free;
    /// The pool is destroyed.
    fn aclsan_pool_destroy as "__aclsan_pool_destroy" (pool: u64) = pool_destroy;
    /// A step of the program begins.
    fn aclsan_epoch as "__aclsan_epoch" (name: *const c_char) = epoch;
    /// Names a block.
    fn aclsan_name_block as "__aclsan_name_block" (address: *const c_void, name: *const c_char) = with_address_and_name;
    /// Records how much is live.
    fn aclsan_snapshot as "__aclsan_snapshot" (name: *const c_char) = snapshot;
    /// Enters an ignore scope.
    fn aclsan_ignore_begin as "__aclsan_ignore_begin" () = ignore_begin;
    /// Leaves an ignore scope.
    fn aclsan_ignore_end as "__aclsan_ignore_end" () = ignore_end;
    /// Gives a block, or a part of a pool, a category.
    fn aclsan_category as "__aclsan_category" (address: *const c_void, name: *const c_char) = with_address_and_name;
    /// Enters a scope whose allocations have a category.
    fn aclsan_category_push as "__aclsan_category_push" (name: *const c_char) = with_name;
    /// Leaves that scope.
    fn aclsan_category_pop as "__aclsan_category_pop" () = category_pop;
    /// Starts recording.
    fn aclsan_start as "__aclsan_start" () -> c_int = start;
    /// Stops recording.
    fn aclsan_stop as "__aclsan_stop" () -> c_int = stop;
    /// Checks guards now.
    fn aclsan_check as "__aclsan_check" () -> usize = check;
}

/// The version of the interface, as in the header.
#[cfg_attr(not(test), unsafe(export_name = "__aclsan_interface"))]
pub extern "C" fn interface() -> c_int {
    INTERFACE
}

fn pool_create(
    recorder: &mut Recorder,
    name: *const c_char,
    address: *const c_void,
    size: usize,
) -> u64 {
    // Not in `Process`: a forked child keeps using its parent's pools.
    static POOLS: AtomicU64 = AtomicU64::new(1);
    let (pool, name) = (POOLS.fetch_add(1, Relaxed), text(recorder, name));
    record_call(recorder, 0, &[pool, name, number(address), size as u64], 0);
    pool
}

fn pool_policy(recorder: &mut Recorder, pool: u64, alignment: usize, rounding: usize) {
    of_pool(recorder, &[pool, alignment as u64, rounding as u64]);
}

fn pool_alloc(
    recorder: &mut Recorder,
    pool: u64,
    address: *const c_void,
    size: usize,
    stream: *const c_void,
) {
    recorder.process.judge.knows_parts.store(true, Relaxed);
    of_pool(
        recorder,
        &[pool, number(address), size as u64, number(stream)],
    );
}

fn pool_free(recorder: &mut Recorder, pool: u64, address: *const c_void, stream: *const c_void) {
    of_pool(recorder, &[pool, number(address), number(stream)]);
}

fn pool_destroy(recorder: &mut Recorder, pool: u64) {
    of_pool(recorder, &[pool]);
}

/// Records a call about a pool; pool 0 is none.
fn of_pool(recorder: &mut Recorder, values: &[u64]) {
    if values[0] != 0 {
        record_call(recorder, 0, values, 0);
    }
}

fn epoch(recorder: &mut Recorder, name: *const c_char) {
    recorder.ask_memory();
    with_name(recorder, name);
}

fn with_name(recorder: &mut Recorder, name: *const c_char) {
    let name = text(recorder, name);
    record_call(recorder, 0, &[name], 0);
}

fn with_address_and_name(recorder: &mut Recorder, address: *const c_void, name: *const c_char) {
    let name = text(recorder, name);
    record_call(recorder, 0, &[number(address), name], 0);
}

fn category_pop(recorder: &mut Recorder) {
    record_call(recorder, 0, &[], 0);
}

fn snapshot(recorder: &mut Recorder, name: *const c_char) {
    let name = text(recorder, name);
    snapshot::record(recorder, name);
}

fn ignore_begin(recorder: &mut Recorder) {
    recorder.thread.ignoring = recorder.thread.ignoring.saturating_add(1);
    let depth = recorder.thread.ignoring.into();
    record_call(recorder, 0, &[depth], 0);
}

fn ignore_end(recorder: &mut Recorder) {
    recorder.thread.ignoring = recorder.thread.ignoring.saturating_sub(1);
    let depth = recorder.thread.ignoring.into();
    record_call(recorder, 0, &[depth], 0);
}

fn start(recorder: &mut Recorder) -> c_int {
    stopped::start(recorder).into()
}

fn stop(recorder: &mut Recorder) -> c_int {
    stopped::stop(recorder).into()
}

fn check(recorder: &mut Recorder) -> usize {
    let device = recorder.thread.device;
    let call = recorder.call(0);
    let damaged = redzone_check::check_all(recorder, &call, |block| {
        block.family().is_host() || device == Some(block.device)
    });
    record_call(recorder, 0, &[damaged as u64], 0);
    damaged
}
