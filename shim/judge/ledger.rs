//! The shim's side of the ledger: it hears of what is on record.
//!
//! The ledger's lock is held for its own work alone, never while the runtime or another thread's stack is looked at.

use super::{Judge, is_reporting};
use crate::record::Recorder;
use crate::state::process::Process;
use aclsan_log::Values;
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::family::{Family, Loss};
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::trackers::objects::{HeapView, ObjectTracker};
use aclsan_tables::live::Live;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// What the ledger may ask of the shim.
struct LiveScene<'a> {
    live: &'a Live,
    profile: Profile,
}

impl HeapView for LiveScene<'_> {
    fn place(&self, address: u64) -> AddressInfo {
        self.live.place(address)
    }

    fn profile(&self) -> Profile {
        self.profile
    }
}

/// What the ledger is told of one call, and asked.
pub trait AskLedger {
    /// What an access to `address` meets: in a reserved range, what is mapped there.
    fn resolve(&self, address: u64) -> AddressInfo;

    /// The same, where it is known what the live table has at `address`.
    fn resolve_place(&self, address: u64, place: AddressInfo) -> AddressInfo;

    /// Tells the ledger of a block of memory that was allocated, if it wants to hear.
    fn ledger_allocated(&self, call: &Call, block: impl FnOnce() -> Block);

    /// Tells the ledger that a block or handle is about to be released, if it wants to hear; `true` if that is a finding.
    fn ledger_releasing(&self, call: &Call, block: impl FnOnce() -> Block) -> bool;

    /// Tells the ledger of a release that names nothing live; `true` if that is a finding.
    fn ledger_unknown_release(&self, call: &Call, address: u64) -> bool;

    /// Tells the ledger of addresses that a copy or fill is going to touch, if it follows blocks.
    fn ledger_touched(&self, call: &Call, addresses: &[u64]);

    /// Tells the ledger that the release was refused.
    fn ledger_release_failed(&self, block: &Block);

    /// Tells the ledger of a device's last reset.
    fn ledger_reset(&self, call: &Call, device: i32);

    /// Tells the ledger of a call; `values` as the function's row names them.
    fn ledger_called(&self, call: &Call, values: &Values, status: i32);

    /// Tells the ledger of a handle or a range that a call has made.
    fn ledger_made(&self, call: &Call, block: &Block);
}

impl AskLedger for Recorder<'_> {
    #[inline(always)]
    fn resolve(&self, address: u64) -> AddressInfo {
        self.resolve_place(address, self.process.heap.live.place(address))
    }

    #[inline(always)]
    fn resolve_place(&self, address: u64, place: AddressInfo) -> AddressInfo {
        match place {
            AddressInfo::Live(block, _) if block.family() == Family::Reserved => {
                with_ledger(self.process, |ledger| ledger.resolve(address, place))
            }
            _ => place,
        }
    }

    #[inline(always)]
    fn ledger_allocated(&self, call: &Call, block: impl FnOnce() -> Block) {
        if self.process.judge.ledger_follows_blocks.load(Relaxed) {
            ask(self, |ledger, scene| ledger.made(call, &block(), scene));
        }
    }

    #[inline(always)]
    fn ledger_releasing(&self, call: &Call, block: impl FnOnce() -> Block) -> bool {
        if !is_reporting(self.process) {
            return false;
        }
        let block = block();
        let is_block = block.family().loss() == Loss::Memory;
        let wants = !is_block || self.process.judge.ledger_follows_blocks.load(Relaxed);
        wants && ask(self, |ledger, scene| ledger.releasing(call, &block, scene))
    }

    #[cold]
    fn ledger_unknown_release(&self, call: &Call, address: u64) -> bool {
        ask(self, |ledger, scene| ledger.on_unknown_pointer(call, address, scene))
    }

    #[inline(always)]
    fn ledger_touched(&self, call: &Call, addresses: &[u64]) {
        if self.process.judge.ledger_follows_blocks.load(Relaxed) {
            ask(self, |ledger, _| ledger.touched(call, addresses));
        }
    }

    fn ledger_release_failed(&self, block: &Block) {
        with_ledger(self.process, |ledger| ledger.on_release_failed(block));
    }

    fn ledger_reset(&self, call: &Call, device: i32) {
        with_ledger(self.process, |ledger| ledger.reset(call, device));
    }

    #[inline(always)]
    fn ledger_called(&self, call: &Call, values: &Values, status: i32) {
        ask(self, |ledger, scene| {
            ledger.called(call, values, status, scene)
        });
    }

    #[inline(always)]
    fn ledger_made(&self, call: &Call, block: &Block) {
        ask(self, |ledger, scene| ledger.made(call, block, scene));
    }
}

/// Reports what the ledger finds; `true` if it found anything. Like rules, it is not asked when nobody is told.
fn ask(
    recorder: &Recorder,
    question: impl FnOnce(&mut ObjectTracker, &dyn HeapView) -> Vec<Finding>,
) -> bool {
    if !is_reporting(recorder.process) {
        return false;
    }
    let scene = LiveScene {
        live: &recorder.process.heap.live,
        profile: recorder.process.heap.devices.profile(),
    };
    let found = with_ledger(recorder.process, |ledger| question(ledger, &scene));
    recorder.judge(|_| found)
}

/// Lets the ledger do its work, alone.
pub fn with_ledger<T>(process: &Process, work: impl FnOnce(&mut ObjectTracker) -> T) -> T {
    let mut ledger = process
        .judge
        .ledger
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let result = work(&mut ledger);
    process
        .judge
        .ledger_follows_blocks
        .store(ledger.wants_blocks(), Relaxed);
    result
}
