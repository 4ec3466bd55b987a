//! Writes the event log: each thread into its own segment, mapped shared, so that what is written survives the process.
//!
//! The file is created by the first record; a process that never calls AscendCL leaves none. Errors never reach the
//! program: what cannot be written is counted, and reported once. This crate does not know what an event means.

pub mod file;
mod filesystem;
mod header;
pub mod path;
mod run_list;
pub mod segment;

use aclsan_log::encode::Encoder;
use aclsan_log::layout::{Header, Lost, SegmentKind, VERSION};
use aclsan_log::{CallSiteId, Definition};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::lock::{Mutex, rank};
use aclsan_os::{clock, stderr};
use aclsan_tables::segment_pool::SegmentPool;
use file::LogFile;
use segment::Segment;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Once, OnceLock};

/// The lost counts are written once per this many lost events.
const LOST_COUNT_STEP: u64 = 1 << 16;

/// The log of one process.
pub struct Sink {
    template: String,
    mode: u32,
    /// Maximum size of the file in bytes.
    max_bytes: u64,
    file: OnceLock<Option<LogFile>>,
    segments: SegmentPool<Segment>,
    definitions: Mutex<rank::Definitions, Option<Segment>>,
    is_full: AtomicBool,
    dropped_events: AtomicU64,
    dropped_stacks: AtomicU64,
    list: &'static str,
    properties: fn() -> Vec<(&'static str, String)>,
    has_properties: Once,
    started: aclsan_log::layout::Instant,
}

impl Sink {
    /// A log at `template` (see [`path`]), a file with permissions `mode`. It begins with `properties` once there is something to write, ends at
    /// `max_mib` MiB unless that is 0, and is added to the run's `list`.
    pub fn new(
        template: String,
        mode: u32,
        max_mib: u32,
        list: &'static str,
        properties: fn() -> Vec<(&'static str, String)>,
    ) -> Self {
        Self {
            template,
            mode,
            max_bytes: match u64::from(max_mib) {
                0 => u64::MAX,
                max_mib => max_mib << 20,
            },
            file: OnceLock::new(),
            segments: SegmentPool::default(),
            definitions: Mutex::new(None),
            is_full: AtomicBool::new(false),
            dropped_events: AtomicU64::new(0),
            dropped_stacks: AtomicU64::new(0),
            list,
            properties,
            has_properties: Once::new(),
            started: clock::instant(),
        }
    }

    /// When the process's log was made, on the wall clock.
    pub fn started_ns(&self) -> u64 {
        self.started.realtime_ns
    }

    /// The same, on the monotonic clock.
    pub fn begun_ns(&self) -> u64 {
        self.started.monotonic_ns
    }

    /// Path of the log; `None` before the first record, or if it could not be created.
    pub fn path(&self) -> Option<&PathBuf> {
        self.file().map(LogFile::path)
    }

    /// The log's file, under the same conditions.
    pub fn file(&self) -> Option<&LogFile> {
        self.file.get()?.as_ref()
    }

    /// Creates the log, if there is none yet. Returns its path; `None` if it could not be created.
    pub fn open(&self) -> Option<&PathBuf> {
        let segment = self.new_segment(SegmentKind::Events, false)?;
        self.segments.give_back(segment);
        self.write_properties_once();
        self.path()
    }

    /// Nothing more is expected: gives the descriptor back.
    pub fn close(&self) {
        if let Some(file) = self.file() {
            file.close();
        }
    }

    /// Number of events that could not be written.
    pub fn dropped(&self) -> u64 {
        self.dropped_events.load(Relaxed)
    }

    /// Counts an event that will not be written.
    pub fn count_dropped_event(&self) {
        self.count(&self.dropped_events);
    }

    /// Counts a call recorded without its stack.
    pub fn count_dropped_stack(&self) {
        self.count(&self.dropped_stacks);
    }

    /// Counts, and writes the counts out now and then, so that a killed process has reported most of them.
    fn count(&self, which: &AtomicU64) {
        let count = which.fetch_add(1, Relaxed) + 1;
        if count.is_power_of_two() || count.is_multiple_of(LOST_COUNT_STEP) {
            self.write_lost_counts();
        }
    }

    /// Writes the lost counts, if there are any.
    pub fn write_lost_counts(&self) {
        let lost = Lost {
            events: self.dropped(),
            stacks: self.dropped_stacks.load(Relaxed),
        };
        if let Some(file) = self.file().filter(|_| lost != Lost::default()) {
            file.write_lost_counts(lost);
        }
    }

    /// A segment for thread `tid`: one that an ended thread left, or a new one. `is_busy` if the thread has already
    /// filled one. `None` if nothing can be written.
    pub fn segment(&self, tid: u32, is_busy: bool) -> Option<Segment> {
        self.write_properties_once();
        let free_segments = self.segments.take();
        let mut segment =
            free_segments.or_else(|| self.new_segment(SegmentKind::Events, is_busy))?;
        let event = aclsan_log::Event::Thread { tid };
        if segment
            .write(|encoder, room| encoder.event(room, clock::ticks(clock::source()), &event))
            .is_none()
        {
            segment = self.new_segment(SegmentKind::Events, is_busy)?;
            segment.write(|encoder, room| {
                encoder.event(room, clock::ticks(clock::source()), &event)
            })?;
        }
        Some(segment)
    }

    /// Takes back the segment of a thread that ends.
    pub fn give_back(&self, segment: Segment) {
        self.segments.give_back(segment);
    }

    /// Writes a definition.
    pub fn define(&self, definition: &Definition) {
        self.write_definition(|encoder, room, ticks| encoder.definition(room, ticks, definition));
    }

    /// Writes the definition of a call site.
    pub fn define_site(
        &self,
        id: CallSiteId,
        function: u16,
        argument: u32,
        device: i32,
        frames: &[u64],
    ) {
        self.write_definition(|encoder, room, ticks| {
            encoder.site(room, ticks, id, function, argument, device, frames)
        });
    }

    fn write_definition(&self, write: impl Fn(&mut Encoder, &mut [u8], u64) -> Option<()>) {
        let _uncancelled = CancelGuard::enter();
        let mut slot = self.definitions.lock();
        for is_full in [false, true] {
            if slot.is_none() {
                *slot = self.new_segment(SegmentKind::Definitions, is_full);
            }
            let Some(segment) = slot.as_mut() else { break };
            if segment
                .write(|encoder, room| write(encoder, room, clock::ticks(clock::source())))
                .is_some()
            {
                return;
            }
            *slot = None;
        }
        self.count_dropped_event();
    }

    fn new_segment(&self, kind: SegmentKind, is_busy: bool) -> Option<Segment> {
        let file = self.file.get_or_init(|| self.create()).as_ref()?;
        if self.is_full.load(Relaxed) {
            return None;
        }
        let index = self.segments.number();
        let end = file::end_of(index);
        let made = match end <= self.max_bytes {
            true => file.grow(end, |file| Segment::map(file, index, kind, is_busy)),
            false => Err(std::io::Error::other(
                "the size that the option log_mb allows",
            )),
        };
        match made {
            Ok(segment) => Some(segment),
            Err(error) => {
                if !self.is_full.swap(true, Relaxed) {
                    let hint = match error.raw_os_error() {
                        Some(libc::ENODEV | libc::EACCES) => {
                            "; files there cannot be mapped: set log_path to a local folder"
                        }
                        _ => "",
                    };
                    stderr::warn_later(format!(
                        "the event log cannot grow ({error}): events from here on are counted, not recorded{hint}"
                    ));
                }
                None
            }
        }
    }

    fn create(&self) -> Option<LogFile> {
        let wanted = path::of(&self.template);
        let header = Header {
            version: VERSION,
            pid: std::process::id(),
            clock: clock::source(),
            started: self.started,
        };
        let made = LogFile::create(&wanted, self.mode, &header.encode());
        made.inspect_err(|error| {
            stderr::warn_later(format!(
                "cannot write the event log `{}` ({error}): findings are still printed; set log_path to a folder that can be written",
                wanted.display()
            ));
        })
        .ok()
    }

    /// A panic at the first attempt leaves the rest of the properties out.
    fn write_properties_once(&self) {
        self.has_properties.call_once_force(|attempt| {
            if !attempt.is_poisoned() {
                self.write_properties();
            }
        });
    }

    /// Writes the properties of the process.
    fn write_properties(&self) {
        for (key, value) in (self.properties)() {
            self.define(&Definition::Property {
                key: key.to_owned(),
                value,
            });
        }
        if let Some(path) = self.path() {
            run_list::add(self.list, path);
        }
    }
}
