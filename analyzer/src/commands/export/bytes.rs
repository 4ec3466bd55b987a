//! Bytes by stack, of the requested kind.

use std::collections::BTreeMap;

use aclsan_log::{CallSiteId, Log};
use aclsan_render::model::Trace;
use aclsan_render::viewers::pprof::Sample;
use anyhow::bail;

use crate::replay::{Replay, Sum};
use crate::report::nothing::NothingToExport;
use crate::report::pipeline::Logs;
use crate::symbols::stacks::Stacks;

/// Which bytes.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Of {
    /// Live at the end
    Live,
    /// Never released
    Leaked,
    /// Allocated in all
    Allocated,
    /// Live at the peak of device memory
    Peak,
}

impl Of {
    /// The title of the drawing.
    pub fn title(self) -> &'static str {
        match self {
            Self::Live => "Bytes live at the end",
            Self::Leaked => "Bytes never released",
            Self::Allocated => "Bytes allocated",
            Self::Peak => "Bytes live at the peak of device memory",
        }
    }

    /// A word for these bytes.
    pub fn adjective(self) -> &'static str {
        match self {
            Self::Live => "live at the end",
            Self::Leaked => "leaked",
            Self::Allocated | Self::Peak => "allocated",
        }
    }
}

/// Stacks of all logs with their bytes.
///
/// # Errors
/// If a log cannot be read.
pub fn weights(logs: &Logs, of: Of) -> anyhow::Result<Vec<(Trace, u64)>> {
    let mut weights = Vec::new();
    each(logs, |_, replay, stacks| {
        weights.extend(weigh(replay, of, stacks));
    })?;
    Ok(weights)
}

/// As [`weights`], and there must be some.
///
/// # Errors
/// Also [`NothingToExport`].
pub fn some_weights(logs: &Logs, of: Of) -> anyhow::Result<Vec<(Trace, u64)>> {
    let weights = weights(logs, of)?;
    match weights.is_empty() {
        true => {
            let why = format!("no bytes were {}", of.adjective());
            Err(NothingToExport::new(why).into())
        }
        false => Ok(weights),
    }
}

/// Memory live at the end, and leaks that the last reset of their device reclaimed.
fn with_reclaimed(replay: &Replay) -> BTreeMap<CallSiteId, Sum> {
    let mut sums = replay.live.clone();
    for (&site, reclaimed) in &replay.reclaimed {
        let sum = sums.entry(site).or_default();
        sum.blocks += reclaimed.blocks;
        sum.bytes = sum.bytes.saturating_add(reclaimed.bytes);
    }
    sums
}

fn weigh(replay: &Replay, of: Of, stacks: &mut Stacks) -> Vec<(Trace, u64)> {
    let by_site = |sites: &BTreeMap<CallSiteId, Sum>| -> Vec<_> {
        sites.iter().map(|(&site, sum)| (site, sum.bytes)).collect()
    };
    let weights: Vec<_> = match of {
        Of::Live => by_site(&with_reclaimed(replay)),
        Of::Peak => by_site(&replay.at_peak),
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

/// Stacks of all logs with all kinds of their bytes; and when the first log began, in nanoseconds since 1970.
///
/// # Errors
/// If a log cannot be read.
pub fn samples(logs: &Logs) -> anyhow::Result<(Vec<Sample>, u64)> {
    let mut samples = Vec::new();
    let mut began = None;
    each(logs, |log, replay, stacks| {
        began.get_or_insert(log.header.started.realtime_ns);
        let live = with_reclaimed(replay);
        let mut leaked: BTreeMap<CallSiteId, (u64, u64)> = BTreeMap::new();
        for (group, _) in &replay.leaks {
            let sum = leaked.entry(group.first.block.site).or_default();
            *sum = (sum.0 + group.blocks, sum.1 + group.bytes);
        }
        let of = |sums: &BTreeMap<CallSiteId, Sum>, site| {
            let sum = sums.get(&site).copied().unwrap_or_default();
            (sum.blocks, sum.bytes)
        };
        for (site, sum) in (0..).map(CallSiteId).zip(&replay.allocated) {
            if sum.blocks > 0 {
                samples.push(Sample {
                    trace: stacks.trace("allocated", site),
                    allocated: (sum.blocks, sum.bytes),
                    live: of(&live, site),
                    leaked: leaked.remove(&site).unwrap_or_default(),
                    peak: of(&replay.at_peak, site),
                });
            }
        }
        // Parts of pools, and sites that differ from the first of their place in an argument.
        samples.extend(leaked.into_iter().map(|(site, leaked)| Sample {
            trace: stacks.trace("allocated", site),
            allocated: (0, 0),
            live: (0, 0),
            leaked,
            peak: (0, 0),
        }));
    })?;
    if samples.is_empty() {
        return Err(NothingToExport::new("no block was allocated").into());
    }
    Ok((samples, began.unwrap_or(0)))
}

/// Replays every log; all must be readable.
fn each(logs: &Logs, mut each: impl FnMut(&Log, &Replay, &mut Stacks)) -> anyhow::Result<()> {
    let mut symbols = logs.symbols()?;
    let unreadable = logs.replay_all(|log, replay| {
        let mut stacks = Stacks::new(log, &mut symbols);
        each(log, replay, &mut stacks);
    })?;
    if !unreadable.is_empty() {
        bail!("{}", unreadable.join("\naclsan: "));
    }
    Ok(())
}
