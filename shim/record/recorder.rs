//! What behaviors record through a [`Recorder`]: events of one call, written to the thread's segment of the log.

use super::hook::Recorder;
use crate::runtime::queries;
use crate::state::start;
use crate::state::thread::{self, Record};
use aclsan_log::encode::{Encoder, Repeats};
use aclsan_log::{BlockId, CallSiteId, Definition, Event, Values};
use aclsan_os::clock;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::vendor::Vendor;
use std::sync::atomic::Ordering::Relaxed;

/// An allocation. Not a closure: that would be a function of its own, since there are two places to write it.
struct AllocationRecord {
    ticks: u64,
    site: CallSiteId,
    address: u64,
    size: u64,
}

impl Record<BlockId> for AllocationRecord {
    #[inline(always)]
    fn encode(&self, encoder: &mut Encoder, room: &mut [u8], _: &mut Repeats) -> Option<BlockId> {
        encoder.allocation(room, self.ticks, self.site, self.address, self.size)
    }
}

/// A release, as [`AllocationRecord`].
struct ReleaseRecord {
    ticks: u64,
    site: CallSiteId,
    block: BlockId,
}

impl Record<()> for ReleaseRecord {
    #[inline(always)]
    fn encode(&self, encoder: &mut Encoder, room: &mut [u8], _: &mut Repeats) -> Option<()> {
        encoder.release(room, self.ticks, self.site, self.block)
    }
}

