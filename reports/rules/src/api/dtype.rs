//! Element types of tensors, by AscendCL's numbers.

/// Bytes of one element of an `aclDataType`. `None` for types that are no whole bytes (4-bit, 6-bit and 1-bit types,
/// for which AscendCL's size call returns 1), for strings, and for unknown types.
pub fn size(data_type: u64) -> Option<u64> {
    // acl_base_rt.h (CANN 8.1, 9.2): the gaps are AscendCL's.
    Some(match data_type {
        2 | 4 | 12 => 1,       // int8, uint8, bool
        34..=37 => 1,          // hifloat8, float8
        1 | 6 | 7 | 27 => 2,   // float16, int16, uint16, bf16
        0 | 3 | 8 | 33 => 4,   // float, int32, uint32, complex32
        9 | 10 | 11 | 16 => 8, // int64, uint64, double, complex64
        17 => 16,              // complex128
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_less_than_a_byte_have_no_size() {
        assert_eq!([29, 30, 38, 40, 13, u64::MAX].map(size), [None; 6]);
    }

    #[test]
    fn whole_bytes_are_those_of_the_name() {
        assert_eq!(
            [0, 1, 2, 9, 17, 27].map(size),
            [Some(4), Some(2), Some(1), Some(8), Some(16), Some(2)]
        );
    }
}
