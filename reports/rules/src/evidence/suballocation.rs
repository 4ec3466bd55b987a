//! Blocks that the program subdivides: what the sub-allocation guide asks of each segment, and how two segments lie to
//! each other.
//!
//! The guide (*Secondary allocation of memory*, AscendCL application development, CANN 8.0 and 8.1): whatever interface
//! allocated the block, a segment of `len` bytes takes up `ALIGN_UP(len, 32) + 32` and starts at a multiple of 64, or
//! of 128 if the media units write what a model reads. The extra 32 bytes are the runtime's `padding_size`, which
//! depends on the SoC; 1 GiB pages need none.

use crate::api::block::Block;
use crate::api::family::Family;
use crate::api::profile::Profile;
use crate::evidence::plural::bytes;
use aclsan_log::CallSiteId;

/// `ACL_MEM_MALLOC_HUGE1G_ONLY` and `…_P2P`: their pages need no padding (runtime 681ef761).
const GIANT_POLICIES: [u32; 2] = [6, 7];

/// A part of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Address of the first byte.
    pub address: u64,
    /// Bytes that were requested.
    pub size: u64,
    /// The call that reported it.
    pub site: CallSiteId,
}

impl Segment {
    /// Address after the last byte.
    pub fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }

    /// Bytes that both segments have.
    pub fn shared(&self, other: &Self) -> u64 {
        let start = self.address.max(other.address);
        self.end().min(other.end()).saturating_sub(start)
    }
}

/// Requirements on the segments of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacementRules {
    /// Each starts at a multiple of this.
    pub alignment: u64,
    /// Each takes up a multiple of this,
    pub rounding: u64,
    /// plus this.
    pub gap: u64,
    /// Whether the pool itself has promised more than the guide asks.
    pub is_promise: bool,
}

impl PlacementRules {
    /// What the guide requires of segments of `block`, which was allocated with `policy`. `None` if it requires
    /// nothing: host memory, unless it is device memory as well, and memory from other sources.
    pub fn of(block: &Block, policy: u32, profile: &Profile) -> Option<Self> {
        let vendor = block.function.vendor();
        let alignment = match block.family() {
            Family::Device => vendor.alignment,
            Family::Pinned if profile.shared_memory => vendor.alignment,
            Family::Dvpp | Family::DvppMpi => vendor.media_alignment,
            _ => return None,
        };
        let is_giant = block.family() == Family::Device && GIANT_POLICIES.contains(&policy);
        Some(Self {
            alignment,
            rounding: 32,
            gap: if is_giant { 0 } else { profile.padding },
            is_promise: false,
        })
    }

    /// Adds a pool's promise: `alignment` and `rounding`, 0 for nothing.
    pub fn promised(self, alignment: u64, rounding: u64) -> Self {
        // A number that is no power of two fits no guide; the least common multiple of both would be a guess.
        let stricter = |own: u64, promised_value: u64| {
            if promised_value.is_multiple_of(own) {
                promised_value.max(own)
            } else {
                own
            }
        };
        let (alignment, rounding) = (
            stricter(self.alignment, alignment),
            stricter(self.rounding, rounding),
        );
        Self {
            is_promise: (alignment, rounding) != (self.alignment, self.rounding),
            alignment,
            rounding,
            ..self
        }
    }

    /// Bytes that a segment of `size` takes up.
    pub fn taken(&self, size: u64) -> u64 {
        let guide = size.max(1).checked_next_multiple_of(32);
        let guide = guide.and_then(|rounded| rounded.checked_add(self.gap));
        let promised = size.max(1).checked_next_multiple_of(self.rounding);
        guide.max(promised).unwrap_or(u64::MAX)
    }

    /// The most that a segment takes up beyond its size.
    pub fn most_on_top(&self) -> u64 {
        self.gap.saturating_add(31).max(self.rounding - 1)
    }

    /// The first address at or after `address` where a segment may start.
    pub fn start_from(&self, address: u64) -> u64 {
        address
            .checked_next_multiple_of(self.alignment)
            .unwrap_or(u64::MAX)
    }

    /// The first address after `segment` where another may start.
    pub fn behind(&self, segment: &Segment) -> u64 {
        self.start_from(segment.address.saturating_add(self.taken(segment.size)))
    }

    /// The rule in words, with its source.
    pub fn words(&self, block: &Block) -> String {
        let gap = match self.gap {
            0 => "ALIGN_UP(length, 32) bytes, with nothing on top on this SoC or these pages"
                .to_owned(),
            gap => format!("ALIGN_UP(length, 32) + {gap} bytes"),
        };
        let promise = match self.is_promise {
            true => format!(
                "; the pool promises multiples of {}, and to take up multiples of {}",
                bytes(self.alignment),
                bytes(self.rounding)
            ),
            false => String::new(),
        };
        let vendor = block.function.vendor();
        let start = match block.family() {
            _ if !self.is_promise => self.alignment,
            Family::Dvpp | Family::DvppMpi => vendor.media_alignment,
            _ => vendor.alignment,
        };
        format!(
            "the rule: segments of `{}` start at multiples of {start} and take up {gap} ({}){promise}",
            block.function.name, vendor.suballocation_guide
        )
    }
}

/// A pool, in words.
pub fn pool_label(name: &str) -> String {
    match name {
        "" => "a pool without a name".to_owned(),
        _ => format!("pool `{name}`"),
    }
}

