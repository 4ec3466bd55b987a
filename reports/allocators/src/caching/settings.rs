//! Constants of the two allocators, and what users can set.

use crate::{GIB, KIB, MIB};

/// Constants of one allocator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Its name.
    pub name: &'static str,
    /// The variable of the environment that has its settings.
    pub variable: &'static str,
    /// Bytes added to every request.
    pub padding: u64,
    /// The smallest block; all blocks are multiples of it.
    pub smallest: u64,
    /// The largest request of the pool for small ones.
    pub small: u64,
    /// Bytes of a segment of that pool.
    pub small_segment: u64,
    /// Bytes of a segment for requests up to `large_from`.
    pub large_segment: u64,
    /// Requests from here on get a segment of their own, rounded to `round_large`.
    pub large_from: u64,
    /// The unit of such segments.
    pub round_large: u64,
    /// A page of `page_size:1g`.
    pub page_1g: u64,
    /// Where large blocks of expandable segments begin: at a multiple.
    pub base_alignment: u64,
    /// Whether expandable segments go together with `max_split_size_mb` and `garbage_collection_threshold`.
    pub expandable_can_split_limit: bool,
}

/// torch_npu 2.1 to 2.9. From CANN 9.1 on, an Ascend 950 gets no padding.
pub const TORCH_NPU: Rules = Rules {
    name: "torch_npu",
    variable: "PYTORCH_NPU_ALLOC_CONF",
    padding: 32,
    base_alignment: 16 * KIB,
    expandable_can_split_limit: false,
    ..TORCH_CUDA
};

/// PyTorch for CUDA, 2.1 to 2.9.
pub const TORCH_CUDA: Rules = Rules {
    name: "torch_cuda",
    variable: "PYTORCH_CUDA_ALLOC_CONF",
    padding: 0,
    smallest: 512,
    small: MIB,
    small_segment: 2 * MIB,
    large_segment: 20 * MIB,
    large_from: 10 * MIB,
    round_large: 2 * MIB,
    page_1g: GIB,
    base_alignment: 0,
    expandable_can_split_limit: true,
};

/// Sizes from 2^20 to 2^35 have a number of divisions each.
pub const DIVISIONS: usize = 16;
const FIRST_DIVISION: u32 = 20;

/// The settings of an allocator.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The constants.
    pub rules: Rules,
    /// `expandable_segments`.
    pub expandable: bool,
    /// `max_split_size_mb`: blocks from here on are not cut; `u64::MAX` without a limit.
    pub max_split: u64,
    /// `max_non_split_rounding_mb`: so much larger a block may be that is not cut.
    pub max_non_split_rounding: u64,
    /// `garbage_collection_threshold`; 0 collects nothing.
    pub garbage_collection: f64,
    /// `per_process_memory_fraction`, as `set_per_process_memory_fraction` sets it; 0 sets none.
    pub fraction: f64,
    /// `roundup_power2_divisions`, by power of two from 1 MiB.
    pub divisions: [u64; DIVISIONS],
    /// `page_size:1g`.
    pub is_1g: bool,
    /// `segment_size_mb`: a piece of an expandable segment.
    pub expandable_segment: u64,
    /// `large_segment_size_mb`: a segment for requests from 1 to 10 MiB.
    pub large_segment: u64,
    /// `base_addr_aligned_kb`.
    pub base_alignment: u64,
}

impl Settings {
    /// What holds if nothing is set.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            expandable: false,
            max_split: u64::MAX,
            max_non_split_rounding: rules.large_segment,
            garbage_collection: 0.0,
            fraction: 0.0,
            divisions: [0; DIVISIONS],
            is_1g: false,
            expandable_segment: rules.large_segment,
            large_segment: rules.large_segment,
            base_alignment: rules.base_alignment,
        }
    }

    /// The size of the block for a request.
    pub fn rounded(&self, bytes: u64) -> u64 {
        let (smallest, size) = (
            self.rules.smallest,
            bytes.saturating_add(self.rules.padding),
        );
        if size < smallest {
            return smallest;
        }
        let divisions = self.divisions_of(size);
        if divisions > 1 && size > smallest.saturating_mul(divisions) {
            return divided(size, divisions);
        }
        size.checked_next_multiple_of(smallest)
            .unwrap_or(u64::MAX - (smallest - 1))
    }

    /// The most that a large block can have beyond the request that it serves.
    pub fn slack(&self) -> u64 {
        match self.max_split {
            u64::MAX => self.rules.small,
            _ => self.rules.small.max(self.max_non_split_rounding),
        }
    }

    fn divisions_of(&self, size: u64) -> u64 {
        let above = size.ilog2().saturating_sub(FIRST_DIVISION) as usize;
        self.divisions[above.min(DIVISIONS - 1)]
    }

    /// The most that the allocator may reserve, if that is limited.
    pub fn allowed(&self, capacity: Option<u64>) -> Option<u64> {
        let capacity = capacity.filter(|_| self.fraction > 0.0)?;
        Some((self.fraction * capacity as f64) as u64)
    }
}

/// Rounds up to one of `divisions` equal steps between two powers of two.
fn divided(size: u64, divisions: u64) -> u64 {
    if size.is_power_of_two() {
        return size;
    }
    let floor = 1 << size.ilog2();
    match floor >> divisions.ilog2() {
        0 => floor << 1,
        step => size.checked_next_multiple_of(step).unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_rounded_as_documented() {
        let npu = Settings::new(TORCH_NPU);
        let sizes = [1, 480, 481, 1024, MIB, u64::MAX].map(|bytes| npu.rounded(bytes));
        assert_eq!(sizes, [512, 512, 1024, 1536, MIB + 512, u64::MAX - 511]);
        let cuda = Settings::new(TORCH_CUDA);
        assert_eq!(
            [1, 512, 513].map(|bytes| cuda.rounded(bytes)),
            [512, 512, 1024]
        );
    }

    #[test]
    fn divisions_are_those_of_the_power_of_two_below() {
        // The allocator's own example: 1200 with 4 divisions becomes 1280.
        assert_eq!(divided(1200, 4), 1280);
        assert_eq!(divided(1024, 4), 1024);
        assert_eq!(divided(3, 4), 4, "steps smaller than a byte");
        let mut settings = Settings::new(TORCH_CUDA);
        settings.divisions = [4; DIVISIONS];
        settings.divisions[2] = 0;
        assert_eq!(settings.rounded(9 * MIB), 10 * MIB);
        assert_eq!(settings.rounded(5 * MIB), 5 * MIB, "4 to 8 MiB have none");
        assert_eq!(settings.rounded(2000), 2048, "at most four smallest blocks");
    }

    #[test]
    fn a_fraction_needs_a_capacity() {
        let mut settings = Settings::new(TORCH_NPU);
        assert_eq!(settings.allowed(Some(GIB)), None);
        settings.fraction = 0.5;
        assert_eq!(settings.allowed(Some(GIB)), Some(GIB / 2));
        assert_eq!(settings.allowed(None), None);
    }
}
