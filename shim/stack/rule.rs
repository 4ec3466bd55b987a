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
    pub fn pack(self) -> Packed {
        Packed(match self {
            Self::Step {
                from_fp,
                reach,
                saved,
            } => 1 | u64::from(from_fp) << 3 | u64::from(reach) << 4 | u64::from(saved) << 17,
            Self::End => 2,
            Self::Beyond => 4,
        })
    }
}

/// A rule in the low [`Rule::BITS`] bits of a word; what stands above is another's.
#[derive(Clone, Copy, Default)]
pub struct Packed(pub u64);

impl Packed {
    /// Whether it is the rule of an ordinary frame, and `other` the same.
    #[inline(always)]
    pub fn is_same(self, other: Self) -> bool {
        self.0 & 1 != 0 && (self.0 ^ other.0) << (64 - Rule::BITS) == 0
    }

    /// All ones if the frame's address is found from `fp`; of an ordinary frame.
    #[inline(always)]
    pub fn is_from_fp(self) -> u64 {
        0u64.wrapping_sub(self.0 >> 3 & 1)
    }

    /// Of an ordinary frame: whether its address is found from `fp`, bytes from there to the caller's stack pointer, and bytes below
    /// that where `fp` was saved, 0 if it wasn't.
    #[inline(always)]
    pub fn step_bytes(self) -> Option<(bool, u64, u64)> {
        let reach = self.0 >> 1 & u64::from(REACH_MOST) << 3;
        let saved = self.0 >> 14 & u64::from(SAVED_MOST) << 3;
        (self.0 & 1 != 0).then_some((self.0 & 8 != 0, reach, saved))
    }

    /// What [`Rule::pack`] packed.
    pub fn unpack(self) -> Rule {
        if let Some((from_fp, reach, saved)) = self.step_bytes() {
            return Rule::step(from_fp, reach / 8, saved / 8);
        }
        match self.0 & 7 {
            2 => Rule::End,
            _ => Rule::Beyond,
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
            let Packed(bits) = rule.pack();
            assert!(bits != 0 && bits >> Rule::BITS == 0);
            assert_eq!(Packed(bits | 1 << Rule::BITS).unpack(), rule);
        }
    }

    #[test]
    fn rules_are_the_same_whatever_stands_above_them() {
        let rules = [
            Rule::step(false, 3, 0),
            Rule::step(true, 3, 0),
            Rule::step(false, 4, 0),
            Rule::step(false, 3, 2),
            Rule::End,
            Rule::Beyond,
        ];
        for (i, one) in rules.iter().enumerate() {
            for (j, other) in rules.iter().enumerate() {
                let above = Packed(other.pack().0 | 77 << Rule::BITS);
                // Ends are none of an ordinary frame.
                assert_eq!(
                    one.pack().is_same(above),
                    i == j && i < 4,
                    "{one:?} {other:?}"
                );
            }
            assert_eq!(one.pack().is_from_fp() != 0, i == 1);
        }
    }

    #[test]
    fn a_frame_too_large_to_pack_is_left_to_the_slow_walk() {
        assert_eq!(Rule::step(false, 1 << 13, 0), Rule::Beyond);
        assert_eq!(Rule::step(false, 4, u64::MAX), Rule::Beyond);
    }
}
