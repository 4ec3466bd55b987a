//! The state as OpenMetrics, which Prometheus scrapes.
//!
//! The number of series is bounded, however long the server runs: a few for each device, family and rule of [`series::PROCESSES`] processes, and
//! [`SITES`] for the sites that hold most. What is beyond a bound is in the sums of a series with the label `other`.

mod labels;
mod series;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{Display, Write};

use crate::watch::state::{Device, Family, Process, Site, State};
use crate::watch::totals::Totals;
use labels::{REST, labels, place};
pub use series::Series;
use series::{held, rest, sum};

/// The type of the document.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Sites with series of their own, of all processes together.
const SITES: usize = 20;
/// Devices, pools and categories with series of their own, of each process.
const DEVICES: usize = 32;
const POOLS: usize = 20;
const CATEGORIES: usize = 20;

struct Document(String);

impl Document {
    /// A family of series: its type, which is `gauge` or `counter`, its unit, what it is, and its samples.
    fn family<V: Display>(
        &mut self,
        (name, kind, unit): (&str, &str, &str),
        help: &str,
        samples: impl IntoIterator<Item = (String, V)>,
    ) {
        let out = &mut self.0;
        let _ = writeln!(out, "# TYPE {name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(out, "# UNIT {name} {unit}");
        }
        let _ = writeln!(out, "# HELP {name} {help}");
        let suffix = if kind == "counter" { "_total" } else { "" };
        for (labels, value) in samples {
            let _ = match labels.is_empty() {
                true => writeln!(out, "{name}{suffix} {value}"),
                false => writeln!(out, "{name}{suffix}{{{labels}}} {value}"),
            };
        }
    }
}

/// The document, of the processes that `series` chooses. Processes with one number, in containers or after an `exec`, differ by the label
/// `log`.
pub fn document(state: &State, series: &mut Series) -> String {
    let mut document = Document(String::new());
    let (own, others) = series.split(state);
    let rest = rest(state, &others);
    let who = labels(&own);
    let each = || own.iter().copied().zip(&who);
    let has_rest = rest.processes > 0;
    let with_rest = |value: u64| has_rest.then(|| (REST.to_owned(), value));
    let running = |process: &Process| !matches!(process.life.name(), "exited" | "gone");
    let running_rest = others.iter().filter(|process| running(process)).count();
    document.family(
        ("aclsan_process_running", "gauge", ""),
        "1 while the process runs, 0 once it has ended; of `other`, how many run.",
        each()
            .map(|(process, who)| (who.clone(), u64::from(running(process))))
            .chain(with_rest(running_rest as u64)),
    );
    document.family(
        ("aclsan_forgotten_processes", "counter", ""),
        "Processes that have ended and are in the sums of `other` for good.",
        [(String::new(), state.forgotten.processes)],
    );
    let devices: Vec<(String, &Device)> = each()
        .flat_map(|(process, who)| {
            let of = move |device: i32| format!("{who},device=\"{device}\"");
            let devices = process.devices.iter().take(DEVICES);
            devices.map(move |one| (of(one.device), one))
        })
        .collect();
    let of_devices = |of: &Device| of.live;
    let beyond = own.iter().flat_map(|of| of.devices.iter().skip(DEVICES));
    let beyond = beyond.chain(others.iter().flat_map(|of| &of.devices));
    document.family(
        ("aclsan_device_live_bytes", "gauge", "bytes"),
        "Bytes of device memory that are live.",
        (devices.iter().map(|(labels, of)| (labels.clone(), of.live))).chain(sum(
            &format!("{REST},device=\"other\""),
            beyond.map(of_devices),
        )),
    );
    document.family(
        ("aclsan_device_peak_bytes", "gauge", "bytes"),
        "Most bytes of device memory that were live at once.",
        (devices.iter()).map(|(labels, of)| (labels.clone(), of.peak.0)),
    );
    document.family(
        ("aclsan_device_runtime_free_bytes", "gauge", "bytes"),
        "Free bytes that the runtime reported last.",
        (devices.iter()).filter_map(|(labels, of)| Some((labels.clone(), of.runtime?.0))),
    );
    let families: Vec<(String, &Family)> = each()
        .flat_map(|(process, who)| {
            let of = move |family: &str| format!("{who},family=\"{family}\"");
            process.families.iter().map(move |one| (of(one.name), one))
        })
        .collect();
    let mut live: BTreeMap<&str, u64> = BTreeMap::new();
    for family in others.iter().flat_map(|process| &process.families) {
        let sum = live.entry(family.name).or_default();
        *sum = sum.saturating_add(family.live);
    }
    let of_rest = |family: &str| format!("{REST},family=\"{family}\"");
    document.family(
        ("aclsan_live_bytes", "gauge", "bytes"),
        "Live bytes by family of calls.",
        (families
            .iter()
            .map(|(labels, of)| (labels.clone(), of.live)))
        .chain(live.iter().map(|(family, live)| (of_rest(family), *live))),
    );
    document.family(
        ("aclsan_peak_bytes", "gauge", "bytes"),
        "Most live bytes by family of calls.",
        (families.iter()).map(|(labels, of)| (labels.clone(), of.peak)),
    );
    let sums = || rest.families.iter();
    document.family(
        ("aclsan_allocations", "counter", ""),
        "Blocks allocated.",
        (families
            .iter()
            .map(|(labels, of)| (labels.clone(), of.blocks.0)))
        .chain(sums().map(|(family, blocks)| (of_rest(family), blocks.0))),
    );
    document.family(
        ("aclsan_releases", "counter", ""),
        "Blocks released.",
        (families
            .iter()
            .map(|(labels, of)| (labels.clone(), of.blocks.1)))
        .chain(sums().map(|(family, blocks)| (of_rest(family), blocks.1))),
    );
    let processes = (own.as_slice(), who.as_slice(), others.as_slice());
    let pool = |device: &str, name: &str| format!("device=\"{device}\",pool=\"{name}\"");
    document.family(
        ("aclsan_pool_live_bytes", "gauge", "bytes"),
        "Live bytes of the parts that pools have given out; `other` is of those that hold less.",
        (held(POOLS, |process| &process.pools, &pool, processes).into_iter())
            .map(|(labels, (live, _))| (labels, live)),
    );
    let category = |_: &str, name: &str| format!("category=\"{name}\"");
    let categories = held(
        CATEGORIES,
        |process| &process.categories,
        &category,
        processes,
    );
    document.family(
        ("aclsan_category_live_bytes", "gauge", "bytes"),
        "Live bytes of device memory by what the program said it is for.",
        (categories.iter()).map(|(labels, (live, _))| (labels.clone(), *live)),
    );
    document.family(
        ("aclsan_category_peak_bytes", "gauge", "bytes"),
        "Most of these bytes that were live at once.",
        (categories.iter()).filter_map(|(labels, (_, peak))| Some((labels.clone(), (*peak)?))),
    );
    document.family(
        ("aclsan_calls", "counter", ""),
        "Calls of AscendCL that were recorded.",
        each()
            .map(|(process, who)| (who.clone(), process.calls.0))
            .chain(with_rest(rest.calls.0)),
    );
    document.family(
        ("aclsan_refused_calls", "counter", ""),
        "Calls that the runtime refused.",
        each()
            .map(|(process, who)| (who.clone(), process.calls.1))
            .chain(with_rest(rest.calls.1)),
    );
    document.family(
        ("aclsan_lost_events", "counter", ""),
        "Events that could not be recorded.",
        each()
            .map(|(process, who)| (who.clone(), process.lost))
            .chain(with_rest(rest.lost)),
    );
    document.family(
        ("aclsan_block_sample_bytes", "gauge", "bytes"),
        "Device and pinned memory per recorded block, where sums over blocks are estimates.",
        each().filter_map(|(process, who)| {
            let mean = process.block_sample;
            (mean > 0).then_some((who.clone(), mean))
        }),
    );
    document.family(
        ("aclsan_findings", "counter", ""),
        "Findings by rule, each as often as it occurred, without those that suppressions cover.",
        findings(state, &own, &who, &rest),
    );
    document.family(
        ("aclsan_suppressed_findings", "counter", ""),
        "Findings that suppressions cover, each as often as it occurred.",
        each()
            .map(|(process, who)| (who.clone(), process.suppressed))
            .chain(with_rest(rest.suppressed)),
    );
    let numbers: HashMap<usize, &String> =
        each().map(|(process, who)| (process.number, who)).collect();
    let top = top(&state.sites, &numbers);
    let shown: u64 = top.iter().map(|(site, _)| site.live.0).sum();
    let all = state.sites.iter().map(|site| site.live.0);
    let less = all.fold(0_u64, u64::saturating_add).saturating_sub(shown);
    let place = |(site, who): &(&Site, &String)| format!("{who},{}", place(site));
    document.family(
        ("aclsan_site_live_bytes", "gauge", "bytes"),
        "Live bytes of the sites that hold most; `other` is of all that hold less.",
        (top.iter().map(|one| (place(one), one.0.live.0)))
            .chain((less > 0).then(|| (format!("{REST},site=\"other\",place=\"other\""), less))),
    );
    document.family(
        ("aclsan_site_growth_bytes_per_minute", "gauge", ""),
        "What these sites add a minute, if they grow steadily.",
        (top.iter()).filter_map(|one| Some((place(one), one.0.growth?.0))),
    );
    document.0.push_str("# EOF\n");
    document.0
}

