//! The quarantine (`quarantine_mb`): released blocks are poisoned and held back, and checked for late writes before they are really released.
//!
//! The program's release returns 0 at once; the block is known to be live and released by its own family. If the runtime later refuses the
//! release, that is reported. A block leaves early when its address is passed to the runtime; all leave on out-of-memory and before a device
//! reset. The lock is never held while the runtime works.

use super::device;
use crate::judge::{ask_rules, objects};
use crate::record::Recorder;
use crate::runtime::deferred_free;
use aclsan_guards::quarantine::Quarantined;
use aclsan_guards::redzone::Mismatch;
use aclsan_guards::{left_redzone, poison};
use aclsan_log::Event;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::corruption::Corruption;
use aclsan_rules::evidence::recent_writers::WriterHints;
use aclsan_rules::judge;
use aclsan_tables::live::Entry;
use std::ffi::c_void;

/// Quarantines a block instead of releasing it. The live table already has the release by `call`. Unless
/// `is_held` is set, which is done as soon as the store has it, the caller must release it now.
pub fn put(recorder: &mut Recorder, call: &Call, address: u64, entry: &Entry, is_held: &mut bool) {
    let process = recorder.process;
    let limit = process.options.quarantine();
    let family = entry.block(address).family();
    let is_ours = call.family() == Some(family) && deferred_free::is_deferrable(call.function.name);
    let is_reached = entry.is_host() || recorder.thread.device == Some(entry.device.into());
    if entry.size > limit
        || !is_ours
        || !is_reached
        || process.calls.graph_captures.forbids_copies()
    {
        return;
    }
    if !poison::write_pattern(&device(process), address, entry) {
        return;
    }
    process.guards.quarantine.put(Quarantined {
        address,
        entry: *entry,
        call: *call,
    });
    *is_held = true;
    let here = recorder.thread.device;
    while let Some(held) = process.guards.quarantine.pop_over_limit(limit, here) {
        recycle(recorder, call, &held);
    }
}

/// Releases the quarantined block that contains `address`, if any: the address is about to be passed to the runtime.
#[inline(always)]
pub fn evict_containing(recorder: &mut Recorder, address: u64) {
    if recorder.process.guards.quarantine.is_empty() {
        return;
    }
    if let Some(held) = recorder.process.guards.quarantine.pop_containing(address) {
        let call = held.call;
        recycle(recorder, &call, &held);
    }
}

/// Releases all quarantined blocks of a device, or of all devices for −1; `true` if there were any.
pub fn flush(recorder: &mut Recorder, device: i32) -> bool {
    if recorder.process.guards.quarantine.is_empty() {
        return false;
    }
    let call = recorder.call(0);
    let is_meant = |held: &Quarantined| device < 0 || i32::from(held.entry.device) == device;
    let mut any = false;
    let quarantine = &recorder.process.guards.quarantine;
    while let Some(held) = quarantine.pop_oldest(is_meant) {
        recycle(recorder, &call, &held);
        any = true;
    }
    any
}

/// Checks a block for late writes, then really releases it.
fn recycle(recorder: &mut Recorder, call: &Call, held: &Quarantined) {
    let (process, address) = (recorder.process, held.address);
    let runtime = device(process);
    let block = held.entry.block(address);
    if held.is_reachable_from(recorder.thread.device)
        && let Some(Mismatch {
            offset,
            extent,
            found,
        }) = poison::compare(&runtime, address, &held.entry)
    {
        recorder.event(&Event::Damage {
            block: block.id,
            site: call.site,
            offset,
            extent,
            found,
        });
        let damage = Corruption {
            block: &block,
            slack: 0,
            offset,
            extent,
            found: &found,
            witness: &WriterHints::default(),
        };
        ask_rules(recorder, |_| judge::freed(call, &damage, held.call.site));
    }
    let name = held.call.function.name;
    let status = left_redzone::release(address as *mut c_void, |start| {
        deferred_free::deferred_free(name, start)
    });
    // On a thread of another device the failure says nothing: the program's own release might have succeeded.
    if status == 0 || !held.is_reachable_from(recorder.thread.device) {
        return;
    }
    recorder.event(&Event::Refused {
        site: held.call.site,
        address,
        status,
    });
    recorder.define_status(status);
    process.heap.live.restore(address, &held.entry);
    objects::release_failed(recorder, &block);
    ask_rules(recorder, |_| {
        judge::refused(&held.call, address, &AddressInfo::Live(block, 0), status)
    });
}
