//! Follows logs while they grow: one process, or all ranks of a folder. What a screen, a scraper or a script asks for is a [`State`].
//!
//! Each log is replayed once, as far as it is written, by the rules that judge a finished one. A look reads only what is new. The programs
//! are not touched: their logs are read, nothing else.
//!
//! Processes may come and go for weeks. The log of one that has ended is closed, and what was known of it stays; after a while, or when too
//! many have ended, only sums stay.

mod blocks;
mod ended;
mod followed;
pub mod history;
mod judged;
mod labels;
mod listing;
mod news;
mod observed;
mod rates;
pub mod state;
mod stored;
pub mod totals;
mod walk;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aclsan_log::layout::Header;

use crate::io::descriptors;
use crate::logs::writer::Survey;
use crate::logs::{in_memory, packed};
use crate::policy::suppress::Suppressions;
use crate::report::dataset::read;
use crate::symbols::Symbols;
use followed::{Followed, Identity, Log};
use listing::Listing;
pub use news::follow;
use observed::Observed;
use state::{Detail, SiteKey, State};
use stored::StoredProcess;
use totals::Totals;

/// Time between two looks at logs that are quiet. Programs write them through mappings, of which the kernel tells nobody.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// For how long a process that has ended is shown, unless something else is asked for.
pub const KEEP: Duration = Duration::from_secs(3600);

/// Logs that one look begins to read: it should not take long.
const MAX_OPENED: usize = 32;
/// Processes that are shown after they have ended, and their sites and findings together.
const MAX_ENDED: usize = 1000;
const MAX_KEPT: usize = 100_000;
/// Modules whose names stay in memory when a process is forgotten.
const MAX_MODULES: usize = 500;
/// Files that are named as unreadable.
const MAX_REFUSED: usize = 100;

/// Choices of the user.
pub struct Settings {
    /// Findings that are not shown.
    pub suppressions: Suppressions,
    /// For how long a process that has ended is shown.
    pub keep: Duration,
}

/// Logs that are followed.
pub struct Watch {
    listing: Listing,
    settings: Settings,
    /// Of datasets. They come first.
    stored: Vec<StoredProcess>,
    /// In the order of their numbers.
    processes: Vec<Followed>,
    /// The next number.
    next: usize,
    /// Logs that were read, and where they were seen last: one that was forgotten is not read again.
    known: BTreeMap<Identity, PathBuf>,
    /// Files that are to be opened.
    waiting: BTreeSet<PathBuf>,
    /// Files that were looked at, and why they cannot be read.
    refused: BTreeMap<PathBuf, String>,
    /// Whether the next look goes on with what this one has begun.
    is_busy: bool,
    forgotten: Totals,
    symbols: Symbols,
    /// Most logs that are open at a time.
    max_open: usize,
}

impl Watch {
    /// Follows the logs that `arguments` name. Folders may be empty still: their logs are found when they begin.
    ///
    /// # Errors
    /// If an argument names nothing and is no folder.
    pub fn new(
        arguments: Vec<PathBuf>,
        symbols: Symbols,
        settings: Settings,
    ) -> anyhow::Result<Self> {
        let mut watch = Self {
            listing: Listing::new(arguments),
            settings,
            stored: Vec::new(),
            processes: Vec::new(),
            next: 0,
            known: BTreeMap::new(),
            waiting: BTreeSet::new(),
            refused: BTreeMap::new(),
            is_busy: false,
            forgotten: Totals::default(),
            symbols,
            max_open: descriptors::for_logs(),
        };
        watch.load()?;
        watch.next = watch.stored.len();
        watch.search()?;
        watch.open();
        if let (true, Some(why)) = (watch.processes.is_empty(), watch.refused.values().next()) {
            anyhow::ensure!(!watch.listing.are_files(), "{why}");
        }
        Ok(watch)
    }

    /// Reads what is new in all logs. `stop` ends a long read early; the watch cannot be used afterwards. Returns whether more is there
    /// already.
    pub fn look(&mut self, stop: &AtomicBool) -> bool {
        if self.listing.is_due() {
            // A pattern that names nothing any more is no reason to end: the logs were packed or moved.
            let _ = self.search();
        }
        self.forget();
        self.open();
        let (mut is_behind, mut survey) = (false, Survey::default());
        for process in &mut self.processes {
            if let Log::Open(observed) = &mut process.log {
                is_behind |= observed.look(stop, &mut survey);
            }
            if stop.load(Ordering::Relaxed) {
                return false;
            }
        }
        let do_others_wait = !self.waiting.is_empty();
        self.is_busy = false;
        for process in &mut self.processes {
            self.is_busy |= process.settle(do_others_wait, &mut self.symbols, &self.settings);
        }
        self.is_busy |= do_others_wait && self.room() > 0;
        is_behind || self.is_busy
    }

    /// Reads all that is there now. A second look brings what came during the first; a busy program always has more.
    pub fn catch_up(&mut self) {
        self.listing.expire();
        let stop = AtomicBool::new(false);
        let mut is_behind = self.look(&stop);
        while self.is_busy {
            is_behind = self.look(&stop);
        }
        if is_behind {
            self.look(&stop);
        }
    }

    /// The newest state.
    pub fn state(&mut self) -> State {
        let mut state = State::default();
        for (at, process) in self.stored.iter().enumerate() {
            process.add_to(&mut state, at);
        }
        for process in &mut self.processes {
            process.add_to(&mut state, &mut self.symbols, &self.settings);
        }
        state.unreadable = self.unreadable();
        state.forgotten = self.forgotten.clone();
        state
    }

