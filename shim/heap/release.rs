//! Releases of blocks and handles: recorded, then forwarded.

use super::{guard_page, quarantine, redzone_check, stopped, unrecorded};
use crate::judge::{ask_rules, is_reporting, objects, refused_at, release_refused, stream_order};
use crate::record::{Hook, Recorder};
use crate::state::{attachment, block_sampling};
use aclsan_log::{Event, Mapping};
use aclsan_options::Guard;
use aclsan_os::maps;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions;
use aclsan_rules::api::functions::Call;
use aclsan_rules::judge;
use aclsan_tables::live::Entry;

/// A release that is recorded and not yet forwarded.
struct PendingRelease {
    call: Call,
    target: Target,
    is_reported: bool,
}

/// What the released address is.
enum Target {
    /// A live block, as it was before the release.
    Live(Entry),
    /// Anything else.
    Other(Box<AddressInfo>),
}

/// Records the release of a block or a handle, and forwards it.
#[inline(always)]
pub fn release(hook: &Hook, address: u64, forward: impl FnOnce() -> i32) -> i32 {
    release_with(hook, 0, address, forward)
}

/// Like [`release`]; `argument` selects the family: see [`Call::family`].
#[inline(always)]
pub fn release_with(
    hook: &Hook,
    argument: u32,
    address: u64,
    forward: impl FnOnce() -> i32,
) -> i32 {
    if block_sampling::is_on() && unrecorded::is_release(hook, address) {
        return forward();
    }
    // Written in place: returned as a result, it would be copied several times.
    let mut pending = None;
    // Kept apart from the result: after a panic there is none, and a block that is held must not be forwarded.
    let mut is_held = false;
    hook.record_or(
        |recorder| {
            recorder.prefetch_release(address);
            let may_touch = recorder.process.guards.may_touch;
            if may_touch {
                quarantine::evict_containing(recorder, address);
            }
            let call = recorder.call(argument);
            let pending = pending.insert(begin_release(recorder, call, address));
            if may_touch && recorder.process.options.quarantine() > 0 {
                quarantine_block(recorder, address, pending, &mut is_held);
            }
        },
        |recorder| stopped::release(recorder, argument, address),
    );
    if is_held {
        return 0;
    }
    let status = guard_page::release(hook, address).unwrap_or_else(forward);
    if status != 0
        && let Some(pending) = pending
    {
        hook.record(|recorder| on_release_failed(recorder, address, &pending, status));
    }
    status
}

/// Quarantines the block, if it is live and no rule objects to its release; `is_held` says whether it did.
fn quarantine_block(
    recorder: &mut Recorder,
    address: u64,
    pending: &PendingRelease,
    is_held: &mut bool,
) {
    match &pending.target {
        Target::Live(entry)
            if !pending.is_reported && !guard_page::contains(recorder.process, address) =>
        {
            quarantine::put(recorder, &pending.call, address, entry, is_held);
        }
        _ => {}
    }
}

/// Like [`release`], for a handle whose release also releases the `further` handles: see [`functions::FURTHER`].
pub fn release_all(
    hook: &Hook,
    address: u64,
    further: &[u64],
    forward: impl FnOnce() -> i32,
) -> i32 {
    hook.record_or(
        |recorder| {
            let call = recorder.call(functions::FURTHER);
            for &handle in further {
                begin_release(recorder, call, handle);
            }
        },
        |recorder| {
            for &handle in further {
                stopped::release(recorder, functions::FURTHER, handle);
            }
        },
    );
    release(hook, address, forward)
}

