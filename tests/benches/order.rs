//! Cost of judging the order of many streams: `cargo bench -p aclsan-tests --bench order [OPERATIONS]`, a minute.
//!
//! A synthetic log of 64 streams and ten million events: fills of blocks that are allocated and released, events between streams, waits by
//! the host. `aclsan findings` reads it; prints events per second and peak resident memory for that many and for a tenth.
//! Fails if memory is above a bound or grows with the queued work. `--keep FILE` only writes the log, for callgrind and similar tools.

use aclsan_tests::artifacts;

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Event, Mapping, Values};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const STREAMS: u64 = 64;
/// Live at the same time.
const BLOCKS: u64 = 1_024;
const SIZE: u64 = 4_096;
const THREAD: u32 = 7;
/// Maximum resident: the command itself, its buffers, and the state of 1,024 blocks and 64 streams.
const MOST_KIB: u64 = 24 << 10;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let operations = words.iter().find_map(|word| word.parse().ok());
    let operations: u64 = operations.unwrap_or(10_000_000);
    if let Some(at) = words.iter().position(|word| word == "--keep") {
        let path = words.get(at + 1).expect("--keep names a file");
        write(Path::new(path), operations);
        return;
    }
    let scratch = artifacts::scratch("bench-order");
    artifacts::command(); // built before anything is timed
    for operations in [operations / 10, operations] {
        let path = scratch.join("log.aclsan");
        let events = write(&path, operations);
        let (seconds, memory) = judge(&path);
        let rate = events as f64 / seconds / 1e6;
        println!("{events:>9} events {rate:>6.2} M events/s {memory:>9} KiB resident");
        assert!(memory <= MOST_KIB, "more than {MOST_KIB} KiB resident");
        std::fs::remove_file(&path).expect("the log was there");
    }
}

/// Writes the log; returns its number of events.
fn write(path: &Path, operations: u64) -> u64 {
    let mut synth = LogBuilder::default();
    let site = |synth: &mut LogBuilder, name: &str| synth.site(name, 0, 0, &[0x40_1000]);
    let [malloc, free, create, fill, make, record, wait, synchronize] = [
        "aclrtMalloc",
        "aclrtFree",
        "aclrtCreateStream",
        "aclrtMemsetAsync",
        "aclrtCreateEvent",
        "aclrtRecordEvent",
        "aclrtStreamWaitEvent",
        "aclrtSynchronizeStream",
    ]
    .map(|name| site(&mut synth, name));
    let (stream, event) = (|of: u64| 0x100 + of, |of: u64| 0x1000 + of);
    let address = |block: u64| (block + 1) * 0x10_0000;
    for number in 0..STREAMS {
        synth.allocation(THREAD, create, stream(number), 0);
        synth.allocation(THREAD, make, event(number), 0);
    }
    let mut ids: Vec<_> = (0..BLOCKS)
        .map(|block| synth.allocation(THREAD, malloc, address(block), SIZE))
        .collect();
    let mut events = 2 * STREAMS + BLOCKS;
    let mut ns = 0;
    while events < operations {
        for turn in 0..BLOCKS {
            let of = turn % STREAMS;
            ns += 100;
            let filled = Event::Set {
                site: fill,
                to: address(turn),
                room: SIZE,
                value: 0,
                count: SIZE,
                stream: stream(of),
                mapping: Mapping::Unknown,
            };
            synth.at(ns).event(THREAD, filled);
            let call = |site, values: &[u64]| Event::Call {
                site,
                values: Values::new(values),
                status: 0,
            };
            synth.event(THREAD, call(record, &[event(of), stream(of)]));
            let next = stream((of + 1) % STREAMS);
            synth.event(THREAD, call(wait, &[next, event(of)]));
            events += 3;
            if turn % 16 == 15 {
                synth.event(THREAD, call(synchronize, &[stream(of)]));
                let block = ids[turn as usize];
                synth.event(THREAD, Event::Release { block, site: free });
                ids[turn as usize] = synth.allocation(THREAD, malloc, address(turn), SIZE);
                events += 3;
            }
        }
    }
    let mut file = std::fs::File::create(path).expect("the log can be written");
    file.write_all(&synth.bytes()).expect("there is room");
    events
}

/// Seconds and peak resident KiB.
fn judge(path: &Path) -> (f64, u64) {
    let begun = Instant::now();
    // The shell's `time` does not report memory; the kernel does for ended children.
    let script = "\"$0\" findings \"$1\" >/dev/null & pid=$!; \
                  while peak=$(grep VmHWM /proc/$pid/status 2>/dev/null); [ -n \"$peak\" ]; do last=$peak; sleep 0.05; done; \
                  wait $pid; echo \"$? $last\"";
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(artifacts::command())
        .arg(path)
        .output()
        .expect("a shell");
    let seconds = begun.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("0 ") || text.starts_with("1 "), "{text}");
    let mut words = text.split_whitespace();
    let memory = words.find_map(|word| word.parse().ok().filter(|&kib: &u64| kib > 1));
    (seconds, memory.expect("it ran long enough to be seen"))
}
