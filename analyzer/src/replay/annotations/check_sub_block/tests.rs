use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::api::functions::function;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::trackers::heap::Heap;

use super::*;

const BASE: u64 = 0x10_0000;
const SIZE: u64 = 0x8000;

/// xorshift64*, Vigna 2016.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % limit
    }
}

/// A pool over a block of 32 KiB.
struct Stage {
    heap: Heap,
    pools: Pools,
    call: Call,
    duty: PlacementRules,
}

impl Stage {
    fn new(soc: &str) -> Self {
        let block = Block {
            id: BlockId(1),
            address: BASE,
            size: SIZE,
            function: function("aclrtMalloc").unwrap(),
            site: CallSiteId(1),
            device: 0,
        };
        let mut heap = Heap::default();
        heap.allocate(block, 0, 1);
        let mut pools = Pools::default();
        pools.create(1, "p".to_owned(), 0, (BASE, SIZE));
        Self {
            heap,
            pools,
            call: Call {
                function: function("aclsan_pool_alloc").unwrap(),
                site: CallSiteId(2),
                argument: 0,
                device: 0,
            },
            duty: PlacementRules::of(&block, 0, &Profile::of_soc(soc)).unwrap(),
        }
    }

    fn give(&mut self, offset: u64, size: u64) -> Option<Finding> {
        let duty = self.duty;
        let context = AnnotationContext {
            heap: &self.heap,
            now: (0, 1),
            live_bytes: 0,
            place: &|site| site,
            duty: &|_| Some(duty),
        };
        let range = (BASE + offset, size);
        let sub = self.pools.alloc(1, range, CallSiteId(2), &context);
        judge(&self.pools, &self.call, &sub, &context)
    }

    fn take(&mut self, offset: u64) {
        self.pools.free(1, BASE + offset);
    }
}

fn rule(found: &Option<Finding>) -> &'static str {
    found.as_ref().map_or("", |found| found.rule.name)
}

#[test]
fn a_large_one_far_behind_the_nearest_counts() {
    let mut stage = Stage::new("Ascend910B3");
    assert_eq!(rule(&stage.give(0, 4000)), "");
    assert_eq!(rule(&stage.give(64, 32)), "suballoc-overlap");
    // The nearest ends at 96; the first one reaches to 4000.
    let found = stage.give(2048, 32);
    assert_eq!(rule(&found), "suballoc-overlap");
    // 4000 takes 4032, a multiple of 64; it is free from there to the end at 32768.
    assert_eq!(
        found.unwrap().details.last().unwrap(),
        "the next valid start is offset 4032, with room for 28736 bytes"
    );
    // Its padding is 4000 to 4032, whatever is in it.
    assert_eq!(rule(&stage.give(4000, 16)), "suballoc-too-small");
}

#[test]
fn a_place_is_offered_behind_all_that_are_in_the_way() {
    let mut stage = Stage::new("Ascend910B3");
    for (offset, size) in [(0, 64), (128, 64), (256, 512), (2048, 64)] {
        assert_eq!(rule(&stage.give(offset, size)), "");
    }
    let found = stage.give(32, 300).unwrap();
    // After 256 + 512 + 32 = 800, rounded up to 64: 832; until 2048 less 32 of its own padding.
    assert_eq!(
        found.details.last().unwrap(),
        "the next valid start is offset 832, with room for 1184 bytes"
    );
}

/// The obviously correct model: checks every live sub-block.
fn expected(
    live: &[(u64, u64)],
    (at, size): (u64, u64),
    taken: impl Fn(u64) -> u64,
) -> &'static str {
    let shares = |&&(start, length): &&(u64, u64)| at < start + length && start < at + size;
    let crowds = |&&(start, length): &&(u64, u64)| {
        start < at && at < start + taken(length) || at < start && start < at + taken(size)
    };
    if live.iter().any(|other| shares(&other)) {
        "suballoc-overlap"
    } else if live.iter().any(|other| crowds(&other)) {
        "suballoc-too-small"
    } else {
        ""
    }
}

/// Whether the place that a finding suggests is a multiple of 64 and has no segment but `moved` in it or its padding.
fn is_free(
    reported: &str,
    live: &[(u64, u64)],
    moved: [u64; 2],
    taken: impl Fn(u64) -> u64,
) -> bool {
    let Some(reported) = reported.strip_prefix("the next valid start is offset ") else {
        return reported.contains("no room");
    };
    let (offset, room) = reported.split_once(", with room for ").unwrap();
    let from: u64 = offset.parse().unwrap();
    let room: u64 = room.split(' ').next().unwrap().parse().unwrap();
    let end = if from + room == SIZE {
        SIZE
    } else {
        from + taken(room)
    };
    let free_but_for = |moved| {
        live.iter()
            .all(|&(start, size)| start == moved || start >= end || start + taken(size) <= from)
    };
    from.is_multiple_of(64) && from + room <= SIZE && moved.into_iter().any(free_but_for)
}

#[test]
fn random_maps_are_judged_as_if_every_live_one_was_asked() {
    let mut random = Random(0x9E37_79B9);
    let mut reported = [0; 3];
    for map in 0..20_000 {
        let (soc, gap) = [("Ascend910B3", 32), ("Ascend950PR", 0)][map % 2];
        let taken = |size: u64| size.next_multiple_of(32) + gap;
        let mut stage = Stage::new(soc);
        let mut live: Vec<(u64, u64)> = Vec::new();
        for _ in 0..12 {
            if !live.is_empty() && random.below(4) == 0 {
                let gone = live.swap_remove(random.below(live.len() as u64) as usize);
                stage.take(gone.0);
                continue;
            }
            let size = match random.below(8) {
                0 => 1 + random.below(8000),
                _ => 1 + random.below(200),
            };
            let at = match live.last() {
                // Near the end of the last one's padding.
                Some(&(start, length)) if random.below(3) == 0 => {
                    (start + length).next_multiple_of(16) + random.below(4) * 16
                }
                _ => random.below(SIZE / 16) * 16,
            };
            let at = at.min((SIZE - size) / 16 * 16);
            live.retain(|&(start, _)| start != at); // given out again: its end was not reported
            let found = stage.give(at, size);
            let want = expected(&live, (at, size), taken);
            assert_eq!(rule(&found), want, "{at}+{size} with {live:?}");
            reported[["", "suballoc-overlap", "suballoc-too-small"]
                .iter()
                .position(|name| *name == want)
                .unwrap()] += 1;
            live.push((at, size));
            if let Some(found) = found {
                let offered = found.details.last().unwrap();
                let second = found.address.unwrap() - BASE;
                let other = found
                    .details
                    .iter()
                    .find_map(|line| line.strip_prefix("B: "))
                    .unwrap();
                let other = other
                    .split("offset ")
                    .nth(1)
                    .unwrap()
                    .split(' ')
                    .next()
                    .unwrap();
                let moved = [second, other.parse().unwrap()];
                assert!(is_free(offered, &live, moved, taken), "{offered}: {live:?}");
            }
        }
    }
    assert!(reported.iter().all(|&count| count > 2000), "{reported:?}");
}
