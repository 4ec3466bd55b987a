//! From a user's arguments to a report: what all commands that read logs share.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use aclsan_log::Log;
use aclsan_render::Report;
use aclsan_render::model::{BlockLifetimes, History};
use anyhow::bail;

use crate::io::ordered_pool;
use crate::io::progress::Progress;
use crate::io::stack_display;
use crate::logs::packed;
use crate::logs::readers::{self, Reader};
pub use crate::logs::select::NothingObserved;
use crate::logs::select::files_of;
use crate::logs::writer;
use crate::policy::baseline::Baseline;
use crate::policy::suppress;
use crate::policy::verdict::{FailOn, SiteBudget, Verdict};
use crate::replay::{Replay, ReportScope, replay};
use crate::report::assemble::Assembly;
use crate::report::history::{history, lives};
use crate::report::report_table;
use crate::symbols::stacks::Stacks;
use crate::symbols::{SearchPaths, Symbols};
pub use conclusion::conclude;

/// Why a run without any recorded call is not clean.
pub const NOTHING_OBSERVED: &str = "no AscendCL call was observed";

/// Which logs, and where their programs are.
#[derive(clap::Args)]
pub struct Logs {
    /// Event logs, packed or not, folders with `*.aclsan` files, patterns such as `'out/*.aclsan'`, or `-`, standard input; for reports also
    /// datasets that `aclsan export --format parquet` wrote
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Search this folder for binaries and debug files, too
    #[arg(long, value_name = "DIR", value_parser = folder)]
    debug_dir: Vec<PathBuf>,
    /// The recorded machine's root folder, as seen from here
    #[arg(long, value_name = "DIR", value_parser = folder)]
    sysroot: Option<PathBuf>,
    /// Show progress on standard error, even without a terminal
    #[arg(long)]
    progress: bool,
    /// Sites that the report keeps however little they allocate.
    #[arg(skip)]
    pub budgets: Vec<SiteBudget>,
    /// The file with `[report]`, if not the default one.
    #[arg(skip)]
    pub config: Option<PathBuf>,
}

/// Requires an existing folder: names would be missing without it, and the user would not know why.
fn folder(path: &str) -> Result<PathBuf, String> {
    match Path::new(path).is_dir() {
        true => Ok(path.into()),
        false => Err("there is no such folder".into()),
    }
}

/// Arguments of all report commands.
#[derive(clap::Args)]
pub struct Input {
    #[command(flatten)]
    pub logs: Logs,
    /// Exit with 1 if findings are at least this bad: `error`, `warning`, `note`, or names of rules, separated by commas
    ///
    /// [default: error]
    #[arg(long, value_name = "WHAT", value_parser = FailOn::hints(), hide_possible_values = true)]
    pub fail_on: Option<FailOn>,
    /// Exit with 0 instead of 3 if no AscendCL call was observed
    #[arg(long)]
    pub allow_empty: bool,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub suppressing: suppress::Choice,
    /// Most findings and leaking sites in the text; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: usize,
}

/// The result of reading logs.
#[derive(Default)]
pub struct Reading {
    /// The report.
    pub report: Report,
    /// Block lifetimes of each process, as of the same moment even if a log grows; empty unless requested.
    pub lives: Vec<BlockLifetimes>,
    /// One sentence per log that could not be read.
    pub unreadable: Vec<String>,
    /// Folders without a log, next to folders with some.
    pub empty: Vec<NothingObserved>,
    /// Whether it was read from a dataset, which has less than logs.
    pub is_of_tables: bool,
    /// For [`Reading::kept`].
    _symbols: Option<Symbols>,
}

impl Reading {
    /// Why the run may not have been observed completely; `None` if AscendCL was called wherever a log was expected.
    pub fn unobserved(&self) -> Option<String> {
        let mut processes = self.report.processes.iter();
        match (processes.any(|process| process.calls > 0), &*self.empty) {
            (true, empty) => empty.first().map(NothingObserved::reason),
            (false, _) => Some(NOTHING_OBSERVED.to_owned()),
        }
    }
}

impl Logs {
    /// Exactly these files.
    pub fn of(logs: Vec<PathBuf>) -> Self {
        Self {
            logs,
            debug_dir: Vec::new(),
            sysroot: None,
            progress: false,
            budgets: Vec::new(),
            config: None,
        }
    }

    /// The arguments themselves: logs of a folder may begin later.
    pub fn arguments(&self) -> &[PathBuf] {
        &self.logs
    }

    /// The arguments that are files for that reader, and the logs without them, if any are left.
    pub fn split(self, reader: &dyn Reader) -> (Vec<PathBuf>, Option<Self>) {
        let (files, logs) = readers::partition(&self.logs, reader);
        (files, (!logs.is_empty()).then_some(Self { logs, ..self }))
    }

