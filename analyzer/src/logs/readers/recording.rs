//! A log of another tool's recording under construction: sites, functions and texts, each defined once.

use std::collections::HashMap;
use std::hash::Hash;

use aclsan_log::builder::LogBuilder;
use aclsan_log::{CallSiteId, Definition, Event, PythonFrame, Values};

use super::Imported;

/// The property that names a log's source.
const PROPERTY: &str = "imported_from";

/// A frame as text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The function, or a substitute for its name.
    pub function: String,
    /// Source file, or module if the file is unknown; prefixed with [`PythonFrame::NATIVE`] for native frames.
    pub file: String,
    /// Line from 1; 0 if unknown.
    pub line: u32,
}

/// A log under construction; `S` identifies a stack of the recording.
pub struct Recording<S> {
    /// Its builder.
    pub synth: LogBuilder,
    sites: HashMap<(&'static str, u32, i32, S), CallSiteId>,
    codes: HashMap<(String, String), u32>,
    texts: HashMap<String, u32>,
    events: u64,
}

impl<S: Copy + Eq + Hash> Recording<S> {
    /// A log of process `pid`, whose recording, the file `source`, begins at `began_ns`.
    pub fn new(pid: u32, began_ns: u64, source: &str, program: &str) -> Self {
        let mut synth = LogBuilder::default();
        synth.process(pid, began_ns);
        for (key, value) in [(PROPERTY, source), ("arguments", program)] {
            let (key, value) = (key.to_owned(), value.to_owned());
            synth.define(Definition::Property { key, value });
        }
        Self {
            synth,
            sites: HashMap::new(),
            codes: HashMap::new(),
            texts: HashMap::new(),
            events: 0,
        }
    }

    /// The site of a call; `frames` gives the frames of its stack, innermost first.
    pub fn site(
        &mut self,
        (function, argument, device): (&'static str, u32, i32),
        stack: S,
        frames: impl FnOnce() -> Vec<Frame>,
    ) -> CallSiteId {
        let key = (function, argument, device, stack);
        if let Some(&site) = self.sites.get(&key) {
            return site;
        }
        let frames: Vec<u64> = (frames().into_iter())
            .take(aclsan_log::layout::MAX_FRAMES)
            .map(|frame| {
                let code = self.code(frame.function, frame.file);
                let line = frame.line;
                PythonFrame { code, line }.address()
            })
            .collect();
        let site = self.synth.site(function, argument, device, &frames);
        self.sites.insert(key, site);
        site
    }

    fn code(&mut self, function: String, file: String) -> u32 {
        let next = self.codes.len() as u32;
        let key = (function.clone(), file.clone());
        *self.codes.entry(key).or_insert_with(|| {
            let definition = Definition::PythonCode {
                id: next,
                function,
                file,
            };
            self.synth.define(definition);
            next
        })
    }

    /// The number of a text.
    pub fn text(&mut self, text: &str) -> u64 {
        if let Some(&id) = self.texts.get(text) {
            return id.into();
        }
        let id = self.texts.len() as u32 + 1;
        self.texts.insert(text.to_owned(), id);
        let text = text.to_owned();
        self.synth.define(Definition::Text { id, text });
        id.into()
    }

    /// An allocation.
    pub fn allocation(
        &mut self,
        tid: u32,
        site: CallSiteId,
        (address, size): (u64, u64),
    ) -> aclsan_log::BlockId {
        self.events += 1;
        self.synth.allocation(tid, site, address, size)
    }

    /// A successful call.
    pub fn call(&mut self, tid: u32, site: CallSiteId, values: &[u64]) {
        let values = Values::new(values);
        let status = 0;
        self.event(
            tid,
            Event::Call {
                site,
                values,
                status,
            },
        );
    }

    /// Any other event.
    pub fn event(&mut self, tid: u32, event: Event) {
        self.synth.event(tid, event);
        self.events += 1;
    }

    /// The log.
    pub fn finish(self, label: String, unmatched_releases: u64) -> Imported {
        Imported {
            label,
            bytes: self.synth.bytes(),
            events: self.events,
            unmatched_releases,
        }
    }
}
