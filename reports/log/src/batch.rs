//! Batches of decoded events: compact where there are millions of them.

use crate::record::{BlockId, CallSiteId, Event, Mapping, Values};

/// An event with its time and thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimestampedEvent {
    /// Nanoseconds since the log began.
    pub ns: u64,
    /// Thread that did it, 0 if unknown.
    pub tid: u32,
    /// What happened.
    pub event: Event,
}

/// An [`Event::Call`] that succeeded and has at most two values, as calls on streams and events do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompactCall {
    /// The call site.
    pub site: CallSiteId,
    /// Number of values.
    pub count: u8,
    /// The values, padded with 0.
    pub values: [u64; 2],
}

impl CompactCall {
    /// All values.
    #[inline]
    pub fn values(&self) -> Values {
        Values::new(&self.values[..usize::from(self.count.min(2))])
    }

    fn event(&self) -> Event {
        Event::Call {
            site: self.site,
            values: self.values(),
            status: 0,
        }
    }
}

/// An [`Event::Set`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemsetEvent {
    /// The call site.
    pub site: CallSiteId,
    /// Value of each byte.
    pub value: i32,
    /// First byte written.
    pub to: u64,
    /// Bytes available, according to the caller.
    pub room: u64,
    /// Bytes written.
    pub count: u64,
    /// The stream, or 0.
    pub stream: u64,
    /// The mapping at `to` if no block explains it.
    pub mapping: Mapping,
}

impl MemsetEvent {
    fn event(&self) -> Event {
        Event::Set {
            site: self.site,
            to: self.to,
            room: self.room,
            value: self.value,
            count: self.count,
            stream: self.stream,
            mapping: self.mapping,
        }
    }
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A block was allocated.
    Allocation {
        block: BlockId,
        site: CallSiteId,
        address: u64,
        size: u64,
    },
    /// A live block is about to be released.
    Release { block: BlockId, site: CallSiteId },
    /// A call in compact form. Other calls are [`EventKind::Other`].
    Short(CompactCall),
    /// A memset, by its index in the batch: see [`Batch::fill`]. A memset may also be an [`EventKind::Other`].
    Fill(u32),
    /// Any other event, by its index in the batch: see [`Batch::other`].
    Other(u32),
}

impl EventKind {
    /// The event, unless it is stored in a batch.
    #[inline(always)]
    pub(crate) fn event(self) -> Option<Event> {
        match self {
            Self::Allocation {
                block,
                site,
                address,
                size,
            } => Some(Event::Allocation {
                block,
                site,
                address,
                size,
            }),
            Self::Release { block, site } => Some(Event::Release { block, site }),
            Self::Short(short) => Some(short.event()),
            Self::Fill(_) | Self::Other(_) => None,
        }
    }

    /// The compact form of an allocation or release.
    pub(crate) fn of(event: &Event) -> Option<Self> {
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

/// An event of a batch with its time and thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BatchEntry {
    /// Nanoseconds since the log began.
    pub ns: u64,
    /// Thread that did it, 0 if unknown.
    pub tid: u32,
    /// What happened.
    pub what: EventKind,
}

/// Events in order of time.
#[derive(Default)]
pub struct Batch {
    entries: Vec<BatchEntry>,
    fills: Vec<MemsetEvent>,
    others: Vec<Event>,
    shorts: usize,
}

impl Batch {
    /// All events.
    pub fn entries(&self) -> &[BatchEntry] {
        &self.entries
    }

    /// Makes no event earlier than `ns`.
    pub(crate) fn raise(&mut self, ns: u64) {
        let late = self.entries.iter_mut().take_while(|entry| entry.ns < ns);
        late.for_each(|entry| entry.ns = ns);
    }

    /// Whether at least a quarter are allocations and releases.
    pub fn has_many_heap_events(&self) -> bool {
        let others = self.shorts + self.fills.len() + self.others.len();
        4 * others <= 3 * self.entries.len()
    }

    /// The memset that [`EventKind::Fill`] refers to.
    #[inline]
    pub fn fill(&self, number: u32) -> &MemsetEvent {
        &self.fills[number as usize]
    }

    /// The event that [`EventKind::Other`] refers to.
    pub fn other(&self, number: u32) -> &Event {
        &self.others[number as usize]
    }

    /// The complete event at index `place`.
    pub fn get(&self, place: usize) -> Option<TimestampedEvent> {
        let entry = self.entries.get(place)?;
        Some(TimestampedEvent {
            ns: entry.ns,
            tid: entry.tid,
            event: match entry.what {
                EventKind::Fill(number) => self.fill(number).event(),
                EventKind::Other(number) => *self.other(number),
                what => what.event()?,
            },
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.fills.clear();
        self.others.clear();
        self.shorts = 0;
    }

    /// Appends an allocation or release.
    #[inline(always)]
    pub(crate) fn push(&mut self, ns: u64, tid: u32, what: EventKind) {
        self.entries.push(BatchEntry { ns, tid, what });
    }

    #[inline(always)]
    pub(crate) fn push_short(&mut self, ns: u64, tid: u32, short: CompactCall) {
        let what = EventKind::Short(short);
        self.shorts += 1;
        self.entries.push(BatchEntry { ns, tid, what });
    }

    #[inline(always)]
    pub(crate) fn push_fill(&mut self, ns: u64, tid: u32, fill: MemsetEvent) {
        let what = EventKind::Fill(self.fills.len() as u32);
        self.fills.push(fill);
        self.entries.push(BatchEntry { ns, tid, what });
    }

    #[inline(always)]
    pub(crate) fn push_other(&mut self, ns: u64, tid: u32, event: Event) {
        let what = EventKind::Other(self.others.len() as u32);
        self.others.push(event);
        self.entries.push(BatchEntry { ns, tid, what });
    }
}

// A cache line holds one and a half.
const _: () = assert!(size_of::<BatchEntry>() <= 48);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_allocations_and_releases_is_many() {
        let mut batch = Batch::default();
        let site = CallSiteId(1);
        let short = CompactCall {
            site,
            count: 0,
            values: [0; 2],
        };
        let block = BlockId::new(0, 0);
        (0..5).for_each(|_| batch.push_short(0, 0, short));
        batch.push_other(0, 0, Event::Exit);
        batch.push(0, 0, EventKind::Release { block, site });
        batch.push_short(0, 0, short);
        assert!(!batch.has_many_heap_events(), "1 of 8");
        for count in [2, 3] {
            batch.push(0, 0, EventKind::Release { block, site });
            assert_eq!(
                batch.has_many_heap_events(),
                count == 3,
                "{count} of {}",
                7 + count
            );
        }
        batch.clear();
        batch.push(0, 0, EventKind::Release { block, site });
        assert!(batch.has_many_heap_events(), "all of them");
    }
}
