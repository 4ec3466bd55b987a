//! How to get from a frame to its caller, in [`UnwindRule::BITS`] bits. The terms are those of DWARF.
//!
//! ```text
//! cfa    = (sp or fp) + 8·cfa_offset
//! sp'    = cfa
//! fp'    = fp,  or *(cfa - 8·fp_offset)
//! pc'    = *(cfa - 8·ra_offset)
//! ```
//!
//! `ra_offset` is 1 on x86-64. On aarch64 it is `fp_offset` - 1 if the two are stored as a pair, and arbitrary if `fp`
//! is not saved.

/// The step from a frame at some address to its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnwindRule {
    /// An ordinary frame.
    Offset {
        /// Whether the CFA is computed from `fp` rather than `sp`.
        from_fp: bool,
        /// Words from there to the CFA, the caller's stack pointer.
        cfa_offset: u16,
        /// Words below the CFA where `fp` was saved; 0 if it was not.
        fp_offset: u16,
        /// Words below the CFA where the return address is.
        ra_offset: u16,
    },
    /// The outermost frame.
    End,
    /// `.eh_frame` has nothing, or something that a rule cannot hold.
    Unsupported,
}

const IS_ARM: bool = cfg!(target_arch = "aarch64");
const MAX_CFA_OFFSET: u16 = (1 << 13) - 1;
/// On aarch64 gcc stores registers below all locals; elsewhere they are at the upper end of the frame.
const MAX_SAVED_OFFSET: u16 = (1 << if IS_ARM { 13 } else { 11 }) - 1;

impl UnwindRule {
    /// Size of a packed rule in bits.
    pub const BITS: u32 = 17 + MAX_SAVED_OFFSET.count_ones();

    /// An ordinary rule, or [`UnwindRule::Unsupported`] if an offset is too large to pack or the return address is in
    /// an unexpected place.
    pub fn offset(from_fp: bool, cfa_offset: u64, fp_offset: u64, ra_offset: u64) -> Self {
        let is_looked_for = match fp_offset {
            _ if !IS_ARM => ra_offset == 1,
            0 => (1..=MAX_SAVED_OFFSET.into()).contains(&ra_offset),
            fp_offset => ra_offset > 0 && ra_offset == fp_offset - 1,
        };
        match (u16::try_from(cfa_offset), u16::try_from(fp_offset)) {
            (Ok(cfa_offset), Ok(fp_offset))
                if is_looked_for
                    && cfa_offset <= MAX_CFA_OFFSET
                    && fp_offset <= MAX_SAVED_OFFSET =>
            {
                Self::Offset {
                    from_fp,
                    cfa_offset,
                    fp_offset,
                    ra_offset: ra_offset as u16,
                }
            }
            _ => Self::Unsupported,
        }
    }

    /// Packs the rule into [`UnwindRule::BITS`] bits, never 0.
    pub fn pack(self) -> PackedRule {
        PackedRule(match self {
            Self::Offset {
                from_fp,
                cfa_offset,
                fp_offset,
                ra_offset,
            } => {
                let is_alone = IS_ARM && fp_offset == 0;
                let slot = if is_alone { ra_offset } else { fp_offset };
                let flags = 1 | u64::from(is_alone) << 1 | u64::from(from_fp) << 3;
                flags | u64::from(cfa_offset) << 4 | u64::from(slot) << 17
            }
            Self::End => 2,
            Self::Unsupported => 4,
        })
    }
}

/// A rule in the low [`UnwindRule::BITS`] bits of a word. The bits above belong to someone else.
#[derive(Clone, Copy, Default)]
pub struct PackedRule(pub u64);

impl PackedRule {
    /// Whether both are the same rule of an ordinary frame.
    #[inline(always)]
    pub fn is_same(self, other: Self) -> bool {
        self.0 & 1 != 0 && (self.0 ^ other.0) << (64 - UnwindRule::BITS) == 0
    }

    /// All ones if the CFA is computed from `fp`. Only for an ordinary frame.
    #[inline(always)]
    pub fn is_from_fp(self) -> u64 {
        0u64.wrapping_sub(self.0 >> 3 & 1)
    }

