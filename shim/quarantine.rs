//! Released blocks that are held back for a while, filled, and looked at before they really go: `quarantine_mb`.
//!
//! The program has its answer when it releases: 0, for a block known to be live and released by its own family. What the runtime says of
//! the release later is reported if it is no success. A held block goes at once when somebody asks for its address, and all go when memory
//! runs short and before the device is reset. The lock is never held while the runtime works.

use crate::judge::{AskLedger, Judge};
use crate::live::Entry;
use crate::record::Recorder;
use crate::runtime::deferred_free;
use crate::{capture, fill, front};
use aclsan_log::Event;
use aclsan_rules::damage::Damage;
use aclsan_rules::suspects::Witness;
use aclsan_rules::{Call, Place, judge};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// A block, and the release that the program made.
#[derive(Clone, Copy)]
struct Held {
    address: u64,
    entry: Entry,
    call: Call,
}

/// The process's held blocks.
#[derive(Default)]
pub struct Quarantine {
    count: AtomicUsize,
    held: Mutex<Store>,
}

/// Blocks by the order in which they came; that order by their addresses.
#[derive(Default)]
struct Store {
    blocks: BTreeMap<u64, Held>,
    starts: BTreeMap<u64, u64>,
    bytes: u64,
    next: u64,
}

impl Store {
    fn put(&mut self, one: Held) {
        self.starts.insert(one.address, self.next);
        self.blocks.insert(self.next, one);
        self.next += 1;
        self.bytes += one.entry.size;
    }

    fn take(&mut self, order: u64) -> Option<Held> {
        let one = self.blocks.remove(&order)?;
        self.starts.remove(&one.address);
        self.bytes -= one.entry.size;
        Some(one)
    }

    /// The block that `address` lies in.
    fn at(&self, address: u64) -> Option<u64> {
        let (&start, &order) = self.starts.range(..=address).next_back()?;
        let held = self.blocks.get(&order)?;
        (address - start < held.entry.size).then_some(order)
    }

    /// The oldest block for which `is_wanted` holds.
    fn oldest(&self, is_wanted: impl Fn(&Held) -> bool) -> Option<u64> {
        let wanted = self.blocks.iter().find(|(_, held)| is_wanted(held));
        wanted.map(|(&order, _)| order)
    }
}

impl Quarantine {
    fn change<T>(&self, work: impl FnOnce(&mut Store) -> T) -> T {
        let mut store = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work(&mut store);
        self.count.store(store.blocks.len(), Relaxed);
        done
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
    let is_ours =
        call.family() == Some(family) && deferred_free::can_release_later(call.function.name);
    let is_reached = entry.is_host() || recorder.thread.device == Some(entry.device.into());
    if entry.size > most || !is_ours || !is_reached || capture::forbids_copies() {
        return false;
    }
    if !fill::lay(entry.is_host(), address, entry.size) {
        return false;
    }
    let one = Held {
        address,
        entry: *entry,
        call: *call,
    };
    process.quarantine.change(|store| store.put(one));
    while let Some(held) = surplus(recorder, most) {
        let_go(recorder, call, &held);
    }
    true
}

/// Takes out the oldest block within the thread's reach, if more than `most` bytes are held.
fn surplus(recorder: &Recorder, most: u64) -> Option<Held> {
    let device = recorder.thread.device;
    recorder.process.quarantine.change(|store| {
        let is_much = store.bytes > most;
        let oldest = is_much.then(|| store.oldest(|held| held.is_reached_by(device)))?;
        store.take(oldest?)
    })
}

impl Held {
    fn is_reached_by(&self, device: Option<i32>) -> bool {
        self.entry.is_host() || device == Some(self.entry.device.into())
    }
}

/// Releases the held block that `address` lies in, if any: the runtime is about to be asked about it.
#[inline(always)]
pub fn give_up(recorder: &mut Recorder, address: u64) {
    if recorder.process.quarantine.is_empty() {
        return;
    }
    let held = recorder.process.quarantine.change(|store| {
        let order = store.at(address)?;
        store.take(order)
    });
    if let Some(held) = held {
        let call = held.call;
        let_go(recorder, &call, &held);
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
    let process = recorder.process;
    let next = || {
        process.quarantine.change(|store| {
            let order = store.oldest(is_meant)?;
            store.take(order)
        })
    };
    while let Some(held) = next() {
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
    let release = |start| deferred_free::release_later(held.call.function.name, start as u64);
    let status = front::release(address as *mut c_void, release);
    // Where this thread is not on the block's device, the program's own release might have gone well.
    if status == 0 || !held.is_reached_by(recorder.thread.device) {
        return;
    }
    recorder.event(&Event::Refused {
        site: held.call.site,
        address,
        status,
    });
    recorder.name_status(status);
    process.live.restore(address, &held.entry);
    recorder.ledger_kept(&block);
    recorder.judge(|_| judge::refused(&held.call, address, &Place::Live(block, 0), status));
}
