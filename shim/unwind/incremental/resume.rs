//! The last stack, as far as it still stands: what is compared, and what is replaced where it has changed.
//!
//! Comparing slots is a run of independent loads, while walking is a chain in which each waits for the one before. A slot that has changed
//! mostly tells of a function that was called from another place. If its caller is left from there by the same rule, nothing further out
//! can have moved, and the place alone is replaced; else the frames from there outwards are, until one is as it was again.

use super::{Met, Trace, settle, term};
use crate::frame::Frame;
use crate::step::{Exit, Stepped};
use crate::{CodeMap, DEEPEST};

impl<C: CodeMap> Trace<C> {
    /// Whether the stack from `frame` on is the last one, but for places that functions were called from.
    #[inline(always)]
    pub(super) fn resumes(&mut self, frame: Frame) -> bool {
        if self.depth == 0 {
            return false;
        }
        let top = self.depth - 1;
        self.is_at(top, frame) && self.mend(top).is_none()
    }

    /// Whether `frame` is the last stack's number `at`, but for the place where it goes on.
    #[inline(always)]
    pub(super) fn is_at(&mut self, at: usize, frame: Frame) -> bool {
        let last = &self.met[at % DEEPEST];
        let fp = (last.frame.fp ^ frame.fp) & last.matters;
        if (last.frame.sp ^ frame.sp) | fp != 0 {
            return false;
        }
        last.frame.pc == frame.pc || self.goes_on(at, frame.pc)
    }

    /// How many of the last stack's outer frames may still stand: all of them do if the innermost does. `None` where that are few, and where
    /// `leaf` has not changed.
    #[inline(always)]
    pub(super) fn standing(&self, leaf: &Frame) -> Option<usize> {
        let depth = self.depth;
        if !(2..=64).contains(&depth) || self.met[depth - 1].is(leaf) {
            return None;
        }
        let exits = &self.exits[1..depth];
        let mut changed = marks(exits, |exit| exit.is_changed_above(leaf.sp)) | 1 << exits.len();
        let unchanged = (changed & changed.wrapping_neg()) - 1;
        let mut looked_at = self.fp_looked_at[0] >> 1 & unchanged;
        while looked_at != 0 {
            let place = looked_at.trailing_zeros();
            changed |= u64::from(!exits[place as usize].has_same_fp()) << place;
            looked_at &= looked_at - 1;
        }
        let standing = changed.trailing_zeros() as usize + 1;
        (standing * 2 > depth).then_some(standing)
    }

    /// Follows the last stack outwards from its frame number `top - 1`, which stands in the present one, and replaces what has changed.
    /// `None` if that holds to the end, else how many of its outer frames may still be met.
    pub(super) fn follow(&mut self, top: usize) -> Option<usize> {
        let stack = self.stack;
        let mut at = top - 1;
        loop {
            let inner = self.mend(at)?;
            let (met, exits) = (&mut *self.met, &mut *self.exits);
            at = inner;
            let Met { frame, matters, .. } = met[inner];
            let mattered = met[inner - 1].matters;
            let mut is_fp_known = matters != 0 || !exits[inner].keeps_fp();
            // The same frame reads the same slots, and its caller's stack pointer is the same.
            let mut frame = exits[inner].again(&frame, met[inner - 1].frame.sp);
            loop {
                at -= 1;
                if at == 0 || frame.pc == 0 {
                    return Some(at);
                }
                let mut next = frame;
                let exit = &mut exits[at];
                let Stepped::On = stack.step::<C>(&mut next, exit) else {
                    return Some(at);
                };
                let [outer, replaced] = &mut met[at - 1..at + 1] else {
                    return Some(at);
                };
                if outer.frame.sp != next.sp || exit.is_by_fp() && !is_fp_known {
                    return Some(at);
                }
                is_fp_known |= !exit.keeps_fp();
                let term = term(at, frame.pc);
                self.sum = self.sum.wrapping_add(term.wrapping_sub(replaced.term));
                (replaced.frame, replaced.term, replaced.other) = (frame, term, (0, 0));
                if outer.is(&next) && (is_fp_known || outer.matters == 0) {
                    break;
                }
                frame = next;
            }
            for index in at..inner {
                settle(met, exits, &mut self.fp_looked_at, index);
            }
            if met[inner - 1].matters & !mattered != 0 {
                return Some(inner); // Of the frames further in nobody has compared the `fp`.
            }
            at -= 1;
        }
    }

    /// Compares how the last stack's frames up to number `top` were left, and replaces the callers that differ in the place of the call
    /// alone. The innermost frame that was left another way; `None` if none was.
    ///
    /// All slots are read before any is acted upon: loads that wait for nothing, and no branch for each.
    #[inline(always)]
    fn mend(&mut self, top: usize) -> Option<usize> {
        let mut end = top + 1;
        while end > 1 {
            let group = (end - 1) / 64;
            let first = (group * 64).max(1);
            let exits = &self.exits[first..end];
            let moved = marks(exits, |exit| !exit.returns_as_before());
            let mut other = 0;
            let here = u64::MAX >> (64 - exits.len());
            let mut looked_at = self.fp_looked_at[group] >> (first % 64) & here;
            while looked_at != 0 {
                let place = looked_at.trailing_zeros();
                other |= u64::from(!exits[place as usize].has_same_fp()) << place;
                looked_at &= looked_at - 1;
            }
            let mut changed = moved | other;
            while changed != 0 {
                let place = 63 - changed.leading_zeros();
                let at = first + place as usize;
                if other >> place & 1 != 0 || !self.returns_elsewhere(at) {
                    return Some(at);
                }
                changed ^= 1 << place;
            }
            end = group * 64;
        }
        None
    }

    /// The frame number `at` returns to another place: has its caller go on there, if all further out stands where it stood then.
    #[inline(always)]
    fn returns_elsewhere(&mut self, at: usize) -> bool {
        let (returned, pc) = self.exits[at % DEEPEST].read_return();
        let is_replaced = at > 0 && self.goes_on(at - 1, pc);
        if is_replaced {
            self.exits[at % DEEPEST].returns_to(returned);
        }
        is_replaced
    }

    /// Has the frame number `at` go on at `pc`, if it is left from there as it was left: it is in another place of the same function, or
    /// of one just like it, and all further out stands where it stood.
    #[inline(always)]
    fn goes_on(&mut self, at: usize, pc: u64) -> bool {
        let met = &mut self.met[at % DEEPEST];
        let (other, before) = (met.other, (met.frame.pc, met.term));
        let (pc, term) = if other.0 == pc && pc != 0 {
            other
        } else if at > 0 && self.exits[at % DEEPEST].is_left_likewise(pc) {
            (pc, term(at, pc))
        } else {
            return false;
        };
        self.sum = self.sum.wrapping_add(term.wrapping_sub(met.term));
        (met.frame.pc, met.term, met.other) = (pc, term, before);
        true
    }
}

/// A bit for each of at most 64 exits that `is_marked`.
#[inline(always)]
fn marks(exits: &[Exit], is_marked: impl Fn(&Exit) -> bool) -> u64 {
    let (eights, rest) = exits.as_chunks::<8>();
    let bits = |exits: &[Exit]| {
        let bits = exits.iter().zip(0..);
        bits.fold(0, |all, (exit, place)| {
            all | u64::from(is_marked(exit)) << place
        })
    };
    let tail = bits(rest);
    let outwards = eights.iter().rev();
    outwards.fold(tail, |all, eight| all << 8 | bits(eight))
}
