//! The walk, and what it remembers of the last one.
//!
//! A step depends on nothing but the frame's three registers and the one or two stack slots that its rule reads. So where the walk meets
//! a frame of the last stack with the same registers, it goes on in the last stack as long as the slots hold what they held ([`resume`]).
//!
//! In code without frame pointers `fp` is a register for data. It is compared where a frame further out is left by it, and only there.

mod resume;

use crate::frame::{Frame, Native};
use crate::step::{Exit, Extent, Stepped};
use crate::{CodeMap, DEEPEST, alt_stack};
use std::marker::PhantomData;

/// A frame.
#[derive(Clone, Copy, Default)]
struct Met {
    frame: Frame,
    /// What it adds to the hash of the stack.
    term: u64,
    /// All ones if its `fp` matters; where it does not, `frame` may have an old one.
    matters: u64,
    /// Where it went on before it was called from elsewhere, and the term of that; 0 if it wasn't.
    other: (u64, u64),
}

impl Met {
    #[inline(always)]
    fn is(&self, frame: &Frame) -> bool {
        let fp = (self.frame.fp ^ frame.fp) & self.matters;
        (self.frame.pc ^ frame.pc) | (self.frame.sp ^ frame.sp) | fp == 0
    }
}

/// A thread's last stack, and room for the next.
pub struct Trace<C> {
    stack: Extent,
    /// Outermost first: a new leaf goes to the end.
    met: Box<[Met; DEEPEST]>,
    /// How each of `met` was left.
    exits: Box<[Exit; DEEPEST]>,
    /// A bit for each of them whose slot of `fp` has to be looked at.
    fp_looked_at: [u64; DEEPEST / 64],
    depth: usize,
    /// Sum of the terms of `met`, up to `depth`.
    sum: u64,
    /// Innermost first.
    fresh: Box<[Frame; DEEPEST]>,
    fresh_exits: Box<[Exit; DEEPEST]>,
    generation: u32,
    code: PhantomData<fn() -> C>,
}

/// A stack that was captured; its frames stay in the [`Trace`] until the next one.
pub struct Stack<'a> {
    /// Stands for the frames: equal for equal stacks.
    pub hash: u64,
    met: &'a [Met],
    other: Vec<u64>,
}

impl Stack<'_> {
    /// Its frames, innermost first.
    pub fn frames(&self) -> Vec<Native> {
        let met = self.met.iter().rev().map(|met| met.frame);
        let met = met.map(|Frame { pc, sp, .. }| Native { pc, sp });
        let other = self.other.iter().map(|&pc| Native { pc, sp: 0 });
        met.chain(other).collect()
    }
}

/// What ended a walk.
enum Stop {
    /// The outermost frame was reached.
    Outermost,
    /// The rest is as it was last time: this many outer frames.
    Same(usize),
    /// The stack is deeper than is recorded.
    TooDeep,
    /// Only the slow walk can go on.
    Beyond,
}

impl<C: CodeMap> Trace<C> {
    /// Of the calling thread, whose stack lies at `bounds`.
    pub fn new(bounds: (u64, u64)) -> Self {
        let stack = Extent::new(bounds);
        Self {
            stack,
            met: on_heap(),
            exits: on_heap(),
            fp_looked_at: [0; DEEPEST / 64],
            depth: 0,
            sum: 0,
            fresh: on_heap(),
            fresh_exits: on_heap(),
            generation: 0,
            code: PhantomData,
        }
    }

