//! Logs to tables. A log is read once, its blocks are written while the replay ends, and a process's row in `processes` comes last.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use aclsan_log::{CallSiteId, Log};
use anyhow::bail;

use super::block_rows::BlockFile;
use super::files::{self, Committer, Complete};
use super::identity::{Identity, Labels};
use super::process_rows;
use super::site_rows::SiteRows;
use crate::io::ordered_pool;
use crate::logs::packed;
use crate::replay::{BlockReceivers, EachSnapshotBlock, Replay, ReportScope, replay_with_blocks};
use crate::symbols::Symbols;
use crate::symbols::stacks::Stacks;

/// Options of an export.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ExportOptions {
    pub labels: Labels,
    /// Whether to write the blocks that were live at each snapshot.
    pub snapshot_blocks: bool,
}

/// Writes the processes of these logs to `dataset`. Returns a sentence for each log that cannot be read.
///
/// # Errors
/// If a file cannot be written.
pub fn write(
    files: &[PathBuf],
    mut symbols: Symbols,
    dataset: &Path,
    options: &ExportOptions,
) -> anyhow::Result<Vec<String>> {
    if dataset.exists() && !dataset.is_dir() {
        bail!(
            "`{}` is a file, and a dataset is a folder: name another with `-o`",
            dataset.display()
        );
    }
    let (mut unreadable, mut failed) = (Vec::new(), None);
    let of_committers = Arc::default();
    let begin = |at: usize| begin(&files[at], dataset, options, files.len() == 1);
    thread::scope(|scope| {
        let committer = Committer::start(scope, &of_committers)?;
        ordered_pool::map_ordered(files.len(), begin, |_, begun| match begun {
            Err(Failed::ToRead(sentence)) => unreadable.push(sentence.clone()),
            Err(Failed::ToWrite(error)) => {
                failed.get_or_insert_with(|| anyhow::anyhow!("{error:#}"));
            }
            Ok(begun) if failed.is_none() && !committer.has_failed() => {
                match finish(begun, dataset, &options.labels, &mut symbols) {
                    Ok(files) => committer.commit(files),
                    Err(error) => failed = Some(error),
                }
            }
            Ok(_) => {}
        });
        anyhow::Ok(())
    })?;
    let of_committers = Arc::into_inner(of_committers).and_then(OnceLock::into_inner);
    match failed.or(of_committers) {
        Some(error) => Err(error),
        None => Ok(unreadable),
    }
}

/// A log whose blocks are written.
struct Begun {
    log: Log,
    replay: Replay,
    who: Identity,
    /// The blocks' sites.
    sites: BTreeSet<CallSiteId>,
}

enum Failed {
    ToRead(String),
    ToWrite(anyhow::Error),
}

/// Reads a log and writes its blocks.
fn begin(
    file: &Path,
    dataset: &Path,
    options: &ExportOptions,
    is_alone: bool,
) -> Result<Begun, Failed> {
    let log = packed::open(file).map_err(|error| Failed::ToRead(format!("{error:#}")))?;
    let who = Identity::of(&log, &options.labels);
    let mut at_end = BlockFile::at_end(dataset, &who).map_err(Failed::ToWrite)?;
    let at_snapshots = BlockFile::at_snapshots(dataset, &who).map_err(Failed::ToWrite)?;
    let at_snapshots = Arc::new(Mutex::new(at_snapshots));
    let receivers = BlockReceivers {
        at_end: Some(&mut |block| at_end.add(block)),
        at_snapshots: options.snapshot_blocks.then(|| {
            let file = Arc::clone(&at_snapshots);
            let add: EachSnapshotBlock = Box::new(move |ns, held, site| {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.add(ns, held, site);
            });
            add
        }),
    };
    let whole = ReportScope::All(None);
    let replay = replay_with_blocks(&log, whole, is_alone, |_| {}, receivers);
    let at_snapshots = Arc::into_inner(at_snapshots).expect("the replay is over");
    let at_snapshots = at_snapshots.into_inner();
    let at_snapshots = at_snapshots.unwrap_or_else(PoisonError::into_inner);
    let mut sites = BTreeSet::new();
    // At once: what waits for `finish` should hold no open files.
    let commit = || {
        at_end.finish(&mut sites)?.commit()?;
        at_snapshots.finish(&mut sites)?.commit()
    };
    commit().map_err(Failed::ToWrite)?;
    Ok(Begun {
        log,
        replay,
        who,
        sites,
    })
}

/// Writes the other tables. Returns their files, in the order in which they get their names.
fn finish(
    begun: &Begun,
    dataset: &Path,
    labels: &Labels,
    symbols: &mut Symbols,
) -> anyhow::Result<Vec<Complete>> {
    let Begun {
        log, replay, who, ..
    } = begun;
    let (to, at, key) = (dataset, &who.place, who.key.as_str());
    let known_warnings = symbols.warnings().len();
    let mut stacks = Stacks::new(log, symbols);
    stacks.prepare(&replay.shown());
    let mut sites = SiteRows::new(key, log, stacks, &begun.sites);
    let leaks = sites.leaks(replay);
    let findings = sites.findings(replay);
    let mut process = process_rows::process(who, labels, log, replay);
    process.leaked_blocks = leaks.iter().map(|leak| leak.blocks).sum();
    process.leaked_bytes = leaks
        .iter()
        .fold(0, |sum, leak| leak.bytes.saturating_add(sum));
    sites.ended(replay, &mut process);
    let own = findings.iter().filter(|finding| !finding.is_consequence);
    process.findings = own.clone().count() as u64;
    process.errors = own.filter(|finding| finding.severity == "error").count() as u64;
    let timeline = process_rows::timeline(key, replay);
    let timeline = timeline.chain(process_rows::category_timeline(key, replay));
    let mut complete = vec![
        files::write(to, at, leaks)?,
        files::write(to, at, findings)?,
        files::write(to, at, sites.allocations(replay))?,
        files::write(to, at, sites.failures(replay))?,
        files::write(to, at, sites.sites())?,
        files::write(to, at, sites.frames())?,
        files::write(to, at, timeline)?,
        files::write(to, at, process_rows::categories(key, replay))?,
        files::write(to, at, process_rows::epochs(key, replay))?,
        files::write(to, at, process_rows::pools(key, replay))?,
        files::write(to, at, process_rows::usage(key, replay))?,
        files::write(to, at, process_rows::calls(key, replay))?,
        files::write(to, at, process_rows::layouts(key, replay))?,
    ];
    drop(sites);
    process.symbol_warnings = super::lines(&symbols.warnings()[known_warnings..]);
    complete.push(files::write(to, at, [process])?);
    Ok(complete)
}
