//! Incremental unwinding against the thread's last stack.
//!
//! A step depends only on the frame's three registers and the one or two stack slots that its rule reads. If a walk
//! reaches a frame of the last stack with the same registers, the rest is the same as long as those slots are unchanged
//! ([`resume`]).
//!
//! In code without frame pointers `fp` is a data register. It is only compared if a frame further out uses it, i.e.
//! while it is live.

mod resume;

use crate::frame::{Frame, NativeFrame};
use crate::step::{SavedSlots, StackRange, Step};
use crate::{CodeMap, MAX_DEPTH, alt_stack};
use std::marker::PhantomData;

/// A frame of the last stack.
#[derive(Clone, Copy, Default)]
struct CachedFrame {
    frame: Frame,
    /// What it adds to the hash of the stack.
    hash: u64,
    /// All ones if its `fp` is live. If not, `frame` may have an old value.
    fp_live: u64,
    /// Its program counter and hash before it was patched to another call site in the same function; 0 if it was not.
    other: (u64, u64),
}

impl CachedFrame {
    #[inline(always)]
    fn is(&self, frame: &Frame) -> bool {
        let fp = (self.frame.fp ^ frame.fp) & self.fp_live;
        (self.frame.pc ^ frame.pc) | (self.frame.sp ^ frame.sp) | fp == 0
    }
}

/// A thread's last stack, and buffers for the next.
pub struct Trace<C> {
    stack: StackRange,
    /// Outermost first: a new leaf goes to the end.
    cached: Box<[CachedFrame; MAX_DEPTH]>,
    /// How each of `cached` was left.
    slots: Box<[SavedSlots; MAX_DEPTH]>,
    /// A bit for each of them whose slot of `fp` must be compared.
    fp_checked: [u64; MAX_DEPTH / 64],
    depth: usize,
    /// Sum of the hashes of `cached`, up to `depth`.
    stack_hash: u64,
    /// Innermost first.
    walked: Box<[Frame; MAX_DEPTH]>,
    walked_slots: Box<[SavedSlots; MAX_DEPTH]>,
    generation: u32,
    code: PhantomData<fn() -> C>,
}

/// A captured stack. Its frames stay in the [`Trace`] until the next capture.
pub struct Stack<'a> {
    /// Identifies the frames: equal for equal stacks.
    pub hash: u64,
    cached: &'a [CachedFrame],
    other: Vec<u64>,
}

impl Stack<'_> {
    /// Its frames, innermost first.
    pub fn frames(&self) -> Vec<NativeFrame> {
        let cached = self.cached.iter().rev().map(|cached| cached.frame);
        let cached = cached.map(|Frame { pc, sp, .. }| NativeFrame { pc, sp });
        let other = self.other.iter().map(|&pc| NativeFrame { pc, sp: 0 });
        cached.chain(other).collect()
    }
}

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
            slots: on_heap(),
            fp_checked: [0; MAX_DEPTH / 64],
            depth: 0,
            stack_hash: 0,
            walked: on_heap(),
            walked_slots: on_heap(),
            generation: 0,
            code: PhantomData,
        }
    }

    /// Captures the stack from `leaf` outwards, without the innermost frames inside `own`, the shim's code.
    /// `generation` counts unloaded modules.
    // `always`: across crates it is not inlined otherwise, which costs each hook 17 to 19 instructions.
    #[inline(always)]
    pub fn capture(&mut self, leaf: Frame, own: (u64, u64), generation: u32) -> Stack<'_> {
        if self.generation != generation {
            self.forget();
            self.generation = generation;
        }
        if !self.is_on_stack(leaf.sp) {
            return uncached(alt_stack::walk::<C>(leaf, own, self.stack, MAX_DEPTH));
        }
        let Some(frame) = self.outside(leaf, own) else {
            return fallback_unwind(own);
        };
        if self.matches_last(frame) {
            return Stack {
                hash: self.stack_hash,
                cached: &self.cached[..self.depth],
                other: Vec::new(),
            };
        }
        self.capture_anew(frame, own)
    }

    #[inline(never)]
    fn capture_anew(&mut self, frame: Frame, own: (u64, u64)) -> Stack<'_> {
        let (count, stop) = self.walk(frame);
        match stop {
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
                fallback_unwind(own)
            }
        }
    }

    fn forget(&mut self) {
        (self.depth, self.stack_hash) = (0, 0);
    }

    /// Program counter of the innermost frame outside `own`; 0 if only the fallback could find it.
    #[inline]
    pub fn nearest(&self, leaf: Frame, own: (u64, u64)) -> u64 {
        self.outside(leaf, own).map_or(0, |frame| frame.pc)
    }

    /// The innermost frame outside `own`; `None` if only the fallback could find it.
    #[inline(always)]
    fn outside(&self, leaf: Frame, own: (u64, u64)) -> Option<Frame> {
        let (mut frame, mut exit) = (leaf, SavedSlots::default());
        while frame.pc.wrapping_sub(own.0) < own.1 - own.0 {
            let Step::Caller = self.stack.step::<C>(&mut frame, &mut exit) else {
                return None;
            };
        }
        Some(frame)
    }

    /// The stack pointer of the innermost frame outside `own`, and the words where frames inside `own` saved registers,
    /// some of them its own. `None` if only the fallback could find it.
    pub fn left(&self, leaf: Frame, own: (u64, u64)) -> Option<(u64, Vec<u64>)> {
        let (mut frame, mut exit, mut words) = (leaf, SavedSlots::default(), Vec::new());
        while (own.0..own.1).contains(&frame.pc) {
            let saved = self.stack.saved::<C>(frame.pc);
            let Step::Caller = self.stack.step::<C>(&mut frame, &mut exit) else {
                return None;
            };
            let slots = saved
                .iter()
                .map(|&(_, at)| frame.sp.wrapping_add_signed(at));
            words.extend(slots.filter_map(|slot| self.stack.word(slot)));
        }
        Some((frame.sp, words))
    }

    /// The stack pointer of the caller of `frame`, which is or was a hook's; `None` if it is not known to be on the
    /// stack at `bounds`.
    pub fn caller_sp(bounds: (u64, u64), frame: Frame) -> Option<u64> {
        let stack = StackRange::new(bounds);
        let is_own = stack.has(frame.sp);
        is_own.then(|| stack.caller_sp::<C>(frame)).flatten()
    }

    /// Whether `address` is on the thread's own stack.
    #[inline(always)]
    pub fn is_on_stack(&self, address: u64) -> bool {
        self.stack.has(address)
    }

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
        let at = *count % MAX_DEPTH;
        self.walked[at] = *frame;
        *count += 1;
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
    #[inline(always)]
    fn keep(&mut self, kept: usize, count: usize, is_cut: bool) -> Stack<'_> {
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
        let end = kept + count;
        let (walked, walked_slots) = (&self.walked[..count], &self.walked_slots[..count]);
        let (all, slots) = (&mut self.cached[..end], &mut self.slots[..end]);
        let mut at = kept;
        while at < end {
            let next = end.min((at | 63) + 1);
            let here = u64::MAX << (at % 64) & u64::MAX >> (63 - (next - 1) % 64);
            let mut checked = 0;
            for at in at..next {
                let (frame, mut exit) = (walked[end - 1 - at], walked_slots[end - 1 - at]);
                exit.caller_fp_live = fp_live;
                if at > 0 {
                    checked |= u64::from(exit.is_fp_slot_checked()) << (at % 64);
                    fp_live = exit.fp_live();
                }
                slots[at] = exit;
                let frame_hash = frame_hash(at, frame.pc);
                sum = sum.wrapping_add(frame_hash);
                all[at] = CachedFrame {
                    frame,
                    hash: frame_hash,
                    fp_live,
                    other: (0, 0),
                };
            }
            let word = &mut self.fp_checked[at / 64];
            *word = *word & !here | checked;
            at = next;
        }
        self.stack_hash = sum;
        self.depth = end;
        if is_cut {
            self.forget();
        }
        Stack {
            hash: sum,
            cached: &self.cached[..end],
            other: Vec::new(),
        }
    }
}

