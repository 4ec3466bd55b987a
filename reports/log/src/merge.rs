//! Merges the segments of all threads into one timeline.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap};

use crate::batch::{Batch, EventKind, TimestampedEvent};
use crate::decode::{Decoder, Record};
use crate::fast_decode::FastDecoder;
use crate::reader::{Corruption, Log, malformed, read_segment, truncate_after};
use crate::record::Event;

/// Events that the iterator reads at a time.
const READ_AHEAD: usize = 64;

/// The events of a log in order of time. Keeps one segment in memory for each thread that was active at the same time, no more.
pub struct Events<'a> {
    log: &'a Log,
    /// Segments not opened yet, the next one last.
    pending: Vec<usize>,
    /// For each open segment: time of its next event, segment index, cursor index.
    active: BinaryHeap<Reverse<(u64, u32, usize)>>,
    cursors: Vec<Cursor>,
    /// Indices of cursors that are finished.
    free: Vec<usize>,
    damage: Vec<Corruption>,
    unknown: u64,
    read: u64,
    /// Where reading left off in segments that grew.
    begun: BTreeMap<u32, Position>,
    /// Where it leaves off now, if that matters.
    left: Option<Vec<(u32, Position)>>,
    /// Events read ahead by the iterator, and how many of them it has returned.
    buffered: (Batch, usize),
}

/// Where a reader left off in a segment that may grow.
#[derive(Clone)]
pub(crate) struct Position {
    pub(crate) decoder: Decoder,
    /// Who was writing it there.
    pub(crate) tid: u32,
    /// Whether what follows cannot be read.
    pub(crate) is_broken: bool,
}

/// A reader's position in a segment.
struct Cursor {
    index: u32,
    decoder: Decoder,
    bytes: Vec<u8>,
    tid: u32,
    next: Next,
    ticks: u64,
}

enum Next {
    /// An allocation or release.
    Heap(EventKind),
    Other(Event),
    /// A record not read yet, at `ticks` or later.
    Unread,
}

impl Log {
    /// All events in order of time.
    pub fn events(&self) -> Events<'_> {
        Events::new(self)
    }

    /// The events after these positions, in order of time.
    pub(crate) fn events_after(&self, begun: BTreeMap<u32, Position>) -> Events<'_> {
        Events {
            begun,
            left: Some(Vec::new()),
            ..Events::new(self)
        }
    }
}

