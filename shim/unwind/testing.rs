//! The loaded modules of the test program.

use crate::CodeMap;
use crate::modules::{Module, Modules};
use aclsan_os::racy_once::RacyOnce;
use std::sync::Arc;

static MODULES: RacyOnce<Modules> = RacyOnce::new();

/// The loaded modules.
pub struct Loaded;

impl CodeMap for Loaded {
    fn module_at(address: u64) -> Option<Arc<Module>> {
        let modules = MODULES.get_or_init(Modules::default);
        modules.refresh(|_| {});
        modules.at(address)
    }
}

/// A trace of a test thread.
pub type Trace = crate::Trace<Loaded>;
