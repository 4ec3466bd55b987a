//! Plans the guards of a request: how many bytes to request, and where the redzones go.
//!
//! ```text
//! real start ─▶ left redzone │ address ─▶ the program's bytes │ alignment padding │ right redzone
//!               asked for on top          size                  the runtime's own   asked for on top
//! ```

use super::Unsupported;
use super::page_class::{PageClass, page_class, takes_page};
use aclsan_options::{Guard, Options};
use aclsan_os::maps;
use aclsan_os::out_ptr::OutPtr;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Function;
use aclsan_rules::api::profile::{HUGE_ABOVE, HUGE_PAGE, Profile};
use aclsan_tables::live::Entry;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Alignment of small blocks: the runtime asks the driver for 2^9 (source of runtime 681ef761).
pub(super) const ALIGNMENT: u64 = 512;

/// A device's small page.
const DEVICE_PAGE: u64 = 4096;

/// What the program asked for.
#[derive(Clone, Copy)]
pub struct Request {
    /// Where to write the address.
    pub out: OutPtr,
    /// Bytes.
    pub size: u64,
    /// Policy, 0 for calls without one.
    pub argument: u32,
}

/// The guards of one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Bytes to request from the runtime instead of the program's size.
    pub ask: u64,
    /// Bytes of alignment padding after the program's bytes.
    pub padding: u8,
    /// Bytes of right redzone after the padding.
    pub right: u16,
    /// Bytes of `ask` before the program's bytes: see [`super::left_redzone`].
    pub left: u32,
}

/// The outcome of planning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planned {
    /// `None` if the block is not guarded.
    pub plan: Option<Plan>,
    /// The block's kind, if all blocks of that kind get fewer guards than the user asked for.
    pub unsupported: Option<Unsupported>,
}

/// Whether blocks of this function can be guarded. Managed memory cannot: it is allocated in steps of 2 MiB, and its pages belong to whoever
/// touched them last.
#[inline(always)]
pub fn is_supported(function: &Function) -> bool {
    function.family() != Some(Family::Managed)
}

/// Plans a request. Of each size class, one request in `guard_sample` is guarded, and the first. `soc` determines the runtime's rounding; it is `None` while the SoC is unknown
/// or copies are forbidden.
#[inline(always)]
pub fn plan(
    options: &Options,
    soc: Option<&Profile>,
    function: &Function,
    request: &Request,
) -> Planned {
    let guard = options.guard();
    let soc = match soc {
        Some(soc) if guard != Guard::Off && is_supported(function) => soc,
        _ => return unguarded(guard, function),
    };
    let mut planned = Planned {
        plan: None,
        unsupported: None,
    };
    static REQUESTS: SizeClasses = SizeClasses::new();
    if REQUESTS.is_next_sampled(options.seed, request.size, options.guard_sample.0) {
        planned.plan = layout(options, soc, function, request);
    }
    match (planned.plan, guard) {
        (Some(plan), Guard::Both) => with_left_redzone(options, function, request, plan),
        _ => planned,
    }
}

/// No plan; names the kind if it can never have one.
#[cold]
fn unguarded(guard: Guard, function: &Function) -> Planned {
    let is_lacking = guard == Guard::Both && !is_supported(function);
    Planned {
        plan: None,
        unsupported: is_lacking.then_some(Unsupported::Managed),
    }
}

