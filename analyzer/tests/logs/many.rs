//! Many logs, one report.

use aclsan_left_out::left_out;
use aclsan_log::builder::LogBuilder;
use aclsan_log::{Definition, Event};

use super::languages;
use super::story::*;

const MIB: u64 = 1 << 20;

/// Rank `rank` of a run, on a device of its own: keeps `kept` MiB at one site, releases 8 MiB at another; only rank 3 has a third site.
fn rank(rank: u32, kept: u64) -> LogBuilder {
    rank_at(rank, kept, (500 + rank, &format!("node{}", rank / 4)))
}

/// The program of all ranks.
pub fn train() -> Definition {
    Definition::Module {
        start: 0x40_0000,
        end: 0x50_0000,
        bias: 0x40_0000,
        build_id: vec![0xab; 20],
        path: "/opt/app/train".to_owned(),
    }
}

/// As [`rank`], as process `pid` of `host`.
pub fn rank_at(rank: u32, kept: u64, (pid, host): (u32, &str)) -> LogBuilder {
    let mut synth = LogBuilder::default();
    synth.process(pid, 0);
    for (key, value) in [("arguments", "train"), ("host", host)] {
        let (key, value) = (key.to_owned(), value.to_owned());
        synth.define(Definition::Property { key, value });
    }
    synth.define(train());
    let device = (rank % 4) as i32;
    let keep = synth.site("aclrtMalloc", 0, device, &[0x40_1000]);
    let lend = synth.site("aclrtMalloc", 0, device, &[0x40_2000]);
    let free = synth.site("aclrtFree", 0, device, &[0x40_3000]);
    let base = 0x12_0000_0000;
    synth.at(1).allocation(7, keep, base, kept * MIB);
    let block = synth.at(2).allocation(7, lend, base << 1, 8 * MIB);
    synth.at(3).event(7, Event::Release { block, site: free });
    if rank == 3 {
        let odd = synth.site("aclrtMallocHost", 0, device, &[0x40_4000]);
        let free = synth.site("aclrtFreeHost", 0, device, &[0x40_5000]);
        let block = synth.at(4).allocation(7, odd, 0x7000_0000, MIB);
        synth.at(5).event(7, Event::Release { block, site: free });
    }
    synth.at(6).event(7, Event::Exit);
    synth
}

/// Six ranks; rank 4 keeps 100 MiB, the others 2.
fn run() -> Folder {
    let folder = Folder::new();
    for n in 0..6 {
        let kept = if n == 4 { 100 } else { 2 };
        folder.file(&format!("rank{n}.aclsan"), &rank(n, kept).bytes());
    }
    folder
}

#[test]
fn the_outlier_rank_is_named_by_every_measure() {
    let folder = run();
    let json = folder.run(&["report", "--json", "."]).json();
    assert_eq!(aclsan_schema::check(&json), Vec::<String>::new());
    let ranks = &json["ranks"];
    let outliers: Vec<_> = ranks["outliers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| {
            (
                o["pid"].as_u64().unwrap(),
                o["measure"].as_str().unwrap(),
                o["score"].as_f64().unwrap(),
            )
        })
        .collect();
    // Five equal values and another one: d / (1.2533 · d / 6) = 4.79.
    assert_eq!(
        outliers,
        [
            (504, "peak_bytes", 4.8),
            (504, "live_bytes", 4.8),
            (504, "leaked_bytes", 4.8)
        ]
    );
    let peak = &ranks["measures"][0];
    assert_eq!(
        (
            &peak["name"],
            &peak["least"],
            &peak["median"],
            &peak["most"],
            &peak["mad"]
        ),
        (
            &"peak_bytes".into(),
            &(10 * MIB).into(),
            &(10 * MIB).into(),
            &(108 * MIB).into(),
            &0.into()
        )
    );
}

