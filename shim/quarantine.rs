//! Released blocks that are held back for a while, filled, and looked at before they really go: `quarantine_mb`.
//!
//! The program has its answer when it releases: 0, for a block known to be live and released by its own family. What the runtime says of
//! the release later is reported if it is no success. A held block goes at once when somebody asks for its address, and all go when memory
//! runs short and before the device is reset. The lock is never held while the runtime works.

use crate::hook::Recorder;
use crate::live::Entry;
use crate::{capture, fill, interpose};
use aclsan_log::Event;
use aclsan_rules::damage::Damage;
use aclsan_rules::suspects::Witness;
use aclsan_rules::{Call, Place, judge};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A block, and the release that the program made.
#[derive(Clone, Copy)]
struct Held {
    address: u64,
    entry: Entry,
    call: Call,
}

/// The process's held blocks, oldest first.
#[derive(Default)]
pub struct Quarantine {
    count: AtomicUsize,
    held: Mutex<VecDeque<Held>>,
}

impl Quarantine {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out the first block that `is_wanted`.
    fn take(&self, is_wanted: impl Fn(&Held) -> bool) -> Option<Held> {
        let mut held = self.lock();
        let at = held.iter().position(is_wanted)?;
        let taken = held.remove(at);
        self.count.store(held.len(), Relaxed);
        taken
    }

    fn put(&self, one: Held) {
        let mut held = self.lock();
        held.push_back(one);
        self.count.store(held.len(), Relaxed);
    }

    fn bytes(&self) -> u64 {
        self.lock().iter().map(|held| held.entry.size).sum()
    }

    /// Whether nothing is held.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }
}

/// Holds a block back in place of its release by `call`, which the live table knows of already; `false` if it is to be released now.
pub fn hold(recorder: &mut Recorder, call: &Call, address: u64, entry: &Entry) -> bool {
    let process = recorder.process;
    let most = process.options.quarantine();
    let family = entry.block(address).family();
    let is_ours = call.family() == Some(family) && interpose::can_release_later(call.function.name);
    let is_reached = entry.is_host() || recorder.thread.device == Some(entry.device.into());
    if entry.size > most || !is_ours || !is_reached || capture::forbids_copies() {
        return false;
    }
    if !fill::lay(entry.is_host(), address, entry.size) {
        return false;
    }
    process.quarantine.put(Held {
        address,
        entry: *entry,
        call: *call,
    });
    while process.quarantine.bytes() > most {
        let device = recorder.thread.device;
        let is_reached = |held: &Held| held.is_reached_by(device);
        match process.quarantine.take(is_reached) {
            Some(held) => let_go(recorder, call, &held),
            None => break,
        }
    }
    true
}

impl Held {
    fn is_reached_by(&self, device: Option<i32>) -> bool {
        self.entry.is_host() || device == Some(self.entry.device.into())
    }
}

/// Releases the held block that `address` lies in, if any: the runtime is about to be asked about it.
#[inline(always)]
pub fn give_up(recorder: &mut Recorder, address: u64) {
    if !recorder.process.quarantine.is_empty() {
        let covers = |held: &Held| address.wrapping_sub(held.address) < held.entry.size;
        if let Some(held) = recorder.process.quarantine.take(covers) {
            let call = held.call;
            let_go(recorder, &call, &held);
        }
    }
}

/// Releases all blocks of a device, or with −1 all; whether there were any.
pub fn empty(recorder: &mut Recorder, device: i32) -> bool {
    if recorder.process.quarantine.is_empty() {
        return false;
    }
    let call = recorder.call(0);
    let is_meant = |held: &Held| device < 0 || i32::from(held.entry.device) == device;
    let mut any = false;
    while let Some(held) = recorder.process.quarantine.take(is_meant) {
        let_go(recorder, &call, &held);
        any = true;
    }
    any
}

/// Looks at a block, then really releases it.
fn let_go(recorder: &mut Recorder, call: &Call, held: &Held) {
    let (process, address) = (recorder.process, held.address);
    let block = held.entry.block(address);
    if held.is_reached_by(recorder.thread.device)
        && let Some((offset, extent, found)) =
            fill::changed(held.entry.is_host(), address, held.entry.size)
    {
        recorder.event(&Event::Damage {
            block: block.id,
            site: call.site,
            offset,
            extent,
            found,
        });
        let damage = Damage {
            block: &block,
            slack: 0,
            offset,
            extent,
            found: &found,
            witness: &Witness::default(),
        };
        recorder.judge(|_| judge::freed(call, &damage, held.call.site));
    }
    let status = interpose::release_later(held.call.function.name, address);
    if status == 0 {
        return;
    }
    recorder.event(&Event::Refused {
        site: held.call.site,
        address,
        status,
    });
    recorder.name_status(status);
    process.live.restore(address, block.id);
    recorder.ledger_kept(&block);
    recorder.judge(|_| judge::refused(&held.call, address, &Place::Live(block, 0), status));
}
