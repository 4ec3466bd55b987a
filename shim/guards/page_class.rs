//! The pages that a request is served from, and when a redzone would change or add to them.

use aclsan_options::{Guard, Options};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Function;
use aclsan_rules::api::profile::{HUGE_ABOVE, HUGE_PAGE};

/// The page of policies 6 and 7.
const GIGANTIC_PAGE: u64 = 1 << 30;

/// The pages that a request is served from, as far as its start depends on them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageClass {
    /// Small pages, or huge ones that blocks are cut from.
    Small,
    /// Huge pages if the block is large.
    HugeIfLarge,
    /// Huge pages whatever the size.
    Huge,
    /// 1 GiB pages.
    Gigantic,
}

impl PageClass {
    /// Number of large pages that `bytes` take.
    fn pages(self, bytes: u64) -> u64 {
        match self {
            Self::Gigantic => bytes.div_ceil(GIGANTIC_PAGE),
            Self::Huge => bytes.div_ceil(HUGE_PAGE),
            Self::HugeIfLarge if bytes > HUGE_ABOVE => bytes.div_ceil(HUGE_PAGE),
            Self::HugeIfLarge | Self::Small => 0,
        }
    }
}

/// The pages that the call's `policy` selects.
pub fn page_class(function: &Function, policy: u32) -> PageClass {
    if function.family() != Some(Family::Device) {
        return PageClass::Small;
    }
    if function.is_below() {
        return PageClass::HugeIfLarge; // There the argument is not this policy.
    }
    match policy & 0xff {
        1 | 4 => PageClass::Huge,
        2 | 5 => PageClass::Small,
        6 | 7 => PageClass::Gigantic,
        _ => PageClass::HugeIfLarge,
    }
}

/// Whether a redzone would push the block into a larger page class, or take a large page of its own though nobody asked for that. The
/// segments of caching allocators fill their pages: guards would take a tenth more of the memory.
#[cold]
pub fn takes_page(
    options: &Options,
    function: &Function,
    policy: u32,
    (rounded, taken): (u64, u64),
) -> bool {
    let class = page_class(function, policy);
    let may_grow = options.guard_grow || options.guard() != Guard::Rear;
    let crosses = rounded <= HUGE_ABOVE && taken > HUGE_ABOVE && class == PageClass::HugeIfLarge;
    crosses || !may_grow && class.pages(rounded) < class.pages(taken)
}
