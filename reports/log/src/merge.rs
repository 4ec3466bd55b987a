//! Many segments, one timeline.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::batch::{Batch, Timed, What};
use crate::decode::{Decoder, Record};
use crate::fast_decode::Run;
use crate::reader::{Damage, Log, cut, read_segment, undecodable};
use crate::record::Event;

/// Events that the iterator reads at once.
const AHEAD: usize = 64;

/// The events of a log in order of time. Holds a segment in memory for each thread that was busy at once, no more.
pub struct Events<'a> {
    log: &'a Log,
    /// Segments not yet begun, the next one last.
    waiting: Vec<usize>,
    /// Time of the next event, segment and place of its cursor.
    active: BinaryHeap<Reverse<(u64, u32, usize)>>,
    cursors: Vec<Cursor>,
    /// Places of cursors that are done.
    done: Vec<usize>,
    damage: Vec<Damage>,
    unknown: u64,
    read: u64,
    /// What the iterator has read, and how many of these it has given out.
    ahead: (Batch, usize),
}

/// The reader's place in a segment.
struct Cursor {
    index: u32,
    decoder: Decoder,
    bytes: Vec<u8>,
    tid: u32,
    next: Next,
    ticks: u64,
}

enum Next {
    /// An allocation or a release.
    Brief(What),
    Other(Event),
    /// A record that is not read yet, not before that time.
    Ahead,
}

impl Log {
    /// All events, in order of time.
    pub fn events(&self) -> Events<'_> {
        Events::new(self)
    }
}

impl Events<'_> {
    fn new(log: &Log) -> Events<'_> {
        let waiting = (0..log.segments.len()).rev().collect();
        Events {
            log,
            waiting,
            active: BinaryHeap::new(),
            cursors: Vec::new(),
            done: Vec::new(),
            damage: Vec::new(),
            unknown: 0,
            read: 0,
            ahead: Default::default(),
        }
    }

    /// Parts of the log that could not be read, as far as the reading has come.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Records of types that this version does not know, as far as the reading has come.
    pub fn unknown_records(&self) -> u64 {
        self.unknown
    }

    /// Bytes of segments begun; see [`Log::event_bytes`].
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Puts the next events into `batch`, in place of what it has: `most` of them, fewer only at the end. Not to be mixed with iterating,
    /// which reads ahead.
    pub fn fill(&mut self, batch: &mut Batch, most: usize) {
        batch.clear();
        while batch.len() < most {
            self.begin_due();
            // Until the next one's time its segment is the earliest, and nobody need be asked.
            let [Reverse((_, index, place)), rivals @ ..] = self.active.as_slice() else {
                return;
            };
            let (index, place) = (*index, *place);
            let rivals = rivals.iter().take(2); // The second of a heap follows the first.
            let rival = rivals.map(|Reverse(key)| (key.0, key.1)).min();
            let due = self.waiting.last().map(|&at| &self.log.segments[at].1);
            let due = due.map_or((u64::MAX, u32::MAX), |header| (header.started.ticks, 0));
            let until = rival.map_or(due, |rival| rival.min(due));
            let cursor = &mut self.cursors[place];
            let clock = self.log.clock;
            // At the same time the segment that is first in the file goes first.
            let before = until.0.saturating_add(u64::from(index < until.1));
            let is_left = loop {
                let had = batch.len();
                let ns = clock.ns(cursor.ticks);
                match &cursor.next {
                    Next::Brief(brief) => batch.push(ns, cursor.tid, *brief),
                    Next::Other(event) => batch.push_other(ns, cursor.tid, *event),
                    Next::Ahead => {}
                }
                let run = Run {
                    clock: |ticks| clock.ns(ticks),
                    tid: cursor.tid,
                    until: before,
                    most,
                };
                let ahead = cursor.decoder.run(&cursor.bytes, &run, batch);
                // At the end of all time nothing is before anything.
                if let Some(ticks) = ahead.filter(|_| batch.len() > had) {
                    (cursor.ticks, cursor.next) = (ticks, Next::Ahead);
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
                        self.done.push(place);
                    }
                }
            }
        }
    }

    /// Opens segments until the earliest event that is left is in hand.
    fn begin_due(&mut self) {
        while let Some(&position) = self.waiting.last() {
            let (_, header) = self.log.segments[position];
            let earliest = self.active.peek().map(|Reverse(key)| key.0);
            if earliest.is_some_and(|ticks| ticks < header.started.ticks) {
                return;
            }
            self.waiting.pop();
            self.begin(position);
        }
    }

    fn begin(&mut self, position: usize) {
        let (index, header) = self.log.segments[position];
        let place = self.done.pop().unwrap_or(self.cursors.len());
        // The room of one that is done.
        let known = self.cursors.get_mut(place);
        let mut bytes = known.map_or_else(Vec::new, |done| std::mem::take(&mut done.bytes));
        let (source, damage) = (&self.log.source, &mut self.damage);
        read_segment(source, index, &header, &mut bytes, damage);
        if let Some(until) = self.log.until {
            cut(index, &header, &mut bytes, until);
        }
        self.read += bytes.len() as u64;
        let mut cursor = Cursor {
            index,
            decoder: Decoder::new(index, header.started.ticks),
            bytes,
            tid: 0,
            next: Next::Other(Event::Exit),
            ticks: 0,
        };
        match cursor.advance(&mut self.damage, &mut self.unknown) {
            true => self.active.push(Reverse((cursor.ticks, index, place))),
            false => self.done.push(place),
        }
        match self.cursors.get_mut(place) {
            Some(known) => *known = cursor,
            None => self.cursors.push(cursor),
        }
    }
}

impl Iterator for Events<'_> {
    type Item = Timed;

    fn next(&mut self) -> Option<Timed> {
        if self.ahead.1 == self.ahead.0.len() {
            let mut batch = std::mem::take(&mut self.ahead.0);
            self.fill(&mut batch, AHEAD);
            self.ahead = (batch, 0);
        }
        let timed = self.ahead.0.get(self.ahead.1)?;
        self.ahead.1 += 1;
        Some(timed)
    }
}

impl Cursor {
    /// Moves to the next event; `false` at the end.
    #[inline(always)]
    fn advance(&mut self, damage: &mut Vec<Damage>, unknown: &mut u64) -> bool {
        match self.decoder.brief(&self.bytes) {
            Some((ticks, brief)) => {
                (self.ticks, self.next) = (ticks, Next::Brief(brief));
                true
            }
            None => self.advance_over(damage, unknown),
        }
    }

    /// The same where any record may follow, or none.
    #[inline(never)]
    fn advance_over(&mut self, damage: &mut Vec<Damage>, unknown: &mut u64) -> bool {
        loop {
            match self.decoder.next(&self.bytes) {
                Ok(Some((_, Record::Event(Event::Thread { tid })))) => self.tid = tid,
                Ok(Some((ticks, Record::Event(event)))) => {
                    self.ticks = ticks;
                    let brief = What::of(&event).map(Next::Brief);
                    self.next = brief.unwrap_or(Next::Other(event));
                    return true;
                }
                Ok(Some(_)) => *unknown += 1,
                Ok(None) => return false,
                Err(bad) => {
                    let (index, length) = (self.index, self.bytes.len());
                    damage.push(undecodable(index, bad.offset, length));
                    return false;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
