//! The shim's side of the stream order: what is put on record, it hears of in the same words, and says at the call what replay would
//! find in the log.
//!
//! The order's lock is held for its own work alone. It may take the ledger's, never the other way round.

use crate::hook::{Recorder, is_told};
use crate::process::Process;
use crate::state::with_ledger;
use aclsan_log::{SiteId, Values};
use aclsan_rules::judge::{Copy, Copy2d, Set, Use};
use aclsan_rules::profile::Profile;
use aclsan_rules::{Block, Call, Family, Finding, Order, Place, Scene};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// What the order may ask of the shim: in a reserved range, what is mapped there.
struct Reached<'a>(&'a Process);

impl Scene for Reached<'_> {
    fn place(&self, address: u64) -> Place {
        match self.0.live.place(address) {
            place @ Place::Live(block, _) if block.family() == Family::Reserved => {
                with_ledger(self.0, |ledger| ledger.reach(address, place))
            }
            place => place,
        }
    }

    fn profile(&self) -> Profile {
        self.0.devices.profile()
    }
}

impl Recorder<'_> {
    /// A call is on record with these values.
    pub fn order_called(&self, call: &Call, values: &Values, status: i32) {
        self.ask_order(|order, thread, scene| order.called(call, values, status, thread, scene));
    }

    /// A block or a handle was made. Memory is of no interest before something is queued on it.
    pub fn order_made(&self, call: &Call, block: &Block) {
        if matches!(
            block.family(),
            Family::Stream | Family::Registered | Family::CountNotify | Family::Exported
        ) {
            self.ask_order(|order, _, _| {
                order.made(call, block);
                None
            });
        }
    }

    /// A block or handle is about to be released. One of memory that nothing was queued on says nothing, unless it waits.
    #[inline(always)]
    pub fn order_releasing(&self, call: &Call, block: impl FnOnce() -> Block) {
        let is_idle = !self.process.order_follows_blocks.load(Relaxed)
            && !call.function.name.ends_with("WithDevSync");
        let is_memory = call.family().is_some_and(Family::is_memory);
        if !(is_idle && is_memory) {
            let block = block();
            self.ask_order(|order, thread, _| order.releasing(call, &block, thread));
        }
    }

    /// A range will be touched by the call in hand.
    pub fn order_uses(&self, call: &Call, used: &Use, place: &Place, stream: u64) {
        self.ask_order(|order, thread, _| {
            order.uses(call, used, place, stream, thread);
            None
        });
    }

    /// A copy is about to be made or queued, between these places.
    #[inline(always)]
    pub fn order_copy(&self, call: &Call, copy: &Copy, places: [&Place; 2], stream: u64) {
        self.ask_order(|order, thread, _| order.copy(call, copy, places, stream, thread));
    }

    /// The same of rows.
    pub fn order_copy_2d(&self, call: &Call, copy: &Copy2d, places: [&Place; 2], stream: u64) {
        self.ask_order(|order, thread, _| order.copy_2d(call, copy, places, stream, thread));
    }

    /// The same of a fill.
    pub fn order_set(&self, call: &Call, set: &Set, to: &Place, stream: u64) {
        self.ask_order(|order, thread, _| order.set(call, set, to, stream, thread));
    }

    /// What this thread did last at `site` was refused.
    #[cold]
    pub fn order_refused(&self, site: SiteId) {
        self.ask_order(|order, thread, _| {
            order.refused(site, thread);
            None
        });
    }

    /// A device's last reset dropped its memory.
    pub fn order_reset(&self, device: i32) {
        self.ask_order(|order, _, _| {
            order.reset(device);
            None
        });
    }

    /// Reports what the order finds. Like rules, it is not asked when nobody is told.
    fn ask_order<F: IntoIterator<Item = Finding>>(
        &self,
        question: impl FnOnce(&mut Order, u32, &dyn Scene) -> F,
    ) {
        let process = self.process;
        if !process.options.order || !is_told(process) {
            return;
        }
        let found = {
            let mut order = process.order.lock().unwrap_or_else(PoisonError::into_inner);
            let found = question(&mut order, self.thread.tid, &Reached(process));
            process
                .order_follows_blocks
                .store(order.follows_blocks(), Relaxed);
            found
        };
        self.judge(|_| found);
    }
}
