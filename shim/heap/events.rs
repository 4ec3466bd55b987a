//! Calls, handles and range uses: recorded, then judged.

use super::{guard_page, redzone_check, unguarded};
use crate::judge::{AskObjects, AskOrder, Judge, is_reporting};
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

/// The events of a call besides allocations and releases.
pub trait RecordEvents {
    /// Records a call that no other event describes; `values` in the order of the function's row.
    fn record_call(&mut self, argument: u32, values: &[u64], status: i32) -> Call;

    /// Like [`RecordEvents::record_call`], for a call whose site is already known.
    fn finish_call(&mut self, call: &Call, values: &Values, status: i32);

    /// Records a handle or a range that a call has created. It cannot have a redzone.
    fn record_object(&mut self, call: &Call, address: u64, size: u64) -> Block;

    /// Records a handle without a size, and the call that made it; `values` as for [`RecordEvents::record_call`], the handle first. Without
    /// values, the handle alone.
    fn record_descriptor(&mut self, call: &Call, handle: u64, values: &[u64]);

    /// Records a range that a call is about to read or write, and asks the rules about it.
    fn record_use(&mut self, call: &Call, used: RangeUse, stream: u64);
}

impl RecordEvents for Recorder<'_> {
    fn record_call(&mut self, argument: u32, values: &[u64], status: i32) -> Call {
        let call = self.call(argument);
        let mut recorded = Values::default(); // Filled where it is: returned by a function, it would be copied.
        recorded.set(values);
        self.finish_call(&call, &recorded, status);
        call
    }

    fn finish_call(&mut self, call: &Call, values: &Values, status: i32) {
        self.call_event(call.site, values, status);
        if unlikely(status != 0) {
            self.define_status(status);
        }
        if is_judged(self) {
            on_call(self, call, values, status);
        }
    }

    fn record_object(&mut self, call: &Call, address: u64, size: u64) -> Block {
        let id = self.allocation(call.site, address, size);
        on_object(self, call, id, address, size)
    }

    fn record_descriptor(&mut self, call: &Call, handle: u64, values: &[u64]) {
        let id = self.descriptor(call.site, handle, values);
        on_object(self, call, id, handle, 0);
        if !values.is_empty() && is_judged(self) {
            on_call(self, call, &Values::new(values), 0);
        }
    }

    #[inline(always)]
    fn record_use(&mut self, call: &Call, used: RangeUse, stream: u64) {
        // Most operators need no workspace and are given none. Only guarded pages ask what was queued without one.
        let is_none = used.address == 0 && used.size == 0;
        if !is_none || self.process.judge.knows_guard_pages.load(Relaxed) {
            record_range(self, call, used, stream);
        }
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
    let place = is_reporting(recorder.process).then(|| recorder.resolve(address));
    if let Some(place) = &place {
        let part = recorder.part(address, size, place);
        recorder.judge(|profile| judge::uses(call, &used, &part, profile));
    }
    redzone_check::note_writer(recorder, call, address);
    guard_page::on_queued(recorder, call, stream, &[address]);
    if let Some(place) = &place {
        recorder.order_uses(call, &used, place, stream);
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
    recorder.object_called(call, values, status);
    if unlikely(recorder.process.judge.knows_guard_pages.load(Relaxed)) {
        ask_guard_pages(recorder, call, values, status);
    }
    recorder.order_called(call, values, status);
}

#[cold]
#[inline(never)]
fn ask_guard_pages(recorder: &Recorder, call: &Call, values: &Values, status: i32) {
    if let Some(finding) = guard_page::on_call(recorder, call, values, status) {
        recorder.judge(|_| [finding]);
    }
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
    recorder.object_made(call, &block);
    recorder.order_made(call, &block);
    block
}
