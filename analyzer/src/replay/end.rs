//! How the process ended, and its last calls if it did not end by itself.

use std::collections::VecDeque;

use aclsan_log::batch::TimestampedEvent;
use aclsan_log::{CallSiteId, EndKind, Event, Log};

use super::Sum;

/// Calls that a report names.
const LAST_CALLS: usize = 5;

/// An end other than by itself.
#[derive(Debug)]
pub struct Ending {
    /// When, since the log's start.
    pub ns: u64,
    /// The site that has the stack.
    pub site: CallSiteId,
    /// The last calls, in order of time.
    pub calls: Vec<LastCall>,
    /// Live blocks and bytes. No leak: the process had no time to release them.
    pub live: Sum,
}

/// A call before the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastCall {
    /// When, since the log's start.
    pub ns: u64,
    /// The thread.
    pub thread: u32,
    /// Function and stack.
    pub site: CallSiteId,
    /// What the runtime returned, if the log says that it refused the call.
    pub status: i32,
}

/// Whether the end in the log's header is one: an end mark that was written after it says that the process went on. `exit_ns` is the end
/// mark's time.
pub fn is_ended(log: &Log, exit_ns: Option<u64>) -> bool {
    let Some((end, _)) = &log.end else {
        return false;
    };
    match (end.kind, exit_ns) {
        (_, None) | (EndKind::Killed, _) => true,
        // Exit handlers run after a detach, too, but write to no log.
        (EndKind::Signal | EndKind::Halt | EndKind::Detached, Some(exit_ns)) => {
            exit_ns <= log.clock.ns(end.ticks)
        }
    }
}

/// The last calls of the process. Reads the log once more.
pub fn last_calls(log: &Log) -> Vec<LastCall> {
    let mut last: VecDeque<LastCall> = VecDeque::with_capacity(LAST_CALLS + 1);
    for timed in log.events() {
        if let Event::Refused { status, .. } = timed.event {
            let own = last.iter_mut().rev().find(|call| call.thread == timed.tid);
            if let Some(own) = own {
                own.status = status;
            }
        }
        let Some(call) = call(log, &timed) else {
            continue;
        };
        last.push_back(call);
        if last.len() > LAST_CALLS {
            last.pop_front();
        }
    }
    last.into()
}

fn call(log: &Log, timed: &TimestampedEvent) -> Option<LastCall> {
    let (site, status) = match timed.event {
        Event::Allocation { site, .. }
        | Event::Release { site, .. }
        | Event::ReleaseAt { site, .. }
        | Event::Copy { site, .. }
        | Event::Copy2d { site, .. }
        | Event::Set { site, .. }
        | Event::Memory { site, .. } => (site, 0),
        Event::AllocationFailed { site, status, .. } | Event::Call { site, status, .. } => {
            (site, status)
        }
        _ => return None,
    };
    // What the shim records by itself.
    let is_own = log.function(site).starts_with("aclsan_");
    (!is_own).then_some(LastCall {
        ns: timed.ns,
        thread: timed.tid,
        site,
        status,
    })
}
