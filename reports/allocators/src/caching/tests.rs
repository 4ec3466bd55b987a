use super::*;
use crate::{GIB, MIB};

struct World {
    cache: Caching,
    device: Device,
}

impl World {
    fn new(settings: &str, capacity: Option<u64>) -> Self {
        let settings =
            Settings::parse(TORCH_NPU, settings).unwrap_or_else(|error| panic!("{error}"));
        Self {
            cache: Caching::new(settings),
            device: Device::new(capacity),
        }
    }

    fn take(&mut self, part: Part, bytes: u64) -> bool {
        self.take_on(part, bytes, 0)
    }

    fn take_on(&mut self, part: Part, bytes: u64, stream: u32) -> bool {
        let asked = Asked {
            bytes,
            stream,
            pool: 0,
        };
        self.cache.allocate(part, asked, &mut self.device)
    }

    fn give_back(&mut self, part: Part) {
        self.cache.release(part, &mut self.device);
    }

    fn reserved_mib(&self) -> u64 {
        assert_eq!(self.device.in_use(), self.cache.reserved());
        self.cache.reserved() / MIB
    }
}

#[test]
fn small_requests_share_two_mebibytes_and_large_ones_twenty() {
    let mut world = World::new("", None);
    assert!(world.take(0, 100) && world.take(1, 1000));
    assert_eq!(world.reserved_mib(), 2);
    assert_eq!(world.cache.allocated(), 512 + 1536);
    assert!(world.take(2, MIB)); // With the 32 bytes it is large.
    assert_eq!(world.reserved_mib(), 22);
    assert!(world.take(3, 10 * MIB)); // In the rest of the twenty.
    assert_eq!(world.reserved_mib(), 22);
    assert!(world.take(4, 10 * MIB)); // Nothing is left: rounded to 2 MiB.
    assert_eq!(world.reserved_mib(), 34);
}

#[test]
fn streams_do_not_share() {
    let mut world = World::new("", None);
    assert!(world.take_on(0, 100, 0));
    world.give_back(0);
    assert!(world.take_on(1, 100, 1));
    assert_eq!(world.reserved_mib(), 4);
}

#[test]
fn what_is_retired_is_not_allocated_and_not_reused() {
    let mut world = World::new("", None);
    assert!(world.take(0, 10 * MIB));
    world.cache.retire(0);
    world.cache.retire(0);
    assert_eq!(world.cache.allocated(), 0);
    assert!(world.take(1, 10 * MIB));
    assert_eq!(world.reserved_mib(), 24);
    world.give_back(0);
    assert!(world.take(2, 10 * MIB));
    assert_eq!(world.reserved_mib(), 24);
    assert_eq!(world.cache.allocated(), 2 * (10 * MIB + 512));
}

#[test]
fn a_full_device_gets_back_what_is_not_cut() {
    let mut world = World::new("", Some(64 * MIB));
    assert!(world.take(0, 30 * MIB) && world.take(1, 30 * MIB));
    world.give_back(0);
    assert!(!world.take(2, 33 * MIB)); // 34 MiB, and 32 of 64 are in use.
    assert_eq!(world.reserved_mib(), 32, "it has returned the other 32");
    assert!(world.take(2, 31 * MIB));
    world.give_back(1);
    world.give_back(2);
    world.cache.empty_cache(&mut world.device);
    assert_eq!(world.reserved_mib(), 0);
}

#[test]
fn a_segment_that_is_cut_stays() {
    let mut world = World::new("", None);
    assert!(world.take(0, 2 * MIB) && world.take(1, 2 * MIB));
    world.give_back(0);
    world.cache.empty_cache(&mut world.device);
    assert_eq!(world.reserved_mib(), 20);
    world.give_back(1);
    world.cache.empty_cache(&mut world.device);
    assert_eq!(world.reserved_mib(), 0);
}

