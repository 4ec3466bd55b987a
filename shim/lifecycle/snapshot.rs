//! Snapshots: check all guards and record what is live.
//!
//! The handler of option `snapshot_signal` sets a flag and nothing else. The next call into AscendCL takes the snapshot before it does its
//! own work, on a thread that has a device and outside a capture. Until such a call comes, the flag stays set.

use crate::heap::{record_call, redzone_check};
use crate::record::Recorder;
use aclsan_options::Guard;
use aclsan_os::{futex, status};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use std::time::Duration;

/// Takes the requested snapshot, if this thread may.
pub fn take(recorder: &mut Recorder) {
    let is_guarded = recorder.process.options.guard() != Guard::Off;
    let device = recorder.thread.device;
    if is_guarded && (device.is_none() || recorder.process.calls.graph_captures.forbids_copies()) {
        return;
    }
    // From here on, a signal requests another snapshot.
    status::begin_snapshot();
    if is_guarded {
        let call = recorder.call(0);
        let damaged = redzone_check::check_all(recorder, &call, |block| {
            block.family().is_host() || device == Some(block.device)
        });
        DAMAGED.fetch_add(damaged as u64, Relaxed);
    }
    let name = recorder.string_id("snapshot_signal");
    record(recorder, name);
    TAKEN.fetch_add(1, Release);
    futex::wake_all(&TAKEN);
}

static TAKEN: AtomicU32 = AtomicU32::new(0);
static DAMAGED: AtomicU64 = AtomicU64::new(0);

/// The snapshots that were taken on request.
pub struct Taken {
    /// How many.
    pub count: u32,
    /// Blocks that they found damaged.
    pub damaged: u64,
}

/// The snapshots that were taken on request so far.
pub fn taken() -> Taken {
    Taken {
        count: TAKEN.load(Acquire),
        damaged: DAMAGED.load(Relaxed),
    }
}

/// Waits for the next one after `before`. Returns the blocks that were found damaged since; `None` if it takes longer than `most`.
pub fn wait_for_next(before: &Taken, most: Duration) -> Option<u64> {
    futex::wait_while(&TAKEN, before.count, most).then(|| taken().damaged - before.damaged)
}

/// Records how much is live, under the text with id `name`. Returns blocks and bytes.
pub fn record(recorder: &mut Recorder, name: u64) -> (u64, u64) {
    let (mut blocks, mut bytes) = (0, 0);
    recorder.process.heap.live.for_each_live(|key, entry| {
        if entry.block(key).family().is_memory() {
            blocks += 1;
            bytes += entry.size;
        }
    });
    recorder.ask_memory();
    record_call(recorder, 0, &[name, blocks, bytes], 0);
    (blocks, bytes)
}
