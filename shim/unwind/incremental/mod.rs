//! Incremental unwinding against the thread's last stack.
//!
//! A step depends only on the frame's three registers and the one or two stack slots that its rule reads. If a walk
//! reaches a frame of the last stack with the same registers, the rest is the same as long as those slots are unchanged
//! ([`resume`]).
//!
//! In code without frame pointers `fp` is a data register. It is only compared if a frame further out uses it, i.e.
//! while it is live.

mod cached_frame;
mod callers;
mod exit_rule;
mod fallback;
mod recall;
mod resume;
mod return_slots;

pub use exit_rule::ExitRule;

use crate::frame::{Frame, NativeFrame};
use crate::step::{FpSlot, SavedSlots, StackRange, Step};
use crate::{CodeMap, MAX_DEPTH, alt_stack};
use cached_frame::{CachedFrame, frame_hash};
use recall::{RECALLED, Recall};
use return_slots::ReturnSlots;
use std::marker::PhantomData;

/// A thread's last stack, and buffers for the next.
pub struct Trace<C> {
    stack: StackRange,
    /// Outermost first: a new leaf goes to the end.
    cached: Box<[CachedFrame; MAX_DEPTH]>,
    /// How each of `cached` was left.
    returns: ReturnSlots,
    fp_slots: Box<[FpSlot; MAX_DEPTH]>,
    /// A bit for each of them whose slot of `fp` must be compared.
    fp_checked: [u64; MAX_DEPTH / 64],
    depth: usize,
    /// Sum of the hashes of `cached`, up to `depth`.
    stack_hash: u64,
    /// The frames of a walk, from the end: the innermost is the last, so that they are in the order of `cached`.
    walked: Box<[Frame; MAX_DEPTH]>,
    walked_slots: Box<[SavedSlots; MAX_DEPTH]>,
    /// The frames of the last capture, if they are not in `cached`.
    uncached: Vec<u64>,
    generation: u32,
    recall: Recall,
    code: PhantomData<fn() -> C>,
}

/// A captured stack. Its frames stay in the [`Trace`] until the next capture.
#[derive(Clone, Copy)]
pub struct Stack {
    /// Identifies the frames: equal for equal stacks.
    pub hash: u64,
    /// How many frames it has; [`UNCACHED`] if they are not in `cached`, [`RECALLED`] if they are nowhere.
    depth: usize,
}

const UNCACHED: usize = usize::MAX;

/// Why a walk stopped.
enum Stop {
    /// It reached the outermost frame.
    End,
    /// The rest, this many outer frames, is the same as last time.
    Same(usize),
    /// The stack is deeper than [`MAX_DEPTH`].
    TooDeep,
    /// Only the fallback can continue.
    NeedsFallback,
}

impl<C: CodeMap> Trace<C> {
    /// For the calling thread, whose stack is at `bounds`.
    pub fn new(bounds: (u64, u64)) -> Self {
        let stack = StackRange::new(bounds);
        Self {
            stack,
            cached: on_heap(),
            returns: ReturnSlots::new(),
            fp_slots: on_heap(),
            fp_checked: [0; MAX_DEPTH / 64],
            depth: 0,
            stack_hash: 0,
            walked: on_heap(),
            walked_slots: on_heap(),
            uncached: Vec::new(),
            generation: 0,
            recall: Recall::new(),
            code: PhantomData,
        }
    }

    /// Captures the stack from `leaf` outwards, without the innermost frames inside `own`, the shim's code.
    /// `generation` counts unloaded modules. `exit` is how the function of `leaf` is left.
    // `always`: across crates it is not inlined otherwise, which costs each hook 17 to 19 instructions.
    #[inline(always)]
    pub fn capture(
        &mut self,
        leaf: &Frame, // Copied, it would be read in halves right after it was written in words, which waits for the stores.
        own: impl FnOnce() -> (u64, u64),
        generation: u32,
        exit: &ExitRule,
    ) -> Stack {
        if self.generation == generation
            && let Some(frame) = exit.leave(leaf, &self.stack)
        {
            if self.matches_last(frame) {
                return self.last();
            }
            if let Some(stack) = self.earlier_or_moved(frame) {
                return stack;
            }
        }
        self.capture_anew(leaf, own(), generation, exit)
    }

    /// A stack that is remembered, or the last one after a move of its innermost frame.
    // Not inlined: with one comparison of slots in them, hooks keep what they need in registers.
    #[inline(never)]
    fn earlier_or_moved(&mut self, frame: Frame) -> Option<Stack> {
        // In this order: what a move changes of the last stack is only complete once that is the current one, or is walked.
        self.recall(&frame)
            .or_else(|| self.matches_last_moved(frame).then(|| self.last()))
    }

