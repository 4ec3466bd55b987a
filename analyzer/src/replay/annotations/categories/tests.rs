//! Tests of categories.

use super::*;
use aclsan_log::CallSiteId;
use aclsan_rules::api::functions;

fn block(id: u64, size: u64) -> Block {
    Block {
        id: BlockId(id),
        address: 0x1000 * id,
        size,
        function: functions::function("aclrtMalloc").expect("it is known"),
        site: CallSiteId(1),
        device: 0,
    }
}

fn part(address: u64, size: u64) -> SubBlock {
    SubBlock {
        pool: PoolId(1),
        address,
        size,
        site: CallSiteId(1),
    }
}

fn live(all: &Categories) -> Vec<(String, u64)> {
    let held = all.held().into_iter();
    held.map(|held| (held.name, held.live)).collect()
}

fn named<const N: usize>(pairs: [(&str, u64); N]) -> Vec<(String, u64)> {
    pairs.map(|(name, bytes)| (name.to_owned(), bytes)).to_vec()
}

#[test]
fn what_a_thread_allocates_in_a_scope_has_the_innermost_category() {
    let mut all = Categories::default();
    all.push(1, None, "weights");
    all.push(1, Some((0, 7)), "no such thing");
    all.allocated(&block(1, 100), 1);
    all.allocated(&block(2, 50), 2); // another thread's
    all.end_range((0, 7));
    all.allocated(&block(3, 30), 1);
    all.pop(1);
    all.pop(1);
    all.allocated(&block(4, 5), 1);
    assert_eq!(live(&all), named([("weights", 30), ("other", 100)]));
    all.gone(BlockId(3));
    all.kept(BlockId(3));
    all.gone(BlockId(1));
    let uses = all.finish(false);
    let peaks: Vec<_> = uses
        .iter()
        .map(|one| (one.peak_bytes, one.live_bytes, one.allocations))
        .collect();
    assert_eq!(peaks, [(30, 30, 1), (100, 0, 1)]);
}

#[test]
fn a_part_counts_for_its_own_category_and_the_rest_for_the_blocks() {
    let mut all = Categories::default();
    let whole = block(1, 1000);
    all.give_block(&whole, category("kv_cache"));
    all.give_part(&part(0x1000, 300), Some(&whole), category("activations"));
    assert_eq!(live(&all), named([("activations", 300), ("kv_cache", 700)]));
    all.part_gone(&part(0x1000, 300));
    assert_eq!(live(&all), named([("activations", 0), ("kv_cache", 1000)]));
}

#[test]
fn memory_that_no_call_of_a_step_names_is_idle_in_it() {
    let mut all = Categories::default();
    all.step();
    all.give_block(&block(1, 100), 0);
    all.give_block(&block(2, 10), 0);
    all.step(); // both are new
    all.named(BlockId(2), u64::MAX);
    all.step();
    assert_eq!(all.finish(false)[0].idle_bytes, Some(100));
}

/// Oversized bytes after two steps in which block 1, of 1000 bytes, and its part of 300 bytes at 200 lived, and in the second of which
/// `happens` did.
fn oversized(happens: impl Fn(&mut Categories)) -> Vec<Option<u64>> {
    let mut all = Categories::default();
    let whole = block(1, 1000);
    all.step();
    all.give_block(&whole, category("kv_cache"));
    all.part_added(&part(0x10c8, 300), Some(&whole), 1);
    all.give_part(&part(0x10c8, 300), Some(&whole), category("activations"));
    all.named(BlockId(1), u64::MAX); // in the step in which it was new
    all.step();
    happens(&mut all);
    all.step();
    let uses = all.finish(false).into_iter();
    uses.map(|one| one.oversized_bytes).collect()
}

#[test]
fn what_is_behind_all_uses_and_parts_is_oversized() {
    let of = |part: u64, rest: u64| vec![Some(part), Some(rest)];
    assert_eq!(oversized(|_| ()), of(0, 0), "idle, not oversized");
    assert_eq!(oversized(|all| all.named(BlockId(1), 0x1010)), of(0, 500));
    assert_eq!(
        oversized(|all| {
            all.named(BlockId(1), 0x1000 + 900);
            all.named(BlockId(1), 0x1010);
            all.named_part(&part(0x10c8, 300), 0x10c8 + 100);
        }),
        of(200, 100)
    );
    assert_eq!(oversized(|all| all.named(BlockId(1), u64::MAX)), of(0, 0));
    let gone = |all: &mut Categories| {
        all.named(BlockId(1), 0x1010);
        all.gone(BlockId(1));
    };
    assert_eq!(oversized(gone), of(0, 0), "released within the step");
}

#[test]
fn the_end_of_a_block_counts_for_all_that_it_stands_for() {
    let mut held = Given::new(0, (0x1000, 1000), 1);
    held.bytes = 4000;
    held.name(0x1000 + 750, 2);
    assert_eq!(held.beyond(), 1000);
}

#[test]
fn points_over_time_are_few_and_keep_the_peak() {
    let mut all = Categories::default();
    for at in 0..100_000 {
        all.pass(at * 1000);
        all.give_block(&block(at, 1 + at % 977), 0);
        all.pass(at * 1000 + 500);
        all.gone(BlockId(at));
    }
    let one = &all.finish(false)[0];
    assert!(one.over_time.len() <= MAX_POINTS);
    let highest = one.over_time.iter().map(|point| point.bytes).max();
    assert_eq!((one.peak_bytes, highest), (977, Some(977)));
}
