//! From a hook's frame to the program's: out of the shim's code.

use super::{ExitRule, Trace};
use crate::CodeMap;
use crate::frame::Frame;
use crate::step::{StackRange, Step};

impl<C: CodeMap> Trace<C> {
    /// Program counter of the innermost frame outside `own`; 0 if only the fallback could find it.
    #[inline]
    pub fn nearest(&self, leaf: Frame, own: (u64, u64), exit: &ExitRule) -> u64 {
        self.outside(&leaf, own, exit).map_or(0, |frame| frame.pc)
    }

    /// The innermost frame outside `own`; `None` if only the fallback could find it.
    #[inline(always)]
    pub(super) fn outside(&self, leaf: &Frame, own: (u64, u64), exit: &ExitRule) -> Option<Frame> {
        let known = exit.leave(leaf, &self.stack);
        known.or_else(|| self.outside_anew(leaf, own, exit))
    }

    #[cold]
    #[inline(never)]
    fn outside_anew(&self, leaf: &Frame, own: (u64, u64), exit: &ExitRule) -> Option<Frame> {
        let (mut frame, mut steps) = (*leaf, 0);
        while (own.0..own.1).contains(&frame.pc) {
            let Step::Caller(_) = self.stack.step::<C>(&mut frame) else {
                return None;
            };
            steps += 1;
        }
        if steps == 1 {
            exit.put(leaf.pc);
        }
        Some(frame)
    }

    /// The stack pointer of the innermost frame outside `own`, and the words where frames inside `own` saved registers,
    /// some of them its own. `None` if only the fallback could find it.
    pub fn left(&self, leaf: Frame, own: (u64, u64)) -> Option<(u64, Vec<u64>)> {
        let (mut frame, mut words) = (leaf, Vec::new());
        while (own.0..own.1).contains(&frame.pc) {
            let saved = self.stack.saved::<C>(frame.pc);
            let Step::Caller(_) = self.stack.step::<C>(&mut frame) else {
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
}
