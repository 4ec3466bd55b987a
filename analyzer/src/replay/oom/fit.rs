//! When a request of a given size would have fitted into a hole.

use std::collections::BTreeMap;

use aclsan_render::model::{Extent, Fit, FitChange, Page, SPAN_GAP};
use aclsan_rules::api::profile::Profile;

use crate::replay::pages::needed;

/// Changes kept per device and page class.
const MAX_CHANGES: usize = 1000;

/// Tracks the holes between blocks.
pub struct FitTracker {
    request: u64,
    /// The size after the runtime's rounding.
    rounded: u64,
    classes: BTreeMap<(i32, Page), Class>,
}

#[derive(Default)]
struct Class {
    /// Page range by block address.
    blocks: BTreeMap<u64, (u64, u64)>,
    /// Holes that are large enough, and whether there were any at the last change.
    fitting: u64,
    fits: Option<bool>,
    since_ns: u64,
    fits_ns: u64,
    changes: Vec<FitChange>,
    changes_left_out: u64,
}

impl FitTracker {
    /// Tracks requests of `request` bytes, rounded as `aclrtMalloc` does by `profile`.
    pub fn new(request: u64, profile: &Profile) -> Self {
        Self {
            request,
            rounded: profile.rounded(request, true).unwrap_or(u64::MAX),
            classes: BTreeMap::new(),
        }
    }

    /// A block was allocated.
    pub fn on_alloc(&mut self, device: i32, extent: &Extent, ns: u64) {
        let request = needed(extent.page, self.rounded);
        let class = self.classes.entry((device, extent.page)).or_default();
        if class.blocks.contains_key(&extent.address) {
            return;
        }
        let pages = extent.pages();
        let (before, after) = class.neighbors(extent.address);
        class.count(before, after, request, false);
        class.blocks.insert(extent.address, pages);
        class.count(before, Some(pages), request, true);
        class.count(Some(pages), after, request, true);
        class.note(ns);
    }

    /// A block was freed.
    pub fn on_free(&mut self, device: i32, extent: &Extent, ns: u64) {
        let request = needed(extent.page, self.rounded);
        let class = self.classes.entry((device, extent.page)).or_default();
        let Some(pages) = class.blocks.remove(&extent.address) else {
            return;
        };
        let (before, after) = class.neighbors(extent.address);
        class.count(before, Some(pages), request, false);
        class.count(Some(pages), after, request, false);
        class.count(before, after, request, true);
        class.note(ns);
    }

    /// The result, for a log that ends at `ns`.
    pub fn finish(self, ns: u64) -> Vec<Fit> {
        let request_bytes = self.request;
        let fits = self.classes.into_iter().map(|((device, page), class)| Fit {
            pid: 0,
            process: 0,
            device,
            page: page.name(),
            request_bytes,
            from_ns: class.changes.first().map_or(0, |change| change.ns),
            fits_ns: match class.fitting {
                0 => class.fits_ns,
                _ => class.fits_ns + ns.saturating_sub(class.since_ns),
            },
            until_ns: ns,
            changes: class.changes,
            changes_left_out: class.changes_left_out,
        });
        fits.collect()
    }
}

type Pages = Option<(u64, u64)>;

impl Class {
    fn neighbors(&self, address: u64) -> (Pages, Pages) {
        let before = self.blocks.range(..address).next_back();
        let after = self.blocks.range(address.saturating_add(1)..).next();
        (
            before.map(|(_, pages)| *pages),
            after.map(|(_, pages)| *pages),
        )
    }

    /// A hole between two neighbors appears or disappears.
    fn count(&mut self, before: Pages, after: Pages, request: u64, appears: bool) {
        let (Some((_, end)), Some((start, _))) = (before, after) else {
            return;
        };
        let hole = start.saturating_sub(end);
        if hole >= request && hole <= SPAN_GAP && hole > 0 {
            self.fitting = match appears {
                true => self.fitting + 1,
                false => self.fitting.saturating_sub(1),
            };
        }
    }

    fn note(&mut self, ns: u64) {
        let fits = self.fitting > 0;
        let before = self.fits;
        if before == Some(fits) {
            return;
        }
        if before == Some(true) {
            self.fits_ns += ns.saturating_sub(self.since_ns);
        }
        self.since_ns = ns;
        self.fits = Some(fits);
        match self.changes.len() < MAX_CHANGES {
            true => self.changes.push(FitChange { ns, fits }),
            false => self.changes_left_out += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn huge(at: u64) -> Extent {
        Extent {
            address: at * MIB,
            asked: MIB,
            rounded: 2 * MIB,
            page: Page::Huge,
            owner: 0,
        }
    }

    #[test]
    fn holes_come_and_go_with_blocks() {
        // With the runtime's 32 bytes 7 MiB take four pages of 2 MiB, and 8 MiB five.
        let mut fit = FitTracker::new(7 * MIB, &Profile::default());
        fit.on_alloc(0, &huge(0), 10); // nothing between
        fit.on_alloc(0, &huge(10), 20); // 2..10: 8 MiB
        fit.on_alloc(0, &huge(4), 30); // 2..4 and 6..10: too small
        fit.on_free(0, &huge(4), 50);
        fit.on_free(0, &huge(0), 90); // one block has no holes
        let reported = fit.finish(100);
        let changes = reported[0]
            .changes
            .iter()
            .map(|change| (change.ns, change.fits));
        assert_eq!(
            changes.collect::<Vec<_>>(),
            [
                (10, false),
                (20, true),
                (30, false),
                (50, true),
                (90, false)
            ]
        );
        // 20 to 30 and 50 to 90.
        assert_eq!(
            (
                reported[0].fits_ns,
                reported[0].from_ns,
                reported[0].until_ns
            ),
            (50, 10, 100)
        );
    }

    #[test]
    fn a_hole_must_have_the_pages_that_the_request_takes() {
        for (request, fits) in [(8 * MIB - 32, true), (8 * MIB, false)] {
            let mut fit = FitTracker::new(request, &Profile::default());
            fit.on_alloc(0, &huge(0), 1);
            fit.on_alloc(0, &huge(10), 2); // 2..10: 8 MiB
            let reported = fit.finish(3);
            assert_eq!(
                reported[0].changes.last(),
                Some(&FitChange {
                    ns: if fits { 2 } else { 1 },
                    fits
                })
            );
        }
    }

    #[test]
    fn a_gap_between_heaps_is_no_hole() {
        let mut fit = FitTracker::new(MIB, &Profile::default());
        fit.on_alloc(0, &huge(0), 1);
        fit.on_alloc(0, &huge(4096), 2);
        let change = FitChange { ns: 1, fits: false };
        assert_eq!(fit.finish(3)[0].changes, [change]);
    }
}