#[test]
fn oversized_blocks_are_kept_for_large_requests() {
    let mut world = World::new("max_split_size_mb:32", None);
    assert!(world.take(0, 64 * MIB - 32));
    world.give_back(0);
    assert!(world.take(1, 20 * MIB - 32)); // Would be cut from the 64.
    assert_eq!(world.reserved_mib(), 84);
    assert!(world.take(2, 45 * MIB)); // 19 MiB smaller: it takes the whole block.
    assert_eq!(world.reserved_mib(), 84);
    world.give_back(2);
    assert!(world.take(2, 43 * MIB)); // 21 MiB smaller: that is too much.
    assert_eq!(world.reserved_mib(), 128);
}

#[test]
fn old_segments_are_collected_over_the_threshold() {
    let settings = "garbage_collection_threshold:0.25,per_process_memory_fraction:1.0";
    let mut world = World::new(settings, Some(256 * MIB));
    assert!(world.take(2, 10) && world.take(0, 30 * MIB) && world.take(1, 40 * MIB));
    world.give_back(0);
    world.give_back(1);
    assert!(world.take(1, 40 * MIB)); // The 42 are young again.
    world.give_back(1);
    assert_eq!(world.reserved_mib(), 2 + 32 + 42);
    // More than 64: the 32 are older than the average of both, and enough.
    assert!(world.take(3, 50 * MIB));
    assert_eq!(world.reserved_mib(), 2 + 42 + 52);
}

#[test]
fn an_expandable_segment_grows_in_place() {
    let mut world = World::new("expandable_segments:True", Some(GIB));
    assert!(world.take(0, 15 * MIB));
    assert_eq!(world.reserved_mib(), 20);
    assert!(world.take(1, 30 * MIB));
    assert_eq!(world.reserved_mib(), 60);
    world.give_back(0);
    world.give_back(1);
    assert!(world.take(2, 59 * MIB)); // The whole of it, without holes.
    assert_eq!(world.reserved_mib(), 60);
    world.give_back(2);
    world.cache.empty_cache(&mut world.device);
    assert_eq!(world.reserved_mib(), 0);
}

#[test]
fn expandable_segments_return_the_pieces_in_the_middle() {
    let mut world = World::new("expandable_segments:True", Some(GIB));
    for part in 0..4 {
        assert!(world.take(part, 20 * MIB - 32));
    }
    world.give_back(1);
    world.give_back(2);
    world.cache.empty_cache(&mut world.device);
    assert_eq!(world.reserved_mib(), 40);
    // The lowest addresses get memory again.
    assert!(world.take(1, 25 * MIB));
    assert_eq!(world.reserved_mib(), 80);
}

#[test]
fn large_blocks_of_expandable_segments_are_aligned() {
    for (settings, reserved) in [
        ("expandable_segments:True", 40),
        ("expandable_segments:True,base_addr_aligned_kb:0", 20),
    ] {
        let mut world = World::new(settings, Some(GIB));
        assert!(world.take(0, MIB)); // The next block could begin after 1 MiB and 512 bytes.
        assert!(world.take(1, 2 * MIB - 32)); // Begins after 1 MiB and 16 KiB.
        assert!(world.take(2, 17 * MIB - 15 * 1024)); // One KiB is missing.
        assert_eq!(world.reserved_mib(), reserved, "{settings}");
    }
}

#[test]
fn private_pools_return_memory_once_they_are_closed() {
    let mut world = World::new("", None);
    let asked = Asked {
        bytes: 30 * MIB,
        stream: 0,
        pool: 1,
    };
    assert!(world.cache.allocate(0, asked, &mut world.device));
    world.give_back(0);
    world.cache.empty_cache(&mut world.device);
    assert_eq!(world.reserved_mib(), 32);
    assert!(world.take(1, 30 * MIB));
    assert_eq!(world.reserved_mib(), 64, "other requests do not get it");
    world.cache.close_pool(1);
    world.cache.empty_cache(&mut world.device);
    assert_eq!(world.reserved_mib(), 32);
}
