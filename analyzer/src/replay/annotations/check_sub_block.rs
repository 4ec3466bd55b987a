//! Judges a sub-block that a pool has just given out against the live ones.

use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::rule::Severity;
use aclsan_rules::evidence::suballocation::Neighbors;
use aclsan_rules::evidence::suballocation::{PlacementRules, Segment};
use aclsan_rules::rules::suballoc_overlap::{self, Because};
use aclsan_rules::rules::suballoc_too_small;
use aclsan_rules::trackers::objects::sub_block_index::{PoolId, Source, SubBlock, SubBlockIndex};

use super::AnnotationContext;
use super::pools::Pools;

/// Most overlapping sub-blocks examined, and most steps in the search for a free place.
const MAX_STEPS: usize = 64;

/// Judges `sub`, which `call` announced and `pools` has.
pub fn judge(
    pools: &Pools,
    call: &Call,
    sub: &SubBlock,
    context: &AnnotationContext,
) -> Option<Finding> {
    if sub.size == 0 {
        return None;
    }
    let AddressInfo::Live(block, _) = context.heap.place(sub.address) else {
        return None;
    };
    let (promise, source) = pools.traits(sub.pool);
    let duty = (context.duty)(&block).map(|duty| duty.promised(promise.0, promise.1));
    let check = SubBlockCheck {
        segments: &pools.segments,
        block: &block,
        duty,
        sub,
        source,
    };
    let found = check.overlap(call).or_else(|| check.too_close(call));
    found.map(|found| match source {
        Source::Annotation => found,
        _ => found.severity(Severity::Warning),
    })
}

/// A sub-block, the block around it and the pool's rules.
struct SubBlockCheck<'a> {
    segments: &'a SubBlockIndex,
    block: &'a Block,
    duty: Option<PlacementRules>,
    sub: &'a SubBlock,
    source: Source,
}

impl SubBlockCheck<'_> {
    fn overlap(&self, call: &Call) -> Option<Finding> {
        let new = segment(self.sub);
        let others = self.others(0).filter(|other| other.address != new.address);
        // Prefers those that begin before it; of these the nearest.
        let nearest = |other: &SubBlock| {
            (
                other.address > new.address,
                other.address.abs_diff(new.address),
            )
        };
        let other = others.take(MAX_STEPS).min_by_key(nearest)?;
        let (first, second) = match other.address < new.address {
            true => (other, *self.sub),
            false => (*self.sub, other),
        };
        let around = Neighbors {
            room: self.room(&first, &second),
            ..Neighbors::none(self.block)
        };
        let (other, duty) = (segment(&other), self.duty.as_ref());
        suballoc_overlap::check(call, &new, &other, Because::Told, &around, duty)
    }

    fn too_close(&self, call: &Call) -> Option<Finding> {
        let duty = self.duty.as_ref()?;
        let new = segment(self.sub);
        // A framework's size may be rounded already and include the padding.
        let is_request =
            |sub: &SubBlock| self.source == Source::Annotation || !sub.size.is_multiple_of(32);
        let reaches = |other: &SubBlock| {
            other.address < new.address
                && new.address - other.address < duty.taken(other.size)
                && is_request(other)
        };
        let before = self.others(duty.most_on_top()).find(reaches);
        let after = self.segments.from(self.sub.pool, new.end());
        let after = after.filter(|_| is_request(self.sub));
        let after = after.filter(|other| other.address != new.address);
        let (first, second) = match (before, after) {
            (Some(before), _) => (before, *self.sub),
            (None, Some(after)) => (*self.sub, after),
            (None, None) => return None,
        };
        let around = Neighbors {
            before: before.as_ref().map(segment),
            behind: after.as_ref().map(segment),
            room: self.room(&first, &second),
            block: self.block,
        };
        suballoc_too_small::check(call, &new, &around, duty)
    }

    /// Live sub-blocks of the pool that overlap it, or end less than `reach` bytes before it.
    fn others(&self, reach: u64) -> impl Iterator<Item = SubBlock> {
        let (from, to) = (self.sub.address, self.sub.end());
        self.segments.over(self.sub.pool, from, to, reach)
    }

    /// Where `second` could be placed after `first` instead, and until where: the first gap that is long enough, else the first gap.
    fn room(&self, first: &SubBlock, second: &SubBlock) -> Option<(u64, u64)> {
        let duty = self.duty.as_ref()?;
        let pool: PoolId = self.sub.pool;
        let others = |sub: &SubBlock| sub.address != second.address;
        let mut from = duty.behind(&segment(first));
        let mut any = None;
        for _ in 0..MAX_STEPS {
            let next = from.checked_add(1)?;
            let mut over = self.segments.over(pool, from, next, duty.most_on_top());
            let in_the_way = over
                .find(|sub| others(sub) && from < sub.address.saturating_add(duty.taken(sub.size)));
            if let Some(in_the_way) = in_the_way {
                from = duty.behind(&segment(&in_the_way)).max(next);
                continue;
            }
            let after = self.segments.from(pool, from);
            let after = match after.filter(|after| !others(after)) {
                Some(moved) => self.segments.from(pool, moved.address.saturating_add(1)),
                None => after,
            };
            let until = after.map_or(u64::MAX, |after| after.address);
            any = any.or(Some((from, until)));
            match after {
                Some(after) if until - from < duty.taken(second.size) => {
                    from = duty.behind(&segment(&after)).max(next);
                }
                _ => return Some((from, until)),
            }
        }
        any
    }
}

fn segment(sub: &SubBlock) -> Segment {
    Segment {
        address: sub.address,
        size: sub.size,
        site: sub.site,
    }
}

#[cfg(test)]
mod tests;