/// What surrounds a segment in its block.
#[derive(Clone, Copy, Debug)]
pub struct Neighbors<'a> {
    /// The block.
    pub block: &'a Block,
    /// The relevant segment before it, or else the nearest.
    pub before: Option<Segment>,
    /// The nearest segment that starts after its start.
    pub behind: Option<Segment>,
    /// Where there is room for it beyond everything in its way, and up to where.
    pub room: Option<(u64, u64)>,
}

impl<'a> Neighbors<'a> {
    /// No known neighbors.
    pub fn none(block: &'a Block) -> Self {
        Self {
            block,
            before: None,
            behind: None,
            room: None,
        }
    }
}

/// Where a segment may start instead, and how long it may be there. `from` is the first address that is not taken,
/// `until` where the next segment starts or the block ends.
pub fn place_from(block: &Block, placement: &PlacementRules, from: u64, until: u64) -> String {
    let start = placement.start_from(from);
    let end = block.address.saturating_add(block.size);
    let is_last = until >= end;
    let room = until.min(end).saturating_sub(start);
    // The last segment needs no padding after it: the runtime has its own there.
    let room = if is_last {
        room
    } else {
        let whole = room.saturating_sub(placement.gap);
        whole - whole % 32
    };
    match room {
        0 => "the block has no room for it after its neighbor: allocate a larger one".to_owned(),
        room => format!(
            "the next valid start is offset {}, with room for {}",
            start - block.address,
            bytes(room)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn placement(allocator: &str, policy: u32, soc: &str) -> Option<PlacementRules> {
        PlacementRules::of(
            &block(allocator, 0x1000, 4096),
            policy,
            &Profile::of_soc(soc),
        )
    }

    #[test]
    fn a_segment_takes_up_its_length_rounded_and_the_padding_of_the_soc() {
        let usual = placement("aclrtMalloc", 0, "Ascend910B3").unwrap();
        // ALIGN_UP(300, 32) + 32 = 320 + 32; ALIGN_UP(320, 32) + 32 = 352; ALIGN_UP(321, 32) + 32 = 384.
        assert_eq!(
            [300, 320, 321].map(|size| usual.taken(size)),
            [352, 352, 384]
        );
        let none = placement("aclrtMalloc", 0, "Ascend950PR_9589").unwrap();
        assert_eq!(none.taken(300), 320);
        let giant = placement("aclrtMalloc", 6, "Ascend910B3").unwrap();
        assert_eq!(giant.taken(300), 320);
        let half = placement("aclrtMalloc", 0, "Ascend035").unwrap();
        assert_eq!(half.taken(300), 336);
    }

    #[test]
    fn the_next_one_starts_at_the_next_multiple_behind() {
        let at = |address, size| Segment {
            address,
            size,
            site: HERE,
        };
        let plain = placement("aclrtMalloc", 0, "auto").unwrap();
        // 0x1000 + 352 = 0x1160, up to 64: 0x1180.
        assert_eq!(plain.behind(&at(0x1000, 300)), 0x1180);
        let media = placement("acldvppMalloc", 0, "auto").unwrap();
        assert_eq!(
            (media.alignment, media.behind(&at(0x1000, 300))),
            (128, 0x1180)
        );
        assert_eq!(media.behind(&at(0x1000, 384)), 0x1200); // 416, up to 128: 512
    }

    #[test]
    fn host_memory_is_asked_for_nothing_unless_the_device_has_it_too() {
        let host = block("aclrtMallocHost", 0x1000, 64);
        assert_eq!(PlacementRules::of(&host, 0, &Profile::default()), None);
        let shared = Profile {
            shared_memory: true,
            ..Profile::default()
        };
        assert_eq!(
            PlacementRules::of(&host, 0, &shared).map(|placement| placement.alignment),
            Some(64)
        );
        assert_eq!(placement("aclrtMemAllocManaged", 0, "auto"), None);
    }

    #[test]
    fn a_pools_promise_counts_where_it_is_stricter() {
        let plain = placement("aclrtMalloc", 0, "auto").unwrap();
        let promised = plain.promised(512, 512);
        assert_eq!((promised.alignment, promised.taken(1000)), (512, 1056)); // 1024 < 1024 + 32
        assert_eq!(promised.taken(1025), 1536);
        assert!(!plain.promised(16, 0).is_promise);
        assert_eq!(plain.promised(96, 0).alignment, 64); // no multiple of 64
    }

    #[test]
    fn numbers_at_the_end_of_the_address_space_do_not_overflow() {
        let plain = placement("aclrtMalloc", 0, "auto").unwrap();
        let last = Segment {
            address: u64::MAX - 5,
            size: u64::MAX,
            site: HERE,
        };
        assert_eq!(plain.behind(&last), u64::MAX);
        assert_eq!(plain.taken(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_valid_place_is_reported_with_its_room() {
        let block = device_block(0x1000, 1024);
        let placement = PlacementRules::of(&block, 0, &Profile::default()).unwrap();
        assert_eq!(
            place_from(&block, &placement, 0x1160, u64::MAX),
            "the next valid start is offset 384, with room for 640 bytes"
        );
        // Up to offset 640: 256 bytes minus the 32 that the segment there keeps clear.
        assert_eq!(
            place_from(&block, &placement, 0x1160, 0x1280),
            "the next valid start is offset 384, with room for 224 bytes"
        );
        assert!(place_from(&block, &placement, 0x13f0, u64::MAX).contains("no room"));
    }
}
