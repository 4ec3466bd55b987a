//! The shim's side of the ledger: calls, handles and ranges of use are put on record, then the ledger hears of them.
//!
//! The ledger's lock is held for its own work alone, never while the runtime or another thread's stack is looked at.

use crate::hook::{Recorder, is_told};
use crate::live::Live;
use crate::process::Process;
use aclsan_rules::profile::Profile;
use aclsan_rules::{Block, Call, Family, Finding, Ledger, Loss, Place, Scene};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// What the ledger may ask of the shim.
struct Shim<'a> {
    live: &'a Live,
    profile: Profile,
}

impl Scene for Shim<'_> {
    fn place(&self, address: u64) -> Place {
        self.live.place(address)
    }

    fn profile(&self) -> Profile {
        self.profile
    }
}

impl Recorder<'_> {
    /// What an access to `address` meets: in a reserved range, what is mapped there.
    #[inline(always)]
    pub fn reach(&self, address: u64) -> Place {
        self.within(address, self.process.live.place(address))
    }

    /// The same, where it is known what the live table has at `address`.
    #[inline(always)]
    pub fn within(&self, address: u64, place: Place) -> Place {
        match place {
            Place::Live(block, _) if block.family() == Family::Reserved => {
                with_ledger(self.process, |ledger| ledger.reach(address, place))
            }
            _ => place,
        }
    }

    /// Tells the ledger of a block of memory that was allocated, if it wants to hear.
    #[inline(always)]
    pub fn ledger_allocated(&self, call: &Call, block: impl FnOnce() -> Block) {
        if self.process.ledger_follows_blocks.load(Relaxed) {
            self.ask(|ledger, scene| ledger.made(call, &block(), scene));
        }
    }

    /// Tells the ledger that a block or handle is about to be released, if it wants to hear; `true` if that is a finding.
    #[inline(always)]
    pub fn ledger_releasing(&self, call: &Call, block: impl FnOnce() -> Block) -> bool {
        if !is_told(self.process) {
            return false;
        }
        let block = block();
        let is_block = block.family().loss() == Loss::Memory;
        let wants = !is_block || self.process.ledger_follows_blocks.load(Relaxed);
        wants && self.ask(|ledger, scene| ledger.releasing(call, &block, scene))
    }

    /// Tells the ledger of a release that names nothing live; `true` if that is a finding.
    #[cold]
    pub fn ledger_astray(&self, call: &Call, address: u64) -> bool {
        self.ask(|ledger, scene| ledger.astray(call, address, scene))
    }

    /// Tells the ledger of addresses that a copy or fill is going to touch, if it follows blocks.
    #[inline(always)]
    pub fn ledger_touched(&self, call: &Call, addresses: &[u64]) {
        if self.process.ledger_follows_blocks.load(Relaxed) {
            self.ask(|ledger, _| ledger.touched(call, addresses));
        }
    }

    /// Tells the ledger that the release was refused.
    pub fn ledger_kept(&self, block: &Block) {
        with_ledger(self.process, |ledger| ledger.kept(block));
    }

    /// Tells the ledger of a device's last reset.
    pub fn ledger_reset(&self, call: &Call, device: i32) {
        with_ledger(self.process, |ledger| ledger.reset(call, device));
    }

    /// Reports what the ledger finds; `true` if it found anything. Like rules, it is not asked when nobody is told.
    pub fn ask(&self, question: impl FnOnce(&mut Ledger, &dyn Scene) -> Vec<Finding>) -> bool {
        if !is_told(self.process) {
            return false;
        }
        let scene = Shim {
            live: &self.process.live,
            profile: self.process.devices.profile(),
        };
        let found = with_ledger(self.process, |ledger| question(ledger, &scene));
        self.judge(|_| found)
    }
}

/// Lets the ledger do its work, alone.
pub fn with_ledger<T>(process: &Process, work: impl FnOnce(&mut Ledger) -> T) -> T {
    let mut ledger = process
        .ledger
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let result = work(&mut ledger);
    process
        .ledger_follows_blocks
        .store(ledger.follows_blocks(), Relaxed);
    result
}
