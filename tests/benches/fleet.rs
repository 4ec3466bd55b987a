//! Time, bytes and memory of a dataset of many ranks: `cargo bench -p aclsan-tests --bench fleet`, some minutes.
//!
//! ```text
//! cargo bench -p aclsan-tests --bench fleet               # 2000 logs of 100,000 events, 8 of them distinct
//! cargo bench -p aclsan-tests --bench fleet -- 100000x200 # events per log, times logs
//! ```
//!
//! Logs that are not distinct are links to the first ones under other names, which makes them other processes. A quarter of the logs is exported
//! first: time and bytes must grow with the number of logs. Memory above that of a report on the same log, or bytes out of proportion, are a
//! failure; time is only printed.

use std::fs;
use std::path::Path;

use aclsan_tests::reading::{Reading, read};
use aclsan_tests::{artifacts, synthetic_log};

/// Distinct logs.
const DISTINCT: u32 = 8;
/// Memory of an export beyond that of a report on one log.
const MORE_KIB: u64 = 64 << 10;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let size = words.iter().find(|word| *word != "--bench");
    let size = size.map_or("100000x2000", String::as_str);
    let numbers = size.split_once('x');
    let numbers = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (events, logs): (u64, u32) =
        numbers.unwrap_or_else(|| panic!("`{size}` is not EVENTSxLOGS, such as 100000x2000"));
    let folder = artifacts::scratch("bench-fleet");
    let name = |part: &str, rank: u32| folder.join(part).join(format!("rank{rank:05}.aclsan"));
    for part in ["one", "some", "all"] {
        fs::create_dir_all(folder.join(part)).expect("a folder");
    }
    let distinct = DISTINCT.min(logs);
    for rank in 0..distinct {
        synthetic_log::log(&name("all", rank), rank, events, synthetic_log::Rooms::Same)
            .expect("the log is written");
    }
    let link = |from: u32, part: &str, to: u32| {
        fs::hard_link(name("all", from), name(part, to)).expect("the log is linked");
    };
    (distinct..logs).for_each(|rank| link(rank % distinct, "all", rank));
    (0..logs / 4).for_each(|rank| link(rank, "some", rank));
    link(0, "one", 0);

    let report = read(&folder.join("one"), &["report", "--json"]);
    let [some, all] = ["some", "all"].map(|part| {
        let set = folder.join(format!("set-{part}"));
        let to = set.display().to_string();
        let export = ["export", "--format", "parquet", "--run", "job", "-o", &to];
        let reading = read(&folder.join(part), &export);
        let bytes = bytes_of(&set);
        let count = if part == "all" { logs } else { logs / 4 };
        tell("export", count, &reading);
        println!("  {} bytes a log", bytes / u64::from(count.max(1)));
        (reading, bytes)
    });
    tell(
        "report",
        logs,
        &read(&folder.join("set-all"), &["report", "--json"]),
    );
    fs::remove_dir_all(&folder).expect("the logs can be removed");
    let growth = all.1 as f64 / some.1.max(1) as f64;
    assert!(
        (3.5..4.5).contains(&growth),
        "four times the logs took {growth:.2} times the bytes"
    );
    let hands = std::thread::available_parallelism().map_or(1, |hands| 2 * hands.get() as u64);
    let bound = hands * report.peak_kib + MORE_KIB;
    assert!(
        all.0.peak_kib <= bound,
        "{} KiB, more than {bound}",
        all.0.peak_kib
    );
}

fn tell(what: &str, logs: u32, reading: &Reading) {
    println!(
        "{what} of {logs} logs: {:.1} s wall, {:.1} s processor, {:.2} processors at work, {} MiB at most",
        reading.wall.as_secs_f64(),
        reading.cpu.as_secs_f64(),
        reading.cores(),
        reading.peak_kib >> 10
    );
}

fn bytes_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("the dataset");
    let entries = entries.map(|entry| entry.expect("an entry"));
    let sizes = entries.map(|entry| match entry.path().is_dir() {
        true => bytes_of(&entry.path()),
        false => entry.metadata().expect("a file").len(),
    });
    sizes.sum()
}
