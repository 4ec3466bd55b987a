//! Every text command and option, compared completely, on one log with something for each of them. The numbers:
//!
//! Device 0, pages of 2 MiB, in MiB after 256: W 0..8, W 8..16, S 16..18, W 18..26, S 26..28, W 28..36, W 36..44. W is 8 MiB less 32 bytes,
//! which padding fills; S is 1.25 MiB, with padding 32 bytes more, in 2 MiB. At 8, 9 and 10 ms the W at 8, 18 and 28 are freed: holes of 8
//! MiB each, 24 in all, index 1 - 8/24. The rest was requested with 2 * (8 MiB - 32) + 2 * 1.25 MiB = 18.5 MiB less 64 bytes, in 20 MiB of
//! pages. Both S pin all three holes: without them 8..36, 28 MiB, would be one. They are 2.5 of 18.5 MiB, 13.5 %.
//!
//! From 12 to 23 ms a block of 4096 bytes is allocated and freed 12 times within half a millisecond, once in 20 µs, once in 60 µs. At 30 ms
//! 3 of 4 GiB are free; at 31 ms 512 MiB are refused. A scan finds pointers to the first W and to both S.
//!
//! The pool `cache` is in the first W: 96 bytes at 0, which take 128 (ALIGN_UP(96, 32) + 32), and 100 at 1024, which take 160; the first is
//! released and requested again.

use aclsan_log::builder::LogBuilder;
use aclsan_log::{CallSiteId, Definition, Event, Mapping, ScanOutcome, Values};

use super::languages;
use super::story::*;

const MIB: u64 = 1 << 20;
const BASE: u64 = 256 * MIB;
const W: u64 = 8 * MIB - 32;
const S: u64 = 5 << 18;
const THREAD: u32 = 7;

fn tell(synth: &mut LogBuilder, site: CallSiteId, values: &[u64]) {
    let (values, status) = (Values::new(values), 0);
    synth.event(
        THREAD,
        Event::Call {
            site,
            values,
            status,
        },
    );
}

/// The log described above; a `worse` one keeps another S, and releases one block twice.
pub fn full(worse: bool) -> LogBuilder {
    let (mut synth, weights, free) = beginning();
    let (key, value) = ("slow_ns".to_owned(), "10000".to_owned());
    synth.define(Definition::Property { key, value });
    for (id, text) in [(1, "load"), (2, "train"), (3, "cache")] {
        let text = text.to_owned();
        synth.define(Definition::Text { id, text });
    }
    let small = synth.site("aclrtMalloc", 0, 0, &[0x40_1300, 0x40_2000]);
    let churn = synth.site("aclrtMalloc", 0, 0, &[0x40_1400, 0x40_2000]);
    let refused = synth.site("aclrtMalloc", 0, 0, &[0x40_1500, 0x40_2000]);
    let epoch = synth.site("aclsan_epoch", 0, -1, &[0x40_1600]);
    let info = synth.site("aclrtGetMemInfo", 1, 0, &[0x40_1700]);
    let copy = synth.site("aclrtMemcpy", 1, 0, &[0x40_1800]);

    tell(synth.at(500_000), epoch, &[1]);
    let mut blocks = Vec::new();
    for (n, (at, site, size)) in (1..).zip([
        (0, weights, W),
        (8, weights, W),
        (16, small, S),
        (18, weights, W),
        (26, small, S),
        (28, weights, W),
        (36, weights, W),
    ]) {
        synth.at(n * 1_000_000);
        blocks.push(synth.allocation(THREAD, site, BASE + at * MIB, size));
    }
    pool(&mut synth);
    for (ms, at) in [(8, 1), (9, 3), (10, 5)] {
        let block = blocks[at];
        synth.at(ms * 1_000_000);
        synth.event(THREAD, Event::Release { block, site: free });
    }
    tell(synth.at(11_000_000), epoch, &[2]);
    for n in 0..12 {
        synth.at(12_000_000 + n * 1_000_000);
        let block = synth.allocation(THREAD, churn, BASE + 2048 * MIB, 4096);
        if let Some(ns) = [20_000, 60_000].get(n as usize) {
            synth.event(THREAD, Event::Slow { block, ns: *ns });
        }
        synth.at(12_500_000 + n * 1_000_000);
        synth.event(THREAD, Event::Release { block, site: free });
    }
    synth.at(24_000_000).event(
        THREAD,
        Event::Copy {
            site: copy,
            to: BASE,
            room: W,
            from: 0x7fff_0000,
            count: 2 * MIB,
            stream: 0,
        },
    );
    if worse {
        synth.at(25_000_000);
        blocks.push(synth.allocation(THREAD, small, BASE + 44 * MIB, S));
        let mapping = Mapping::Unknown;
        let (site, address) = (free, BASE + 8 * MIB);
        let again = Event::ReleaseAt {
            site,
            address,
            mapping,
        };
        synth.at(26_000_000).event(THREAD, again);
    }
    synth.at(30_000_000).event(
        THREAD,
        Event::Memory {
            site: info,
            free: 3072 * MIB,
            total: 4096 * MIB,
        },
    );
    synth.at(31_000_000).event(
        THREAD,
        Event::AllocationFailed {
            site: refused,
            size: 512 * MIB,
            status: 207_001,
        },
    );
    for (block, mapping) in [
        (blocks[0], Mapping::Image),
        (blocks[2], Mapping::Heap),
        (blocks[4], Mapping::Heap),
    ] {
        let at = 0x9000;
        synth.event(THREAD, Event::Pointer { block, at, mapping });
    }
    synth.at(40_000_000).event(
        THREAD,
        Event::Scan {
            outcome: ScanOutcome::Whole,
            bytes: 3 * MIB,
            ns: 2_000_000,
            threads: 1,
        },
    );
    synth.event(THREAD, Event::Exit);
    synth
}