    /// The files that the arguments name, each once, in the order of the arguments, and by name within a folder or pattern.
    ///
    /// # Errors
    /// If all arguments name nothing, or one that is no folder does.
    pub fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        Ok(self.files_and_empty()?.0)
    }

    /// As [`Logs::files`], with the folders that have no log.
    fn files_and_empty(&self) -> anyhow::Result<(Vec<PathBuf>, Vec<NothingObserved>)> {
        let (mut files, mut known, mut empty) = (Vec::new(), BTreeSet::new(), Vec::new());
        for argument in &self.logs {
            let of_argument = match files_of(argument) {
                Err(error) => {
                    empty.push(error.downcast::<NothingObserved>()?);
                    continue;
                }
                found => found?,
            };
            for file in of_argument {
                // The same file can be named in several ways. A missing file is reported when it is opened.
                if known.insert(fs::canonicalize(&file).unwrap_or_else(|_| file.clone())) {
                    files.push(file);
                }
            }
        }
        match (files.is_empty(), empty.first()) {
            (true, Some(first)) => Err(first.clone().into()),
            _ => Ok((files, empty)),
        }
    }

    /// The symbolizer for these arguments.
    ///
    /// # Errors
    /// If `aclsan.toml` cannot be used.
    pub fn symbols(&self) -> anyhow::Result<Symbols> {
        let symbols = Symbols::new(SearchPaths {
            sysroot: self.sysroot.clone(),
            debug_dirs: self.debug_dir.clone(),
            ..SearchPaths::default()
        });
        let symbols = symbols.with_wrappers(report_table::wrappers(self.config.as_deref())?);
        Ok(match stack_display::chosen().no_source {
            true => symbols.without_sources(),
            false => symbols,
        })
    }

    /// The only log that the arguments name.
    ///
    /// # Errors
    /// If they name none or several, or it cannot be read.
    pub fn one(&self) -> anyhow::Result<Log> {
        match self.files()?.as_slice() {
            [file] => packed::open(file),
            files => bail!(
                "{} logs are named, and this takes one at a time",
                files.len()
            ),
        }
    }

    /// Replays every log and passes it to `each`. Returns a sentence for each log that cannot be read: one bad log of many ranks is no
    /// reason to hide the others.
    ///
    /// # Errors
    /// If an argument names nothing.
    pub fn replay_all(&self, mut each: impl FnMut(&Log, &Replay)) -> anyhow::Result<Vec<String>> {
        self.replay_scope(ReportScope::All(None), 1, |log, replay, _| {
            each(log, replay)
        })
    }

    /// As [`Logs::replay_all`], where each log is read `times` times in all.
    fn replay_scope(
        &self,
        wanted: ReportScope,
        times: u64,
        mut each: impl FnMut(&Log, &Replay, &Progress),
    ) -> anyhow::Result<Vec<String>> {
        let mut unreadable = Vec::new();
        let files = self.files()?;
        let progress = Progress::new(&files, times, self.progress);
        let read = |at: usize| {
            let file: &PathBuf = &files[at];
            let log = packed::open(file).map_err(|error| format!("{error:#}"))?;
            let begun = Instant::now();
            let mut far = progress.of_log();
            let mut replay = replay(&log, wanted, files.len() == 1, &mut far);
            let still_runs = |log_file| writer::still_runs(log_file, log.header.pid);
            if !replay.is_complete && log.file().is_some_and(still_runs) {
                replay.still_runs();
            }
            far(log.event_bytes());
            let (bytes, path) = (log.event_bytes(), file.display());
            tracing::debug!(
                "{bytes} bytes of events in `{path}`, replayed in {:?}",
                begun.elapsed()
            );
            Ok((log, replay))
        };
        ordered_pool::map_ordered(
            files.len(),
            read,
            |_, result: &Result<_, String>| match result {
                Ok((log, replay)) => each(log, replay, &progress),
                Err(sentence) => unreadable.push(sentence.clone()),
            },
        );
        Ok(unreadable)
    }

    /// The memory history of the process of the only log.
    ///
    /// # Errors
    /// As [`Logs::one`].
    pub fn history(&self) -> anyhow::Result<History> {
        let log = self.one()?;
        let progress = Progress::new(&self.files()?, 1, self.progress);
        let mut symbols = self.symbols()?;
        let mut stacks = Stacks::new(&log, &mut symbols);
        Ok(history(&log, &mut stacks, progress.of_log()))
    }

    /// The report on all logs.
    ///
    /// # Errors
    /// If an argument names nothing, or no log can be read.
    pub fn read(&self) -> anyhow::Result<Reading> {
        self.read_drawn(0)
    }

    /// As [`Logs::read`], with at most `most` block lifetimes.
    ///
    /// # Errors
    /// As [`Logs::read`].
    pub fn read_drawn(&self, most: usize) -> anyhow::Result<Reading> {
        self.read_scope(ReportScope::All(None), most)
    }

    /// The report for `wanted`, and at most `most` block lifetimes.
    fn read_scope(&self, wanted: ReportScope, most: usize) -> anyhow::Result<Reading> {
        let mut symbols = self.symbols()?;
        let (datasets, more) = self.datasets()?;
        let (files, empty) = match datasets.is_empty() {
            true => self.files_and_empty()?,
            false => Default::default(),
        };
        let mut assembly = Assembly::new(files.len() + more).with_budgets(self.budgets.clone());
        let each = most / files.len().max(1);
        let (is_drawn, mut drawn) = (most > 0, Vec::new());
        let add = |log: &Log, replay: &Replay, progress: &Progress| {
            assembly.add(log, replay, &mut symbols);
            if is_drawn {
                // From the open log: one opened again may have grown.
                let mut stacks = Stacks::new(log, &mut symbols);
                drawn.push(lives(log, &mut stacks, each.max(1), progress.of_log()));
            }
        };
        let unreadable = match datasets.is_empty() {
            true => self.replay_scope(wanted, 1 + u64::from(is_drawn), add)?,
            false => datasets::add(&datasets, &mut assembly, &symbols, wanted)?,
        };
        let report = assembly.finish(&symbols);
        if report.processes.is_empty() {
            bail!("{}", unreadable.join("\naclsan: "));
        }
        Ok(Reading {
            report,
            lives: drawn,
            unreadable,
            empty,
            is_of_tables: !datasets.is_empty(),
            _symbols: Some(symbols),
        })
    }
}

