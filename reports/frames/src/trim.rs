//! Which frames of a stack say nothing about the program: start-up code, internals of standard libraries, the Python interpreter where
//! Python frames replace it, and the program's allocation wrappers.

use std::borrow::Cow;

use crate::name::{is_lambda, qualified};
use crate::pattern::Pattern;

/// A frame, as far as it is known. In a stack, the innermost is first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame<'a> {
    /// The demangled name.
    pub function: Option<&'a str>,
    /// The source file.
    pub file: Option<&'a str>,
    /// Path of the module.
    pub module: &'a str,
    /// Whether it is a function of Python.
    pub is_python: bool,
}

/// Why a frame is left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Hidden {
    /// It matches a pattern of the user's (`skip_frames`, `wrappers`).
    Wrapper,
    /// An inline function of `aclsan.h`, around the program's own call.
    Annotation,
    /// An internal function of the C++ library.
    Cpp,
    /// An internal function of the Rust library.
    Rust,
    /// Glue between Python and C++.
    Bindings,
    /// CPython, or its way to C functions.
    Interpreter,
    /// A hook of ours, between the runtime and the program.
    Hook,
    /// What the C and C++ libraries do between the mistake that they found and the signal.
    Abort,
    /// What calls `main` or a thread's function.
    StartUp,
    /// What calls the function of a thread that does others' work; their frames follow.
    Handover,
}

impl Hidden {
    /// All reasons.
    pub const ALL: [Self; 8] = [
        Self::Wrapper,
        Self::Annotation,
        Self::Cpp,
        Self::Rust,
        Self::Bindings,
        Self::Interpreter,
        Self::StartUp,
        Self::Handover,
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wrapper => "wrapper",
            Self::Annotation => "annotation",
            Self::Cpp => "c++ library",
            Self::Rust => "rust library",
            Self::Bindings => "bindings",
            Self::Interpreter => "interpreter",
            Self::Hook => "hook",
            Self::Abort => "abort",
            Self::StartUp => "start-up",
            Self::Handover => "handover",
        }
    }

    /// Its name in a text, after "frames of".
    pub fn label(self) -> &'static str {
        match self {
            Self::Wrapper => "skipped wrappers",
            Self::Annotation => "aclsan.h",
            Self::Cpp => "the C++ library",
            Self::Rust => "the Rust library",
            Self::Bindings => "Python bindings",
            Self::Interpreter => "the Python interpreter",
            Self::Hook => "aclsan",
            Self::Abort => "the C library",
            Self::StartUp => "start-up code",
            Self::Handover => "a thread's start, for work queued by",
        }
    }
}

/// Marks the frames that are left out, `None` for those that are shown. A stack of which nothing would remain is left whole, but for its
/// start-up code.
///
/// A wrapper counts only at the inner end: further out, a function of the same name is on the way to the caller.
pub fn mark(frames: &[Frame], wrappers: &[Pattern]) -> Vec<Option<Hidden>> {
    let is_python = frames.iter().any(|frame| frame.is_python);
    let names: Vec<Option<Cow<str>>> = frames
        .iter()
        .map(|frame| frame.function.map(qualified))
        .collect();
    let start = start_of_start_up(frames, &names);
    let mut marks: Vec<Option<Hidden>> = (0..frames.len())
        .map(|at| match at >= start {
            true => Some(Hidden::StartUp),
            false => plumbing(&frames[at], names[at].as_deref(), is_python),
        })
        .collect();
    hide_handover(frames, &names, &mut marks);
    hide_hooks(frames, &mut marks);
    hide_abort(frames, &names, &mut marks);
    skip_wrappers(frames, &names, &mut marks, wrappers);
    if marks.iter().all(Option::is_some) {
        for mark in &mut marks[..start] {
            *mark = None;
        }
    }
    if marks.iter().all(Option::is_some) {
        marks.fill(None);
    }
    marks
}

/// The start of a thread in the middle of a stack: those who queued its work follow. Where its functions have no names, Python must follow,
/// which no thread starts without the interpreter in between.
fn hide_handover(frames: &[Frame], names: &[Option<Cow<str>>], marks: &mut [Option<Hidden>]) {
    let is_thread = |at: &usize| {
        let name = names[*at].as_deref();
        marks[*at].is_none() && name.is_some_and(|name| START.contains(&name))
    };
    let named = (0..frames.len()).rev().find(is_thread);
    let python = frames.iter().position(|frame| frame.is_python);
    for end in [named.map(|named| named + 1), python].into_iter().flatten() {
        let inner = (0..end).rev();
        for at in inner.take_while(|&at| is_start(&frames[at], names[at].as_deref())) {
            marks[at] = Some(Hidden::Handover);
        }
    }
}

