//! Blocks, the neighbors that each was cut from, and the pools of those that nobody uses.

use std::collections::BTreeSet;
use std::ops::{Index, IndexMut};

/// A block, by number.
pub type BlockId = u32;
/// A pool, by number.
pub type PoolId = usize;

/// A range of addresses that gets memory piece by piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reservation {
    pub start: u64,
    /// Bytes of one piece of memory.
    pub piece: u64,
}

/// A part of a segment.
#[derive(Debug)]
pub struct Block {
    pub address: u64,
    pub size: u64,
    pub stream: u32,
    pub pool: PoolId,
    pub is_used: bool,
    /// Whether the program gave it back, but it cannot be reused yet.
    pub is_retired: bool,
    /// Whether there is memory behind its addresses; blocks of reservations may have none.
    pub is_mapped: bool,
    /// The range that it is part of, if its segment is expandable.
    pub reservation: Option<Reservation>,
    /// Neighbors in the segment.
    pub before: Option<BlockId>,
    pub after: Option<BlockId>,
    /// How often its pool had been searched when it was put there.
    pub searches: u64,
}

impl Block {
    /// A whole segment.
    pub fn new(address: u64, size: u64, stream: u32, pool: PoolId) -> Self {
        Self {
            address,
            size,
            stream,
            pool,
            is_used: false,
            is_retired: false,
            is_mapped: true,
            reservation: None,
            before: None,
            after: None,
            searches: 0,
        }
    }

    /// Whether the segment has other blocks, too.
    pub fn is_split(&self) -> bool {
        self.before.is_some() || self.after.is_some()
    }
}

/// Blocks that nobody uses, of one size class.
#[derive(Default, Debug)]
struct Pool {
    /// The private pool it belongs to, from 1; 0 for the shared ones.
    private: u32,
    is_small: bool,
    is_closed: bool,
    /// By stream, size and address, as the best fit is searched.
    free: BTreeSet<(u32, u64, u64, BlockId)>,
    /// Blocks without memory, by stream and address.
    unmapped: BTreeSet<(u32, u64, BlockId)>,
    /// Times that it was searched.
    searches: u64,
}

/// All blocks and pools.
#[derive(Default, Debug)]
pub struct Blocks {
    blocks: Vec<Block>,
    unused: Vec<BlockId>,
    pools: Vec<Pool>,
}

impl Blocks {
    /// The pool of that kind, which is made if there is none.
    pub fn pool(&mut self, private: u32, is_small: bool) -> PoolId {
        let known = self.pools.iter();
        let mut known = known.map(|pool| (pool.private, pool.is_small, pool.is_closed));
        known
            .position(|pool| pool == (private, is_small, false))
            .unwrap_or_else(|| {
                self.pools.push(Pool {
                    private,
                    is_small,
                    ..Pool::default()
                });
                self.pools.len() - 1
            })
    }

    /// Whether its blocks are cut for small requests.
    pub fn is_small(&self, pool: PoolId) -> bool {
        self.pools[pool].is_small
    }

    /// Pools whose memory may be returned: the shared ones, and those that are closed.
    pub fn returnable(&self) -> impl Iterator<Item = PoolId> + use<> {
        let pools = self.pools.iter().enumerate();
        let pools = pools.filter(|(_, pool)| pool.private == 0 || pool.is_closed);
        // Large blocks are released first.
        let mut pools: Vec<_> = pools.map(|(id, pool)| (pool.is_small, id)).collect();
        pools.sort_unstable();
        pools.into_iter().map(|(_, id)| id)
    }

    /// No request comes from that private pool again.
    pub fn close(&mut self, private: u32) {
        let of_it = self.pools.iter_mut().filter(|pool| pool.private == private);
        of_it.for_each(|pool| pool.is_closed = private != 0);
    }

    /// A new block, in no pool.
    pub fn add(&mut self, block: Block) -> BlockId {
        match self.unused.pop() {
            Some(id) => {
                self[id] = block;
                id
            }
            None => {
                self.blocks.push(block);
                (self.blocks.len() - 1) as BlockId
            }
        }
    }

    /// The block is no more; it is in no pool and has no neighbors.
    pub fn forget(&mut self, id: BlockId) {
        self.unused.push(id);
    }

