//! A log as a reader sees it: definitions in memory, events on demand.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

mod clock;
mod definitions;
mod error;
mod growing;
mod modules;
mod segment;
mod source;
mod torn;

pub use clock::Clock;
pub use error::{Damage, LogError};
pub(crate) use growing::cut;
pub use modules::Module;
use modules::Modules;
pub(crate) use segment::{read_segment, segment_offset, undecodable};
pub(crate) use source::Source;
pub use source::{Holes, ReadAt};

use crate::layout::*;
use crate::merge::Events;
use crate::python::PythonFrame;
use crate::record::SiteId;

/// A call, its arguments that rarely change, its device and its stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Number of the function, `u16::MAX` when not known; see [`Log::function`].
    pub function: u16,
    /// Policy, kind or flag of the call.
    pub argument: u32,
    /// Device, −1 when not known.
    pub device: i32,
    /// Return addresses and [`PythonFrame`]s, innermost first.
    pub frames: Box<[u64]>,
    /// How many module records came before: which modules the frames lie in.
    pub epoch: u32,
}

impl Default for Site {
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

/// An open log: its definitions; [`Log::events`] reads the rest.
pub struct Log {
    /// Where it came from.
    pub path: PathBuf,
    /// Version, process, clock.
    pub header: Header,
    /// What the writer could not write.
    pub lost: Lost,
    /// Facts about the process, by key.
    pub properties: BTreeMap<String, String>,
    /// Names of return codes.
    pub statuses: BTreeMap<i32, String>,
    /// Texts that events name by number: what the program calls its pools, epochs and blocks.
    pub texts: BTreeMap<u32, String>,
    /// Parts of the definitions that could not be read.
    pub damage: Vec<Damage>,
    /// Records of types that this version does not know.
    pub unknown_records: u64,
    /// Ticks to nanoseconds.
    pub clock: Clock,
    functions: Vec<String>,
    sites: Vec<Site>,
    /// Numbers of sites that were left out.
    gaps: usize,
    modules: Modules,
    /// Function and file of Python code, by number.
    python: HashMap<u32, (String, String)>,
    pub(crate) source: Source,
    /// Event segments in use, by index and header.
    pub(crate) segments: Vec<(u32, SegmentHeader)>,
    /// Up to which time events are read, in ticks, of a log that grew while it was read.
    pub(crate) until: Option<u64>,
}

impl Log {
    /// Opens a log and reads its definitions.
    ///
    /// # Errors
    /// [`LogError`] when nothing of the file can be used. Damage behind the header is no error: see [`Log::damage`].
    pub fn open(path: &Path) -> Result<Self, LogError> {
        Self::open_sparse(path, |_, from| Some(from))
    }

    /// The same, where `holes` tells where in a file the next byte is that was ever written, `None` if there is none: most of a file may
    /// be a hole, and a log may claim a terabyte that is one.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn open_sparse(path: &Path, holes: Holes) -> Result<Self, LogError> {
        let io = |source| LogError::Io {
            path: path.to_owned(),
            source,
        };
        let not_a_log = || LogError::NotALog {
            path: path.to_owned(),
        };
        // Asked before it is opened: opening a pipe waits for ever.
        if !fs::metadata(path).map_err(io)?.is_file() {
            return Err(not_a_log());
        }
        let file = File::open(path).map_err(io)?;
        let meta = file.metadata().map_err(io)?;
        if !meta.is_file() {
            return Err(not_a_log());
        }
        Self::read(path, Source::File(file, holes), meta.len())
    }

