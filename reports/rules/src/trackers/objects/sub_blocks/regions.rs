//! Regions of mstx heaps. Frameworks register one per tensor, so the common case has a fast path that skips the rules.

use super::super::tracker::HeapView;
use super::{MAX_SEGMENTS, Owner, SubBlocks, UNKNOWN_HEAP};
use crate::api::family::Family;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::suballocation::Segment;
use aclsan_log::Values;
use aclsan_log::branch::unlikely;

impl SubBlocks {
    /// A region of an mstx heap is reported.
    // Not inlined, nor the rest of calls: frameworks report one for each tensor, and fetch nothing else.
    #[inline(never)]
    pub(super) fn began<V: HeapView>(
        &mut self,
        call: &Call,
        values: &Values,
        view: &V,
        found: &mut Vec<Finding>,
    ) {
        let at = |index| values.get(index);
        if unlikely(at(5) != 0) && self.starts.len() < MAX_SEGMENTS {
            self.starts.insert(at(5), at(2));
        }
        let (owner, range) = (Owner::Heap(at(1)), (at(2), at(3)));
        if unlikely(!self.kept_like_the_last(call, owner, range, view)) {
            self.reported(call, owner, Some(at(0)), range, view, found);
        }
    }

    /// Keeps a region about which no rule has anything to say, and returns `true`: one inside the device block of the region before, aligned, of a pool
    /// that promises nothing. Nearly all are, and this asks for less than the rules.
    #[inline(always)]
    fn kept_like_the_last(
        &mut self,
        call: &Call,
        owner: Owner,
        (address, size): (u64, u64),
        view: &impl HeapView,
    ) -> bool {
        if owner == UNKNOWN_HEAP
            && let start = self.blocks.last_start()
            && let Some(offset @ 1..) = address.checked_sub(start)
            && address.is_multiple_of(call.function.vendor().alignment)
            && size > 0
            && let Some(block) = view.block_at(start)
            && let Some(left) = block.size.checked_sub(offset)
            && size <= left
            && self.blocks.is_last(&block)
            && block.family() == Family::Device
        {
            let site = call.site;
            let segment = Segment {
                address,
                size,
                site,
            };
            self.keep(segment, owner, block.id);
            return true;
        }
        false
    }

    /// A region ends.
    pub(super) fn ended(&mut self, values: &Values) {
        let (is_handle, region) = (values.get(1) != 0, values.get(2));
        let start = match is_handle {
            true => self.starts.remove(&region).unwrap_or(0),
            false => region,
        };
        self.remove(start);
    }
}