/// Places padding and right redzone.
fn layout(
    options: &Options,
    soc: &Profile,
    function: &Function,
    request: &Request,
) -> Option<Plan> {
    let size = request.size;
    let is_host = function.family().is_some_and(Family::is_host);
    let is_padded = is_padded(function, request.argument);
    let rounded = soc.rounded(size, is_padded)?;
    let right = u64::from(options.guard_bytes.0).next_multiple_of(32);
    let taken = taken(rounded, right, page(is_host))?;
    // The call adds its own padding to any request, so it is not requested here.
    let ask = taken - (rounded - soc.rounded(size, false)?);
    let padding = u8::try_from(rounded - size).ok()?;
    // One branch for nearly all blocks: every limit of pages is a multiple of HUGE_ABOVE.
    let steps = |bytes: u64| bytes.wrapping_sub(1) / HUGE_ABOVE;
    if steps(rounded) != steps(taken)
        && takes_page(options, function, request.argument, (rounded, taken))
    {
        return (padding > 0).then_some(Plan {
            ask: size,
            padding,
            right: 0,
            left: 0,
        });
    }
    Some(Plan {
        ask,
        padding,
        right: right as u16,
        left: 0,
    })
}

/// Adds a left redzone, if the block can have one.
fn with_left_redzone(
    options: &Options,
    function: &Function,
    request: &Request,
    plan: Plan,
) -> Planned {
    let mut planned = Planned {
        plan: Some(plan),
        unsupported: None,
    };
    let is_host = function.family().is_some_and(Family::is_host);
    let rounded = request.size.saturating_add(plan.padding.into());
    let whole = taken(rounded, plan.right.into(), page(is_host)).unwrap_or(u64::MAX);
    if plan.right == 0 && options.guard_bytes.0 > 0 {
        return planned; // Not even the right redzone fits.
    }
    if page_class(function, request.argument) == PageClass::Gigantic {
        planned.unsupported = Some(Unsupported::GiganticPages);
    }
    let left = left_length(function, request.argument, (rounded, whole), page(is_host));
    if let Some(left) = left
        && let Some(ask) = plan.ask.checked_add(left)
    {
        let left = left as u32;
        planned.plan = Some(Plan { ask, left, ..plan });
    }
    planned
}

/// The alignment of blocks that are whole pages.
fn page(is_host: bool) -> u64 {
    if is_host {
        maps::page_size()
    } else {
        DEVICE_PAGE
    }
}

/// Bytes requested from the runtime beyond a block's rounded size.
pub fn added(entry: &Entry) -> u64 {
    let rounded = entry.size.saturating_add(entry.slack.into());
    let taken = taken(rounded, entry.guard.into(), page(entry.is_host()));
    match entry.guard {
        0 => 0,
        _ => taken.map_or(0, |taken| taken - rounded),
    }
}

/// Bytes that a block of `rounded` bytes takes together with its right redzone. A block of whole pages stays one: the driver cuts the next
/// block right after it, and in a program that allocates whole pages only, every block stays page-aligned, which registrations and exports
/// require.
fn taken(rounded: u64, right: u64, page: u64) -> Option<u64> {
    let together = rounded.checked_add(right)?;
    if is_whole_pages(rounded, page)? {
        return together.checked_next_multiple_of(page);
    }
    Some(together)
}

fn is_whole_pages(rounded: u64, page: u64) -> Option<bool> {
    let cut = rounded.checked_next_multiple_of(ALIGNMENT)?;
    Some(cut.is_multiple_of(page))
}

/// Requests by size class, a power of two: a program with millions of small blocks and few large ones has guards on both.
struct SizeClasses([AtomicU64; 64]);

impl SizeClasses {
    const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; 64])
    }

    /// Counts a request of `size` bytes. Whether it is guarded: never one of 0 bytes, the first of its class, and of the others one in `sample`.
    #[inline]
    fn is_next_sampled(&self, seed: u32, size: u64, sample: u32) -> bool {
        let Some(class) = size.checked_ilog2() else {
            return false;
        };
        if sample == 1 {
            return true;
        }
        let number = self.0[class as usize].fetch_add(1, Relaxed);
        number == 0 || is_sampled(seed, u64::from(class) << 24 ^ number, sample)
    }
}

/// Whether the `request`-th request is one of the one in `sample` that are guarded. Uniform over requests, deterministic for a seed.
fn is_sampled(seed: u32, request: u64, sample: u32) -> bool {
    // splitmix64: consecutive inputs give evenly distributed values.
    let mut x = (u64::from(seed) << 32 ^ request).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ x >> 31).is_multiple_of(sample.into())
}

