//! The flags that `run` and `env` share.

use std::path::{Path, PathBuf};

use aclsan_render::text::Locale;
use anyhow::Context;

use super::{Settings, VARIABLE, pairs};
use crate::io::hints::Hints;
use crate::io::project_file::FILE;
use crate::io::{language, notice, stack_display};
use crate::run::log_path;

/// Options of the shim as flags.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is recorded and checked")]
pub struct Flags {
    /// Where logs go: a folder, or a name with `%p` (process), `%h` (host), `%t` (start time), `%q{VARIABLE}`
    ///
    /// A name that ends in `.aclsan` or has a `%` in its last part is a name, anything else a folder
    /// [default: aclsan-%h-%p.aclsan]
    #[arg(short = 'o', long = "log", value_name = "PATH")]
    pub log: Option<String>,
    /// `check` judges calls and writes redzones; `record` judges calls and never touches the device
    #[arg(long, value_parser = ["check", "record"])]
    pub mode: Option<String>,
    /// Redzones that catch writes after a block, or after and before it; `page` makes the device fault instead
    #[arg(long, value_parser = ["off", "rear", "both", "page"])]
    pub guard: Option<String>,
    /// Bytes of a redzone
    #[arg(long, value_name = "BYTES")]
    pub guard_bytes: Option<u64>,
    /// Guard only one block in N
    #[arg(long, value_name = "1/N")]
    pub guard_sample: Option<String>,
    /// Frames to record per call stack
    #[arg(long, value_name = "FRAMES")]
    pub stack_depth: Option<u32>,
    /// End the program at the first finding of level error: by an exit, by SIGABRT (core dump), or by a trap for a debugger
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "exit")]
    #[arg(value_parser = ["exit", "abort", "trap"])]
    pub halt_on_error: Option<String>,
    /// The NPU whose rules apply, such as Ascend910B or Ascend310P; also simulated [default: ask the runtime]
    #[arg(long, value_name = "NAME")]
    pub soc: Option<String>,
    /// Any other option of the shim; see `ACLSAN_OPTIONS=help=1`
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = Hints::<String>::new(pairs), hide_possible_values = true)]
    pub others: Vec<String>,
    /// Print nothing while the program runs; only the report
    #[arg(short, long)]
    pub quiet: bool,
    /// Take options from this file [default: ./aclsan.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

impl Flags {
    /// All options set by the user: flags over `ACLSAN_OPTIONS` over the file.
    ///
    /// # Errors
    /// If the file cannot be used, or was named and does not exist, or a flag or the file sets an option that the shim does not take.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        if let Some(named) = self.config.as_deref().filter(|file| !file.exists()) {
            anyhow::bail!("there is no file `{}` (--config)", named.display());
        }
        let file = self.config.as_deref().unwrap_or(Path::new(FILE));
        let variable = std::env::var_os(VARIABLE).unwrap_or_default();
        let (environment, strays) = Settings::parse(&variable.to_string_lossy());
        for stray in strays {
            notice::say(&format!(
                "`{stray}` in {VARIABLE} is ignored: an option is written key=value, options are separated by colons"
            ));
        }
        let file = Settings::read(file, self.config.is_some())?;
        let mut display = Settings::default();
        if stack_display::chosen().full_stacks {
            display.set_checked("stack_trim", "0")?;
        }
        if stack_display::chosen().is_verbose {
            display.set_checked("verbose", "1")?;
        }
        if stack_display::chosen().no_source {
            display.set_checked("source_lines", "0")?;
        }
        let named = self.named()?.over(display);
        Ok(named.over(environment).over(file))
    }

    /// Options set by flags.
    fn named(&self) -> anyhow::Result<Settings> {
        let mut settings = Settings::default();
        for other in &self.others {
            let Some((key, value)) = other.split_once('=') else {
                anyhow::bail!("--set {other}: write KEY=VALUE");
            };
            settings
                .set_checked(key, value)
                .with_context(|| format!("--set {other}"))?;
        }
        let words = [
            ("mode", self.mode.clone()),
            ("guard", self.guard.clone()),
            (
                "guard_bytes",
                self.guard_bytes.map(|bytes| bytes.to_string()),
            ),
            ("guard_sample", self.guard_sample.clone()),
            (
                "stack_depth",
                self.stack_depth.map(|frames| frames.to_string()),
            ),
            ("halt_on_error", self.halt_on_error.clone()),
            ("soc", self.soc.clone()),
            ("quiet", self.quiet.then(|| "1".to_owned())),
            ("color", color().map(str::to_owned)),
            ("lang", lang().map(str::to_owned)),
            ("log_path", self.log.as_deref().map(log_path::template)),
        ];
        for (key, value) in words {
            if let Some(value) = value {
                settings.set_checked(key, value)?;
            }
        }
        Ok(settings)
    }
}

/// The choice of `--lang`, which all commands have.
fn lang() -> Option<&'static str> {
    language::explicit_locale().map(|locale| match locale {
        Locale::Chinese => "zh",
        Locale::English => "en",
    })
}

/// The choice of `--color`, which all commands have.
fn color() -> Option<&'static str> {
    match anstream::ColorChoice::global() {
        anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => Some("always"),
        anstream::ColorChoice::Never => Some("never"),
        anstream::ColorChoice::Auto => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_flags_that_were_given_become_options() {
        assert_eq!(Flags::default().named().unwrap(), Settings::default());
        let flags = Flags {
            guard: Some("rear".to_owned()),
            halt_on_error: Some("exit".to_owned()),
            others: vec!["fill=on".to_owned()],
            ..Flags::default()
        };
        assert_eq!(
            flags.named().unwrap().to_variable().unwrap(),
            "fill=on:guard=rear:halt_on_error=exit"
        );
    }
}
