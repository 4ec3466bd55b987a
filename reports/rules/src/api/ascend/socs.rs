//! What differs between SoCs.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