/// Hooks through which the runtime called the program back, or in which it crashed. A crash of the shim's own shows them.
fn hide_hooks(frames: &[Frame], marks: &mut [Option<Hidden>]) {
    let is_hook = |frame: &Frame| {
        let file = file_name(frame.module);
        !frame.is_python && file.starts_with("libaclsan") && file.contains(".so")
    };
    let inner = frames.iter().take_while(|frame| is_hook(frame)).count();
    for (frame, mark) in frames.iter().zip(marks).skip(inner) {
        if mark.is_none() && is_hook(frame) {
            *mark = Some(Hidden::Hook);
        }
    }
}

/// Functions that send a signal to their own process.
const SENDERS: [&str; 9] = [
    "abort",
    "__GI_abort",
    "raise",
    "__GI_raise",
    "gsignal",
    "__GI_gsignal",
    "pthread_kill",
    "__pthread_kill",
    "__pthread_kill_implementation",
];

/// The frames of the C and C++ libraries at the inner end, if one of them sends a signal: from a failed assertion, a corrupt heap, or
/// an exception that nobody catches.
fn hide_abort(frames: &[Frame], names: &[Option<Cow<str>>], marks: &mut [Option<Hidden>]) {
    let is_library = |frame: &&Frame| !frame.is_python && is_runtime(frame.module);
    let inner = frames.iter().take_while(is_library).count();
    let sends =
        |name: &Option<Cow<str>>| name.as_deref().is_some_and(|name| SENDERS.contains(&name));
    if inner < frames.len() && names[..inner].iter().any(sends) {
        marks[..inner].fill(Some(Hidden::Abort));
    }
}

fn skip_wrappers(
    frames: &[Frame],
    names: &[Option<Cow<str>>],
    marks: &mut [Option<Hidden>],
    wrappers: &[Pattern],
) {
    if wrappers.is_empty() {
        return;
    }
    let is_wrapper = |at: usize| {
        let name = if frames[at].is_python {
            frames[at].function
        } else {
            names[at].as_deref()
        };
        name.is_some_and(|name| wrappers.iter().any(|pattern| pattern.matches(name)))
    };
    let inner = (0..marks.len()).take_while(|&at| marks[at].is_some() || is_wrapper(at));
    let inner: Vec<usize> = inner.collect();
    if inner.len() == marks.len() {
        return; // nobody called them
    }
    for at in inner {
        if is_wrapper(at) {
            marks[at] = Some(Hidden::Wrapper);
        }
    }
}

/// Functions that call `main` or a thread's function.
const START: [&str; 13] = [
    "_start",
    "_start_c",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_call_main",
    "libc_start_main_stage2",
    "start_thread",
    "clone",
    "clone3",
    "__clone",
    "__clone3",
    "execute_native_thread_routine",
    "thread_start",
];

/// Where the start-up code starts: after `main`, or what Rust wraps around a program's or thread's function, or at a thread's start.
fn start_of_start_up(frames: &[Frame], names: &[Option<Cow<str>>]) -> usize {
    let is = |at: usize, name: &str| names[at].as_deref() == Some(name) && !frames[at].is_python;
    let ends = |at: usize, name: &str| {
        names[at].as_deref().is_some_and(|own| own.ends_with(name)) && !frames[at].is_python
    };
    let all = 0..frames.len();
    let is_main = |at: &usize| is(*at, "main") && !is_interpreter(frames[*at].module);
    let after_main = all.clone().find(is_main).map(|at| at + 1);
    let in_rust = all
        .clone()
        .find(|&at| ends(at, "::__rust_begin_short_backtrace") || is(at, "std::rt::lang_start"));
    if let Some(at) = [after_main, in_rust].into_iter().flatten().min() {
        // C's `main` of a Rust program is generated.
        return at.max(1).min(frames.len());
    }
    let is_start = |at: &usize| is_start(&frames[*at], names[*at].as_deref());
    let inner_end = all.rev().take_while(is_start).last();
    inner_end.unwrap_or(frames.len())
}

fn is_start(frame: &Frame, name: Option<&str>) -> bool {
    match name {
        _ if frame.is_python => false,
        Some(name) => {
            START.contains(&name)
                || name.starts_with("__libc_start")
                || name.starts_with("std::sys::") && name.ends_with("::thread_start")
        }
        None => is_runtime(frame.module),
    }
}

