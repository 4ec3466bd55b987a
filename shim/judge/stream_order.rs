//! The shim's side of the stream order: what is put on record, it hears of in the same words, and says at the call what replay would
//! find in the log.
//!
//! The order's lock is held for its own work alone. It may take the ledger's, never the other way round.

use super::ledger::with_ledger;
use super::{Judge, is_reporting};
use crate::record::Recorder;
use crate::state::process::Process;
use aclsan_log::{CallSiteId, Values};
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::operation::{Copy, Copy2d, Memset, RangeUse};
use aclsan_rules::trackers::objects::HeapView;
use aclsan_rules::trackers::stream_order::RaceDetector;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// What the order may ask of the shim: in a reserved range, what is mapped there.
struct ResolvedScene<'a>(&'a Process);

impl HeapView for ResolvedScene<'_> {
    fn place(&self, address: u64) -> AddressInfo {
        match self.0.heap.live.place(address) {
            place @ AddressInfo::Live(block, _) if block.family() == Family::Reserved => {
                with_ledger(self.0, |ledger| ledger.resolve(address, place))
            }
            place => place,
        }
    }

    fn profile(&self) -> Profile {
        self.0.heap.devices.profile()
    }
}

/// What the order is told of one call, and asked.
pub trait AskOrder {
    /// A call is on record with these values.
    fn order_called(&self, call: &Call, values: &Values, status: i32);

    /// A block or a handle was made. Memory is of no interest before something is queued on it.
    fn order_made(&self, call: &Call, block: &Block);

    /// A block or handle is about to be released. One of memory that nothing was queued on says nothing, unless it waits.
    fn order_releasing(&self, call: &Call, block: impl FnOnce() -> Block);

    /// A range will be touched by the call in hand.
    fn order_uses(&self, call: &Call, used: &RangeUse, place: &AddressInfo, stream: u64);

    /// A copy is about to be made or queued, between these places.
    fn order_copy(&self, call: &Call, copy: &Copy, places: [&AddressInfo; 2], stream: u64);

    /// The same of rows.
    fn order_copy_2d(&self, call: &Call, copy: &Copy2d, places: [&AddressInfo; 2], stream: u64);

    /// The same of a fill.
    fn order_set(&self, call: &Call, set: &Memset, to: &AddressInfo, stream: u64);

    /// What this thread did last at `site` was refused.
    fn order_failed(&self, site: CallSiteId);

    /// A device's last reset dropped its memory.
    fn order_reset(&self, device: i32);
}

impl AskOrder for Recorder<'_> {
    fn order_called(&self, call: &Call, values: &Values, status: i32) {
        ask(self, |order, thread, scene| {
            order.called(call, values, status, thread, scene)
        });
    }

    fn order_made(&self, call: &Call, block: &Block) {
        if matches!(
            block.family(),
            Family::Stream | Family::Registered | Family::CountNotify | Family::Exported
        ) {
            ask(self, |order, _, _| {
                order.made(call, block);
                None
            });
        }
    }

    #[inline(always)]
    fn order_releasing(&self, call: &Call, block: impl FnOnce() -> Block) {
        let is_idle = !self.process.judge.order_follows_blocks.load(Relaxed)
            && !call.function.name.ends_with("WithDevSync");
        let is_memory = call.family().is_some_and(Family::is_memory);
        if !(is_idle && is_memory) {
            let block = block();
            ask(self, |order, thread, _| {
                order.releasing(call, &block, thread)
            });
        }
    }

    fn order_uses(&self, call: &Call, used: &RangeUse, place: &AddressInfo, stream: u64) {
        ask(self, |order, thread, _| {
            order.uses(call, used, place, stream, thread);
            None
        });
    }

    #[inline(always)]
    fn order_copy(&self, call: &Call, copy: &Copy, places: [&AddressInfo; 2], stream: u64) {
        ask(self, |order, thread, _| {
            order.copy(call, copy, places, stream, thread)
        });
    }

    fn order_copy_2d(&self, call: &Call, copy: &Copy2d, places: [&AddressInfo; 2], stream: u64) {
        ask(self, |order, thread, _| {
            order.copy_2d(call, copy, places, stream, thread)
        });
    }

    fn order_set(&self, call: &Call, set: &Memset, to: &AddressInfo, stream: u64) {
        ask(self, |order, thread, _| {
            order.set(call, set, to, stream, thread)
        });
    }

    #[cold]
    fn order_failed(&self, site: CallSiteId) {
        ask(self, |order, thread, _| {
            order.refused(site, thread);
            None
        });
    }

    fn order_reset(&self, device: i32) {
        ask(self, |order, _, _| {
            order.reset(device);
            None
        });
    }
}

/// Reports what the order finds. Like rules, it is not asked when nobody is told.
fn ask<F: IntoIterator<Item = Finding>>(
    recorder: &Recorder,
    question: impl FnOnce(&mut RaceDetector, u32, &dyn HeapView) -> F,
) {
    let process = recorder.process;
    if !process.options.order || !is_reporting(process) {
        return;
    }
    let found = {
        let mut order = process
            .judge
            .order
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let found = question(&mut order, recorder.thread.tid, &ResolvedScene(process));
        process
            .judge
            .order_follows_blocks
            .store(order.follows_blocks(), Relaxed);
        found
    };
    recorder.judge(|_| found);
}
