//! A B+ tree of two levels over the addresses at which blocks begin, with their slots.
//!
//! Addresses are in leaves, leaves in nodes, and nodes in one array, all in order. Three short searches find the
//! position of a new address, and inserting it moves few others, however many there are. Leaves are short because they
//! are rarely in the cache; the first addresses of all leaves are.
//!
//! Why not a `BTreeMap`: see [`id_index`](super::id_index), where the measurement is.

mod leaf;
mod node;

use leaf::{LEAF_LEN, Leaf};
use node::{NODE_LEN, Node};

/// Addresses of two adjacent leaves, or leaves of two adjacent nodes, above which they are not joined.
const LEAF_HALF: usize = LEAF_LEN / 2;
const NODE_HALF: usize = NODE_LEN / 2;

/// The index.
#[derive(Default)]
pub struct AddressIndex {
    /// The first address of each node. No node is empty.
    tops: Vec<u64>,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// Positions of freed leaves.
    free: Vec<u32>,
}

/// The position of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct LeafPosition {
    node: usize,
    leaf: usize,
}

/// Where an address is or would be inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cursor {
    at: LeafPosition,
    place: usize,
}

/// A cursor with the slot of the address before it and the address after it.
#[derive(PartialEq, Eq, Debug)]
pub struct InsertPoint {
    cursor: Cursor,
    pub before: Option<u32>,
    pub next: Option<u64>,
}

impl AddressIndex {
    #[inline]
    fn leaf(&self, at: LeafPosition) -> Option<&Leaf> {
        let of = *self.nodes.get(at.node)?.order().get(at.leaf)?;
        self.leaves.get(of as usize)
    }

    #[inline]
    fn leaf_mut(&mut self, at: LeafPosition) -> Option<&mut Leaf> {
        let of = *self.nodes.get(at.node)?.order().get(at.leaf)?;
        self.leaves.get_mut(of as usize)
    }

    /// The leaf that has an address, or would have it.
    #[inline]
    fn at(&self, start: u64) -> LeafPosition {
        let next = |firsts: &[u64]| firsts.partition_point(|&first| first <= start);
        let node = next(&self.tops).saturating_sub(1);
        let leaf = self.nodes.get(node).map_or(0, |of| next(of.firsts()));
        LeafPosition {
            node,
            leaf: leaf.saturating_sub(1),
        }
    }

    /// The first address of the next leaf.
    #[inline]
    fn next(&self, at: LeafPosition) -> Option<u64> {
        let next = self.nodes.get(at.node)?.firsts().get(at.leaf + 1);
        next.or_else(|| self.tops.get(at.node + 1)).copied()
    }

    /// The last address before `end`, and its slot.
    #[inline]
    pub fn last_before(&self, end: u64) -> Option<(u64, u32)> {
        let leaf = self.leaf(self.at(end.checked_sub(1)?))?;
        let place = leaf.before(end).checked_sub(1)?;
        Some((leaf.starts()[place], leaf.slots()[place]))
    }

    /// The first address from `from` on.
    #[inline]
    pub fn first_from(&self, from: u64) -> Option<u64> {
        let at = self.at(from);
        let leaf = self.leaf(at)?;
        let known = leaf.starts().get(leaf.before(from));
        known.copied().or_else(|| self.next(at))
    }