/// Six sites are refused 2 GiB, once each; 2 GiB and 64 MiB are live, in 64 blocks of 1 MiB whose redzones took 1 MiB each, so that they
/// take 2 MiB: 128 of 2176 MiB of pages.
///
/// | ms | of GiB | free | why |
/// |---|---|---|---|
/// | 10 | 4 | 1 | 1 GiB is lacking; others have 4 - 1 - 2.125, less than this process |
/// | 30 | 16 | 1 | others have 12.875, more than this process |
/// | 50 | 16 | 8 | by a policy that takes huge pages only |
/// | 70 | 16 | 8 | by one that takes any |
/// | 90 | 16 | 3 | enough, but not twice as much |
/// | 110 | 4 | 2 GiB - 32 MiB | 32 MiB are lacking, guards have 64 |
fn refused() -> LogBuilder {
    const GIB: u64 = 1 << 30;
    let (mut synth, held, _) = beginning();
    let info = synth.site("aclrtGetMemInfo", 1, 0, &[0x40_1700]);
    let small = synth.site("aclrtMalloc", 0, 0, &[0x40_1300]);
    synth
        .at(1_000_000)
        .allocation(THREAD, held, GIB, 2 * GIB - 32);
    for n in 0..64 {
        synth.at(2_000_000);
        let block = synth.allocation(THREAD, small, 4 * GIB + n * 2 * MIB, MIB);
        let (slack, guard, front) = (0, MIB as u32 - 32, 0);
        let guarded = Event::Guard {
            block,
            slack,
            guard,
            front,
        };
        synth.event(THREAD, guarded);
    }
    let words = [
        (4 * GIB, GIB),
        (16 * GIB, GIB),
        (16 * GIB, 8 * GIB),
        (16 * GIB, 8 * GIB),
        (16 * GIB, 3 * GIB),
        (4 * GIB, 2 * GIB - 32 * MIB),
    ];
    for (n, (total, free)) in (0..).zip(words) {
        let policy = u32::from(n == 2);
        let site = synth.site("aclrtMalloc", policy, 0, &[0x40_1500 + 16 * n]);
        synth.at(10_000_000 + 20_000_000 * n);
        synth.event(
            THREAD,
            Event::Memory {
                site: info,
                free,
                total,
            },
        );
        synth.at(11_000_000 + 20_000_000 * n);
        let (size, status) = (2 * GIB - 32, 207_001);
        let refusal = Event::AllocationFailed { site, size, status };
        synth.event(THREAD, refusal);
    }
    synth.at(200_000_000).event(THREAD, Event::Exit);
    synth
}

