//! Calls, handles and range uses: recorded, then judged.

use super::{guard_page, redzone_check, unguarded};
use crate::judge::{ask_rules, is_reporting, objects, stream_order};
use crate::record::Recorder;
use crate::state::companion;
use aclsan_log::branch::unlikely;
use aclsan_log::{BlockId, CallSiteId, Event, Values};
use aclsan_options::Guard;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::operation::RangeUse;
use aclsan_rules::judge;
use aclsan_tables::live::{Entry, State};
use std::sync::atomic::Ordering::Relaxed;

/// Records a call that no other event describes; `values` in the order of the function's row.
pub fn record_call(recorder: &mut Recorder, argument: u32, values: &[u64], status: i32) -> Call {
    let call = recorder.call(argument);
    let mut recorded = Values::default(); // Filled where it is: returned by a function, it would be copied.
    recorded.set(values);
    finish_call(recorder, &call, &recorded, status);
    call
}

/// Like [`record_call`], for a call whose site is already known.
pub fn finish_call(recorder: &mut Recorder, call: &Call, values: &Values, status: i32) {
    recorder.call_event(call.site, values, status);
    if unlikely(status != 0) {
        recorder.define_status(status);
    }
    if is_judged(recorder) {
        on_call(recorder, call, values, status);
    }
}

/// Records a handle or a range that a call has created. It cannot have a redzone.
pub fn record_object(recorder: &mut Recorder, call: &Call, address: u64, size: u64) -> Block {
    let id = recorder.allocation(call.site, address, size);
    on_object(recorder, call, id, address, size)
}

/// Records a handle without a size, and the call that made it; `values` as for [`record_call`], the handle first. Without
/// values, the handle alone.
pub fn record_handle(recorder: &mut Recorder, call: &Call, handle: u64, values: &[u64]) {
    let id = recorder.descriptor(call.site, handle, values);
    on_object(recorder, call, id, handle, 0);
    if !values.is_empty() && is_judged(recorder) {
        on_call(recorder, call, &Values::new(values), 0);
    }
}

/// Records a range that a call is about to read or write, and asks the rules about it.
#[inline(always)]
pub fn record_use(recorder: &mut Recorder, call: &Call, used: RangeUse, stream: u64) {
    // Most operators need no workspace and are given none. Only guarded pages ask what was queued without one.
    let is_none = used.address == 0 && used.size == 0;
    if !is_none || recorder.process.judge.knows_guard_pages.load(Relaxed) {
        record_range(recorder, call, used, stream);
    }
}

#[inline(never)]
fn record_range(recorder: &mut Recorder, call: &Call, used: RangeUse, stream: u64) {
    let RangeUse {
        address,
        size,
        access,
    } = used;
    recorder.event(&Event::Use {
        site: call.site,
        address,
        size,
        access,
        stream,
    });
    let place = is_reporting(recorder.process).then(|| objects::resolve(recorder, address));
    if let Some(place) = &place {
        let part = objects::part(recorder, address, size, place);
        ask_rules(recorder, |profile| judge::uses(call, &used, &part, profile));
    }
    redzone_check::note_writer(recorder, call, address);
    guard_page::on_queued(recorder, call, stream, &[address]);
    if let Some(place) = &place {
        stream_order::uses(recorder, call, &used, place, stream);
    }
}

/// Whether anything asks about calls.
#[inline(always)]
fn is_judged(recorder: &Recorder) -> bool {
    is_reporting(recorder.process) || recorder.process.judge.knows_guard_pages.load(Relaxed)
}

/// A call is on record.
#[inline(always)]
fn on_call(recorder: &mut Recorder, call: &Call, values: &Values, status: i32) {
    objects::called(recorder, call, values, status);
    let knows_guard_pages = recorder.process.judge.knows_guard_pages.load(Relaxed);
    let is_explained =
        unlikely(knows_guard_pages) && ask_guard_pages(recorder, call, values, status);
    if unlikely(status != 0) && !is_explained {
        stream_order::faulted(recorder, call, values, status);
    }
    stream_order::called(recorder, call, values, status);
}

/// Whether an error that the call returned is accounted for.
#[cold]
#[inline(never)]
fn ask_guard_pages(recorder: &Recorder, call: &Call, values: &Values, status: i32) -> bool {
    let (finding, is_explained) = guard_page::on_call(recorder, call, values, status);
    if let Some(finding) = finding {
        ask_rules(recorder, |_| [finding]);
    }
    is_explained
}

/// The handle or the range is on record, as block `id`.
#[inline(always)]
fn on_object(recorder: &mut Recorder, call: &Call, id: BlockId, address: u64, size: u64) -> Block {
    let entry = Entry {
        id,
        size,
        site: call.site,
        end: CallSiteId(0),
        guard: 0,
        slack: 0,
        function: recorder.function_id(),
        device: call.device as i8,
        state: State::Live,
        age: 0,
    };
    let process = recorder.process;
    let family = call.family().unwrap_or(Family::Device);
    let key = family.key(address);
    if family.is_handle() {
        process.heap.live.insert_handle(key, &entry);
    } else {
        process.heap.live.insert(key, &entry);
        companion::watch_range(process.options, family.is_host(), address, size);
    }
    if family.is_memory() && process.options.guard() == Guard::Both {
        unguarded::report_unsupported_family(process, family);
    }
    recorder.ignore_if_requested(id);
    let block = entry.block(key);
    objects::made(recorder, call, &block);
    stream_order::made(recorder, call, &block);
    block
}
