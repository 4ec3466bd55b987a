//! The bounds of one stack, and a single step of a walk over it.

use crate::frame::Frame;
use crate::modules::Module;
use crate::rule::{PackedRule, UnwindRule};
use crate::{CodeMap, big_stack, eh_frame, rule_cache};

/// A word of the stack that a step read, and what it held. The address is 0 if it read none.
#[derive(Clone, Copy, Default)]
pub struct Slot {
    pub address: u64,
    pub word: u64,
}

/// What a step reads.
pub struct Slots {
    /// The return address.
    pub returned: Slot,
    /// The caller's `fp`, if the frame saved it.
    pub fp: Slot,
}

impl Slot {
    /// 0 if it holds the same word.
    #[inline(always)]
    pub fn difference(&self) -> u64 {
        word(self.address) ^ self.word
    }

    /// Whether it is at or above `sp` and holds the same word.
    #[inline(always)]
    pub fn is_unchanged_above(&self, sp: u64) -> bool {
        self.address >= sp && self.difference() == 0
    }
}

impl Slots {
    /// What a step to `caller` read, by `rule` as [`Step::Caller`] has it.
    #[inline(always)]
    pub fn of(rule: PackedRule, caller: &Frame) -> Self {
        let (_, _, fp_offset, ra_offset) = rule.ordinary_offsets();
        let returned = Slot {
            address: caller.sp.wrapping_sub(ra_offset),
            word: caller.pc | rule.0 & !CODE,
        };
        let fp = match fp_offset {
            0 => Slot::default(),
            fp_offset => Slot {
                address: caller.sp.wrapping_sub(fp_offset),
                word: caller.fp,
            },
        };
        Self { returned, fp }
    }
}

/// The bounds of a stack; empty if unknown.
#[derive(Clone, Copy)]
pub struct StackRange {
    /// First address that a word can have.
    low: u64,
    /// Number of words.
    words: u64,
}

/// The result of a step.
pub enum Step {
    /// Reached the caller, by this rule. Above it, the bits of the return address that [`CODE`] leaves out.
    Caller(PackedRule),
    /// The frame was the outermost.
    End,
    /// There is no rule; only the fallback can continue.
    NeedsFallback,
}

impl StackRange {
    /// From the first of `bounds` up to the second.
    pub fn new((low, high): (u64, u64)) -> Self {
        let low = low.saturating_add(7) & !7;
        Self {
            low,
            words: high.saturating_sub(low) / 8,
        }
    }

    /// Whether `address` is in the stack.
    #[inline(always)]
    pub fn has(&self, address: u64) -> bool {
        address.wrapping_sub(self.low) < self.words * 8
    }

    /// The stack pointer of the caller of `frame`, by its rule alone. Reads no memory: the frame may be gone, and its words overwritten.
    pub fn caller_sp<C: CodeMap>(&self, frame: Frame) -> Option<u64> {
        let rule = rule_cache::get(frame.pc).unwrap_or_else(|| self.lookup_rule::<C>(frame.pc));
        let (from_fp, cfa_offset, ..) = rule.offsets()?;
        let base = if from_fp { frame.fp } else { frame.sp };
        let sp = base.wrapping_add(cfa_offset);
        (sp > frame.sp && self.has(sp.wrapping_sub(8))).then_some(sp)
    }

