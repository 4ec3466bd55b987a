//! A resolved frame, before it is attributed to a module.

use std::sync::Arc;

use super::interner::Interner;

/// Function, file and line of one frame of an address.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ResolvedFrame {
    /// Source name; `None` if neither DWARF nor a symbol table has one.
    pub function: Option<Arc<str>>,
    /// Source file as the compiler recorded it, joined with its folder.
    pub file: Option<Arc<str>>,
    /// `None` for code without a line.
    pub line: Option<u32>,
    /// Column from 1; `None` if the debug information has none.
    pub column: Option<u32>,
    /// Name in the symbol table, where debug information calls the function `operator()`.
    pub label: Option<Arc<str>>,
    /// Whether this frame was inlined into the next.
    pub inlined: bool,
}

impl ResolvedFrame {
    /// A frame from debug information; the caller sets `inlined`.
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
            column: location.and_then(|location| location.column),
            label: None,
            inlined: false,
        }
    }
}
