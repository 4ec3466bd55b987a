//! Torn logs after a power failure: pages that are zero or older than the rest, and files that are cut off. The reader returns a prefix of
//! each segment and reports where something is missing.

use aclsan_log::builder::LogBuilder;
use aclsan_log::layout::{HEADER_BYTES, SEGMENT_BYTES, SEGMENT_HEADER_BYTES};
use aclsan_log::reader::Corruption;
use aclsan_log::{CallSiteId, Event, Log};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRng, TestRunner};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The unit of the page cache's writeback; disks may tear at sectors.
const UNITS: [usize; 2] = [4096, 512];

/// Number of allocations.
const EVENTS: u64 = 12_000;

/// A log of three threads, and the states of its file at earlier times.
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
            // Each has its own size. Odd addresses take the longer record.
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

/// The `committed` count in a segment's first page.
fn committed(page: &[u8]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| page[24 + i]))
}

/// What happened at each time: thread, event, and the site's frames, empty if the site was lost.
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

/// How a file is torn: the unit, the units affected (replaced by an earlier state, or zeroed), and where the file is cut off.
type Tears = (usize, Vec<(Index, Option<Index>)>, Option<Index>);

fn tears() -> impl Strategy<Value = Tears> {
    let unit = prop_oneof![Just(UNITS[0]), Just(UNITS[1])];
    let torn = (any::<Index>(), any::<Option<Index>>());
    let is_cut = prop::option::weighted(0.25, any::<Index>());
    (unit, prop::collection::vec(torn, 1..7), is_cut)
}

impl Growing {
    fn torn(&self, (unit, torn, is_cut): &Tears) -> Vec<u8> {
        let mut bytes = self.whole().to_vec();
        for (at, state) in torn {
            let at = HEADER_BYTES + at.index((bytes.len() - HEADER_BYTES) / unit) * unit;
            let older = state.and_then(|state| state.get(&self.states).get(at..at + unit));
            match older {
                Some(older) => bytes[at..at + unit].copy_from_slice(older),
                None => bytes[at..at + unit].fill(0),
            }
        }
        if let Some(end) = is_cut {
            bytes.truncate(HEADER_BYTES + end.index(bytes.len() - HEADER_BYTES));
        }
        bytes
    }
}

/// Every event found was written (its stack may be lost), and every corruption is reported within its segment.
fn check(wanted: &Read, found: &Read, damage: &[Corruption]) {
    for (ns, events) in found {
        for (tid, event, frames) in events {
            let is_one = wanted[ns].iter().any(|whole| {
                (whole.0, whole.1) == (*tid, *event) && (frames.is_empty() || *frames == whole.2)
            });
            assert!(is_one, "{event:?} of {tid} is none of {:?}", wanted[ns]);
        }
    }
    for part in damage {
        let start = HEADER_BYTES + part.segment as usize * SEGMENT_BYTES;
        let lies_in_it = (start..start + SEGMENT_BYTES).contains(&(part.offset as usize));
        assert!(lies_in_it, "{part}");
        assert!((1..=SEGMENT_BYTES as u64).contains(&part.lost), "{part}");
    }
}

#[test]
fn a_log_with_torn_pages_gives_what_is_whole_and_says_what_is_not() {
    let growing = Growing::new();
    let (wanted, undamaged) = read(growing.whole().to_vec());
    assert_eq!((wanted.len() as u64, undamaged), (EVENTS, vec![]));
    let is_soak = std::env::var_os("SOAK").is_some();
    let config = Config {
        cases: if is_soak { 1000 } else { 30 },
        failure_persistence: None, // the seed is fixed, so a failure repeats
        ..Config::default()
    };
    let rounds = config.cases;
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let (hurt, silent) = (Cell::new(0), Cell::new(0));
    let outcome = TestRunner::new_with_rng(config, rng).run(&tears(), |tears| {
        let bytes = growing.torn(&tears);
        let is_changed = bytes != growing.whole();
        let (found, damage) = read(bytes);
        check(&wanted, &found, &damage);
        let is_less = found != wanted;
        hurt.set(hurt.get() + u32::from(is_less));
        silent.set(silent.get() + u32::from(is_less && damage.is_empty()));
        prop_assert!(is_changed || !is_less);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    // Silent cases: files cut between two segments, and segments that are all zero, as if they had never been begun.
    let (hurt, silent) = (hurt.get(), silent.get());
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
    // Starts with the record that reaches into the page, or ends where the page begins; a record has at most 40 bytes here.
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