    /// All slots, in the order of their addresses.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        let leaves = self.nodes.iter().flat_map(Node::order);
        let leaves = leaves.map(|&of| &self.leaves[of as usize]);
        leaves.flat_map(Leaf::slots).copied()
    }

    /// The first half of [`AddressIndex::cursor`], which reads only memory that is in the cache.
    #[inline]
    pub fn near(&self, start: u64) -> Cursor {
        let at = self.at(start);
        Cursor { at, place: 0 }
    }

    /// The cursor for an address that is not in the index. `near` is the result of the first half.
    #[inline]
    pub fn cursor(&self, near: Cursor, start: u64) -> Cursor {
        let place = self.leaf(near.at).map_or(0, |leaf| leaf.before(start));
        Cursor { place, ..near }
    }

    /// The slot of the address before the cursor.
    #[inline]
    pub fn slot_before(&self, cursor: Cursor) -> Option<u32> {
        let slots = self.leaf(cursor.at)?.slots();
        slots.get(cursor.place.checked_sub(1)?).copied()
    }

    /// The insert point for an address that is not in the index.
    #[inline]
    pub fn insert_point(&self, start: u64) -> InsertPoint {
        self.around(self.cursor(self.near(start), start))
    }

    #[inline(always)]
    fn around(&self, cursor: Cursor) -> InsertPoint {
        let next = self
            .leaf(cursor.at)
            .and_then(|leaf| leaf.starts().get(cursor.place));
        InsertPoint {
            cursor,
            before: self.slot_before(cursor),
            next: next.copied().or_else(|| self.next(cursor.at)),
        }
    }

    /// [`AddressIndex::insert_point`] from a cursor, if it was and still is right for that address. `None` also if the
    /// address is in the index by now.
    #[inline]
    pub fn insert_point_at(&self, cursor: Cursor, start: u64) -> Option<InsertPoint> {
        let starts = self.leaf(cursor.at)?.starts();
        let before = starts.get(cursor.place.checked_sub(1)?)?;
        let insert_point = self.around(cursor);
        let is_there = *before < start && insert_point.next.is_none_or(|next| start < next);
        is_there.then_some(insert_point)
    }

    /// Inserts an address at its insert point.
    #[inline]
    pub fn insert(&mut self, insert_point: &InsertPoint, start: u64, slot: u32) {
        let Cursor { at, place } = insert_point.cursor;
        match self.leaf_mut(at) {
            Some(leaf) if leaf.starts().len() < LEAF_LEN => {
                leaf.insert(place, start, slot);
                if place == 0 {
                    self.set_first(at, start);
                }
            }
            _ => self.add_or_split(insert_point.cursor, start, slot),
        }
    }

    /// The first address of a leaf changes.
    fn set_first(&mut self, at: LeafPosition, first: u64) {
        self.nodes[at.node].set_first(at.leaf, first);
        if at.leaf == 0 {
            self.tops[at.node] = first;
        }
    }

    /// [`AddressIndex::insert`] if there is no leaf or it is full.
    #[inline(never)]
    fn add_or_split(&mut self, cursor: Cursor, start: u64, slot: u32) {
        let mut next = cursor.at;
        match self.leaf_mut(cursor.at) {
            // Programs often get ever higher addresses: the next leaf will take them.
            Some(leaf) if cursor.place < LEAF_LEN => {
                let rest = leaf.split_off(LEAF_HALF);
                next.leaf += 1;
                self.add(next, rest);
                self.insert(&self.insert_point(start), start, slot);
            }
            full => {
                next.leaf += usize::from(full.is_some());
                let mut leaf = Leaf::EMPTY;
                leaf.insert(0, start, slot);
                self.add(next, leaf);
            }
        }
    }

    /// Inserts a leaf.
    fn add(&mut self, at: LeafPosition, leaf: Leaf) {
        let first = leaf.starts()[0];
        let of = self.free.pop().unwrap_or(self.leaves.len() as u32);
        match self.leaves.get_mut(of as usize) {
            Some(free) => *free = leaf,
            None => self.leaves.push(leaf),
        }
        let LeafPosition { node, leaf } = self.make_room(at);
        self.nodes[node].insert(leaf, first, of);
        self.tops[node] = self.nodes[node].firsts()[0];
    }

    /// Makes room for a leaf and returns its position.
    fn make_room(&mut self, at: LeafPosition) -> LeafPosition {
        let Some(node) = self.nodes.get_mut(at.node) else {
            self.add_node(at.node, Node::default());
            return at;
        };
        if node.len() < NODE_LEN {
            return at;
        }
        // As above: a leaf after all others begins a node of its own.
        let left = if at.leaf == NODE_LEN {
            NODE_LEN
        } else {
            NODE_HALF
        };
        let rest = node.split_off(left);
        self.add_node(at.node + 1, rest);
        at.leaf.checked_sub(left).map_or(at, |leaf| LeafPosition {
            node: at.node + 1,
            leaf,
        })
    }

    /// Inserts a node. An empty one is about to get a leaf.
    fn add_node(&mut self, at: usize, node: Node) {
        let first = node.firsts().first();
        self.tops.insert(at, first.copied().unwrap_or_default());
        self.nodes.insert(at, node);
    }

    /// Removes an address, if it is there.
    pub fn remove(&mut self, start: u64) {
        let at = self.at(start);
        let Some(leaf) = self.leaf_mut(at) else {
            return;
        };
        let Ok(place) = leaf.starts().binary_search(&start) else {
            return;
        };
        leaf.remove(place);
        let (left, first) = (leaf.starts().len(), leaf.starts().first().copied());
        match first {
            None => self.end(at),
            Some(first) => {
                if place == 0 {
                    self.set_first(at, first);
                }
                // Adjacent leaves are read only if one of them may be joined.
                if left < LEAF_HALF {
                    self.join(at);
                    if let Some(leaf) = at.leaf.checked_sub(1) {
                        self.join(LeafPosition { leaf, ..at });
                    }
                }
            }
        }
        self.join_nodes(at.node);
        if let Some(before) = at.node.checked_sub(1) {
            self.join_nodes(before);
        }
    }

    /// Frees a leaf, and its node if that has no other.
    fn end(&mut self, at: LeafPosition) {
        let node = &mut self.nodes[at.node];
        self.free.push(node.remove(at.leaf));
        match node.firsts().first() {
            Some(&first) => self.tops[at.node] = first,
            None => {
                self.tops.remove(at.node);
                self.nodes.remove(at.node);
            }
        }
    }

    /// Joins a leaf with the next one of its node if both are short, so that memory shrinks with the addresses.
    fn join(&mut self, at: LeafPosition) {
        let next = LeafPosition {
            leaf: at.leaf + 1,
            ..at
        };
        let order = self.nodes[at.node].order();
        let of = [at, next].map(|at| order.get(at.leaf).map(|&of| of as usize));
        let [Some(of), Some(of_next)] = of else {
            return;
        };
        if let Ok([leaf, following]) = self.leaves.get_disjoint_mut([of, of_next])
            && leaf.starts().len() + following.starts().len() <= LEAF_HALF
        {
            leaf.append(following.starts(), following.slots());
            self.end(next);
        }
    }

    /// Joins two nodes likewise.
    fn join_nodes(&mut self, at: usize) {
        if let Some([node, next]) = self.nodes.get_mut(at..at + 2)
            && node.len() + next.len() <= NODE_HALF
        {
            node.append(std::mem::take(next));
            self.tops.remove(at + 1);
            self.nodes.remove(at + 1);
        }
    }
}

#[cfg(test)]
mod tests;