impl Recorder<'_> {
    /// The index of the called function among the known calls.
    pub fn function_id(&self) -> u16 {
        self.hook.function_id
    }

    /// Prefetches the table entry of the block that the call releases. The stack walk, if there is one, hides the latency. A block of
    /// another family is only found later.
    #[inline(always)]
    pub fn prefetch_release(&self, address: u64) {
        let family = self.hook.function.family().unwrap_or(Family::Device);
        self.process.heap.live.prefetch_entry(family.key(address));
    }

    /// As [`Self::prefetch_release`], for the block that the call has allocated.
    #[inline(always)]
    pub fn prefetch_allocation(&self, address: u64) {
        self.process.heap.live.prefetch(address);
    }

    /// Asks the runtime for the thread's device unless it is known. Call it only where the thread is sure to have a device: a query that
    /// fails leaves an error message behind, and programs that read the last message (onnxruntime does) would take it for their own
    /// failure.
    #[inline(always)]
    pub fn detect_device(&mut self) {
        if self.thread.device.is_none() {
            self.thread.device = Some(queries::current_device().unwrap_or(-1));
            self.record_base_line();
        }
    }

    /// After an attach, once: how much memory is in use, of which the log knows nothing else.
    #[cold]
    fn record_base_line(&mut self) {
        let heap = &self.process.heap;
        // A thread without a device cannot ask.
        let may_ask = start::is_partial() && self.thread.device != Some(-1);
        if !may_ask || heap.has_base_line.swap(true, Relaxed) {
            return;
        }
        if let Some((free, total)) = queries::memory() {
            let site = self.site_of_query(queries::MEMORY_INFO, queries::HBM);
            self.event(&Event::Memory { site, free, total });
        }
    }

    /// Records how much memory of the thread's device is in use, where asking is allowed: it has a device, and nothing is being captured. On a
    /// stack of ours if the thread's is small: the program did not make the call.
    #[cold]
    #[inline(never)]
    pub fn ask_memory(&mut self) {
        let may_ask = self.process.options.account
            && self.thread.device.is_some_and(|device| device >= 0)
            && !self.process.calls.graph_captures.forbids_copies();
        if may_ask && let Some((free, total)) = thread::run_on_big_stack(queries::memory) {
            let site = self.site_of_query(queries::OWN_MEMORY_INFO, queries::HBM);
            self.event(&Event::Memory { site, free, total });
        }
    }

    /// Records an event.
    #[inline(always)]
    pub fn event(&mut self, event: &Event) {
        self.write(move |encoder, room, ticks, repeats| {
            encoder.event_or_repeat(repeats, room, ticks, event)
        });
    }

    /// Records a call that returned `status`. Without an [`Event`], into which the values would be copied.
    #[inline(always)]
    pub fn call_event(&mut self, site: CallSiteId, values: &Values, status: i32) {
        self.write(move |encoder, room, ticks, repeats| {
            encoder.call_or_repeat(repeats, room, ticks, site, values, status)
        });
    }

    /// Prefetches what a call with these values is looked up in when it is written. The stack walk hides the latency. For calls that frameworks make for
    /// each tensor and operator, thousands of other functions after the last.
    #[inline(always)]
    pub fn prefetch_call(&self, values: &[u64]) {
        self.thread.prefetch_call(values);
    }

    /// As [`Self::prefetch_call`], for an operator's call, which has another executor each time.
    #[inline(always)]
    pub fn prefetch_operator(&self, site: CallSiteId, values: &[u64]) {
        self.thread.prefetch_operator(site, values);
    }

    /// Records an allocation and returns the number of its block; `u64::MAX`, which no block has, if it could not be written.
    #[inline]
    pub fn allocation(&mut self, site: CallSiteId, address: u64, size: u64) -> BlockId {
        self.allocation_at(clock::ticks(clock::source()), site, address, size)
    }

    /// As [`Self::allocation`], at a known time.
    #[inline]
    pub fn allocation_at(
        &mut self,
        ticks: u64,
        site: CallSiteId,
        address: u64,
        size: u64,
    ) -> BlockId {
        let record = AllocationRecord {
            ticks,
            site,
            address,
            size,
        };
        let written = self.thread.write(self.process, record);
        written.unwrap_or(BlockId(u64::MAX))
    }

    /// As [`Self::allocation`], of a handle. With it a call that succeeded, unless `values` is empty: its first is the address.
    pub fn descriptor(&mut self, site: CallSiteId, address: u64, values: &[u64]) -> BlockId {
        let written = self.write(move |encoder, room, ticks, repeats| {
            encoder.descriptor(repeats, room, ticks, site, address, values)
        });
        written.unwrap_or(BlockId(u64::MAX))
    }

    /// Excludes the block from the summary if its thread ignores what it does.
    #[inline(always)]
    pub fn ignore_if_requested(&self, block: BlockId) {
        if self.thread.ignoring > 0 {
            self.process
                .heap
                .ignored
                .add(block, &self.process.heap.live);
        }
    }

    /// Records the release of a numbered block.
    #[inline]
    pub fn release(&mut self, site: CallSiteId, block: BlockId) {
        if self.is_recorded(block) {
            let ticks = clock::ticks(clock::source());
            let record = ReleaseRecord { ticks, site, block };
            self.thread.write(self.process, record);
        }
    }

    /// As [`Self::release`], of a handle.
    #[inline]
    pub fn release_handle(&mut self, site: CallSiteId, handle: BlockId) {
        if self.is_recorded(handle) {
            self.write(move |encoder, room, ticks, repeats| {
                encoder.release_handle(repeats, room, ticks, site, handle)
            });
        }
    }

    /// Whether the block's allocation could be written; counts its release otherwise.
    #[inline(always)]
    fn is_recorded(&self, block: BlockId) -> bool {
        let is_recorded = block != BlockId(u64::MAX);
        if !is_recorded {
            self.process.log.sink.count_dropped_event();
        }
        is_recorded
    }

    #[inline(always)]
    fn write<T>(
        &mut self,
        record: impl Fn(&mut Encoder, &mut [u8], u64, &mut Repeats) -> Option<T>,
    ) -> Option<T> {
        let ticks = clock::ticks(clock::source());
        self.thread.write(
            self.process,
            move |encoder: &mut Encoder, room: &mut [u8], repeats: &mut Repeats| {
                record(encoder, room, ticks, repeats)
            },
        )
    }

    /// Whose runtime is called.
    pub fn vendor(&self) -> &'static Vendor {
        self.hook.function.vendor()
    }

    /// Records the name of a return code, once.
    pub fn define_status(&self, code: i32) {
        let Some(name) = (self.vendor().status_name)(code) else {
            return;
        };
        let mut named = self.process.log.named_statuses.lock();
        if !named.contains(&code) {
            named.push(code);
            self.process.log.sink.define(&Definition::Status {
                code,
                name: name.into(),
            });
        }
    }

    /// The id of a text in the log's string table.
    pub fn string_id(&self, text: &str) -> u64 {
        self.process
            .log
            .strings
            .intern(text, |definition| self.process.log.sink.define(definition))
            .into()
    }
}
