//! Hand-made logs with expected numbers computed by hand.

mod ahead;
mod annotations;
mod attached;
mod ends;
mod growth;
mod hiai;
mod leaks;
mod lifecycle;
mod numbers;
pub mod random;
mod releases;
mod sampled;
mod streams;
mod waste;

use aclsan_log::builder::LogBuilder;
use aclsan_log::{BlockId, CallSiteId, Event, Mapping, Values};

use super::{CountedFinding, Replay, ReportScope, replay};

pub const THREAD: u32 = 7;
pub const MIB: u64 = 1 << 20;

/// A log builder with the calls that most tests need.
pub struct Story {
    pub synth: LogBuilder,
    pub malloc: CallSiteId,
    pub free: CallSiteId,
    set: CallSiteId,
    reset: CallSiteId,
}

impl Story {
    /// An empty log.
    pub fn new() -> Self {
        let mut synth = LogBuilder::default();
        Self {
            malloc: synth.site("aclrtMalloc", 0, 0, &[0x100, 0x10]),
            free: synth.site("aclrtFree", 0, 0, &[0x200, 0x10]),
            set: synth.site("aclrtSetDevice", 0, 0, &[0x300]),
            reset: synth.site("aclrtResetDevice", 0, 0, &[0x400]),
            synth,
        }
    }

    /// Moves the clock.
    pub fn at(&mut self, ns: u64) -> &mut Self {
        self.synth.at(ns);
        self
    }

    /// Allocates on device 0.
    pub fn allocate(&mut self, address: u64, size: u64) -> BlockId {
        self.synth.allocation(THREAD, self.malloc, address, size)
    }

    pub fn event(&mut self, event: Event) -> &mut Self {
        self.synth.event(THREAD, event);
        self
    }

    pub fn release(&mut self, block: BlockId) -> &mut Self {
        let site = self.free;
        self.event(Event::Release { block, site })
    }

    pub fn release_at(&mut self, address: u64) -> &mut Self {
        let site = self.free;
        self.event(Event::ReleaseAt {
            site,
            address,
            mapping: Mapping::Unknown,
        })
    }

    pub fn refused(&mut self, address: u64, status: i32) -> &mut Self {
        let site = self.free;
        self.event(Event::Refused {
            site,
            address,
            status,
        })
    }

    pub fn set_device(&mut self, device: u64) -> &mut Self {
        let site = self.set;
        self.call(site, device)
    }

    pub fn reset_device(&mut self, device: u64) -> &mut Self {
        let site = self.reset;
        self.call(site, device)
    }

    pub fn call(&mut self, site: CallSiteId, first: u64) -> &mut Self {
        self.event(Event::Call {
            site,
            values: Values::new(&[first]),
            status: 0,
        })
    }

    /// Ends the process and replays the log.
    pub fn end(&mut self) -> Replay {
        self.event(Event::Exit);
        self.cut()
    }

    /// Replays the log without an end mark.
    pub fn cut(&mut self) -> Replay {
        replay(&self.synth.log(), ReportScope::All(None), true, |_| {})
    }
}

/// Findings by rule and count.
pub fn rules(replay: &Replay) -> Vec<(&'static str, u64)> {
    let findings = replay.findings.iter();
    findings
        .map(|folded| (folded.finding.rule.name, folded.count.times))
        .collect()
}

/// The only finding of that rule.
pub fn only<'a>(replay: &'a Replay, rule: &str) -> &'a CountedFinding {
    let mut found = replay
        .findings
        .iter()
        .filter(|folded| folded.finding.rule.name == rule);
    let first = found
        .next()
        .unwrap_or_else(|| panic!("no {rule} in {:?}", rules(replay)));
    assert!(found.next().is_none(), "several {rule}");
    first
}
