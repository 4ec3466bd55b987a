//! One call of a hooked function: what every behaviour needs, and nothing that formats, decides or calls the runtime.

use crate::next::Interposed;
use crate::process::Process;
use crate::sites::{self, Key, Known};
use crate::stack::rule::Frame;
use crate::stack::trace::Stack;
use crate::switch::{OFF, SHORT, STATE};
use crate::thread::{self, Inside, Thread};
use crate::uncancelled::Uncancelled;
use crate::{clock, interpose, modules, python, say, snapshot};
use aclsan_log::encode::Encoder;
use aclsan_log::{BlockId, Definition, Event, SiteId};
use aclsan_rules::profile::Profile;
use aclsan_rules::{Call, Family, Finding, Function, functions, statuses};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Puts an event on record that no call of the program's makes, whichever thread comes by.
pub fn note(inside: &Inside, process: &'static Process, event: &Event) {
    let ticks = clock::ticks(clock::source());
    Thread::with(inside, |thread| {
        thread.write(process, |encoder, room| encoder.event(room, ticks, event));
    });
}

/// A call that entered a hook. While it lives, the thread's further calls are only forwarded.
pub struct Hook {
    inside: Inside,
    /// What was called.
    pub function: &'static Function,
    number: u16,
    leaf: Frame,
    /// The code that `leaf` lies in, where that is not the shim's.
    own: Option<(u64, u64)>,
    /// Whether nothing is recorded: blocks that we have moved are found all the same.
    is_off: bool,
}

/// The state that a behaviour records into.
pub struct Recorder<'a> {
    /// The process's.
    pub process: &'static Process,
    /// The thread's.
    pub thread: &'a mut Thread,
    hook: &'a Hook,
}

impl Hook {
    /// `None` for a call from inside another hook. `leaf` is the exported function's own frame, where the stack is walked from.
    #[inline(always)]
    pub fn enter(row: &'static Interposed, leaf: Frame) -> Option<Self> {
        let state = STATE.load(Relaxed);
        let is_off = state != 0 && Self::attend(row, leaf, state);
        Self::enter_now(row, leaf, is_off)
    }

    /// What is to be done before a call; whether it is not to be recorded.
    #[cold]
    #[inline(never)]
    fn attend(row: &'static Interposed, leaf: Frame, state: u8) -> bool {
        let _uncancelled = Uncancelled::enter();
        let is_off = state & OFF != 0;
        if state & SHORT != 0 && STATE.fetch_and(!SHORT, Relaxed) & SHORT != 0 {
            say::warning(
                "memory is short: aclsan records nothing more, counts what it does not record, and the program runs on; raise the limit (ulimit -v, ulimit -d), or set stack_depth lower",
            );
        }
        if !is_off && let Some(mut hook) = Self::enter_now(row, leaf, false) {
            hook.number = functions::number("aclsan_snapshot");
            hook.function = &functions::FUNCTIONS[usize::from(hook.number)];
            hook.record(snapshot::take);
        }
        is_off
    }

    #[inline(always)]
    fn enter_now(row: &'static Interposed, leaf: Frame, is_off: bool) -> Option<Self> {
        let inside = Inside::enter_at(leaf)?;
        let (function, number) = row.function();
        if row.is_twin() && inside.is_rest(number) {
            return None;
        }
        Some(Self {
            inside,
            function,
            number,
            leaf,
            own: None,
            is_off,
        })
    }

    /// Whether nothing is recorded any more.
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// The same call, entered through another library of ours, whose code is at `own`.
    pub fn with_own_code(self, own: Option<(u64, u64)>) -> Self {
        Self { own, ..self }
    }

    /// Forwards a call from which the runtime calls the program back: what the program does there counts.
    pub fn step_out<T>(&self, forward: impl FnOnce() -> T) -> T {
        self.inside.step_out(self.number, self.leaf, forward)
    }

    /// Records. A panic in `body` is a bug of ours: it is said once, and the shim only forwards from there on.
    #[inline(always)]
    pub fn record<T>(&self, body: impl FnOnce(&mut Recorder) -> T) -> Option<T> {
        let process = Process::current();
        if self.is_off {
            process.sink.drop_event();
            return None;
        }
        let guarded = AssertUnwindSafe(|| {
            Thread::with(&self.inside, |thread| {
                body(&mut Recorder {
                    process,
                    thread,
                    hook: self,
                })
            })
        });
        match self.inside.ours(|| catch_unwind(guarded)) {
            Ok(done) => Some(done),
            Err(_) => {
                STATE.fetch_or(OFF, Relaxed);
                say::warning(
                    "a bug in aclsan: it records nothing more and the program runs on; please report what stands above",
                );
                None
            }
        }
    }
}

