//! How blocks lie in device memory: at the peak of each page class, at the end, and when memory was refused.

use std::collections::BTreeMap;

use aclsan_render::model::{Extent, Page, Pinning, Space, pinnings};
use aclsan_rules::trackers::heap::LiveBlock;

use super::layout::Layout;
use super::usage::Usage;
use crate::replay::sites::Sites;

impl Usage {
    /// Layouts at the end, given the `live` blocks, and at the peaks.
    pub fn layouts(&self, live: &[LiveBlock], sites: &Sites) -> Vec<Layout> {
        let mut now: BTreeMap<(i32, Page), Vec<(u64, Extent)>> = BTreeMap::new();
        for held in live {
            if let Some(extent) = self.extent(&held.block, sites) {
                let class = now.entry((held.block.device, extent.page)).or_default();
                class.push((held.order, extent));
            }
        }
        let classes = self.classes.iter();
        classes
            .filter(|(_, class)| class.peak.highest() > 0)
            .map(|((device, page), class)| {
                let peak = &class.peak;
                let now = now.remove(&(device, page)).unwrap_or_default();
                let request = class.requests.quantile(95, 0).unwrap_or(0);
                let mut at_peak = peak.items(now.iter().copied());
                // Mostly sorted already.
                at_peak.sort_by_key(|extent| extent.address);
                let mut at_end: Vec<Extent> = now.into_iter().map(|(_, extent)| extent).collect();
                at_end.sort_by_key(|extent| extent.address);
                let (end, end_unusable) = Space::with_request(&at_end, request);
                let (space, peak_unusable) = Space::with_request(&at_peak, request);
                let (cut, holes) = match end.free_bytes > space.free_bytes {
                    true => (&at_end, &end),
                    false => (&at_peak, &space),
                };
                Layout {
                    device,
                    page,
                    peak_ns: peak.at_ns(),
                    typical: request,
                    peak_unusable,
                    end_unusable,
                    pinners: pinnings(cut, holes.largest_hole_bytes),
                    peak: space,
                    end,
                }
            })
            .collect()
    }

    /// Holes of a page class while these blocks are live, and the sites that separate them.
    pub fn holes(
        &self,
        live: impl Iterator<Item = LiveBlock>,
        (device, page): (i32, Page),
        sites: &Sites,
    ) -> (Space, Vec<Pinning>) {
        let on_device = live.filter(|held| held.block.device == device);
        let extents = on_device.filter_map(|held| self.extent(&held.block, sites));
        let mut extents: Vec<Extent> = extents.filter(|extent| extent.page == page).collect();
        extents.sort_unstable_by_key(|extent| extent.address);
        let (space, _) = Space::with_request(&extents, 0);
        let pinners = pinnings(&extents, space.largest_hole_bytes);
        (space, pinners)
    }
}
