//! The layout of device memory, as far as addresses show it.
//!
//! Blocks of one device and page class are laid out by address, in whole pages. A gap of more than [`SPAN_GAP`] bytes separates two spans
//! (other heaps of the driver are there); a smaller one is a hole. With F the bytes of all holes and L the largest hole, the index is `1 −
//! L/F`, and for a request of r bytes the share `Σ(holes < r)
//! F` is unusable (Gorman's unusable free space index).
//!
//! This is an estimate, however exact the figures: holes are in the address space, while physical pages can be scattered; the driver's
//! cache, other processes and the runtime's own blocks are not visible. `1 − L/F` of a single hole is 0, and so is that of none.

use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Function;
use aclsan_rules::api::profile::{GIANT_PAGE, HUGE_ABOVE, HUGE_PAGE, NORMAL_PAGE, Profile, padded};
use serde::Serialize;

/// A gap that is too large to be a hole.
pub const SPAN_GAP: u64 = 1 << 30;
/// Requests for which the unusable share is reported.
pub const HELD_REQUESTS: [u64; 3] = [2 << 20, 64 << 20, 512 << 20];

/// The page size of a block, as requested by its policy and size. The runtime may silently fall back to smaller pages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Page {
    /// 4 KiB.
    Normal,
    /// 2 MiB.
    Huge,
    /// 1 GiB.
    Giant,
}

impl Page {
    /// Size of a page in bytes.
    #[inline]
    pub fn bytes(self) -> u64 {
        match self {
            Self::Normal => NORMAL_PAGE,
            Self::Huge => HUGE_PAGE,
            Self::Giant => GIANT_PAGE,
        }
    }

    /// Rounds `bytes` up to whole pages; `None` on overflow. Avoids the division instruction, which would cost as much as all the rest.
    #[inline]
    pub fn up(self, bytes: u64) -> Option<u64> {
        let below = self.bytes() - 1;
        Some(bytes.checked_add(below)? & !below)
    }

    /// Whether a page starts at `address`.
    #[inline]
    pub fn begins_at(self, address: u64) -> bool {
        address & (self.bytes() - 1) == 0
    }

    /// Short name for reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "4K",
            Self::Huge => "2M",
            Self::Giant => "1G",
        }
    }

    /// The class that `policy` (`aclrtMemMallocPolicy`) demands; `None` if the size decides.
    fn demanded(policy: u32) -> Option<Self> {
        match policy {
            1 | 4 => Some(Self::Huge),   // HUGE_ONLY, HUGE_ONLY_P2P
            2 | 5 => Some(Self::Normal), // NORMAL_ONLY, NORMAL_ONLY_P2P
            6 | 7 => Some(Self::Giant),  // HUGE1G_ONLY, HUGE1G_ONLY_P2P
            _ => None,
        }
    }

    /// The class of a rounded request whose policy demands none.
    #[inline]
    fn of(rounded: u64) -> Self {
        match rounded > HUGE_ABOVE {
            true => Self::Huge,
            false => Self::Normal,
        }
    }
}

/// The memory that a block occupies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Its first byte.
    pub address: u64,
    /// Bytes that the program requested.
    pub asked: u64,
    /// Bytes that were finally requested from the runtime: rounded, padded, with redzones.
    pub rounded: u64,
    /// Its pages.
    pub page: Page,
    /// Number of its allocation site.
    pub owner: u32,
}

/// How the blocks of one call with one policy are rounded, and their page class. Small: it is read for every event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paging {
    demanded: Option<Page>,
    padding: u32,
}

