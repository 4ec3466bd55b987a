//! How the frames of a stack are shown, the same live and offline: demangled, long names shortened, plumbing left out.
//!
//! Also runs inside the program under test, so work and memory per name are bounded, whatever the name.

#![forbid(unsafe_code)]

mod chain;
mod demangle;
mod layout;
mod name;
mod non_ascii;
mod pattern;
pub mod source;
pub mod task_queue;
mod trim;

pub use chain::{Step, chain};
pub use demangle::demangle;
pub use layout::{Gap, Line, layout};
pub use name::{MAX_COLUMNS, display, display_in, inlined_lambda, is_lambda, qualified, width};
pub use pattern::Pattern;
pub use trim::{Frame, Hidden, is_cpp_library, is_interpreter, is_runtime, mark};
