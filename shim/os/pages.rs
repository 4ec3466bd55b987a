//! Whole pages around addresses. Programs name any address and any size, so nothing wraps: what would end past the address space ends with its
//! last whole page, which no process has.

use crate::maps::page_size;

/// The start of the page that `address` is on.
pub fn round_down(address: u64) -> u64 {
    address & !(page_size() - 1)
}

/// The end of the last page that has bytes before `end`.
pub fn round_up(end: u64) -> u64 {
    match end.checked_next_multiple_of(page_size()) {
        Some(rounded) => rounded,
        None => round_down(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn addresses() -> impl Strategy<Value = u64> {
        prop_oneof![0..0x3000_u64, u64::MAX - 0x3000..=u64::MAX, any::<u64>()]
    }

    proptest! {
        #[test]
        fn rounding_gives_whole_pages_and_never_wraps(address in addresses()) {
            let (low, high) = (round_down(address), round_up(address));
            prop_assert!(low.is_multiple_of(page_size()) && high.is_multiple_of(page_size()));
            prop_assert!(low <= address && address - low < page_size());
            prop_assert!(low <= high && high.saturating_sub(address) < page_size());
            // Only past the last whole page does the end come before the address.
            prop_assert!(high >= address || low == round_down(u64::MAX));
        }
    }
}
