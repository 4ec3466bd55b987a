//! A process's files in a dataset. Each appears whole; a process exported again replaces its own files and no other's.

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

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

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> anyhow::Result<()> {
        let failed = || format!("cannot write `{}`", self.path.display());
        let file = self.writer.finish().with_context(failed)?;
        let file = file.into_inner().map_err(|error| error.into_error());
        file.and_then(AtomicWriteFile::commit).with_context(failed)
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
) -> anyhow::Result<()> {
    let mut file = TableFile::create(dataset, place)?;
    for row in rows {
        file.add(&row)?;
    }
    file.finish()
}