impl Paging {
    /// For blocks that `function` allocates; `policy` is its site's argument. `None` for memory that is not device memory.
    pub fn of(function: &Function, policy: u32, profile: &Profile) -> Option<Self> {
        let family = function.family().unwrap_or(Family::Device);
        let policy = match family {
            // Below AscendCL, the argument is not a policy.
            Family::Device if function.name.starts_with("rt") => 0,
            Family::Device => policy,
            Family::Dvpp | Family::DvppMpi => 0,
            _ => return None,
        };
        let is_giant = matches!(policy, 6 | 7);
        let is_padded = !is_giant
            && match function.name {
                "aclrtMalloc" | "aclrtMallocCached" => true,
                _ => family != Family::Device,
            };
        let padding = if is_padded { profile.padding } else { 0 };
        Some(Self {
            demanded: Page::demanded(policy),
            padding: u32::try_from(padding).unwrap_or(u32::MAX),
        })
    }

    /// The extent of `block`; `guard` is the size of its redzones.
    #[inline]
    pub fn extent(&self, block: &Block, guard: u64) -> Extent {
        self.extent_at(block.address, block.size, guard, block.site.0)
    }

    /// The extent of a block of `size` bytes at `address`, allocated at the site `owner`.
    #[inline(always)]
    pub fn extent_at(&self, address: u64, size: u64, guard: u64, owner: u32) -> Extent {
        let asked = size.saturating_add(guard);
        let rounded = padded(asked, self.padding.into()).unwrap_or(u64::MAX);
        Extent {
            address,
            asked: size,
            rounded,
            page: self.demanded.unwrap_or_else(|| Page::of(rounded)),
            owner,
        }
    }
}

impl Extent {
    /// The extent of `block`. `policy` is its site's argument, `guard` the size of its redzones. `None` for memory that is not device
    /// memory.
    pub fn of(block: &Block, policy: u32, guard: u64, profile: &Profile) -> Option<Self> {
        let paging = Paging::of(block.function, policy, profile);
        paging.map(|paging| paging.extent(block, guard))
    }

    /// Its pages: from the start of the first to the end of the last.
    pub fn pages(&self) -> (u64, u64) {
        let end = self.address.saturating_add(self.rounded);
        let start = self.address & !(self.page.bytes() - 1);
        (start, self.page.up(end).unwrap_or(u64::MAX))
    }
}

/// Fragmentation of a report.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Fragmentation {
    /// Always true: see the limits in the module's documentation.
    pub is_estimate: bool,
    /// By process, device and page class; only those with blocks.
    pub classes: Vec<SpaceClass>,
    /// Whether a given request would have fitted, over time; empty if none was given.
    pub fits: Vec<Fit>,
}

/// Whether a request would have fitted into a hole of one page class of one device. Only holes between blocks count: the driver may have had
/// room elsewhere.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fit {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// The device, −1 if unknown.
    pub device: i32,
    /// `4K`, `2M` or `1G`.
    pub page: &'static str,
    /// Size of the request.
    pub request_bytes: u64,
    /// Time of the first block.
    pub from_ns: u64,
    /// The end of the log.
    pub until_ns: u64,
    /// How long it would have fitted in between.
    pub fits_ns: u64,
    /// When that changed, and whether it fitted from then on.
    pub changes: Vec<FitChange>,
    /// Number of later changes left out.
    pub changes_left_out: u64,
}

/// One page class of one device, as used by one process.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SpaceClass {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// The device, −1 if unknown.
    pub device: i32,
    /// `4K`, `2M` or `1G`.
    pub page: &'static str,
    /// Time of the peak of live bytes.
    pub peak_ns: u64,
    /// At the last event.
    pub end: Space,
    /// At the peak of live bytes.
    pub peak: Space,
    /// The 95th percentile of request sizes in this class, and the share of the peak's free bytes that it cannot use.
    pub typical: Unusable,
    /// The same share of the free bytes at the end.
    pub typical_at_end: Unusable,
    /// Sites whose blocks separate holes, at the peak or the end, whichever had more bytes in holes; largest gain first.
    pub pinners: Vec<Pinner>,
}

/// A change of [`Fit`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct FitChange {
    /// When.
    pub ns: u64,
    /// Whether the request fitted from then on.
    pub fits: bool,
}

