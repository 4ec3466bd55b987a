//! Segments of blocks, at the moment when somebody tells of them: by `aclsan.h`, by mstx, by a data buffer.
//!
//! What is judged here needs the segment and its block alone; the others are known for the drawing of neighbours. How two live segments lie
//! to each other is the log's matter.

use super::{Part, Scene};
use crate::block::{Block, Place};
use crate::carving::{Duty, Segment};
use crate::family::Family;
use crate::finding::Finding;
use crate::functions::Call;
use crate::profile::MEDIA_ALIGNMENT;
use crate::rules::suballoc_too_small::Neighbours;
use crate::rules::{suballoc_misaligned, suballoc_out_of_block};
use aclsan_log::{BlockId, Values};
use std::collections::{BTreeMap, HashMap};

/// Segments kept at most; more are judged, and are nobody's neighbours.
const MOST: usize = 1 << 16;

/// Who tells of a segment: the number of a pool or a heap, or the handle of a data buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Teller {
    Pool(u64),
    Heap(u64),
    Buffer(u64),
}

#[derive(Clone, Copy, Default)]
struct Pool {
    /// First byte and the one behind the last, if that was told.
    range: Option<(u64, u64)>,
    /// What the pool promises: alignment, rounding.
    promise: (u64, u64),
}

struct Known {
    segment: Segment,
    teller: Teller,
    block: BlockId,
}

/// The pools and the segments that are known.
#[derive(Default)]
pub struct Carved {
    pools: HashMap<Teller, Pool>,
    segments: BTreeMap<u64, Known>,
    /// Where the segments of data buffers and of mstx handles start.
    starts: HashMap<u64, u64>,
}

impl Part for Carved {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        scene: &dyn Scene,
        found: &mut Vec<Finding>,
    ) {
        if status != 0 {
            return;
        }
        let at = |index| values.get(index);
        match call.function.name {
            "aclsan_pool_create" => self.open(Teller::Pool(at(0)), at(2), at(3)),
            "aclsan_pool_policy" => {
                let pool = self.pools.entry(Teller::Pool(at(0))).or_default();
                pool.promise = (at(1), at(2));
            }
            "aclsan_pool_alloc" => {
                let range = (at(1), at(2));
                found.extend(self.told(call, Teller::Pool(at(0)), range, scene));
            }
            "aclsan_pool_free" => self.gone(at(1)),
            "aclsan_pool_destroy" => self.close(Teller::Pool(at(0))),
            "mstxMemHeapRegister" => self.open(Teller::Heap(at(1)), at(2), at(3)),
            "mstxMemHeapUnregister" => self.close(Teller::Heap(at(1))),
            "mstxMemRegionsRegister" => {
                if at(5) != 0 && self.starts.len() < MOST {
                    self.starts.insert(at(5), at(2));
                }
                let range = (at(2), at(3));
                found.extend(self.told(call, Teller::Heap(at(1)), range, scene));
            }
            "mstxMemRegionsUnregister" => {
                let start = match at(1) != 0 {
                    true => self.starts.remove(&at(2)).unwrap_or(0),
                    false => at(2),
                };
                self.gone(start);
            }
            "aclCreateDataBuffer" | "aclUpdateDataBuffer" => {
                self.forget_buffer(at(0));
                if self.starts.len() < MOST {
                    self.starts.insert(at(0), at(1));
                }
                let range = (at(1), at(2));
                found.extend(self.told(call, Teller::Buffer(at(0)), range, scene));
            }
            _ => {}
        }
    }

    fn releasing(&mut self, _: &Call, block: &Block, _: &dyn Scene, _: &mut Vec<Finding>) {
        if block.family() == Family::DataBuffer {
            self.forget_buffer(block.address);
        }
    }
}

impl Carved {
    fn open(&mut self, teller: Teller, address: u64, size: u64) {
        self.close(teller);
        if self.pools.len() < MOST {
            let range = (size > 0).then(|| (address, address.saturating_add(size)));
            let promise = (0, 0);
            self.pools.insert(teller, Pool { range, promise });
        }
    }

    fn close(&mut self, teller: Teller) {
        if self.pools.remove(&teller).is_some() {
            self.segments.retain(|_, known| known.teller != teller);
        }
    }

    fn gone(&mut self, address: u64) {
        if let Some(known) = self.segments.get(&address)
            && !matches!(known.teller, Teller::Buffer(_))
        {
            self.segments.remove(&address);
        }
    }

    fn forget_buffer(&mut self, handle: u64) {
        let start = self.starts.remove(&handle);
        if let Some(start) = start
            && let Some(known) = self.segments.get(&start)
            && known.teller == Teller::Buffer(handle)
        {
            self.segments.remove(&start);
        }
    }

