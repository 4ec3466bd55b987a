//! One frame of an address, before it belongs to a module.

use std::sync::Arc;

use super::interner::Interner;

/// What is known about one frame of an address.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ResolvedFrame {
    /// Source name; `None` where neither DWARF nor a symbol table has one.
    pub function: Option<Arc<str>>,
    /// As the compiler recorded it, joined with its folder.
    pub file: Option<Arc<str>>,
    /// `None` for code that stands for no line.
    pub line: Option<u32>,
    /// Whether this frame was inlined into the next.
    pub inlined: bool,
}

impl ResolvedFrame {
    /// A frame from debug information; inlining is for the caller to say.
    pub fn new(
        linker_name: Option<&str>,
        location: Option<&addr2line::Location>,
        names: &mut Interner,
    ) -> Self {
        Self {
            function: linker_name.map(|name| names.function(name)),
            file: location
                .and_then(|location| location.file)
                .map(|file| names.text(file)),
            line: location.and_then(|location| location.line),
            inlined: false,
        }
    }
}