    /// Puts a block that nobody uses into its pool.
    pub fn put(&mut self, id: BlockId) {
        let block = &self.blocks[id as usize];
        let pool = &mut self.pools[block.pool];
        match block.is_mapped {
            true => pool
                .free
                .insert((block.stream, block.size, block.address, id)),
            false => pool.unmapped.insert((block.stream, block.address, id)),
        };
        let searches = pool.searches;
        self[id].searches = searches;
    }

    /// Takes a block out of its pool.
    pub fn take(&mut self, id: BlockId) {
        let block = &self.blocks[id as usize];
        let pool = &mut self.pools[block.pool];
        match block.is_mapped {
            true => pool
                .free
                .remove(&(block.stream, block.size, block.address, id)),
            false => pool.unmapped.remove(&(block.stream, block.address, id)),
        };
    }

    /// Blocks of the stream in the pool that have at least `size` bytes, the smallest first; of equal ones the lowest address.
    pub fn at_least(&self, pool: PoolId, stream: u32, size: u64) -> impl Iterator<Item = BlockId> {
        let range = (stream, size, 0, 0)..=(stream, u64::MAX, u64::MAX, BlockId::MAX);
        self.pools[pool].free.range(range).map(|&(.., id)| id)
    }

    /// Blocks in the pool that are smaller than any of `at_least(pool, stream, size)`, the largest first; those of streams with lower
    /// numbers follow.
    pub fn before(&self, pool: PoolId, stream: u32, size: u64) -> impl Iterator<Item = BlockId> {
        let range = ..(stream, size, 0, 0);
        self.pools[pool].free.range(range).rev().map(|&(.., id)| id)
    }

    /// Blocks of the pool that nobody uses.
    pub fn free(&self, pool: PoolId) -> impl Iterator<Item = BlockId> {
        self.pools[pool].free.iter().map(|&(.., id)| id)
    }

    /// Blocks of the stream without memory, by address.
    pub fn unmapped(&self, pool: PoolId, stream: u32) -> impl Iterator<Item = BlockId> {
        let range = (stream, 0, 0)..=(stream, u64::MAX, BlockId::MAX);
        self.pools[pool].unmapped.range(range).map(|&(.., id)| id)
    }

    /// The pool was searched once more.
    pub fn searched(&mut self, pool: PoolId) {
        self.pools[pool].searches += 1;
    }

    /// How often its pool was searched while the block was in it.
    pub fn age(&self, id: BlockId) -> u64 {
        self.pools[self[id].pool].searches - self[id].searches
    }

    /// Cuts the block, which is in no pool, after `size` bytes. Returns the rest.
    pub fn split(&mut self, id: BlockId, size: u64) -> BlockId {
        let block = &self[id];
        let rest = Block {
            is_mapped: block.is_mapped,
            reservation: block.reservation,
            before: Some(id),
            after: block.after,
            ..Block::new(
                block.address + size,
                block.size - size,
                block.stream,
                block.pool,
            )
        };
        let (after, rest) = (rest.after, self.add(rest));
        if let Some(after) = after {
            self[after].before = Some(rest);
        }
        (self[id].size, self[id].after) = (size, Some(rest));
        rest
    }

    /// Joins `neighbor`, if nobody uses it, with the block, which is in no pool.
    pub fn merge(&mut self, id: BlockId, neighbor: Option<BlockId>) {
        let Some(other) = neighbor else {
            return;
        };
        if self[other].is_used || self[other].is_mapped != self[id].is_mapped {
            return;
        }
        self.take(other);
        let (address, before, after) = (self[other].address, self[other].before, self[other].after);
        match self[id].before == Some(other) {
            true => {
                (self[id].address, self[id].before) = (address, before);
                if let Some(before) = before {
                    self[before].after = Some(id);
                }
            }
            false => {
                self[id].after = after;
                if let Some(after) = after {
                    self[after].before = Some(id);
                }
            }
        }
        self[id].size += self[other].size;
        self.forget(other);
    }
}

impl Index<BlockId> for Blocks {
    type Output = Block;

    fn index(&self, id: BlockId) -> &Block {
        &self.blocks[id as usize]
    }
}

impl IndexMut<BlockId> for Blocks {
    fn index_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.blocks[id as usize]
    }
}
