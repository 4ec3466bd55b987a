//! Reading speed of `aclsan report`: `cargo bench -p aclsan-tests --bench replay`, on temporary logs.
//!
//! ```text
//! cargo bench -p aclsan-tests --bench replay                        # 1 log of 10 million events, with both address orders, 8 of 1 million
//! cargo bench -p aclsan-tests --bench replay -- 100000000x1 1000000x512   # events per log, times logs
//! cargo bench -p aclsan-tests --bench replay -- --keep DIR 10000000x1     # only writes them, for other tools
//! ```
//!
//! A log is one process that keeps 100,000 blocks of a thousand sites, 20 frames deep: each step releases a random
//! one and allocates it again, at the same address or, after `any` (`10000000x1any`), at any free one. Processor time and memory are the command's own; other load on the machine increases the wall clock time.

use aclsan_tests::artifacts;

use aclsan_tests::synthetic_log;
use std::fs;

use aclsan_tests::reading::read;

/// Maximum bytes of memory for one log of any length: 150 MB and 100 bytes for each live block.
const MEMORY_MOST: u64 = 150_000_000 + 100 * synthetic_log::LIVE as u64;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let (keep, words) = match words.split_first() {
        Some((flag, rest)) if flag == "--keep" => (rest.first(), &rest[1.min(rest.len())..]),
        _ => (None, &words[..]),
    };
    let usual = ["10000000x1", "10000000x1any", "1000000x8"].map(str::to_owned);
    let sizes = if words.is_empty() { &usual } else { words };
    for size in sizes {
        let (events, logs, rooms) = parse(size);
        let scratch = artifacts::scratch("bench-replay");
        let folder = keep.map_or(scratch.clone(), Into::into);
        fs::create_dir_all(&folder).expect("the folder can be made");
        let bytes: u64 = (0..logs)
            .map(|rank| {
                let path = folder.join(format!("rank{rank:03}.aclsan"));
                synthetic_log::log(&path, rank, events, rooms).expect("the log is written")
            })
            .sum();
        if keep.is_none() {
            for verb in [&["report", "--json"][..], &["leaks", "--by", "site"]] {
                let reading = read(&folder, verb);
                if logs == 1 {
                    let peak = reading.peak_kib << 10;
                    assert!(
                        peak <= MEMORY_MOST,
                        "{peak} bytes at most, {MEMORY_MOST} allowed"
                    );
                }
                let all = (events * u64::from(logs)) as f64;
                println!(
                    "{size}: {logs} x {events} events, {:.1} bytes each, {}: {:.2} s wall, {:.2} s processor, {:.1} M events/s wall, {:.1} M a core, {} MiB at most",
                    bytes as f64 / all,
                    verb.join(" "),
                    reading.wall.as_secs_f64(),
                    reading.cpu.as_secs_f64(),
                    all / reading.wall.as_secs_f64() / 1e6,
                    all / reading.cpu.as_secs_f64() / 1e6,
                    reading.peak_kib >> 10
                );
            }
            fs::remove_dir_all(&folder).expect("the logs can be removed");
        }
    }
}

fn parse(size: &str) -> (u64, u32, synthetic_log::Rooms) {
    let (numbers, rooms) = match size.strip_suffix("any") {
        Some(numbers) => (numbers, synthetic_log::Rooms::Any),
        None => (size, synthetic_log::Rooms::Same),
    };
    let numbers = numbers.split_once('x');
    let numbers = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?, rooms)));
    numbers.unwrap_or_else(|| {
        panic!("`{size}` is not EVENTSxLOGS or EVENTSxLOGSany, such as 10000000x1")
    })
}
