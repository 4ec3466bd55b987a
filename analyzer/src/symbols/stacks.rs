//! Symbolized stacks of the call sites of one log.

use std::collections::BTreeSet;
use std::ptr;

use aclsan_frames::Pattern;
use aclsan_log::reader;
use aclsan_log::{CallSiteId, Log, PythonFrame};
use aclsan_render::model::{Frame, Frames, Language, Name, SourceLines, StackKey, Trace};
use aclsan_rules::api::fast_hash::FastMap;

use super::sources::{self, Place};
use super::trimming;
use crate::symbols::{Module, ModuleId, Symbols, UNKNOWN_MODULE};

/// Resolves the sites of a log, each address once.
pub struct Stacks<'a> {
    log: &'a Log,
    symbols: &'a mut Symbols,
    /// By address and epoch: a library can be unloaded and another loaded at its place.
    frames: FastMap<(u64, u32), Vec<Frame>>,
    modules: Modules<'a>,
    /// By site: the same site is needed again and again, for everything that is reported about it.
    known: FastMap<CallSiteId, Frames>,
    prints: FastMap<CallSiteId, StackKey>,
    /// The program's allocation wrappers: the user's, and those that the log's options name.
    wrappers: Vec<Pattern>,
}

/// Modules of the log used so far.
#[derive(Default)]
struct Modules<'a> {
    list: Vec<(&'a reader::Module, Module, ModuleId)>,
    /// Index of the last address's module, which the next mostly shares.
    last: usize,
}

impl<'a> Modules<'a> {
    /// The index of a module in the list.
    #[inline]
    fn index_of(&mut self, module: &'a reader::Module, symbols: &mut Symbols) -> usize {
        let is_it = |(known, ..): &(&reader::Module, Module, ModuleId)| ptr::eq(*known, module);
        if !self.list.get(self.last).is_some_and(is_it) {
            let known = self.list.iter().position(is_it);
            self.last = known.unwrap_or_else(|| {
                let of_log = of_log(module);
                let module_id = symbols.module_id(&of_log);
                self.list.push((module, of_log, module_id));
                self.list.len() - 1
            });
        }
        self.last
    }
}

impl<'a> Stacks<'a> {
    /// For the sites of `log`.
    pub fn new(log: &'a Log, symbols: &'a mut Symbols) -> Self {
        let mut wrappers = symbols.wrappers.clone();
        wrappers.extend(trimming::wrappers_of(log));
        Self {
            log,
            symbols,
            wrappers,
            frames: FastMap::default(),
            modules: Modules::default(),
            known: FastMap::default(),
            prints: FastMap::default(),
        }
    }

    /// Resolves ahead of time what [`Stacks::trace`] and [`Stacks::print`] will need for these sites.
    pub fn prepare(&mut self, sites: &BTreeSet<CallSiteId>) {
        let mut unknown: Vec<Vec<u64>> = Vec::new();
        for &id in sites.iter().filter(|id| **id != CallSiteId(0)) {
            let site = self.log.site(id);
            let mut print = Some(StackKey::default());
            for &address in &site.frames {
                let of = self.module_of(address, site.epoch);
                let known = of.and_then(|(at, offset)| self.known_print(at, offset));
                match (&mut print, known) {
                    (Some(print), Some(known)) => print.add(known),
                    _ => print = None,
                }
                if let (Some((at, _)), None) = (of, known) {
                    unknown.resize(unknown.len().max(at + 1), Vec::new());
                    unknown[at].push(address);
                }
            }
            // Which frames count is known of whole stacks only.
            let print = print.filter(|_| self.wrappers.is_empty());
            self.prints.extend(print.map(|print| (id, print)));
        }
        for ((_, module, module_id), addresses) in self.modules.list.iter().zip(unknown) {
            self.symbols.prepare((*module_id, module), &addresses);
        }
    }

    /// The index of an address's module, and the address in its file. `None` outside modules.
    #[inline]
    fn module_of(&mut self, address: u64, epoch: u32) -> Option<(usize, u64)> {
        if PythonFrame::of(address).is_some() {
            return None;
        }
        let module = self.log.module_at(address, epoch)?;
        let at = self.modules.index_of(module, self.symbols);
        Some((at, address.wrapping_sub(module.bias)))
    }

    fn known_print(&self, module: usize, offset: u64) -> Option<&StackKey> {
        self.symbols.print(self.modules.list[module].2, offset)
    }

    /// The call at `site` with its stack; `what` says what the call did.
    pub fn trace(&mut self, what: &'static str, site: CallSiteId) -> Trace {
        if site == CallSiteId(0) {
            return Trace {
                what,
                ..Trace::default()
            };
        }
        let frames = match self.known.get(&site) {
            Some(frames) => frames.clone(),
            None => {
                let recorded = self.log.site(site);
                let mut frames = Vec::with_capacity(recorded.frames.len());
                for &address in &recorded.frames {
                    frames.extend_from_slice(self.frames(address, recorded.epoch));
                }
                trimming::trim(&mut frames, &self.wrappers);
                let frames = Frames::from(frames);
                self.known.insert(site, frames.clone());
                frames
            }
        };
        Trace {
            what,
            function: self.function(site).to_owned(),
            frames,
            source: None,
        }
    }

