//! `aclsan.toml`: each reader takes its own table, and all reject unknown tables.
//!
//! A misspelled `[check]` would be ignored, and its budgets never exceeded.

use anyhow::bail;
use toml::Table;

use crate::io::suggest::nearest;

/// File name. Searched in the working directory only, so that a command means the same whatever its parent folders hold.
pub const FILE: &str = "aclsan.toml";

const NAMES: [&str; 3] = ["check", "options", "report"];

/// Parses the file's text.
///
/// # Errors
/// If it is not TOML, or has an unknown table or key, which the message names.
pub fn parse(text: &str) -> anyhow::Result<Table> {
    let file: Table = text.parse()?;
    let Some(name) = file.keys().find(|name| !NAMES.contains(&name.as_str())) else {
        return Ok(file);
    };
    let near = nearest(name, NAMES.into_iter());
    let all = NAMES.join("]` and `[");
    match near.is_empty() {
        true => bail!("unknown table `[{name}]`; the tables are `[{all}]`"),
        false => bail!(
            "unknown table `[{name}]`: did you mean `[{}]`? The tables are `[{all}]`",
            near.join("]` or `[")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_other_readers_are_known() {
        let file = parse("[options]\nguard = 'rear'\n[[check.sites]]\nplace = 'f'\n").unwrap();
        assert_eq!(file.len(), 2);
    }

    #[test]
    fn a_name_that_nobody_reads_is_reported_with_what_it_may_stand_for() {
        for (text, reported) in [
            ("[chekc]\nmax_leak = 0", "did you mean `[check]`?"),
            ("[[chekc.sites]]\nplace = 'f'", "did you mean `[check]`?"),
            ("[optoins]\nguard = 'rear'", "did you mean `[options]`?"),
            (
                "max_leak = 0\n[check]",
                "unknown table `[max_leak]`; the tables are `[check]` and `[options]` and `[report]`",
            ),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(reported), "{text}: {error}");
        }
    }
}
