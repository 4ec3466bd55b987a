//! Random claims, openings and ends: each page has the protection that a plain model of it says.

use super::*;
use crate::maps;
use proptest::prelude::*;

const PAGES: u64 = 16;

/// xorshift64*, Vigna 2016.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

/// Memory of whole pages.
fn memory() -> u64 {
    let size = (PAGES * maps::page_size()) as usize;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let wanted = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel chooses the address.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), size, wanted, flags, -1, 0) };
    assert_ne!(memory, libc::MAP_FAILED);
    memory as u64
}

/// What the kernel says about each page.
fn protections(memory: u64) -> Vec<Protection> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mapped: Vec<_> = maps.lines().filter_map(maps::parse).collect();
    let pages = (0..PAGES).map(|page| memory + page * maps::page_size());
    pages
        .map(|page| {
            let mut mapped = mapped.iter();
            let mapping = mapped.find(|mapped| mapped.low <= page && page < mapped.high);
            let mapping = mapping.expect("the page is mapped");
            match (mapping.is_readable, mapping.is_writable) {
                (_, true) => Protection::Open,
                (true, false) => Protection::ReadOnly,
                (false, false) => Protection::None,
            }
        })
        .collect()
}

#[test]
fn every_page_is_as_strict_as_the_claims_that_were_not_opened_there() {
    let (memory, page) = (memory(), maps::page_size());
    let mut table = Box::new(Table::new());
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    // Claims by number, and per page those that hold it.
    let mut model: Vec<(u64, bool, Vec<bool>)> = Vec::new();
    for step in 0..20_000u64 {
        let first = random.below(PAGES);
        let count = 1 + random.below(PAGES - first);
        let (from, to) = (memory + first * page, memory + (first + count) * page);
        let covers = |at: u64| first <= at && at < first + count;
        match random.below(8) {
            0..4 => {
                let writes = random.below(2) == 0;
                // Somewhere inside its first and last page.
                let range = (from + random.below(page / 2), to - random.below(page / 2));
                let claim = Claim::new(step, (memory, memory + PAGES * page), range, writes);
                assert_eq!(table.add(claim), Outcome::Protected);
                model.push((step, writes, (0..PAGES).map(covers).collect()));
            }
            4..6 => {
                let writes = random.below(2) == 0;
                table.open(from, to, writes);
                for claim in model.iter_mut().filter(|claim| writes || claim.1) {
                    for at in (0..PAGES).filter(|&at| covers(at)) {
                        claim.2[at as usize] = false;
                    }
                }
            }
            _ => {
                let kind = random.below(3);
                let is_over = |number: u64| number % 3 == kind;
                table.retain(&mut |claim: &Claim| !is_over(claim.block));
                model.retain(|claim| !is_over(claim.0));
            }
        }
        if step % 16 == 0 {
            let wanted = (0..PAGES as usize).map(|at| {
                let holders = model.iter().filter(|claim| claim.2[at]);
                let strictest = holders.map(|claim| match claim.1 {
                    true => Protection::None,
                    false => Protection::ReadOnly,
                });
                strictest.max().unwrap_or(Protection::Open)
            });
            assert_eq!(
                protections(memory),
                wanted.collect::<Vec<_>>(),
                "step {step}"
            );
        }
    }
}

#[test]
fn a_fault_is_a_conflict_a_neighbor_an_opened_page_or_foreign() {
    let (memory, page) = (memory(), maps::page_size());
    let mut table = Box::new(Table::new());
    let claim = |range, writes| Claim::new(1, (memory, memory + 4 * page), range, writes);
    assert_eq!(
        table.add(claim((memory + 64, memory + 2 * page), true)),
        Outcome::Protected
    );
    let touched = |is_conflict, writes| Touch::Claimed {
        is_conflict,
        writes,
    };
    // A neighbor opens its page only.
    assert_eq!(table.touched(memory + 8, Some(true)), touched(false, true));
    assert_eq!(
        protections(memory)[..2],
        [Protection::Open, Protection::None]
    );
    assert_eq!(table.touched(memory + 8, Some(true)), Touch::Opened(0));
    // A real access opens all of the copy.
    assert_eq!(
        table.touched(memory + page, Some(false)),
        touched(true, false)
    );
    assert_eq!((table.len(), protections(memory)[1]), (0, Protection::Open));
    assert_eq!(
        table.touched(memory + 3 * page, Some(false)),
        Touch::Foreign
    );
    // A source may be read.
    assert_eq!(
        table.add(claim((memory + 2 * page, memory + 3 * page), false)),
        Outcome::Protected
    );
    assert_eq!(
        table.access(memory + 2 * page, memory + 2 * page + 8, false),
        None
    );
    assert_eq!(table.touched(memory + 2 * page, None), touched(true, true));
}

