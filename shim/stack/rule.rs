//! How to get from a frame to its caller's, in 28 bits.
//!
//! ```text
//! cfa    = (sp or fp) + 8·reach
//! sp'    = cfa
//! fp'    = fp,  or *(cfa - 8·saved)
//! pc'    = *(cfa - 8)                on x86-64
//!        = *(cfa - 8·saved + 8)      on aarch64, where the two are stored as a pair
//! ```

/// A frame's registers, as far as walking needs them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Where it goes on: for all but the innermost frame a return address.
    pub pc: u64,
    /// Stack pointer.
    pub sp: u64,
    /// `rbp` or `x29`, which may be any data of the program's.
    pub fp: u64,
}

/// The step from a frame at some address to its caller's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// An ordinary frame.
    Step {
        /// Whether the frame's address is found from `fp` rather than `sp`.
        from_fp: bool,
        /// Words from there to the caller's stack pointer.
        reach: u16,
        /// Words below the caller's stack pointer where `fp` was saved, 0 if it wasn't.
        saved: u16,
    },
    /// The outermost frame.
    End,
    /// `.eh_frame` says something that a rule cannot hold, or nothing.
    Beyond,
}

const REACH_MOST: u16 = (1 << 13) - 1;
const SAVED_MOST: u16 = (1 << 11) - 1;

impl Rule {
    /// Bits that a packed rule takes.
    pub const BITS: u32 = 28;

    /// A step, or [`Rule::Beyond`] if its numbers are too large to be packed.
    pub fn step(from_fp: bool, reach: u64, saved: u64) -> Self {
        match (u16::try_from(reach), u16::try_from(saved)) {
            (Ok(reach), Ok(saved)) if reach <= REACH_MOST && saved <= SAVED_MOST => Self::Step {
                from_fp,
                reach,
                saved,
            },
            _ => Self::Beyond,
        }
    }

    /// In 28 bits, never 0.
    pub fn pack(self) -> u64 {
        match self {
            Self::Step {
                from_fp,
                reach,
                saved,
            } => 1 | u64::from(from_fp) << 3 | u64::from(reach) << 4 | u64::from(saved) << 17,
            Self::End => 2,
            Self::Beyond => 4,
        }
    }

    /// What [`Rule::pack`] packed.
    pub fn unpack(bits: u64) -> Self {
        match bits & 7 {
            1 => Self::Step {
                from_fp: bits >> 3 & 1 == 1,
                reach: (bits >> 4) as u16 & REACH_MOST,
                saved: (bits >> 17) as u16 & SAVED_MOST,
            },
            2 => Self::End,
            _ => Self::Beyond,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_fits_and_comes_back() {
        for rule in [
            Rule::step(false, 1, 0),
            Rule::step(true, 2, 2),
            Rule::step(false, REACH_MOST.into(), SAVED_MOST.into()),
            Rule::End,
            Rule::Beyond,
        ] {
            assert!(rule.pack() != 0 && rule.pack() >> Rule::BITS == 0);
            assert_eq!(Rule::unpack(rule.pack()), rule);
        }
    }

    #[test]
    fn a_frame_too_large_to_pack_is_left_to_the_slow_walk() {
        assert_eq!(Rule::step(false, 1 << 13, 0), Rule::Beyond);
        assert_eq!(Rule::step(false, 4, u64::MAX), Rule::Beyond);
    }
}