fn pool(synth: &mut LogBuilder) {
    let create = synth.site("aclsan_pool_create", 0, -1, &[0x40_1900]);
    let alloc = synth.site("aclsan_pool_alloc", 0, -1, &[0x40_1a00]);
    let release = synth.site("aclsan_pool_free", 0, -1, &[0x40_1b00]);
    tell(synth.at(7_100_000), create, &[1, 3, BASE, W]);
    // Behind what the copies of the story write.
    let parts = BASE + (4 << 20);
    tell(synth, alloc, &[1, parts, 96, 0]);
    tell(synth, alloc, &[1, parts + 1024, 100, 0]);
    tell(synth.at(7_200_000), release, &[1, parts]);
    tell(synth.at(7_300_000), alloc, &[1, parts, 96, 0]);
}

/// Checks that the command prints the recorded output, with this exit code.
fn says(folder: &Folder, arguments: &[&str], code: i32, name: &str) {
    let said = folder.run(arguments);
    said.prints(&format!("tests/logs/golden/{name}"));
    assert_eq!((said.err.as_str(), said.code), ("", code), "{name}");
    let chinese = folder.run(&[arguments, &["--lang", "zh"]].concat());
    assert_eq!(languages::english_left(&chinese.out), [""; 0], "{name}");
}

fn one() -> Folder {
    let folder = Folder::new();
    folder.file("full.aclsan", &full(false).bytes());
    folder
}

#[test]
fn each_verb_that_reports_one_run() {
    let folder = one();
    for (name, arguments) in [
        ("report.txt", &["report"][..]),
        ("leaks.txt", &["leaks"]),
        ("frag.txt", &["frag"]),
        ("frag.pool.txt", &["frag", "--pool"]),
        // With the 32 bytes that the runtime adds, it takes a whole hole of 8 MiB.
        ("frag.would_fit.txt", &["frag", "--would-fit", "7MiB"]),
        ("timeline.txt", &["timeline"]),
        ("findings.txt", &["findings"]),
        (
            "check.txt",
            &["check", "--max-leak", "1MiB", "--max-frag", "30"],
        ),
    ] {
        says(&folder, &[arguments, &["full.aclsan"]].concat(), 1, name);
    }
}

#[test]
fn leaks_by_each_of_their_properties() {
    let folder = one();
    for by in [
        "site", "stack", "thread", "device", "family", "age", "epoch", "class",
    ] {
        let name = format!("leaks.by_{by}.txt");
        says(&folder, &["leaks", "--by", by, "full.aclsan"], 1, &name);
    }
}

#[test]
fn two_runs_and_two_moments_of_one() {
    let folder = one();
    folder.file("worse.aclsan", &full(true).bytes());
    let runs = ["diff", "full.aclsan", "worse.aclsan"];
    says(&folder, &runs, 1, "diff.txt");
    let moments = ["diff", "--from", "load", "--to", "train", "full.aclsan"];
    says(&folder, &moments, 0, "diff.moments.txt");
}

#[test]
fn several_processes_of_one_run() {
    let folder = Folder::new();
    for rank in 0..3 {
        let bytes = numbered(10 + rank, full(rank == 2).bytes());
        folder.file(&format!("rank{rank}.aclsan"), &bytes);
    }
    says(&folder, &["report", "."], 1, "report.ranks.txt");
}

#[test]
fn two_processes_of_one_number_and_machine() {
    let folder = Folder::new();
    for (name, worse) in [("a", false), ("b", true)] {
        folder.file(&format!("{name}.aclsan"), &numbered(7, full(worse).bytes()));
    }
    says(&folder, &["report", "."], 1, "report.namesakes.txt");
    says(&folder, &["timeline", "."], 1, "timeline.namesakes.txt");
}

#[test]
fn each_verdict_on_a_refusal_with_its_evidence() {
    let folder = Folder::new();
    folder.file("refused.aclsan", &refused().bytes());
    says(&folder, &["frag", "refused.aclsan"], 1, "frag.refused.txt");
}
