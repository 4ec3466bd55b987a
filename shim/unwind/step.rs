//! One thread's stack, and a step of the walk over it.

use crate::frame::Frame;
use crate::modules::Module;
use crate::rule::{PackedRule, UnwindRule};
use crate::{CodeMap, big_stack, eh_frame, rule_cache};

/// What was read to leave a frame: two stack slots and what they held. Where only one was read, it stands here twice.
#[derive(Clone, Copy, Default)]
pub struct SavedSlots {
    return_slot: u64,
    returned: u64,
    fp_slot: u64,
    fp: u64,
    /// The rule that the frame was left by.
    rule: PackedRule,
    /// All ones if the caller's `fp` matters.
    pub fp_live: u64,
}

impl SavedSlots {
    /// Whether the frame returns to where it did.
    #[inline(always)]
    pub fn returns_as_before(&self) -> bool {
        word(self.return_slot) == self.returned
    }

    /// Whether the frame lies below `sp`, where nothing is looked at, or returns to elsewhere.
    #[inline(always)]
    pub fn is_changed_above(&self, sp: u64) -> bool {
        let is_above = self.fp_slot >= sp; // not behind the other slot
        let slot = if is_above {
            self.return_slot
        } else {
            (&raw const self.returned).addr() as u64
        };
        !is_above | (word(slot) != self.returned)
    }

    /// Whether the slot of `fp` holds what it held.
    #[inline(always)]
    pub fn has_same_fp(&self) -> bool {
        word(self.fp_slot) == self.fp
    }

    /// Whether the slot of `fp` has to be looked at.
    #[inline(always)]
    pub fn is_fp_slot_checked(&self) -> bool {
        self.fp_live != 0 && !self.keeps_fp()
    }

    /// What the slot of the return address holds now, and the address.
    #[inline(always)]
    pub fn read_return(&self) -> (u64, u64) {
        let returned = word(self.return_slot);
        (returned, returned & CODE)
    }

    /// From now on the frame is known to return so.
    #[inline(always)]
    pub fn returns_to(&mut self, returned: u64) {
        if self.keeps_fp() {
            self.fp = returned;
        }
        self.returned = returned;
    }

    /// Whether the frame would be left the same way if it went on at `pc`; `false` also where that is not known yet.
    #[inline(always)]
    pub fn is_left_likewise(&self, pc: u64) -> bool {
        rule_cache::get(pc).is_some_and(|rule| rule.is_same(self.rule))
    }

    /// Whether the frame left `fp` as it was.
    #[inline(always)]
    pub fn keeps_fp(&self) -> bool {
        self.fp_slot == self.return_slot
    }

    /// Whether the frame was left by its `fp`.
    #[inline(always)]
    pub fn is_by_fp(&self) -> bool {
        self.rule.is_from_fp() != 0
    }

    /// All ones if the frame's own `fp` matters, where the caller's does as `fp_live` says.
    #[inline(always)]
    pub fn fp_live_in_caller_of(&self) -> u64 {
        self.rule.is_from_fp() | if self.keeps_fp() { self.fp_live } else { 0 }
    }

    /// Reads the slots anew: the caller's frame, whose stack pointer is `sp`.
    #[inline(always)]
    pub fn again(&mut self, frame: &Frame, sp: u64) -> Frame {
        self.returned = word(self.return_slot);
        self.fp = word(self.fp_slot);
        Frame {
            pc: self.returned & CODE,
            sp,
            fp: if self.keeps_fp() { frame.fp } else { self.fp },
        }
    }
}

/// Where a thread's stack lies; empty when that is not known.
#[derive(Clone, Copy)]
pub struct StackRange {
    /// First address that a word can have.
    low: u64,
    /// How many words there are.
    words: u64,
}

/// Where a step led.
pub enum Step {
    /// To the caller.
    Caller,
    /// Nowhere: the frame was the outermost.
    End,
    /// Nobody knows: there is no rule.
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

    /// Whether `address` lies there.
    #[inline(always)]
    pub fn has(&self, address: u64) -> bool {
        address.wrapping_sub(self.low) < self.words * 8
    }

    /// Moves `frame` to its caller and tells what it read.
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
        let (mut fp_slot, mut fp, mut kept) = (return_slot, returned, frame.fp);
        if fp_offset != 0 {
            if !self.holds(saved_slot) {
                return Step::NeedsFallback;
            }
            fp = word(saved_slot);
            (fp_slot, kept) = (saved_slot, fp);
        }
        let pc = returned & CODE;
        if pc == 0 {
            return Step::End;
        }
        *frame = Frame { pc, sp, fp: kept };
        *exit = SavedSlots {
            return_slot,
            returned,
            fp_slot,
            fp,
            rule,
            fp_live: u64::MAX,
        };
        Step::Caller
    }

    /// A word of the stack, if one lies there.
    pub fn word(&self, address: u64) -> Option<u64> {
        self.holds(address).then(|| word(address))
    }

    /// Whether a word of the stack lies there.
    #[inline(always)]
    fn holds(&self, address: u64) -> bool {
        // What is left of a word is no small number when it is turned to the front.
        address.wrapping_sub(self.low).rotate_right(3) < self.words
    }

    /// From where to where it lies.
    fn bounds(&self) -> (u64, u64) {
        (self.low, self.low + self.words * 8)
    }

    /// Where the frame at `pc` saved registers, in bytes from its caller's stack pointer.
    pub fn saved<C: CodeMap>(&self, pc: u64) -> Vec<i64> {
        self.at_call_site::<C, _>(pc, eh_frame::saved)
            .unwrap_or_default()
    }

    /// Whether there is code at `address`.
    pub fn is_code<C: CodeMap>(&self, address: u64) -> bool {
        big_stack::run_on_big_stack(self.bounds(), || C::module_at(address).is_some())
    }

    /// Looks a rule up the slow way, once for each address.
    #[cold]
    fn lookup_rule<C: CodeMap>(&self, pc: u64) -> PackedRule {
        let rule = self.at_call_site::<C, _>(pc, eh_frame::rule);
        let rule = rule.unwrap_or(UnwindRule::Unsupported);
        rule_cache::put(pc, rule);
        rule.pack()
    }

    /// What the unwind table of its module says of the call that returns to `pc`; `None` where no module is known. A return address may lie
    /// behind its function's last byte, the call before it does not. Takes much stack, and has it where this one is small.
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

/// A word of the calling thread's stack: an address that [`StackRange::holds`] has let pass, now or for the last stack. Or one of our own.
#[inline(always)]
fn word(address: u64) -> u64 {
    // SAFETY: aligned, and in the calling thread's own stack, which libc says is mapped as long as the thread runs, or in one that it
    // runs on and that was read a moment ago. Other threads may
    // write there; the load is volatile, and the value is only compared, or looked up as an address of code.
    unsafe { (address as *const u64).read_volatile() }
}

/// Return addresses on aarch64 may carry a signature in their upper bits.
pub const CODE: u64 = if cfg!(target_arch = "aarch64") {
    (1 << 48) - 1
} else {
    u64::MAX
};
