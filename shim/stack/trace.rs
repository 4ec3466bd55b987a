//! The walk, and what it remembers of the last one.
//!
//! A step depends on nothing but the frame's three registers and the one or two stack slots that its rule reads. So where the walk meets
//! a frame of the last stack with the same registers, and none of the slots that were read from there outwards has changed, the rest
//! is as it was. Comparing slots is a run of independent loads; walking is a chain in which each waits for the one before.

use super::rule::{Frame, Rule};
use super::{DEEPEST, cache, table};
use crate::modules;
use crate::python::Native;

/// A frame.
#[derive(Clone, Copy, Default)]
struct Met {
    frame: Frame,
    /// Hash of the return addresses from here outwards.
    hash: u64,
}

/// What was read to leave a frame: two stack slots and what they held. Where only one was read, it stands here twice.
#[derive(Clone, Copy, Default)]
struct Exit {
    return_slot: u64,
    returned: u64,
    fp_slot: u64,
    fp: u64,
}

/// A thread's last stack, and room for the next.
pub struct Trace {
    stack: Extent,
    /// Outermost first: a new leaf goes to the end.
    met: Box<[Met; DEEPEST]>,
    /// How each of `met` was left.
    exits: Box<[Exit; DEEPEST]>,
    depth: usize,
    /// Innermost first.
    fresh: Box<[Frame; DEEPEST]>,
    fresh_exits: Box<[Exit; DEEPEST]>,
    generation: u32,
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

impl Trace {
    /// Of the calling thread, whose stack lies at `bounds`.
    pub fn new(bounds: (u64, u64)) -> Self {
        let stack = Extent {
            low: bounds.0,
            high: bounds.1,
        };
        Self {
            stack,
            met: on_heap(),
            exits: on_heap(),
            depth: 0,
            fresh: on_heap(),
            fresh_exits: on_heap(),
            generation: 0,
        }
    }

    /// The stack from `leaf` outwards, without the innermost frames inside `own`, the shim's code. `generation` counts unloadings.
    #[inline]
    pub fn capture(&mut self, leaf: Frame, own: (u64, u64), generation: u32) -> Stack<'_> {
        if self.generation != generation {
            self.depth = 0;
            self.generation = generation;
        }
        if leaf.sp < self.stack.low || leaf.sp >= self.stack.high {
            return slow(own);
        }
        let (count, stop) = self.walk(leaf, own);
        match stop {
            Stop::Same(kept) if kept + count > DEEPEST => {
                self.depth = 0; // Walk it all, so that equal deep stacks are cut at the same frame.
                let (count, _) = self.walk(leaf, own);
                self.keep(0, count, true)
            }
            Stop::Same(kept) => self.keep(kept, count, false),
            Stop::Outermost => self.keep(0, count, false),
            Stop::TooDeep => self.keep(0, count, true),
            Stop::Beyond => slow(own),
        }
    }

    /// Whether `address` lies on the thread's own stack.
    #[inline(always)]
    pub fn is_on_stack(&self, address: u64) -> bool {
        (self.stack.low..self.stack.high).contains(&address)
    }

    #[inline]
    fn walk(&mut self, leaf: Frame, own: (u64, u64)) -> (usize, Stop) {
        let mut meets = self.unchanged(leaf.sp);
        let mut frame = leaf;
        let mut count = 0;
        loop {
            if count > 0 || frame.pc.wrapping_sub(own.0) >= own.1 - own.0 {
                // The last stack's frames, from its leaf outwards, are at falling indices and rising addresses.
                while meets > 0 && self.met[meets - 1].frame.sp < frame.sp {
                    meets -= 1;
                }
                if meets > 0 && self.met[meets - 1].frame == frame {
                    return (count, Stop::Same(meets));
                }
                if count == DEEPEST {
                    return (count, Stop::TooDeep);
                }
                self.fresh[count] = frame;
                count += 1;
            }
            match self.stack.step(&mut frame) {
                Some(exit) => self.fresh_exits[count.saturating_sub(1)] = exit,
                None if frame.pc == 0 => return (count, Stop::Outermost),
                None => return (count, Stop::Beyond),
            }
        }
    }

    /// Puts the `count` fresh frames behind the `kept` outer ones. A stack that was cut is not walked on from next time.
    #[inline]
    fn keep(&mut self, kept: usize, count: usize, is_cut: bool) -> Stack<'_> {
        let mut hash = if kept == 0 {
            0
        } else {
            self.met[kept - 1].hash
        };
        for (index, new) in (0..count).rev().enumerate() {
            hash = mix(hash, self.fresh[new].pc);
            self.met[kept + index] = Met {
                frame: self.fresh[new],
                hash,
            };
            self.exits[kept + index] = self.fresh_exits[new];
        }
        self.depth = if is_cut { 0 } else { kept + count };
        Stack {
            hash,
            met: &self.met[..kept + count],
            other: Vec::new(),
        }
    }

    /// How many of the last stack's outer frames still lie above `sp` with all that they read unchanged.
    #[inline]
    fn unchanged(&self, sp: u64) -> usize {
        let outermost = usize::from(self.depth > 0 && self.met[0].frame.sp >= sp);
        let exits = &self.exits[outermost..self.depth.max(outermost)];
        let same = exits
            .iter()
            .take_while(|exit| exit.return_slot.min(exit.fp_slot) >= sp && exit.is_unchanged());
        outermost + same.count()
    }
}

