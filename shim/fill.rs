//! Patterns over whole blocks: in fresh ones, so that what nobody wrote is known when it comes back to the host, and in released ones
//! that are held back, so that late writes are.

use crate::judge::{AskLedger, Judge};
use crate::live::Entry;
use crate::made::Made;
use crate::mapping;
use crate::own_copy::{self, Copied};
use crate::process::Process;
use crate::record::Recorder;
use crate::runtime::copies;
use aclsan_log::record::Found;
use aclsan_log::{BlockId, Event};
use aclsan_rules::judge::{self, Copy};
use aclsan_rules::pattern::{self, PERIOD};
use aclsan_rules::rules::uninitialised_read;
use aclsan_rules::{Call, Place};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Bytes at the start of a block that are filled at most.
const MOST: u64 = 16 << 20;
/// Bytes of one of our copies at most; the pattern begins anew behind them.
const CHUNK: usize = 4096 * PERIOD as usize;
/// Bytes that a copy returned that are looked at.
const LOOKED_AT_MOST: usize = 1 << 20;

/// Live blocks that were filled when they were fresh, by start.
#[derive(Default)]
pub struct Fresh {
    count: AtomicUsize,
    blocks: Mutex<HashMap<u64, BlockId>>,
}

impl Fresh {
    fn change(&self, work: impl FnOnce(&mut HashMap<u64, BlockId>)) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut blocks);
        self.count.store(blocks.len(), Relaxed);
    }

    fn has(&self, address: u64, id: BlockId) -> bool {
        let blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.get(&address) == Some(&id)
    }

    /// The block that starts at `address` goes.
    #[inline(always)]
    pub fn forget(&self, address: u64) {
        if self.count.load(Relaxed) > 0 {
            self.change(|blocks| {
                blocks.remove(&address);
            });
        }
    }
}

/// Fills a fresh block.
#[cold]
pub fn fresh(process: &Process, address: u64, entry: &Entry) {
    if lay(entry.is_host(), address, entry.size) {
        process.fresh.change(|blocks| {
            blocks.insert(address, entry.id);
        });
    }
}

fn laid() -> &'static [u8] {
    static LAID: Made<Box<[u8]>> = Made::new();
    LAID.get_or_make(|| (0..CHUNK as u64).map(pattern::fill).collect())
}

/// Pieces of a block: where each begins, and its length.
fn pieces(size: u64) -> impl Iterator<Item = (u64, usize)> {
    let size = size.min(MOST);
    let starts = (0..size).step_by(CHUNK);
    starts.map(move |start| (start, (size - start).min(CHUNK as u64) as usize))
}

/// Fills a block, or its first part; `false` if the runtime would not.
pub fn lay(is_host: bool, address: u64, size: u64) -> bool {
    mapping::may_exist(address, size)
        && pieces(size).all(|(at, length)| {
            copies::copy_to(is_host, (address + at) as *mut _, &laid()[..length])
        })
}

/// The run of a filled block's bytes that differ: the first, how far it is to the last, and what the first are.
pub fn changed(is_host: bool, address: u64, size: u64) -> Option<(u64, u64, Found)> {
    let mut run: Option<(u64, u64, Found)> = None;
    let mut bytes = vec![0; size.min(CHUNK as u64) as usize];
    for (at, length) in pieces(size) {
        let bytes = &mut bytes[..length];
        if !copies::copy_from(is_host, (address + at) as *const _, bytes) {
            break;
        }
        if bytes == &laid()[..length] {
            continue;
        }
        let differs = |&i: &usize| bytes[i] != laid()[i];
        let (Some(first), Some(last)) =
            ((0..length).find(differs), (0..length).rev().find(differs))
        else {
            continue;
        };
        let end = at + last as u64 + 1;
        let (offset, found) = match run {
            Some((offset, _, found)) => (offset, found),
            None => (at + first as u64, Found::new(&bytes[first..=last])),
        };
        run = Some((offset, end - offset, found));
    }
    run
}

/// After a blocking copy that succeeded: whether it has brought bytes to the host that nobody wrote.
#[inline(always)]
pub fn returned(recorder: &mut Recorder, call: &Call, copy: &Copy) {
    if recorder.process.fresh.count.load(Relaxed) > 0 && copy.count > 0 {
        judge_returned(recorder, call, copy);
    }
}

#[cold]
fn judge_returned(recorder: &mut Recorder, call: &Call, copy: &Copy) {
    let &Copy {
        to, from, count, ..
    } = copy;
    let (Place::Live(block, offset), target) = (recorder.reach(from), recorder.reach(to)) else {
        return;
    };
    let is_host = |place: &Place| {
        place
            .block()
            .is_none_or(|(block, _)| block.family().is_host())
    };
    if block.family().is_host() || !is_host(&target) || offset >= MOST {
        return;
    }
    if !recorder.process.fresh.has(block.address, block.id) {
        return;
    }
    let reach = count.min(block.size - offset).min(MOST - offset);
    let mut bytes = vec![0; (reach as usize).min(LOOKED_AT_MOST)];
    // An address that nobody explains may be a device's.
    if own_copy::read(to, &mut bytes) != Copied::Whole {
        return;
    }
    let is_whole = bytes.len() as u64 == count;
    if let Some((offset, extent)) = uninitialised_read::run(&bytes, offset, is_whole) {
        recorder.event(&Event::Unwritten {
            block: block.id,
            site: call.site,
            offset,
            extent,
        });
        recorder.judge(|_| judge::unwritten(call, &block, offset, extent));
    }
}
