//! The blocks of a log that were never released, and the Python frames of their sites.

use aclsan_log::{BlockId, CallSiteId, Event, Log, PythonFrame};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Leaks of a run of one script.
pub struct Leaks {
    log: Log,
    script: PathBuf,
    live: BTreeMap<BlockId, (u64, CallSiteId)>,
}

impl Leaks {
    /// Reads the log of a run of `script`.
    pub fn of(log: &Path, script: &Path) -> Self {
        let log = Log::open(log).unwrap_or_else(|error| panic!("{error}"));
        let mut live = BTreeMap::new();
        for timed in log.events() {
            match timed.event {
                Event::Allocation {
                    block, site, size, ..
                } => drop(live.insert(block, (size, site))),
                Event::Release { block, .. } => drop(live.remove(&block)),
                _ => {}
            }
        }
        let script = script.to_owned();
        Self { log, script, live }
    }

    /// The frames of the one site that allocated blocks of `size` bytes.
    fn frames(&self, size: u64) -> &[u64] {
        let sites = self.live.values().filter(|(other, _)| *other == size);
        let mut frames = sites.map(|(_, site)| &*self.log.site(*site).frames);
        let first = frames
            .next()
            .unwrap_or_else(|| panic!("no leak of {size} bytes"));
        assert!(
            frames.all(|other| other == first),
            "{size} bytes, two places"
        );
        first
    }

    /// Whether a block of `size` bytes leaked.
    pub fn has(&self, size: u64) -> bool {
        self.live.values().any(|(other, _)| *other == size)
    }

    /// The unqualified function name and the file.
    fn python(&self, frame: u64) -> Option<(&str, &str, u32)> {
        let frame = PythonFrame::of(frame)?;
        let (function, file) = self
            .log
            .python(frame)
            .expect("the log names its Python code");
        Some((
            function.rsplit('.').next().unwrap_or(function),
            file,
            frame.line,
        ))
    }

    /// The functions of all Python frames.
    pub fn names(&self, size: u64) -> String {
        let frames = self
            .frames(size)
            .iter()
            .filter_map(|&frame| self.python(frame));
        let names: Vec<_> = frames.map(|(function, ..)| function).collect();
        names.join(" ")
    }

    /// The functions of the script's own frames, each with the mark on its source line.
    pub fn stack(&self, size: u64) -> String {
        let source = std::fs::read_to_string(&self.script).expect("the script");
        let lines: Vec<&str> = source.lines().collect();
        let frames = self
            .frames(size)
            .iter()
            .filter_map(|&frame| self.python(frame));
        let own = frames.filter(|(_, file, _)| Path::new(file) == self.script);
        let marked = own.map(|(function, _, line)| {
            let text = lines.get(line as usize - 1).copied().unwrap_or_default();
            format!(
                "{function}:{}",
                text.split_once("#:").map_or("?", |(_, mark)| mark)
            )
        });
        marked.collect::<Vec<_>>().join(" ")
    }

    /// The script's functions and the module `module`, in stack order; equal neighbors appear once.
    pub fn modules(&self, size: u64, module: &str) -> String {
        let name = |&frame: &u64| match self.python(frame) {
            Some((function, ..)) => Some(function),
            None => {
                let found = self.log.module_at(frame, u32::MAX - 1)?;
                found.path.ends_with(module).then_some(module)
            }
        };
        let mut names: Vec<_> = self.frames(size).iter().filter_map(name).collect();
        names.dedup();
        names.join(" ")
    }
}
