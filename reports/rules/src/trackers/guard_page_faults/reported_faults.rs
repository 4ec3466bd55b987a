//! Device errors that the program's callback received before any call returned them. The call does not report them
//! again.

use std::collections::VecDeque;

/// Errors that are remembered.
const MAX_FAULTS: usize = 16;

/// One reported error.
#[derive(Debug)]
struct ReportedFault {
    device: i32,
    /// The runtime's numbers of the stream and of the failed task.
    task: (u64, u64),
    /// Whether a call has returned it.
    is_returned: bool,
}

/// All reported errors.
#[derive(Default, Debug)]
pub struct ReportedFaults {
    faults: VecDeque<ReportedFault>,
    /// Number of the last work queued when an error was reported.
    to: u64,
}

impl ReportedFaults {
    /// Work up to this number is accounted for.
    pub fn to(&self) -> u64 {
        self.to
    }

    /// Whether this task's error was reported already: for some errors the runtime calls more than once.
    pub fn has(&self, device: i32, task: (u64, u64)) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|reported| {
            reported.task == task && is_of(reported, device) && !reported.is_returned
        })
    }

    /// The error is reported now; `queued` is the number of the last work.
    pub fn add(&mut self, device: i32, task: (u64, u64), queued: u64) {
        if self.faults.len() == MAX_FAULTS {
            self.faults.pop_front();
        }
        self.to = queued;
        self.faults.push_back(ReportedFault {
            device,
            task,
            is_returned: false,
        });
    }

    /// A call returned an error, possibly one that was reported. Each is returned to one wait, and to every query while
    /// no more work is queued.
    pub fn returned(&mut self, device: i32, is_wait: bool, has_more_work: bool) -> bool {
        let mut ours = self
            .faults
            .iter_mut()
            .filter(|reported| is_of(reported, device));
        if let Some(reported) = ours.find(|reported| !reported.is_returned) {
            reported.is_returned = is_wait;
            return true;
        }
        !has_more_work && self.faults.iter().any(|reported| is_of(reported, device))
    }

    /// The device's last reset.
    pub fn reset(&mut self, device: i32) {
        self.faults.retain(|reported| reported.device != device);
    }
}

/// A thread's device may be unknown.
fn is_of(reported: &ReportedFault, device: i32) -> bool {
    reported.device == device || reported.device < 0 || device < 0
}
