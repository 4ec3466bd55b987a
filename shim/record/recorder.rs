//! What a behaviour records through: events of one call, in the thread's segment of the log.

use super::Hook;
use crate::runtime::queries;
use crate::state::process::Process;
use crate::state::thread::Thread;
use aclsan_log::encode::Encoder;
use aclsan_log::{BlockId, CallSiteId, Definition, Event};
use aclsan_os::clock;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::statuses;
use std::sync::PoisonError;

/// The state that a behaviour records into.
pub struct Recorder<'a> {
    /// The process's.
    pub process: &'static Process,
    /// The thread's.
    pub thread: &'a mut Thread,
    pub(super) hook: &'a Hook,
}

impl Recorder<'_> {
    /// The called function's index among the known calls.
    pub fn function_id(&self) -> u16 {
        self.hook.function_id
    }

    /// Asks ahead for what is known of what the call releases; of another family's, it only comes later. The walk of the stack gives it the
    /// time to arrive, if there is one.
    #[inline(always)]
    pub fn prefetch_release(&self, address: u64) {
        if self.thread.calls_until_sample == 0 {
            let family = self.hook.function.family().unwrap_or(Family::Device);
            self.process.heap.live.prefetch_entry(family.key(address));
        }
    }

    /// The same for what the call has allocated.
    #[inline(always)]
    pub fn prefetch_allocation(&self, address: u64) {
        if self.thread.calls_until_sample == 0 {
            self.process.heap.live.prefetch(address);
        }
    }

    /// Asks the runtime for the thread's device, if it is not known. Only where the thread is sure to have one: a question that fails
    /// would leave an error message behind, and programs ask for the last one (onnxruntime takes it for a failure).
    #[inline(always)]
    pub fn detect_device(&mut self) {
        if self.thread.device.is_none() {
            self.thread.device = Some(queries::current_device().unwrap_or(-1));
        }
    }

    /// Writes an event down.
    pub fn event(&mut self, event: &Event) {
        self.write(|encoder, room, ticks| encoder.event(room, ticks, event));
    }

    /// Writes an allocation down and numbers its block. A block that could not be written has a number that no other has.
    #[inline]
    pub fn allocation(&mut self, site: CallSiteId, address: u64, size: u64) -> BlockId {
        self.allocation_at(clock::ticks(clock::source()), site, address, size)
    }

    /// The same, where the time is known.
    #[inline]
    pub fn allocation_at(
        &mut self,
        ticks: u64,
        site: CallSiteId,
        address: u64,
        size: u64,
    ) -> BlockId {
        let written = self.thread.write(self.process, |encoder, room| {
            encoder.allocation(room, ticks, site, address, size)
        });
        written.unwrap_or(BlockId(u64::MAX))
    }

    /// Keeps a block out of the summary if its thread ignores what it does.
    #[inline(always)]
    pub fn ignore_if_requested(&self, block: BlockId) {
        if self.thread.ignoring > 0 {
            self.process
                .heap
                .ignored
                .add(block, &self.process.heap.live);
        }
    }

    /// Writes the release of a numbered block down.
    #[inline]
    pub fn release(&mut self, site: CallSiteId, block: BlockId) {
        if block != BlockId(u64::MAX) {
            self.write(|encoder, room, ticks| encoder.release(room, ticks, site, block));
        } else {
            self.process.log.sink.count_dropped_event(); // Of a block that is not on record.
        }
    }

    #[inline(always)]
    fn write<T>(
        &mut self,
        record: impl Fn(&mut Encoder, &mut [u8], u64) -> Option<T>,
    ) -> Option<T> {
        let ticks = clock::ticks(clock::source());
        self.thread
            .write(self.process, |encoder, room| record(encoder, room, ticks))
    }

    /// Puts the name of a return code on record, once.
    pub fn define_status(&self, code: i32) {
        let Some(name) = statuses::name(code) else {
            return;
        };
        let mut named = self
            .process
            .log
            .named_statuses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !named.contains(&code) {
            named.push(code);
            self.process.log.sink.define(&Definition::Status {
                code,
                name: name.into(),
            });
        }
    }

    /// The number of a text.
    pub fn string_id(&self, text: &str) -> u64 {
        self.process
            .log
            .strings
            .intern(text, |definition| self.process.log.sink.define(definition))
            .into()
    }
}