    /// The stack from `leaf` outwards, without the innermost frames inside `own`, the shim's code. `generation` counts unloadings.
    #[inline]
    pub fn capture(&mut self, leaf: Frame, own: (u64, u64), generation: u32) -> Stack<'_> {
        if self.generation != generation {
            self.forget();
            self.generation = generation;
        }
        if !self.is_on_stack(leaf.sp) {
            return far(alt_stack::walk::<C>(leaf, own, self.stack, DEEPEST));
        }
        let Some(frame) = self.outside(leaf, own) else {
            return slow(own);
        };
        if self.resumes(frame) {
            return Stack {
                hash: self.sum,
                met: &self.met[..self.depth],
                other: Vec::new(),
            };
        }
        self.capture_anew(frame, own)
    }

    #[inline(never)]
    fn capture_anew(&mut self, frame: Frame, own: (u64, u64)) -> Stack<'_> {
        let (count, stop) = self.walk(frame);
        match stop {
            Stop::Same(kept) if kept + count > DEEPEST => {
                self.forget(); // Walk it all, so that equal deep stacks are cut at the same frame.
                let (count, _) = self.walk(frame);
                self.keep(0, count, true)
            }
            Stop::Same(kept) => self.keep(kept, count, false),
            Stop::Outermost => self.keep(0, count, false),
            Stop::TooDeep => self.keep(0, count, true),
            Stop::Beyond => {
                self.forget(); // Some of it may have been replaced.
                slow(own)
            }
        }
    }

    fn forget(&mut self) {
        (self.depth, self.sum) = (0, 0);
    }

    /// Where the innermost frame outside `own` goes on; 0 where only the slow walk would find it.
    #[inline]
    pub fn nearest(&self, leaf: Frame, own: (u64, u64)) -> u64 {
        self.outside(leaf, own).map_or(0, |frame| frame.pc)
    }

    /// The innermost frame outside `own`; `None` where only the slow walk would find it.
    #[inline(always)]
    fn outside(&self, leaf: Frame, own: (u64, u64)) -> Option<Frame> {
        let (mut frame, mut exit) = (leaf, Exit::default());
        while frame.pc.wrapping_sub(own.0) < own.1 - own.0 {
            let Stepped::On = self.stack.step::<C>(&mut frame, &mut exit) else {
                return None;
            };
        }
        Some(frame)
    }

    /// The stack pointer of the innermost frame outside `own`, and the words that frames inside it have saved registers in: some are its
    /// registers. `None` where only the slow walk would find it.
    pub fn left(&self, leaf: Frame, own: (u64, u64)) -> Option<(u64, Vec<u64>)> {
        let (mut frame, mut exit, mut words) = (leaf, Exit::default(), Vec::new());
        while (own.0..own.1).contains(&frame.pc) {
            let saved = self.stack.saved::<C>(frame.pc);
            let Stepped::On = self.stack.step::<C>(&mut frame, &mut exit) else {
                return None;
            };
            let slots = saved.iter().map(|&at| frame.sp.wrapping_add_signed(at));
            words.extend(slots.filter_map(|slot| self.stack.word(slot)));
        }
        Some((frame.sp, words))
    }

    /// Where the stack pointer of the caller of `frame`, a hook's, is or was; `None` if that is not known to be on the thread's own stack.
    pub fn caller_sp(&self, frame: Frame) -> Option<u64> {
        let (mut frame, mut exit) = (frame, Exit::default());
        let is_own = self.is_on_stack(frame.sp);
        (is_own && matches!(self.stack.step::<C>(&mut frame, &mut exit), Stepped::On))
            .then_some(frame.sp)
    }

    /// Whether `address` lies on the thread's own stack.
    #[inline(always)]
    pub fn is_on_stack(&self, address: u64) -> bool {
        self.stack.has(address)
    }

    fn walk(&mut self, from: Frame) -> (usize, Stop) {
        let (mut frame, mut old, mut count) = (from, self.depth, 0);
        if let Some(standing) = self.standing(&from) {
            old = standing;
            // Nothing is compared on the way there: whether frames of other stacks lie alike, nobody can foretell.
            let sp = self.sp_of(standing);
            while frame.sp < sp && count < DEEPEST {
                if let Some(stop) = self.step(&mut frame, &mut count) {
                    return (count, stop);
                }
            }
            if self.is_at(standing - 1, frame) {
                return (count, Stop::Same(standing));
            }
        }
        let mut old_sp = self.sp_of(old);
        while count < DEEPEST {
            // The last stack's frames, from its leaf outwards, are at falling indices and rising addresses.
            while old_sp < frame.sp {
                old -= 1;
                old_sp = self.sp_of(old);
            }
            if old_sp == frame.sp && self.met[(old - 1) % DEEPEST].is(&frame) {
                match self.follow(old) {
                    None => return (count, Stop::Same(old)),
                    Some(outer) => old = outer,
                }
                old_sp = self.sp_of(old);
            }
            if let Some(stop) = self.step(&mut frame, &mut count) {
                return (count, stop);
            }
        }
        (DEEPEST, Stop::TooDeep)
    }

    /// Puts `frame` behind the fresh ones and goes on to its caller; what ends the walk, if anything does.
    #[inline(always)]
    fn step(&mut self, frame: &mut Frame, count: &mut usize) -> Option<Stop> {
        let at = *count % DEEPEST;
        self.fresh[at] = *frame;
        *count += 1;
        match self.stack.step::<C>(frame, &mut self.fresh_exits[at]) {
            Stepped::On => None,
            Stepped::Outermost => Some(Stop::Outermost),
            Stepped::Beyond => Some(Stop::Beyond),
        }
    }

    /// The stack pointer of the frame number `old - 1`, beyond every address if there is none.
    #[inline(always)]
    fn sp_of(&self, old: usize) -> u64 {
        match old {
            0 => u64::MAX,
            old => self.met[(old - 1) % DEEPEST].frame.sp,
        }
    }

    /// Puts the `count` fresh frames behind the `kept` outer ones. A stack that was cut is not walked on from next time.
    #[inline(always)]
    fn keep(&mut self, kept: usize, count: usize, is_cut: bool) -> Stack<'_> {
        if kept == 0 {
            self.sum = 0;
        } else {
            for gone in &self.met[kept..self.depth.max(kept)] {
                self.sum = self.sum.wrapping_sub(gone.term);
            }
        }
        let mut sum = self.sum;
        // What `settle` does, with what it would read again in hand.
        let mut matters = match kept {
            0 => u64::MAX,
            kept => self.met[(kept - 1) % DEEPEST].matters,
        };
        let end = kept + count;
        let (fresh, fresh_exits) = (&self.fresh[..count], &self.fresh_exits[..count]);
        let (all, exits) = (&mut self.met[..end], &mut self.exits[..end]);
        let mut at = kept;
        while at < end {
            let next = end.min((at | 63) + 1);
            let here = u64::MAX << (at % 64) & u64::MAX >> (63 - (next - 1) % 64);
            let mut looked_at = 0;
            for at in at..next {
                let (frame, mut exit) = (fresh[end - 1 - at], fresh_exits[end - 1 - at]);
                exit.matters = matters;
                if at > 0 {
                    looked_at |= u64::from(exit.is_fp_looked_at()) << (at % 64);
                    matters = exit.fp_matters();
                }
                exits[at] = exit;
                let term = term(at, frame.pc);
                sum = sum.wrapping_add(term);
                all[at] = Met {
                    frame,
                    term,
                    matters,
                    other: (0, 0),
                };
            }
            let word = &mut self.fp_looked_at[at / 64];
            *word = *word & !here | looked_at;
            at = next;
        }
        self.sum = sum;
        self.depth = end;
        if is_cut {
            self.forget();
        }
        Stack {
            hash: sum,
            met: &self.met[..end],
            other: Vec::new(),
        }
    }
}

