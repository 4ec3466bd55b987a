//! What following a log costs: `cargo bench -p aclsan-tests --bench follow`.
//!
//! A log grows by a million events a second, a segment at a time, while `aclsan serve` follows it; then one with ten million live blocks is
//! followed. Processor time and memory are the command's own. Pauses pace the writer; nothing waits for a time to pass instead of for a result.

use aclsan_log::builder::LogBuilder;
use aclsan_tests::artifacts;
use aclsan_tests::serving::Serving;
use aclsan_tests::synthetic_log::{self, Rooms};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Events a second, and seconds.
const RATE: u64 = 1_000_000;
const SECONDS: u64 = 20;
/// Most of a core that following may take.
const SHARE: f64 = 0.3;
/// Live blocks of the second log.
const BLOCKS: u64 = 10_000_000;
/// Bytes of a segment, and of the header.
const SEGMENT: usize = 64 << 10;

/// A server of logs, and what it costs.
struct Follower(Serving);

impl Follower {
    /// A number of its metrics, over all labels.
    fn metric(&self, name: &str) -> u64 {
        let text = self.0.get("/metrics");
        let lines = text.lines().filter(|line| line.starts_with(name));
        lines
            .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
            .sum()
    }

    /// Processor time so far.
    fn cpu(&self) -> Duration {
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", self.0.child.id())).expect("it runs");
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or("")
            .split_whitespace()
            .collect();
        let ticks: u64 = fields[11..13]
            .iter()
            .filter_map(|field| field.parse::<u64>().ok())
            .sum();
        Duration::from_millis(ticks * 10)
    }

    /// Most resident memory, in MiB.
    fn peak_mib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.child.id()));
        let status = status.expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) >> 10
    }
}

fn main() {
    let scratch = artifacts::scratch("bench-follow");
    growing(&scratch);
    many_blocks(&scratch);
    fs::remove_dir_all(&scratch).expect("it is ours");
}

fn growing(scratch: &Path) {
    let (source, folder) = (scratch.join("source"), scratch.join("grows"));
    let events = RATE * SECONDS;
    synthetic_log::log(&source, 0, events, Rooms::Same).expect("the log is written");
    fs::create_dir_all(&folder).expect("a folder");
    let follower = Follower(Serving::start(&folder));
    let length = fs::metadata(&source).expect("it is there").len();
    let mut from = File::open(&source).expect("it is there");
    let mut to = File::create(folder.join("log.aclsan")).expect("a file");
    let (began, mut bytes, mut copied) = (Instant::now(), vec![0; SEGMENT], 0);
    while let Ok(()) = from.read_exact(&mut bytes) {
        to.write_all(&bytes).expect("it is written");
        copied += SEGMENT as u64;
        let due = Duration::from_secs_f64(SECONDS as f64 * copied as f64 / length as f64);
        thread::park_timeout(due.saturating_sub(began.elapsed()));
    }
    let took = began.elapsed();
    while follower.metric("aclsan_allocations_total") + follower.metric("aclsan_releases_total")
        < events
    {
        thread::park_timeout(Duration::from_millis(100));
    }
    let (cpu, late) = (follower.cpu(), began.elapsed().saturating_sub(took));
    let share = cpu.as_secs_f64() / took.as_secs_f64();
    println!(
        "{events} events in {:.1} s: {:.0} % of a core, {} MiB at most; all known {:.1} s after the last",
        took.as_secs_f64(),
        share * 100.0,
        follower.peak_mib(),
        late.as_secs_f64(),
    );
    assert!(share < SHARE, "more than {SHARE} of a core");
}

fn many_blocks(scratch: &Path) {
    let folder = scratch.join("many");
    fs::create_dir_all(&folder).expect("a folder");
    let mut builder = LogBuilder::default();
    let sites: Vec<_> = (0..100)
        .map(|site| builder.site("aclrtMalloc", 0, 0, &[0x1000 + site, 0x2000]))
        .collect();
    for number in 0..BLOCKS {
        builder.at(number * 1000);
        let site = sites[(number % 100) as usize];
        builder.allocation(1, site, 0x1000_0000 + number * 512, 512);
    }
    fs::write(folder.join("log.aclsan"), builder.bytes()).expect("it is written");
    drop(builder);
    let (began, follower) = (Instant::now(), Follower(Serving::start(&folder)));
    while follower.metric("aclsan_allocations_total") < BLOCKS {
        thread::park_timeout(Duration::from_millis(100));
    }
    let (read, cpu) = (began.elapsed(), follower.cpu());
    const IDLE: Duration = Duration::from_secs(10);
    thread::park_timeout(IDLE);
    let idle = (follower.cpu() - cpu).as_secs_f64() / IDLE.as_secs_f64();
    println!(
        "{BLOCKS} live blocks: read in {:.1} s, {:.1} s of processor time; {:.1} % of a core from then on; {} MiB, {} bytes a block",
        read.as_secs_f64(),
        cpu.as_secs_f64(),
        idle * 100.0,
        follower.peak_mib(),
        (follower.peak_mib() << 20) / BLOCKS,
    );
}
