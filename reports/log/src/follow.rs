//! Follows a log that a program is still writing: each look yields the events since the last one.
//!
//! A look reads the headers of the segments that may have grown, and of those after the last one known, twice; events newer than what the
//! first scan saw wait for the next look (see `reader/live_log.rs`). Of a segment only the place is kept where reading left off, so memory
//! does not grow with the log: it takes one segment for each thread that is active at the same time, as reading a finished log does.
//!
//! A writer that has read the clock and not committed yet is seen late, by the next look. Nothing that was played can depend on its event, so
//! it is moved to the time that the last look reached.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use crate::batch::Batch;
use crate::decode::Decoder;
use crate::end::End;
use crate::layout::{Header, SegmentHeader, SegmentKind};
use crate::merge::Position;
use crate::reader::{
    Clock, Corruption, Log, LogError, NEARLY_FULL, Prefix, ReadAt, SegmentScan, Source, SparseMap,
    newest_time, open_file, read_segment,
};

/// Events per batch.
const BATCH: usize = 2048;
/// Numbers of segments that were taken and not begun when they were first seen, at most: one for each thread that is starting one.
const MAX_GAPS: usize = 4096;

/// A log, and how far it has been read.
pub struct Follower {
    log: Log,
    /// Segments of events that may grow, by number.
    open: BTreeMap<u32, Open>,
    /// The same for definitions.
    definitions: BTreeMap<u32, (Decoder, u64)>,
    /// The first number that was never seen.
    next: u32,
    /// Numbers below it without a segment yet.
    gaps: BTreeSet<u32>,
    /// The header with the latest time, for the clock.
    newest: Option<SegmentHeader>,
    /// The time that was reached, in nanoseconds.
    reached: u64,
    length: u64,
    events: u64,
}

/// A segment of events that may grow.
struct Open {
    header: SegmentHeader,
    /// Bytes read so far, and where that was; `None` if nothing was.
    left: Option<Position>,
}

impl Open {
    fn read(&self) -> u64 {
        let left = self.left.as_ref();
        left.map_or(0, |left| left.decoder.offset() as u64)
    }
}

/// What a look brought.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct News {
    /// Events.
    pub events: u64,
    /// Whether the log may have more already: it grew meanwhile.
    pub is_behind: bool,
}

impl Follower {
    /// Opens a log without reading further than its header.
    ///
    /// # Errors
    /// As [`Log::open_sparse`]. A log whose program has just begun it may be too short yet.
    pub fn open(path: &Path, holes: SparseMap) -> Result<Self, LogError> {
        let (source, length) = open_file(path, holes)?;
        Self::begin(path, source, length)
    }

    /// The same for a log of `length` bytes from another source.
    ///
    /// # Errors
    /// As [`Log::from_source`].
    pub fn from_source(
        path: &Path,
        source: Box<dyn ReadAt>,
        length: u64,
    ) -> Result<Self, LogError> {
        Self::begin(path, Source::Other(source), length)
    }

    fn begin(path: &Path, source: Source, length: u64) -> Result<Self, LogError> {
        Ok(Self {
            log: Log::begin(path, source, length)?,
            open: BTreeMap::new(),
            definitions: BTreeMap::new(),
            next: 0,
            gaps: BTreeSet::new(),
            newest: None,
            reached: 0,
            length,
            events: 0,
        })
    }

    /// The log as far as it has been read; it has no events to iterate over.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Process, version and start.
    pub fn header(&self) -> Header {
        self.log.header
    }

