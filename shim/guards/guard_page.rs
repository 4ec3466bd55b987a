//! Guard pages (`guard=page`). Blocks end at an unmapped page, so the device itself faults on an overrun or a use after release.
//!
//! ```text
//! base ─▶ unused │ address ─▶ the program's bytes │ padding │ right redzone │ unmapped page
//!                  a multiple of 512                < 512 + 64                not backed by memory
//! ```
//! Only sampled blocks of `aclrtMalloc` and `aclrtMallocAlign32` are placed this way; all others are guarded as in `guard=rear`. A release
//! frees the memory at once and keeps the addresses reserved for a while. The lock is never held while the runtime works.

mod ranges;

use super::plan::{ALIGNMENT, Plan, Request};
use super::{Device, MapError};
use aclsan_options::{Guard, Options};
use aclsan_rules::Function;
use aclsan_rules::profile::{HUGE_ABOVE, HUGE_PAGE, NORMAL_PAGE};

pub use ranges::{GuardPages, GuardedBlock, UnmapFailed};

/// Granularity of mappings: the runtime serves normal pages as huge ones.
pub(super) const PAGE: u64 = HUGE_PAGE;
/// Policies for which a program cannot tell our pages from the runtime's: `HUGE_FIRST`, `HUGE_ONLY`.
const HUGE_POLICIES: [u32; 2] = [0, 1];

/// Why a block was not placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceError {
    /// Guarded blocks already take as much memory as `page_mb` allows.
    OverLimit,
    /// Memory was not mapped.
    NotMapped(MapError),
}

/// Bytes to map, and the block's offset in them, so that `rounded` bytes end at the end of a page.
fn layout(rounded: u64) -> Option<(u64, u64)> {
    let span = rounded.checked_next_multiple_of(ALIGNMENT)?;
    let pages = span.checked_next_multiple_of(PAGE)?;
    Some((pages, pages - span))
}

/// Whether a request can get a guard page.
#[inline(always)]
pub fn is_eligible(options: &Options, function: &Function, request: &Request) -> bool {
    options.guard() == Guard::Page
        && matches!(function.name, "aclrtMalloc" | "aclrtMallocAlign32")
        && HUGE_POLICIES.contains(&request.argument)
        && (u64::from(options.page_min)..=u64::from(options.page_max)).contains(&request.size)
        && !request.out.is_null()
}

/// Places an eligible block on `device` and writes its address for the program; returns the plan for its redzone. `None` if the runtime must
/// allocate it.
pub fn place(
    runtime: &impl Device,
    blocks: &GuardPages,
    options: &Options,
    device: i32,
    request: &Request,
    plan: &Plan,
) -> Result<Option<Plan>, PlaceError> {
    let Ok(number) = u32::try_from(device) else {
        return Ok(None);
    };
    let rounded = request.size + u64::from(plan.padding);
    let Some((pages, before)) = layout(rounded) else {
        return Ok(None);
    };
    if !blocks.take(pages, u64::from(options.page_mb) << 20) {
        return Err(PlaceError::OverLimit);
    }
    let is_free = |start| blocks.is_free(start, pages + PAGE);
    let mapping = match runtime.map(number, pages, PAGE, is_free) {
        Ok(mapping) => mapping,
        Err(error) => {
            blocks.give_back(pages);
            return Err(PlaceError::NotMapped(error));
        }
    };
    let address = mapping.base + before;
    let is_huge = request.argument == 1 || rounded > HUGE_ABOVE;
    let block = GuardedBlock {
        mapping,
        pages,
        device,
        apparent: (rounded, if is_huge { PAGE } else { NORMAL_PAGE }),
        stream: 0,
    };
    blocks.insert(address, block);
    request.out.write(address);
    Ok(Some(Plan {
        right: (pages - before - rounded) as u16, // below 512
        ..*plan
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_at_the_end_of_a_page() {
        // 1056 is 2 * 512 + 32, so three steps of 512 end at the end of 2 MiB.
        assert_eq!(layout(1056), Some((2 << 20, (2 << 20) - 1536)));
        assert_eq!(layout(1024), Some((2 << 20, (2 << 20) - 1024)));
        assert_eq!(layout(2 << 20), Some((2 << 20, 0)));
        assert_eq!(layout((2 << 20) + 1), Some((4 << 20, (2 << 20) - 512)));
        assert_eq!(layout(u64::MAX - 10), None);
    }
}
