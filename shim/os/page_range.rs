//! Arithmetic on pages and ends of ranges that never wraps. Addresses and sizes come from the program, which may pass any number.

/// The kernel's page size in bytes; 64 KiB on many Arm machines.
pub fn page_size() -> u64 {
    // SAFETY: returns a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(page).map_or(4096, |page| page.max(1))
}

/// The start of the page that has the byte at `address`.
pub fn page_down(address: u64) -> u64 {
    address & !(page_size() - 1)
}

/// The first start of a page from `address` on. Behind the last page there is none: the result is the last address then, which no program has.
pub fn page_up(address: u64) -> u64 {
    address
        .checked_next_multiple_of(page_size())
        .unwrap_or(u64::MAX)
}

/// The end of `size` bytes from `address` on, at most that of the address space.
pub fn end_of(address: u64, size: u64) -> u64 {
    address.saturating_add(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any address, and often one near either end.
    pub fn any_address() -> impl Strategy<Value = u64> {
        prop_oneof![any::<u64>(), 0..0x3000u64, u64::MAX - 0x3000..=u64::MAX]
    }

    proptest! {
        #[test]
        fn a_page_begins_before_and_ends_after_each_byte_of_it(address in any_address()) {
            let page = page_size();
            let (down, up) = (page_down(address), page_up(address));
            prop_assert!(down <= address && address <= up && address - down < page);
            prop_assert!(down.is_multiple_of(page));
            prop_assert!(up.is_multiple_of(page) && up - address < page || up == u64::MAX);
        }

        #[test]
        fn a_range_ends_behind_its_start(address in any_address(), size in any_address()) {
            let end = end_of(address, size);
            prop_assert!(end >= address && (end - address == size || end == u64::MAX));
        }
    }
}