    /// How the process ended, if its log says so by now and it was not by itself. One that recovers from a signal goes on.
    pub fn end(&self) -> Option<End> {
        self.log.source.end()
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Reads what is new and passes it to `play` in order of time. Definitions come first: all that an event refers to is in the log by
    /// then. If `play` breaks off, the follower cannot be used any more.
    pub fn look(&mut self, mut play: impl FnMut(&Log, &Batch) -> ControlFlow<()>) -> News {
        self.length = self.log.source.length().unwrap_or(self.length);
        let before = self.scan();
        let fresh = before.iter().filter(|seen| self.is_fresh(seen));
        let fresh: Vec<u32> = fresh.map(|seen| seen.index).collect();
        let of_fresh = |seen: &Prefix| fresh.binary_search(&seen.index).is_ok();
        let candidates: Vec<Prefix> = (before.iter().filter(|seen| of_fresh(seen)))
            .map(|seen| Prefix::of(&self.log.source, seen.index))
            .collect();
        let until = newest_time(&self.log.source, &candidates);
        self.length = self.log.source.length().unwrap_or(self.length);
        let now = self.scan();
        let is_behind = now != before;
        let is_same = !is_behind && candidates.iter().all(|seen| before.contains(seen));
        self.log.until = (!is_same).then_some(until);
        self.note(&now);
        self.define(&now);
        self.log.lost = self.log.source.lost();
        let mut news = self.play(&mut play);
        news.is_behind = !is_same;
        self.close();
        news
    }

    /// The headers of all segments that may have news, in order of number.
    fn scan(&self) -> Vec<Prefix> {
        let known = self.open.keys().chain(self.definitions.keys());
        let known: BTreeSet<u32> = known.chain(&self.gaps).copied().collect();
        let source = &self.log.source;
        let mut seen: Vec<Prefix> = known.iter().map(|&at| Prefix::of(source, at)).collect();
        let mut rest = SegmentScan::from(self.next, self.length);
        seen.extend(std::iter::from_fn(|| rest.next(source)));
        seen.retain(|seen| !seen.is_empty());
        seen
    }

    /// Whether a segment has events that were not read.
    fn is_fresh(&self, seen: &Prefix) -> bool {
        let Some(header) = seen.header() else {
            return false;
        };
        let open = self.open.get(&seen.index);
        header.kind == SegmentKind::Events && open.is_none_or(|open| open.read() < header.committed)
    }

    /// Takes over the headers of a scan.
    fn note(&mut self, seen: &[Prefix]) {
        for seen in seen {
            let index = seen.index;
            let Some(header) = seen.header() else {
                continue;
            };
            for gap in self.next..index {
                if self.gaps.len() == MAX_GAPS {
                    break;
                }
                self.gaps.insert(gap);
            }
            self.next = self.next.max(index.saturating_add(1));
            self.gaps.remove(&index);
            match header.kind {
                SegmentKind::Events => {
                    let left = self.open.remove(&index).and_then(|open| open.left);
                    self.open.insert(index, Open { header, left });
                }
                SegmentKind::Definitions => {
                    let start = || (Decoder::new(index, header.started.ticks), 0);
                    self.definitions.entry(index).or_insert_with(start);
                }
            }
            let latest = self.newest.map_or(0, |newest| newest.started.ticks);
            if header.started.ticks >= latest {
                self.newest = Some(header);
            }
        }
        let newest = self.newest.map(|header| (0, header));
        self.log.clock = Clock::new(&self.log.header, newest.as_slice());
    }

    /// Reads new definitions. Their headers are read again: those of the scan may be older than an event that was seen.
    fn define(&mut self, seen: &[Prefix]) {
        // One that was begun during the scan defines what its later headers count.
        let length = self.log.source.length().unwrap_or(self.length);
        let mut rest = SegmentScan::from(self.next, length);
        while let Some(late) = rest.next(&self.log.source) {
            let header = late.header();
            if let Some(header) = header.filter(|is| is.kind == SegmentKind::Definitions) {
                let start = (Decoder::new(late.index, header.started.ticks), 0);
                self.definitions.entry(late.index).or_insert(start);
            }
        }
        let of_scan = seen.iter().map(|seen| seen.index);
        let last = of_scan
            .filter(|index| self.definitions.contains_key(index))
            .max();
        let (mut bytes, mut has_modules) = (Vec::new(), false);
        self.definitions.retain(|&index, (decoder, read)| {
            let header = Prefix::of(&self.log.source, index).header();
            let Some(header) = header.filter(|header| header.committed > *read) else {
                // One thread at a time writes definitions, into the last of their segments.
                return last.is_none_or(|last| index >= last);
            };
            let mut damage = Vec::<Corruption>::new();
            read_segment(&self.log.source, index, &header, &mut bytes, &mut damage);
            self.log.damage.append(&mut damage);
            *read = header.committed;
            has_modules = true;
            self.log.define_rest(index, decoder, &bytes)
        });
        if has_modules {
            self.log.modules.build_index();
        }
    }

    fn play(&mut self, play: &mut impl FnMut(&Log, &Batch) -> ControlFlow<()>) -> News {
        let fresh = self.open.iter();
        let fresh = fresh.filter(|(_, open)| open.read() < open.header.committed);
        let mut segments: Vec<_> = fresh.map(|(&index, open)| (index, open.header)).collect();
        segments.sort_by_key(|(index, header)| (header.started.ticks, *index));
        let begun = segments.iter().filter_map(|(index, _)| {
            let open = self.open.get_mut(index)?;
            Some((*index, open.left.take()?))
        });
        let begun: BTreeMap<u32, Position> = begun.collect();
        self.log.segments = segments;
        let (mut news, mut batch) = (News::default(), Batch::default());
        let mut events = self.log.events_after(begun);
        loop {
            events.fill(&mut batch, BATCH);
            let Some(last) = batch.entries().last() else {
                break;
            };
            let reached = self.reached.max(last.ns);
            batch.raise(self.reached);
            self.reached = reached;
            news.events += batch.entries().len() as u64;
            if play(&self.log, &batch).is_break() {
                break;
            }
        }
        let (damage, unknown) = (events.damage().to_vec(), events.unknown_records());
        let left = events.left();
        self.log.damage.extend(damage);
        self.log.unknown_records += unknown;
        self.log.segments.clear();
        for (index, position) in left {
            match position.is_broken {
                true => drop(self.open.remove(&index)),
                false => {
                    if let Some(open) = self.open.get_mut(&index) {
                        open.left = Some(position);
                    }
                }
            }
        }
        self.events += news.events;
        news
    }

    /// Forgets segments that are full, read, and whose thread has begun another.
    fn close(&mut self) {
        let mut latest: BTreeMap<u32, u64> = BTreeMap::new();
        for open in self.open.values() {
            if let Some(left) = &open.left {
                let of_thread = latest.entry(left.tid).or_default();
                *of_thread = open.header.started.ticks.max(*of_thread);
            }
        }
        self.open.retain(|_, open| {
            let Some(left) = &open.left else { return true };
            let is_last = latest[&left.tid] == open.header.started.ticks;
            let is_read = open.read() >= open.header.committed;
            is_last || !is_read || open.header.committed <= NEARLY_FULL
        });
    }
}
