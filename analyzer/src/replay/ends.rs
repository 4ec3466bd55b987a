//! Blocks that nobody released: dropped by a reset, or live when the log ends.

use std::collections::BTreeMap;

use aclsan_log::{BlockId, Mapping, SiteId};
use aclsan_rules::Hold;
use aclsan_rules::heap::Held;
use aclsan_rules::numbers::ByNumber;

use super::annotations::Names;
use super::hold::Holds;
use super::sites::Sites;
use super::totals::Sum;

/// Blocks of one place in the program with one fate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The oldest.
    pub first: Held,
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes of the largest.
    pub largest: u64,
    /// When the youngest was allocated.
    pub youngest_ns: u64,
    /// The reset that dropped them, if one did.
    pub reset: Option<Reset>,
    /// Whether the program still knew them, and where the first one's pointer was.
    pub hold: Hold,
    pub mapping: Mapping,
    /// What the program calls them, by text; the first few.
    pub names: Vec<u32>,
    /// By thread, age and epoch.
    pub parts: BTreeMap<Part, Sum>,
}

/// What tells parts of a group apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    /// The thread that allocated.
    pub thread: u32,
    /// Younger than this at the end: a power of ten from a millisecond on.
    pub below_ns: u64,
    /// The epoch of the allocation, counted from 1; 0 when it was in none.
    pub epoch: u32,
}

/// What is known at the end: of time, for ages and epochs, and of pointers.
pub struct Moment<'a> {
    /// The end of the log; a reset comes before it.
    pub ns: u64,
    /// In which epoch an instant lies.
    pub epoch: &'a dyn Fn(u64) -> u32,
    /// What a scan of the program's memory says.
    pub holds: &'a Holds,
}

/// Names of a group that are told.
const NAMES_MOST: usize = 8;

/// A reset's site and time.
pub type Reset = (SiteId, u64);

/// Blocks that resets dropped, while nobody knows whether the device will be set again.
#[derive(Default)]
pub struct Dropped {
    blocks: ByNumber<BlockId, (Held, SiteId, u64)>,
}

impl Dropped {
    /// The reset at `site` dropped `blocks`.
    pub fn add(&mut self, blocks: impl Iterator<Item = Held>, site: SiteId, ns: u64) {
        self.blocks
            .extend(blocks.map(|held| (held.block.id, (held, site, ns))));
    }

    /// Their numbers.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> {
        self.blocks.keys().copied()
    }

    /// The program released it after all: late, but not forgotten.
    pub fn released(&mut self, id: BlockId) {
        self.blocks.remove(&id);
    }

    /// `device` is used again: what its reset dropped is no leak.
    pub fn set_again(&mut self, device: i32) {
        self.blocks
            .retain(|_, (held, ..)| held.block.device != device);
    }

    /// Takes out the blocks of `device`.
    pub fn take(
        &mut self,
        device: i32,
        sites: &Sites,
        names: &Names,
        moment: &Moment,
    ) -> Vec<Group> {
        let taken = self
            .blocks
            .extract_if(|_, (held, ..)| held.block.device == device);
        let taken = taken.map(|(_, (held, site, ns))| (held, Some((site, ns))));
        group(taken, sites, names, moment)
    }

    /// Takes out all blocks.
    pub fn take_all(&mut self, sites: &Sites, names: &Names, moment: &Moment) -> Vec<Group> {
        let taken = self.blocks.drain();
        group(
            taken.map(|(_, (held, site, ns))| (held, Some((site, ns)))),
            sites,
            names,
            moment,
        )
    }
}

/// What blocks of a group have in common.
type Key = (SiteId, i32, Option<Reset>, Hold);

/// Sorts blocks by the place that allocated them, device, reset and what holds them; the oldest group first.
pub fn group(
    blocks: impl Iterator<Item = (Held, Option<Reset>)>,
    sites: &Sites,
    names: &Names,
    moment: &Moment,
) -> Vec<Group> {
    let mut groups: Vec<(Key, Growing)> = Vec::new();
    let mut known: BTreeMap<Key, usize> = BTreeMap::new();
    // By place the group of its last block: blocks of one place mostly have the rest in common, too.
    let mut latest = vec![usize::MAX; sites.len()];
    for (held, reset) in blocks {
        let (hold, mapping) = moment.holds.of(held.block.id);
        let place = sites.same(held.block.site);
        let key = (place, held.block.device, reset, hold);
        let latest = &mut latest[place.0 as usize];
        if groups.get(*latest).is_none_or(|(other, _)| *other != key) {
            *latest = *known.entry(key).or_insert_with(|| {
                let group = Group::new(held, reset, (hold, mapping));
                groups.push((key, Growing::from(group)));
                groups.len() - 1
            });
        }
        let growing = &mut groups[*latest].1;
        let end_ns = reset.map_or(moment.ns, |(_, ns)| ns);
        let part = Part {
            thread: held.thread,
            below_ns: decade(end_ns.saturating_sub(held.since_ns)),
            epoch: (moment.epoch)(held.since_ns),
        };
        growing.add_part(part, held.block.size);
        growing.group.add(&held, mapping, names);
    }
    let groups = groups.into_iter();
    let mut groups: Vec<Group> = groups.map(|(_, growing)| growing.finish()).collect();
    groups.sort_by_key(|group| group.first.order);
    groups
}

/// A group in the making.
struct Growing {
    group: Group,
    /// The part of the last block, which the next mostly is of, too, and what is not yet in the group's.
    part: Option<(Part, Sum)>,
}

impl From<Group> for Growing {
    fn from(group: Group) -> Self {
        Self { group, part: None }
    }
}

impl Growing {
    #[inline]
    fn add_part(&mut self, part: Part, bytes: u64) {
        match &mut self.part {
            Some((known, sum)) if *known == part => sum.add(bytes),
            _ => {
                self.settle();
                self.part.insert((part, Sum::default())).1.add(bytes);
            }
        }
    }

    fn settle(&mut self) {
        if let Some((part, sum)) = self.part.take() {
            let known = self.group.parts.entry(part).or_default();
            known.blocks += sum.blocks;
            known.bytes = known.bytes.saturating_add(sum.bytes);
        }
    }

    fn finish(mut self) -> Group {
        self.settle();
        self.group
    }
}

impl Group {
    fn new(first: Held, reset: Option<Reset>, (hold, mapping): (Hold, Mapping)) -> Self {
        Self {
            first,
            blocks: 0,
            bytes: 0,
            largest: 0,
            youngest_ns: 0,
            reset,
            hold,
            mapping,
            names: Vec::new(),
            parts: BTreeMap::new(),
        }
    }

    fn add(&mut self, held: &Held, mapping: Mapping, names: &Names) {
        if !names.is_empty()
            && let Some(&name) = names.get(&held.block.id)
            && self.names.len() < NAMES_MOST
            && !self.names.contains(&name)
        {
            self.names.push(name);
        }
        if held.order < self.first.order {
            (self.first, self.mapping) = (*held, mapping);
        }
        self.blocks += 1;
        self.bytes = self.bytes.saturating_add(held.block.size);
        self.largest = self.largest.max(held.block.size);
        self.youngest_ns = self.youngest_ns.max(held.since_ns);
    }
}

/// The power of ten that an age is below, from a millisecond on.
fn decade(ns: u64) -> u64 {
    let mut bound = 1_000_000_u64;
    while bound <= ns {
        bound = bound.saturating_mul(10);
        if bound == u64::MAX {
            break;
        }
    }
    bound
}