impl Input {
    /// The report on all logs; an empty one, if that is accepted and no folder has any.
    ///
    /// # Errors
    /// As [`Logs::read`].
    pub fn read(&self) -> anyhow::Result<Reading> {
        self.read_scope(ReportScope::All(None))
    }

    /// As [`Input::read`], with at most `most` block lifetimes.
    ///
    /// # Errors
    /// As [`Logs::read`].
    pub fn read_drawn(&self, most: usize) -> anyhow::Result<Reading> {
        self.read_with(ReportScope::All(None), most)
    }

    /// As [`Input::read`], for a command that reports only leaks; the exit code sees what `--fail-on` asks for. Warnings and notes about
    /// bytes over time are not computed, so the summary counts neither.
    ///
    /// # Errors
    /// As [`Logs::read`].
    pub fn read_leaks(&self) -> anyhow::Result<Reading> {
        let fails_by_errors = self.fail_on.as_ref().is_none_or(FailOn::is_of_errors);
        // The user's own suppressions are reported with what they suppressed.
        match fails_by_errors && self.suppressing.suppressions.is_empty() {
            true => {
                let mut reading = self.read_scope(ReportScope::Leaks)?;
                let summary = &mut reading.report.summary;
                (summary.warnings, summary.notes) = (None, None);
                Ok(reading)
            }
            false => self.read(),
        }
    }

    /// The report for `wanted`.
    ///
    /// # Errors
    /// As [`Logs::read`].
    pub fn read_scope(&self, wanted: ReportScope) -> anyhow::Result<Reading> {
        self.read_with(wanted, 0)
    }

    fn read_with(&self, wanted: ReportScope, most: usize) -> anyhow::Result<Reading> {
        let suppressions = self.suppressing.read()?;
        let mut reading = match self.logs.read_scope(wanted, most) {
            Err(error) if self.accepts(&error) => Reading {
                report: Assembly::new(0).finish(&Symbols::new(SearchPaths::default())),
                ..Reading::default()
            },
            read => read?,
        };
        suppressions.apply(&mut reading.report);
        Ok(reading)
    }

    fn accepts(&self, error: &anyhow::Error) -> bool {
        self.allow_empty && error.is::<NothingObserved>()
    }

    /// Prints what went wrong apart from the report, and returns the exit code.
    pub fn conclude(&self, reading: &Reading) -> ExitCode {
        let verdict = Verdict::of(
            &reading.report,
            &self.fail_on.clone().unwrap_or_default(),
            &Default::default(),
            &Baseline::default(),
        );
        conclude(reading, &verdict, self.allow_empty)
    }
}

mod conclusion; // the exit code
mod datasets; // arguments that are datasets
mod kept; // readings that are not freed
#[cfg(test)]
mod tests;
