//! The modules of the test program.

use crate::CodeMap;
use crate::modules::{Module, Modules};
use std::sync::{Arc, LazyLock};

static MODULES: LazyLock<Modules> = LazyLock::new(Modules::default);

/// What is loaded.
pub struct Loaded;

impl CodeMap for Loaded {
    fn module_at(address: u64) -> Option<Arc<Module>> {
        MODULES.refresh(|_| {});
        MODULES.at(address)
    }
}

/// Of a thread of the test's.
pub type Trace = crate::Trace<Loaded>;