    /// Moves `frame` to its caller.
    #[inline(always)]
    pub fn step<C: CodeMap>(&self, frame: &mut Frame) -> Step {
        let rule = rule_cache::get(frame.pc).unwrap_or_else(|| self.lookup_rule::<C>(frame.pc));
        let Some((from_fp, cfa_offset, fp_offset, ra_offset)) = rule.offsets() else {
            return match rule.unpack() {
                UnwindRule::End => Step::End,
                _ => Step::NeedsFallback,
            };
        };
        let base = if from_fp { frame.fp } else { frame.sp };
        let sp = base.wrapping_add(cfa_offset);
        let saved_slot = sp.wrapping_sub(fp_offset);
        let return_slot = sp.wrapping_sub(ra_offset);
        if sp <= frame.sp || !self.holds(return_slot) {
            return Step::NeedsFallback;
        }
        let returned = word(return_slot);
        let mut fp = frame.fp;
        if fp_offset != 0 {
            if !self.holds(saved_slot) {
                return Step::NeedsFallback;
            }
            fp = word(saved_slot);
        }
        let pc = returned & CODE;
        if pc == 0 {
            return Step::End;
        }
        *frame = Frame { pc, sp, fp };
        Step::Caller(PackedRule(rule.0 & CODE | returned & !CODE))
    }

    /// Reads a word of the stack, if `address` is one.
    pub fn word(&self, address: u64) -> Option<u64> {
        self.holds(address).then(|| word(address))
    }

    /// Reads what a running function saved: its return address, if that is on the stack, and `fp`, from the same frame.
    #[inline(always)]
    pub fn saved_pair(&self, return_slot: u64, fp_slot: Option<u64>) -> Option<(u64, Option<u64>)> {
        self.holds(return_slot)
            .then(|| (word(return_slot), fp_slot.map(word)))
    }

    /// Whether `address` is a word of the stack.
    #[inline(always)]
    fn holds(&self, address: u64) -> bool {
        // Rotating makes a misaligned address a huge number, so one comparison checks both alignment and range.
        address.wrapping_sub(self.low).rotate_right(3) < self.words
    }

    /// Start and end.
    fn bounds(&self) -> (u64, u64) {
        (self.low, self.low + self.words * 8)
    }

    /// Which registers the frame at `pc` saved, and where, in bytes from its caller's stack pointer.
    pub fn saved<C: CodeMap>(&self, pc: u64) -> Vec<(u16, i64)> {
        self.at_call_site::<C, _>(pc, eh_frame::saved)
            .unwrap_or_default()
    }

    /// Whether there is code at `address`.
    pub fn is_code<C: CodeMap>(&self, address: u64) -> bool {
        big_stack::run_on_big_stack(self.bounds(), || C::module_at(address).is_some())
    }

    /// Computes a rule from the unwind table and caches it.
    #[cold]
    fn lookup_rule<C: CodeMap>(&self, pc: u64) -> PackedRule {
        let rule = self.at_call_site::<C, _>(pc, eh_frame::rule);
        let rule = rule.unwrap_or(UnwindRule::Unsupported);
        rule_cache::put(pc, rule);
        rule.pack()
    }

    /// Asks the unwind table of its module about the call that returns to `pc`; `None` if no module is known. The
    /// lookup uses the return address minus one: a return address may be past the end of its function, the call before
    /// it is not. Needs much stack, and switches to a larger one where this one is small.
    #[inline(never)]
    fn at_call_site<C: CodeMap, T>(
        &self,
        pc: u64,
        ask: impl FnOnce(&Module, u64) -> T,
    ) -> Option<T> {
        let call = pc.wrapping_sub(1);
        big_stack::run_on_big_stack(self.bounds(), || {
            C::module_at(call).map(|module| ask(&module, call))
        })
    }
}

/// Reads a word at an address that [`StackRange::holds`] has accepted, now or for a stack that is remembered, or a word of our own.
#[inline(always)]
pub fn word(address: u64) -> u64 {
    // SAFETY: aligned, and in the calling thread's own stack, which libc says is mapped as long as the thread runs, or
    // in the frame of a function that is running there, or in the stack that it runs on and that the kernel has just
    // proved readable. Other threads may write there; the
    // load is volatile, and the value is only compared or looked up as a code address.
    unsafe { (address as *const u64).read_volatile() }
}

/// Return addresses on aarch64 may carry a signature in their upper bits.
pub const CODE: u64 = if cfg!(target_arch = "aarch64") {
    (1 << 48) - 1
} else {
    u64::MAX
};
