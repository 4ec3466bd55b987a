//! Power-cut shapes: pages of a log that are zeros, or as they were a while before, and files that are cut. What is read is a prefix of
//! what each segment had, and where something is missing the reader says from where on.

use aclsan_log::builder::LogBuilder;
use aclsan_log::layout::{HEADER_BYTES, SEGMENT_BYTES, SEGMENT_HEADER_BYTES};
use aclsan_log::reader::Corruption;
use aclsan_log::{CallSiteId, Event, Log};
use std::collections::BTreeMap;

/// What the page cache is written back by; discs may tear at their own sectors.
const UNITS: [usize; 2] = [4096, 512];

/// xorshift64*, Vigna 2016.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }
}

/// Allocations in it.
const EVENTS: u64 = 12_000;

/// A log of three threads, and what its file was at earlier times.
struct Growing {
    states: Vec<Vec<u8>>,
}

impl Growing {
    fn new() -> Self {
        let (mut builder, mut states) = (LogBuilder::default(), Vec::new());
        let mut blocks = Vec::new();
        for step in 0..EVENTS {
            let frames = [0x5000_0000 + step * 64, 0x4000_0000];
            let site = match step % 100 {
                0 => builder.site("aclrtMalloc", 0, 0, &frames),
                _ => CallSiteId(1 + (step / 100) as u32),
            };
            let thread = (step * step % 5 / 2) as u32;
            builder.at(step * 100);
            // Each has a size of its own, and odd addresses take the longer record.
            blocks.push(builder.allocation(
                thread,
                site,
                0x1000_0000 + step * 4096 + step % 7 / 6,
                step + 1,
            ));
            if step % 3 == 0 {
                let block = blocks.swap_remove((step / 3) as usize % blocks.len());
                builder.event(thread, Event::Release { block, site });
            }
            if step % 1_200 == 1_034 {
                states.push(builder.bytes());
            }
        }
        states.push(builder.bytes());
        Self { states }
    }

    fn whole(&self) -> &[u8] {
        self.states.last().expect("there is one")
    }
}

/// What a segment's header, here its first page, says of its records.
fn committed(page: &[u8]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| page[24 + i]))
}

/// What there is at each time: the thread, what happened, and the frames of the site, empty where that was lost.
type Read = BTreeMap<u64, Vec<(u32, Event, Box<[u64]>)>>;

fn read(bytes: Vec<u8>) -> (Read, Vec<Corruption>) {
    let log = Log::from_bytes("torn", bytes).expect("its header is whole");
    let mut events = log.events();
    let mut read = Read::new();
    for timed in events.by_ref() {
        if let Event::Allocation { site, .. } | Event::Release { site, .. } = timed.event {
            let frames = log.site(site).frames.clone();
            read.entry(timed.ns)
                .or_default()
                .push((timed.tid, timed.event, frames));
        }
    }
    let mut damage = log.damage.clone();
    damage.extend(events.damage().iter().cloned());
    (read, damage)
}

