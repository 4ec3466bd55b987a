//! Synthetic logs of any length, written incrementally with one segment in memory at a time.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use aclsan_log::encode::Encoder;
use aclsan_log::layout::{
    ClockSource, HEADER_BYTES, Header, Instant, SEGMENT_CAPACITY, SEGMENT_HEADER_BYTES,
    SegmentHeader, SegmentKind, VERSION,
};
use aclsan_log::{BlockId, CallSiteId, Definition, Event};

pub const LIVE: usize = 100_000;
const PLACES: u32 = 1000;
const DEVICES: u32 = 8;
const FRAMES: u64 = 20;
/// Sizes: a sixteenth of a mebibyte up to one, so that both page classes are used.
const SIZES: u64 = 16;
const STEP_NS: u64 = 100;

/// Address order of new blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rooms {
    /// At the address of the block just released.
    Same,
    /// At the address of any other, mostly released long ago, as `malloc` reuses memory.
    Any,
}

/// Free slots in the second case, in addition to those of live blocks.
const SPARE: usize = LIVE / 2;

struct Segments {
    to: BufWriter<File>,
    index: u32,
    bytes: u64,
}

struct Segment {
    header: SegmentHeader,
    encoder: Encoder,
    room: Vec<u8>,
}

impl Segments {
    fn begin(&mut self, kind: SegmentKind, ns: u64) -> Segment {
        let started = Instant {
            ticks: ns,
            monotonic_ns: ns,
            realtime_ns: 0,
        };
        self.index += 1;
        Segment {
            header: SegmentHeader {
                kind,
                started,
                committed: 0,
            },
            encoder: Encoder::new(self.index - 1, ns),
            room: vec![0; SEGMENT_CAPACITY],
        }
    }

    fn end(&mut self, segment: &Segment) -> io::Result<()> {
        let committed = segment.encoder.used() as u64;
        let header = SegmentHeader {
            committed,
            ..segment.header
        };
        self.bytes += committed;
        self.to.write_all(&header.encode())?;
        self.to.write_all(&[0; SEGMENT_HEADER_BYTES - 32])?;
        self.to.write_all(&segment.room)
    }

    /// Writes into `segment`, or a new one when it is full.
    fn put<T>(
        &mut self,
        segment: &mut Segment,
        ns: u64,
        mut write: impl FnMut(&mut Encoder, &mut [u8]) -> Option<T>,
    ) -> io::Result<T> {
        loop {
            if let Some(done) = write(&mut segment.encoder, &mut segment.room) {
                return Ok(done);
            }
            self.end(segment)?;
            *segment = self.begin(segment.header.kind, ns);
            if segment.header.kind == SegmentKind::Events {
                let thread = Event::Thread { tid: 1 };
                segment.encoder.event(&mut segment.room, ns, &thread);
            }
        }
    }
}

/// Writes the log of process `rank` with `events` events; returns the bytes of its records.
pub fn log(path: &Path, rank: u32, events: u64, rooms: Rooms) -> io::Result<u64> {
    let mut to = BufWriter::new(File::create(path)?);
    let header = Header {
        version: VERSION,
        pid: 1000 + rank,
        clock: ClockSource::Monotonic,
        started: Instant::default(),
    };
    to.write_all(&header.encode())?;
    to.write_all(&vec![0; HEADER_BYTES - header.encode().len()])?;
    let mut segments = Segments {
        to,
        index: 0,
        bytes: 0,
    };
    let mut definitions = segments.begin(SegmentKind::Definitions, 0);
    for definition in definitions_of(rank) {
        segments.put(&mut definitions, 0, |encoder, room| {
            encoder.definition(room, 0, &definition)
        })?;
    }
    segments.end(&definitions)?;
    let mut segment = segments.begin(SegmentKind::Events, 0);
    segments.put(&mut segment, 0, |encoder, room| {
        encoder.event(room, 0, &Event::Thread { tid: 1 })
    })?;
    let mut live: Vec<Option<BlockId>> = vec![None; LIVE];
    let mut room: Vec<usize> = (0..LIVE).collect();
    let mut free: Vec<usize> = (LIVE..LIVE + SPARE).collect();
    let (mut random, mut ns, mut written) = (u64::from(rank) + 1, 0, 0);
    while written < events {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let slot = (random >> 40) as usize % LIVE;
        let place = (random >> 20) as u32 % PLACES;
        ns += STEP_NS;
        if let Some(block) = live[slot].take() {
            let site = CallSiteId(PLACES + 1 + place % 50);
            segments.put(&mut segment, ns, |encoder, room| {
                encoder.release(room, ns, site, block)
            })?;
            written += 1;
        }
        if rooms == Rooms::Any {
            std::mem::swap(&mut room[slot], &mut free[(random >> 33) as usize % SPARE]);
        }
        // The slot size is that of the largest block, so no two overlap.
        let address = 0x12_0000_0000_0000 + room[slot] as u64 * 0x20_0000;
        let size = (random >> 10) % SIZES * 0x1_0000 + 0x1_0000;
        let block = segments.put(&mut segment, ns, |encoder, room| {
            encoder.allocation(room, ns, CallSiteId(place + 1), address, size)
        })?;
        live[slot] = Some(block);
        written += 1;
    }
    segments.put(&mut segment, ns, |encoder, room| {
        encoder.event(room, ns, &Event::Exit)
    })?;
    segments.end(&segment)?;
    segments.to.flush()?;
    Ok(segments.bytes)
}

fn definitions_of(rank: u32) -> Vec<Definition> {
    let function = |id, name: &str| Definition::Function {
        id,
        name: name.to_owned(),
    };
    let mut all = vec![
        function(0, "aclrtMalloc"),
        function(1, "aclrtFree"),
        Definition::Property {
            key: "soc".to_owned(),
            value: "Ascend910B3".to_owned(),
        },
        Definition::Module {
            start: 0x40_0000,
            end: 0x4000_0000,
            bias: 0,
            build_id: Vec::new(),
            path: "/opt/model/train".to_owned(),
        },
    ];
    all.extend((1..=PLACES + 50).map(|id| {
        Definition::Site {
            id: CallSiteId(id),
            function: u16::from(id > PLACES),
            argument: 0,
            device: (rank % DEVICES) as i32,
            frames: (0..FRAMES)
                .map(|frame| 0x40_1000 + u64::from(id) * 0x1000 + frame * 0x10)
                .collect(),
        }
    }));
    all
}
