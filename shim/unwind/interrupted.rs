//! Walks the stack that a signal has interrupted anywhere: at the first instruction of a function, at an address that is no code, with a
//! full stack. Runs in the signal's handler.

use crate::CodeMap;
use crate::alt_stack::{interrupted_frame, readable_end, walk_frame_records};
use crate::frame::{Frame, NativeFrame};
use crate::step::{CODE, StackRange, Step};

/// Added to the address of an instruction, so that it is found like the call before a return address.
pub const PAST_INSTRUCTION: u64 = if cfg!(target_arch = "aarch64") { 4 } else { 1 };

/// A full stack ends this far below its lowest address: the guard is part of no thread's bounds, and a frame may jump over it.
const BELOW: u64 = 1 << 20;

/// Whether a fault at `address` is one of a full stack: the stack `home`, of which `sp` is at the end.
pub fn is_overflow(address: u64, sp: u64, home: (u64, u64)) -> bool {
    const NEAR: u64 = 1 << 16;
    let is_at_end = |at: u64| home.0.saturating_sub(BELOW) <= at && at < home.0 + NEAR;
    home.0 != 0 && is_at_end(sp) && is_at_end(address) && address < sp.saturating_add(NEAR)
}

/// The frames, innermost first, at most `most`, and whether they reach the outermost one. `registers`: program counter, stack pointer, frame
/// pointer, link register. `home` is the thread's own stack, empty if unknown.
pub fn walk<C: CodeMap>(
    [pc, sp, fp, link]: [u64; 4],
    home: (u64, u64),
    most: usize,
) -> (Vec<NativeFrame>, bool) {
    let is_home = (home.0.saturating_sub(BELOW)..home.1).contains(&sp);
    let home = StackRange::new(home);
    let mut extent = match is_home {
        true => home,
        false => StackRange::new((sp, readable_end(sp))),
    };
    let mut frame = Frame {
        pc: pc.wrapping_add(PAST_INSTRUCTION),
        sp,
        fp,
    };
    let mut frames = vec![NativeFrame { pc: frame.pc, sp }];
    let is_code = |pc: u64| home.is_code::<C>(pc.wrapping_sub(1));
    let returns_by_link = |frame: Frame| Frame {
        pc: link & CODE,
        ..frame
    };
    if !is_code(frame.pc) {
        // Called, and nothing is saved yet.
        frame = match cfg!(target_arch = "aarch64") {
            true => returns_by_link(frame),
            false => Frame {
                pc: extent.word(sp).unwrap_or(0),
                sp: sp.wrapping_add(8),
                fp,
            },
        };
        if !is_code(frame.pc) {
            return (frames, false);
        }
        frames.push(NativeFrame {
            pc: frame.pc,
            sp: frame.sp,
        });
    }
    while frames.len() < most {
        match extent.step::<C>(&mut frame) {
            Step::Caller(_) => {}
            Step::End => return (frames, true),
            Step::NeedsFallback => {
                let is_leaf = cfg!(target_arch = "aarch64") && frames.len() == 1;
                let next = match interrupted_frame::<C>(&extent, &frame) {
                    Some(before) => {
                        if home.has(before.sp) {
                            extent = home;
                        }
                        Some(before)
                    }
                    None if is_leaf && is_code(link & CODE) => Some(returns_by_link(frame)),
                    None => None,
                };
                match next {
                    Some(next) if next != frame => frame = next,
                    _ if cfg!(target_arch = "aarch64") => {
                        let mut outer = Vec::new();
                        let is_there = |call| home.is_code::<C>(call);
                        let left = most - frames.len();
                        walk_frame_records(&extent, frame, is_there, &mut outer, left);
                        frames.extend(outer.into_iter().map(|pc| NativeFrame { pc, sp: 0 }));
                        return (frames, false);
                    }
                    _ => return (frames, false),
                }
            }
        }
        frames.push(NativeFrame {
            pc: frame.pc,
            sp: frame.sp,
        });
    }
    (frames, true)
}

/// As [`walk`], by the `backtrace` crate, from the handler outwards; it checks nothing that it reads. Empty if it does not come to the
/// interrupted frame.
pub fn walk_unchecked(pc: u64, most: usize) -> Vec<NativeFrame> {
    let mut frames: Vec<NativeFrame> = Vec::with_capacity(most);
    // SAFETY: "unsynchronized" is about the crate's symbol tables on other platforms; walking one's own stack shares nothing here. Should
    // it read where nothing is, the handler is entered again, which ends the walk.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            let at = frame.ip() as u64;
            if frames.is_empty() && at == pc {
                frames.push(NativeFrame {
                    pc: pc + PAST_INSTRUCTION,
                    sp: 0,
                });
            } else if !frames.is_empty() && at != 0 {
                frames.push(NativeFrame { pc: at, sp: 0 });
            }
            frames.len() < most
        });
    }
    frames
}
