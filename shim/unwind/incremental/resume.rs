//! Compares the current stack with the last one and patches what has changed.
//!
//! Comparing slots is a run of independent loads, while walking is a chain in which each load waits for the one before.
//! A changed slot usually means that a function was called from another place. If the same rule applies at the new
//! return address, nothing further out can have moved, and only that program counter is patched. Otherwise the frames
//! from there outwards are walked again, until one is unchanged.

use super::{Trace, frame_hash, update_fp_liveness};
use crate::frame::Frame;
use crate::step::{CODE, Slots, Step, word};
use crate::{CodeMap, MAX_DEPTH, rule_cache};

impl<C: CodeMap> Trace<C> {
    /// Whether the stack from `frame` on is the last one, up to call sites within the same functions.
    #[inline(always)]
    pub(super) fn matches_last(&mut self, frame: Frame) -> bool {
        if self.depth == 0 {
            return false;
        }
        let top = self.depth - 1;
        self.is_at(top, frame) && self.patch(top).is_none()
    }

    /// As [`Self::matches_last`], for a call from the same activation of a function whose stack pointer has moved: around calls with arguments
    /// on the stack, after `alloca`.
    #[inline(always)]
    pub(super) fn matches_last_moved(&mut self, frame: Frame) -> bool {
        let Some(outer) = self.depth.checked_sub(2) else {
            return false;
        };
        let top = outer + 1;
        let Some(rule) = rule_cache::get(frame.pc) else {
            return false;
        };
        let Some((from_fp, cfa_offset, fp_offset, ra_offset)) = rule.offsets() else {
            return false;
        };
        let outer = &self.cached[outer % MAX_DEPTH];
        let (outer_sp, outer_live) = (outer.frame.sp, outer.fp_live);
        let is_fp_same = (outer.frame.fp ^ frame.fp) & outer_live == 0;
        let base = if from_fp { frame.fp } else { frame.sp };
        let sp = base.wrapping_add(cfa_offset);
        let is_saved = fp_offset != 0;
        let saved_slot = if is_saved {
            sp.wrapping_sub(fp_offset)
        } else {
            0
        };
        // Before anything is changed. No memory is read: the frame may be gone, and its words overwritten. A caller that needs another `fp` is
        // another frame.
        if sp != outer_sp
            || frame.sp >= sp
            || self.returns.get(top).address != sp.wrapping_sub(ra_offset)
            || self.fp_slots[top % MAX_DEPTH].address != saved_slot
            || !is_fp_same && !is_saved
        {
            return false;
        }
        let last = &mut self.cached[top % MAX_DEPTH];
        let grows = last.replace(frame, frame_hash(top, frame.pc));
        last.rule = rule;
        last.fp_live = last.own_fp_live(is_saved, outer_live);
        self.stack_hash = self.stack_hash.wrapping_add(grows);
        self.patch(top).is_none()
    }

    /// Whether `frame` is the last stack's number `at`, up to its program counter.
    #[inline(always)]
    pub(super) fn is_at(&mut self, at: usize, frame: Frame) -> bool {
        let last = &self.cached[at % MAX_DEPTH];
        let fp = (last.frame.fp ^ frame.fp) & last.fp_live;
        if (last.frame.sp ^ frame.sp) | fp != 0 {
            return false;
        }
        last.frame.pc == frame.pc || self.patch_pc(at, frame.pc)
    }

    /// How many of the last stack's outer frames may be unchanged: all of them are if the innermost is. `None` if there
    /// are few, or if `leaf` has not changed.
    #[inline(always)]
    pub(super) fn unchanged_depth(&self, leaf: &Frame) -> Option<usize> {
        let depth = self.depth;
        if !(2..=64).contains(&depth) || self.cached[depth - 1].is(leaf) {
            return None;
        }
        let mut above = depth;
        // The outermost frame has no slot.
        let mut changed = self.returns.changed(0, above) >> 1 | 1 << (above - 1);
        // Below `sp` what is unchanged says nothing.
        if self.returns.get(changed.trailing_zeros() as usize).address < leaf.sp {
            above = self.returns.depth_above(leaf.sp, depth);
            changed |= 1 << (above - 1);
        }
        let unchanged = (changed & changed.wrapping_neg()) - 1;
        let mut checked = self.fp_checked[0] >> 1 & unchanged;
        let fp_slots = &self.fp_slots[1..depth];
        while checked != 0 {
            let place = checked.trailing_zeros();
            let is_unchanged = fp_slots[place as usize].is_unchanged_above(leaf.sp);
            changed |= u64::from(!is_unchanged) << place;
            checked &= checked - 1;
        }
        let unchanged_depth = changed.trailing_zeros() as usize + 1;
        (unchanged_depth * 2 > depth).then_some(unchanged_depth)
    }