    #[inline(always)]
    fn last(&self) -> Stack {
        Stack {
            hash: self.stack_hash,
            depth: self.depth,
        }
    }

    /// As [`Trace::capture`], walked where that only compares: finds the frames of a stack of which a capture knows the hash alone.
    #[inline(never)]
    pub fn capture_anew(
        &mut self,
        leaf: &Frame,
        own: (u64, u64),
        generation: u32,
        exit: &ExitRule,
    ) -> Stack {
        if self.generation != generation {
            self.forget();
            self.recall.clear();
            self.generation = generation;
        }
        if !self.is_on_stack(leaf.sp) {
            return self.uncached(alt_stack::walk::<C>(*leaf, own, self.stack, MAX_DEPTH));
        }
        let Some(frame) = self.outside(leaf, own, exit) else {
            return self.uncached(fallback::unwind(own));
        };
        let (count, stop) = self.walk(frame);
        let stack = match stop {
            Stop::Same(kept) if kept + count > MAX_DEPTH => {
                self.forget(); // Walk all of it, so that equal deep stacks are cut at the same frame.
                let (count, _) = self.walk(frame);
                self.keep(0, count, true)
            }
            Stop::Same(kept) => self.keep(kept, count, false),
            Stop::End => self.keep(0, count, false),
            Stop::TooDeep => self.keep(0, count, true),
            Stop::NeedsFallback => {
                self.forget(); // Some of it may have been replaced.
                self.uncached(fallback::unwind(own))
            }
        };
        self.remember();
        stack
    }

    /// The frames of the last captured stack, innermost first. Of one that was recalled, they are not known.
    pub fn frames(&self, stack: Stack) -> Vec<NativeFrame> {
        let (cached, uncached) = match stack.depth {
            UNCACHED => (&[][..], &self.uncached[..]),
            RECALLED => (&[][..], &[][..]),
            depth => (&self.cached[..depth], &[][..]),
        };
        let cached = cached.iter().rev().map(|cached| cached.frame);
        let cached = cached.map(|Frame { pc, sp, .. }| NativeFrame { pc, sp });
        let uncached = uncached.iter().map(|&pc| NativeFrame { pc, sp: 0 });
        cached.chain(uncached).collect()
    }

    /// A stack that is not resumed from.
    #[cold]
    fn uncached(&mut self, frames: Vec<u64>) -> Stack {
        let terms = frames.iter().rev().enumerate();
        let hash = terms.fold(0u64, |hash, (at, &pc)| {
            hash.wrapping_add(frame_hash(at, pc))
        });
        self.uncached = frames;
        Stack {
            hash,
            depth: UNCACHED,
        }
    }

    fn forget(&mut self) {
        (self.depth, self.stack_hash) = (0, 0);
    }

    /// Whether `address` is on the thread's own stack.
    #[inline(always)]
    pub fn is_on_stack(&self, address: u64) -> bool {
        self.stack.has(address)
    }

    #[inline(never)]
    fn walk(&mut self, from: Frame) -> (usize, Stop) {
        let (mut frame, mut old, mut count) = (from, self.depth, 0);
        if let Some(unchanged_depth) = self.unchanged_depth(&from) {
            old = unchanged_depth;
            // Compare nothing until there: nothing tells which of these frames are unchanged.
            let sp = self.sp_of(unchanged_depth);
            while frame.sp < sp && count < MAX_DEPTH {
                if let Some(stop) = self.step(&mut frame, &mut count) {
                    return (count, stop);
                }
            }
            if self.is_at(unchanged_depth - 1, frame) {
                return (count, Stop::Same(unchanged_depth));
            }
        }
        let mut old_sp = self.sp_of(old);
        while count < MAX_DEPTH {
            // The last stack's frames, from its leaf outwards, have falling indices and rising addresses.
            while old_sp < frame.sp {
                old -= 1;
                old_sp = self.sp_of(old);
            }
            if old_sp == frame.sp && self.cached[(old - 1) % MAX_DEPTH].is(&frame) {
                match self.rewalk_changed(old) {
                    None => return (count, Stop::Same(old)),
                    Some(outer) => old = outer,
                }
                old_sp = self.sp_of(old);
            }
            if let Some(stop) = self.step(&mut frame, &mut count) {
                return (count, stop);
            }
        }
        (MAX_DEPTH, Stop::TooDeep)
    }