    /// Somebody tells of a segment.
    fn told(
        &mut self,
        call: &Call,
        teller: Teller,
        (address, size): (u64, u64),
        scene: &dyn Scene,
    ) -> Option<Finding> {
        if address == 0 || size == 0 {
            return None;
        }
        let segment = Segment {
            address,
            size,
            site: call.site,
        };
        // A buffer in a segment that its pool told of is a part of that one.
        let is_buffer = matches!(teller, Teller::Buffer(_));
        if is_buffer && self.is_told(address) {
            return None;
        }
        let pool = self.pools.get(&teller).copied().unwrap_or_default();
        match scene.place(address) {
            Place::Live(block, offset) if is_cut_up(&block) => {
                let around = self.around(&block, address);
                let duty = Duty::of(&block, 0, &scene.profile());
                let duty = duty.map(|duty| duty.promised(pool.promise.0, pool.promise.1));
                // A data buffer over a whole block is no segment.
                let is_segment = offset > 0 || !is_buffer;
                let found = is_segment
                    .then(|| suballoc_out_of_block::check(call, &segment, &around, duty.as_ref()))
                    .flatten()
                    .or_else(|| {
                        // Operators take slices of plain memory from anywhere; what models take shows when they run.
                        let duty =
                            duty.filter(|duty| !is_buffer || duty.alignment >= MEDIA_ALIGNMENT)?;
                        suballoc_misaligned::check(call, &segment, &around, &duty)
                    });
                if self.segments.len() < MOST || self.segments.contains_key(&address) {
                    let known = Known {
                        segment,
                        teller,
                        block: block.id,
                    };
                    self.segments.insert(address, known);
                }
                found.or_else(|| {
                    suballoc_out_of_block::check_pool(call, &segment, pool.range?, Some(&around))
                })
            }
            _ => suballoc_out_of_block::check_pool(call, &segment, pool.range?, None),
        }
    }

    /// Whether a pool or a heap told of a segment that has this byte.
    fn is_told(&self, address: u64) -> bool {
        let before = self.segments.range(..=address).next_back();
        before.is_some_and(|(_, known)| {
            !matches!(known.teller, Teller::Buffer(_)) && address < known.segment.end()
        })
    }

    fn around<'a>(&self, block: &'a Block, address: u64) -> Neighbours<'a> {
        let is_in = |known: &&Known| known.block == block.id;
        let end = block.address.saturating_add(block.size);
        let before = self.segments.range(block.address..address).next_back();
        let behind = match address.checked_add(1) {
            Some(next) if next < end => self.segments.range(next..end).next(),
            _ => None,
        };
        let segment = |found: Option<(&u64, &Known)>| {
            let known = found.map(|(_, known)| known);
            known.filter(is_in).map(|known| known.segment)
        };
        Neighbours {
            block,
            before: segment(before),
            behind: segment(behind),
        }
    }
}