    /// Stack, blocks, lifetimes and ages of a site.
    pub fn detail(&mut self, of: SiteKey) -> Option<Detail> {
        if let Some(process) = self.stored.get_mut(of.process) {
            return process.detail(of.site).unwrap_or_else(|why| {
                let dataset = process.dataset().to_owned();
                self.refused.insert(dataset, why.to_string());
                None
            });
        }
        let mut processes = self.processes.iter_mut();
        let process = processes.find(|process| process.number == of.process)?;
        process.detail(of.site, &mut self.symbols)
    }

    /// The logs of the processes that are shown, by the names that they had.
    pub fn files(&self) -> Vec<PathBuf> {
        let logs = self.processes.iter().filter(|process| !process.is_lost());
        let logs = logs.map(Followed::path);
        self.listing.datasets().cloned().chain(logs).collect()
    }

    /// Whether some program still runs, or none has been seen yet.
    pub fn is_running(&self) -> bool {
        let are_any = !self.known.is_empty() || !self.stored.is_empty();
        !are_any || self.is_busy || self.processes.iter().any(Followed::is_running)
    }

    /// Reads the datasets among the arguments.
    fn load(&mut self) -> anyhow::Result<()> {
        for dataset in self.listing.datasets() {
            let (stored, refused) = (&mut self.stored, &mut self.refused);
            let mut refuse = |why: String| drop(refused.insert(dataset.clone(), why));
            let suppressions = &self.settings.suppressions;
            let unusable = read::processes(dataset, |place, tables| {
                match StoredProcess::new(dataset, place, tables, suppressions) {
                    Ok(process) => stored.push(process),
                    Err(why) => refuse(why.to_string()),
                }
            })?;
            unusable.into_iter().for_each(refuse);
        }
        Ok(())
    }

    fn search(&mut self) -> anyhow::Result<()> {
        let new = self.listing.search()?;
        if new.is_empty() && self.waiting.is_empty() {
            let listing = &self.listing;
            let processes: Vec<Identity> = self.processes.iter().map(|one| one.identity).collect();
            self.known.retain(|identity, path| {
                listing.stamp(path).is_some() || processes.contains(identity)
            });
        }
        // One that has just begun may have had no header yet.
        let again = self.refused.keys().filter(|path| !read::is_meant(path));
        let again: Vec<PathBuf> = again.cloned().collect();
        self.waiting.extend(new.into_iter().chain(again));
        for process in &mut self.processes {
            if process.note(&self.listing)
                && let Ok(follower) = packed::follow(&process.path())
            {
                process.reopen(Observed::new(process.path(), follower));
            }
        }
        Ok(())
    }

    /// How many more logs may be open.
    fn room(&self) -> usize {
        let open = self.processes.iter().filter(|process| process.is_open());
        self.max_open.saturating_sub(open.count())
    }

    /// Opens files that wait, some at a time.
    fn open(&mut self) {
        for _ in 0..self.room().min(MAX_OPENED) {
            let Some(path) = self.waiting.pop_first() else {
                return;
            };
            self.add(path);
        }
    }

    fn add(&mut self, file: PathBuf) {
        let follower = match packed::follow(&file) {
            Ok(follower) => follower,
            Err(error) => {
                let shown = in_memory::shown(&file).display().to_string();
                tracing::debug!("`{shown}` is not followed: {error:#}");
                self.refused.insert(file, format!("{error:#}"));
                return;
            }
        };
        self.refused.remove(&file);
        let Header { pid, started, .. } = follower.header();
        let identity = (started.realtime_ns, pid, started.ticks);
        if self.known.insert(identity, file.clone()).is_some() {
            let mut processes = self.processes.iter_mut();
            if let Some(process) = processes.find(|process| process.identity == identity) {
                process.move_to(file);
            }
            return;
        }
        let is_named = self.listing.is_argument(&file);
        let observed = Observed::new(file, follower);
        let process = Followed::new(self.next, identity, observed, is_named);
        self.processes.push(process);
        self.next += 1;
    }

    /// Forgets processes whose time is over or whose file is gone, and the oldest ones of too many.
    fn forget(&mut self) {
        let mut ended = Vec::new();
        let mut gone = Vec::new();
        for process in &self.processes {
            let Log::Closed(of) = &process.log else {
                continue;
            };
            let is_over = of.age() >= self.settings.keep && !process.is_named;
            match is_over || process.is_lost() {
                true => gone.push(process.number),
                false => ended.push((of.age(), process.number, of.size())),
            }
        }
        ended.sort_by_key(|&(age, number, _)| (age, Reverse(number)));
        let mut kept = 0;
        for (at, &(_, number, size)) in ended.iter().enumerate() {
            kept += size;
            // The last one that has ended is shown, however much it is.
            if at >= MAX_ENDED || at > 0 && kept > MAX_KEPT {
                gone.push(number);
            }
        }
        if gone.is_empty() {
            return;
        }
        if self.symbols.modules() > MAX_MODULES {
            self.symbols.forget();
        }
        gone.sort_unstable();
        let forgotten = &mut self.forgotten;
        self.processes.retain(|process| match &process.log {
            Log::Closed(ended) if gone.binary_search(&process.number).is_ok() => {
                ended.sum_into(forgotten);
                false
            }
            _ => true,
        });
    }

    fn unreadable(&self) -> Vec<String> {
        let mut sentences: Vec<String> = self.refused.values().take(MAX_REFUSED).cloned().collect();
        if let Some(more @ 1..) = self.refused.len().checked_sub(MAX_REFUSED) {
            sentences.push(format!("{more} more files cannot be read"));
        }
        if !self.waiting.is_empty() && self.room() == 0 {
            sentences.push(format!(
                "{} logs wait until others end: {} are open, as many as `ulimit -n` leaves for them",
                self.waiting.len(),
                self.max_open
            ));
        }
        sentences
    }
}

#[cfg(test)]
mod tests;
