//! Builds logs without a process, byte for byte as the shim would write them: for tests, and for recordings of other tools.

use crate::encode::{Encoder, Repeats};
use crate::end::{END, End};
use crate::layout::*;
use crate::reader::Log;
use crate::record::{BlockId, CallSiteId, Definition, Event};

/// A log under construction. Its clock counts nanoseconds and moves only when [`LogBuilder::at`] is called.
pub struct LogBuilder {
    now: u64,
    pid: u32,
    began_ns: u64,
    segments: Vec<Segment>,
    /// The segment that each thread writes to, by thread number.
    threads: Vec<(u32, usize)>,
    repeats: Repeats,
    functions: Vec<String>,
    sites: u32,
    end: Option<End>,
}

struct Segment {
    header: SegmentHeader,
    encoder: Encoder,
    buffer: Vec<u8>,
}

impl Default for LogBuilder {
    fn default() -> Self {
        let mut builder = Self {
            now: 0,
            pid: 1,
            began_ns: 0,
            segments: Vec::new(),
            threads: Vec::new(),
            repeats: Repeats::default(),
            functions: Vec::new(),
            sites: 0,
            end: None,
        };
        builder.begin(SegmentKind::Definitions);
        builder
    }
}

impl LogBuilder {
    /// Sets the process and its start, in nanoseconds since 1970.
    pub fn process(&mut self, pid: u32, began_ns: u64) -> &mut Self {
        (self.pid, self.began_ns) = (pid, began_ns);
        self
    }

    /// Ends the process now, otherwise than by itself.
    pub fn end(&mut self, end: End) -> &mut Self {
        let ticks = self.now;
        self.end = Some(End { ticks, ..end });
        self
    }

    /// Moves the clock to `ns` nanoseconds after the start.
    pub fn at(&mut self, ns: u64) -> &mut Self {
        self.now = ns;
        self
    }

    /// Writes a definition.
    pub fn define(&mut self, definition: Definition) -> &mut Self {
        let mut segment = self
            .segments
            .iter()
            .rposition(|s| s.header.kind == SegmentKind::Definitions)
            .unwrap_or(0);
        while self.segments[segment]
            .write(
                |encoder, buffer, now| encoder.definition(buffer, now, &definition),
                self.now,
            )
            .is_none()
        {
            segment = self.begin(SegmentKind::Definitions);
        }
        self
    }

    /// Defines a site of `function` on `device`, with a stack.
    pub fn site(
        &mut self,
        function: &str,
        argument: u32,
        device: i32,
        frames: &[u64],
    ) -> CallSiteId {
        let number = self
            .functions
            .iter()
            .position(|name| name == function)
            .unwrap_or_else(|| {
                self.functions.push(function.to_owned());
                let id = self.functions.len() as u16 - 1;
                self.define(Definition::Function {
                    id,
                    name: function.to_owned(),
                });
                usize::from(id)
            });
        self.sites += 1;
        let id = CallSiteId(self.sites);
        self.define(Definition::Site {
            id,
            function: number as u16,
            argument,
            device,
            frames: frames.to_vec(),
        });
        id
    }

    /// Writes an event as thread `tid`. The block of an allocation is numbered here, whatever the event says.
    pub fn event(&mut self, tid: u32, event: Event) -> &mut Self {
        let mut repeats = std::mem::take(&mut self.repeats);
        self.write(tid, |encoder, buffer, now| {
            encoder.event_or_repeat(&mut repeats, buffer, now, &event)
        });
        self.repeats = repeats;
        self
    }

    /// Writes an allocation as thread `tid` and returns its number.
    pub fn allocation(&mut self, tid: u32, site: CallSiteId, address: u64, size: u64) -> BlockId {
        self.write(tid, |encoder, buffer, now| {
            encoder.allocation(buffer, now, site, address, size)
        })
    }

    fn write<T>(
        &mut self,
        tid: u32,
        mut record: impl FnMut(&mut Encoder, &mut [u8], u64) -> Option<T>,
    ) -> T {
        loop {
            let known = self
                .threads
                .iter()
                .rev()
                .find(|(thread, _)| *thread == tid)
                .map(|&(_, segment)| segment);
            let segment = known.unwrap_or_else(|| self.begin_thread(tid));
            if let Some(done) = self.segments[segment].write(&mut record, self.now) {
                return done;
            }
            self.threads.retain(|(thread, _)| *thread != tid);
        }
    }

    fn begin_thread(&mut self, tid: u32) -> usize {
        let segment = self.begin(SegmentKind::Events);
        self.threads.push((tid, segment));
        self.segments[segment].write(
            |encoder, buffer, now| encoder.event(buffer, now, &Event::Thread { tid }),
            self.now,
        );
        segment
    }

    fn begin(&mut self, kind: SegmentKind) -> usize {
        let started = Instant {
            ticks: self.now,
            monotonic_ns: self.now,
            realtime_ns: 0,
        };
        let index = self.segments.len();
        self.segments.push(Segment {
            header: SegmentHeader {
                kind,
                started,
                committed: 0,
            },
            encoder: Encoder::new(index as u32, self.now),
            buffer: vec![0; SEGMENT_CAPACITY],
        });
        index
    }

    /// The log's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let header = Header {
            version: VERSION,
            pid: self.pid,
            clock: ClockSource::Monotonic,
            started: Instant {
                realtime_ns: self.began_ns,
                ..Instant::default()
            },
        };
        let mut bytes = header.encode().to_vec();
        if let Some(end) = &self.end {
            bytes.resize(END.start, 0);
            bytes.extend(end.encode());
        }
        bytes.resize(HEADER_BYTES, 0);
        for segment in &self.segments {
            let committed = segment.encoder.used() as u64;
            bytes.extend(
                SegmentHeader {
                    committed,
                    ..segment.header
                }
                .encode(),
            );
            bytes.extend([0; SEGMENT_HEADER_BYTES - 32]);
            bytes.extend(&segment.buffer);
        }
        bytes
    }

    /// Reads the log back.
    ///
    /// # Panics
    /// If the reader rejects what the writer wrote.
    pub fn log(&self) -> Log {
        Log::from_bytes("builder", self.bytes()).expect("a log just written")
    }
}

impl Segment {
    fn write<T>(
        &mut self,
        record: impl FnOnce(&mut Encoder, &mut [u8], u64) -> Option<T>,
        now: u64,
    ) -> Option<T> {
        record(&mut self.encoder, &mut self.buffer, now)
    }
}
