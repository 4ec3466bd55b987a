//! What differs between SoCs, and between places where a program can run.

/// The facts about the machine that rules depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Bytes that `aclrtMalloc` adds behind `ALIGN_UP(size, 32)`: 32, on Ascend 950 none (runtime `padding_size`, 681ef761).
    pub padding: u64,
    /// `aclrtGetRunMode` said `ACL_DEVICE`: host and device share their memory, so directions mean nothing and pinned memory is
    /// ordinary memory without a promised alignment.
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
    /// The profile for a SoC as `aclrtGetSocName` spells it; an unknown name gets the widespread one.
    pub fn of_soc(name: &str) -> Self {
        let padding = if name.starts_with("Ascend950") { 0 } else { 32 };
        Self {
            padding,
            ..Self::default()
        }
    }

    /// Bytes that the runtime sets aside for a request: the program's own, then its rounding ("slack"). `padded` is for calls that add
    /// the padding (`aclrtMalloc`, `aclrtMallocCached`, DVPP). `None` when the sum does not fit.
    pub fn rounded(&self, size: u64, padded: bool) -> Option<u64> {
        let padding = if padded { self.padding } else { 0 };
        size.checked_next_multiple_of(32)?.checked_add(padding)
    }
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
    fn a_size_beyond_the_address_space_has_no_rounding() {
        assert_eq!(Profile::default().rounded(u64::MAX - 10, false), None);
        assert_eq!(Profile::default().rounded(u64::MAX - 31, true), None);
    }
}
