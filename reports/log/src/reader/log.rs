//! A log as a reader sees it: definitions in memory, events on demand.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::PathBuf;

use super::clock::Clock;
use super::error::Corruption;
use super::modules::{Module, Modules};
use super::source::Source;
use crate::end::End;
use crate::layout::{Header, Lost, SEGMENT_CAPACITY, SegmentHeader};
use crate::python::PythonFrame;
use crate::record::{CallSiteId, THREAD_NAME};

/// A call site: the call, its rarely changing arguments, its device and its stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// Number of the function, `u16::MAX` if unknown; see [`Log::function`].
    pub function: u16,
    /// Policy, kind or flag of the call.
    pub argument: u32,
    /// Device, −1 if unknown.
    pub device: i32,
    /// Return addresses and [`PythonFrame`]s, innermost first.
    pub frames: Box<[u64]>,
    /// How many module records precede it, which determines the modules of its frames.
    pub epoch: u32,
}

impl Default for CallSite {
    fn default() -> Self {
        Self {
            function: u16::MAX,
            argument: 0,
            device: -1,
            frames: Box::default(),
            epoch: 0,
        }
    }
}

/// An open log with its definitions; [`Log::events`] reads the rest.
pub struct Log {
    /// Where it came from.
    pub path: PathBuf,
    /// Version, process, clock.
    pub header: Header,
    /// What the writer could not write.
    pub lost: Lost,
    /// How the process ended, if not by itself, and the site that has its stack.
    pub end: Option<(End, CallSiteId)>,
    /// Facts about the process, by key.
    pub properties: BTreeMap<String, String>,
    /// Names of return codes.
    pub statuses: BTreeMap<i32, String>,
    /// Texts that events refer to by number: the program's names for its pools, epochs and blocks.
    pub texts: BTreeMap<u32, String>,
    /// Parts of the definitions that could not be read.
    pub damage: Vec<Corruption>,
    /// Records of types that this version does not know.
    pub unknown_records: u64,
    /// Converts ticks to nanoseconds.
    pub clock: Clock,
    pub(super) functions: Vec<String>,
    pub(super) sites: Vec<CallSite>,
    /// How many site numbers were skipped.
    pub(super) undefined_sites: usize,
    pub(crate) modules: Modules,
    /// Function and file of Python code, by number.
    pub(super) python: HashMap<u32, (String, String)>,
    pub(crate) source: Source,
    /// Event segments in use: index and header.
    pub(crate) segments: Vec<(u32, SegmentHeader)>,
    /// For a log that grew while it was read: the time in ticks up to which events are read.
    pub(crate) until: Option<u64>,
}

impl Log {
    /// A log of which only the header is known.
    pub(super) fn with_header(path: PathBuf, header: Header, lost: Lost, source: Source) -> Self {
        Self {
            path,
            header,
            lost,
            end: None,
            properties: BTreeMap::new(),
            statuses: BTreeMap::new(),
            texts: BTreeMap::new(),
            damage: Vec::new(),
            unknown_records: 0,
            clock: Clock::new(&header, &[]),
            functions: Vec::new(),
            sites: vec![CallSite::default()],
            undefined_sites: 0,
            modules: Modules::default(),
            python: HashMap::new(),
            source,
            segments: Vec::new(),
            until: None,
        }
    }

    /// The open file that it is read from; `None` for a packed log or one in memory.
    pub fn file(&self) -> Option<&File> {
        self.source.file()
    }

    /// Adds the end that the header has, with a site of its own for its stack. All definitions have been read.
    pub(super) fn set_end(&mut self, end: End) {
        let id = CallSiteId(self.sites.len() as u32);
        self.sites.push(CallSite {
            frames: end.frames.clone().into_boxed_slice(),
            epoch: self.modules.epoch(),
            ..CallSite::default()
        });
        self.end = Some((end, id));
    }

    /// A site; an empty one if the log does not define it.
    pub fn site(&self, id: CallSiteId) -> &CallSite {
        self.sites.get(id.0 as usize).unwrap_or(&self.sites[0])
    }

    /// Number of sites, including site 0 (unknown).
    pub fn site_count(&self) -> usize {
        self.sites.len()
    }

    /// The name of the function that a site calls; empty if unknown.
    pub fn function(&self, id: CallSiteId) -> &str {
        self.functions
            .get(usize::from(self.site(id).function))
            .map_or("", String::as_str)
    }

    /// The name of a thread, if it had one of its own.
    pub fn thread_name(&self, tid: u32) -> Option<&str> {
        let name = self.properties.get(&format!("{THREAD_NAME}{tid}"))?;
        Some(name.as_str()).filter(|name| !name.is_empty())
    }

    /// Function and file of a Python frame, if the log has them.
    pub fn python(&self, frame: PythonFrame) -> Option<(&str, &str)> {
        let (function, file) = self.python.get(&frame.code)?;
        Some((function, file))
    }

    /// The module that contained `address` when the site with `epoch` was recorded.
    pub fn module_at(&self, address: u64, epoch: u32) -> Option<&Module> {
        self.modules.at(address, epoch)
    }

    /// Modules in load order.
    pub fn modules(&self) -> &[Module] {
        self.modules.list()
    }

    /// A return code's name, if the log gives one.
    pub fn status_name(&self, code: i32) -> Option<&str> {
        self.statuses.get(&code).map(String::as_str)
    }

    /// Bytes that the headers of event segments claim: the total for showing the progress of a long read.
    pub fn event_bytes(&self) -> u64 {
        self.segments
            .iter()
            .map(|(_, segment)| segment.committed.min(SEGMENT_CAPACITY as u64))
            .sum()
    }
}