impl Events<'_> {
    fn new(log: &Log) -> Events<'_> {
        let pending = (0..log.segments.len()).rev().collect();
        Events {
            log,
            pending,
            active: BinaryHeap::new(),
            cursors: Vec::new(),
            free: Vec::new(),
            damage: Vec::new(),
            unknown: 0,
            read: 0,
            begun: BTreeMap::new(),
            left: None,
            buffered: Default::default(),
        }
    }

    /// Parts of the log that could not be read, so far.
    pub fn damage(&self) -> &[Corruption] {
        &self.damage
    }

    /// Records of types that this version does not know, so far.
    pub fn unknown_records(&self) -> u64 {
        self.unknown
    }

    /// Where each segment was left, after the last event.
    pub(crate) fn left(self) -> Vec<(u32, Position)> {
        self.left.unwrap_or_default()
    }

    /// Bytes of the segments opened so far; see [`Log::event_bytes`].
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Replaces the contents of `batch` with the next events: `most` of them, fewer only at the end. Do not mix with iterating, which reads
    /// ahead.
    pub fn fill(&mut self, batch: &mut Batch, most: usize) {
        batch.clear();
        while batch.len() < most {
            self.open_due_segments();
            // Until another segment is due, this one has the earliest events, and the heap need not be asked.
            let [Reverse((_, index, place)), rivals @ ..] = self.active.as_slice() else {
                return;
            };
            let (index, place) = (*index, *place);
            let rivals = rivals.iter().take(2); // One of the root's children is the second smallest.
            let rival = rivals.map(|Reverse(key)| (key.0, key.1)).min();
            let due = self.pending.last().map(|&at| &self.log.segments[at].1);
            let due = due.map_or((u64::MAX, u32::MAX), |header| (header.started.ticks, 0));
            let until = rival.map_or(due, |rival| rival.min(due));
            let cursor = &mut self.cursors[place];
            let clock = self.log.clock;
            // At equal times, the segment that comes first in the file wins.
            let before = until.0.saturating_add(u64::from(index < until.1));
            let is_left = loop {
                let had = batch.len();
                let ns = clock.ns(cursor.ticks);
                match &cursor.next {
                    Next::Heap(kind) => batch.push(ns, cursor.tid, *kind),
                    Next::Other(event) => batch.push_other(ns, cursor.tid, *event),
                    Next::Unread => {}
                }
                let fast = FastDecoder {
                    clock: |ticks| clock.ns(ticks),
                    tid: cursor.tid,
                    until: before,
                    most,
                };
                let ahead = fast.decode(&mut cursor.decoder, &cursor.bytes, batch);
                // At `u64::MAX` nothing is earlier, and the fast path makes no progress.
                if let Some(ticks) = ahead.filter(|_| batch.len() > had) {
                    (cursor.ticks, cursor.next) = (ticks, Next::Unread);
                    break true;
                }
                if !cursor.advance(&mut self.damage, &mut self.unknown) {
                    break false;
                }
                if (cursor.ticks, index) >= until || batch.len() >= most {
                    break true;
                }
            };
            let ticks = cursor.ticks;
            if let Some(mut first) = self.active.peek_mut() {
                match is_left {
                    true => first.0.0 = ticks,
                    false => {
                        PeekMut::pop(first);
                        self.free.push(place);
                        if let Some(left) = &mut self.left {
                            left.push((index, self.cursors[place].position()));
                        }
                    }
                }
            }
        }
    }

    /// Opens segments until the earliest remaining event is in one of them.
    fn open_due_segments(&mut self) {
        while let Some(&position) = self.pending.last() {
            let (_, header) = self.log.segments[position];
            let earliest = self.active.peek().map(|Reverse(key)| key.0);
            if earliest.is_some_and(|ticks| ticks < header.started.ticks) {
                return;
            }
            self.pending.pop();
            self.open_segment(position);
        }
    }

    fn open_segment(&mut self, position: usize) {
        let (index, header) = self.log.segments[position];
        let place = self.free.pop().unwrap_or(self.cursors.len());
        // Reuses the allocation of a finished cursor.
        let known = self.cursors.get_mut(place);
        let mut bytes = known.map_or_else(Vec::new, |done| std::mem::take(&mut done.bytes));
        let (source, damage) = (&self.log.source, &mut self.damage);
        read_segment(source, index, &header, &mut bytes, damage);
        if let Some(until) = self.log.until {
            truncate_after(index, &header, &mut bytes, until);
        }
        self.read += bytes.len() as u64;
        let (decoder, tid) = match self.begun.remove(&index) {
            Some(begun) => (begun.decoder, begun.tid),
            None => (Decoder::new(index, header.started.ticks), 0),
        };
        let mut cursor = Cursor {
            index,
            decoder,
            bytes,
            tid,
            next: Next::Other(Event::Exit),
            ticks: 0,
        };
        match cursor.advance(&mut self.damage, &mut self.unknown) {
            true => self.active.push(Reverse((cursor.ticks, index, place))),
            false => {
                self.free.push(place);
                if let Some(left) = &mut self.left {
                    left.push((index, cursor.position()));
                }
            }
        }
        match self.cursors.get_mut(place) {
            Some(known) => *known = cursor,
            None => self.cursors.push(cursor),
        }
    }
}

impl Iterator for Events<'_> {
    type Item = TimestampedEvent;

    fn next(&mut self) -> Option<TimestampedEvent> {
        if self.buffered.1 == self.buffered.0.len() {
            let mut batch = std::mem::take(&mut self.buffered.0);
            self.fill(&mut batch, READ_AHEAD);
            self.buffered = (batch, 0);
        }
        let timed = self.buffered.0.get(self.buffered.1)?;
        self.buffered.1 += 1;
        Some(timed)
    }
}

impl Cursor {
    fn position(&self) -> Position {
        Position {
            decoder: self.decoder.clone(),
            tid: self.tid,
            is_broken: self.decoder.offset() < self.bytes.len(),
        }
    }

    /// Advances to the next event; `false` at the end.
    #[inline(always)]
    fn advance(&mut self, damage: &mut Vec<Corruption>, unknown: &mut u64) -> bool {
        match self.decoder.decode_compact(&self.bytes) {
            Some((ticks, kind)) => {
                (self.ticks, self.next) = (ticks, Next::Heap(kind));
                true
            }
            None => self.advance_slow(damage, unknown),
        }
    }

    /// The same for any record, or none.
    #[inline(never)]
    fn advance_slow(&mut self, damage: &mut Vec<Corruption>, unknown: &mut u64) -> bool {
        loop {
            match self.decoder.next(&self.bytes) {
                Ok(Some((_, Record::Event(Event::Thread { tid })))) => self.tid = tid,
                Ok(Some((ticks, Record::Event(event)))) => {
                    self.ticks = ticks;
                    let heap = EventKind::of(&event).map(Next::Heap);
                    self.next = heap.unwrap_or(Next::Other(event));
                    return true;
                }
                Ok(Some(_)) => *unknown += 1,
                Ok(None) => return false,
                Err(bad) => {
                    let (index, length) = (self.index, self.bytes.len());
                    damage.push(malformed(index, bad.offset, length));
                    return false;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