    /// For an ordinary frame: whether the CFA is computed from `fp`, and in bytes its offset, how far below it `fp` was
    /// saved (0 if it was not), and how far below it the return address is.
    #[inline(always)]
    pub fn offsets(self) -> Option<(bool, u64, u64, u64)> {
        (self.0 & 1 != 0).then(|| self.ordinary_offsets())
    }

    /// As [`Self::offsets`], without the check that it is the rule of an ordinary frame.
    #[inline(always)]
    pub fn ordinary_offsets(self) -> (bool, u64, u64, u64) {
        let cfa_offset = self.0 >> 1 & u64::from(MAX_CFA_OFFSET) << 3;
        let slot = self.0 >> 14 & u64::from(MAX_SAVED_OFFSET) << 3;
        let (fp_offset, ra_offset) = match self.0 & 2 {
            _ if !IS_ARM => (slot, 8),
            0 => (slot, slot.wrapping_sub(8)),
            _ => (0, slot),
        };
        (self.0 & 8 != 0, cfa_offset, fp_offset, ra_offset)
    }

    /// Reverses [`UnwindRule::pack`].
    pub fn unpack(self) -> UnwindRule {
        if let Some((from_fp, cfa_offset, fp_offset, ra_offset)) = self.offsets() {
            return UnwindRule::offset(from_fp, cfa_offset / 8, fp_offset / 8, ra_offset / 8);
        }
        match self.0 & 7 {
            2 => UnwindRule::End,
            _ => UnwindRule::Unsupported,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the return address in its usual place.
    fn step(from_fp: bool, cfa_offset: u64, fp_offset: u64) -> UnwindRule {
        let ra_offset = if IS_ARM { fp_offset.max(2) - 1 } else { 1 };
        UnwindRule::offset(from_fp, cfa_offset, fp_offset, ra_offset)
    }

    #[test]
    fn every_rule_fits_and_comes_back() {
        for rule in [
            step(false, 1, 0),
            step(true, 2, 2),
            step(false, MAX_CFA_OFFSET.into(), MAX_SAVED_OFFSET.into()),
            UnwindRule::offset(
                false,
                9,
                0,
                if IS_ARM { MAX_SAVED_OFFSET.into() } else { 1 },
            ),
            UnwindRule::End,
            UnwindRule::Unsupported,
        ] {
            let PackedRule(bits) = rule.pack();
            assert!(bits != 0 && bits >> UnwindRule::BITS == 0);
            assert_eq!(PackedRule(bits | 1 << UnwindRule::BITS).unpack(), rule);
        }
    }

    #[test]
    fn rules_are_the_same_whatever_stands_above_them() {
        let rules = [
            step(false, 3, 0),
            step(true, 3, 0),
            step(false, 4, 0),
            step(false, 3, 2),
            UnwindRule::End,
            UnwindRule::Unsupported,
        ];
        for (i, one) in rules.iter().enumerate() {
            for (j, other) in rules.iter().enumerate() {
                let above = PackedRule(other.pack().0 | 77 << UnwindRule::BITS);
                // `End` and `Unsupported` are no rules of an ordinary frame.
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
        assert_eq!(step(false, 1 << 13, 0), UnwindRule::Unsupported);
        assert_eq!(
            UnwindRule::offset(false, 4, u64::MAX, 1),
            UnwindRule::Unsupported
        );
    }

    #[test]
    fn a_return_address_is_taken_from_where_it_lies_or_left_to_the_slow_walk() {
        for (fp_offset, ra_offset, is_held) in [
            (0, 1, [true, true]),
            (2, 1, [true, true]),
            (0, 4, [false, true]),
            (5, 4, [false, true]),
            (4, 1, [true, false]),
            (4, 5, [false, false]),
            (1, 0, [false, false]),
            (0, 0, [false, false]),
        ] {
            let rule = UnwindRule::offset(false, 8, fp_offset, ra_offset);
            let is_step = rule != UnwindRule::Unsupported;
            assert_eq!(
                is_step,
                is_held[usize::from(IS_ARM)],
                "{fp_offset} {ra_offset}"
            );
            let bytes = is_step.then_some((false, 64, 8 * fp_offset, 8 * ra_offset));
            assert_eq!(rule.pack().offsets(), bytes);
        }
    }
}
