//! How to get from a frame to its caller's, in [`Rule::BITS`] bits.
//!
//! ```text
//! cfa    = (sp or fp) + 8·reach
//! sp'    = cfa
//! fp'    = fp,  or *(cfa - 8·saved)
//! pc'    = *(cfa - 8·returned)
//! ```
//!
//! `returned` is 1 on x86-64. On aarch64 it is `saved` - 1, where the two are stored as a pair, or anything, where `fp` is not saved.

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
        /// Words below the caller's stack pointer where the return address lies.
        returned: u16,
    },
    /// The outermost frame.
    End,
    /// `.eh_frame` says something that a rule cannot hold, or nothing.
    Beyond,
}

const IS_ARM: bool = cfg!(target_arch = "aarch64");
const REACH_MOST: u16 = (1 << 13) - 1;
/// On aarch64 gcc stores registers below all that is local, elsewhere they are at a frame's upper end.
const SAVED_MOST: u16 = (1 << if IS_ARM { 13 } else { 11 }) - 1;

impl Rule {
    /// Bits that a packed rule takes.
    pub const BITS: u32 = 17 + SAVED_MOST.count_ones();

    /// A step, or [`Rule::Beyond`] if its numbers are too large to be packed, or the return address lies where none is looked for.
    pub fn step(from_fp: bool, reach: u64, saved: u64, returned: u64) -> Self {
        let is_looked_for = match saved {
            _ if !IS_ARM => returned == 1,
            0 => (1..=SAVED_MOST.into()).contains(&returned),
            saved => returned > 0 && returned == saved - 1,
        };
        match (u16::try_from(reach), u16::try_from(saved)) {
            (Ok(reach), Ok(saved))
                if is_looked_for && reach <= REACH_MOST && saved <= SAVED_MOST =>
            {
                Self::Step {
                    from_fp,
                    reach,
                    saved,
                    returned: returned as u16,
                }
            }
            _ => Self::Beyond,
        }
    }

    /// In [`Rule::BITS`] bits, never 0.
    pub fn pack(self) -> Packed {
        Packed(match self {
            Self::Step {
                from_fp,
                reach,
                saved,
                returned,
            } => {
                let is_alone = IS_ARM && saved == 0;
                let slot = if is_alone { returned } else { saved };
                let flags = 1 | u64::from(is_alone) << 1 | u64::from(from_fp) << 3;
                flags | u64::from(reach) << 4 | u64::from(slot) << 17
            }
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
    /// that where `fp` was saved, 0 if it wasn't, and where the return address lies.
    #[inline(always)]
    pub fn step_bytes(self) -> Option<(bool, u64, u64, u64)> {
        let reach = self.0 >> 1 & u64::from(REACH_MOST) << 3;
        let slot = self.0 >> 14 & u64::from(SAVED_MOST) << 3;
        let (saved, returned) = match self.0 & 2 {
            _ if !IS_ARM => (slot, 8),
            0 => (slot, slot.wrapping_sub(8)),
            _ => (0, slot),
        };
        (self.0 & 1 != 0).then_some((self.0 & 8 != 0, reach, saved, returned))
    }

    /// What [`Rule::pack`] packed.
    pub fn unpack(self) -> Rule {
        if let Some((from_fp, reach, saved, returned)) = self.step_bytes() {
            return Rule::step(from_fp, reach / 8, saved / 8, returned / 8);
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

    /// With the return address where it mostly is.
    fn step(from_fp: bool, reach: u64, saved: u64) -> Rule {
        let returned = if IS_ARM { saved.max(2) - 1 } else { 1 };
        Rule::step(from_fp, reach, saved, returned)
    }

    #[test]
    fn every_rule_fits_and_comes_back() {
        for rule in [
            step(false, 1, 0),
            step(true, 2, 2),
            step(false, REACH_MOST.into(), SAVED_MOST.into()),
            Rule::step(false, 9, 0, if IS_ARM { SAVED_MOST.into() } else { 1 }),
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
            step(false, 3, 0),
            step(true, 3, 0),
            step(false, 4, 0),
            step(false, 3, 2),
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
        assert_eq!(step(false, 1 << 13, 0), Rule::Beyond);
        assert_eq!(Rule::step(false, 4, u64::MAX, 1), Rule::Beyond);
    }

    #[test]
    fn a_return_address_is_taken_from_where_it_lies_or_left_to_the_slow_walk() {
        for (saved, returned, is_held) in [
            (0, 1, [true, true]),
            (2, 1, [true, true]),
            (0, 4, [false, true]),
            (5, 4, [false, true]),
            (4, 1, [true, false]),
            (4, 5, [false, false]),
            (1, 0, [false, false]),
            (0, 0, [false, false]),
        ] {
            let rule = Rule::step(false, 8, saved, returned);
            let is_step = rule != Rule::Beyond;
            assert_eq!(is_step, is_held[usize::from(IS_ARM)], "{saved} {returned}");
            let bytes = is_step.then_some((false, 64, 8 * saved, 8 * returned));
            assert_eq!(rule.pack().step_bytes(), bytes);
        }
    }
}
