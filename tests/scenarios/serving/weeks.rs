//! Weeks of a server in seconds: ten thousand processes come and go under `aclsan serve`, which has 64 descriptors and 200 MB.

use aclsan_log::builder::LogBuilder;
use aclsan_log::layout::Header;
use aclsan_log::record::Event;
use aclsan_tests::artifacts;
use aclsan_tests::serving::Serving;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Processes, and how many end between two removals of logs.
const PROCESSES: u32 = 10_000;
const BATCH: u32 = 1000;
/// What the server may have.
const DESCRIPTORS: usize = 64;
const MAX_KB: u64 = 200 << 10;
/// How long something is waited for.
const LIMIT: Duration = Duration::from_secs(120);
/// Pages of a log without data are holes, as the shim leaves them.
const PAGE: usize = 4096;

/// The log of a process that has ended: of three blocks one was released twice, and one never.
struct Template {
    header: Header,
    length: u64,
    /// Pages that have data, and their places.
    pages: Vec<(u64, Vec<u8>)>,
}

impl Template {
    fn new() -> Self {
        let mut builder = LogBuilder::default();
        let site = builder.site("aclrtMalloc", 0, 0, &[0x10, 0x20, 0x30]);
        let free = builder.site("aclrtFree", 0, 0, &[0x40]);
        let blocks = [1, 2, 3].map(|at| builder.allocation(1, site, at << 20, 4096));
        for block in [blocks[0], blocks[1], blocks[1]] {
            builder.event(1, Event::Release { block, site: free });
        }
        builder.event(1, Event::Exit);
        let bytes = builder.bytes();
        let pages = (0..).step_by(PAGE).zip(bytes.chunks(PAGE));
        let pages = pages.filter(|(_, page)| page.iter().any(|&byte| byte != 0));
        Self {
            header: bytes
                .first_chunk()
                .and_then(Header::decode)
                .expect("a header"),
            length: bytes.len() as u64,
            pages: pages.map(|(at, page)| (at, page.to_vec())).collect(),
        }
    }

    /// Writes it as the log of another process.
    fn write(&self, folder: &Path, pid: u32) {
        let mut header = Header { pid, ..self.header };
        header.started.realtime_ns += u64::from(pid);
        let unfinished = folder.join("unfinished");
        let file = File::create(&unfinished).expect("a file");
        file.set_len(self.length).expect("a length");
        for (at, page) in &self.pages {
            file.write_all_at(page, *at).expect("it is written");
        }
        file.write_all_at(&header.encode(), 0)
            .expect("it is written");
        fs::rename(unfinished, name(folder, pid)).expect("it is there");
    }
}

fn name(folder: &Path, pid: u32) -> std::path::PathBuf {
    folder.join(format!("{pid}.aclsan"))
}

/// The sum over all series of a counter.
fn sum(metrics: &str, counter: &str) -> u64 {
    let samples = metrics.lines().filter(|line| line.starts_with(counter));
    let values = samples.map(|line| line.rsplit(' ').next().expect("a value"));
    values
        .map(|value| value.parse::<u64>().expect("a number"))
        .sum()
}

/// What the server holds: descriptors, those of files that have no name any more, and most kilobytes of memory so far.
fn held(pid: u32) -> (usize, usize, u64) {
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs");
    let names = descriptors.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let names: Vec<String> = names.map(|name| name.display().to_string()).collect();
    let deleted = names.iter().filter(|name| name.ends_with(" (deleted)"));
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let most = most.and_then(|most| most.trim().trim_end_matches(" kB").parse().ok());
    (names.len(), deleted.count(), most.expect("a number"))
}

#[test]
fn ten_thousand_processes_come_and_go_within_64_descriptors_and_200_mb() {
    let folder = artifacts::scratch("serving-weeks");
    let mut shell = Command::new("sh");
    let limited = format!("ulimit -n {DESCRIPTORS}; exec \"$@\"");
    shell.args(["-c", &limited, "sh"]).arg(artifacts::command());
    let serving = Serving::by(shell, &["--keep", "1s"], &folder);
    let server = serving.child.id();
    let template = Template::new();
    let (began, mut last, mut most_open) = (Instant::now(), 0, 0);
    for pid in 1..=PROCESSES {
        template.write(&folder, pid);
        if !pid.is_multiple_of(BATCH) {
            continue;
        }
        // The report is made of what there is now, while more comes.
        serving.get("/report");
        loop {
            let metrics = serving.get("/metrics");
            let allocations = sum(&metrics, "aclsan_allocations_total{");
            assert!(allocations >= last, "{last} fell to {allocations}");
            last = allocations;
            let (open, _, kilobytes) = held(server);
            most_open = most_open.max(open);
            assert!(kilobytes < MAX_KB, "{kilobytes} kB");
            let series = metrics.lines().filter(|line| !line.starts_with('#'));
            assert!(series.count() < 3000, "{metrics}");
            if allocations == u64::from(3 * pid) {
                break;
            }
            assert!(began.elapsed() < LIMIT, "{allocations} of {pid} processes");
            thread::park_timeout(Duration::from_millis(50));
        }
        for pid in pid - BATCH + 1..=pid {
            fs::remove_file(name(&folder, pid)).expect("it is there");
        }
    }
    let all = u64::from(PROCESSES);
    let (metrics, open) = loop {
        let metrics = serving.get("/metrics");
        let (open, deleted, _) = held(server);
        let is_over = sum(&metrics, "aclsan_forgotten_processes_total ") == all;
        if is_over && deleted == 0 {
            break (metrics, open);
        }
        assert!(
            began.elapsed() < LIMIT,
            "{open} open, {deleted} deleted\n{metrics}"
        );
        thread::park_timeout(Duration::from_millis(50));
    };
    println!(
        "{:?}, {most_open} descriptors at most, {open} in the end, {} kB",
        began.elapsed(),
        held(server).2
    );
    for (counter, each) in [
        ("aclsan_allocations_total{", 3),
        ("aclsan_releases_total{", 2),
        ("aclsan_findings_total{", 1),
    ] {
        assert_eq!(sum(&metrics, counter), each * all, "{counter}\n{metrics}");
    }
    let health = serving.get("/healthz");
    assert!(health.contains("\"processes\":0,"), "{health}");
    assert!(health.contains("\"unreadable\":[]"), "{health}");
}
