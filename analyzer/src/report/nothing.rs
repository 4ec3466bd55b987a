//! An export that would be empty: whoever waits for the file should know before he opens it.

use std::fmt;

use crate::report::pipeline::NothingObserved;

/// Why there is nothing to export.
#[derive(Clone, Debug)]
pub struct NothingToExport(String);

impl NothingToExport {
    /// The exit code, that of logs without a call.
    pub const CODE: u8 = NothingObserved::CODE;

    /// For this reason.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for NothingToExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is nothing to export: {}", self.0)
    }
}

impl std::error::Error for NothingToExport {}