    /// Follows the last stack outwards from its frame number `top - 1`, which is in the current one, and replaces what
    /// has changed. Returns `None` if the rest is the same, else how many outer frames may still be reached.
    pub(super) fn rewalk_changed(&mut self, top: usize) -> Option<usize> {
        let stack = self.stack;
        let mut at = top - 1;
        loop {
            let inner = self.patch(at)?;
            let (cached, returns) = (&mut *self.cached, &mut self.returns);
            let fp_slots = &mut *self.fp_slots;
            at = inner;
            let was_fp_live = cached[inner - 1].fp_live;
            let mut is_fp_known = cached[inner].fp_live != 0;
            // The same frame reads the same slots, and its caller has the same stack pointer.
            let returned = word(returns.get(inner).address);
            returns.set_returned(inner, returned);
            let mut frame = Frame {
                pc: returned & CODE,
                sp: cached[inner - 1].frame.sp,
                fp: cached[inner].frame.fp,
            };
            let saved = &mut fp_slots[inner];
            if saved.address != 0 {
                saved.word = word(saved.address);
                (frame.fp, is_fp_known) = (saved.word, true);
            }
            loop {
                at -= 1;
                if at == 0 || frame.pc == 0 {
                    return Some(at);
                }
                let mut next = frame;
                let Step::Caller(rule) = stack.step::<C>(&mut next) else {
                    return Some(at);
                };
                let slots = Slots::of(rule, &next);
                returns.set(at, slots.returned);
                fp_slots[at] = slots.fp;
                let [outer, replaced] = &mut cached[at - 1..at + 1] else {
                    return Some(at);
                };
                replaced.rule = rule;
                if outer.frame.sp != next.sp || rule.is_from_fp() != 0 && !is_fp_known {
                    return Some(at);
                }
                is_fp_known |= slots.fp.address != 0;
                let grows = replaced.replace(frame, frame_hash(at, frame.pc));
                self.stack_hash = self.stack_hash.wrapping_add(grows);
                if outer.is(&next) && (is_fp_known || outer.fp_live == 0) {
                    break;
                }
                frame = next;
            }
            for index in at..inner {
                update_fp_liveness(cached, fp_slots, &mut self.fp_checked, index);
            }
            if cached[inner - 1].fp_live & !was_fp_live != 0 {
                return Some(inner); // Nobody has compared the `fp` of the inner frames.
            }
            at -= 1;
        }
    }

    /// Compares how the last stack's frames up to number `top` were left, and patches callers that only differ in their
    /// program counter. Returns the innermost frame that was left differently; `None` if there is none.
    ///
    /// All slots are read before any is acted on: independent loads, and no branch per slot.
    #[inline(always)]
    fn patch(&mut self, top: usize) -> Option<usize> {
        let mut end = top + 1;
        loop {
            let first = (end - 1) & !63;
            let here = u64::MAX >> (63 - (end - 1) % 64);
            let mut changed = self.returns.changed(first, end);
            let mut checked = self.fp_checked[first / 64 % (MAX_DEPTH / 64)] & here;
            let mut other = 0;
            while checked != 0 {
                let place = checked.trailing_zeros();
                let fp_slot = &self.fp_slots[(first + place as usize) % MAX_DEPTH];
                other |= u64::from(fp_slot.difference() != 0) << place;
                checked &= checked - 1;
            }
            changed |= other;
            while changed != 0 {
                let place = 63 - changed.leading_zeros();
                let at = (first + place as usize) % MAX_DEPTH;
                if other >> place & 1 != 0 || !self.returns_elsewhere(at) {
                    return Some(at);
                }
                changed ^= 1 << place;
            }
            if first == 0 {
                return None;
            }
            end = first;
        }
    }

    /// Frame number `at` returns to another address: patches its caller, if everything further out is unchanged.
    #[inline(always)]
    fn returns_elsewhere(&mut self, at: usize) -> bool {
        let returned = word(self.returns.get(at).address);
        let is_replaced = at > 0 && self.patch_pc(at - 1, returned & CODE);
        if is_replaced {
            self.returns.set_returned(at, returned);
        }
        is_replaced
    }

    /// Patches the program counter of frame number `at` to `pc`, if the same rule applies there: it is elsewhere in the
    /// same function, or in one with the same frame, and everything further out is unchanged.
    #[inline(always)]
    fn patch_pc(&mut self, at: usize, pc: u64) -> bool {
        let cached = &mut self.cached[at % MAX_DEPTH];
        let (other, before) = (cached.other, (cached.frame.pc, cached.hash));
        let (pc, term) = if other.0 == pc && pc != 0 {
            other
        } else if cached.is_left_likewise(pc) {
            (pc, frame_hash(at, pc))
        } else {
            return false;
        };
        self.stack_hash = self.stack_hash.wrapping_add(term.wrapping_sub(cached.hash));
        (cached.frame.pc, cached.hash, cached.other) = (pc, term, before);
        true
    }
}
