//! Why a file of a dataset is not read.

use std::fmt;
use std::path::PathBuf;

/// A file that cannot be used, and why.
#[derive(Debug)]
pub struct Unusable {
    pub file: PathBuf,
    pub why: Why,
}

/// The reason.
#[derive(Debug)]
pub enum Why {
    /// The process has no such file.
    Missing,
    /// The system cannot read it.
    Unreadable(std::io::Error),
    /// It is no Parquet file, or one that was cut off or damaged.
    Torn(String),
    /// A Parquet file of something else.
    Foreign,
    /// Of another table.
    Misplaced(String),
    /// Written by a later version, or one that is too old.
    Version(String),
    /// A column is missing, or of another type.
    Column(&'static str),
    /// It claims more rows than a process can have.
    Long(i64),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match &self.why {
            Why::Missing => write!(f, "`{file}` is missing: the process is left out"),
            Why::Unreadable(error) => write!(f, "cannot read `{file}`: {error}"),
            Why::Torn(error) => {
                write!(
                    f,
                    "`{file}` is damaged or no Parquet file: {error}; export the process again"
                )
            }
            Why::Foreign => write!(
                f,
                "`{file}` is a Parquet file, but not of a dataset of aclsan; move it away"
            ),
            Why::Misplaced(table) => {
                write!(f, "`{file}` belongs to table `{table}`; move it there")
            }
            Why::Version(version) => write!(
                f,
                "`{file}` has version {version} of the dataset; this aclsan reads {} and {}",
                crate::OLDEST,
                crate::VERSION
            ),
            Why::Column(column) => write!(
                f,
                "`{file}` has no usable column `{column}`; export the process again"
            ),
            Why::Long(rows) => write!(
                f,
                "`{file}` claims {rows} rows, more than a table of one process has"
            ),
        }
    }
}

impl std::error::Error for Unusable {}
