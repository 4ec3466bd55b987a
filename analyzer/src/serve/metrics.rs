//! The state as OpenMetrics, which Prometheus scrapes.
//!
//! The number of series is bounded: a few for each process, device, family and rule, and [`SITES`] for the sites that hold most.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use aclsan_render::units::printable;

use crate::watch::state::{Process, Site, State};

/// The type of the document.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Sites with series of their own, of all processes together.
const SITES: usize = 20;
/// Pools with series of their own, of each process.
const POOLS: usize = 20;
/// Bytes of a site's label.
const LABEL: usize = 120;

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
            let _ = writeln!(out, "{name}{suffix}{{{labels}}} {value}");
        }
    }
}

/// The document. Processes with one number, in containers or after an `exec`, differ by the label `log`.
pub fn document(state: &State) -> String {
    let mut document = Document(String::new());
    let who = labels(&state.processes);
    let each = || state.processes.iter().zip(&who);
    document.family(
        ("aclsan_process_running", "gauge", ""),
        "1 while the process runs, 0 once it has ended.",
        each().map(|(process, who)| {
            let has_ended = matches!(process.life.name(), "exited" | "gone");
            (who.clone(), u8::from(!has_ended))
        }),
    );
    let devices = || {
        each().flat_map(|(process, who)| {
            let of = move |device: i32| format!("{who},device=\"{device}\"");
            process.devices.iter().map(move |one| (of(one.device), one))
        })
    };
    document.family(
        ("aclsan_device_live_bytes", "gauge", "bytes"),
        "Bytes of device memory that are live.",
        devices().map(|(labels, of)| (labels, of.live)),
    );
    document.family(
        ("aclsan_device_peak_bytes", "gauge", "bytes"),
        "Most bytes of device memory that were live at once.",
        devices().map(|(labels, of)| (labels, of.peak.0)),
    );
    document.family(
        ("aclsan_device_runtime_free_bytes", "gauge", "bytes"),
        "Free bytes that the runtime reported last.",
        devices().filter_map(|(labels, of)| Some((labels, of.runtime?.0))),
    );
    let families = || {
        each().flat_map(|(process, who)| {
            let of = move |family: &str| format!("{who},family=\"{family}\"");
            process.families.iter().map(move |one| (of(one.name), one))
        })
    };
    document.family(
        ("aclsan_live_bytes", "gauge", "bytes"),
        "Live bytes by family of calls.",
        families().map(|(labels, of)| (labels, of.live)),
    );
    document.family(
        ("aclsan_peak_bytes", "gauge", "bytes"),
        "Most live bytes by family of calls.",
        families().map(|(labels, of)| (labels, of.peak)),
    );
    document.family(
        ("aclsan_allocations", "counter", ""),
        "Blocks allocated.",
        families().map(|(labels, of)| (labels, of.blocks.0)),
    );
    document.family(
        ("aclsan_releases", "counter", ""),
        "Blocks released.",
        families().map(|(labels, of)| (labels, of.blocks.1)),
    );
    let mut pools: BTreeMap<String, u64> = BTreeMap::new();
    for (process, who) in each() {
        for pool in process.pools.iter().take(POOLS) {
            let name = escaped(
                &printable(&pool.name)
                    .chars()
                    .take(LABEL / 2)
                    .collect::<String>(),
            );
            let labels = format!("{who},device=\"{}\",pool=\"{name}\"", pool.device);
            *pools.entry(labels).or_default() += pool.live;
        }
    }
    document.family(
        ("aclsan_pool_live_bytes", "gauge", "bytes"),
        "Live bytes of the parts that pools have given out, of the pools that hold most.",
        pools,
    );
    let categories = || {
        each().flat_map(|(process, who)| {
            let of = move |name: &str| format!("{who},category=\"{name}\"");
            process
                .categories
                .iter()
                .map(move |one| (of(&one.name), one))
        })
    };
    document.family(
        ("aclsan_category_live_bytes", "gauge", "bytes"),
        "Live bytes of device memory by what the program said it is for.",
        categories().map(|(labels, of)| (labels, of.live)),
    );
    document.family(
        ("aclsan_category_peak_bytes", "gauge", "bytes"),
        "Most of these bytes that were live at once.",
        categories().map(|(labels, of)| (labels, of.peak)),
    );
    document.family(
        ("aclsan_calls", "counter", ""),
        "Calls of AscendCL that were recorded.",
        each().map(|(process, who)| (who.clone(), process.calls.0)),
    );
    document.family(
        ("aclsan_refused_calls", "counter", ""),
        "Calls that the runtime refused.",
        each().map(|(process, who)| (who.clone(), process.calls.1)),
    );
    document.family(
        ("aclsan_lost_events", "counter", ""),
        "Events that could not be recorded.",
        each().map(|(process, who)| (who.clone(), process.lost)),
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
        "Findings by rule, each as often as it occurred.",
        findings(state, &who),
    );
    let top = top(&state.sites);
    let sites = || {
        top.iter().filter_map(|site| {
            let who = who.get(site.key.process)?;
            Some((format!("{who},{}", place(site)), *site))
        })
    };
    document.family(
        ("aclsan_site_live_bytes", "gauge", "bytes"),
        "Live bytes of the sites that hold most.",
        sites().map(|(labels, site)| (labels, site.live.0)),
    );
    document.family(
        ("aclsan_site_growth_bytes_per_minute", "gauge", ""),
        "What these sites add a minute, if they grow steadily.",
        sites().filter_map(|(labels, site)| Some((labels, site.growth?.0))),
    );
    document.0.push_str("# EOF\n");
    document.0
}

