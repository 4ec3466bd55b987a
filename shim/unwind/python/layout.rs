//! Where CPython keeps what is read, by version.
//!
//! 3.8 to 3.12: from the structures of their releases, whose layout is stable within a minor version. From 3.13 on the
//! interpreter publishes it in `_Py_DebugOffsets`, at the start of `_PyRuntime`. Either way
//! [`validate`](super::validate) decides whether it is used.

use super::reader::Reader;

/// Offsets in bytes. Small, since each stack is walked by them: with what else a walk needs, they are one line of the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// In the thread state: the value of pthread_self.
    pub thread_id: u16,
    /// How to get from the thread state to its innermost frame.
    pub top: TopFrame,
    /// In a frame: its code object.
    pub code: u16,
    /// In a frame: its caller's frame.
    pub previous: u16,
    /// In a frame: the current instruction.
    pub at: Location,
    /// Which frames were called by C code.
    pub entry: EntryFrame,
    /// In a code object: file, function, qualified name of the function (before 3.11 the same), first line.
    pub file: u16,
    pub name: u16,
    pub full_name: u16,
    pub first_line: u16,
    /// In a string: where the characters begin, for ASCII and for other strings.
    pub text: (u16, u16),
}

/// How to find the innermost frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopFrame {
    /// A pointer in the thread state.
    Frame(u16),
    /// A pointer in a structure on the C stack, one per run of the eval loop, which the thread state points to.
    OnStack { at: u16, frame: u16, previous: u16 },
}

/// How a frame stores its current instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// An index, and the bytes per index.
    Index { at: u16, unit: u16 },
    /// A pointer into the code object, whose instructions begin at `start`.
    Pointer { at: u16, start: u16 },
}

/// What separates a run of the eval loop from the calls inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryFrame {
    /// Every frame is a run of its own.
    Every,
    /// A flag in the outermost frame of a run.
    Flag(u16),
    /// A separate frame on the C stack that is no function: its owner is 3 or more.
    Owner(u16),
}

const OBJECTS: Layout = Layout {
    thread_id: 176,
    top: TopFrame::Frame(24),
    code: 32,
    previous: 24,
    at: Location::Index { at: 104, unit: 1 },
    entry: EntryFrame::Every,
    file: 104,
    name: 112,
    full_name: 112,
    first_line: 40,
    text: (48, 72),
};

/// The layout of Python 3.`minor`, if known without asking.
pub fn known(minor: u8) -> Option<Layout> {
    Some(match minor {
        8 | 9 => OBJECTS,
        10 => Layout {
            at: Location::Index { at: 96, unit: 2 },
            ..OBJECTS
        },
        11 => Layout {
            thread_id: 152,
            top: TopFrame::OnStack {
                at: 56,
                frame: 8,
                previous: 16,
            },
            code: 32,
            previous: 48,
            at: Location::Pointer { at: 56, start: 184 },
            entry: EntryFrame::Flag(68),
            file: 112,
            name: 120,
            full_name: 128,
            first_line: 72,
            text: (48, 72),
        },
        12 => Layout {
            thread_id: 136,
            top: TopFrame::OnStack {
                at: 56,
                frame: 0,
                previous: 8,
            },
            code: 0,
            previous: 8,
            at: Location::Pointer { at: 56, start: 192 },
            entry: EntryFrame::Owner(70),
            file: 112,
            name: 120,
            full_name: 128,
            first_line: 68,
            text: (40, 56),
        },
        _ => return None,
    })
}

/// The layout that the interpreter, Python 3.`minor` as of 3.13, publishes at `runtime`. `None` if it is in an unknown
/// form.
pub fn from_debug_offsets(minor: u8, runtime: u64, reader: &impl Reader) -> Option<Layout> {
    let word = |index: u16| reader.word(runtime, 8 * index);
    // Word indices of the parts about thread state, frame and code object, each of which begins with its size.
    let (thread, frame, code) = match minor {
        13 => (19, 28, 34),
        14 => (22, 31, 39),
        _ => return None,
    };
    let is_reported = word(0)? == u64::from_le_bytes(*b"xdebugpy")
        && word(1)? >> 16 == 0x0300 | u64::from(minor)
        && word(2)? == 0;
    // prev, next and interp have always been at the front, and a frame's code before its caller.
    let is_whole = (word(thread + 1)?, word(thread + 2)?, word(thread + 3)?) == (0, 8, 16)
        && (word(frame + 1)?, word(frame + 2)?) == (8, 0);
    let at_most = |index: u16, size: u64| {
        let offset = word(index).filter(|&offset| offset < size)?;
        u16::try_from(offset).ok()
    };
    let (thread_size, frame_size, code_size) = (word(thread)?, word(frame)?, word(code)?);
    if !is_reported || !is_whole || thread_size > 4096 || frame_size > 512 || code_size > 1024 {
        return None;
    }
    Some(Layout {
        thread_id: at_most(thread + 5, thread_size)?,
        top: TopFrame::Frame(at_most(thread + 4, thread_size)?),
        code: 0,
        previous: 8,
        at: Location::Pointer {
            at: at_most(frame + 3, frame_size)?,
            start: at_most(code + 9, code_size)?,
        },
        entry: EntryFrame::Owner(at_most(frame + 5, frame_size)?),
        file: at_most(code + 1, code_size)?,
        name: at_most(code + 2, code_size)?,
        full_name: at_most(code + 3, code_size)?,
        first_line: at_most(code + 5, code_size)?,
        text: (40, 56),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::reader::UncheckedReader;

    /// The first words of `_PyRuntime`: those given, the rest 0.
    fn runtime(version: u64, words: &[(usize, &[u64])]) -> Vec<u64> {
        let mut runtime = vec![u64::from_le_bytes(*b"xdebugpy"), version, 0];
        runtime.resize(64, 0);
        for (at, part) in words {
            runtime[*at..at + part.len()].copy_from_slice(part);
        }
        runtime
    }

    fn read(minor: u8, runtime: &[u64]) -> Option<Layout> {
        from_debug_offsets(minor, runtime.as_ptr() as u64, &UncheckedReader)
    }

    /// As Python 3.13.0 publishes them on x86-64.
    fn python_3_13() -> Vec<u64> {
        let thread = [304, 0, 8, 16, 72, 152, 160, 232, 32];
        let frame = [80, 8, 0, 56, 72, 70];
        let code = [208, 112, 120, 128, 136, 68, 52, 96, 104, 200];
        runtime(0x030d_00f0, &[(19, &thread), (28, &frame), (34, &code)])
    }

    #[test]
    fn the_interpreters_own_words_are_taken() {
        let layout = read(13, &python_3_13()).unwrap();
        assert_eq!(layout.top, TopFrame::Frame(72));
        assert_eq!(layout.at, Location::Pointer { at: 56, start: 200 });
        assert_eq!(layout.entry, EntryFrame::Owner(70));
        assert_eq!((layout.thread_id, layout.first_line), (152, 68));
        assert_eq!(
            (layout.file, layout.name, layout.full_name),
            (112, 120, 128)
        );
    }

    #[test]
    fn words_that_another_version_or_build_says_are_not_taken() {
        assert_eq!(read(14, &python_3_13()), None);
        let mut free_threaded = python_3_13();
        free_threaded[2] = 1;
        assert_eq!(read(13, &free_threaded), None);
        let mut other = python_3_13();
        other[1] = 0x030e_00f0;
        assert_eq!(read(13, &other), None);
        let mut beyond = python_3_13();
        beyond[31] = 4000;
        assert_eq!(read(13, &beyond), None);
        assert_eq!(read(13, &[0; 64]), None);
    }
}
