use super::series::PROCESSES;
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
    let rest = format!("aclsan_site_live_bytes{{{REST},site=\"other\",place=\"other\"}} {rest}\n");
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
    let values = samples.map(|line| line.rsplit(' ').next().and_then(|value| value.parse().ok()));
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
            process.sum_into(&mut state.forgotten, []);
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
