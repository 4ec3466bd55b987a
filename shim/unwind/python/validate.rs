//! Validates a layout: one walk whose reads cannot fault, checking the type of every pointer.

use super::frames::{self, Step};
use super::interpreter::Interpreter;
use super::layout::{Layout, Location};
use super::reader::{CheckedReader, Reader};
use super::strings;

/// Offset of an object's type, and of the size of a variable-size object.
const TYPE: u16 = 8;
const COUNT: u16 = 16;
/// In a code object before 3.11: its byte string of instructions.
const INSTRUCTIONS: u16 = 48;
/// Frames that are checked; those further out are built the same way.
const ENOUGH: usize = 32;

/// Walks the calling thread's frames. Returns how many there are, or what was wrong.
pub fn validate_layout(interpreter: &Interpreter) -> Result<usize, String> {
    if !interpreter.is_initialized() {
        return Ok(0);
    }
    let Some(state) = interpreter.state() else {
        return Ok(0);
    };
    let layout = &interpreter.layout;
    // SAFETY: takes no arguments and always succeeds.
    let thread = unsafe { libc::pthread_self() };
    match CheckedReader.word(state, layout.thread_id) {
        None => return Err("the kernel does not let this process read its own memory".into()),
        Some(id) if id == thread => {}
        Some(_) => return Err("its thread state has an unknown layout".into()),
    }
    let (mut frames, mut wrong) = (0, None);
    let walked = frames::walk(layout, &CheckedReader, state, |step| {
        if let Step::Frame { code, at } = step {
            frames += 1;
            wrong = check(layout, &interpreter.types, code, at).err();
        }
        wrong.is_none() && frames < ENOUGH
    });
    match (walked, wrong) {
        (None, _) => Err("its frames have an unknown layout".into()),
        (_, Some(wrong)) => Err(wrong.into()),
        _ => Ok(frames),
    }
}

fn check(layout: &Layout, types: &[u64; 3], code: u64, at: u64) -> Result<(), &'static str> {
    let [code_type, text_type, bytes_type] = types;
    let is = |object: Option<u64>, kind: &u64| {
        object.and_then(|object| CheckedReader.word(object, TYPE)) == Some(*kind)
    };
    if !is(Some(code), code_type) {
        return Err("its frames have no code objects where they are expected");
    }
    for part in [layout.file, layout.name, layout.full_name] {
        let text = CheckedReader.word(code, part);
        if !is(text, text_type)
            || strings::text(layout, &CheckedReader, text.unwrap_or(0)).is_none()
        {
            return Err("its code objects have no names where they are expected");
        }
    }
    let bytes = match layout.at {
        Location::Index { .. } => CheckedReader
            .word(code, INSTRUCTIONS)
            .filter(|&bytes| is(Some(bytes), bytes_type))
            .and_then(|bytes| CheckedReader.word(bytes, COUNT)),
        Location::Pointer { .. } => CheckedReader
            .word(code, COUNT)
            .map(|units| units.wrapping_mul(2)),
    };
    // A function that has not begun is one before its first instruction.
    let is_within =
        bytes.is_some_and(|bytes| bytes < 1 << 30 && (-2..bytes as i64).contains(&(at as i64)));
    let line = CheckedReader
        .half(code, layout.first_line)
        .unwrap_or(u32::MAX);
    match is_within && line < 1 << 24 {
        true => Ok(()),
        false => Err("its frames point outside their code"),
    }
}
