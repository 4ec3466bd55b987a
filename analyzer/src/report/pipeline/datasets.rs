//! Arguments that are datasets.

use std::path::PathBuf;

use anyhow::bail;

use super::Logs;
use crate::replay::ReportScope;
use crate::report::assemble::Assembly;
use crate::report::dataset::read;
use crate::symbols::Symbols;

impl Logs {
    /// The datasets among the arguments, and the number of their processes; none if they are logs.
    ///
    /// # Errors
    /// If both are named, or a dataset has no process.
    pub(super) fn datasets(&self) -> anyhow::Result<(Vec<PathBuf>, usize)> {
        let (datasets, logs): (Vec<&PathBuf>, Vec<&PathBuf>) =
            self.logs.iter().partition(|path| read::is_meant(path));
        if let (Some(dataset), Some(log)) = (datasets.first(), logs.first()) {
            bail!(
                "`{}` is a dataset and `{}` is not: name one kind, or export the logs to the dataset",
                dataset.display(),
                log.display()
            );
        }
        let mut processes = 0;
        for dataset in &datasets {
            let count = read::count(dataset)?;
            if count == 0 {
                bail!("dataset `{}` has no process", dataset.display());
            }
            processes += count;
        }
        Ok((datasets.into_iter().cloned().collect(), processes))
    }
}

/// Adds all their processes to a report. Returns a sentence for each file that cannot be used.
///
/// # Errors
/// If a folder cannot be read.
pub fn add(
    datasets: &[PathBuf],
    assembly: &mut Assembly,
    symbols: &Symbols,
    wanted: ReportScope,
) -> anyhow::Result<Vec<String>> {
    let (mut unusable, only_leaks) = (Vec::new(), wanted == ReportScope::Leaks);
    for dataset in datasets {
        let add = |_: &_, stored: &_| assembly.add_stored(stored, &symbols.printer, only_leaks);
        unusable.extend(read::processes(dataset, add)?);
    }
    Ok(unusable)
}
