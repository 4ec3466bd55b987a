//! The `[options]` table of `aclsan.toml`: options for everyone who works in a folder.
//!
//! ```toml
//! [options]
//! guard = "rear"
//! stack_depth = 24
//! halt_on_error = true
//! ```
//!
//! Keys and values are those of `ACLSAN_OPTIONS`; an unknown key or a bad value is an error that names the nearest right one. `[check]`
//! belongs to another command: see [`crate::policy::check_table`]; the wrappers of `[report]` become `skip_frames`: see
//! [`crate::report::report_table`]. There are no other tables.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, bail};
use toml::Value;

use super::Settings;
use crate::io::project_file;
use crate::io::text_file;
use crate::report::report_table;

impl Settings {
    /// Reads `[options]` from a file; empty if the default file does not exist.
    ///
    /// # Errors
    /// If the file cannot be read, a default path is not a regular file, it is not TOML, has an unknown table, or an option is unknown, has
    /// a bad value, or is a table or a date.
    pub fn read(path: &Path, is_named: bool) -> anyhow::Result<Self> {
        let text = match is_named {
            true => text_file::read(path),
            false => text_file::read_regular(path),
        };
        let text = match text {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound && !is_named => {
                return Ok(Self::default());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
        };
        Self::from_toml(&text).with_context(|| format!("`{}` cannot be used", path.display()))
    }

    fn from_toml(text: &str) -> anyhow::Result<Self> {
        let file = project_file::parse(text)?;
        let mut settings = Self::default();
        match file.get("options") {
            None => {}
            Some(Value::Table(options)) => {
                for (key, value) in options {
                    settings.set_checked(key, word(key, value)?)?;
                }
            }
            Some(_) => bail!("`options` is a value; write a table, `[options]`"),
        }
        // The same wrappers in findings that are printed at once.
        let wrappers = report_table::of_file(&file)?;
        if !wrappers.is_empty() && settings.get("skip_frames").is_none() {
            settings.set_checked("skip_frames", wrappers.join(","))?;
        }
        Ok(settings)
    }
}

fn word(key: &str, value: &Value) -> anyhow::Result<String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(claim) => u8::from(*claim).to_string(),
        Value::Array(items) => items
            .iter()
            .map(|item| word(key, item))
            .collect::<Result<Vec<_>, _>>()?
            .join(","),
        Value::Table(_) | Value::Datetime(_) => {
            bail!(
                "option `{key}` is a {}; write a string, a number or true/false",
                value.type_str()
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_becomes_a_word() {
        let settings = Settings::from_toml(
            "[options]\nguard = 'rear'\nstack_depth = 24\nhalt_on_error = true\n[check]\nmax_leak = 0\n",
        );
        assert_eq!(
            settings.unwrap().to_variable().unwrap(),
            "guard=rear:halt_on_error=1:stack_depth=24"
        );
    }

    #[test]
    fn a_mistake_is_reported_with_its_key_or_its_line() {
        let nested = Settings::from_toml("[options.guard]\nkind = 'rear'\n").unwrap_err();
        assert!(nested.to_string().contains("`guard` is a table"));
        let broken = Settings::from_toml("[options]\nguard = \n").unwrap_err();
        assert!(broken.to_string().contains("line 2"), "{broken}");
        let misspelt = Settings::from_toml("[optoins]\nguard = 'rear'\n").unwrap_err();
        assert!(misspelt.to_string().contains("`[options]`"), "{misspelt}");
    }

    #[test]
    fn no_file_means_no_options() {
        let settings = Settings::read(Path::new("no/such/folder/aclsan.toml"), false).unwrap();
        assert_eq!(settings, Settings::default());
    }
}