    /// Appends `frame` to the walked ones and moves to its caller. Returns what ended the walk, if anything.
    #[inline(always)]
    fn step(&mut self, frame: &mut Frame, count: &mut usize) -> Option<Stop> {
        *count += 1;
        let at = MAX_DEPTH.wrapping_sub(*count) % MAX_DEPTH;
        self.walked[at] = *frame;
        match self.stack.step::<C>(frame, &mut self.walked_slots[at]) {
            Step::Caller => None,
            Step::End => Some(Stop::End),
            Step::NeedsFallback => Some(Stop::NeedsFallback),
        }
    }

    /// The stack pointer of frame number `old - 1`; larger than every address if there is none.
    #[inline(always)]
    fn sp_of(&self, old: usize) -> u64 {
        match old {
            0 => u64::MAX,
            old => self.cached[(old - 1) % MAX_DEPTH].frame.sp,
        }
    }

    /// Appends the `count` walked frames to the `kept` outer ones. A truncated stack is not resumed from next time.
    // Not inlined: four callers in one function would share a frame of kilobytes.
    #[inline(never)]
    fn keep(&mut self, kept: usize, count: usize, is_cut: bool) -> Stack {
        if kept == 0 {
            self.stack_hash = 0;
        } else {
            for gone in &self.cached[kept..self.depth.max(kept)] {
                self.stack_hash = self.stack_hash.wrapping_sub(gone.hash);
            }
        }
        let mut sum = self.stack_hash;
        // Does what `update_fp_liveness` does, without reading again what is at hand.
        let mut fp_live = match kept {
            0 => u64::MAX,
            kept => self.cached[(kept - 1) % MAX_DEPTH].fp_live,
        };
        let (first, end) = (MAX_DEPTH - count, kept + count);
        clear_bits(&mut self.fp_checked, kept, end);
        let walked = self.walked[first..].iter().zip(&self.walked_slots[first..]);
        let cached = self.cached[kept..end].iter_mut();
        let cached = cached.zip(&mut self.fp_slots[kept..end]);
        for (at, ((&frame, saved), (cached, fp_slot))) in (kept..).zip(walked.zip(cached)) {
            if at > 0 {
                *fp_slot = saved.fp_slot;
                fp_slot.caller_fp_live = fp_live;
                if fp_slot.is_checked() {
                    self.fp_checked[at / 64] |= 1 << (at % 64);
                }
                fp_live = fp_slot.fp_live();
                self.returns.set(at, saved.return_slot);
            }
            let hash = frame_hash(at, frame.pc);
            sum = sum.wrapping_add(hash);
            *cached = CachedFrame {
                frame,
                hash,
                fp_live,
                other: (0, 0),
            };
        }
        self.stack_hash = sum;
        self.depth = end;
        if is_cut {
            self.forget();
        }
        Stack {
            hash: sum,
            depth: end,
        }
    }
}

/// Computes whether the `fp` of frame number `at` is live, given that this is known for the frames further out.
#[inline(always)]
fn update_fp_liveness(
    cached: &mut [CachedFrame; MAX_DEPTH],
    fp_slots: &mut [FpSlot; MAX_DEPTH],
    fp_checked: &mut [u64; MAX_DEPTH / 64],
    at: usize,
) {
    cached[at].fp_live = match at.checked_sub(1) {
        Some(outer) => {
            fp_slots[at].caller_fp_live = cached[outer].fp_live;
            fp_slots[at].fp_live()
        }
        None => u64::MAX,
    };
    let word = &mut fp_checked[at / 64];
    let is_looked_at = at > 0 && fp_slots[at].is_checked();
    *word = *word & !(1 << (at % 64)) | u64::from(is_looked_at) << (at % 64);
}

/// Clears the bits from number `first` up to `end`.
#[inline(always)]
fn clear_bits(bits: &mut [u64; MAX_DEPTH / 64], first: usize, end: usize) {
    let mut at = first;
    while at < end {
        let next = end.min((at | 63) + 1);
        bits[at / 64] &= !(u64::MAX << (at % 64) & u64::MAX >> (63 - (next - 1) % 64));
        at = next;
    }
}

/// Allocates an array without building it on the stack, which may be 16 KiB.
fn on_heap<T: Copy + Default>() -> Box<[T; MAX_DEPTH]> {
    let list: Box<[T]> = vec![T::default(); MAX_DEPTH].into_boxed_slice();
    list.try_into()
        .unwrap_or_else(|_| unreachable!("it has MAX_DEPTH elements"))
}

#[cfg(all(test, target_arch = "x86_64"))]
mod synthetic_tests;
#[cfg(test)]
mod tests;
