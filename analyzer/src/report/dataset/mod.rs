//! Datasets: processes written as tables, and reports made from tables.

mod block_rows; // rows of single blocks
mod files; // a process's files in a dataset
pub mod identity; // which process a log is of
mod process_rows; // the rows of what a process is, and its sums
pub mod read; // tables to processes of a report
mod site_rows; // the rows of sites, and of what refers to them
pub mod write; // logs to tables

/// Texts of one column, in lines. A line that has lines itself becomes one.
fn lines<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let texts = texts.into_iter();
    let texts = texts.map(|text| text.as_ref().replace(['\n', '\r'], " "));
    texts.collect::<Vec<_>>().join("\n")
}

/// The texts of such a column.
fn texts(lines: &str) -> Vec<String> {
    lines.lines().map(str::to_owned).collect()
}
