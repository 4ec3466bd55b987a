//! What differs between SoCs, and between the places where a program can run.

use super::ascend::socs::{SOCS, Soc};

/// Bytes of an ordinary page of device memory.
pub const NORMAL_PAGE: u64 = 4 << 10;
/// Bytes of a huge page.
pub const HUGE_PAGE: u64 = 2 << 20;
/// Bytes of a page of the `HUGE1G` policies.
pub const GIANT_PAGE: u64 = 1 << 30;
/// Requests above this size get huge pages, although the documentation says 2 MiB (runtime
/// `HUGE_PAGE_MEM_CRITICAL_VALUE`, 681ef761).
pub const HUGE_ABOVE: u64 = 1 << 20;
/// The facts about the machine that rules depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Bytes that `aclrtMalloc` adds after `ALIGN_UP(size, 32)`: 32, or none on Ascend 950 (runtime `padding_size`,
    /// 681ef761).
    pub padding: u64,
    /// `aclrtGetRunMode` returned `ACL_DEVICE`: host and device share their memory, so directions mean nothing, and
    /// pinned memory is ordinary memory without a documented alignment.
    pub shared_memory: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            padding: 32,
            shared_memory: false,
        }
    }
}

impl Profile {
    /// The profile for a SoC as `aclrtGetSocName` spells it. An unknown name gets the common padding, which mistakes an
    /// overrun for a write in the runtime's rounding rather than the reverse.
    pub fn of_soc(name: &str) -> Self {
        let usual = Self::default();
        Self {
            padding: Soc::named(name).map_or(usual.padding, |soc| soc.padding),
            ..usual
        }
    }

    /// Whether a SoC of that name is known.
    pub fn is_known(name: &str) -> bool {
        Soc::named(name).is_some()
    }

    /// What the names of known SoCs begin with.
    pub fn known() -> impl Iterator<Item = &'static str> {
        SOCS.iter().map(|soc| soc.prefix)
    }

    /// Bytes that the runtime reserves for a request: the program's own, then its rounding ("slack"). `is_padded` is for
    /// calls that add the padding (`aclrtMalloc`, `aclrtMallocCached`, DVPP). `None` if the sum overflows.
    #[inline]
    pub fn rounded(&self, size: u64, is_padded: bool) -> Option<u64> {
        padded(size, if is_padded { self.padding } else { 0 })
    }
}

/// [`Profile::rounded`] with that padding.
#[inline]
pub fn padded(size: u64, padding: u64) -> Option<u64> {
    size.checked_next_multiple_of(32)?.checked_add(padding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_padding_depends_on_the_soc() {
        // facts: ALIGN_UP(1000, 32) = 1024, + 32 except on 950
        assert_eq!(
            Profile::of_soc("Ascend910B3").rounded(1000, true),
            Some(1056)
        );
        assert_eq!(
            Profile::of_soc("Ascend950PR").rounded(1000, true),
            Some(1024)
        );
        assert_eq!(
            Profile::of_soc("Ascend310P3").rounded(1024, false),
            Some(1024)
        );
    }

    #[test]
    fn an_unknown_soc_has_the_widespread_padding() {
        assert_eq!(Profile::of_soc("Ascend999"), Profile::default());
    }

    #[test]
    fn a_size_beyond_the_address_space_has_no_rounding() {
        assert_eq!(Profile::default().rounded(u64::MAX - 10, false), None);
        assert_eq!(Profile::default().rounded(u64::MAX - 31, true), None);
    }
}
