//! A dataset: what the logs of many processes show, as Parquet tables that DuckDB, Spark and Trino read, and that `aclsan` reads back.
//!
//! # Layout
//!
//! ```text
//! DATASET/TABLE/run=RUN/host=HOST/pid=PID/PROCESS.parquet
//! ```
//!
//! A process has one file in every table, also where that has no rows: a missing file is a loss, never an absence. Files appear whole, under
//! names of their own, so that many machines can write one dataset, and adding a process never rewrites another's. The file in `processes`
//! comes last: a process without one was not completely written, and readers do not see it.
//!
//! `PROCESS` has 16 hex digits, from a hash of what distinguishes the process: run, machine, process number, parent, start, name of its log.
//! Every row of every table has it in the column `process`, which joins the tables. So the partitions are for pruning only: questions need
//! none of them, and a dataset whose files were moved together gives the same answers. Bytes of a partition's value other than ASCII
//! letters, digits, `-`, `_` and `.` are written as `%` and two hex digits; a value that is not known is `unknown`.
//!
//! # Tables
//!
//! `processes` is the center of the star. `schema/TABLE.tsv`, beside this crate's sources, lists the columns of each with type, unit and
//! meaning; a test compares it with what is written.
//!
//! # Types
//!
//! Numbers are `INT64`, shares `DOUBLE`, texts `UTF8`, and truth values `BOOLEAN`; nothing is nested, because engines agree least about
//! that. A number beyond `INT64` is stored as its largest value. An address is stored with its bits: beyond 2^63 it is negative. A column
//! with several short texts has them in lines.
//!
//! # Versions
//!
//! The file's metadata names its table and [`VERSION`]. A reader accepts its own version and the one before. A column that was added later
//! has its default in older files, and columns are never renamed or given another meaning: what must change gets a new name.

#![forbid(unsafe_code)]

pub mod cell; // values and columns
pub mod error; // why a file is not read
pub mod place; // where a process's files are
pub mod read; // files to rows
pub mod table; // a table's declaration
pub mod tables; // the tables
pub mod write; // rows to files

/// The version that is written.
pub const VERSION: u32 = 2;

/// The oldest version that is read.
pub const OLDEST: u32 = VERSION - 1;
