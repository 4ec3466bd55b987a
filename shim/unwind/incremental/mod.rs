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
use crate::rule::PackedRule;
use crate::step::{CODE, Slot, StackRange, Step};
use crate::{CodeMap, MAX_DEPTH, alt_stack};
use aclsan_log::branch::unlikely;
use cached_frame::{CachedFrame, WalkedFrame, frame_hash};
use recall::{RECALLED, Recall};
use return_slots::ReturnSlots;
use std::marker::PhantomData;

/// A thread's last stack, and buffers for the next. What each capture reads comes first, in one line of the cache.
#[repr(C, align(64))]
pub struct Trace<C> {
    generation: u32,
    stack: StackRange,
    depth: usize,
    /// Sum of the hashes of `cached`, up to `depth`.
    stack_hash: u64,
    /// Outermost first: a new leaf goes to the end.
    cached: Box<[CachedFrame; MAX_DEPTH]>,
    /// Where each of `cached` had its return address.
    returns: ReturnSlots,
    recall: Recall,
    /// Where each of `cached` saved `fp`, if it did.
    fp_slots: Box<[Slot; MAX_DEPTH]>,
    /// A bit for each of them whose slot of `fp` must be compared.
    fp_checked: [u64; MAX_DEPTH / 64],
    /// The frames of a walk, from the end: the innermost is the last, so that they are in the order of `cached`.
    walked: Box<[WalkedFrame; MAX_DEPTH]>,
    /// The frames of the last capture, if they are not in `cached`.
    uncached: Vec<u64>,
    code: PhantomData<fn() -> C>,
}

/// A captured stack. Its frames stay in the [`Trace`] until the next capture.
#[derive(Clone, Copy)]
pub struct Stack {
    /// Identifies the frames: equal for equal stacks.
    pub hash: u64,
    /// How many frames it has; [`UNCACHED`] if they are not in `cached`, from [`RECALLED`] on if they are nowhere.
    depth: usize,
}

const UNCACHED: usize = usize::MAX;

/// Why a walk stopped.
enum Stop {
    /// It reached the outermost frame.
    End,
    /// The rest, this many outer frames, is the same as last time. The innermost of them, as it was found.
    Same(usize, Frame),
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
        if !unlikely(self.generation != generation)
            && let Some(frame) = exit.leave(leaf, &self.stack)
        {
            if self.matches_last(frame) {
                return self.last();
            }
            if let Some(stack) = self.earlier_or_moved(frame) {
                return stack;
            }
            return self.capture_from(frame, own());
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
        self.capture_from(frame, own)
    }

    /// Captures the stack from `frame`, outside the shim's code, outwards.
    #[inline(never)]
    fn capture_from(&mut self, frame: Frame, own: (u64, u64)) -> Stack {
        let (count, stop) = self.walk(frame);
        let stack = match stop {
            Stop::Same(kept, _) if kept + count > MAX_DEPTH => {
                self.forget(); // Walk all of it, so that equal deep stacks are cut at the same frame.
                let (count, _) = self.walk(frame);
                self.keep_all(count, true)
            }
            Stop::Same(kept, caller) => self.keep(kept, count, caller),
            Stop::End => self.keep_all(count, false),
            Stop::TooDeep => self.keep_all(count, true),
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
            RECALLED.. => (&[][..], &[][..]),
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
                return (count, Stop::Same(unchanged_depth, frame));
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
                    None => return (count, Stop::Same(old, frame)),
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
        let walked = &mut self.walked[at];
        walked.frame = *frame;
        match self.stack.step::<C>(frame) {
            Step::Caller(rule) => {
                walked.rule = rule;
                None
            }
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

    /// Replaces the last stack by the `count` walked frames, the last of which is the outermost. A truncated stack is not resumed from next time.
    fn keep_all(&mut self, count: usize, is_cut: bool) -> Stack {
        let frame = self.walked[MAX_DEPTH - count].frame;
        self.cached[0] = CachedFrame {
            frame,
            hash: frame_hash(0, frame.pc),
            fp_live: u64::MAX,
            other: (0, 0),
            rule: PackedRule::default(),
        };
        (self.depth, self.stack_hash) = (1, self.cached[0].hash);
        let stack = self.keep(1, count - 1, frame);
        if is_cut {
            self.forget();
        }
        stack
    }

    /// Appends the `count` walked frames to the `kept` outer ones, at least one, of which `caller` is the innermost.
    // Not inlined: four callers in one function would share a frame of kilobytes.
    #[inline(never)]
    fn keep(&mut self, kept: usize, count: usize, caller: Frame) -> Stack {
        let mut sum = self.stack_hash;
        for gone in &self.cached[kept..self.depth.max(kept)] {
            sum = sum.wrapping_sub(gone.hash);
        }
        let mut fp_live = self.cached[(kept - 1) % MAX_DEPTH].fp_live;
        // Not one value: that would stay in memory.
        let Frame {
            mut pc,
            mut sp,
            mut fp,
        } = caller;
        clear_bits(&mut self.fp_checked, kept, kept + count);
        let walked = &self.walked[MAX_DEPTH - count..][..count];
        let cached = &mut self.cached[kept..][..count];
        let fp_slots = &mut self.fp_slots[kept..][..count];
        let (slots, returned) = self.returns.between(kept, count);
        for place in 0..count {
            let (WalkedFrame { frame, rule }, at) = (walked[place], kept + place);
            // As `Slots::of` and `update_fp_liveness` do.
            let (_, _, fp_offset, ra_offset) = rule.ordinary_offsets();
            slots[place] = sp.wrapping_sub(ra_offset);
            returned[place] = pc | rule.0 & !CODE;
            let saved = &mut fp_slots[place];
            if fp_offset == 0 {
                saved.address = 0;
                fp_live |= rule.is_from_fp();
            } else {
                (saved.address, saved.word) = (sp.wrapping_sub(fp_offset), fp);
                if fp_live != 0 {
                    self.fp_checked[at / 64 % (MAX_DEPTH / 64)] |= 1 << (at % 64);
                }
                fp_live = rule.is_from_fp();
            }
            Frame { pc, sp, fp } = frame;
            let hash = frame_hash(at, pc);
            sum = sum.wrapping_add(hash);
            cached[place] = CachedFrame {
                frame: Frame { pc, sp, fp },
                hash,
                fp_live,
                other: (0, 0),
                rule,
            };
        }
        (self.stack_hash, self.depth) = (sum, kept + count);
        self.last()
    }
}

/// Computes whether the `fp` of frame number `at` is live, given that this is known for the frames further out.
#[inline(always)]
fn update_fp_liveness(
    cached: &mut [CachedFrame; MAX_DEPTH],
    fp_slots: &[Slot; MAX_DEPTH],
    fp_checked: &mut [u64; MAX_DEPTH / 64],
    at: usize,
) {
    let is_saved = fp_slots[at].address != 0;
    let mut is_checked = false;
    cached[at].fp_live = match at.checked_sub(1) {
        Some(outer) => {
            let outer_live = cached[outer].fp_live;
            is_checked = is_saved && outer_live != 0;
            cached[at].own_fp_live(is_saved, outer_live)
        }
        None => u64::MAX,
    };
    let word = &mut fp_checked[at / 64];
    *word = *word & !(1 << (at % 64)) | u64::from(is_checked) << (at % 64);
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