/// Whether the block is memory with an address.
fn is_cut_up(block: &Block) -> bool {
    block.family().is_memory() && !block.family().is_handle()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::rules::testing::*;

    /// A block of 4 KiB at 0x1000.
    struct One(Block);

    impl Scene for One {
        fn place(&self, address: u64) -> Place {
            match self.0.covers(address) {
                true => Place::Live(self.0, address - self.0.address),
                false => Place::Unknown,
            }
        }

        fn profile(&self) -> Profile {
            Profile::default()
        }
    }

    fn said(carved: &mut Carved, name: &str, values: &[u64]) -> Vec<Finding> {
        said_in("aclrtMalloc", carved, name, values)
    }

    fn said_in(allocator: &str, carved: &mut Carved, name: &str, values: &[u64]) -> Vec<Finding> {
        let scene = One(block(allocator, 0x1000, 4096));
        let mut found = Vec::new();
        carved.called(&call(name), &Values::new(values), 0, &scene, &mut found);
        found
    }

    fn names(found: &[Finding]) -> Vec<&'static str> {
        found.iter().map(|found| found.rule.name).collect()
    }

    #[test]
    fn segments_of_a_pool_are_judged_when_they_are_told() {
        let mut carved = Carved::default();
        said(&mut carved, "aclsan_pool_create", &[1, 5, 0x1000, 4096]);
        assert!(said(&mut carved, "aclsan_pool_alloc", &[1, 0x1000, 320, 0]).is_empty());
        let found = said(&mut carved, "aclsan_pool_alloc", &[1, 0x1160, 64, 0]);
        assert_eq!(names(&found), ["suballoc-misaligned"]);
        assert!(found[0].details[1].starts_with("A: 320 bytes from offset 0"));
        let found = said(&mut carved, "aclsan_pool_alloc", &[1, 0x1fc0, 65, 0]);
        assert_eq!(names(&found), ["suballoc-out-of-block"]);
        assert!(said(&mut carved, "aclsan_pool_alloc", &[1, 0x1fc0, 64, 0]).is_empty());
    }

    #[test]
    fn a_pools_promise_is_kept_to_and_its_range_too() {
        let mut carved = Carved::default();
        said(&mut carved, "aclsan_pool_create", &[1, 5, 0x1000, 1024]);
        said(&mut carved, "aclsan_pool_policy", &[1, 512, 512]);
        assert_eq!(
            names(&said(&mut carved, "aclsan_pool_alloc", &[1, 0x1100, 64, 0])),
            ["suballoc-misaligned"]
        );
        assert_eq!(
            names(&said(
                &mut carved,
                "aclsan_pool_alloc",
                &[1, 0x1200, 513, 0]
            )),
            ["suballoc-out-of-block"]
        );
        said(&mut carved, "aclsan_pool_destroy", &[1]);
        assert!(carved.segments.is_empty());
    }

    #[test]
    fn data_buffers_over_parts_are_segments_and_over_whole_blocks_are_not() {
        let mut carved = Carved::default();
        let buffer = "aclCreateDataBuffer";
        assert!(said(&mut carved, buffer, &[9, 0x1000, 5000]).is_empty());
        assert_eq!(
            names(&said(&mut carved, buffer, &[10, 0x1040, 4096])),
            ["suballoc-out-of-block"]
        );
        assert_eq!(
            names(&said_in(
                "acldvppMalloc",
                &mut carved,
                buffer,
                &[11, 0x1020, 32]
            )),
            ["suballoc-misaligned"]
        );
        // An operator's slice, maybe.
        assert!(said(&mut carved, buffer, &[11, 0x1020, 32]).is_empty());
        assert_eq!(carved.segments.len(), 3);
        for handle in [9, 10, 11] {
            let gone = block(buffer, handle, 0);
            let scene = One(gone);
            carved.releasing(
                &call("aclDestroyDataBuffer"),
                &gone,
                &scene,
                &mut Vec::new(),
            );
        }
        assert!(carved.segments.is_empty() && carved.starts.is_empty());
    }

    #[test]
    fn a_buffer_in_a_segment_that_was_told_of_is_a_part_of_it() {
        let mut carved = Carved::default();
        said(&mut carved, "aclsan_pool_alloc", &[1, 0x1040, 512, 0]);
        assert!(said(&mut carved, "aclCreateDataBuffer", &[9, 0x1044, 8]).is_empty());
        assert_eq!(
            said_in(
                "acldvppMalloc",
                &mut carved,
                "aclCreateDataBuffer",
                &[9, 0x1244, 8]
            )
            .len(),
            1
        );
    }

    #[test]
    fn two_buffers_over_the_same_memory_are_forgotten_each_by_itself() {
        let mut carved = Carved::default();
        for handle in [9, 10] {
            assert!(said(&mut carved, "aclCreateDataBuffer", &[handle, 0x1040, 64]).is_empty());
        }
        let first = block("aclCreateDataBuffer", 9, 0);
        carved.releasing(
            &call("aclDestroyDataBuffer"),
            &first,
            &One(first),
            &mut Vec::new(),
        );
        assert_eq!(carved.segments.len(), 1);
    }

    #[test]
    fn mstx_regions_go_by_handle_or_address_and_careless_heaps_have_no_range() {
        let mut carved = Carved::default();
        said(&mut carved, "mstxMemHeapRegister", &[1, 77, 0x1000, 64, 0]);
        assert!(
            said(
                &mut carved,
                "mstxMemRegionsRegister",
                &[1, 0, 0x1200, 512, 0, 5]
            )
            .is_empty()
        );
        assert!(
            said(
                &mut carved,
                "mstxMemRegionsRegister",
                &[1, 0, 0x1400, 512, 0, 0]
            )
            .is_empty()
        );
        said(&mut carved, "mstxMemRegionsUnregister", &[1, 1, 5]);
        said(&mut carved, "mstxMemRegionsUnregister", &[1, 0, 0x1400]);
        assert!(carved.segments.is_empty());
        let found = said(
            &mut carved,
            "mstxMemRegionsRegister",
            &[1, 77, 0x1040, 64, 0, 0],
        );
        assert_eq!(names(&found), ["suballoc-out-of-block"]);
    }
}
