//! Snapshots: all guards are looked at, and what is live is put on record.
//!
//! A signal's handler (option `snapshot_signal`) sets a mark and nothing else. The next call into AscendCL does the work, before it does its own: on a thread that has a
//! device, outside a capture. Until one comes the mark stays.

use crate::heap::{RecordEvents, redzone_check};
use crate::record::Recorder;
use aclsan_options::Guard;
use aclsan_os::status;

/// Takes the snapshot that was asked for, if this thread may.
pub fn take(recorder: &mut Recorder) {
    let is_guarded = recorder.process.options.guard() != Guard::Off;
    let device = recorder.thread.device;
    if is_guarded && (device.is_none() || recorder.process.calls.graph_captures.forbids_copies()) {
        return;
    }
    // A signal from here on asks for another.
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

/// Puts on record what is live, under the text of that number.
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
