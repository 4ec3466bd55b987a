//! Interns the strings of frames: of ten thousand addresses most are in a few thousand functions of a few hundred files.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aclsan_frames::demangle;

/// Shared strings.
#[derive(Default)]
pub struct Interner {
    texts: HashSet<Arc<str>>,
    /// Source names by linker name.
    functions: HashMap<Box<str>, Arc<str>>,
}

impl Interner {
    /// The shared copy of `text`.
    pub fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&new));
        new
    }

    /// The demangled name of a linker name.
    pub fn function(&mut self, linker: &str) -> Arc<str> {
        if let Some(known) = self.functions.get(linker) {
            return Arc::clone(known);
        }
        let name = self.text(&demangle(linker));
        self.functions.insert(linker.into(), Arc::clone(&name));
        name
    }
}
