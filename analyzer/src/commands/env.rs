//! `aclsan env`: prints the variables that `aclsan run` would set, for launchers that start the program themselves.
//!
//! ```text
//! eval "$(aclsan env --guard rear -o logs/)"         # a shell, an sbatch script, before torchrun
//! docker run --env-file <(aclsan env --plain) …      # with the shim's folder mounted at the same path
//! aclsan env --json                                  # for scripts
//! cc -I"$(aclsan env --includedir)" app.c …          # where aclsan.h is, for PYTHONPATH too: what a program can tell aclsan
//! ```
//!
//! The log's path is made absolute, as for `aclsan run`, so that it is the same from every folder. Not so with `--plain`, whose variables are
//! meant for another machine or a container: there it stays as given.
//!
//! Every process that inherits them and calls AscendCL writes a log; `aclsan report FOLDER` reads them together. Only findings are printed
//! while the program runs: the report is a second step.

use std::process::ExitCode;

use serde_json::json;

use crate::io::notice;
use crate::io::output;
use crate::run::annotation_headers;
use crate::run::environment::{Environment, Loading};
use crate::run::log_path;
use crate::run::preload;
use crate::run::settings::Flags;

/// What to set, and how to write it.
#[derive(clap::Args)]
pub struct Args {
    /// Write one JSON object
    #[arg(long)]
    json: bool,
    /// Write NAME=value lines without quotes, for `docker --env-file` and systemd; the log's path stays as given, not absolute
    #[arg(long, conflicts_with = "json")]
    plain: bool,
    /// Print the folder of `aclsan.h` and `aclsan.py`, and nothing else
    #[arg(long, conflicts_with_all = ["json", "plain"])]
    includedir: bool,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    flags: Flags,
}

/// Prints the variables.
///
/// # Errors
/// If the shim or the simulator is not found, or a setting cannot be used.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.includedir {
        let folder = annotation_headers::find()?;
        output::write(format!("{}\n", folder.display()).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut settings = args.flags.settings()?;
    if let Some(place) = settings.get("log_path").filter(|_| !args.plain) {
        let template = log_path::absolute(&log_path::of_option(place));
        settings.set("log_path", template);
    }
    let shim = preload::find(args.loading.preload.as_deref())?;
    let environment = Environment::new(&shim, args.loading.simulator(), &settings, None)?;
    let (variables, links) = environment.keep();
    for link in links {
        notice::say(&format!(
            "the dynamic loader would split the real path, so `{link}` links to it; remove the link when you are done"
        ));
    }
    if args.json {
        let object: serde_json::Map<_, _> = variables
            .into_iter()
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        output::write_json(&object.into())?;
        return Ok(ExitCode::SUCCESS);
    }
    let lines = variables.iter().map(|(name, value)| match args.plain {
        true => format!("{name}={value}\n"),
        false => format!("export {name}={}\n", quoted(value)),
    });
    output::write(lines.collect::<String>().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Quotes `value` for POSIX shells.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,%@".contains(c);
    match !value.is_empty() && value.chars().all(is_plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for value in ["", "/plain/path:x", "it's a 'path'", "$(no) `way` \\"] {
            let script = format!("printf %s {}", quoted(value));
            let out = std::process::Command::new("sh")
                .args(["-c", &script])
                .output();
            assert_eq!(out.unwrap().stdout, value.as_bytes());
        }
    }
}