/// An array that never stood on the stack, which may be a thread's of 16 KiB.
fn on_heap<T: Copy + Default>() -> Box<[T; DEEPEST]> {
    let list: Box<[T]> = vec![T::default(); DEEPEST].into_boxed_slice();
    list.try_into()
        .unwrap_or_else(|_| unreachable!("it has DEEPEST elements"))
}

impl Exit {
    #[inline(always)]
    fn is_unchanged(&self) -> bool {
        let returned = word(self.return_slot);
        let fp = word(self.fp_slot);
        (returned ^ self.returned) | (fp ^ self.fp) == 0
    }
}

/// Where a thread's stack lies; empty when that is not known.
#[derive(Clone, Copy)]
struct Extent {
    low: u64,
    high: u64,
}

impl Extent {
    /// Moves `frame` to its caller and tells what it read. `None` with `pc` 0 at the outermost frame, `None` otherwise when there is
    /// no rule.
    #[inline]
    fn step(&self, frame: &mut Frame) -> Option<Exit> {
        let rule = match cache::get(frame.pc) {
            Some(rule) => rule,
            None => learn(frame.pc),
        };
        match rule {
            Rule::Step {
                from_fp,
                reach,
                saved,
            } => {
                let sp =
                    (if from_fp { frame.fp } else { frame.sp }).wrapping_add(8 * u64::from(reach));
                if sp <= frame.sp {
                    return None;
                }
                let saved_slot = sp.wrapping_sub(8 * u64::from(saved));
                let return_slot = return_slot(sp, saved_slot);
                let returned = self.load(return_slot)?;
                let (fp_slot, fp) = if saved == 0 {
                    (return_slot, returned)
                } else {
                    (saved_slot, self.load(saved_slot)?)
                };
                *frame = Frame {
                    pc: returned & CODE,
                    sp,
                    fp: if saved == 0 { frame.fp } else { fp },
                };
                (frame.pc != 0).then_some(Exit {
                    return_slot,
                    returned,
                    fp_slot,
                    fp,
                })
            }
            Rule::End => {
                frame.pc = 0;
                None
            }
            Rule::Beyond => None,
        }
    }

    /// A word of the stack; `None` outside of it.
    #[inline(always)]
    fn load(&self, address: u64) -> Option<u64> {
        if address < self.low || address >= self.high.saturating_sub(7) || address & 7 != 0 {
            return None;
        }
        Some(word(address))
    }
}

/// A word of the calling thread's stack: an address that [`Extent::load`] has let pass, now or for the last stack.
#[inline(always)]
fn word(address: u64) -> u64 {
    // SAFETY: aligned, and in the calling thread's own stack, which libc says is mapped as long as the thread runs. Other threads may
    // write there; the load is volatile, and the value is only compared, or looked up as an address of code.
    unsafe { (address as *const u64).read_volatile() }
}

/// Return addresses on aarch64 may carry a signature in their upper bits.
const CODE: u64 = if cfg!(target_arch = "aarch64") {
    (1 << 48) - 1
} else {
    u64::MAX
};

#[inline(always)]
fn return_slot(caller_sp: u64, saved_slot: u64) -> u64 {
    if cfg!(target_arch = "x86_64") {
        caller_sp.wrapping_sub(8)
    } else {
        saved_slot.wrapping_add(8)
    }
}

#[inline(always)]
fn mix(hash: u64, pc: u64) -> u64 {
    (hash.rotate_left(5) ^ pc).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// Looks a rule up the slow way, once for each address.
#[cold]
fn learn(pc: u64) -> Rule {
    // A return address may lie behind its function's last byte; the call before it does not.
    let call = pc.wrapping_sub(1);
    let rule = modules::at(call).map_or(Rule::Beyond, |module| table::rule(&module, call));
    cache::put(pc, rule);
    rule
}

/// The walk of the `backtrace` crate, which can follow whatever `.eh_frame` says.
#[cold]
fn slow(own: (u64, u64)) -> Stack<'static> {
    let mut other: Vec<u64> = Vec::with_capacity(64);
    // SAFETY: "unsynchronized" is about the crate's symbol tables on other platforms; walking one's own stack shares nothing here.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            let pc = frame.ip() as u64;
            if !other.is_empty() || !(own.0..own.1).contains(&pc) {
                other.push(pc);
            }
            other.len() < DEEPEST
        });
    }
    let hash = other.iter().rev().fold(0, |hash, &pc| mix(hash, pc));
    Stack {
        hash,
        met: &[],
        other,
    }
}
