mod resets;

use super::*;
use crate::api::block::{AddressInfo, Block, End};
use crate::api::functions::function;
use aclsan_log::batch::{BatchEntry, EventKind};
use aclsan_log::{BlockId, CallSiteId, Values};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const SITE: CallSiteId = CallSiteId(1);
const RELEASE: CallSiteId = CallSiteId(2);
const RESET: CallSiteId = CallSiteId(3);

fn block(id: u64, allocator: &str, address: u64, size: u64, device: i32) -> Block {
    Block {
        id: BlockId(id),
        address,
        size,
        function: function(allocator).unwrap(),
        site: SITE,
        device,
    }
}

pub(super) fn device_block(id: u64, address: u64, size: u64) -> Block {
    block(id, "aclrtMalloc", address, size, 0)
}

fn heap(blocks: &[Block]) -> Heap {
    let mut heap = Heap::default();
    for block in blocks {
        assert_eq!(heap.allocate(*block, 0, 1), []);
    }
    heap
}

#[test]
fn an_address_is_placed_in_the_block_that_covers_it() {
    let first = device_block(1, 0x1000, 0x100);
    let second = device_block(2, 0x1100, 0x100);
    let heap = heap(&[first, second]);
    assert_eq!(heap.place(0x1000), AddressInfo::Live(first, 0));
    assert_eq!(heap.place(0x10ff), AddressInfo::Live(first, 0xff));
    assert_eq!(heap.place(0x1100), AddressInfo::Live(second, 0));
    assert_eq!(heap.place(0x1200), AddressInfo::Unknown);
    assert_eq!(heap.place(0xfff), AddressInfo::Unknown);
    assert_eq!(heap.place(u64::MAX), AddressInfo::Unknown);
}

#[test]
fn a_released_block_stays_known_until_another_takes_a_byte_of_it() {
    let first = device_block(1, 0x1000, 0x100);
    let mut heap = heap(&[first]);
    assert!(heap.release(first.id, RELEASE).is_some());
    assert_eq!(heap.release(first.id, RELEASE), None);
    assert_eq!(
        heap.place(0x1010),
        AddressInfo::Ended(first, 0x10, End::Released(RELEASE))
    );
    heap.allocate(device_block(2, 0x10f0, 0x100), 0, 1);
    assert_eq!(heap.place(0x1010), AddressInfo::Unknown);
}

#[test]
fn an_address_handed_out_again_is_the_new_blocks() {
    let old = device_block(1, 0x1000, 0x100);
    let new = device_block(2, 0x1000, 0x80);
    let mut heap = heap(&[old]);
    heap.release(old.id, RELEASE);
    heap.allocate(new, 0, 1);
    assert_eq!(heap.place(0x1000), AddressInfo::Live(new, 0));
}

#[test]
fn a_refused_release_leaves_the_block_live() {
    let first = device_block(1, 0x1000, 0x100);
    let mut heap = heap(&[first]);
    heap.release(first.id, RELEASE);
    assert_eq!(heap.restore(first.id).map(|live| live.block), Some(first));
    assert_eq!(heap.place(0x1000), AddressInfo::Live(first, 0));
    assert_eq!(heap.live().count(), 1);
}

#[test]
fn a_block_allocated_over_a_live_one_shows_that_a_release_went_unseen() {
    let old = device_block(1, 0x1000, 0x100);
    let mut heap = heap(&[old]);
    let stale = heap.allocate(device_block(2, 0x1080, 0x10), 0, 1);
    assert_eq!(
        stale.iter().map(|live| live.block).collect::<Vec<_>>(),
        [old]
    );
    assert_eq!(heap.live().count(), 1);
}

#[test]
fn ended_blocks_are_bounded_and_the_oldest_go_first() {
    let mut heap = Heap::default();
    for id in 0..=MAX_FREED as u64 {
        heap.allocate(device_block(id, 0x1000 + id * 0x100, 16), 0, 1);
        heap.release(BlockId(id), RELEASE);
    }
    assert_eq!(heap.place(0x1000), AddressInfo::Unknown);
    assert!(matches!(heap.place(0x1100), AddressInfo::Ended(..)));
}

