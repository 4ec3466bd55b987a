//! Decodes runs of the most frequent records (allocations, releases, descriptors, calls, copies, memsets, uses) straight into a batch, reading fields
//! eight bytes at a time.
//!
//! The result is always that of [`Decoder::next`]. Anything unusual is left to it: other records, fields of nine bytes and more, malformed
//! records, the end of a segment.

mod fields;

use crate::batch::Batch;
use crate::compact::{self, CompactRecord};
use crate::decode::Decoder;
use crate::repeat::{self, REPEAT};
use fields::{Fields, WINDOW};

/// Decodes the events of one thread until a time or a count is reached.
pub(crate) struct FastDecoder<C> {
    /// Ticks to nanoseconds.
    pub clock: C,
    /// The thread whose events these are.
    pub tid: u32,
    /// Time of the first event not to read, in ticks.
    pub until: u64,
    /// Events that the batch may hold.
    pub most: usize,
}

/// What follows the current position.
enum Lookahead {
    /// It has been decoded.
    Read,
    /// A record with this time, which must not be read yet.
    Later(u64),
    /// Something for [`Decoder::next`].
    Other,
}

impl<C: Fn(u64) -> u64> FastDecoder<C> {
    /// Decodes as many records as possible. Returns the time of the next one if it must not be read yet.
    #[inline(always)]
    pub(crate) fn decode(
        &self,
        decoder: &mut Decoder,
        records: &[u8],
        batch: &mut Batch,
    ) -> Option<u64> {
        if decoder.second.is_some() {
            return None;
        }
        while batch.len() < self.most {
            let window = records.get(decoder.at..)?.first_chunk()?;
            match self.step(decoder, records, window, batch) {
                Lookahead::Read => {}
                Lookahead::Later(ticks) => return Some(ticks),
                Lookahead::Other => return None,
            }
        }
        None
    }

    /// Decodes one record, or changes nothing.
    #[inline(always)]
    fn step(
        &self,
        decoder: &mut Decoder,
        records: &[u8],
        window: &[u8; WINDOW],
        batch: &mut Batch,
    ) -> Lookahead {
        let record = match window[0] & 3 {
            compact::TAGGED => {
                let (fields, elapsed) = Fields::of(window);
                let length = fields.end;
                Some((fields, elapsed, length))
            }
            REPEAT => Self::repeat(decoder, records, window),
            _ => {
                let done = self.compact(decoder, window, batch);
                return done.unwrap_or(Lookahead::Other);
            }
        };
        let done = record.and_then(|record| self.tagged(decoder, record, batch));
        done.unwrap_or(Lookahead::Other)
    }

    /// The fields of the record that is repeated here, the repeat's time and its length.
    #[inline(always)]
    fn repeat<'a>(
        decoder: &Decoder,
        records: &'a [u8],
        window: &[u8; WINDOW],
    ) -> Option<(Fields<'a>, u64, usize)> {
        let repeat = repeat::read(window.first_chunk()?)?;
        let earlier = records.get(repeat.offset..)?.first_chunk()?;
        let (mut fields, _) = Fields::of(earlier);
        fields.distance = repeat.distance;
        let is_earlier = repeat.offset + fields.end <= decoder.at;
        let is_tagged = earlier[0] & 3 == compact::TAGGED;
        (is_earlier && is_tagged).then_some((fields, repeat.elapsed, repeat.length))
    }

    /// Decodes the event with these fields, whose record has this time and length.
    #[inline(always)]
    fn tagged(
        &self,
        decoder: &mut Decoder,
        (mut fields, elapsed, length): (Fields, u64, usize),
        batch: &mut Batch,
    ) -> Option<Lookahead> {
        let ticks = decoder.ticks.saturating_add(elapsed);
        if !fields.is_short() || batch.len() + fields.most_events() > self.most {
            return None;
        }
        if ticks >= self.until {
            return Some(Lookahead::Later(ticks));
        }
        let ns = (self.clock)(ticks);
        fields.put((ns, self.tid), decoder, batch)?;
        (decoder.at, decoder.ticks) = (decoder.at + length, ticks);
        Some(Lookahead::Read)
    }

    #[inline(always)]
    fn compact(
        &self,
        decoder: &mut Decoder,
        window: &[u8; WINDOW],
        batch: &mut Batch,
    ) -> Option<Lookahead> {
        let (record, length) = compact::read(window.first_chunk()?)?;
        let (CompactRecord::Allocation { elapsed, .. } | CompactRecord::Release { elapsed, .. }) =
            record;
        let ticks = decoder.ticks.saturating_add(elapsed);
        if ticks >= self.until {
            return Some(Lookahead::Later(ticks));
        }
        let kind = decoder.expand(record)?;
        decoder.at += length;
        batch.push((self.clock)(decoder.ticks), self.tid, kind);
        Some(Lookahead::Read)
    }
}

#[cfg(test)]
mod tests;
