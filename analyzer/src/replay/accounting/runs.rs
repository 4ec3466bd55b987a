//! Runs of queued entries that make no sum higher than it ever was: most of a long log.
//!
//! Live bytes of a family, of a device and of the process then change once a run, not once an event. What an entry does is what
//! [`Usage::on_alloc`] and [`Usage::on_free`] do, which handle all that a run declines. Two passes: what each needs fits the registers.

use std::hint::black_box;

use super::entry::Entry;
use super::usage::Usage;
use crate::replay::pages::needed;
use crate::replay::sites::stats::Footprint;
use crate::replay::sites::{SiteTraits, Sites};
use crate::replay::totals::InRange;

/// Sums below this stay in range, whatever a run adds, and so do those of pages: the heap has fewer than 2³² blocks at a time, and each
/// takes less than a page of 2³⁰ bytes more than its own.
const IN_RANGE: u64 = 1 << 58;
/// The largest block of a run.
const MAX_SIZE: u64 = 1 << 40;

/// What a run does to sums that its blocks have in common.
#[derive(Default)]
struct Changes {
    live: i64,
    allocations: u64,
    allocated: u64,
    releases: u64,
    /// Order and time of the last allocation.
    latest: (u64, u64),
    /// The largest of them.
    largest: u64,
    /// Bytes of pages that were taken and returned.
    taken: u64,
    returned: u64,
}

impl Usage {
    /// Applies entries, from the first one up to one that is more than a run can have. Returns how many.
    pub(super) fn enter_run(&mut self, entries: &[Entry], sites: &Sites) -> usize {
        let first = entries.first().and_then(Entry::packed);
        let Some(first) = first.map(|packed| sites.traits(packed.site())) else {
            return 0;
        };
        let is_usual = !self.has_guards() && self.fit.is_none() && self.spreads.is_none();
        let line = first.line.filter(|_| is_usual && first.has_device_sums());
        let Some(line) = line.map(usize::from) else {
            return 0;
        };
        let Some(room) = self.room(first, line) else {
            return 0;
        };
        let (done, mut changes) = self.measure(entries, sites, (first, line), room);
        if done > 0 {
            self.enter_sites(&entries[..done], sites, first, &mut changes);
            self.change(first, line, &changes);
        }
        done
    }

    /// By how many bytes live memory may rise in a run of blocks like those of a site; `None` if there can be no run.
    #[inline(always)]
    fn room(&mut self, traits: &SiteTraits, line: usize) -> Option<i64> {
        let family = &self.families[line];
        let device = self.devices.of(traits.device);
        let sums = [family.allocated, device.live(), self.whole.live()];
        let is_in_range = sums.iter().all(|&sum| sum < IN_RANGE);
        let room = family.room().min(device.room()).min(self.whole.room());
        // A sum that is higher than ever has to be settled first, by a release outside of a run.
        let is_settled = room >= 0 && self.timelines.is_only(traits.device);
        (is_in_range && is_settled).then_some(room)
    }

    /// Finds how many entries are a run, and what they do to sums that they have in common. Updates the timeline.
    #[inline(never)]
    fn measure(
        &mut self,
        entries: &[Entry],
        sites: &Sites,
        (first, line): (&SiteTraits, usize),
        room: i64,
    ) -> (usize, Changes) {
        let before = self.families[line].live;
        let mut quiet = self.timelines.quiet(line);
        // The change that the timeline has, and how many quiet changes it lacks.
        let (mut known, mut missing, mut last_ns) = (0, 0, 0);
        let mut changes = Changes::default();
        let (mut done, mut touched) = (0, 0);
        for entry in entries {
            let (packed, live) = match entry {
                Entry::Alloc(packed) => (packed, changes.live.wrapping_add_unsigned(packed.size)),
                Entry::Release(packed) => (packed, changes.live.wrapping_sub_unsigned(packed.size)),
                _ => break,
            };
            let (size, ns) = (packed.size, packed.ns);
            let traits = sites.traits(packed.site());
            if live > room || size > MAX_SIZE || !traits.shares_sums(first) {
                break;
            }
            touched ^= self.site_stats.touch(traits);
            if quiet.has(ns, live - known) {
                (missing, last_ns) = (missing + 1, ns);
            } else {
                let latest = before.wrapping_add_signed(changes.live);
                (self.timelines).change_quietly(last_ns, line, latest, missing);
                let live_bytes = before.wrapping_add_signed(live);
                (self.timelines).change(ns, line, live_bytes, Some(first.device));
                quiet = self.timelines.quiet(line);
                (known, missing) = (live, 0);
            }
            if let Entry::Alloc(_) = entry {
                changes.allocations += 1;
                changes.allocated += size;
                changes.largest = changes.largest.max(size);
                changes.latest = (packed.order(), ns); // orders rise
            }
            changes.live = live;
            done += 1;
        }
        let live_bytes = before.wrapping_add_signed(changes.live);
        (self.timelines).change_quietly(last_ns, line, live_bytes, missing);
        black_box(touched);
        changes.releases = done as u64 - changes.allocations;
        (done, changes)
    }

    /// What entries do to page classes and sites.
    #[inline(never)]
    fn enter_sites(
        &mut self,
        entries: &[Entry],
        sites: &Sites,
        first: &SiteTraits,
        changes: &mut Changes,
    ) {
        let newest = self.whole.newest();
        let classes = self.classes.of_device(first.device);
        for entry in entries {
            let Some(packed) = entry.packed() else {
                continue;
            };
            let (traits, ns) = (sites.traits(packed.site()), packed.ns);
            let Some(paging) = &traits.paging else {
                continue;
            };
            let mut held = packed.counted();
            // Known to the compiler, it saves the checks for overflow.
            held.size = held.size.min(MAX_SIZE);
            held.bytes = held.size;
            let extent = paging.extent_at(held.address, held.size, 0, traits.place.0);
            let (pages, class) = (
                needed(extent.page, extent.rounded),
                &mut classes[extent.page as usize],
            );
            let footprint = Some(Footprint::of(&extent, traits.is_forced));
            if let Entry::Alloc(_) = entry {
                changes.taken += pages;
                class.requests.add(held.size);
                class.peak.arrive(held.order, held.size, ns);
                let whole = || sites.live_block(&held);
                self.site_stats
                    .on_alloc::<InRange>(traits, &held, footprint, ns, whole);
            } else {
                changes.returned += pages;
                class.peak.depart(held.order, held.size, extent);
                if held.order <= newest {
                    self.whole.keep(held.order, (traits.place, 1, held.size));
                }
                self.site_stats
                    .on_free::<InRange>(traits, &held, footprint, (ns, true));
            }
        }
    }

    /// Changes the sums that the blocks of a run have in common, except for the timeline.
    #[inline(always)]
    fn change(&mut self, traits: &SiteTraits, line: usize, changes: &Changes) {
        let latest = (changes.allocations > 0).then_some(changes.latest);
        let family = &mut self.families[line];
        family.allocations += changes.allocations;
        family.allocated += changes.allocated;
        family.releases += changes.releases;
        family.live = family.live.wrapping_add_signed(changes.live);
        let device = self.devices.of(traits.device);
        let of_device = device.live().wrapping_add_signed(changes.live);
        device.shift(of_device, latest.map(|(_, ns)| ns));
        let whole = self.whole.live().wrapping_add_signed(changes.live);
        self.whole.shift(whole, latest);
        if traits.is_dropped_by_reset {
            let pages = (changes.taken, changes.returned);
            (self.oom).on_pages_changed(traits.device, pages, changes.largest);
        }
    }
}
