//! Blocks that have ended and whose memory no later block has taken.

use std::collections::{BTreeMap, HashMap, VecDeque};

use aclsan_log::BlockId;

use super::hash::IdHash;
use super::{ENDED_MOST, Held};
use crate::block::End;

/// The latest [`ENDED_MOST`] ended blocks. They don't overlap one another: each was allocated over free memory.
#[derive(Default)]
pub struct Ended {
    blocks: HashMap<BlockId, (Held, End), IdHash>,
    starts: BTreeMap<u64, BlockId>,
    /// Oldest first. Blocks that were overlapped or restored since stay in it until they come up.
    oldest: VecDeque<BlockId>,
}

impl Ended {
    /// Remembers a block.
    pub fn keep(&mut self, held: Held, end: End) {
        let id = held.block.id;
        self.blocks.insert(id, (held, end));
        self.starts.insert(held.block.address, id);
        self.oldest.push_back(id);
        while self.oldest.len() > ENDED_MOST {
            if let Some(oldest) = self.oldest.pop_front()
                && oldest != id
            {
                self.take(oldest);
            }
        }
    }

    /// Forgets the block and gives it back.
    pub fn take(&mut self, id: BlockId) -> Option<Held> {
        let (held, _) = self.blocks.remove(&id)?;
        self.starts.remove(&held.block.address);
        Some(held)
    }

    /// The block of that number, and its end.
    pub fn get(&self, id: BlockId) -> Option<(&Held, End)> {
        self.blocks.get(&id).map(|(held, end)| (held, *end))
    }

    /// The block that covers `address`, and its end.
    pub fn at(&self, address: u64) -> Option<(&Held, End)> {
        let (_, &id) = self.starts.range(..=address).next_back()?;
        self.get(id).filter(|(held, _)| held.block.covers(address))
    }

    /// Forgets every block that shares a byte with the `size` bytes from `address`.
    pub fn overlapped(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size.max(1));
        while let Some((_, &id)) = self.starts.range(..end).next_back() {
            let covers =
                |held: &Held| held.block.address.saturating_add(held.block.size.max(1)) > address;
            if !self.blocks.get(&id).is_some_and(|(held, _)| covers(held)) {
                return;
            }
            self.take(id);
        }
    }
}