#[test]
fn a_leak_of_different_sizes_is_one_finding_and_one_place() {
    let folder = run();
    let json = folder.run(&["report", "--json", "."]).json();
    let findings = json["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(
        findings[0]["pids"],
        serde_json::json!([500, 501, 502, 503, 504, 505])
    );
    let sites = json["leaks"]["sites"].as_array().unwrap();
    assert_eq!((sites.len(), &sites[0]["bytes"]), (1, &(110 * MIB).into()));
    let text = folder.run(&["report", "."]).out;
    assert!(
        text.contains("these are the first process's numbers: the others have their own"),
        "{text}"
    );
}

#[test]
fn places_and_devices_are_reported_across_ranks() {
    let folder = run();
    let said = folder.run(&["report", "."]);
    let text = said.out;
    assert!(text.contains("6 processes compared"), "{text}");
    for line in [
        "process 504 on node1 stands out: leaked bytes 100.0 MiB where the median is 2.0 MiB (modified z-score 4.8), from ./rank4.aclsan",
        "in 6 of 6 processes",
        "1 of 6 processes, only 503",
    ] {
        let words = line.strip_prefix("in ").unwrap_or(line);
        assert!(text.contains(words), "{line}\n{text}");
    }
    let json = folder.run(&["report", "--json", "."]).json();
    let devices: Vec<_> = json["ranks"]["devices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            (
                d["host"].as_str().unwrap(),
                d["device"].as_i64().unwrap(),
                d["peaks_bytes"].as_u64().unwrap() / MIB,
            )
        })
        .collect();
    // Ranks 0 to 3 on devices 0 to 3 of the first machine, 4 and 5 on 0 and 1 of the second.
    assert_eq!(
        devices,
        [
            ("node0", 0, 10),
            ("node0", 1, 10),
            ("node0", 2, 10),
            ("node0", 3, 10),
            ("node1", 0, 108),
            ("node1", 1, 10)
        ]
    );
}

#[test]
fn calls_of_one_line_are_of_one_process() {
    let mut synth = rank(0, 2);
    let again = synth.site("aclrtMalloc", 0, 0, &[0x40_1001]);
    synth.at(6).allocation(7, again, 0x20_0000_0000, MIB);
    let folder = Folder::new();
    folder.file("a.aclsan", &synth.bytes());
    let json = folder.run(&["report", "--json", "."]).json();
    for site in json["leaks"]["sites"].as_array().unwrap() {
        assert_eq!(site["pids"], serde_json::json!([500]), "{site}");
    }
}

