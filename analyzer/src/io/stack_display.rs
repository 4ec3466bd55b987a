//! How findings and their stacks are shown in texts: at length, all frames, source lines, links. Set once, by flags that every command takes.

use std::env;
use std::sync::OnceLock;

use aclsan_render::text::Detail;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};

/// The flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::Args)]
pub struct StackDisplay {
    /// Show all frames of stacks, also start-up code, internals of libraries and the Python interpreter
    #[arg(long, global = true)]
    pub full_stacks: bool,
    /// Start every line of a text with `==PID==`, as sanitizers do [default: only for several processes]
    #[arg(long, global = true)]
    pub prefix: bool,
    /// Show no source lines below stacks
    #[arg(long, global = true)]
    pub no_source: bool,
    /// Make files in stacks links: on a terminal, always, or never
    #[arg(long, global = true, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub hyperlinks: When,
    /// Whether `--verbose` is given: it is the command line's.
    #[arg(skip)]
    pub is_verbose: bool,
}

impl StackDisplay {
    /// How much of a finding is shown.
    pub fn detail(self) -> Detail {
        match (self.full_stacks, self.is_verbose) {
            (true, _) => Detail::Full,
            (false, true) => Detail::Long,
            (false, false) => Detail::Brief,
        }
    }
}

/// When to write links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum When {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`; `FORCE_HYPERLINK` overrides it.
    #[default]
    Auto,
    /// Always, even into a file.
    Always,
    /// Never.
    Never,
}

static CHOSEN: OnceLock<StackDisplay> = OnceLock::new();

/// Sets the flags, once.
pub fn init(mut chosen: StackDisplay) {
    chosen.hyperlinks = forced(
        chosen.hyperlinks,
        env::var("FORCE_HYPERLINK").ok().as_deref(),
    );
    let _ = CHOSEN.set(chosen);
}

/// The flags.
pub fn chosen() -> StackDisplay {
    CHOSEN.get().copied().unwrap_or_default()
}

/// Whether files are links in a text on `stream`.
pub fn has_links(stream: &impl RawStream) -> bool {
    match chosen().hyperlinks {
        When::Always => true,
        When::Never => false,
        When::Auto => stream.is_terminal() && AutoStream::choice(stream) != ColorChoice::Never,
    }
}

/// Whether texts on `stream` have colors. Elsewhere escapes are stripped, unless links are asked for.
pub fn has_colors(stream: &impl RawStream) -> bool {
    chosen().hyperlinks != When::Always || AutoStream::choice(stream) != ColorChoice::Never
}

/// A flag overrides the variable.
fn forced(flag: When, variable: Option<&str>) -> When {
    match (flag, variable) {
        (When::Auto, Some("0")) => When::Never,
        (When::Auto, Some(value)) if !value.is_empty() => When::Always,
        (flag, _) => flag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_overrides_the_variable() {
        assert_eq!(forced(When::Auto, None), When::Auto);
        assert_eq!(forced(When::Auto, Some("")), When::Auto);
        assert_eq!(forced(When::Auto, Some("1")), When::Always);
        assert_eq!(forced(When::Auto, Some("0")), When::Never);
        assert_eq!(forced(When::Never, Some("1")), When::Never);
        assert_eq!(forced(When::Always, Some("0")), When::Always);
    }
}
