//! Batched copies: each element is recorded and judged as a copy.
//!
//! A batch that the acl layer rejects as a whole copies nothing; only the call is recorded.

use super::copy::{checked, record};
use crate::abi::*;
use crate::calls::actions::array;
use crate::calls::interpose;
use crate::heap::record_call;
use crate::record::Hook;
use crate::state::limits::Limit;
use aclsan_rules::evidence::operation::Copy;
use std::ffi::c_void;

interpose! {
    fn aclrtMemcpyBatch(dsts: *mut *mut c_void, dest_maxs: *mut usize, srcs: *mut *mut c_void, sizes: *mut usize, count: usize,
        attrs: *mut aclrtMemcpyBatchAttr, attr_starts: *mut usize, attr_count: usize, fail: *mut usize) -> aclError
        = copied (Batch { dsts, rooms: dest_maxs, srcs, sizes, count, attrs, attr_count }, None);
    fn aclrtMemcpyBatchV2(dsts: *mut *mut c_void, dest_maxs: *mut usize, srcs: *mut *mut c_void, sizes: *mut usize, count: usize,
        attrs: *mut aclrtMemcpyBatchAttr, attr_starts: *mut usize, attr_count: usize) -> aclError
        = copied (Batch { dsts, rooms: dest_maxs, srcs, sizes, count, attrs, attr_count }, None);
    fn aclrtMemcpyBatchAsync(dsts: *mut *mut c_void, dest_maxs: *mut usize, srcs: *mut *mut c_void, sizes: *mut usize, count: usize,
        attrs: *mut aclrtMemcpyBatchAttr, attr_starts: *mut usize, attr_count: usize, fail: *mut usize, stream: aclrtStream) -> aclError
        = copied (Batch { dsts, rooms: dest_maxs, srcs, sizes, count, attrs, attr_count }, Some(stream));
    fn aclrtMemcpyBatchAsyncV2(dsts: *mut *mut c_void, dest_maxs: *mut usize, srcs: *mut *mut c_void, sizes: *mut usize, count: usize,
        attrs: *mut aclrtMemcpyBatchAttr, attr_starts: *mut usize, attr_count: usize, stream: aclrtStream) -> aclError
        = copied (Batch { dsts, rooms: dest_maxs, srcs, sizes, count, attrs, attr_count }, Some(stream));
}

/// The caller's arrays.
struct Batch {
    dsts: *const *mut c_void,
    rooms: *const usize,
    srcs: *const *mut c_void,
    sizes: *const usize,
    count: usize,
    attrs: *const aclrtMemcpyBatchAttr,
    attr_count: usize,
}

/// Maximum length of a blocking batch (runtime 681ef761).
const MAX_ELEMENTS: usize = 4096;
/// Maximum number of elements read from a queued batch, which has no limit of its own.
const MAX_COUNT: usize = 1 << 24;

impl Batch {
    /// The elements; `None` for a batch that is rejected as a whole, or copies nothing.
    fn elements(&self, is_async: bool) -> Option<Vec<Copy>> {
        let is_null = self.dsts.is_null()
            || self.rooms.is_null()
            || self.srcs.is_null()
            || self.sizes.is_null()
            || self.attrs.is_null();
        let has_attributes = (1..=self.count).contains(&self.attr_count);
        let is_long = self.count > if is_async { MAX_COUNT } else { MAX_ELEMENTS };
        if is_null || !has_attributes || is_long {
            if is_async && is_long {
                Limit::Batches.leave_out(1);
            }
            return None;
        }
        let (sizes, rooms) = (array(self.sizes, self.count), array(self.rooms, self.count));
        let (dsts, srcs) = (array(self.dsts, self.count), array(self.srcs, self.count));
        let mut copies = Vec::with_capacity(self.count);
        for (((&size, &room), &to), &from) in sizes.iter().zip(rooms).zip(dsts).zip(srcs) {
            if room < size {
                return None;
            }
            match size {
                // The queued form stops at an element of size 0, after queueing those before it.
                0 if is_async => break,
                0 => {}
                _ => copies.push(Copy {
                    to: to as u64,
                    room: room as u64,
                    from: from as u64,
                    count: size as u64,
                }),
            }
        }
        (!copies.is_empty()).then_some(copies)
    }
}

/// The runtime checks the attributes against the addresses, so no direction is recorded.
const KIND: u32 = ACL_MEMCPY_DEFAULT;

/// Records both ends of every element and the stream, then forwards.
fn copied(
    hook: &Hook,
    forward: impl FnOnce() -> i32,
    batch: Batch,
    stream: Option<aclrtStream>,
) -> i32 {
    let copies = batch.elements(stream.is_some());
    let number = stream.map_or(0, |stream| stream as u64);
    let Some(copies) = copies else {
        let status = forward();
        let values = [batch.count as u64, number];
        let reported = if stream.is_some() { 2 } else { 1 };
        hook.record(|recorder| record_call(recorder, KIND, &values[..reported], status));
        return status;
    };
    // One stack walk for all elements.
    let call = hook.record(|recorder| {
        let call = recorder.call(KIND);
        for copy in &copies {
            record(recorder, &call, copy, number);
        }
        call
    });
    let first = copies.first().map_or(0, |copy| copy.to);
    checked(hook, call, first, number, forward())
}