#[test]
fn what_is_suppressed_makes_no_outlier() {
    let folder = run();
    folder.file("known", b"leak:train\n");
    let json = folder
        .run(&["report", "--json", "--suppressions", "known", "."])
        .json();
    let measures: Vec<_> = json["ranks"]["outliers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["measure"].as_str().unwrap())
        .collect();
    assert_eq!(measures, ["peak_bytes", "live_bytes"]);
}

#[test]
fn the_comparison_reads_in_chinese() {
    let said = run().run(&["report", "--lang", "zh", "--limit", "1", "."]);
    assert_eq!(languages::english_left(&said.out), [""; 0]);
    assert!(said.out.contains("个进程对比"), "{}", said.out);
}

#[test]
fn a_log_that_is_named_in_several_ways_counts_once() {
    let folder = Folder::new();
    folder.file("logs/a.aclsan", &faulty().bytes());
    std::os::unix::fs::symlink("logs", folder.path().join("link"))
        .expect("the scratch takes links");
    let whole = folder.path().join("logs");
    let whole = whole.to_str().expect("a plain path");
    let once = folder.run(&["leaks", "--json", "logs"]).json();
    for other in [
        "logs",
        "./logs",
        "logs/../logs",
        "link",
        whole,
        "logs/a.aclsan",
    ] {
        let said = folder.run(&["leaks", "--json", "logs", other]).json();
        assert_eq!(said["leaks"], once["leaks"], "{other}");
    }
}

#[test]
fn one_log_is_compared_with_nothing() {
    let folder = Folder::new();
    folder.file("a.aclsan", &rank(0, 2).bytes());
    let said = folder.run(&["report", "a.aclsan"]);
    assert!(!said.out.contains("processes compared"), "{}", said.out);
}

#[test]
fn hundreds_of_logs_are_one_short_report_in_the_order_of_names() {
    let folder = Folder::new();
    for n in 0..200 {
        folder.file(&format!("r{n:03}.aclsan"), &rank(n, 2).bytes());
    }
    let said = folder.run(&["--color", "never", "report", "--progress", "."]);
    assert!(said.err.contains(" % of 200 logs read"), "{}", said.err);
    assert!(
        said.out.lines().count() < 300,
        "{}",
        said.out.lines().count()
    );
    assert!(
        said.out.contains("aclsan: 184 processes more with"),
        "{}",
        said.out
    );
    assert!(
        said.out.contains("alike in 200 of 200 processes: 500, 501"),
        "{}",
        said.out
    );
    let json = folder.run(&["report", "--json", "."]).json();
    let pids = json["processes"].as_array().unwrap().iter();
    assert!(pids.map(|p| p["pid"].as_u64().unwrap()).eq(500..700));
}

/// Peak resident KiB of `aclsan` with these arguments; `None` without Python, which measures it.
fn peak_kib(folder: &Folder, arguments: &[&str]) -> Option<u64> {
    let script = "import os, sys
child = os.fork()
if child == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
print(os.wait4(child, 0)[2].ru_maxrss)";
    let mut python = std::process::Command::new("python3");
    python.args(["-c", script, env!("CARGO_BIN_EXE_aclsan")]);
    python.args(arguments);
    let output = python.current_dir(folder.path()).output().ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// Memory of the command itself, and of the few logs in progress.
const KIB_ALWAYS: u64 = 32 << 10;
/// Most memory that a report keeps per log.
const KIB_A_LOG: u64 = 20;

/// Blocks of a process are dropped with its log: with the 800 live ones in each, 448 more logs would add 40 MiB. What the report shows of
/// each stays: its timeline, its sites, its row in every table. `cargo bench -p aclsan-tests --bench many` does the same with a million
/// events in each.
#[test]
fn another_log_costs_what_the_report_shows_of_it() {
    let folder = Folder::new();
    for n in 0..512 {
        let mut synth = rank(n, 2);
        let site = synth.site("aclrtMalloc", 0, 0, &[0x40_6000]);
        let free = synth.site("aclrtFree", 0, 0, &[0x40_7000]);
        // 1,400 and 600 events.
        for block in 0..1400 {
            let address = 0x13_0000_0000 + block * 0x1000;
            let id = synth.at(7).allocation(7, site, address, 0x1000);
            if block % 7 < 3 {
                let release = Event::Release {
                    block: id,
                    site: free,
                };
                synth.at(8).event(7, release);
            }
        }
        let bytes = synth.bytes();
        folder.file(&format!("all/r{n:03}.aclsan"), &bytes);
        if n < 64 {
            folder.file(&format!("few/r{n:03}.aclsan"), &bytes);
        }
    }
    for verb in [
        &["report", "--json"] as &[&str],
        &["leaks"],
        &["check", "--max-leak", "0"],
    ] {
        let peak = |logs| peak_kib(&folder, &[verb, &[logs]].concat());
        let (Some(few), Some(all)) = (peak("few"), peak("all")) else {
            left_out("Python is not here, which tells how much memory was used");
            return;
        };
        println!("{verb:?}: {few} KiB of 64 logs, {all} KiB of 512");
        assert!(
            few > 1000 && all < few + 448 * KIB_A_LOG && all < KIB_ALWAYS + 512 * KIB_A_LOG,
            "{verb:?}: {few} KiB of 64 logs, {all} KiB of 512"
        );
    }
}
