//! Memory of one report over hundreds of logs: `cargo bench -p aclsan-tests --bench many`, some minutes.
//!
//! ```text
//! cargo bench -p aclsan-tests --bench many                        # 512 logs of 1 million events, 8 of them distinct
//! cargo bench -p aclsan-tests --bench many -- 100000x512 512      # events per log, times logs; number of distinct ones
//! cargo bench -p aclsan-tests --bench many -- 1000000x512 8 leaks # one verb, with its options
//! ```
//!
//! The logs are those of `replay.rs`: 100,000 live blocks of a thousand sites. Logs that are not distinct are links to the first ones
//! under other names, since 512 of a million events take 4 GB; they are read, replayed and reported like any other. Memory above the
//! bound is a failure; time is only printed.

use aclsan_tests::artifacts;

use aclsan_tests::synthetic_log;
use std::fs;
use std::path::Path;
use std::thread;

use aclsan_tests::reading::read;

const VERBS: [&[&str]; 3] = [
    &["report", "--json"],
    &["leaks"],
    &["check", "--max-leak", "0"],
];
/// Maximum that a report keeps per log: a thousand sites, each in its findings, leaks and comparison.
const KIB_A_LOG: u64 = 200;
/// Memory of a log while it is processed: its live blocks, its sites and their findings.
const KIB_IN_HAND: u64 = 48 << 10;
/// Memory of the command without a log.
const KIB_ALWAYS: u64 = 16 << 10;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut words = words.iter().filter(|word| *word != "--bench");
    let size = words.next().map_or("1000000x512", String::as_str);
    let numbers = size.split_once('x');
    let numbers = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (events, logs): (u64, u32) =
        numbers.unwrap_or_else(|| panic!("`{size}` is not EVENTSxLOGS, such as 1000000x512"));
    let different = words.next().map_or(8, |word| {
        word.parse()
            .unwrap_or_else(|_| panic!("`{word}` is no number of logs"))
    });
    let asked: Vec<&str> = words.map(String::as_str).collect();
    let verbs = if asked.is_empty() {
        VERBS.to_vec()
    } else {
        vec![&asked[..]]
    };

    let folder = artifacts::scratch("bench-many");
    let name = |rank: u32| folder.join(format!("rank{rank:03}.aclsan"));
    let different = different.clamp(1, logs);
    for rank in 0..different {
        synthetic_log::log(&name(rank), rank, events, synthetic_log::Rooms::Same)
            .expect("the log is written");
    }
    for rank in different..logs {
        fs::hard_link(name(rank % different), name(rank)).expect("the log is linked");
    }
    let in_hand = thread::available_parallelism().map_or(1, |hands| 2 * hands.get() as u64);
    let bound = KIB_ALWAYS + u64::from(logs) * KIB_A_LOG + in_hand * KIB_IN_HAND;
    println!("{logs} logs of {events} events, {different} of them different");
    let over: Vec<&str> = verbs
        .into_iter()
        .filter(|verb| tell(&folder, verb, events * u64::from(logs)) > bound)
        .map(|verb| verb[0])
        .collect();
    fs::remove_dir_all(&folder).expect("the logs can be removed");
    assert!(over.is_empty(), "more than {} MiB: {over:?}", bound >> 10);
    println!("no more than {} MiB, the bound", bound >> 10);
}

/// Prints the cost of `verb` for `events` events; returns the peak KiB.
fn tell(folder: &Path, verb: &[&str], events: u64) -> u64 {
    let reading = read(folder, verb);
    println!(
        "{}: {:.1} s wall, {:.1} s processor, {:.2} processors at work, {:.2} M events/s of a core, {} MiB at most",
        verb.join(" "),
        reading.wall.as_secs_f64(),
        reading.cpu.as_secs_f64(),
        reading.cores(),
        events as f64 / reading.cpu.as_secs_f64() / 1e6,
        reading.peak_kib >> 10
    );
    reading.peak_kib
}
