//! The `[report]` table of `aclsan.toml`: how stacks are read in this folder.
//!
//! ```toml
//! [report]
//! wrappers = ["Tensor::*", "^pool_alloc$"]      # functions, as in suppressions
//! ```
//!
//! `wrappers` are the program's own allocation functions. They are skipped at the inner end of stacks, so that sites, leaks, budgets, flame
//! graphs and fingerprints go by their callers. An unknown key is an error.

use std::io::ErrorKind;
use std::path::Path;

use aclsan_frames::Pattern;
use anyhow::{Context, bail};
use toml::{Table, Value};

use crate::io::project_file;
use crate::io::text_file;

/// The wrappers in `path`, else in the default file, if there is one.
///
/// # Errors
/// If the file cannot be read, or an entry makes no sense.
pub fn wrappers(path: Option<&Path>) -> anyhow::Result<Vec<Pattern>> {
    let texts = texts(path)?;
    Ok(texts.iter().map(|text| Pattern::new(text)).collect())
}

fn texts(path: Option<&Path>) -> anyhow::Result<Vec<String>> {
    let file = path.unwrap_or(Path::new(project_file::FILE));
    let text = match path {
        Some(path) => text_file::read(path),
        None => text_file::read_regular(file),
    };
    match text {
        Ok(text) => of_text(&text).with_context(|| format!("`{}` cannot be used", file.display())),
        Err(error) if error.kind() == ErrorKind::NotFound && path.is_none() => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read `{}`", file.display())),
    }
}

fn of_text(text: &str) -> anyhow::Result<Vec<String>> {
    of_file(&project_file::parse(text)?)
}

/// The patterns in a parsed file.
///
/// # Errors
/// If an entry makes no sense.
pub fn of_file(file: &Table) -> anyhow::Result<Vec<String>> {
    let table = match file.get("report") {
        None => return Ok(Vec::new()),
        Some(Value::Table(table)) => table,
        Some(_) => bail!("`report` is a value; write a table, `[report]`"),
    };
    if let Some(key) = table.keys().find(|key| *key != "wrappers") {
        bail!("unknown key `{key}` in `[report]`; the key is `wrappers`");
    }
    let Some(value) = table.get("wrappers") else {
        return Ok(Vec::new());
    };
    let Value::Array(items) = value else {
        bail!("`wrappers` is no list; write `wrappers = [\"Tensor::*\"]`");
    };
    items.iter().map(pattern).collect()
}

fn pattern(value: &Value) -> anyhow::Result<String> {
    let Value::String(text) = value else {
        bail!("`wrappers` has a {}; write a string", value.type_str());
    };
    if Pattern::new(text).is_anything() {
        bail!("`{text}` in `wrappers` matches every function: name those that allocate");
    }
    if text.contains(',') {
        bail!("`{text}` in `wrappers` has a comma: write the function's name without parameters");
    }
    Ok(text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_are_patterns_of_functions() {
        let text = "[report]\nwrappers = ['Tensor::*', '^pool_alloc$']\n[check]\nmax_leak = 0\n";
        assert_eq!(of_text(text).unwrap(), ["Tensor::*", "^pool_alloc$"]);
        assert_eq!(of_text("").unwrap(), [""; 0]);
        assert_eq!(of_text("[report]\n").unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_no_wrapper_is_an_error_with_its_name() {
        for (text, why) in [
            ("report = 1", "`report` is a value"),
            ("[report]\nwrapers = []", "unknown key `wrapers`"),
            ("[report]\nwrappers = 'f'", "`wrappers` is no list"),
            ("[report]\nwrappers = [1]", "`wrappers` has a integer"),
            ("[report]\nwrappers = ['*']", "matches every function"),
            ("[report]\nwrappers = ['f(int, int)']", "has a comma"),
            ("[reprot]", "did you mean `[report]`?"),
        ] {
            let error = of_text(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
