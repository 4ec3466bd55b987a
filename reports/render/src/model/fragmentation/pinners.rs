//! Pinners: allocation sites whose blocks separate holes.
//!
//! Consecutive blocks of one site form a run. Without the run, its bytes, the holes in it and those on both sides would be one hole. The
//! numbers of a site are summed over its runs that touch a hole. A run at the edge of a span bounds nothing: what is beyond is unknown.

use aclsan_rules::api::fast_hash::FastMap;
use serde::Serialize;

use super::{Extent, SPAN_GAP};
use crate::model::stack::Trace;

/// What one site keeps apart.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pinning {
    /// Number of the site.
    pub owner: u32,
    /// Its blocks next to holes, and those between them.
    pub blocks: u64,
    /// Bytes requested for them.
    pub bytes: u64,
    /// Bytes of the holes that they touch.
    pub hole_bytes: u64,
    /// The largest hole that there would be without them.
    pub merged_bytes: u64,
}

/// The same in a report.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pinner {
    /// The site's blocks next to holes, and those between them.
    pub blocks: u64,
    /// Bytes requested for them.
    pub bytes: u64,
    /// Their share of all requested bytes, between 0 and 1.
    pub share: f64,
    /// Bytes of the holes that they touch.
    pub hole_bytes: u64,
    /// The largest hole that there would be without them.
    pub merged_bytes: u64,
    /// The call that allocated them.
    pub allocated: Trace,
}

#[derive(Clone, Copy)]
struct Run {
    owner: u32,
    blocks: u64,
    bytes: u64,
    start: u64,
    end: u64,
    /// The hole before it (`None` at the edge of a span), and the holes in it.
    before: Option<u64>,
    inside: u64,
}

impl Run {
    /// Whether another run, which begins later, begins on a page of this one.
    fn shares_with(&self, next: &Self) -> bool {
        next.start < self.end
    }
}

/// What each site keeps apart, while runs are gone through in order of address.
#[derive(Default)]
struct Pinnings {
    places: FastMap<u32, Pinning>,
    /// The last run, and whether it shares a page with the one before.
    last: Option<(Run, bool)>,
}

impl Pinnings {
    fn add(&mut self, extent: &Extent) {
        let (start, end) = extent.pages();
        let gap = self
            .last
            .map(|(run, _)| start.saturating_sub(run.end))
            .filter(|gap| *gap <= SPAN_GAP);
        match (&mut self.last, gap) {
            (Some((run, _)), Some(gap)) if run.owner == extent.owner => {
                run.blocks += 1;
                run.bytes = run.bytes.saturating_add(extent.asked);
                run.inside += gap;
                run.end = run.end.max(end);
            }
            _ => self.begin(Run {
                owner: extent.owner,
                blocks: 1,
                bytes: extent.asked,
                start,
                end,
                before: gap,
                inside: 0,
            }),
        }
    }

    /// The last run is over.
    fn begin(&mut self, next: Run) {
        let Some((run, shared_before)) = self.last else {
            self.last = Some((next, false));
            return;
        };
        let is_shared = run.shares_with(&next);
        self.last = Some((next, is_shared));
        let (Some(before), Some(after)) = (run.before, next.before) else {
            return;
        };
        let holes = before + run.inside + after;
        if holes == 0 || is_shared || shared_before {
            return;
        }
        let place = self.places.entry(run.owner).or_default();
        place.owner = run.owner;
        place.blocks += run.blocks;
        place.bytes = place.bytes.saturating_add(run.bytes);
        place.hole_bytes = place.hole_bytes.saturating_add(holes);
        let merged = (run.end - run.start).saturating_add(before + after);
        place.merged_bytes = place.merged_bytes.max(merged);
    }
}

/// Every site that prevents a larger hole than the largest one, largest first. Sites that share pages with others are omitted, since
/// removing them would free nothing. Extents are in order of address.
pub fn pinnings(extents: &[Extent], largest_hole: u64) -> Vec<Pinning> {
    let mut pinnings = Pinnings::default();
    extents.iter().for_each(|extent| pinnings.add(extent));
    let places = pinnings.places.into_values();
    let mut list: Vec<Pinning> = places
        .filter(|place| place.merged_bytes > largest_hole)
        .collect();
    list.sort_unstable_by_key(|place| {
        (
            std::cmp::Reverse((place.merged_bytes, place.hole_bytes)),
            place.bytes,
            place.owner,
        )
    });
    list
}

#[cfg(test)]
mod tests {
    use super::super::Page;
    use super::*;

    const MIB: u64 = 1 << 20;

    /// A block of one huge page at this many MiB.
    fn huge(at: u64, owner: u32) -> Extent {
        Extent {
            address: at * MIB,
            asked: MIB,
            rounded: 2 * MIB,
            page: Page::Huge,
            owner,
        }
    }

    #[test]
    fn a_run_of_one_place_pins_the_holes_on_both_sides_and_within() {
        // Pages at 0-2 (site 1), 10-12 and 14-16 (site 2), 20-22 (site 1): holes of 8, 2 and 4 MiB.
        let layout = [huge(0, 1), huge(10, 2), huge(14, 2), huge(20, 1)];
        let found = pinnings(&layout, 8 * MIB);
        // Without site 2, everything from 2 to 20 is one hole. Site 1 is at the edges.
        let of = |place: &Pinning| {
            (
                place.owner,
                place.blocks,
                place.hole_bytes / MIB,
                place.merged_bytes / MIB,
            )
        };
        assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [(2, 2, 14, 18)]);
    }

    #[test]
    fn a_page_that_two_places_share_is_freed_by_neither_and_far_heaps_are_apart() {
        let small = |address, owner| Extent {
            address,
            asked: 64,
            rounded: 96,
            page: Page::Normal,
            owner,
        };
        let layout = [small(0, 1), small(512, 2), small(MIB, 1), small(2 * MIB, 2)];
        // The block at 1 MiB splits what is between 4 KiB and 2 MiB into two holes.
        let found = pinnings(&layout, MIB - 4096);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].owner, found[0].blocks, found[0].merged_bytes),
            (1, 1, 2 * MIB - 4096)
        );
        let far = [huge(0, 1), huge(4096, 2)];
        assert_eq!(pinnings(&far, 0), []);
    }
}
