//! The state as OpenMetrics, which Prometheus scrapes.
//!
//! The number of series is bounded, however long the server runs: a few for each device, family and rule of [`PROCESSES`] processes, and
//! [`SITES`] for the sites that hold most. What is beyond a bound is in the sums of a series with the label `other`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{Display, Write};

use aclsan_render::model::Held;
use aclsan_render::units::printable;

use crate::watch::state::{Device, Family, Finding, Life, Process, Site, State};
use crate::watch::totals::Totals;

/// The type of the document.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Processes with series of their own.
const PROCESSES: usize = 100;
/// Sites with series of their own, of all processes together.
const SITES: usize = 20;
/// Devices, pools and categories with series of their own, of each process.
const DEVICES: usize = 32;
const POOLS: usize = 20;
const CATEGORIES: usize = 20;
/// Bytes of a label's value.
const LABEL: usize = 120;
/// The labels of all other processes together.
const REST: &str = "pid=\"other\",program=\"other\"";

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

/// Which processes have series of their own. One that has lost them does not get them back: it counts in the sums of all others from then
/// on, so neither these sums nor those over all series ever fall.
#[derive(Default)]
pub struct Series {
    own: BTreeSet<usize>,
    /// The first number that was never seen.
    next: usize,
}

impl Series {
    /// The processes that have, and the others.
    fn split<'a>(&mut self, state: &'a State) -> (Vec<&'a Process>, Vec<&'a Process>) {
        let all = || state.processes.iter();
        self.own.retain(|&number| state.index(number).is_some());
        let new = all().filter(|process| process.number >= self.next);
        self.own.extend(new.map(|process| process.number));
        self.next = all().last().map_or(self.next, |last| last.number + 1);
        if let Some(excess @ 1..) = self.own.len().checked_sub(PROCESSES) {
            let own = all().filter(|process| self.own.contains(&process.number));
            let is_over = |process: &&Process| matches!(process.life, Life::Exited | Life::Gone);
            let (ended, running): (Vec<&Process>, Vec<&Process>) = own.partition(is_over);
            let order = ended.into_iter().chain(running.into_iter().rev());
            for process in order.take(excess) {
                self.own.remove(&process.number);
            }
        }
        all().partition(|process| self.own.contains(&process.number))
    }
}

/// The sums of all that has no series of its own.
fn rest(state: &State, others: &[&Process]) -> Totals {
    let mut rest = state.forgotten.clone();
    let mut findings: HashMap<usize, Vec<&Finding>> = HashMap::new();
    for found in &state.findings {
        findings.entry(found.process).or_default().push(found);
    }
    for process in others {
        let of_process = findings.remove(&process.number).unwrap_or_default();
        rest.add(process, of_process);
    }
    rest
}

/// A sample of a sum, unless nothing was added.
fn sum(labels: &str, values: impl Iterator<Item = u64>) -> Option<(String, u64)> {
    let sum = values.reduce(u64::saturating_add)?;
    Some((labels.to_owned(), sum))
}