#[test]
fn a_block_is_not_forgotten_for_one_that_had_its_slot() {
    let mut heap = Heap::default();
    let end = |heap: &mut Heap, id, address| {
        heap.allocate(device_block(id, address, 16), 0, 1);
        heap.release(BlockId(id), RELEASE);
    };
    for (id, address) in [(1, 0x1000), (2, 0x2000), (3, 0x3000), (4, 0x2000)] {
        end(&mut heap, id, address);
    }
    let known =
        |heap: &Heap| [0x1000, 0x2000, 0x3000].map(|at| heap.place(at) != AddressInfo::Unknown);
    for other in 0..MAX_FREED as u64 - 3 {
        end(&mut heap, 5 + other, 0x10_0000 + other * 0x100);
    }
    assert_eq!(known(&heap), [true; 3], "as many as there may be");
    end(&mut heap, 1 << 20, 0x4000);
    assert_eq!(known(&heap), [false, true, true]);
    end(&mut heap, 1 << 21, 0x5000);
    assert_eq!(known(&heap), [false, true, false], "4 ended behind 3");
}

#[test]
fn an_address_at_the_very_end_does_not_overflow() {
    let last = device_block(1, u64::MAX - 8, 64);
    let mut heap = heap(&[last]);
    assert_eq!(heap.place(u64::MAX), AddressInfo::Live(last, 8));
    heap.release(last.id, RELEASE);
    assert!(matches!(heap.place(u64::MAX), AddressInfo::Ended(..)));
}

#[test]
fn a_block_that_fills_a_gap_leaves_its_neighbours_and_one_byte_more_does_not() {
    let (first, third) = (
        device_block(1, 0x1000, 0x100),
        device_block(3, 0x1200, 0x100),
    );
    let around = [first, third];
    // There is a gap from 0x1100 to 0x1200.
    for (address, size, displaced) in [
        (0x1100, 0x100, &[][..]),
        (0x1100, 0x101, &[3][..]),
        (0x10ff, 0x101, &[1][..]),
        (0x10ff, 0x102, &[3, 1][..]),
        (0x1100, 0, &[][..]),
    ] {
        let mut heap = heap(&around);
        let plainly = heap.insert_fast(PrefetchHint::NONE, device_block(4, address, size), 0, 1);
        assert_eq!(plainly.is_some(), displaced.is_empty());
        if plainly.is_some() {
            heap.forget(BlockId(4));
        }
        let stale = heap.allocate(device_block(2, address, size), 0, 1);
        let stale: Vec<u64> = stale.iter().map(|live| live.block.id.0).collect();
        assert_eq!(stale, displaced, "{address:#x} {size:#x}");
        assert!(matches!(heap.place(address), AddressInfo::Live(at, 0) if at.id == BlockId(2)));
        for block in around {
            let is_there = !displaced.contains(&block.id.0);
            assert_eq!(heap.get(block.id).is_some(), is_there);
        }
    }
}

#[test]
fn live_blocks_are_reported_in_the_order_of_addresses() {
    let blocks = [3, 1, 4, 2].map(|id| device_block(id, 0x1000 * id, 0x100));
    let mut heap = heap(&blocks);
    heap.release(BlockId(2), RELEASE);
    let reported = heap.live_in_order().map(|live| live.block.id.0);
    assert!(reported.eq([1, 3, 4]));
}

#[test]
fn a_heap_that_expects_blocks_takes_others_too() {
    let mut heap = Heap::default();
    heap.expect(2);
    for id in 1..5 {
        heap.allocate(device_block(id, 0x1000 * id, 0x100), 0, 1);
    }
    assert_eq!(heap.live().count(), 4);
}

/// Plays one step; with a hint, by the fast path where possible. Returns the blocks that lost their memory, and the
/// block that ended.
fn play(
    heap: &mut Heap,
    step: &BatchEntry,
    hint: Option<PrefetchHint>,
) -> (Vec<LiveBlock>, Option<LiveBlock>) {
    match (step.what, hint) {
        (EventKind::Release { block, .. }, None) => (Vec::new(), heap.release(block, RELEASE)),
        (EventKind::Release { block, .. }, Some(hint)) => {
            let plainly = heap.release_fast(hint, block, RELEASE, |_| true);
            let ended = plainly.map(|(_, at)| heap.block_at(at));
            (Vec::new(), ended.or_else(|| heap.release(block, RELEASE)))
        }
        (
            EventKind::Allocation {
                block,
                address,
                size,
                ..
            },
            hint,
        ) => {
            let block = device_block(block.0, address, size);
            let plainly = hint.and_then(|hint| heap.insert_fast(hint, block, step.ns, 1));
            let stale = plainly.map_or_else(|| heap.allocate(block, step.ns, 1), |_| Vec::new());
            (stale, None)
        }
        _ => unreachable!("there are no others"),
    }
}