#[inline(always)]
fn begin_release(recorder: &mut Recorder, call: Call, address: u64) -> PendingRelease {
    let process = recorder.process;
    let family = call.family().unwrap_or(Family::Device);
    let key = family.key(address);
    let may_touch = process.guards.may_touch;
    if may_touch {
        process.guards.poisoned.forget(key);
    }
    let Some(entry) = process.heap.live.release(key, call.site) else {
        return *on_unknown_release(recorder, call, family, address);
    };
    if may_touch && process.options.guard() != Guard::Off && !family.is_handle() {
        redzone_check::check_entry(recorder, &call, address, &entry); // the entry before the release
    }
    match family.is_handle() {
        true => recorder.release_handle(call.site, entry.id),
        false => recorder.release(call.site, entry.id),
    }
    if may_touch {
        guard_page::on_release(recorder, key, call.site);
    }
    let is_reported = is_reporting(process) && {
        let is_wrong = ask_rules(recorder, |profile| {
            let block = entry.block(key);
            if judge::is_plain_release(&call, &block) {
                return None;
            }
            let place = AddressInfo::Live(block, 0);
            judge::release(&call, address, &place, Mapping::Unknown, profile)
        });
        objects::releasing(recorder, &call, || entry.block(key)) || is_wrong
    };
    stream_order::releasing(recorder, &call, || entry.block(key));
    if attachment::is_unsettled() {
        process.heap.live.forget(key);
    }
    PendingRelease {
        call,
        target: Target::Live(entry),
        is_reported,
    }
}

/// The release of something that is not a live block. Boxed, so that a live block's stays in registers.
#[cold]
fn on_unknown_release(
    recorder: &mut Recorder,
    call: Call,
    family: Family,
    address: u64,
) -> Box<PendingRelease> {
    let (place, mapping, is_object_finding) = classify_pointer(recorder, &call, family, address);
    let mut is_reported = is_object_finding
        || ask_rules(recorder, |profile| {
            judge::release(&call, address, &place, mapping, profile)
        });
    if let AddressInfo::Live(block, 0) = &place {
        is_reported |= objects::releasing(recorder, &call, || *block);
        stream_order::releasing(recorder, &call, || *block);
    } else if !is_reported && place != AddressInfo::Unknown {
        is_reported = objects::unknown_release(recorder, &call, address);
    }
    Box::new(PendingRelease {
        call,
        target: Target::Other(Box::new(place)),
        is_reported,
    })
}

/// Records a release of an address where no live block starts, and classifies the address; the last is `true` if the
/// object tracker reported it.
#[cold]
fn classify_pointer(
    recorder: &mut Recorder,
    call: &Call,
    family: Family,
    address: u64,
) -> (AddressInfo, Mapping, bool) {
    let live = &recorder.process.heap.live;
    let place = live.place_of_release(family.key(address));
    let is_unknown = place == AddressInfo::Unknown && address != 0 && !family.is_handle();
    let mapping = match is_unknown {
        true => maps::at(address),
        false => Mapping::Unknown,
    };
    recorder.process.heap.devices.on_released(&place);
    recorder.event(&Event::ReleaseAt {
        site: call.site,
        address,
        mapping,
    });
    let is_object_finding = place == AddressInfo::Unknown
        && address != 0
        && objects::unknown_release(recorder, call, address);
    if is_unknown && mapping == Mapping::Unknown && !is_object_finding {
        recorder
            .process
            .judge
            .finding_counts
            .count_unknown_pointer(call.site, address);
    }
    (place, mapping, is_object_finding)
}

#[cold]
fn on_release_failed(recorder: &mut Recorder, address: u64, pending: &PendingRelease, status: i32) {
    recorder.event(&Event::Refused {
        site: pending.call.site,
        address,
        status,
    });
    recorder.define_status(status);
    refused_at(recorder, pending.call.site);
    stream_order::failed(recorder, pending.call.site);
    let family = pending.call.family().unwrap_or(Family::Device);
    let key = family.key(address);
    let place = match &pending.target {
        Target::Live(entry) => AddressInfo::Live(entry.block(key), 0),
        Target::Other(place) => **place,
    };
    if let Some((block, _)) = place.block()
        && recorder.process.heap.devices.may_be_gone(block)
    {
        return;
    }
    if let Some((block, _)) = place.block() {
        release_refused(recorder, block.id);
    }
    if let Target::Live(entry) = &pending.target {
        recorder.process.heap.live.restore(key, entry);
        objects::release_failed(recorder, &entry.block(key));
        guard_page::on_release_failed(recorder, key);
    }
    if !pending.is_reported {
        ask_rules(recorder, |_| {
            judge::refused(&pending.call, address, &place, status)
        });
    }
}
