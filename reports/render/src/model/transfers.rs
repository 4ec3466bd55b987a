//! Bytes between host and devices: which went directly, and which needed a second copy because their host memory is pageable.

use super::grade::Grade;
use super::stack::Trace;
use serde::Serialize;

/// All copies between host and device memory.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Transfers {
    /// Copies.
    pub copies: u64,
    /// Total bytes.
    pub bytes: u64,
    /// Bytes from or to memory of `aclrtMallocHost` and other page-locked memory of the runtime.
    pub pinned_bytes: u64,
    /// Bytes from or to registered memory of the program.
    pub registered_bytes: u64,
    /// The share of both; 1 if there were no transfers.
    pub zero_copy: f64,
    /// The article's grade for it.
    pub grade: Grade,
    /// Sites that transfer the other bytes, most first, at most [`Transfers::MAX_SITES`].
    pub sites: Vec<TransferSite>,
    /// Number of sites left out.
    pub left_out: u64,
}

impl Transfers {
    /// Sites kept.
    pub const MAX_SITES: usize = 100;
    /// Minimum bytes of a site for which pinning pays: a page-locked allocation costs as much as some copies of this size.
    pub const PAYS_BYTES: u64 = 1 << 20;
    /// Minimum number of copies with the same host memory for which it pays.
    pub const PAYS_COPIES: u64 = 4;

    /// Recomputes the sums from sites and bytes.
    pub fn settle(&mut self) {
        let straight = self.pinned_bytes.saturating_add(self.registered_bytes);
        self.zero_copy = match self.bytes {
            0 => 1.0,
            bytes => straight as f64 / bytes as f64,
        };
        self.grade = Grade::of_zero_copy(self.zero_copy);
        self.sites.sort_by_key(|site| std::cmp::Reverse(site.bytes));
        self.left_out += self.sites.len().saturating_sub(Self::MAX_SITES) as u64;
        self.sites.truncate(Self::MAX_SITES);
    }
}

/// One call site that transfers bytes of pageable host memory.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct TransferSite {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// Copies.
    pub copies: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Copies with the same host memory as the previous one.
    pub again: u64,
    /// Whether the call is asynchronous. With pageable memory, it waits for the stream and then copies.
    pub is_async: bool,
    /// Whether page-locked memory would pay: enough bytes, and the same memory often enough.
    pub pays: bool,
    /// The call.
    pub transferred: Trace,
}

impl TransferSite {
    /// Whether page-locked memory would pay for such a site.
    pub fn would_pay(bytes: u64, again: u64) -> bool {
        bytes >= Transfers::PAYS_BYTES && again + 1 >= Transfers::PAYS_COPIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_of_bytes_and_without_any_it_is_whole() {
        let mut none = Transfers::default();
        none.settle();
        assert_eq!((none.zero_copy, none.grade), (1.0, Grade::Good));
        let mut some = Transfers {
            bytes: 400,
            pinned_bytes: 150,
            registered_bytes: 60,
            ..Transfers::default()
        };
        some.settle();
        // 210 of 400.
        assert_eq!((some.zero_copy, some.grade), (0.525, Grade::Warning));
    }

    #[test]
    fn places_stand_by_their_bytes_and_the_rest_is_counted() {
        let sites = (0..103).map(|bytes| TransferSite {
            bytes,
            ..TransferSite::default()
        });
        let mut many = Transfers {
            sites: sites.collect(),
            ..Transfers::default()
        };
        many.settle();
        assert_eq!(
            (many.sites.len(), many.sites[0].bytes, many.left_out),
            (100, 102, 3)
        );
    }

    #[test]
    fn pinning_pays_where_much_goes_through_the_same_memory() {
        assert!(TransferSite::would_pay(1 << 20, 3));
        assert!(!TransferSite::would_pay((1 << 20) - 1, 3));
        assert!(!TransferSite::would_pay(1 << 30, 2));
    }
}
