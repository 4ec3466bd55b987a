//! Streams that were refused because they belong to another context.

use super::tracker::{HeapView, Tracker};
use crate::api::family::Family;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::rules::context_mismatch;
use aclsan_log::record::Values;

/// Stateless: the runtime says which context it is.
#[derive(Default)]
pub(super) struct Contexts;

impl Tracker for Contexts {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        if status != call.function.vendor().answers.foreign_stream.0 {
            return;
        }
        let stream = call
            .function
            .values
            .iter()
            .position(|&name| name == "stream");
        if let Some(place) = stream {
            let stream = view.place(Family::Stream.key(values.get(place)));
            found.extend(context_mismatch::check_refused(call, &stream, status));
        }
    }
}
