//! Events in a row, as readers hand them on: small where there are millions of them.

use crate::merge::Timed;
use crate::record::{BlockId, Event, SiteId};

/// The two events that logs mostly consist of: [`Event::Allocation`] and [`Event::Release`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Brief {
    /// A block was allocated.
    Allocation {
        block: BlockId,
        site: SiteId,
        address: u64,
        size: u64,
    },
    /// A live block is about to be released.
    Release { block: BlockId, site: SiteId },
}

impl Brief {
    /// The same as an event.
    #[inline(always)]
    pub fn event(self) -> Event {
        match self {
            Self::Allocation {
                block,
                site,
                address,
                size,
            } => Event::Allocation {
                block,
                site,
                address,
                size,
            },
            Self::Release { block, site } => Event::Release { block, site },
        }
    }

    /// The other way round, if it is one of the two.
    pub fn of(event: &Event) -> Option<Self> {
        match *event {
            Event::Allocation {
                block,
                site,
                address,
                size,
            } => Some(Self::Allocation {
                block,
                site,
                address,
                size,
            }),
            Event::Release { block, site } => Some(Self::Release { block, site }),
            _ => None,
        }
    }
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// One of the two.
    Brief(Brief),
    /// Any other event, by its place in the batch: see [`Batch::other`].
    Other(u32),
}

/// An event of a batch, its time and its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Nanoseconds since the log began.
    pub ns: u64,
    /// Thread that did it, 0 when not known.
    pub tid: u32,
    /// What happened.
    pub what: What,
}

/// Events in order of time.
#[derive(Default)]
pub struct Batch {
    steps: Vec<Step>,
    others: Vec<Event>,
}

impl Batch {
    /// All of them.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The event that [`What::Other`] numbers.
    pub fn other(&self, number: u32) -> &Event {
        &self.others[number as usize]
    }

    /// The event at `place`, whole.
    pub fn get(&self, place: usize) -> Option<Timed> {
        let step = self.steps.get(place)?;
        Some(Timed {
            ns: step.ns,
            tid: step.tid,
            event: match step.what {
                What::Brief(brief) => brief.event(),
                What::Other(number) => *self.other(number),
            },
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.others.clear();
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, ns: u64, tid: u32, brief: Brief) {
        let what = What::Brief(brief);
        self.steps.push(Step { ns, tid, what });
    }

    #[inline(always)]
    pub(crate) fn push_other(&mut self, ns: u64, tid: u32, event: Event) {
        let what = What::Other(self.others.len() as u32);
        self.others.push(event);
        self.steps.push(Step { ns, tid, what });
    }
}

// A cache line has one and a half.
const _: () = assert!(size_of::<Step>() <= 48);
