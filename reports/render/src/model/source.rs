//! The source lines around a frame.

use std::sync::Arc;

use serde::Serialize;

/// A few lines of a source file, and which of them a frame is at.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SourceLines {
    /// Index of the frame in the stack.
    pub frame: usize,
    /// The file, as the frame names it.
    pub file: Arc<str>,
    /// The frame's line, from 1.
    pub line: u32,
    /// Its column in bytes, from 1; `None` if the debug information has none.
    pub column: Option<u32>,
    /// Number of the first of `lines`.
    pub first: u32,
    /// The lines, without their ends.
    pub lines: Vec<String>,
}