/// Computes whether the `fp` of frame number `at` is live, given that this is known for the frames further out.
#[inline(always)]
fn update_fp_liveness(
    cached: &mut [CachedFrame; MAX_DEPTH],
    slots: &mut [SavedSlots; MAX_DEPTH],
    fp_checked: &mut [u64; MAX_DEPTH / 64],
    at: usize,
) {
    cached[at].fp_live = match at.checked_sub(1) {
        Some(outer) => {
            slots[at].caller_fp_live = cached[outer].fp_live;
            slots[at].fp_live()
        }
        None => u64::MAX,
    };
    let word = &mut fp_checked[at / 64];
    let is_looked_at = at > 0 && slots[at].is_fp_slot_checked();
    *word = *word & !(1 << (at % 64)) | u64::from(is_looked_at) << (at % 64);
}

/// Allocates an array without building it on the stack, which may be 16 KiB.
fn on_heap<T: Copy + Default>() -> Box<[T; MAX_DEPTH]> {
    let list: Box<[T]> = vec![T::default(); MAX_DEPTH].into_boxed_slice();
    list.try_into()
        .unwrap_or_else(|_| unreachable!("it has MAX_DEPTH elements"))
}

/// What frame number `at`, counted from the outermost, adds to the hash. The hash is a sum, so that a single frame can
/// be replaced. Each position has its own multiplier, so that swapped frames change the sum.
#[inline(always)]
fn frame_hash(at: usize, pc: u64) -> u64 {
    let place = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    fold(pc ^ 0xa076_1d64_78bd_642f, place ^ 0xe703_7ed1_a0b4_28db)
}

#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

/// Unwinds with the `backtrace` crate, which can follow whatever `.eh_frame` says.
#[cold]
fn fallback_unwind(own: (u64, u64)) -> Stack<'static> {
    let mut other: Vec<u64> = Vec::with_capacity(64);
    // SAFETY: "unsynchronized" is about the crate's symbol tables on other platforms; walking one's own stack shares
    // nothing here.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            let pc = frame.ip() as u64;
            if pc == 0 {
                return false; // libgcc calls once more after the outermost frame.
            }
            if !other.is_empty() || !(own.0..own.1).contains(&pc) {
                other.push(pc);
            }
            other.len() < MAX_DEPTH
        });
    }
    uncached(other)
}

/// A stack that is not remembered.
fn uncached(other: Vec<u64>) -> Stack<'static> {
    let terms = other.iter().rev().enumerate();
    let hash = terms.fold(0u64, |hash, (at, &pc)| {
        hash.wrapping_add(frame_hash(at, pc))
    });
    Stack {
        hash,
        cached: &[],
        other,
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod synthetic_tests;
#[cfg(test)]
mod tests;
