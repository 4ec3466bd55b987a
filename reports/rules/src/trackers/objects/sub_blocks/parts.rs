//! Parts of a pool that the program itself reports, as blocks: an access sees the part that is out or was taken back, and the
//! pool takes each back once. The pool is the parts' owner, and its word is what `aclsan.h` says.

use super::{Owner, SubBlocks};
use crate::api::block::{AddressInfo, Block, End};
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::suballocation::Segment;
use crate::rules::{double_free, interior_free, invalid_free};
use crate::trackers::objects::tracker::HeapView;
use aclsan_log::{BlockId, CallSiteId};
use std::collections::BTreeMap;

/// Segments before an address among which its part is looked for.
const NEAR: usize = 8;

/// Parts that were taken back and are kept. Beyond that, all are forgotten.
const MAX_PARTS: usize = 1 << 16;

struct Part {
    segment: Segment,
    owner: Owner,
    block: BlockId,
    released: CallSiteId,
}

/// Parts that were taken back and not handed out again, by where they start; none overlaps another.
#[derive(Default)]
pub(super) struct GivenBack(BTreeMap<u64, Part>);

impl GivenBack {
    fn insert(&mut self, part: Part) {
        if self.0.len() >= MAX_PARTS {
            self.0.clear();
        }
        self.hand_out(part.segment.address, part.segment.end());
        self.0.insert(part.segment.address, part);
    }

    /// These bytes belong to another part from now on.
    pub fn hand_out(&mut self, start: u64, end: u64) {
        while let Some((&at, part)) = self.0.range(..end).next_back()
            && part.segment.end() > start
        {
            self.0.remove(&at);
        }
    }

    /// The part with this byte.
    fn at(&self, address: u64) -> Option<&Part> {
        let (_, part) = self.0.range(..=address).next_back()?;
        (address < part.segment.end()).then_some(part)
    }

    pub fn forget_pool(&mut self, owner: Owner) {
        self.0.retain(|_, part| part.owner != owner);
    }
}

/// The part of `parent` as a block of its own, with the address's offset in it.
fn as_block(segment: &Segment, parent: &Block, address: u64) -> (Block, u64) {
    let block = Block {
        address: segment.address,
        size: segment.size,
        site: segment.site,
        ..*parent
    };
    (block, address - segment.address)
}

impl Part {
    /// What an access to `address` in it touches.
    fn info(&self, parent: &Block, address: u64) -> AddressInfo {
        let (block, offset) = as_block(&self.segment, parent, address);
        AddressInfo::Ended(block, offset, End::Released(self.released))
    }
}

impl SubBlocks {
    /// What an access of `size` bytes touches, given its block: a part that a pool of the program has handed out or taken
    /// back is a block of its own. Whoever touches all of a pool or its block at once is its owner.
    pub fn part(&self, address: u64, size: u64, place: AddressInfo) -> AddressInfo {
        let AddressInfo::Live(parent, offset) = place else {
            return place;
        };
        if !self.has_parts || offset == 0 && size >= parent.size {
            return place;
        }
        let end = address.saturating_add(size);
        let is_whole = |owner| self.pool(owner).range == Some((address, end));
        let next = address.saturating_add(1);
        // Data buffers may begin between a part's start and the address.
        let mut before = self.segments.within(parent.address, next).rev().take(NEAR);
        let live = before.find(|known| matches!(known.owner, Owner::Pool(_)));
        if let Some(known) = live.filter(|known| address < known.segment.end())
            && known.block == parent.id
            && !is_whole(known.owner)
        {
            let (block, offset) = as_block(&known.segment, &parent, address);
            return AddressInfo::Live(block, offset);
        }
        match self.given_back.at(address) {
            Some(part) if part.block == parent.id && !is_whole(part.owner) => {
                part.info(&parent, address)
            }
            _ => place,
        }
    }

    /// A pool takes a part back.
    pub(super) fn take_back(
        &mut self,
        call: &Call,
        owner: Owner,
        address: u64,
        view: &dyn HeapView,
    ) -> Option<Finding> {
        let known = self.segments.get(address);
        if let Some(known) = known.filter(|known| !known.is_buffer()) {
            // Another pool's, if the program has two names for one.
            if known.owner == owner {
                self.given_back.insert(Part {
                    segment: known.segment,
                    owner,
                    block: known.block,
                    released: call.site,
                });
            }
            self.remove(address);
            return None;
        }
        let place = view.place(address);
        let parent = *place.block()?.0;
        if let Some(part) = self.given_back.at(address)
            && part.block == parent.id
            && part.owner == owner
        {
            return double_free::check(call, address, &part.info(&parent, address));
        }
        let inside = self.part(address, 1, place);
        if let AddressInfo::Live(part, 1..) = inside
            && part.size < parent.size
        {
            return interior_free::check(call, address, &inside);
        }
        let pool = self.pool(owner);
        let is_in = |(start, end)| (start..end).contains(&address);
        let is_strange = pool.is_complete && pool.range.is_some_and(is_in);
        is_strange.then(|| invalid_free::of_pool(call, address, &parent))
    }
}
