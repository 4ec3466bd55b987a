//! The index against a set of the standard library.

use super::*;
use std::collections::BTreeSet;

/// The slot that these tests give an address.
fn slot(start: u64) -> u32 {
    !start as u32
}

fn insert(starts: &mut AddressIndex, start: u64) {
    starts.insert(&starts.insert_point(start), start, slot(start));
}

/// Compares the addresses around one address.
fn check(starts: &AddressIndex, naive: &BTreeSet<u64>, address: u64) {
    let before = naive.range(..address).next_back();
    let from = naive.range(address..).next().copied();
    assert_eq!(
        (starts.last_before(address), starts.first_from(address)),
        (before.map(|&start| (start, slot(start))), from)
    );
}

/// Everything is where it is looked up, and nothing is empty.
fn check_shape(starts: &AddressIndex, naive: &BTreeSet<u64>) {
    let nodes = || starts.nodes.iter();
    let leaves = || {
        let order = nodes().flat_map(Node::order);
        order.map(|&of| starts.leaves[of as usize].starts())
    };
    assert!(leaves().all(|leaf| (1..=LEAF_LEN).contains(&leaf.len())));
    assert!(leaves().flatten().eq(naive));
    let firsts = nodes().flat_map(Node::firsts);
    assert!(leaves().map(|leaf| &leaf[0]).eq(firsts));
    assert!(nodes().all(|node| (1..=NODE_LEN).contains(&node.len())));
    assert!(nodes().map(|node| &node.firsts()[0]).eq(&starts.tops));
    assert_eq!(leaves().count() + starts.free.len(), starts.leaves.len());
    assert!(starts.slots().eq(naive.iter().copied().map(slot)));
}

#[test]
fn they_are_as_those_of_a_set_are_whatever_comes_and_goes() {
    let (mut starts, mut naive) = (AddressIndex::default(), BTreeSet::new());
    let (mut random, mut nodes, mut known) = (1_u64, 0, 0);
    // Mostly more, then mostly fewer.
    for step in 0..80_000_u64 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let address = (random >> 40) % 40_000;
        let is_more = (random >> 20) % 4 < if step < 40_000 { 3 } else { 1 };
        // Nearby, so that changes in between often matter.
        let other = (address + (random >> 10) % 32).saturating_sub(16);
        let cursor = starts.cursor(starts.near(other), other);
        if is_more && naive.insert(address) {
            let insert_point = starts.insert_point(address);
            let before = naive.range(..address).next_back();
            let next = naive.range(address + 1..).next().copied();
            assert_eq!(
                (insert_point.before, insert_point.next),
                (before.map(|&start| slot(start)), next)
            );
            starts.insert(&insert_point, address, slot(address));
        } else if !is_more {
            starts.remove(address);
            naive.remove(&address);
        }
        if let Some(insert_point) = starts.insert_point_at(cursor, other) {
            assert!(!naive.contains(&other));
            assert_eq!(insert_point, starts.insert_point(other));
            known += 1;
        }
        check(&starts, &naive, address);
        check(&starts, &naive, address + 1);
        check(&starts, &naive, (random >> 10) % 40_100);
        nodes = nodes.max(starts.nodes.len());
    }
    assert!(nodes > 1, "there was more than one shelf can hold");
    assert!(known > 20_000, "a place of {known} was the same");
    check_shape(&starts, &naive);
    // Until none is left: 7 and 40,000 have no divisor in common, so every address gets its turn.
    for address in (0..40_000).map(|step| step * 7 % 40_000) {
        starts.remove(address);
        naive.remove(&address);
        if address % 400 == 0 {
            check_shape(&starts, &naive);
        }
    }
    assert!(starts.tops.is_empty() && starts.nodes.is_empty());
}

#[test]
fn the_ends_of_all_addresses_are_addresses() {
    let mut starts = AddressIndex::default();
    assert_eq!(
        (starts.last_before(u64::MAX), starts.first_from(0)),
        (None, None)
    );
    starts.remove(7);
    insert(&mut starts, u64::MAX);
    insert(&mut starts, 0);
    assert_eq!(
        (starts.last_before(0), starts.last_before(1)),
        (None, Some((0, slot(0))))
    );
    assert_eq!(starts.first_from(1), Some(u64::MAX));
    assert_eq!(
        (starts.first_from(u64::MAX), starts.last_before(u64::MAX)),
        (Some(u64::MAX), Some((0, slot(0))))
    );
}

#[test]
fn runs_and_shelves_are_full_where_addresses_rise_and_few_where_few_are_left() {
    const ALL: u64 = 2 * (NODE_LEN * LEAF_LEN) as u64;
    let mut starts = AddressIndex::default();
    let leaves = |starts: &AddressIndex| starts.nodes.iter().map(Node::len).collect::<Vec<_>>();
    (0..ALL).for_each(|start| insert(&mut starts, start));
    assert_eq!(leaves(&starts), [NODE_LEN, NODE_LEN]);
    // One address of every two leaves stays: half a leaf has room for sixteen of them, half a node for all of those.
    let stays = |start: &u64| start.is_multiple_of(2 * LEAF_LEN as u64);
    (0..ALL)
        .filter(|start| !stays(start))
        .for_each(|start| starts.remove(start));
    assert_eq!(
        (leaves(&starts), starts.slots().count()),
        (vec![32], NODE_LEN)
    );
    (0..ALL)
        .filter(stays)
        .for_each(|start| starts.remove(start));
    assert!(starts.nodes.is_empty() && starts.tops.is_empty());
    // Freed leaves are reused.
    (0..ALL).for_each(|start| insert(&mut starts, start));
    assert_eq!(starts.leaves.len(), 2 * NODE_LEN);
}
