//! Recording stopped and started, by the program or by its user.
//!
//! While it is stopped, new blocks are not recorded: they are of unknown origin, their releases are silent and their copies unchecked.
//! Known blocks stay known, and their releases are recorded. A released block is forgotten at once, since its memory may then belong to a
//! block that was not seen; so are, at a stop, the blocks released before, and what is queued.

use super::{events::record_call, guard_page, quarantine, redzone_check};
use crate::judge::{ask_rules, objects, stream_order, with_objects};
use crate::record::Recorder;
use crate::state::process::Process;
use aclsan_log::Mapping;
use aclsan_options::Guard;
use aclsan_os::lock::MutexGuard;
use aclsan_os::{host_pages, status};
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::family::Family;
use aclsan_rules::judge;

/// Stops recording; `true` if it was on.
///
/// The event is later than the flag, here and in [`start`]: between both, replay forgets less than the table does, never more.
pub fn stop(recorder: &mut Recorder) -> bool {
    let alone = lock(recorder.process);
    let is_new = status::stop();
    if is_new {
        record_call(recorder, 0, &[], 0);
        forget_history(recorder.process);
    }
    drop(alone);
    if is_new {
        host_pages::open_all(); // Nobody follows the copies that they wait for.
    }
    is_new
}

/// Starts recording; `true` if it was stopped.
pub fn start(recorder: &mut Recorder) -> bool {
    let _alone = lock(recorder.process);
    if !status::is_stopped() {
        return false;
    }
    // Before new blocks are recorded: none of them may seem to be an old one. Again, as calls that began before the stop may have been
    // recorded since.
    forget_history(recorder.process);
    status::start();
    record_call(recorder, 0, &[], 0);
    true
}

/// Starts and stops are in the log in the order in which they happened.
fn lock(process: &Process) -> MutexGuard<'_, ()> {
    process.log.switching.lock()
}

fn forget_history(process: &Process) {
    process.heap.live.forget_ended();
    with_objects(process, |objects| objects.forget_transient());
    stream_order::forget_queued(process);
}

/// The release of a block while recording is stopped; recorded if the block is known. One that the runtime refuses is forgotten, too.
pub fn release(recorder: &mut Recorder, argument: u32, address: u64) {
    quarantine::evict_containing(recorder, address);
    let process = recorder.process;
    let call = recorder.call_without_stack(argument);
    let family = call.family().unwrap_or(Family::Device);
    let key = family.key(address);
    if !matches!(process.heap.live.place(key), AddressInfo::Live(_, 0)) {
        return;
    }
    let call = recorder.call(argument);
    process.guards.poisoned.forget(key);
    let Some(entry) = process.heap.live.release(key, call.site) else {
        return;
    };
    if process.options.guard() != Guard::Off && !family.is_handle() {
        redzone_check::check_entry(recorder, &call, address, &entry);
    }
    recorder.release(call.site, entry.id);
    guard_page::on_release(recorder, key, call.site);
    let block = entry.block(key);
    ask_rules(recorder, |profile| {
        let place = AddressInfo::Live(block, 0);
        judge::release(&call, address, &place, Mapping::Unknown, profile)
    });
    objects::releasing(recorder, &call, || block);
    // What waited for queued work was not recorded.
    if !block.family().is_memory() {
        stream_order::releasing(recorder, &call, || block);
    }
    process.heap.live.forget(key);
}
