//! Compares the current stack with the last one and patches what has changed.
//!
//! Comparing slots is a run of independent loads, while walking is a chain in which each load waits for the one before.
//! A changed slot usually means that a function was called from another place. If the same rule applies at the new
//! return address, nothing further out can have moved, and only that program counter is patched. Otherwise the frames
//! from there outwards are walked again, until one is unchanged.

use super::{CachedFrame, Trace, frame_hash, update_fp_liveness};
use crate::frame::Frame;
use crate::step::{SavedSlots, Step};
use crate::{CodeMap, MAX_DEPTH};

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
        let caller = self.cached[outer % MAX_DEPTH];
        let fp_slot = &mut self.fp_slots[top % MAX_DEPTH];
        let return_slot = self.returns.get(top);
        // Before anything is changed: a caller that needs another `fp` is another frame.
        let is_fp_same = (caller.frame.fp ^ frame.fp) & caller.fp_live == 0;
        if !is_fp_same && fp_slot.keeps_fp()
            || !fp_slot.moves_to(&frame, caller.frame.sp, return_slot)
        {
            return false;
        }
        let term = frame_hash(top, frame.pc);
        let last = &mut self.cached[top % MAX_DEPTH];
        self.stack_hash = self.stack_hash.wrapping_add(term.wrapping_sub(last.hash));
        (last.frame, last.hash, last.other) = (frame, term, (0, 0));
        last.fp_live = fp_slot.fp_live();
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
        let above = self.returns.depth_above(leaf.sp, depth);
        // The outermost frame has no slot.
        let mut changed = self.returns.changed(0, above) >> 1 | 1 << (above - 1);
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
            let CachedFrame { frame, fp_live, .. } = cached[inner];
            let was_fp_live = cached[inner - 1].fp_live;
            let mut is_fp_known = fp_live != 0 || !fp_slots[inner].keeps_fp();
            // The same frame reads the same slots, and its caller has the same stack pointer.
            let sp = cached[inner - 1].frame.sp;
            let (returned, pc) = returns.get(inner).read();
            returns.set_returned(inner, returned);
            let mut frame = fp_slots[inner].again(pc, &frame, sp);
            loop {
                at -= 1;
                if at == 0 || frame.pc == 0 {
                    return Some(at);
                }
                let mut next = frame;
                let mut exit = SavedSlots::default();
                let Step::Caller = stack.step::<C>(&mut next, &mut exit) else {
                    return Some(at);
                };
                returns.set(at, exit.return_slot);
                fp_slots[at] = exit.fp_slot;
                let exit = &fp_slots[at];
                let [outer, replaced] = &mut cached[at - 1..at + 1] else {
                    return Some(at);
                };
                if outer.frame.sp != next.sp || exit.is_by_fp() && !is_fp_known {
                    return Some(at);
                }
                is_fp_known |= !exit.keeps_fp();
                let term = frame_hash(at, frame.pc);
                self.stack_hash = self
                    .stack_hash
                    .wrapping_add(term.wrapping_sub(replaced.hash));
                (replaced.frame, replaced.hash, replaced.other) = (frame, term, (0, 0));
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
                other |= u64::from(!fp_slot.is_unchanged()) << place;
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
        let (returned, pc) = self.returns.get(at).read();
        let is_replaced = at > 0 && self.patch_pc(at - 1, pc);
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
        } else if at > 0 && self.fp_slots[at % MAX_DEPTH].is_left_likewise(pc) {
            (pc, frame_hash(at, pc))
        } else {
            return false;
        };
        self.stack_hash = self.stack_hash.wrapping_add(term.wrapping_sub(cached.hash));
        (cached.frame.pc, cached.hash, cached.other) = (pc, term, before);
        true
    }
}
