//! Follows logs while they grow: one process, or all ranks of a folder. What a screen, a scraper or a script asks for is a [`State`].
//!
//! Each log is replayed once, as far as it is written, by the rules that judge a finished one. A look reads only what is new. The programs
//! are not touched: their logs are read, nothing else.

pub mod history;
mod news;
mod observed;
mod rates;
pub mod state;
mod stored;
mod walk;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aclsan_log::layout::Header;

use crate::logs::select::{NothingObserved, files_of};
use crate::logs::{packed, standard_input};
use crate::report::dataset::read;
use crate::symbols::Symbols;
pub use news::follow;
use observed::Observed;
use state::{Detail, SiteKey, State};
use stored::StoredProcess;

/// Time between two looks at logs that are quiet. Programs write them through mappings, of which the kernel tells nobody.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// How often folders are searched for logs of further processes.
const SEARCH: Duration = Duration::from_millis(500);

/// What tells logs apart, whatever their names: start by the clock, process, start tick. A log that is packed meanwhile is the same.
type Identity = (u64, u32, u64);

/// Logs that are followed.
pub struct Watch {
    arguments: Vec<PathBuf>,
    /// Of datasets. They come first.
    stored: Vec<StoredProcess>,
    processes: Vec<Observed>,
    known: BTreeSet<Identity>,
    /// Files that were looked at, and why some of them cannot be read.
    refused: Vec<(PathBuf, String)>,
    symbols: Symbols,
    searched: Option<Instant>,
}

impl Watch {
    /// Follows the logs that `arguments` name. Folders may be empty still: their logs are found when they begin.
    ///
    /// # Errors
    /// If an argument names nothing and is no folder.
    pub fn new(arguments: Vec<PathBuf>, symbols: Symbols) -> anyhow::Result<Self> {
        let mut watch = Self {
            arguments,
            stored: Vec::new(),
            processes: Vec::new(),
            known: BTreeSet::new(),
            refused: Vec::new(),
            symbols,
            searched: None,
        };
        watch.load()?;
        watch.search()?;
        let are_files = watch.arguments.iter().all(|path| path.is_file());
        if let (true, Some((_, why))) = (watch.processes.is_empty(), watch.refused.first()) {
            anyhow::ensure!(!are_files, "{why}");
        }
        Ok(watch)
    }

    /// Reads what is new in all logs. `stop` ends a long read early; the watch cannot be used afterwards. Returns whether more is there
    /// already.
    pub fn look(&mut self, stop: &AtomicBool) -> bool {
        if self.searched.is_none_or(|at| at.elapsed() >= SEARCH) {
            // A pattern that names nothing any more is no reason to end: the logs were packed or moved.
            let _ = self.search();
        }
        let mut is_behind = false;
        for process in &mut self.processes {
            is_behind |= process.look(stop);
            if stop.load(Ordering::Relaxed) {
                return false;
            }
        }
        is_behind
    }

    /// Reads all that is there now. A second look brings what came during the first; a busy program always has more.
    pub fn catch_up(&mut self) {
        self.searched = None;
        let stop = AtomicBool::new(false);
        if self.look(&stop) {
            self.look(&stop);
        }
    }

    /// The newest state.
    pub fn state(&mut self) -> State {
        let mut state = State::default();
        for (at, process) in self.stored.iter().enumerate() {
            process.add_to(&mut state, at);
        }
        for (at, process) in (self.stored.len()..).zip(&mut self.processes) {
            process.add_to(&mut state, at, &mut self.symbols);
        }
        state.unreadable = self.refused.iter().map(|(_, why)| why.clone()).collect();
        state
    }

    /// Stack, blocks, lifetimes and ages of a site.
    pub fn detail(&mut self, of: SiteKey) -> Option<Detail> {
        if let Some(process) = self.stored.get_mut(of.process) {
            return process.detail(of.site).unwrap_or_else(|why| {
                let refused = (process.dataset().to_owned(), why.to_string());
                if !self.refused.contains(&refused) {
                    self.refused.push(refused);
                }
                None
            });
        }
        let process = self.processes.get_mut(of.process - self.stored.len())?;
        process.detail(of.site, &mut self.symbols)
    }

    /// The logs that are followed, by the names that they had.
    pub fn files(&self) -> Vec<PathBuf> {
        let datasets = self.arguments.iter().filter(|path| read::is_meant(path));
        let logs = self.processes.iter().map(Observed::path);
        datasets.cloned().chain(logs).collect()
    }

    /// Whether some program still runs, or none has been seen yet.
    pub fn is_running(&self) -> bool {
        let are_any = !self.processes.is_empty() || !self.stored.is_empty();
        !are_any || self.processes.iter().any(Observed::is_running)
    }

    /// Reads the datasets among the arguments.
    fn load(&mut self) -> anyhow::Result<()> {
        let arguments = self.arguments.iter();
        for dataset in arguments.filter(|path| read::is_meant(path)) {
            let (stored, refused) = (&mut self.stored, &mut self.refused);
            let mut refuse = |why: String| refused.push((dataset.clone(), why));
            let unusable = read::processes(dataset, |place, tables| {
                match StoredProcess::new(dataset, place, tables) {
                    Ok(process) => stored.push(process),
                    Err(why) => refuse(why.to_string()),
                }
            })?;
            unusable.into_iter().for_each(refuse);
        }
        Ok(())
    }

    fn search(&mut self) -> anyhow::Result<()> {
        self.searched = Some(Instant::now());
        for argument in self.arguments.clone() {
            if read::is_meant(&argument) {
                continue;
            }
            let files = match files_of(&argument) {
                Err(error) if error.is::<NothingObserved>() => continue,
                files => files?,
            };
            for file in files {
                self.add(file);
            }
        }
        Ok(())
    }

    fn add(&mut self, file: PathBuf) {
        if self.processes.iter().any(|process| process.is_at(&file)) {
            return;
        }
        match packed::follow(&file) {
            Ok(follower) => {
                let Header { pid, started, .. } = follower.header();
                self.refused.retain(|(path, _)| *path != file);
                if self.known.insert((started.realtime_ns, pid, started.ticks)) {
                    self.processes.push(Observed::new(file, follower));
                }
            }
            // One that has just begun may have no header yet.
            Err(error) => {
                if self.refused.iter().all(|(path, _)| *path != file) {
                    let shown = standard_input::shown(&file).display().to_string();
                    tracing::debug!("`{shown}` is not followed: {error:#}");
                    self.refused.push((file, format!("{error:#}")));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