/// Whether a call adds the SoC's padding to the requested size.
pub fn is_padded(function: &Function, policy: u32) -> bool {
    let is_1g_page = matches!(policy, 6 | 7);
    !is_1g_page && function.is_padded()
}

/// Bytes of left redzone that keep the block's alignment; `None` if it gets none. The block takes `rounded` bytes, and `taken` with its right
/// redzone; `page` is the alignment of whole-page blocks.
fn left_length(
    function: &Function,
    policy: u32,
    (rounded, taken): (u64, u64),
    page: u64,
) -> Option<u64> {
    let class = page_class(function, policy);
    // The start keeps its offset within a page: exporting a block requires whole pages, and small blocks may start on one.
    let small = match is_whole_pages(rounded, page)? {
        true => page,
        false => DEVICE_PAGE,
    };
    match class {
        PageClass::Gigantic => None,
        PageClass::Huge => Some(HUGE_PAGE),
        PageClass::HugeIfLarge if rounded > HUGE_ABOVE => Some(HUGE_PAGE),
        // The redzone must not push the block into a larger page class.
        PageClass::HugeIfLarge if taken.checked_add(small)? > HUGE_ABOVE => None,
        PageClass::HugeIfLarge | PageClass::Small => Some(small),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aclsan_rules::api::functions;

    #[test]
    fn whole_pages_stay_whole_pages() {
        // 32768 + 256 = 33024; 36864 is 9 pages. 4000 is cut to 4096, so 4256 becomes two.
        assert_eq!(taken(32768, 256, 4096), Some(36864));
        assert_eq!(taken(4000, 256, 4096), Some(8192));
        assert_eq!(taken(65536, 256, 65536), Some(131_072));
    }

    #[test]
    fn other_sizes_take_their_redzone_alone() {
        // 65536 + 32 of padding is cut to 66048, 16 pages and 512 bytes.
        assert_eq!(taken(65568, 256, 4096), Some(65824));
        assert_eq!(taken(32768, 256, 65536), Some(33024));
        assert_eq!(taken(u64::MAX - 10, 256, 4096), None);
    }

    #[test]
    fn one_request_in_sixteen_is_sampled_and_another_seed_samples_others() {
        let sampled =
            |seed| -> Vec<u64> { (0..16_000).filter(|&n| is_sampled(seed, n, 16)).collect() };
        // 16000 / 16 = 1000, and three standard deviations: 3 * sqrt(16000 * 1/16 * 15/16) = 92
        assert!(sampled(1).len().abs_diff(1000) < 92, "{}", sampled(1).len());
        assert_eq!(sampled(1), sampled(1));
        assert_ne!(sampled(1), sampled(2));
        assert!((0..100).all(|n| is_sampled(7, n, 1)));
    }

    #[test]
    fn each_size_class_has_a_sample_of_its_own_that_begins_with_its_first_block() {
        let classes = SizeClasses::new();
        let sampled = |size| classes.is_next_sampled(3, size, 1000);
        let small = (0..10_000).filter(|_| sampled(100)).count();
        assert!((1..40).contains(&small), "{small}"); // 11 on average
        assert!(sampled(1 << 30) && !sampled((2 << 30) - 1), "one class");
        assert!(sampled(2 << 30) && !sampled(0));
    }

    fn asked_for(options: &str, name: &str, policy: u32, size: u64) -> Option<u64> {
        let request = Request {
            out: OutPtr::NULL,
            size,
            argument: policy,
        };
        let options = Options::parse(options).0;
        let function = functions::function(name).unwrap();
        let planned = plan(&options, Some(&Profile::default()), function, &request);
        planned.plan.map(|plan| plan.ask)
    }

    #[test]
    fn a_guard_takes_no_large_page_of_its_own_unless_asked() {
        const MIB: u64 = 1 << 20;
        let align32 = |options, size| asked_for(options, "aclrtMallocAlign32", 0, size);
        // A segment of torch_npu fills ten pages. 64 bytes less leave room for a guard of 64 bytes.
        assert_eq!(align32("", 20 * MIB), None);
        assert_eq!(align32("guard_grow=1", 20 * MIB), Some(20 * MIB + 4096));
        assert!(align32("guard=both", 20 * MIB) > Some(20 * MIB));
        assert_eq!(align32("", 20 * MIB - 64), Some(20 * MIB));
        assert_eq!(align32("", 20 * MIB - 32), None);
        // The runtime's own padding has taken the page.
        assert!(asked_for("", "aclrtMalloc", 0, 20 * MIB).is_some());
        // Small pages grow by one of 4 KiB.
        assert_eq!(
            asked_for("", "aclrtMallocAlign32", 2, 20 * MIB),
            Some(20 * MIB + 4096)
        );
        assert_eq!(asked_for("", "aclrtMallocAlign32", 7, 1 << 30), None);
    }

    fn length_of(name: &str, policy: u32, rounded: u64) -> Option<u64> {
        let function = functions::function(name).unwrap();
        left_length(function, policy, (rounded, rounded + 64), 4096)
    }

    #[test]
    fn a_left_redzone_keeps_the_start_aligned_as_its_pages_are() {
        assert_eq!(length_of("aclrtMalloc", 0, 1056), Some(4096));
        assert_eq!(length_of("aclrtMalloc", 0, 8192), Some(4096));
        assert_eq!(length_of("aclrtMalloc", 0, (1 << 20) + 32), Some(2 << 20));
        assert_eq!(length_of("aclrtMalloc", 1, 64), Some(2 << 20)); // HUGE_ONLY
        assert_eq!(length_of("aclrtMalloc", 2, 3 << 20), Some(4096)); // NORMAL_ONLY
        assert_eq!(length_of("aclrtMallocHost", 0, 3 << 20), Some(4096));
        assert_eq!(length_of("acldvppMalloc", 0, 96), Some(4096));
        assert_eq!(length_of("rtMalloc", 2, 3 << 20), Some(2 << 20));
    }

    #[test]
    fn no_left_redzone_where_it_would_change_the_page_class_or_take_a_gigabyte() {
        // 1048576 - 64 - 4096 = 1044416 still fits below the cliff with its 64 bytes after it; 32 more do not.
        assert_eq!(length_of("aclrtMalloc", 0, 1_044_416), Some(4096));
        assert_eq!(length_of("aclrtMalloc", 0, 1_044_448), None);
        assert_eq!(length_of("aclrtMalloc", 6, 1 << 30), None);
        assert_eq!(length_of("aclrtMalloc", 0x1007, 1 << 30), None); // with an access flag
    }

    #[test]
    fn all_kinds_that_have_no_left_redzone_are_named() {
        let request = |name: &str, argument| {
            let out = OutPtr::NULL;
            let options = Options::parse("guard=both").0;
            let function = functions::function(name).unwrap();
            let request = Request {
                out,
                size: 64,
                argument,
            };
            plan(&options, Some(&Profile::default()), function, &request)
        };
        let device = request("aclrtMalloc", 0);
        assert!(device.plan.is_some_and(|plan| plan.left > 0) && device.unsupported.is_none());
        let managed = request("aclrtMemAllocManaged", 0);
        assert_eq!(managed.plan, None);
        assert_eq!(managed.unsupported, Some(Unsupported::Managed));
        let gigantic = request("aclrtMalloc", 6);
        assert!(
            gigantic
                .plan
                .is_some_and(|plan| plan.left == 0 && plan.right > 0)
        );
        assert_eq!(gigantic.unsupported, Some(Unsupported::GiganticPages));
    }
}
