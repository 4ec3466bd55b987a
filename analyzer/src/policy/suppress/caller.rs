//! The caller on a stack: the frame that `rule caller:pattern` is about.

use aclsan_render::model::{Frame, Language};

use crate::symbols::UNKNOWN_MODULE;

/// The innermost Python function, since native code between it and the call, such as `ffi_call`, is on the stacks of other Python functions
/// as well; without Python the innermost frame. `None` for an empty stack.
pub fn of(frames: &[Frame]) -> Option<&Frame> {
    let mut all = frames.iter();
    all.find(|frame| frame.language == Language::Python)
        .or(frames.first())
}

/// Names of the caller besides function, file and module: `<module> (train.py)`, `main (train.c)`, `main (train)`; and `train+0x11a9` if it
/// has no name.
pub fn names(frame: &Frame) -> impl Iterator<Item = String> {
    let of_file = frame.function.as_deref().zip(file_name(frame));
    let of_module = frame
        .function
        .as_deref()
        .map(|name| (name, frame.module_name()));
    let both = of_file.into_iter().chain(of_module);
    both.map(|(name, place)| format!("{name} ({place})"))
        .chain(frame.function.is_none().then(|| frame.name()))
}

/// The name that distinguishes it from all others and stays valid in as many later versions as possible; `None` if there is none.
pub fn name(frame: &Frame) -> Option<String> {
    match frame.function.as_deref() {
        None if matches!(&*frame.module, "" | UNKNOWN_MODULE) => None, // an address of this run
        None => Some(frame.name()),
        Some(function) if frame.language == Language::Python || is_everywhere(function) => {
            let place = file_name(frame).unwrap_or(frame.module_name());
            Some(format!("{function} ({place})"))
        }
        Some(function) => Some(function.to_owned()),
    }
}

/// Whether most programs have a function of that name: `main`, `operator()`, `{lambda()#1}`, `(anonymous namespace)::f`.
fn is_everywhere(function: &str) -> bool {
    matches!(function, "" | "main" | "_FUN")
        || function.starts_with("operator")
        || function.starts_with(['<', '{', '('])
}

fn file_name(frame: &Frame) -> Option<&str> {
    let file = frame.file.as_deref()?;
    Some(file.rsplit('/').next().unwrap_or(file))
}
