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
use aclsan_rules::api::functions::Function;
use aclsan_rules::api::profile::{HUGE_ABOVE, HUGE_PAGE, NORMAL_PAGE};

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
        && function.ends_at_page()
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
    use crate::fake_device::FakeDevice;
    use aclsan_os::out_ptr::OutPtr;

    fn placed(
        runtime: &FakeDevice,
        blocks: &GuardPages,
        size: u64,
    ) -> Result<Option<Plan>, PlaceError> {
        let options = Options::parse("guard=page:page_mb=4").0;
        let request = Request {
            out: OutPtr::NULL,
            size,
            argument: 0,
        };
        let plan = Plan {
            ask: size,
            padding: 32,
            right: 64,
            left: 0,
        };
        place(runtime, blocks, &options, 3, &request, &plan)
    }

    #[test]
    fn a_block_is_placed_at_the_end_of_its_memory_and_retired_when_it_is_unmapped() {
        let (runtime, blocks) = (FakeDevice::default(), GuardPages::default());
        let plan = placed(&runtime, &blocks, 1024).unwrap().unwrap();
        assert_eq!(plan.right, 1536 - 1056);
        let [start] = blocks.of_device(3)[..] else {
            panic!("one block");
        };
        let block = blocks.get(start).unwrap();
        assert_eq!(start + 1536, block.end());
        assert_eq!(block.apparent, (1056, NORMAL_PAGE));
        assert_eq!(
            blocks.at_or_before(start + 7).map(|(at, _)| at),
            Some(start)
        );
        let block = blocks.remove(start, false).unwrap();
        assert_eq!(
            blocks.unmap(&runtime, start, &block).map(|over| over.len()),
            Ok(0)
        );
        assert!(blocks.is_empty() && runtime.mapped.borrow().is_empty());
        assert_eq!(blocks.remove_device(3).len(), 1);
    }

    #[test]
    fn memory_of_the_budget_comes_back_when_nothing_was_mapped_or_a_block_was_unmapped() {
        let (runtime, blocks) = (FakeDevice::default(), GuardPages::default());
        runtime.refuses.set(true);
        let short = Err(PlaceError::NotMapped(MapError::TooLittleMemory));
        assert_eq!(placed(&runtime, &blocks, 3 << 20), short);
        runtime.refuses.set(false);
        assert!(placed(&runtime, &blocks, 3 << 20).is_ok_and(|plan| plan.is_some()));
        assert_eq!(placed(&runtime, &blocks, 64), Err(PlaceError::OverLimit));
        let start = blocks.of_device(3)[0];
        let block = blocks.remove(start, true).unwrap();
        assert!(!blocks.is_empty(), "deferred blocks keep their memory");
        assert_eq!(blocks.drain_deferred(Some(3), None).len(), 1);
        blocks.unmap(&runtime, start, &block).unwrap();
        assert!(placed(&runtime, &blocks, 64).is_ok());
    }

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