#[test]
fn a_claim_that_ends_is_the_one_that_was_copied_and_none_that_came_later() {
    let (memory, page) = (memory(), maps::page_size());
    let mut table = Box::new(Table::new());
    let bounds = (memory, memory + 6 * page);
    let claim = |block, first: u64| {
        let range = (memory + first * page, memory + (first + 2) * page);
        Claim::new(block, bounds, range, true)
    };
    let all = [claim(1, 0), claim(2, 2), claim(3, 4)];
    for claim in all {
        assert_eq!(table.add(claim), Outcome::Protected);
    }
    let mut over = table.claims().to_vec();
    over.sort_unstable_by_key(|claim| claim.queued);
    // Meanwhile the first is queued again, of the second a page is opened, and the third's memory is another block's.
    assert_eq!(table.add(all[0]), Outcome::Protected);
    table.open(memory + 2 * page, memory + 3 * page, true);
    table.open(memory + 4 * page, memory + 6 * page, true);
    assert_eq!(table.add(claim(4, 4)), Outcome::Protected);
    table.end(&over);
    use Protection::{None, Open};
    let wanted = [None, None, Open, Open, None, None];
    assert_eq!(protections(memory)[..6], wanted);
    over = table.claims().to_vec();
    over.sort_unstable_by_key(|claim| claim.queued);
    table.end(&over);
    assert_eq!(protections(memory)[..6], [Open; 6]);
}

#[test]
fn only_whole_pages_inside_the_bounds_are_protected() {
    let (memory, page) = (memory(), maps::page_size());
    let mut table = Box::new(Table::new());
    let claim = Claim::new(
        1,
        (memory + 8, memory + page),
        (memory + 8, memory + 16),
        true,
    );
    assert_eq!(table.add(claim), Outcome::NoPage);
    let claim = Claim::new(
        1,
        (memory + 8, memory + 3 * page),
        (memory + 8, memory + 3 * page),
        true,
    );
    assert_eq!(table.add(claim), Outcome::Protected);
    let wanted = [Protection::Open, Protection::None, Protection::None];
    assert_eq!(protections(memory)[..3], wanted);
    table.open(memory, memory + 3 * page, true);
    assert_eq!(protections(memory)[..3], [Protection::Open; 3]);
}

/// Any address, and often one near either end or near `memory`.
fn any_address(memory: u64) -> impl Strategy<Value = u64> {
    let near = memory.saturating_sub(0x3000)..memory + 0x3000 + PAGES * maps::page_size();
    prop_oneof![
        any::<u64>(),
        0..0x3000u64,
        u64::MAX - 0x3000..=u64::MAX,
        near
    ]
}

proptest! {
    /// A page in front of the block and one behind it belong to somebody else, who has protected them.
    #[test]
    fn ranges_at_either_end_of_the_address_space_end_and_change_the_pages_of_claims_only(
        steps in proptest::collection::vec((0..4u8, any_address(*SHARED), any_address(*SHARED), any::<bool>()), 1..40)
    ) {
        let (memory, page) = (*SHARED, maps::page_size());
        let bounds = (memory + page, memory + (PAGES - 1) * page);
        for alone in [memory, bounds.1] {
            prop_assert!(set(alone, alone + page, Protection::ReadOnly));
        }
        let mut table = Box::new(Table::new());
        for (step, from, to, writes) in steps {
            match step {
                0 => drop(table.add(Claim::new(1, bounds, (from, to), writes))),
                1 => table.open(from, to, writes),
                2 => drop(table.access(from, to, writes)),
                _ => drop(table.touched(from, Some(writes))),
            }
            let seen = protections(memory);
            prop_assert_eq!((seen[0], seen[PAGES as usize - 1]), (Protection::ReadOnly, Protection::ReadOnly));
        }
        table.retain(&mut |_| false);
        prop_assert!(protections(memory)[1..PAGES as usize - 1].iter().all(|&page| page == Protection::Open));
    }
}

/// One mapping for all cases.
static SHARED: std::sync::LazyLock<u64> = std::sync::LazyLock::new(memory);