/// Live and most live bytes of what a process names, of the `most` that hold most; the rest has the name `other`, and no peak of its own.
fn held(
    most: usize,
    of: fn(&Process) -> &[Held],
    labels: &dyn Fn(&str, &str) -> String,
    (own, who, others): (&[&Process], &[String], &[&Process]),
) -> BTreeMap<String, (u64, Option<u64>)> {
    let mut sums: BTreeMap<String, (u64, Option<u64>)> = BTreeMap::new();
    let mut add = |labels: String, live: u64, peak: Option<u64>| {
        let sum = sums.entry(labels).or_insert((0, peak));
        sum.0 = sum.0.saturating_add(live);
        sum.1 = sum.1.zip(peak).map(|(one, other)| one.max(other));
    };
    let other = labels("other", "other");
    for (process, who) in own.iter().zip(who) {
        let mut list: Vec<&Held> = of(process).iter().collect();
        list.sort_by_key(|held| Reverse(held.live));
        for (at, held) in list.into_iter().enumerate() {
            if at >= most {
                add(format!("{who},{other}"), held.live, None);
                continue;
            }
            let name: String = printable(&held.name).chars().take(LABEL / 2).collect();
            let labels = labels(&held.device.to_string(), &escaped(&name));
            add(format!("{who},{labels}"), held.live, Some(held.peak));
        }
    }
    for held in others.iter().flat_map(|process| of(process)) {
        add(format!("{REST},{other}"), held.live, None);
    }
    sums
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

fn place(site: &Site) -> String {
    format!(
        "site=\"{}\",place=\"{}\"",
        site.key.site,
        bounded(&site.label)
    )
}

/// Labels that no two processes share.
fn labels(processes: &[&Process]) -> Vec<String> {
    let mut same: HashMap<(u32, &str), usize> = HashMap::new();
    for process in processes {
        *same.entry((process.pid, &process.program)).or_default() += 1;
    }
    let label = |process: &&Process| {
        let (pid, program) = (process.pid, bounded(&process.program));
        let labels = format!("pid=\"{pid}\",program=\"{program}\"");
        match same.get(&(process.pid, process.program.as_str())) {
            Some(2..) => format!("{labels},log=\"{}\"", escaped(&process.log)),
            _ => labels,
        }
    };
    processes.iter().map(label).collect()
}

/// Escapes a label's value, and bounds its length.
fn bounded(text: &str) -> String {
    let mut label = escaped(text);
    while label.len() > LABEL {
        label.pop();
    }
    let odd = label.len() - label.trim_end_matches('\\').len();
    label.truncate(label.len() - odd % 2);
    label
}

/// Escapes a label's value.
fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::state::{Device, Family, Finding, Life, SiteKey};
    use aclsan_render::model::Held;

    fn process(pid: u32, log: &str) -> Process {
        Process {
            number: 0,
            pid,
            log: log.to_owned(),
            program: "app\"\\".to_owned(),
            life: Life::Runs,
            signal: None,
            duration_ns: 0,
            events: 5,
            is_behind: false,
            devices: vec![Device {
                device: 3,
                live: 10,
                peak: (20, 0),
                runtime: Some((5, 6)),
            }],
            families: vec![Family {
                name: "device",
                live: 10,
                peak: 20,
                blocks: (4, 3),
            }],
            categories: vec![held("weights", 5)],
            // Of two sources, which the label does not tell apart.
            pools: vec![held("a \"pool\"", 2), held("a \"pool\"", 1)],
            histories: Vec::new(),
            history: Vec::new(),
            rates: (0.0, 0.0),
            calls: (7, 1),
            lost: 0,
            suppressed: 0,
            block_sample: 0,
        }
    }

    /// In the order in which they were found.
    fn numbered(processes: impl IntoIterator<Item = Process>) -> Vec<Process> {
        let numbered = processes.into_iter().enumerate();
        numbered
            .map(|(number, process)| Process { number, ..process })
            .collect()
    }

    fn held(name: &str, live: u64) -> Held {
        Held {
            name: name.to_owned(),
            device: -1,
            live,
            peak: live,
            blocks: 1,
        }
    }

    fn site(number: u32, live: u64) -> Site {
        Site {
            key: SiteKey {
                process: 0,
                site: number,
            },
            label: "\\".repeat(200),
            call: String::new(),
            place: Default::default(),
            family: "device",
            device: 3,
            live: (live, 1),
            peak: live,
            allocated: (1, live, 0),
            growth: (number == 1).then_some((9, "high")),
            rate: 0.0,
            oldest_ns: None,
            largest: None,
            threads: Vec::new(),
            epochs: Vec::new(),
        }
    }

    #[test]
    fn every_sample_follows_its_type_and_the_document_ends_as_it_must() {
        let state = State {
            processes: numbered([process(7, "a"), process(7, "b"), process(8, "c")]),
            findings: vec![Finding {
                process: 2,
                number: 0,
                rule: "double-free",
                severity: "error",
                message: String::new(),
                place: String::new(),
                times: 3,
                first_ns: 0,
                is_consequence: false,
            }],
            ..State::default()
        };
        let text = document(&state, &mut Series::default());
        let who = r#"pid="8",program="app\"\\""#;
        for line in [
            format!("aclsan_device_live_bytes{{{who},device=\"3\"}} 10"),
            format!("aclsan_category_live_bytes{{{who},category=\"weights\"}} 5"),
            format!("aclsan_pool_live_bytes{{{who},device=\"-1\",pool=\"a \\\"pool\\\"\"}} 3"),
            format!("aclsan_allocations_total{{{who},family=\"device\"}} 4"),
            format!("aclsan_findings_total{{{who},rule=\"double-free\",severity=\"error\"}} 3"),
            r#"aclsan_calls_total{pid="7",program="app\"\\",log="b"} 7"#.to_owned(),
        ] {
            assert!(text.contains(&format!("\n{line}\n")), "{line}\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
        let mut family = "";
        let mut seen = std::collections::BTreeSet::new();
        for line in text.lines() {
            match line.strip_prefix("# TYPE ") {
                Some(named) => family = named.split(' ').next().unwrap_or_default(),
                None => assert!(line.starts_with('#') || line.starts_with(family), "{line}"),
            }
            assert!(line.starts_with('#') || seen.insert(line), "twice: {line}");
        }
    }

    #[test]
    fn series_of_sites_are_few_and_growing_ones_come_first() {
        let mut sites: Vec<Site> = (1..100)
            .map(|number| site(number, u64::from(number)))
            .collect();
        sites.push(site(200, 0));
        let state = State {
            processes: vec![process(7, "a")],
            sites,
            ..State::default()
        };
        let text = document(&state, &mut Series::default());
        let lines = text
            .lines()
            .filter(|line| line.starts_with("aclsan_site_live_bytes{"));
        assert_eq!(lines.count(), SITES + 1);
        let rest: u64 = (1..=99).sum::<u64>() - 1 - (81..=99).sum::<u64>();
        let rest =
            format!("aclsan_site_live_bytes{{{REST},site=\"other\",place=\"other\"}} {rest}\n");
        assert!(text.contains(&rest), "{text}");
        assert!(text.contains("site=\"1\"") && text.contains("site=\"99\""));
        assert!(!text.contains("site=\"50\""));
        let line = text
            .lines()
            .find(|line| line.contains("site=\"99\""))
            .expect("a line");
        assert!(line.len() < 300 && line.contains(&format!("place=\"{}\"", "\\".repeat(120))));
    }

    /// The sum over all series of a counter, and how many there are.
    fn sum(text: &str, name: &str) -> (u64, usize) {
        let samples = text.lines().filter(|line| line.starts_with(name));
        let values =
            samples.map(|line| line.rsplit(' ').next().and_then(|value| value.parse().ok()));
        let values: Vec<u64> = values.map(|value| value.expect("a number")).collect();
        (values.iter().sum(), values.len())
    }

    #[test]
    fn processes_come_and_go_for_weeks_and_series_are_few_and_sums_never_fall() {
        let (mut series, mut state) = (Series::default(), State::default());
        let mut last = 0;
        let mut made = 0;
        for round in 0..100 {
            // Some run on, some end, some are forgotten, and others come.
            for process in &mut state.processes {
                process.calls.0 += 3;
                if process.number % 7 == round % 7 {
                    process.life = Life::Exited;
                }
            }
            let (gone, rest) =
                std::mem::take(&mut state.processes)
                    .into_iter()
                    .partition(|process: &Process| {
                        process.life == Life::Exited && process.number % 3 == round % 3
                    });
            state.processes = rest;
            let gone: Vec<Process> = gone;
            for process in gone {
                state.forgotten.add(&process, []);
            }
            for _ in 0..40 {
                let process = process(made as u32, "log");
                state.processes.push(Process {
                    number: made,
                    ..process
                });
                made += 1;
            }
            let text = document(&state, &mut series);
            let (calls, count) = sum(&text, "aclsan_calls_total{");
            assert!(calls >= last, "{last} fell to {calls}");
            let all = state
                .processes
                .iter()
                .map(|process| process.calls.0)
                .sum::<u64>();
            assert_eq!(calls, all + state.forgotten.calls.0);
            last = calls;
            assert!(count <= PROCESSES + 1, "{count}");
            let samples = text.lines().filter(|line| !line.starts_with('#')).count();
            assert!(samples < 25 * PROCESSES, "{samples}");
        }
        assert!(state.forgotten.processes > 100 && state.processes.len() > PROCESSES);
    }

    #[test]
    fn what_a_process_names_without_end_is_other() {
        let mut named = process(7, "a");
        named.categories = (0..100).map(|at| held(&format!("c{at}"), at)).collect();
        named.pools = named.categories.clone();
        named.devices = (0..100)
            .map(|device| Device {
                device,
                live: 1,
                peak: (1, 0),
                runtime: None,
            })
            .collect();
        let state = State {
            processes: vec![named],
            ..State::default()
        };
        let text = document(&state, &mut Series::default());
        let all: u64 = (0..100).sum();
        assert_eq!(sum(&text, "aclsan_pool_live_bytes{"), (all, POOLS + 1));
        assert_eq!(
            sum(&text, "aclsan_category_live_bytes{"),
            (all, CATEGORIES + 1)
        );
        assert_eq!(sum(&text, "aclsan_category_peak_bytes{").1, CATEGORIES);
        assert_eq!(sum(&text, "aclsan_device_live_bytes{"), (100, DEVICES + 1));
    }
}