#[test]
fn it_makes_no_difference_who_looks_ahead() {
    // Number of places for blocks, and their distance. With the first, blocks seldom overlap, with the second often.
    // The third has more places than freed blocks are kept.
    for (places, apart) in [(1 << 12, 0x100), (1 << 9, 0x40), (1 << 18, 0x100)] {
        let mut random = 1_u64;
        let mut below = |limit: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % limit
        };
        let (mut plain, mut ahead) = (Heap::default(), Heap::default());
        let (mut blocks, mut ids, mut scattered) = (Vec::new(), 0, 0);
        let mut looked_up = None;
        for batch in 0..8000 {
            // First the number of live blocks grows, then it shrinks.
            let releases = [3, 5][batch / 4000];
            let what = [(); LOOKAHEAD].map(|()| match below(8) {
                draw if draw < releases && !blocks.is_empty() => {
                    let at = below(blocks.len() as u64) as usize;
                    // Sometimes a block is released twice.
                    let block = match below(20) {
                        0 => blocks[at],
                        _ => blocks.swap_remove(at),
                    };
                    let site = RELEASE;
                    EventKind::Release { block, site }
                }
                _ => {
                    ids += 1;
                    let block = BlockId(ids);
                    blocks.push(block);
                    EventKind::Allocation {
                        block,
                        site: SITE,
                        address: 0x1_0000 + below(places) * apart,
                        size: below(0x90),
                    }
                }
            });
            let steps = what.map(|what| BatchEntry {
                ns: ids,
                tid: 1,
                what,
            });
            ahead.fetch(&steps);
            let hints = ahead.look_ahead(&steps);
            scattered += usize::from(ahead.index_lookups > 0);
            // Players take steps after the next ones have been looked up.
            let Some((steps, hints)) = looked_up.replace((steps, hints)) else {
                continue;
            };
            for (step, hint) in steps.iter().zip(hints) {
                let [alone, looked] = [
                    play(&mut plain, step, None),
                    play(&mut ahead, step, Some(hint)),
                ];
                assert_eq!(alone, looked);
            }
            let address = 0x1_0000 + below(places * apart);
            assert_eq!(plain.place(address), ahead.place(address));
            if batch % 1000 == 0 {
                assert!(plain.live_in_order().eq(ahead.live_in_order()));
            }
        }
        assert!((0..places * 2).all(|at| {
            let address = 0x1_0000 + at * apart / 2;
            plain.place(address) == ahead.place(address)
        }));
        assert!(scattered > 4000, "{scattered}");
    }
}

/// A release of one of the blocks so far, live or not, or an allocation with a place and a size.
fn any_step() -> impl Strategy<Value = Result<usize, (u64, u64)>> {
    prop_oneof![
        any::<u16>().prop_map(|block| Ok(usize::from(block))),
        (0..64_u64, 0..0x90_u64).prop_map(Err),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    /// [`it_makes_no_difference_who_looks_ahead`] for runs that are short enough to read when they fail.
    #[test]
    fn looking_ahead_makes_no_difference_to_short_runs(
        batches in vec(vec(any_step(), 1..LOOKAHEAD), 1..12),
    ) {
        let (mut plain, mut ahead) = (Heap::default(), Heap::default());
        let (mut blocks, mut looked_up) = (Vec::new(), None);
        for batch in batches {
            let mut steps = Vec::new();
            for step in batch {
                let what = match step {
                    Ok(block) if !blocks.is_empty() => EventKind::Release {
                        block: blocks[block % blocks.len()],
                        site: RELEASE,
                    },
                    Ok(_) => continue,
                    Err((place, size)) => {
                        let block = BlockId(blocks.len() as u64 + 1);
                        blocks.push(block);
                        let address = 0x1_0000 + place * 0x40;
                        EventKind::Allocation { block, site: SITE, address, size }
                    }
                };
                steps.push(BatchEntry { ns: blocks.len() as u64, tid: 1, what });
            }
            ahead.fetch(&steps);
            let hints = ahead.look_ahead(&steps);
            let Some((steps, hints)) = looked_up.replace((steps, hints)) else {
                continue;
            };
            for (step, hint) in steps.iter().zip(hints) {
                let alone = play(&mut plain, step, None);
                prop_assert_eq!(alone, play(&mut ahead, step, Some(hint)));
            }
            for at in 0..0x80 {
                let address = 0x1_0000 + at * 0x20;
                prop_assert_eq!(plain.place(address), ahead.place(address));
            }
            prop_assert!(plain.live_in_order().eq(ahead.live_in_order()));
        }
    }
}