    /// As [`Stacks::trace`], with the source lines around the first frame that a text shows.
    pub fn trace_with_source(&mut self, what: &'static str, site: CallSiteId) -> Trace {
        let mut trace = self.trace(what, site);
        trace.source = self.source(&trace.frames, site).map(Box::new);
        trace
    }

    fn source(&mut self, frames: &Frames, site: CallSiteId) -> Option<SourceLines> {
        let (number, frame) = trimming::top(frames)?;
        let newest = match frame.language {
            Language::Python => sources::realtime(self.log.header.started.realtime_ns),
            Language::Native => {
                let module = self
                    .log
                    .module_at(frame.address, self.log.site(site).epoch)?;
                let at = self.modules.index_of(module, self.symbols);
                self.symbols.builds[self.modules.list[at].2.0]
                    .code
                    .modified?
            }
        };
        let place = Place {
            frame: number,
            file: frame.file.as_ref()?,
            line: frame.line?,
            column: frame.column,
        };
        let sysroot = self.symbols.paths.sysroot.clone();
        let sources = self.symbols.sources.as_mut()?;
        sources.lines(&place, newest, sysroot.as_deref())
    }

    /// The name of a thread of the log, if it had one of its own.
    pub fn thread_name(&self, tid: u32) -> Option<String> {
        self.log.thread_name(tid).map(str::to_owned)
    }

    /// The function that `site` calls; empty if unknown.
    pub fn function(&self, site: CallSiteId) -> &'a str {
        self.log.function(site)
    }

    /// The key of the stack at `site`. Stacks known from an earlier log are keyed without building frames.
    pub fn print(&mut self, site: CallSiteId) -> StackKey {
        if site == CallSiteId(0) {
            return StackKey::default();
        }
        if let Some(known) = self.prints.get(&site) {
            return *known;
        }
        let print = match self.wrappers.is_empty() {
            true => {
                let recorded = self.log.site(site);
                let mut print = StackKey::default();
                for &address in &recorded.frames {
                    print.add(&self.print_of(address, recorded.epoch));
                }
                print
            }
            false => {
                let trace = self.trace("", site);
                let mut print = StackKey::default();
                for frame in trace.callers() {
                    print.add(&self.symbols.printer.frames(std::slice::from_ref(frame)));
                }
                print
            }
        };
        self.prints.insert(site, print);
        print
    }

    /// The key of several calls, each with what it did.
    pub fn calls(&mut self, calls: impl Iterator<Item = (&'static str, CallSiteId)>) -> u64 {
        let calls: Vec<_> = calls
            .map(|(what, site)| (what, self.function(site), self.print(site)))
            .collect();
        self.symbols.printer.calls(calls.into_iter())
    }

    /// The key of a site that allocates blocks of `family`.
    pub fn place(&mut self, family: &str, site: CallSiteId) -> u64 {
        let print = self.print(site);
        self.symbols
            .printer
            .place(family, self.function(site), &print)
    }

    fn print_of(&mut self, address: u64, epoch: u32) -> StackKey {
        let of = self.module_of(address, epoch);
        if let Some(known) = of.and_then(|(at, offset)| self.known_print(at, offset)) {
            return *known;
        }
        self.frames(address, epoch);
        let frames = &self.frames[&(address, epoch)];
        let print = self.symbols.printer.frames(frames);
        if let Some((at, offset)) = of {
            (self.symbols).printed(self.modules.list[at].2, offset, print);
        }
        print
    }

    fn frames(&mut self, address: u64, epoch: u32) -> &[Frame] {
        let (log, symbols, modules) = (self.log, &mut *self.symbols, &mut self.modules);
        self.frames.entry((address, epoch)).or_insert_with(|| {
            if let Some(frame) = PythonFrame::of(address) {
                return vec![python(log, frame)];
            }
            let frames = match log.module_at(address, epoch) {
                None => symbols.resolve(None, address, true),
                Some(module) => {
                    let at = modules.index_of(module, symbols);
                    let (_, module, module_id) = &modules.list[at];
                    symbols.resolve_in((*module_id, module), address, true)
                }
            };
            let frames = frames.into_iter().map(|frame| Frame {
                language: Language::Native,
                address,
                function: frame.function,
                file: frame.file,
                line: frame.line,
                module: frame.module,
                offset: frame.offset,
                inlined: frame.inlined,
                label: frame.label,
                column: frame.column,
                trimmed: None,
            });
            frames.collect()
        })
    }
}

fn of_log(module: &reader::Module) -> Module {
    Module {
        path: module.path.clone(),
        start: module.start,
        end: module.end,
        bias: module.bias,
        build_id: module.build_id.clone(),
    }
}

/// A Python frame, named by the log. A damaged log may lack the names.
fn python(log: &Log, frame: PythonFrame) -> Frame {
    let (function, file) = log.python(frame).unzip();
    if let Some(file) = file.and_then(|file| file.strip_prefix(PythonFrame::NATIVE)) {
        return Frame {
            function: function.map(Name::from),
            file: (frame.line > 0).then(|| file.into()),
            line: Some(frame.line).filter(|&line| line > 0),
            module: file.into(),
            ..Frame::default()
        };
    }
    Frame {
        language: Language::Python,
        function: function.map(Name::from),
        file: file.map(Name::from),
        line: Some(frame.line).filter(|&line| line > 0),
        module: file.unwrap_or(UNKNOWN_MODULE).into(),
        ..Frame::default()
    }
}
