//! The bounds of one stack, and a single step of a walk over it.

use crate::frame::Frame;
use crate::modules::Module;
use crate::rule::{PackedRule, UnwindRule};
use crate::{CodeMap, big_stack, eh_frame, rule_cache};

/// The slot with a frame's return address, and what it held.
#[derive(Clone, Copy, Default)]
pub struct ReturnSlot {
    pub slot: u64,
    pub returned: u64,
}

/// The slot where a frame saved `fp`, what it held, and how the frame is left. The slot is 0 if the frame did not save it.
#[derive(Clone, Copy, Default)]
pub struct FpSlot {
    slot: u64,
    fp: u64,
    /// The rule of the step.
    rule: PackedRule,
    /// All ones if the caller's `fp` is live, i.e. used to find an outer frame.
    pub caller_fp_live: u64,
}

/// What a step read.
#[derive(Clone, Copy, Default)]
pub struct SavedSlots {
    pub return_slot: ReturnSlot,
    pub fp_slot: FpSlot,
}

impl ReturnSlot {
    /// 0 if it holds the same address.
    #[inline(always)]
    pub fn difference(&self) -> u64 {
        word(self.slot) ^ self.returned
    }

    /// What it holds now, and the address in that.
    #[inline(always)]
    pub fn read(&self) -> (u64, u64) {
        let returned = word(self.slot);
        (returned, returned & CODE)
    }
}

impl FpSlot {
    /// Whether it still holds the same value. Only for a frame that saved `fp`.
    #[inline(always)]
    pub fn is_unchanged(&self) -> bool {
        word(self.slot) == self.fp
    }

    /// As [`Self::is_unchanged`]; `false` if it is below `sp`.
    #[inline(always)]
    pub fn is_unchanged_above(&self, sp: u64) -> bool {
        self.slot >= sp && self.is_unchanged()
    }

    /// The slot and what it held, to be compared like a return address. Only for a frame that saved `fp`.
    pub fn saved(&self) -> ReturnSlot {
        ReturnSlot {
            slot: self.slot,
            returned: self.fp,
        }
    }

    /// Whether it must be compared.
    #[inline(always)]
    pub fn is_checked(&self) -> bool {
        self.caller_fp_live != 0 && !self.keeps_fp()
    }

    /// Whether the frame would be left by the same rule if it were at `pc`; `false` also if that rule is not cached.
    #[inline(always)]
    pub fn is_left_likewise(&self, pc: u64) -> bool {
        rule_cache::get(pc).is_some_and(|rule| rule.is_same(self.rule))
    }

    /// Whether the frame did not save `fp`.
    #[inline(always)]
    pub fn keeps_fp(&self) -> bool {
        self.slot == 0
    }

    /// Whether the frame's CFA was computed from its `fp`.
    #[inline(always)]
    pub fn is_by_fp(&self) -> bool {
        self.rule.is_from_fp() != 0
    }

    /// All ones if the frame's own `fp` is live.
    #[inline(always)]
    pub fn fp_live(&self) -> u64 {
        self.rule.is_from_fp()
            | if self.keeps_fp() {
                self.caller_fp_live
            } else {
                0
            }
    }

    /// Whether `frame`, whose caller's stack pointer is said to be `sp`, reads this slot and `return_slot` when it is left. If so, takes over its
    /// rule. Reads no memory; `false` if no rule is cached.
    #[inline(always)]
    pub fn moves_to(&mut self, frame: &Frame, sp: u64, return_slot: ReturnSlot) -> bool {
        let Some(rule) = rule_cache::get(frame.pc) else {
            return false;
        };
        let Some((from_fp, cfa_offset, fp_offset, ra_offset)) = rule.offsets() else {
            return false;
        };
        let base = if from_fp { frame.fp } else { frame.sp };
        let fp_slot = if fp_offset != 0 {
            sp.wrapping_sub(fp_offset)
        } else {
            0
        };
        let is_same = base.wrapping_add(cfa_offset) == sp
            && frame.sp < sp
            && sp.wrapping_sub(ra_offset) == return_slot.slot
            && fp_slot == self.slot;
        if is_same {
            self.rule = rule;
        }
        is_same
    }

    /// Reads the slot again. Returns the caller's frame, whose stack pointer is `sp`; `pc` was read again from its return slot.
    #[inline(always)]
    pub fn again(&mut self, pc: u64, frame: &Frame, sp: u64) -> Frame {
        let mut fp = frame.fp;
        if !self.keeps_fp() {
            self.fp = word(self.slot);
            fp = self.fp;
        }
        Frame { pc, sp, fp }
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
    /// Reached the caller.
    Caller,
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

    /// Moves `frame` to its caller and records in `exit` what it read.
    #[inline(always)]
    pub fn step<C: CodeMap>(&self, frame: &mut Frame, exit: &mut SavedSlots) -> Step {
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
        let (mut fp_slot, mut fp) = (0, frame.fp);
        if fp_offset != 0 {
            if !self.holds(saved_slot) {
                return Step::NeedsFallback;
            }
            (fp_slot, fp) = (saved_slot, word(saved_slot));
        }
        let pc = returned & CODE;
        if pc == 0 {
            return Step::End;
        }
        *frame = Frame { pc, sp, fp };
        *exit = SavedSlots {
            return_slot: ReturnSlot {
                slot: return_slot,
                returned,
            },
            fp_slot: FpSlot {
                slot: fp_slot,
                fp,
                rule,
                caller_fp_live: u64::MAX,
            },
        };
        Step::Caller
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