/// A layout at one moment.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Space {
    /// Blocks.
    pub blocks: u64,
    /// Bytes that the program requested.
    pub asked_bytes: u64,
    /// Bytes after the runtime's rounding and padding.
    pub rounded_bytes: u64,
    /// Bytes of the pages that they occupy.
    pub page_bytes: u64,
    /// `page_bytes` minus `asked_bytes`: the overhead of rounding and page size.
    pub slack_bytes: u64,
    /// From the first page to the last, without gaps beyond [`SPAN_GAP`].
    pub span_bytes: u64,
    /// Number of spans.
    pub spans: u64,
    /// F: bytes in holes.
    pub free_bytes: u64,
    /// Number of holes.
    pub holes: u64,
    /// Half as many as there are blocks: the long-run result of first fit by the 50-percent rule (Knuth, TAOCP 1, 2.5). Many more are not an
    /// equilibrium of allocations and releases.
    pub usual_holes: u64,
    /// L: the largest hole.
    pub largest_hole_bytes: u64,
    /// `1 − L/F`; 0 without holes.
    pub index: f64,
    /// For each of [`HELD_REQUESTS`], the share of F in holes that are too small; 0 without holes.
    pub unusable: Vec<Unusable>,
}

/// The share of free bytes that a request cannot use.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Unusable {
    /// Size of the request.
    pub request_bytes: u64,
    /// Between 0 and 1.
    pub share: f64,
}

impl Space {
    /// Lays out `extents`, all of one device and class.
    pub fn of(mut extents: Vec<Extent>) -> Self {
        extents.sort_unstable_by_key(|extent| extent.address);
        Self::with_request(&extents, 0).0
    }

    /// The same of extents in order of address, plus the share of free bytes in holes smaller than `request`.
    pub fn with_request(extents: &[Extent], request: u64) -> (Self, f64) {
        let sum = |of: fn(&Extent) -> u64| {
            extents
                .iter()
                .fold(0_u64, |sum, e| sum.saturating_add(of(e)))
        };
        let mut space = Self {
            blocks: extents.len() as u64,
            usual_holes: extents.len() as u64 / 2,
            asked_bytes: sum(|extent| extent.asked),
            rounded_bytes: sum(|extent| extent.rounded),
            ..Self::default()
        };
        let mut too_small = [0_u64; HELD_REQUESTS.len()];
        let mut small = 0;
        let mut reached: Option<u64> = None;
        for (start, end) in extents.iter().map(Extent::pages) {
            let gap = reached.map(|reached| start.saturating_sub(reached));
            match gap {
                Some(0) => {}
                Some(hole) if hole <= SPAN_GAP => {
                    space.holes += 1;
                    space.free_bytes += hole;
                    space.largest_hole_bytes = space.largest_hole_bytes.max(hole);
                    small += if hole < request { hole } else { 0 };
                    for (small, request) in too_small.iter_mut().zip(HELD_REQUESTS) {
                        *small += if hole < request { hole } else { 0 };
                    }
                }
                _ => space.spans += 1,
            }
            // Small blocks can share a page: only new pages count.
            let from = reached.map_or(start, |reached| reached.max(start));
            space.page_bytes = space.page_bytes.saturating_add(end.saturating_sub(from));
            reached = Some(reached.unwrap_or(0).max(end));
        }
        space.slack_bytes = space.page_bytes.saturating_sub(space.asked_bytes);
        space.span_bytes = space.page_bytes.saturating_add(space.free_bytes);
        space.index = match space.free_bytes {
            0 => 0.0,
            free => 1.0 - space.largest_hole_bytes as f64 / free as f64,
        };
        let share = |small: u64| match space.free_bytes {
            0 => 0.0,
            free => small as f64 / free as f64,
        };
        let pairs = HELD_REQUESTS.into_iter().zip(too_small);
        space.unusable = pairs
            .map(|(request_bytes, small)| Unusable {
                request_bytes,
                share: share(small),
            })
            .collect();
        let unusable = share(small);
        (space, unusable)
    }
}

mod pinners;
pub use pinners::{Pinner, Pinning, pinnings};

#[cfg(test)]
mod tests;
