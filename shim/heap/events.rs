//! Calls, handles and range uses: recorded, then judged.

use super::{guard_page, redzone_check, unguarded};
use crate::judge::{AskObjects, AskOrder, Judge, is_reporting};
use crate::record::Recorder;
use crate::state::companion;
use aclsan_log::{CallSiteId, Event, Values};
use aclsan_options::Guard;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::operation::RangeUse;
use aclsan_rules::judge;
use aclsan_tables::live::{Entry, State};

/// The events of a call besides allocations and releases.
pub trait RecordEvents {
    /// Records a call that no other event describes; `values` in the order of the function's row.
    fn record_call(&mut self, argument: u32, values: &[u64], status: i32) -> Call;

    /// Like [`RecordEvents::record_call`], for a call whose site is already known.
    fn finish_call(&mut self, call: &Call, values: &[u64], status: i32);

    /// Records a handle or a range that a call has created. It cannot have a redzone.
    fn record_object(&mut self, call: &Call, address: u64, size: u64) -> Block;

    /// Records a range that a call is about to read or write, and asks the rules about it.
    fn record_use(&mut self, call: &Call, used: RangeUse, stream: u64);
}

impl RecordEvents for Recorder<'_> {
    fn record_call(&mut self, argument: u32, values: &[u64], status: i32) -> Call {
        let call = self.call(argument);
        self.finish_call(&call, values, status);
        call
    }

    fn finish_call(&mut self, call: &Call, values: &[u64], status: i32) {
        let values = Values::new(values);
        let site = call.site;
        self.event(&Event::Call {
            site,
            values,
            status,
        });
        if status != 0 {
            self.define_status(status);
        }
        self.object_called(call, &values, status);
        if let Some(finding) = guard_page::on_call(self, call, &values, status) {
            self.judge(|_| [finding]);
        }
        self.order_called(call, &values, status);
    }

    fn record_object(&mut self, call: &Call, address: u64, size: u64) -> Block {
        let id = self.allocation(call.site, address, size);
        let entry = Entry {
            id,
            size,
            site: call.site,
            end: CallSiteId(0),
            guard: 0,
            slack: 0,
            function: self.function_id(),
            device: call.device as i8,
            state: State::Live,
            age: 0,
        };
        let family = call.family().unwrap_or(Family::Device);
        let key = family.key(address);
        if family.is_handle() {
            self.process.heap.live.insert_handle(key, entry);
        } else {
            self.process.heap.live.insert(key, entry);
            companion::watch_range(self.process.options, family.is_host(), address, size);
        }
        if family.is_memory() && self.process.options.guard() == Guard::Both {
            unguarded::report_unsupported_family(self.process, family);
        }
        self.ignore_if_requested(id);
        let block = entry.block(key);
        self.object_made(call, &block);
        self.order_made(call, &block);
        block
    }

    fn record_use(&mut self, call: &Call, used: RangeUse, stream: u64) {
        let RangeUse {
            address,
            size,
            access,
        } = used;
        self.event(&Event::Use {
            site: call.site,
            address,
            size,
            access,
            stream,
        });
        let place = is_reporting(self.process).then(|| self.resolve(address));
        if let Some(place) = &place {
            self.judge(|profile| judge::uses(call, &used, place, profile));
        }
        redzone_check::note_writer(self, call, address);
        guard_page::on_queued(self, call, stream, &[address]);
        if let Some(place) = &place {
            self.order_uses(call, &used, place, stream);
        }
    }
}
