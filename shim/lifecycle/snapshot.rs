//! Snapshots: check all guards and record what is live.
//!
//! The handler of option `snapshot_signal` sets a flag and nothing else. The next call into AscendCL takes the snapshot before it does its
//! own work, on a thread that has a device and outside a capture. Until such a call comes, the flag stays set.

use crate::heap::{RecordEvents, redzone_check};
use crate::record::Recorder;
use aclsan_options::Guard;
use aclsan_os::status;

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
        redzone_check::check_all(recorder, &call, |block| {
            block.family().is_host() || device == Some(block.device)
        });
    }
    let name = recorder.string_id("snapshot_signal");
    record(recorder, name);
}

/// Records how much is live, under the text with id `name`.
pub fn record(recorder: &mut Recorder, name: u64) {
    let (mut blocks, mut bytes) = (0, 0);
    recorder.process.heap.live.for_each_live(|key, entry| {
        if entry.block(key).family().is_memory() {
            blocks += 1;
            bytes += entry.size;
        }
    });
    recorder.record_call(0, &[name, blocks, bytes], 0);
}