/// The library that a frame in the middle of a stack belongs to, if only to its internals.
fn plumbing(frame: &Frame, name: Option<&str>, is_python: bool) -> Option<Hidden> {
    if frame.is_python {
        return None;
    }
    if is_python && is_interpreter(frame.module) {
        return Some(Hidden::Interpreter);
    }
    if is_python && is_binding(frame.module, name) {
        return Some(Hidden::Bindings);
    }
    let name = name?;
    match () {
        () if name.starts_with("aclsan_") => Some(Hidden::Annotation),
        () if is_inside_rust(name) => Some(Hidden::Rust),
        () if is_inside_cpp(name) || is_local_cpp(frame, name) => Some(Hidden::Cpp),
        () => None,
    }
}

/// Whether it is pybind11's or nanobind's way from Python to C++, or pyACL's to AscendCL.
fn is_binding(module: &str, name: Option<&str>) -> bool {
    let module = file_name(module);
    let is_pyacl = module == "acl.so" || module.starts_with("acl.") && module.ends_with(".so");
    let name = name.unwrap_or_default();
    is_pyacl || name.starts_with("pybind11::") || name.starts_with("nanobind::")
}

/// Names that a user never writes: reserved identifiers in `std`, and what `std` calls on the way to the user's function or memory.
fn is_inside_cpp(name: &str) -> bool {
    const INLINE: [&str; 5] = ["__1", "__cxx11", "__ndk1", "_V2", "__debug"];
    const OTHER: [&str; 7] = [
        "std::function::operator()",
        "std::invoke",
        "std::allocator::",
        "std::allocator_traits::",
        "std::default_delete::",
        "std::packaged_task::operator()",
        "std::construct_at",
    ];
    if name.starts_with("__gnu_cxx::") {
        return true;
    }
    let Some(rest) = name.strip_prefix("std::") else {
        return false;
    };
    let is_reserved = |part: &str| {
        let mut letters = part.bytes();
        letters.next() == Some(b'_')
            && letters
                .next()
                .is_some_and(|c| c == b'_' || c.is_ascii_uppercase())
            && !INLINE.contains(&part)
    };
    rest.split("::").any(is_reserved)
        || OTHER.iter().any(|other| match other.ends_with("::") {
            true => name.starts_with(other),
            false => name == *other || name == other.replacen("std::", "std::__1::", 1),
        })
}

/// Functions that the library instantiates for a lambda have no linker name, so debug information names them without `std::`.
fn is_local_cpp(frame: &Frame, name: &str) -> bool {
    frame.file.is_some_and(is_cpp_library)
        && (name.starts_with('_') || is_lambda(name) || name == "invoke")
}

/// Whether a source file is a header of the C++ library.
pub fn is_cpp_library(file: &str) -> bool {
    file.contains("/include/c++/")
}

fn is_inside_rust(name: &str) -> bool {
    const PREFIXES: [&str; 12] = [
        "core::ops::function::",
        "core::panic::unwind_safe::",
        "core::ptr::drop_in_place",
        "alloc::alloc::",
        "alloc::raw_vec::",
        "std::alloc::",
        "std::panic::catch_unwind",
        "std::panicking::",
        "std::rt::",
        "std::sys::backtrace::",
        "std::sys_common::backtrace::",
        "std::thread::Builder::spawn_unchecked",
    ];
    const SYMBOLS: [&str; 5] = [
        "__rust_alloc",
        "__rust_alloc_zeroed",
        "__rust_dealloc",
        "__rust_realloc",
        "__rust_try",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || SYMBOLS.contains(&name)
}

/// Whether a module is CPython itself or its bridge to C functions.
pub fn is_interpreter(module: &str) -> bool {
    let parts = ["python3", "libpython3", "_ctypes.", "libffi"];
    parts.iter().any(|part| file_name(module).starts_with(part))
}

/// Whether a module is the C or C++ library or the dynamic loader: glibc before 2.34 (`libc-2.31.so`) or later, or musl.
pub fn is_runtime(module: &str) -> bool {
    let parts = [
        "libc.so",
        "libc-2.",
        "libc.musl-",
        "libpthread.so",
        "libpthread-2.",
        "libstdc++.so",
        "ld-linux",
        "ld-2.",
        "ld-musl-",
    ];
    parts.iter().any(|part| file_name(module).starts_with(part))
}

pub(crate) fn file_name(path: &str) -> &str {
    // Names are short, and generic string search is slower on them.
    let slash = path.bytes().rposition(|byte| byte == b'/');
    slash.map_or(path, |at| &path[at + 1..])
}

#[cfg(test)]
#[path = "trim_tests.rs"]
mod tests;