/// Works out whether the `fp` of the frame number `at` matters, where that is known of those further out.
#[inline(always)]
fn settle(
    met: &mut [Met; DEEPEST],
    exits: &mut [Exit; DEEPEST],
    fp_looked_at: &mut [u64; DEEPEST / 64],
    at: usize,
) {
    met[at].matters = match at.checked_sub(1) {
        Some(outer) => {
            exits[at].matters = met[outer].matters;
            exits[at].fp_matters()
        }
        None => u64::MAX,
    };
    let word = &mut fp_looked_at[at / 64];
    let is_looked_at = at > 0 && exits[at].is_fp_looked_at();
    *word = *word & !(1 << (at % 64)) | u64::from(is_looked_at) << (at % 64);
}

/// An array that never stood on the stack, which may be a thread's of 16 KiB.
fn on_heap<T: Copy + Default>() -> Box<[T; DEEPEST]> {
    let list: Box<[T]> = vec![T::default(); DEEPEST].into_boxed_slice();
    list.try_into()
        .unwrap_or_else(|_| unreachable!("it has DEEPEST elements"))
}

/// What the frame that is number `at` from outside adds to the hash: terms are summed, so that one frame can be replaced. Each place has a
/// multiplier of its own, so that frames that change places make another sum.
#[inline(always)]
fn term(at: usize, pc: u64) -> u64 {
    let place = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    fold(pc ^ 0xa076_1d64_78bd_642f, place ^ 0xe703_7ed1_a0b4_28db)
}

#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

/// The walk of the `backtrace` crate, which can follow whatever `.eh_frame` says.
#[cold]
fn slow(own: (u64, u64)) -> Stack<'static> {
    let mut other: Vec<u64> = Vec::with_capacity(64);
    // SAFETY: "unsynchronized" is about the crate's symbol tables on other platforms; walking one's own stack shares nothing here.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            let pc = frame.ip() as u64;
            if pc == 0 {
                return false; // libgcc calls once more behind the outermost frame.
            }
            if !other.is_empty() || !(own.0..own.1).contains(&pc) {
                other.push(pc);
            }
            other.len() < DEEPEST
        });
    }
    far(other)
}

/// A stack that is kept for this once.
fn far(other: Vec<u64>) -> Stack<'static> {
    let terms = other.iter().rev().enumerate();
    let hash = terms.fold(0u64, |hash, (at, &pc)| hash.wrapping_add(term(at, pc)));
    Stack {
        hash,
        met: &[],
        other,
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod synthetic_tests;
#[cfg(test)]
mod tests;
