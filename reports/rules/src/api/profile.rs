//! What differs between SoCs, and between the places where a program can run.

/// Bytes of an ordinary page of device memory.
pub const NORMAL_PAGE: u64 = 4 << 10;
/// Bytes of a huge page.
pub const HUGE_PAGE: u64 = 2 << 20;
/// Bytes of a page of the `HUGE1G` policies.
pub const GIANT_PAGE: u64 = 1 << 30;
/// Requests above this size get huge pages, although the documentation says 2 MiB (runtime
/// `HUGE_PAGE_MEM_CRITICAL_VALUE`, 681ef761).
pub const HUGE_ABOVE: u64 = 1 << 20;
/// The documented alignment of blocks. The runtime asks the driver for 512.
pub const ALIGNMENT: u64 = 64;
/// The documented alignment of media memory.
pub const MEDIA_ALIGNMENT: u64 = 128;

/// A family of SoCs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Soc {
    /// The beginning of what `aclrtGetSocName` returns.
    pub prefix: &'static str,
    /// Its products.
    pub products: &'static str,
    /// `padding_size` of its platform configuration: what `aclrtMalloc` adds after `ALIGN_UP(size, 32)`.
    pub padding: u64,
    /// Whether the `HUGE1G` policies have pages.
    pub has_giant_pages: bool,
    /// Whether `aclrtMemPool*` works.
    pub has_pools: bool,
}

/// The known SoCs; a longer prefix comes before a shorter one that it begins with.
///
/// Paddings: `platform_config/*.ini` of the runtime (681ef761, CANN 9.2), the same in every file of a row. Ascend310
/// has none there and gets the runtime's fallback. 1 GiB pages: the runtime's API reference, enumerations ("only A2 and
/// A3"); Ascend950 is not named there, except for a padding of those policies. Pools: the same reference,
/// stream-ordered allocation ("only A2").
#[rustfmt::skip] // a table
pub static SOCS: &[Soc] = &[
    soc("Ascend950", "Ascend 950PR, 950DT", 0, false, false),
    soc("Ascend910_93", "Atlas A3", 32, true, false),
    soc("Ascend910B", "Atlas A2", 32, true, true),
    soc("Ascend910", "Atlas training series", 32, false, false),
    soc("Ascend350", "Ascend 350", 0, false, false),
    soc("Ascend310P", "Atlas inference series", 32, false, false),
    soc("Ascend310B", "Atlas 200I/500 A2", 32, false, false),
    soc("Ascend310", "Atlas 200, 300, 500", 32, false, false),
    soc("Ascend035", "IPV350", 16, false, false),
    soc("Ascend031", "Ascend 031", 32, false, false),
];

const fn soc(
    prefix: &'static str,
    products: &'static str,
    padding: u64,
    has_giant_pages: bool,
    has_pools: bool,
) -> Soc {
    Soc {
        prefix,
        products,
        padding,
        has_giant_pages,
        has_pools,
    }
}

impl Soc {
    /// The SoC with that name, as `aclrtGetSocName` spells it; `None` if it is newer or does not exist.
    pub fn named(name: &str) -> Option<&'static Self> {
        SOCS.iter().find(|soc| name.starts_with(soc.prefix))
    }
}

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
    fn names_are_distinguished_by_their_longest_beginning() {
        let facts =
            |name| Soc::named(name).map(|soc| (soc.padding, soc.has_giant_pages, soc.has_pools));
        assert_eq!(facts("Ascend910B2C"), Some((32, true, true)));
        assert_eq!(facts("Ascend910_9391"), Some((32, true, false)));
        assert_eq!(facts("Ascend910ProA"), Some((32, false, false)));
        assert_eq!(facts("Ascend950PR_9589"), Some((0, false, false)));
        assert_eq!(facts("Ascend310P3"), Some((32, false, false)));
        assert_eq!(facts("Ascend999"), None);
        assert_eq!(facts("auto"), None);
    }

    #[test]
    fn no_row_comes_after_one_that_takes_its_names() {
        for (place, soc) in SOCS.iter().enumerate() {
            let shadows = |earlier: &Soc| soc.prefix.starts_with(earlier.prefix);
            assert!(!SOCS[..place].iter().any(shadows), "{}", soc.prefix);
        }
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
