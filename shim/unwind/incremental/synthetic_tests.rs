//! Handmade stacks in memory that is never cleared. Old contents stay between the slots, ready to be mistaken for
//! current ones.

use super::{ExitRule, frame_hash};
use crate::frame::Frame;
use crate::rule::UnwindRule;
use crate::rule_cache;
use crate::testing::Trace;

const WORDS: usize = 4096;
/// Call sites in one function.
const PLACES: u64 = 3;
/// Kinds of frames: whether the CFA is computed from `fp`, words, and words below the CFA where `fp` is saved. Kinds 3
/// and 4 differ only in the last; kind 5 saves nothing.
const KINDS: [(bool, u64, u64); 6] = [
    (false, 3, 0),
    (false, 6, 0),
    (true, 2, 2),
    (false, 4, 2),
    (false, 4, 3),
    (false, 4, 0),
];
/// There is no code here.
const CODE: u64 = 0x1d_0000_0000;

fn pc(kind: usize, place: u64) -> u64 {
    CODE + kind as u64 * 0x100 + place * 0x10
}

/// A frame: its kind, its call site, and the data in `fp` if no frame needs that.
#[derive(Clone, Copy)]
struct FakeFrame {
    kind: usize,
    place: u64,
    data: u64,
}

struct Stacks {
    memory: Vec<u64>,
    frames: Vec<FakeFrame>,
    earlier: Vec<Vec<FakeFrame>>,
    random: u64,
}

impl Stacks {
    fn bounds(&self) -> (u64, u64) {
        let low = self.memory.as_ptr() as u64;
        (low, low + 8 * WORDS as u64)
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 20) % below
    }

    fn frame(&mut self) -> FakeFrame {
        FakeFrame {
            kind: self.draw(KINDS.len() as u64) as usize,
            place: self.draw(PLACES),
            data: self.draw(2),
        }
    }

    /// Returns from some frames and calls others, or keeps all frames but one, which gets another call site, other
    /// data, or another kind. Or goes back to an earlier stack, and sometimes changes that.
    fn change(&mut self) {
        match self.draw(64) {
            0 if self.earlier.len() < 32 => self.earlier.push(self.frames.clone()),
            0 => {
                let at = self.draw(32) as usize;
                self.earlier[at] = self.frames.clone();
            }
            1..24 if !self.earlier.is_empty() => {
                let at = self.draw(self.earlier.len() as u64) as usize;
                self.frames = self.earlier[at].clone();
                if self.draw(2) == 0 {
                    return;
                }
            }
            _ => {}
        }
        let at = self.draw(self.frames.len() as u64) as usize;
        let walked = self.frame();
        match self.draw(6) {
            0 => {
                self.frames.truncate(at.max(1));
                for _ in 0..self.draw(5) {
                    let frame = self.frame();
                    self.frames.push(frame);
                }
            }
            1 => self.frames[at] = walked,
            2 => self.frames[at].data = walked.data,
            _ => self.frames[at].place = walked.place,
        }
        self.frames.truncate(40);
    }

    /// Writes the slots of all frames and nothing else. Returns the innermost frame, and all of them, innermost first.
    fn lay(&mut self) -> (Frame, Vec<(u64, u64)>) {
        let (low, high) = self.bounds();
        let mut caller = Frame {
            pc: CODE + 0x1000,
            sp: high - 64,
            fp: 0,
        };
        let mut expected = vec![(caller.pc, caller.sp)];
        for &FakeFrame { kind, place, data } in &self.frames {
            let (from_fp, reach, saved) = KINDS[kind];
            let slot = |below: u64| ((caller.sp - 8 * below - low) / 8) as usize;
            self.memory[slot(1)] = caller.pc;
            let found = caller.sp - 8 * reach;
            let fp = match (saved, from_fp) {
                (0, _) => caller.fp,
                (_, true) => found,
                (_, false) => data,
            };
            if saved > 0 {
                self.memory[slot(saved)] = caller.fp;
            }
            let sp = if from_fp {
                found - 8 * (2 * data + 1)
            } else {
                found
            };
            caller = Frame {
                pc: pc(kind, place),
                sp,
                fp,
            };
            expected.push((caller.pc, caller.sp));
        }
        expected.reverse();
        (caller, expected)
    }
}

#[test]
fn what_stood_on_the_stack_before_is_never_mistaken_for_what_stands_there() {
    for (kind, &(from_fp, reach, saved)) in KINDS.iter().enumerate() {
        for place in 0..PLACES {
            rule_cache::put(
                pc(kind, place),
                UnwindRule::offset(from_fp, reach, saved, 1),
            );
        }
    }
    rule_cache::put(CODE + 0x1000, UnwindRule::End);
    let mut stacks = Stacks {
        memory: vec![0; WORDS],
        frames: Vec::new(),
        earlier: Vec::new(),
        random: 0x2545_f491_4f6c_dd1d,
    };
    let first = stacks.frame();
    stacks.frames.push(first);
    let mut remembering = Trace::new(stacks.bounds());
    let (mut resumed, mut moved, mut recalled) = (0, 0, 0);
    for round in 0..200_000 {
        stacks.change();
        let (leaf, expected) = stacks.lay();
        let is_last = remembering.matches_last(leaf);
        let is_moved = !is_last && remembering.matches_last_moved(leaf);
        resumed += usize::from(is_last);
        moved += usize::from(is_moved);
        if is_last || is_moved {
            let known = remembering.cached[..remembering.depth].iter().rev();
            let known = known.map(|known| (known.frame.pc, known.frame.sp));
            assert!(known.eq(expected.iter().copied()), "round {round}");
        }
        let earlier = remembering.recall(&leaf).map(|stack| stack.hash);
        let stack = remembering.capture(&leaf, || (0, 0), 0, &ExitRule::unknown());
        assert!(
            earlier.is_none_or(|hash| hash == stack.hash),
            "round {round}"
        );
        recalled += usize::from(earlier.is_some());
        let frames = remembering.frames(stack);
        let found = frames.iter().map(|frame| (frame.pc, frame.sp));
        assert!(
            found.eq(expected),
            "round {round}: {:?}",
            stacks.frames.len()
        );
        let terms = frames.iter().rev().enumerate();
        let sum = terms.fold(0u64, |sum, (at, frame)| {
            sum.wrapping_add(frame_hash(at, frame.pc))
        });
        assert_eq!(stack.hash, sum, "round {round}");
    }
    assert!(recalled > 10_000, "{recalled} were remembered");
    assert!(resumed > 50_000, "{resumed} were the last but for places");
    assert!(
        moved > 1_000,
        "{moved} were the last but for the innermost frame"
    );
}
