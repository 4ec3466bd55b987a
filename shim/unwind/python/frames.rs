//! Walks the Python frames of a thread, innermost first.

use super::layout::{EntryFrame, Layout, Location, TopFrame};
use super::reader::Reader;
use crate::MAX_DEPTH;

/// A step outwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A function: its code object, and the offset of the current instruction in bytes.
    Frame { code: u64, at: u64 },
    /// The functions so far were one run of the eval loop, called by C code. `anchor` is an address on the C stack
    /// inside the loop's own frame, or 0 if there is none.
    Entry { anchor: u64 },
}

/// Maximum number of frames and entries in a walk, so that a cyclic chain ends.
const MAX_STEPS: usize = 4 * MAX_DEPTH;

/// Passes the steps from thread state `state` outwards to `each`, until it returns `false` or the outermost is reached.
/// `None` if a pointer is invalid.
#[inline(always)]
pub fn walk(
    layout: &Layout,
    reader: &impl Reader,
    state: u64,
    mut each: impl FnMut(Step) -> bool,
) -> Option<()> {
    let mut on_stack = 0;
    let mut frame = match layout.top {
        TopFrame::Frame(at) => reader.word(state, at)?,
        TopFrame::OnStack { at, frame, .. } => {
            on_stack = reader.word(state, at)?;
            reader.word(on_stack, frame)?
        }
    };
    for _ in 0..MAX_STEPS {
        if frame == 0 {
            return Some(());
        }
        let is_function = match layout.entry {
            EntryFrame::Owner(at) => reader.byte(frame, at)? < 3,
            _ => true,
        };
        if is_function {
            // As of 3.14 the low bits of a reference are a tag.
            let code = reader.word(frame, layout.code)? & !7;
            let at = match layout.at {
                Location::Index { at, unit } => {
                    i64::from(reader.half(frame, at)? as i32).wrapping_mul(unit.into()) as u64
                }
                Location::Pointer { at, start } => reader
                    .word(frame, at)?
                    .wrapping_sub(code.wrapping_add(start.into())),
            };
            if !each(Step::Frame { code, at }) {
                return Some(());
            }
        }
        let is_entry = match layout.entry {
            EntryFrame::Every => Some(0),
            EntryFrame::Owner(_) => (!is_function).then_some(frame),
            EntryFrame::Flag(at) => (reader.byte(frame, at)? != 0).then_some(on_stack),
        };
        if let Some(anchor) = is_entry {
            if !each(Step::Entry { anchor }) {
                return Some(());
            }
            if let (EntryFrame::Flag(_), TopFrame::OnStack { previous, .. }) =
                (layout.entry, layout.top)
            {
                on_stack = reader.word(on_stack, previous)?;
            }
        }
        frame = reader.word(frame, layout.previous)?;
    }
    Some(())
}

/// Identifies a code object independently of its address, which is reused once the object is freed: the hashes of name
/// and file, which string objects carry (else their addresses), and the first line.
#[inline(always)]
pub fn identity(layout: &Layout, reader: &impl Reader, code: u64) -> Option<u64> {
    let text = |at: u16| {
        let text = reader.word(code, at)?;
        let hash = reader.word(text, HASH)?;
        Some(if hash == u64::MAX { text } else { hash })
    };
    let first_line = u64::from(reader.half(code, layout.first_line)?);
    // String hashes are well distributed already.
    Some(text(layout.name)?.rotate_left(23) ^ text(layout.file)? ^ first_line << 32)
}

/// Offset of a string's hash, which is −1 until somebody asks for it.
const HASH: u16 = 24;

/// Adds a frame to the hash of a stack.
#[inline(always)]
pub fn mix(hash: u64, at: u64, identity: u64) -> u64 {
    (hash.rotate_left(5) ^ at.rotate_left(47) ^ identity).wrapping_mul(0x517c_c1b7_2722_0a95)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::layout;
    use crate::python::reader::{CheckedReader, UncheckedReader};

    /// A thread in `inner`, called by `outer` in the same run of the eval loop, called by C code, laid out as in Python
    /// 3.14: references carry tags, and the interpreter's own frames separate the runs. The memory that it points to
    /// must outlive it.
    struct Thread {
        code: Vec<u64>,
        frames: Vec<Vec<u64>>,
        state: Vec<u64>,
    }

    fn at(words: &[u64]) -> u64 {
        words.as_ptr() as u64
    }

    fn layout() -> Layout {
        Layout {
            top: TopFrame::Frame(72),
            at: Location::Pointer { at: 56, start: 200 },
            entry: EntryFrame::Owner(74),
            ..layout::known(12).unwrap()
        }
    }

    fn thread() -> Thread {
        let code = vec![0; 30];
        let frame = |executable: u64, previous: u64, instruction: u64, owner: u64| {
            let mut words = vec![executable, previous];
            words.resize(11, 0);
            words[7] = instruction;
            words[9] = owner << 16;
            words
        };
        let start = at(&code) + 200;
        let base = frame(0, 0, 0, 3);
        let entry = frame(1, at(&base), 0, 3);
        let outer = frame(at(&code) | 1, at(&entry), start + 40, 0);
        let inner = frame(at(&code) | 3, at(&outer), start + 6, 1);
        let mut state = vec![0; 40];
        state[9] = at(&inner);
        Thread {
            code,
            frames: vec![inner, outer, entry, base],
            state,
        }
    }

    #[test]
    fn runs_of_the_loop_end_where_its_own_frames_stand() {
        let Thread {
            code,
            frames,
            state,
        } = thread();
        let mut steps = Vec::new();
        let mut note = |step| {
            steps.push(step);
            true
        };
        walk(&layout(), &UncheckedReader, at(&state), &mut note).unwrap();
        walk(&layout(), &CheckedReader, at(&state), &mut note).unwrap();
        let code = at(&code);
        let once = [
            Step::Frame { code, at: 6 },
            Step::Frame { code, at: 40 },
            Step::Entry {
                anchor: at(&frames[2]),
            },
            Step::Entry {
                anchor: at(&frames[3]),
            },
        ];
        assert_eq!(steps, [once, once].concat());
    }

    #[test]
    fn a_chain_in_a_circle_ends_and_a_broken_one_is_none() {
        let Thread {
            mut frames, state, ..
        } = thread();
        frames[1][1] = at(&frames[0]);
        let mut count = 0;
        let mut each = |_| {
            count += 1;
            true
        };
        assert_eq!(
            walk(&layout(), &UncheckedReader, at(&state), &mut each),
            Some(())
        );
        assert_eq!(count, MAX_STEPS);
        frames[1][1] = 0xffff_8000_0000_0001;
        assert_eq!(walk(&layout(), &CheckedReader, at(&state), |_| true), None);
        assert_eq!(
            walk(&layout(), &UncheckedReader, at(&state), |_| true),
            None
        );
    }
}