fn findings(state: &State, own: &[&Process], who: &[String], rest: &Totals) -> Vec<(String, u64)> {
    let who: HashMap<usize, &String> = (own.iter().map(|process| process.number))
        .zip(who)
        .collect();
    let mut counts: BTreeMap<(usize, &str, &str), u64> = BTreeMap::new();
    for found in state.findings.iter().filter(|found| !found.is_consequence) {
        let key = (found.process, found.rule, found.severity);
        *counts.entry(key).or_default() += found.times;
    }
    let of = |who: &str, rule: &str, severity: &str| {
        format!("{who},rule=\"{rule}\",severity=\"{severity}\"")
    };
    let samples = counts
        .into_iter()
        .filter_map(|((process, rule, severity), times)| {
            Some((of(who.get(&process)?, rule, severity), times))
        });
    let sums = rest.findings.iter();
    let sums = sums.map(|((rule, severity), times)| (of(REST, rule, severity), *times));
    samples.chain(sums).collect()
}

/// The sites that hold most, growing ones first, with the labels of their processes. Two sites of one line are one series, which a scrape
/// could not tell apart.
fn top<'a>(sites: &'a [Site], who: &HashMap<usize, &'a String>) -> Vec<(&'a Site, &'a String)> {
    let live = sites.iter().filter(|site| site.live.0 > 0);
    let of_own = live.filter_map(|site| Some((site, *who.get(&site.key.process)?)));
    let mut top: Vec<(&Site, &String)> = of_own.collect();
    top.sort_by_key(|(site, _)| (site.growth.is_none(), Reverse(site.live.0), site.key));
    top.truncate(SITES);
    top
}

#[cfg(test)]
mod tests;
