//! A thread's frames, innermost first.

use super::layout::{At, Entry, Layout, Top};
use super::memory::Memory;
use crate::stack::DEEPEST;

/// A step outwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A function: its code object, and how many bytes into its instructions it is.
    Frame { code: u64, at: u64 },
    /// The functions so far were one run of the eval loop, called by C code. The address, on the C stack and within the loop's own frame,
    /// is 0 where there is none.
    Entry { anchor: u64 },
}

/// Frames and entries that a walk goes through at most: a chain that goes in circles ends.
const MOST: usize = 4 * DEEPEST;

/// Tells `each` the steps from thread state `state` outwards, until it says `false` or the outermost is reached. `None` when a pointer is
/// none.
#[inline(always)]
pub fn walk(
    layout: &Layout,
    memory: &impl Memory,
    state: u64,
    mut each: impl FnMut(Step) -> bool,
) -> Option<()> {
    let mut on_stack = 0;
    let mut frame = match layout.top {
        Top::Frame(at) => memory.word(state, at)?,
        Top::OnStack { at, frame, .. } => {
            on_stack = memory.word(state, at)?;
            memory.word(on_stack, frame)?
        }
    };
    for _ in 0..MOST {
        if frame == 0 {
            return Some(());
        }
        let is_function = match layout.entry {
            Entry::Owner(at) => memory.byte(frame, at)? < 3,
            _ => true,
        };
        if is_function {
            // The lowest bits of a reference are a tag, as of 3.14.
            let code = memory.word(frame, layout.code)? & !7;
            let at = match layout.at {
                At::Index { at, unit } => {
                    i64::from(memory.half(frame, at)? as i32).wrapping_mul(unit as i64) as u64
                }
                At::Pointer { at, start } => memory
                    .word(frame, at)?
                    .wrapping_sub(code.wrapping_add(start)),
            };
            if !each(Step::Frame { code, at }) {
                return Some(());
            }
        }
        let is_entry = match layout.entry {
            Entry::Every => Some(0),
            Entry::Owner(_) => (!is_function).then_some(frame),
            Entry::Flag(at) => (memory.byte(frame, at)? != 0).then_some(on_stack),
        };
        if let Some(anchor) = is_entry {
            if !each(Step::Entry { anchor }) {
                return Some(());
            }
            if let (Entry::Flag(_), Top::OnStack { previous, .. }) = (layout.entry, layout.top) {
                on_stack = memory.word(on_stack, previous)?;
            }
        }
        frame = memory.word(frame, layout.previous)?;
    }
    Some(())
}

/// What a code object is, whatever its address: one that was freed leaves its address to others. Name and file by their hashes, which
/// strings carry, else by address; and the first line.
#[inline(always)]
pub fn identity(layout: &Layout, memory: &impl Memory, code: u64) -> Option<u64> {
    let text = |at: u64| {
        let text = memory.word(code, at)?;
        let hash = memory.word(text, HASH)?;
        Some(if hash == u64::MAX { text } else { hash })
    };
    let first_line = u64::from(memory.half(code, layout.first_line)?);
    // Hashes of strings are well spread already.
    Some(text(layout.name)?.rotate_left(23) ^ text(layout.file)? ^ first_line << 32)
}

/// Of a string: its hash, −1 while nobody asked for it.
const HASH: u64 = 24;

/// The hash of a stack with one frame more.
#[inline(always)]
pub fn mix(hash: u64, at: u64, identity: u64) -> u64 {
    (hash.rotate_left(5) ^ at.rotate_left(47) ^ identity).wrapping_mul(0x517c_c1b7_2722_0a95)
}