    /// Reads a log that is in memory; `name` stands for its path in messages.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, LogError> {
        let length = bytes.len() as u64;
        Self::read(Path::new(name), Source::Bytes(bytes), length)
    }

    /// Reads a log of `length` bytes from elsewhere; `path` stands for it in messages.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn from_source(
        path: &Path,
        source: Box<dyn ReadAt>,
        length: u64,
    ) -> Result<Self, LogError> {
        Self::read(path, Source::Other(source), length)
    }

    fn read(path: &Path, source: Source, length: u64) -> Result<Self, LogError> {
        let path = path.to_owned();
        let mut head = [0; HEADER_USED];
        let got = source.read(&mut head, 0).map_err(|source| LogError::Io {
            path: path.clone(),
            source,
        })?;
        match () {
            () if length == 0 => return Err(LogError::Empty { path }),
            () if got < 10 || head[..8] != MAGIC => return Err(LogError::NotALog { path }),
            () if u16::from_le_bytes([head[8], head[9]]) > VERSION => {
                return Err(LogError::TooNew {
                    path,
                    found: u16::from_le_bytes([head[8], head[9]]),
                });
            }
            () if length < HEADER_BYTES as u64 => {
                return Err(LogError::CutShort {
                    path,
                    bytes: length,
                });
            }
            () => {}
        }
        let Some(header) = Header::decode(&head) else {
            return Err(LogError::Header { path });
        };
        let mut lost = [0; 16];
        if !matches!(source.read(&mut lost, LOST.start as u64), Ok(16)) {
            lost = [0; 16];
        }
        let lost = Lost::decode(&lost);
        let mut log = Self::unread(path, header, lost, source);
        let seen = log.read_definitions(length);
        if let Some((until, length)) = growing::until(&log.source, &seen) {
            log = Self::unread(log.path, header, lost, log.source);
            log.until = Some(until);
            log.read_definitions(length);
        }
        log.modules.settle();
        log.clock = Clock::new(&header, &log.segments);
        log.segments
            .sort_by_key(|(index, segment)| (segment.started.ticks, *index));
        Ok(log)
    }

    /// A log of which nothing but the header is known.
    fn unread(path: PathBuf, header: Header, lost: Lost, source: Source) -> Self {
        Self {
            path,
            header,
            lost,
            properties: BTreeMap::new(),
            statuses: BTreeMap::new(),
            texts: BTreeMap::new(),
            damage: Vec::new(),
            unknown_records: 0,
            clock: Clock::new(&header, &[]),
            functions: Vec::new(),
            sites: vec![Site::default()],
            gaps: 0,
            modules: Modules::default(),
            python: HashMap::new(),
            source,
            segments: Vec::new(),
            until: None,
        }
    }

    /// A site; an empty one when the log does not define it.
    pub fn site(&self, id: SiteId) -> &Site {
        self.sites.get(id.0 as usize).unwrap_or(&self.sites[0])
    }

    /// How many sites there are, site 0 (unknown) included.
    pub fn site_count(&self) -> usize {
        self.sites.len()
    }

    /// The name of the function that a site calls; empty when not known.
    pub fn function(&self, id: SiteId) -> &str {
        self.functions
            .get(usize::from(self.site(id).function))
            .map_or("", String::as_str)
    }

    /// Function and file of a Python frame, if the log has them.
    pub fn python(&self, frame: PythonFrame) -> Option<(&str, &str)> {
        let (function, file) = self.python.get(&frame.code)?;
        Some((function, file))
    }

    /// The module that `address` lay in when the site with `epoch` was met.
    pub fn module_at(&self, address: u64, epoch: u32) -> Option<&Module> {
        self.modules.at(address, epoch)
    }

    /// Modules in the order in which they were loaded.
    pub fn modules(&self) -> &[Module] {
        self.modules.list()
    }

    /// A return code's name, if the log gives one.
    pub fn status_name(&self, code: i32) -> Option<&str> {
        self.statuses.get(&code).map(String::as_str)
    }

    /// Bytes of event segments that the headers claim: the measure of progress for a long read.
    pub fn event_bytes(&self) -> u64 {
        self.segments
            .iter()
            .map(|(_, segment)| segment.committed.min(SEGMENT_ROOM as u64))
            .sum()
    }

    /// All events, in order of time.
    pub fn events(&self) -> Events<'_> {
        Events::new(self)
    }
}
