//! `snapshot_signal`: a signal at which all guards are looked at and what is live is put on record.
//!
//! The handler sets a mark and nothing else. The next call into AscendCL does the work, before it does its own: on a thread that has a
//! device, outside a capture. Until one comes the mark stays.

use crate::hook::Recorder;
use crate::options::Guard;
use crate::{annotations, capture, inspection, switch};

/// Takes the snapshot that was asked for, if this thread may.
pub fn take(recorder: &mut Recorder) {
    let is_guarded = recorder.process.options.guard() != Guard::Off;
    let device = recorder.thread.device;
    if is_guarded && (device.is_none() || capture::forbids_copies()) {
        return;
    }
    // A signal from here on asks for another.
    switch::begin_snapshot();
    if is_guarded {
        let call = recorder.call(0);
        inspection::all(recorder, &call, |block| {
            block.family().is_host() || device == Some(block.device)
        });
    }
    annotations::snapshot_named(recorder, "snapshot_signal");
}
