//! Whether an A64 instruction writes memory, by its encoding: for faults without a syndrome, as emulators report them.
//!
//! Source: Arm Architecture Reference Manual, DDI 0487, "Loads and Stores".

/// Whether it writes; `None` if it is neither a load nor a store.
pub fn writes(code: u32) -> Option<bool> {
    let bit = |at: u32| code >> at & 1 == 1;
    if code & 0xffff_ffe0 == 0xd50b_7420 {
        return Some(true); // DC ZVA
    }
    if code >> 25 & 0b0101 != 0b0100 {
        return None;
    }
    let is_load = bit(22);
    Some(match code >> 24 & 0x3f {
        // Exclusive, ordered; compare and swap.
        0b00_1000 => !is_load || bit(23) && bit(21),
        // Vector structures.
        0b00_1100 | 0b00_1101 => !is_load,
        _ => match code >> 27 & 0b111 {
            // By a literal; LDAPUR, STLUR.
            0b011 => bit(24) && code >> 22 & 0b11 == 0,
            // Pairs.
            0b101 => !is_load,
            // Atomic, but for LDAPR.
            0b111 if !bit(24) && bit(21) && code >> 10 & 0b11 == 0 => {
                code & 0x3fff_fc00 != 0x38bf_c000
            }
            // One register; of vectors, 16 bytes have a size of their own.
            _ => {
                let is_wide_store = bit(26) && code >> 30 == 0 && code >> 22 & 0b11 == 0b10;
                code >> 22 & 0b11 == 0 || is_wide_store
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As GNU as encodes them.
    const LOADS: [u32; 17] = [
        0xf940_0020,
        0x3940_0020,
        0xb980_0020,
        0xf862_6820,
        0xf840_8420,
        0xa940_0440,
        0x3dc0_0000,
        0xbd40_0000,
        0xf85f_8020,
        0x885f_7c20,
        0x88df_fc20,
        0x4c40_7000,
        0x4d40_c800,
        0xb8bf_c020,
        0xad40_0400,
        0x5800_0000,
        0xf840_0020,
    ];
    const STORES: [u32; 17] = [
        0xf900_0020,
        0x3900_0c20,
        0xf822_6820,
        0xf81f_8c20,
        0xa900_0440,
        0x3d80_0000,
        0xfd00_0000,
        0x3c9f_b000,
        0xf81f_8020,
        0x8802_7c20,
        0x889f_fc20,
        0x4c00_7000,
        0x0d00_0400,
        0xb820_0041,
        0xb820_8041,
        0x88a0_7c41,
        0x4820_7c82,
    ];

    #[test]
    fn loads_and_stores_of_all_kinds_are_distinguished() {
        for code in LOADS {
            assert_eq!(writes(code), Some(false), "{code:#x}");
        }
        for code in STORES {
            assert_eq!(writes(code), Some(true), "{code:#x}");
        }
        // DC ZVA, ADD.
        assert_eq!(
            (writes(0xd50b_7420), writes(0x9100_0400)),
            (Some(true), None)
        );
    }
}
