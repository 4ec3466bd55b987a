//! Many segments, one timeline.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::decode::{Decoder, Record};
use crate::reader::{Damage, Log, is_hole, read_segment, undecodable};
use crate::record::Event;

/// An event, its time and its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timed {
    /// Nanoseconds since the log began.
    pub ns: u64,
    /// Thread that did it, 0 when not known.
    pub tid: u32,
    /// What happened.
    pub event: Event,
}

/// The events of a log in order of time. Holds a segment in memory for each thread that was busy at once, no more.
pub struct Events<'a> {
    log: &'a Log,
    /// Segments not yet begun, the next one last.
    waiting: Vec<usize>,
    active: BinaryHeap<Reverse<Cursor>>,
    damage: Vec<Damage>,
    unknown: u64,
    read: u64,
}

struct Cursor {
    index: u32,
    decoder: Decoder,
    bytes: Vec<u8>,
    tid: u32,
    next: (u64, Event),
    /// Where the record of `next` begins.
    at: usize,
}

/// What advancing a cursor came to.
#[derive(PartialEq, Eq)]
enum Advanced {
    On,
    End,
    /// A hole follows, and the event before it may not be whole.
    Hole,
}

impl Events<'_> {
    pub(crate) fn new(log: &Log) -> Events<'_> {
        let waiting = (0..log.segments.len()).rev().collect();
        Events {
            log,
            waiting,
            active: BinaryHeap::new(),
            damage: Vec::new(),
            unknown: 0,
            read: 0,
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

    /// Opens segments until the earliest event that is left is in hand.
    fn begin_due(&mut self) {
        while let Some(&position) = self.waiting.last() {
            let (index, header) = self.log.segments[position];
            let earliest = self.active.peek().map(|Reverse(cursor)| cursor.next.0);
            if earliest.is_some_and(|ticks| ticks < header.started.ticks) {
                return;
            }
            self.waiting.pop();
            let mut bytes = Vec::new();
            read_segment(
                &self.log.source,
                index,
                &header,
                &mut bytes,
                &mut self.damage,
            );
            self.read += bytes.len() as u64;
            let decoder = Decoder::new(index, header.started.ticks);
            let mut cursor = Cursor {
                index,
                decoder,
                bytes,
                tid: 0,
                next: (0, Event::Exit),
                at: 0,
            };
            if cursor.advance(&mut self.damage, &mut self.unknown) == Advanced::On {
                self.active.push(Reverse(cursor));
            }
        }
    }
}

impl Iterator for Events<'_> {
    type Item = Timed;

    fn next(&mut self) -> Option<Timed> {
        loop {
            self.begin_due();
            let mut top = self.active.peek_mut()?;
            let cursor = &mut top.0;
            let (ticks, event) = cursor.next;
            let timed = Timed {
                ns: self.log.clock.ns(ticks),
                tid: cursor.tid,
                event,
            };
            match cursor.advance(&mut self.damage, &mut self.unknown) {
                Advanced::On => {}
                Advanced::End => drop(PeekMut::pop(top)),
                Advanced::Hole => {
                    PeekMut::pop(top);
                    continue;
                }
            }
            return Some(timed);
        }
    }
}

impl Cursor {
    /// Moves to the next event.
    fn advance(&mut self, damage: &mut Vec<Damage>, unknown: &mut u64) -> Advanced {
        // Of the records since the last event, none was one.
        let last = self.at;
        loop {
            self.at = self.decoder.offset();
            match self.decoder.next(&self.bytes) {
                Ok(Some((_, Record::Event(Event::Thread { tid })))) => self.tid = tid,
                Ok(Some((ticks, Record::Event(event)))) => {
                    self.next = (ticks, event);
                    return Advanced::On;
                }
                Ok(Some(_)) => *unknown += 1,
                Ok(None) => return Advanced::End,
                Err(bad) if is_hole(&self.bytes, bad.offset) => {
                    damage.push(undecodable(self.index, last, self.bytes.len()));
                    return Advanced::Hole;
                }
                Err(bad) => {
                    damage.push(undecodable(self.index, bad.offset, self.bytes.len()));
                    return Advanced::End;
                }
            }
        }
    }
}

impl Ord for Cursor {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.next.0, self.index).cmp(&(other.next.0, other.index))
    }
}

impl PartialOrd for Cursor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cursor {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cursor {}