#[test]
fn a_log_with_torn_pages_gives_what_is_whole_and_says_what_is_not() {
    let growing = Growing::new();
    let (wanted, undamaged) = read(growing.whole().to_vec());
    assert_eq!((wanted.len() as u64, undamaged), (EVENTS, vec![]));
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let rounds = if std::env::var_os("SOAK").is_some() {
        1000
    } else {
        30
    };
    let (mut hurt, mut silent) = (0, 0);
    for round in 0..rounds {
        let unit = UNITS[round % 2];
        let mut bytes = growing.whole().to_vec();
        for _ in 0..1 + random.below(6) {
            let units = (bytes.len() - HEADER_BYTES) / unit;
            let at = HEADER_BYTES + random.below(units) * unit;
            let older = &growing.states[random.below(growing.states.len())];
            match older.get(at..at + unit) {
                Some(older) if random.below(2) == 0 => bytes[at..at + unit].copy_from_slice(older),
                _ => bytes[at..at + unit].fill(0),
            }
        }
        if random.below(4) == 0 {
            bytes.truncate(HEADER_BYTES + random.below(bytes.len() - HEADER_BYTES));
        }
        let is_changed = bytes != growing.whole();
        let (found, damage) = read(bytes);
        for (ns, events) in &found {
            for (tid, event, frames) in events {
                let is_one = wanted[ns].iter().any(|whole| {
                    (whole.0, whole.1) == (*tid, *event)
                        && (frames.is_empty() || *frames == whole.2)
                });
                assert!(
                    is_one,
                    "round {round}: {event:?} of {tid} is none of {:?}",
                    wanted[ns]
                );
            }
        }
        let is_less = found != wanted;
        hurt += usize::from(is_less);
        silent += usize::from(is_less && damage.is_empty());
        assert!(is_changed || !is_less);
        for part in damage {
            let start = HEADER_BYTES + part.segment as usize * SEGMENT_BYTES;
            assert!(
                (start..start + SEGMENT_BYTES).contains(&(part.offset as usize)),
                "{part}"
            );
            assert!(
                part.lost > 0 && part.lost as usize <= SEGMENT_BYTES,
                "{part}"
            );
        }
    }
    // Silent are files that were cut between two segments, or where whole segments are zeros: as if they had never been begun.
    assert!(hurt > rounds / 2 && silent * 10 < hurt, "{hurt} {silent}");
}

#[test]
fn one_torn_page_costs_the_rest_of_its_segment_and_nothing_else() {
    let growing = Growing::new();
    let (wanted, _) = read(growing.whole().to_vec());
    // The third segment from the end, its sixth page.
    let segments = (growing.whole().len() - HEADER_BYTES) / SEGMENT_BYTES;
    let index = (0..segments).rev().find(|index| {
        let at = HEADER_BYTES + index * SEGMENT_BYTES;
        growing.whole()[at + 4] == 1 && committed(&growing.whole()[at..]) > 60_000
    });
    let start = HEADER_BYTES + index.expect("a full segment") * SEGMENT_BYTES;
    let page = start + 5 * 4096;
    let mut bytes = growing.whole().to_vec();
    bytes[page..page + 4096].fill(0);
    let (found, damage) = read(bytes);
    let [part] = &damage[..] else {
        panic!("{damage:?}")
    };
    // From the record that reaches into the page, or ends where it begins; a record has 40 bytes at most here.
    assert!(
        (page - 40..=page).contains(&(part.offset as usize)),
        "{part}"
    );
    let committed = committed(&growing.whole()[start..]);
    let end = start as u64 + SEGMENT_HEADER_BYTES as u64 + committed;
    assert_eq!(part.offset + part.lost, end);
    // At least 14 bytes a record, and 7 for a release.
    assert!(found.len() < wanted.len() && wanted.len() - found.len() < part.lost as usize / 7);
}

#[test]
fn a_segment_whose_first_page_is_older_says_how_much_more_there_was() {
    let growing = Growing::new();
    let last = growing.whole();
    let (index, older) = (1..(last.len() - HEADER_BYTES) / SEGMENT_BYTES)
        .find_map(|index| {
            let at = HEADER_BYTES + index * SEGMENT_BYTES;
            let older = growing.states.iter().find_map(|state| {
                let page = state.get(at..at + 4096)?;
                (page[4] == 1 && (8_000..50_000).contains(&committed(page))).then_some(page)
            })?;
            Some((index, older))
        })
        .expect("one was half full");
    let at = HEADER_BYTES + index * SEGMENT_BYTES;
    let mut bytes = last.to_vec();
    bytes[at..at + 4096].copy_from_slice(older);
    let (_, damage) = read(bytes);
    let (knew, knows) = (committed(older), committed(&last[at..]));
    let [part] = &damage[..] else {
        panic!("{damage:?}")
    };
    assert_eq!(part.offset, at as u64 + SEGMENT_HEADER_BYTES as u64 + knew);
    // The last record may end in zeros.
    assert!(
        part.lost <= knows - knew && part.lost + 16 > knows - knew,
        "{part}: {knew} {knows}"
    );
}