impl Recorder<'_> {
    /// The called function's index among the known calls.
    pub fn number(&self) -> u16 {
        self.hook.number
    }

    /// The call, with its stack.
    #[inline]
    pub fn call(&mut self, argument: u32) -> Call {
        let device = self.thread.device.unwrap_or(-1);
        self.call_on(device, argument)
    }

    /// The same for a call that names the device.
    #[inline]
    pub fn call_on(&mut self, device: i32, argument: u32) -> Call {
        let key = Key {
            function: self.hook.function,
            number: self.hook.number,
            argument,
            device,
        };
        Call {
            function: key.function,
            site: self.site(&key),
            argument,
            device,
        }
    }

    /// Asks ahead for what is known of what the call releases; of another family's, it only comes later. The walk of the stack gives it the
    /// time to arrive, if there is one.
    #[inline(always)]
    pub fn prefetch_release(&self, address: u64) {
        if self.thread.unsampled == 0 {
            let family = self.hook.function.family().unwrap_or(Family::Device);
            self.process.live.prefetch_entry(family.key(address));
        }
    }

    /// The same for what the call has allocated.
    #[inline(always)]
    pub fn prefetch_allocation(&self, address: u64) {
        if self.thread.unsampled == 0 {
            self.process.live.prefetch(address);
        }
    }

    /// Where the function returns to.
    pub fn caller(&mut self) -> Option<u64> {
        let own = self.hook.own.unwrap_or(self.process.own);
        let unloaded = modules::UNLOADED.load(Relaxed);
        let stack = self.thread.trace.capture(self.hook.leaf, own, unloaded);
        stack.frames().first().map(|frame| frame.pc)
    }

    #[inline]
    fn site(&mut self, key: &Key) -> SiteId {
        let process = self.process;
        let own = self.hook.own.unwrap_or(process.own);
        let sample = process.options.stack_sample.0;
        if sample > 1 {
            if self.thread.unsampled > 0 {
                self.thread.unsampled -= 1;
                return self.near_site(key, own);
            }
            self.thread.unsampled = self.thread.gaps.next(sample);
        }
        let stack = self
            .thread
            .trace
            .capture(self.hook.leaf, own, modules::UNLOADED.load(Relaxed));
        let hash = sites::hash(key, stack.hash ^ python::hash() ^ modules::salt());
        match process.sites.find(hash) {
            Some(id) => id,
            None if process.sites.is_full() => self.bare_site(key),
            None => thread::with_room(|| new_site(process, key, &stack)),
        }
    }

    /// The site of a call whose stack is one too many.
    #[cold]
    #[inline(never)]
    fn bare_site(&mut self, key: &Key) -> SiteId {
        static SAID: AtomicBool = AtomicBool::new(false);
        self.process.sink.drop_stack();
        if !SAID.swap(true, Relaxed) {
            say::warning(
                "there are more stacks than can be kept: further ones are recorded without frames; set stack_depth lower, or stack_sample",
            );
        }
        match self.process.sites.find(sites::hash(key, modules::salt())) {
            Some(id) => id,
            None => thread::with_room(|| new_near_site(self.process, key, 0)),
        }
    }

    /// The site of a call whose stack is not taken.
    fn near_site(&mut self, key: &Key, own: (u64, u64)) -> SiteId {
        let pc = self.thread.trace.nearest(self.hook.leaf, own);
        match self
            .process
            .sites
            .find(sites::hash(key, pc ^ modules::salt()))
        {
            Some(id) => id,
            None if self.process.sites.is_full() => self.bare_site(key),
            None => thread::with_room(|| new_near_site(self.process, key, pc)),
        }
    }

    /// Asks the runtime for the thread's device, if it is not known. Only where the thread is sure to have one: a question that fails
    /// would leave an error message behind, and programs ask for the last one (onnxruntime takes it for a failure).
    #[inline(always)]
    pub fn learn_device(&mut self) {
        if self.thread.device.is_none() {
            self.thread.device = Some(interpose::current_device().unwrap_or(-1));
        }
    }

    /// Writes an event down.
    pub fn event(&mut self, event: &Event) {
        self.write(|encoder, room, ticks| encoder.event(room, ticks, event));
    }

    /// Writes an allocation down and numbers its block. A block that could not be written has a number that no other has.
    #[inline]
    pub fn allocation(&mut self, site: SiteId, address: u64, size: u64) -> BlockId {
        self.allocation_at(clock::ticks(clock::source()), site, address, size)
    }

    /// The same, where the time is known.
    #[inline]
    pub fn allocation_at(&mut self, ticks: u64, site: SiteId, address: u64, size: u64) -> BlockId {
        let written = self.thread.write(self.process, |encoder, room| {
            encoder.allocation(room, ticks, site, address, size)
        });
        written.unwrap_or(BlockId(u64::MAX))
    }

    /// Keeps a block out of the summary if its thread ignores what it does.
    #[inline(always)]
    pub fn ignore_if_asked(&self, block: BlockId) {
        if self.thread.ignoring > 0 {
            self.process.ignored.add(block, &self.process.live);
        }
    }

    /// Writes the release of a numbered block down.
    #[inline]
    pub fn release(&mut self, site: SiteId, block: BlockId) {
        if block != BlockId(u64::MAX) {
            self.write(|encoder, room, ticks| encoder.release(room, ticks, site, block));
        } else {
            self.process.sink.drop_event(); // Of a block that is not on record.
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
    pub fn name_status(&self, code: i32) {
        let Some(name) = statuses::name(code) else {
            return;
        };
        let mut named = self
            .process
            .named
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !named.contains(&code) {
            named.push(code);
            self.process.sink.define(&Definition::Status {
                code,
                name: name.into(),
            });
        }
    }

    /// Asks the rules, and prints or counts what they found; `true` if they found anything. They are not asked when nobody is told, or the
    /// program wants it so: the log has the facts, and replay asks them again.
    #[inline(always)]
    pub fn judge<F: IntoIterator<Item = Finding>>(
        &self,
        rules: impl FnOnce(&Profile) -> F,
    ) -> bool {
        let process = self.process;
        if !is_told(process) || self.thread.ignoring > 0 {
            return false;
        }
        let found = rules(&process.devices.profile()).into_iter();
        found
            .map(|finding| thread::with_room(|| process.verdict.report(process, &finding)))
            .count()
            > 0
    }
}

/// Whether anybody hears of findings now.
#[inline(always)]
pub fn is_told(process: &Process) -> bool {
    !say::is_quiet() || process.options.halt_on_error
}

#[cold]
#[inline(never)]
fn new_site(process: &'static Process, key: &Key, stack: &Stack) -> SiteId {
    let _uncancelled = Uncancelled::enter();
    // Before any lock of ours: the loader's lock is taken in here.
    let loaded = modules::refresh(process);
    let define = |definition: &Definition| process.sink.define(definition);
    let options = process.options;
    python::consider(&process.searching, options.python(), loaded, &define);
    let hash = sites::hash(key, stack.hash ^ python::hash() ^ modules::salt());
    let frames = python::merged(&process.python, &define, &stack.frames(), options.depth());
    let known = Known { key: *key, frames };
    process
        .sites
        .add(hash, known, |id, known| define_site(process, id, known))
}

/// The same for a call of which the caller alone is recorded.
#[cold]
#[inline(never)]
fn new_near_site(process: &'static Process, key: &Key, pc: u64) -> SiteId {
    let _uncancelled = Uncancelled::enter();
    modules::refresh(process);
    let frames = Box::from_iter((pc != 0).then_some(pc));
    let known = Known { key: *key, frames };
    process.sites.add(
        sites::hash(key, pc ^ modules::salt()),
        known,
        |id, known| define_site(process, id, known),
    )
}

fn define_site(process: &Process, id: SiteId, known: &Known) {
    let Key {
        function,
        number,
        argument,
        device,
    } = known.key;
    if !process.functions[usize::from(number)].swap(true, Relaxed) {
        process.sink.define(&Definition::Function {
            id: number,
            name: function.name.into(),
        });
    }
    process
        .sink
        .define_site(id, number, argument, device, &known.frames);
}
