//! The call site of a hooked call: function, argument, device and stack, interned.

use super::Recorder;
use crate::state::process::Process;
use crate::state::{modules, thread};
use aclsan_log::branch::unlikely;
use aclsan_log::{CallSiteId, Definition};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::stderr;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::{Call, FUNCTIONS};
use aclsan_tables::call_sites;
use aclsan_tables::call_sites::{CallSite, CallSiteKey};
use aclsan_unwind::frame::NativeFrame;
use aclsan_unwind::{Stack, python};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

impl Recorder<'_> {
    /// Captures the stack and interns the call site.
    #[inline(always)]
    pub fn call(&mut self, argument: u32) -> Call {
        let device = self.thread.device.unwrap_or(-1);
        self.call_on(device, argument)
    }

    /// As [`Self::call`], for a call that names the device.
    #[inline(always)]
    pub fn call_on(&mut self, device: i32, argument: u32) -> Call {
        Call {
            function: self.hook.function,
            site: self.site(device, argument),
            argument,
            device,
        }
    }

    /// The call site of a query that the shim makes itself, without a stack.
    #[cold]
    pub(super) fn site_of_query(&self, number: u16, argument: u32) -> CallSiteId {
        let key = CallSiteKey {
            function: &FUNCTIONS[usize::from(number)],
            number,
            argument,
            device: self.thread.device.unwrap_or(-1),
        };
        thread::run_on_big_stack(|| intern_caller_site(self.process, &key, 0))
    }

    /// The call without its stack, for what is not recorded.
    pub fn call_without_stack(&self, argument: u32) -> Call {
        Call {
            function: self.hook.function,
            site: CallSiteId(0),
            argument,
            device: self.thread.device.unwrap_or(-1),
        }
    }

    /// A call of another function, with a site that has no frames: what the hooked call tells besides.
    pub fn call_besides(&mut self, number: u16) -> Call {
        let function = &FUNCTIONS[usize::from(number)];
        let device = self.thread.device.unwrap_or(-1);
        let key = CallSiteKey {
            function,
            number,
            argument: 0,
            device,
        };
        let site = self.site_without_frames(&key);
        Call {
            function,
            site,
            argument: 0,
            device,
        }
    }

    /// The call as one of another function, from the same place.
    pub fn call_as(&mut self, number: u16) -> Call {
        let function = &FUNCTIONS[usize::from(number)];
        let device = self.thread.device.unwrap_or(-1);
        let key = CallSiteKey {
            function,
            number,
            argument: 0,
            device,
        };
        let stack = self.capture();
        let hash = key.hash(stack.hash ^ python::hash() ^ aclsan_unwind::modules::stack_epoch());
        let site = match self.process.log.call_sites.find(hash) {
            Some(id) => id,
            None if self.process.log.call_sites.is_full() => self.site_without_stack(&key),
            None => {
                let stack = self.with_frames(stack);
                let (process, trace) = (self.process, &self.thread.trace);
                thread::run_on_big_stack(|| {
                    intern_site(process, &key, stack.hash, &trace.frames(stack), &[])
                })
            }
        };
        Call {
            function,
            site,
            argument: 0,
            device,
        }
    }

    /// The call with a site that has no frames, for what nothing shows the place of.
    pub fn call_without_frames(&mut self, argument: u32) -> Call {
        let call = self.call_without_stack(argument);
        let site = self.site_without_frames(&self.key(call.device, argument));
        Call { site, ..call }
    }

    /// The return address of the hooked function.
    pub fn caller(&mut self) -> Option<u64> {
        let stack = self.capture();
        let stack = self.with_frames(stack);
        let frames = self.thread.trace.frames(stack);
        frames.first().map(|frame| frame.pc)
    }

    /// The captured stack, with its frames also if it was recalled.
    #[cold]
    pub(super) fn with_frames(&mut self, stack: Stack) -> Stack {
        if !stack.is_recalled() {
            return stack;
        }
        let hook = self.hook;
        let own = hook.own_range.unwrap_or(self.process.code.own_range);
        let generation = aclsan_unwind::modules::UNLOAD_COUNT.load(Relaxed);
        let trace = &mut self.thread.trace;
        trace.capture_anew(&hook.leaf, own, generation, hook.exit)
    }

    #[inline(always)]
    pub(super) fn capture(&mut self) -> Stack {
        let (process, hook) = (self.process, self.hook);
        let own = || hook.own_range.unwrap_or(process.code.own_range);
        self.thread.trace.capture(
            &hook.leaf,
            own,
            aclsan_unwind::modules::UNLOAD_COUNT.load(Relaxed),
            hook.exit,
        )
    }

    // Not inlined into the many places that call it.
    #[inline(never)]
    fn site(&mut self, device: i32, argument: u32) -> CallSiteId {
        if unlikely(self.thread.samples_stacks) && !self.is_of_sampled_block() {
            if self.thread.calls_until_sample > 0 {
                self.thread.calls_until_sample -= 1;
                return self.site_of_caller(&self.key(device, argument));
            }
            let sample = self.process.options.stack_sample.0;
            self.thread.calls_until_sample = self.thread.sampling.next(sample);
        }
        let stack = self.capture();
        self.site_of(stack, device, argument)
    }

    /// The call site with the thread's stack, as captured.
    #[inline(always)]
    pub(super) fn site_of(&mut self, stack: Stack, device: i32, argument: u32) -> CallSiteId {
        let hash = call_sites::hash(
            self.hook.function_id,
            argument,
            device,
            stack.hash ^ python::hash() ^ aclsan_unwind::modules::stack_epoch(),
        );
        match self.known_site(stack, hash) {
            Some(id) => id,
            None => self.new_site(device, argument, stack),
        }
    }

    /// The call site with this hash, if it has been interned. Kept with the stack, which is at hand, where the table's slot is mostly in no cache.
    #[inline(always)]
    pub(super) fn known_site(&mut self, stack: Stack, hash: u64) -> Option<CallSiteId> {
        if let Some(noted) = self.thread.trace.noted(stack, hash) {
            return Some(CallSiteId(noted));
        }
        let known = self.process.log.call_sites.find(hash)?;
        self.thread.trace.note(stack, hash, known.0);
        Some(known)
    }

    pub(super) fn key(&self, device: i32, argument: u32) -> CallSiteKey {
        CallSiteKey {
            function: self.hook.function,
            number: self.hook.function_id,
            argument,
            device,
        }
    }

    #[cold]
    #[inline(never)]
    fn new_site(&mut self, device: i32, argument: u32, stack: Stack) -> CallSiteId {
        let key = self.key(device, argument);
        if self.process.log.call_sites.is_full() {
            return self.site_without_stack(&key);
        }
        let stack = self.with_frames(stack);
        let (process, trace) = (self.process, &self.thread.trace);
        thread::run_on_big_stack(|| {
            intern_site(process, &key, stack.hash, &trace.frames(stack), &[])
        })
    }

    /// Whether the call allocates or releases one of few recorded blocks: each has its whole stack.
    #[inline]
    fn is_of_sampled_block(&self) -> bool {
        let family = self.hook.function.family();
        self.process.options.block_sample > 0 && family.is_some_and(Family::is_memory)
    }

    /// The call site without frames, used once the table of stacks is full.
    #[cold]
    #[inline(never)]
    pub(super) fn site_without_stack(&mut self, key: &CallSiteKey) -> CallSiteId {
        static WARNED: AtomicBool = AtomicBool::new(false);
        self.process.log.sink.count_dropped_stack();
        if !WARNED.swap(true, Relaxed) {
            stderr::warning(
                "too many distinct stacks: further calls are recorded without frames; lower `stack_depth` or set `stack_sample`",
            );
        }
        self.site_without_frames(key)
    }

    /// The call site without frames.
    #[inline(always)]
    fn site_without_frames(&mut self, key: &CallSiteKey) -> CallSiteId {
        let hash = key.hash(aclsan_unwind::modules::stack_epoch());
        match self.thread.without_frames {
            (last, id) if last == hash && id != CallSiteId(0) => id,
            _ => self.other_site_without_frames(key, hash),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_site_without_frames(&mut self, key: &CallSiteKey, hash: u64) -> CallSiteId {
        let id = match self.process.log.call_sites.find(hash) {
            Some(id) => id,
            None => thread::run_on_big_stack(|| intern_caller_site(self.process, key, 0)),
        };
        self.thread.without_frames = (hash, id);
        id
    }

    /// The call site of a call that is not sampled: only its caller is recorded.
    fn site_of_caller(&mut self, key: &CallSiteKey) -> CallSiteId {
        let (own, exit) = (self.hook.own_range, self.hook.exit);
        let own = own.unwrap_or(self.process.code.own_range);
        let pc = self.thread.trace.nearest(self.hook.leaf, own, exit);
        match self
            .process
            .log
            .call_sites
            .find(key.hash(pc ^ aclsan_unwind::modules::stack_epoch()))
        {
            Some(id) => id,
            None if self.process.log.call_sites.is_full() => self.site_without_stack(key),
            None => thread::run_on_big_stack(|| intern_caller_site(self.process, key, pc)),
        }
    }
}

/// Interns a new site; `outer` are frames beyond those of the thread.
#[cold]
#[inline(never)]
pub(super) fn intern_site(
    process: &'static Process,
    key: &CallSiteKey,
    stack: u64,
    frames: &[NativeFrame],
    outer: &[u64],
) -> CallSiteId {
    let _uncancelled = CancelGuard::enter();
    // Before any of our locks: this takes the loader's lock.
    let loaded = modules::refresh(process);
    let define = |definition: &Definition| process.log.sink.define(definition);
    let options = process.options;
    python::detect(&process.code.detection, options.python(), loaded, &define);
    let hash = key.hash(stack ^ python::hash() ^ aclsan_unwind::modules::stack_epoch());
    let mut frames = python::merge_native(&process.code.python, &define, frames, options.depth());
    if !outer.is_empty() {
        // The thread's own outermost frames only start it.
        let most = options.depth();
        let own = frames
            .len()
            .min(most.saturating_sub(outer.len()).max(most / 2));
        let joined = frames[..own].iter().chain(outer);
        frames = joined.copied().take(most).collect();
    }
    let known = CallSite { key: *key, frames };
    process
        .log
        .call_sites
        .intern(hash, known, |id, known| define_site(process, id, known))
}

/// As [`intern_site`], with the caller as the only frame.
#[cold]
#[inline(never)]
fn intern_caller_site(process: &'static Process, key: &CallSiteKey, pc: u64) -> CallSiteId {
    let _uncancelled = CancelGuard::enter();
    modules::refresh(process);
    let frames = Box::from_iter((pc != 0).then_some(pc));
    let known = CallSite { key: *key, frames };
    process.log.call_sites.intern(
        key.hash(pc ^ aclsan_unwind::modules::stack_epoch()),
        known,
        |id, known| define_site(process, id, known),
    )
}

fn define_site(process: &Process, id: CallSiteId, known: &CallSite) {
    let CallSiteKey {
        function,
        number,
        argument,
        device,
    } = known.key;
    if !process.log.named_functions[usize::from(number)].swap(true, Relaxed) {
        process.log.sink.define(&Definition::Function {
            id: number,
            name: function.name.into(),
        });
    }
    process
        .log
        .sink
        .define_site(id, number, argument, device, &known.frames);
}
