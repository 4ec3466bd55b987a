//! Pointers passed to libc's `free`: stateless, asks the rule.

use super::tracker::{HeapView, Tracker};
use crate::api::functions::{Call, Effect};
use crate::evidence::finding::Finding;
use crate::rules::libc_free;
use aclsan_log::record::Values;

/// Handles `free`, `realloc` and `reallocarray`.
#[derive(Default)]
pub struct Libc;

impl Tracker for Libc {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        _status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        if call.function.effect() == Effect::LibcFree {
            let address = values.get(0);
            found.extend(libc_free::check(call, address, &view.place(address)));
        }
    }
}
