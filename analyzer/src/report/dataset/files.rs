//! A process's files in a dataset. Each appears whole; a process exported again replaces its own files and no other's.
//!
//! A file gets its name after the disk has it, which is most of the time that a small file takes. So [`Committer`]s do that beside the rows of
//! other processes.

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Scope};

use aclsan_dataset::place::Place;
use aclsan_dataset::table::Row;
use aclsan_dataset::write::Writer;
use anyhow::Context;
use atomic_write_file::AtomicWriteFile;

/// A file under construction. It has no name until it is whole.
pub struct TableFile<R: Row> {
    path: PathBuf,
    writer: Writer<R, BufWriter<AtomicWriteFile>>,
}

impl<R: Row> TableFile<R> {
    /// Begins the process's file in its table.
    ///
    /// # Errors
    /// If the folder or the file cannot be made.
    pub fn create(dataset: &Path, place: &Place) -> anyhow::Result<Self> {
        let path = place.file(dataset, R::TABLE);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make folder `{}`", folder.display()))?;
        }
        let failed = || format!("cannot write `{}`", path.display());
        let file = AtomicWriteFile::open(&path).with_context(failed)?;
        let writer = Writer::new(BufWriter::new(file)).with_context(failed)?;
        Ok(Self { path, writer })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, row: &R) -> anyhow::Result<()> {
        let added = self.writer.add(row);
        added.with_context(|| format!("cannot write `{}`", self.path.display()))
    }

    /// Completes the file; [`Complete::commit`] gives it its name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> anyhow::Result<Complete> {
        let failed = || format!("cannot write `{}`", self.path.display());
        let file = self.writer.finish().with_context(failed)?;
        let file = file.into_inner().map_err(|error| error.into_error());
        Ok(Complete {
            file: file.with_context(failed)?,
            path: self.path,
        })
    }
}

/// A complete file without a name.
pub struct Complete {
    path: PathBuf,
    file: AtomicWriteFile,
}

impl Complete {
    /// Writes it to the disk and gives it its name.
    ///
    /// # Errors
    /// If that fails.
    pub fn commit(self) -> anyhow::Result<()> {
        let committed = self.file.commit();
        committed.with_context(|| format!("cannot write `{}`", self.path.display()))
    }
}

/// Writes all rows of one table.
///
/// # Errors
/// If the file cannot be written.
pub fn write<R: Row>(
    dataset: &Path,
    place: &Place,
    rows: impl IntoIterator<Item = R>,
) -> anyhow::Result<Complete> {
    let mut file = TableFile::create(dataset, place)?;
    for row in rows {
        file.add(&row)?;
    }
    file.finish()
}

/// Threads that commit files: a disk takes several at once.
const COMMITTERS: usize = 4;

/// Commits the files of processes, each process's in order.
pub struct Committer {
    give: SyncSender<Vec<Complete>>,
    failed: Arc<OnceLock<anyhow::Error>>,
}

impl Committer {
    /// Starts the threads. They end when this is dropped, and the scope waits for them.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        failed: &Arc<OnceLock<anyhow::Error>>,
    ) -> std::io::Result<Self> {
        let (give, files) = mpsc::sync_channel::<Vec<Complete>>(COMMITTERS);
        let files = Arc::new(Mutex::new(files));
        for _ in 0..COMMITTERS {
            let (files, failed) = (Arc::clone(&files), Arc::clone(failed));
            let next = move || files.lock().ok()?.recv().ok();
            let commit = move || {
                while let Some(of_process) = next() {
                    let committed = of_process.into_iter().try_for_each(Complete::commit);
                    if let Err(error) = committed {
                        let _ = failed.set(error);
                    }
                }
            };
            thread::Builder::new().spawn_scoped(scope, commit)?;
        }
        Ok(Self {
            give,
            failed: Arc::clone(failed),
        })
    }

    /// Commits these files soon. Waits while many others do.
    pub fn commit(&self, files: Vec<Complete>) {
        // Fails only if all threads panicked, which the scope reports.
        let _ = self.give.send(files);
    }

    /// Whether a file could not be committed.
    pub fn has_failed(&self) -> bool {
        self.failed.get().is_some()
    }
}
