//! Starts against a set of the standard library.

use super::*;
use std::collections::BTreeSet;

/// The slot that these tests give an address.
fn slot(start: u64) -> u32 {
    !start as u32
}

fn insert(starts: &mut Starts, start: u64) {
    starts.fill(&starts.gap(start), start, slot(start));
}

/// What both say of the places around an address.
fn check(starts: &Starts, naive: &BTreeSet<u64>, address: u64) {
    let before = naive.range(..address).next_back();
    let from = naive.range(address..).next().copied();
    assert_eq!(
        (starts.before(address), starts.from(address)),
        (before.map(|&start| (start, slot(start))), from)
    );
}

/// That all is where it is looked for, and nothing is empty.
fn check_shape(starts: &Starts, naive: &BTreeSet<u64>) {
    let shelves = || starts.shelves.iter();
    let runs = || {
        let order = shelves().flat_map(Shelf::order);
        order.map(|&of| starts.runs[of as usize].starts())
    };
    assert!(runs().all(|run| (1..=RUN).contains(&run.len())));
    assert!(runs().flatten().eq(naive));
    let firsts = shelves().flat_map(Shelf::firsts);
    assert!(runs().map(|run| &run[0]).eq(firsts));
    assert!(shelves().all(|shelf| (1..=SHELF).contains(&shelf.len())));
    assert!(shelves().map(|shelf| &shelf.firsts()[0]).eq(&starts.tops));
    assert_eq!(runs().count() + starts.free.len(), starts.runs.len());
    assert!(starts.slots().eq(naive.iter().copied().map(slot)));
}

#[test]
fn they_are_as_those_of_a_set_are_whatever_comes_and_goes() {
    let (mut starts, mut naive) = (Starts::default(), BTreeSet::new());
    let (mut random, mut shelves, mut known) = (1_u64, 0, 0);
    // Mostly more, then mostly fewer.
    for step in 0..80_000_u64 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let address = (random >> 40) % 40_000;
        let is_more = (random >> 20) % 4 < if step < 40_000 { 3 } else { 1 };
        // Near, so that what happens in between often matters.
        let other = (address + (random >> 10) % 32).saturating_sub(16);
        let spot = starts.spot(starts.near(other), other);
        if is_more && naive.insert(address) {
            let gap = starts.gap(address);
            let before = naive.range(..address).next_back();
            let behind = naive.range(address + 1..).next().copied();
            assert_eq!(
                (gap.before, gap.behind),
                (before.map(|&start| slot(start)), behind)
            );
            starts.fill(&gap, address, slot(address));
        } else if !is_more {
            starts.remove(address);
            naive.remove(&address);
        }
        if let Some(gap) = starts.gap_at(spot, other) {
            assert!(!naive.contains(&other));
            assert_eq!(gap, starts.gap(other));
            known += 1;
        }
        check(&starts, &naive, address);
        check(&starts, &naive, address + 1);
        check(&starts, &naive, (random >> 10) % 40_100);
        shelves = shelves.max(starts.shelves.len());
    }
    assert!(shelves > 1, "there was more than one shelf can hold");
    assert!(known > 20_000, "a place of {known} was the same");
    check_shape(&starts, &naive);
    // Until none is left: 7 and 40,000 have no divisor in common, so that every address has its turn.
    for address in (0..40_000).map(|step| step * 7 % 40_000) {
        starts.remove(address);
        naive.remove(&address);
        if address % 400 == 0 {
            check_shape(&starts, &naive);
        }
    }
    assert!(starts.tops.is_empty() && starts.shelves.is_empty());
}

#[test]
fn the_ends_of_all_addresses_are_addresses() {
    let mut starts = Starts::default();
    assert_eq!((starts.before(u64::MAX), starts.from(0)), (None, None));
    starts.remove(7);
    insert(&mut starts, u64::MAX);
    insert(&mut starts, 0);
    assert_eq!(
        (starts.before(0), starts.before(1)),
        (None, Some((0, slot(0))))
    );
    assert_eq!(starts.from(1), Some(u64::MAX));
    assert_eq!(
        (starts.from(u64::MAX), starts.before(u64::MAX)),
        (Some(u64::MAX), Some((0, slot(0))))
    );
}

#[test]
fn runs_and_shelves_are_full_where_addresses_rise_and_few_where_few_are_left() {
    const ALL: u64 = 2 * (SHELF * RUN) as u64;
    let mut starts = Starts::default();
    let runs = |starts: &Starts| starts.shelves.iter().map(Shelf::len).collect::<Vec<_>>();
    (0..ALL).for_each(|start| insert(&mut starts, start));
    assert_eq!(runs(&starts), [SHELF, SHELF]);
    // Of every two runs one address stays: half of a run has room for sixteen of them, half a shelf for all of those.
    let stays = |start: &u64| start.is_multiple_of(2 * RUN as u64);
    (0..ALL)
        .filter(|start| !stays(start))
        .for_each(|start| starts.remove(start));
    assert_eq!((runs(&starts), starts.slots().count()), (vec![32], SHELF));
    (0..ALL)
        .filter(stays)
        .for_each(|start| starts.remove(start));
    assert!(starts.shelves.is_empty() && starts.tops.is_empty());
    // What was left serves again.
    (0..ALL).for_each(|start| insert(&mut starts, start));
    assert_eq!(starts.runs.len(), 2 * SHELF);
}
