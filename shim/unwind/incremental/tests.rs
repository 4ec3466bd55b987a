//! Remembering the last stack must not change the result.

use super::{ExitRule, MAX_DEPTH, UNCACHED, fallback};
use crate::frame::NativeFrame;
use crate::registers;
use crate::testing::Trace;
use std::hint::black_box;

/// A trace that remembers, and one that is made to forget each time.
struct Pair(Trace, Trace, usize);

impl Pair {
    #[inline(never)]
    fn compare(&mut self) {
        let leaf = registers::here();
        self.1.forget();
        let exit = ExitRule::unknown();
        let whole = self.1.capture(&leaf, || (0, 0), 0, &exit);
        let frames = self.1.frames(whole);
        let again = self.0.capture(&leaf, || (0, 0), 0, &exit);
        assert_eq!(again.hash, whole.hash);
        let same = self.0.frames(again);
        let mut pairs = same.iter().zip(&frames);
        assert!(pairs.all(|(a, b)| (a.pc, a.sp) == (b.pc, b.sp)));
        assert_eq!(same.len(), frames.len());
        self.2 += usize::from(again.depth != UNCACHED);
        if self.2.is_multiple_of(16) && frames.len() < MAX_DEPTH {
            // The frames outside this function, as libgcc unwinds them.
            let outer: Vec<u64> = frames[1..].iter().map(|frame| frame.pc).collect();
            let unwound = fallback::unwind((0, 0));
            assert!(unwound.ends_with(&outer), "{outer:x?} {unwound:x?}");
        }
    }

    /// Recurses in one of four ways: with frames of different sizes, or from one of two call sites of the same
    /// function.
    #[inline(never)]
    fn descend(&mut self, left: u32, way: u64) {
        match (left, way & 3) {
            (0, _) => self.compare(),
            (_, 0) => self.large(left - 1, way >> 2),
            (_, 1) => {
                self.descend(left - 1, way >> 2);
                black_box(way);
            }
            (_, _) => {
                self.descend(left - 1, way >> 2);
                black_box(left);
            }
        }
        black_box(self.2);
    }

    #[inline(never)]
    fn large(&mut self, left: u32, way: u64) {
        let room = black_box([way; 37]);
        self.descend(left, way);
        black_box(room);
    }
}

fn pair() -> Pair {
    let new = || Trace::new(registers::stack_bounds());
    Pair(new(), new(), 0)
}

#[test]
fn what_is_remembered_never_changes_what_is_found() {
    let (mut pair, mut random) = (pair(), 0x2545_f491_4f6c_dd1du64);
    for _ in 0..20_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Most stacks differ from the last in a few frames only; some are entirely different.
        let way = if random & 7 == 0 {
            random
        } else {
            random & 0x3ffc_0000
        };
        pair.descend((random >> 60) as u32 % 12, way);
    }
    assert_eq!(pair.2, 20_000, "none was walked by the fallback");
}

#[test]
fn stacks_too_deep_to_record_are_cut_at_the_same_frame() {
    let mut pair = pair();
    for depth in [250, 300, 300, 250, 256, 400, 20, 300] {
        pair.descend(depth, u64::MAX);
    }
    assert_eq!(pair.2, 8);
}

#[test]
fn a_frame_too_large_for_a_rule_changes_nothing_about_the_frames_around_it() {
    #[inline(never)]
    fn frames(trace: &mut Trace) -> (Vec<u64>, bool) {
        let stack = trace.capture(&registers::here(), || (0, 0), 0, &ExitRule::unknown());
        let frames = trace.frames(stack).iter().map(|frame| frame.pc).collect();
        (frames, stack.depth != UNCACHED)
    }
    #[inline(never)]
    fn behind_100_kb(trace: &mut Trace) -> (Vec<u64>, bool) {
        let room = black_box([1u8; 100_000]);
        let frames = frames(trace);
        black_box(room);
        frames
    }
    let mut trace = Trace::new(registers::stack_bounds());
    let (fast, is_fast) = frames(&mut trace);
    let (fallback, is_also) = behind_100_kb(&mut trace);
    assert!(is_fast && !is_also);
    // Outside this function, which calls from two places, both are the same.
    assert!(fallback.ends_with(&fast[2..]), "{fast:x?} {fallback:x?}");
}

#[test]
fn a_known_exit_rule_leads_to_the_same_caller() {
    static EXIT: ExitRule = ExitRule::unknown();
    #[inline(never)]
    fn hook(trace: &mut Trace, other: u64) -> [Vec<NativeFrame>; 2] {
        let leaf = registers::here();
        let own = (leaf.pc, leaf.pc + 1);
        let found = [&EXIT, &ExitRule::unknown()].map(|exit| {
            let stack = trace.capture(&leaf, || own, 0, exit);
            trace.frames(stack)
        });
        black_box(other);
        found
    }
    let mut trace = Trace::new(registers::stack_bounds());
    for round in 0..4 {
        let [known, unknown] = hook(&mut trace, round);
        let pairs = |frames: Vec<NativeFrame>| -> Vec<(u64, u64)> {
            frames.iter().map(|frame| (frame.pc, frame.sp)).collect()
        };
        assert_eq!(pairs(known), pairs(unknown), "{round}");
    }
}