fn findings(state: &State, who: &[String]) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<(usize, &str, &str), u64> = BTreeMap::new();
    for found in state.findings.iter().filter(|found| !found.is_consequence) {
        let key = (found.process, found.rule, found.severity);
        *counts.entry(key).or_default() += found.times;
    }
    let samples = counts
        .into_iter()
        .filter_map(|((process, rule, severity), times)| {
            let who = who.get(process)?;
            Some((
                format!("{who},rule=\"{rule}\",severity=\"{severity}\""),
                times,
            ))
        });
    samples.collect()
}

/// The sites that hold most, growing ones first. Two sites of one line are one series, which a scrape could not tell apart.
fn top(sites: &[Site]) -> Vec<&Site> {
    let mut top: Vec<&Site> = sites.iter().filter(|site| site.live.0 > 0).collect();
    top.sort_by_key(|site| (site.growth.is_none(), Reverse(site.live.0), site.key));
    top.truncate(SITES);
    top
}

fn place(site: &Site) -> String {
    let mut label = escaped(&site.label);
    while label.len() > LABEL {
        label.pop();
    }
    let odd = label.len() - label.trim_end_matches('\\').len();
    label.truncate(label.len() - odd % 2);
    format!("site=\"{}\",place=\"{label}\"", site.key.site)
}

/// Labels that no two processes share.
fn labels(processes: &[Process]) -> Vec<String> {
    let name = |process: &Process| (process.pid, process.program.clone());
    let label = |process: &Process| {
        let same = processes
            .iter()
            .filter(|other| name(other) == name(process));
        let (pid, program) = (process.pid, escaped(&process.program));
        let labels = format!("pid=\"{pid}\",program=\"{program}\"");
        match same.count() {
            ..2 => labels,
            _ => format!("{labels},log=\"{}\"", escaped(&process.log)),
        }
    };
    processes.iter().map(label).collect()
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
            block_sample: 0,
        }
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
            processes: vec![process(7, "a"), process(7, "b"), process(8, "c")],
            findings: vec![Finding {
                process: 2,
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
        let text = document(&state);
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
        let text = document(&state);
        let lines = text
            .lines()
            .filter(|line| line.starts_with("aclsan_site_live_bytes{"));
        assert_eq!(lines.count(), SITES);
        assert!(text.contains("site=\"1\"") && text.contains("site=\"99\""));
        assert!(!text.contains("site=\"50\""));
        let line = text
            .lines()
            .find(|line| line.contains("site=\"99\""))
            .expect("a line");
        assert!(line.len() < 300 && line.contains(&format!("place=\"{}\"", "\\".repeat(120))));
    }
}
