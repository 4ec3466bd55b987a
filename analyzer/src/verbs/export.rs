//! `aclsan export --format F LOG… -o FILE`: a log for other viewers.
//!
//! | format | for |
//! |---|---|
//! | `folded` | `flamegraph.pl`, speedscope, `inferno-flamegraph`: one line a stack, bytes behind it |
//! | `flamegraph` | any browser: an SVG file |
//!
//! `--of` chooses the bytes: `live` at the end (not those that a reset dropped), `leaked` (those too), `allocated` in all, or `peak`:
//! live when the process had the most device memory. Without `-o`, or with `-o -`, the file goes to standard output.
//!
//! ```text
//! aclsan export --format flamegraph --of peak LOG -o peak.svg
//! ```

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use aclsan_render::model::Trace;
use aclsan_render::{flamegraph, folded};
use anyhow::{Context, bail};

use crate::input::Logs;
use crate::output;
use crate::replay::Replay;
use crate::stacks::Stacks;

/// What to write, from which logs, where to.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    logs: Logs,
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Format,
    /// Which bytes
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Of::Live)]
    of: Of,
    /// Where to; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// A line for each stack, for flame graph tools and speedscope
    Folded,
    /// An SVG file, for a browser
    Flamegraph,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Of {
    /// Live at the end
    Live,
    /// Never released
    Leaked,
    /// Allocated in all
    Allocated,
    /// Live when the most device memory was
    Peak,
}

impl Of {
    fn title(self) -> &'static str {
        match self {
            Self::Live => "Bytes live at the end",
            Self::Leaked => "Bytes never released",
            Self::Allocated => "Bytes allocated",
            Self::Peak => "Bytes live at the peak of device memory",
        }
    }
}

/// Writes the file.
///
/// # Errors
/// When a log can't be read, there is nothing to draw, or the file cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut symbols = args.logs.symbols();
    let mut weights = Vec::new();
    let unreadable = args.logs.replay_all(|log, replay| {
        let mut stacks = Stacks::new(log, &mut symbols);
        weights.extend(weigh(&replay, args.of, &mut stacks));
    })?;
    if !unreadable.is_empty() {
        bail!("{}", unreadable.join("\naclsan: "));
    }
    let lines = folded::lines(&weights);
    let mut file = Vec::new();
    match args.format {
        Format::Folded => {
            for line in &lines {
                file.extend(line.bytes().chain([b'\n']));
            }
        }
        Format::Flamegraph if lines.is_empty() => {
            bail!(
                "there is nothing to draw: no bytes were {}",
                match args.of {
                    Of::Live => "live at the end",
                    Of::Leaked => "leaked",
                    Of::Allocated | Of::Peak => "allocated",
                }
            );
        }
        Format::Flamegraph => flamegraph::render(&lines, args.of.title(), &mut file)
            .context("cannot draw the flame graph")?,
    }
    match args.output.as_os_str() == "-" {
        true => output::write(&file)?,
        false => fs::write(&args.output, &file)
            .with_context(|| format!("cannot write `{}`", args.output.display()))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn weigh(replay: &Replay, of: Of, stacks: &mut Stacks) -> Vec<(Trace, u64)> {
    let weights: Vec<_> = match of {
        Of::Live => replay
            .live
            .iter()
            .map(|(&site, sum)| (site, sum.bytes))
            .collect(),
        Of::Peak => replay
            .at_peak
            .iter()
            .map(|(&site, sum)| (site, sum.bytes))
            .collect(),
        Of::Leaked => {
            let leaks = replay.leaks.iter();
            leaks
                .map(|(group, _)| (group.first.block.site, group.bytes))
                .collect()
        }
        Of::Allocated => replay.allocated_by_site().collect(),
    };
    let heavy = weights.into_iter().filter(|(_, bytes)| *bytes > 0);
    heavy
        .map(|(site, bytes)| (stacks.trace("allocated", site), bytes))
        .collect()
}
