//! Logs that claim more than they contain, or more than any machine has: handled in the memory of a small machine, and within seconds.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use aclsan_log::builder::LogBuilder;
use aclsan_log::layout::{COMMITTED, HEADER_BYTES, SEGMENT_BYTES, SEGMENT_HEADER_BYTES};
use aclsan_log::{CallSiteId, Definition, Event, Values};

use super::story::*;

/// Address space for the command: its code, its threads' stacks and its allocations.
const MOST_KIB: u64 = 512 << 10;
/// Far more time than needed, even unoptimized on a busy machine, and far less than it takes to follow such claims.
const MOST_TIME: Duration = Duration::from_secs(100);

/// Runs `aclsan` with little memory; it may not be killed.
#[track_caller]
pub fn bounded(folder: &Folder, arguments: &[&str]) -> Said {
    let begun = Instant::now();
    let limited = format!("ulimit -v {MOST_KIB} && exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_aclsan")])
        .args(arguments)
        .current_dir(folder.path())
        .env("LC_ALL", "C")
        .output()
        .expect("sh starts");
    let taken = begun.elapsed();
    assert!(
        output.status.code().is_some_and(|code| code <= 3),
        "{output:?}"
    );
    let said = Said::from(output);
    assert!(!said.err.contains("panicked"), "{}", said.err);
    assert!(taken < MOST_TIME, "{taken:?}");
    said
}

/// A report on `synth` in little memory.
#[track_caller]
fn report(synth: &LogBuilder) -> Said {
    let folder = Folder::new();
    folder.file("a.aclsan", &synth.bytes());
    bounded(&folder, &["report", "a.aclsan"])
}

#[test]
fn a_terabyte_that_is_a_hole_is_not_read() {
    let folder = Folder::new();
    let log = faulty().bytes();
    let path = folder.file("a.aclsan", &log);
    let whole = bounded(&folder, &["report", "a.aclsan"]).out;
    // The segment of events again, a tebibyte further; its blocks get new numbers from its position.
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(1 << 40)).unwrap();
    file.write_all(&log[HEADER_BYTES + SEGMENT_BYTES..])
        .unwrap();
    file.set_len((1 << 40) + (1 << 30)).unwrap();
    let said = bounded(&folder, &["report", "a.aclsan"]);
    assert!(whole.contains("in 2 blocks leaked"), "{whole}");
    assert!(said.last().contains("blocks leaked"), "{}", said.out);
    assert_ne!(
        said.last(),
        whole.lines().last().unwrap(),
        "what lies there was read"
    );
    let hole = bounded(&folder, &["dump", "a.aclsan"]);
    assert_eq!(hole.err, "");
}

#[test]
fn a_file_that_is_nothing_but_a_hole_is_no_log() {
    let folder = Folder::new();
    let path = folder.file("a.aclsan", b"");
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(1 << 40).unwrap();
    let said = bounded(&folder, &["report", "a.aclsan"]);
    assert!(
        said.err.contains("is not an event log of aclsan"),
        "{}",
        said.err
    );
}

#[test]
fn a_header_and_segments_that_claim_all_there_is_are_damaged() {
    let folder = Folder::new();
    let mut log = faulty().bytes();
    let committed = HEADER_BYTES + SEGMENT_BYTES + COMMITTED.start;
    log[committed..committed + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    folder.file("a.aclsan", &log);
    let said = bounded(&folder, &["report", "a.aclsan"]);
    assert!(said.out.contains("is damaged at byte"), "{}", said.out);
    // The segment size in the header.
    log[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    folder.file("a.aclsan", &log);
    let said = bounded(&folder, &["report", "a.aclsan"]);
    assert!(said.err.contains("damaged header"), "{}", said.err);
}

#[test]
fn sites_a_million_numbers_apart_are_damage() {
    let (mut synth, ..) = beginning();
    for number in 1..=4000 {
        synth.define(Definition::Site {
            id: CallSiteId(number * 1_000_000),
            function: 0,
            argument: 0,
            device: 0,
            frames: Vec::new(),
        });
    }
    let said = report(&synth);
    assert!(said.out.contains("is damaged at byte"), "{}", said.out);
}

#[test]
fn a_stack_that_goes_in_circles_for_a_whole_segment_is_cut() {
    let folder = Folder::new();
    let (mut synth, ..) = beginning();
    // The encoder writes at most 1024 frames, so the record is built by hand: tag 33, a length, then elapsed 0, site 3, function 0,
    // argument 0, device 0, 65,000 frames, each at the distance from the previous one that its byte says.
    let mut log = synth.define(Definition::Unloaded { start: 1 }).bytes();
    let start = HEADER_BYTES;
    let mut record = vec![3 | 33 << 2, 0, 0, 0, 3, 0, 0, 0, 0xe8, 0xfb, 3];
    record.extend((0..65_000).map(|at| [32, 31][at % 2]));
    let length = (record.len() - 3) as u16;
    record[1..3].copy_from_slice(&length.to_le_bytes());
    log.resize(start + 2 * SEGMENT_BYTES, 0);
    let next = start + SEGMENT_BYTES;
    log.copy_within(start..start + 32, next);
    let committed = record.len() as u64;
    log[next + COMMITTED.start..next + COMMITTED.end].copy_from_slice(&committed.to_le_bytes());
    log[next + SEGMENT_HEADER_BYTES..][..record.len()].copy_from_slice(&record);
    folder.file("a.aclsan", &log);
    let said = bounded(&folder, &["dump", "--definitions", "a.aclsan"]);
    let lines = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let sites: Vec<serde_json::Value> = lines
        .filter(|line: &serde_json::Value| line["site"] == 3)
        .collect();
    assert_eq!(sites.len(), 1, "{}", said.out);
    assert_eq!(sites[0]["frames"].as_array().map(Vec::len), Some(1024));
}

#[test]
fn hundreds_of_thousands_of_modules_over_the_same_addresses_are_looked_up() {
    let (mut synth, ..) = beginning();
    let module = |start: u64| Definition::Module {
        start,
        end: u64::MAX,
        bias: 0,
        build_id: Vec::new(),
        path: "/no/such/file".to_owned(),
    };
    for start in 0..100_000 {
        synth.define(module(start));
    }
    for start in 0..100_000 {
        synth.define(Definition::Unloaded { start });
    }
    for at in 0..200 {
        let site = synth.site("aclrtMalloc", 0, 0, &[1 << 40 | at, 1 << 41 | at]);
        synth.allocation(1, site, 0x1000 * at, 16);
    }
    assert!(report(&synth).out.contains("200 blocks leaked"));
}

#[test]
fn hundreds_of_thousands_of_sites_names_and_texts_are_kept() {
    let (mut synth, malloc, _) = beginning();
    for id in 0..100_000_u32 {
        synth.define(Definition::Text {
            id,
            text: format!("text {id}"),
        });
        synth.define(Definition::Function {
            id: id as u16,
            name: format!("f{id}"),
        });
        synth.define(Definition::PythonCode {
            id,
            function: String::new(),
            file: String::new(),
        });
        synth.define(Definition::Status {
            code: id as i32,
            name: String::new(),
        });
        synth.define(Definition::Property {
            key: format!("key {id}"),
            value: String::new(),
        });
    }
    for at in 0..100_000 {
        synth.site("aclrtMalloc", 0, 0, &[at]);
    }
    synth.allocation(1, malloc, 0x1000, 16);
    report(&synth);
}

#[test]
fn hundreds_of_thousands_of_threads_release_what_is_not_theirs() {
    let (mut synth, malloc, free) = beginning();
    for tid in 0..200_000_u32 {
        let block = synth.allocation(1, malloc, 0x1000 + u64::from(tid) * 64, 16);
        synth.event(1, Event::Thread { tid });
        synth.event(1, Event::Release { block, site: free });
    }
    assert!(report(&synth).last().contains("0 blocks leaked"));
}

#[test]
fn strings_as_long_as_a_segment_are_shown() {
    let (mut synth, malloc, _) = beginning();
    let long = |first: char| first.to_string().repeat(16 << 10);
    for id in 0..50 {
        synth.define(Definition::Text {
            id,
            text: long('t'),
        });
        synth.define(Definition::Property {
            key: long('k'),
            value: long('v'),
        });
        synth.define(Definition::Property {
            key: "program".into(),
            value: long('\u{1b}'),
        });
        let frame = aclsan_log::PythonFrame { code: id, line: 1 }.address();
        synth.define(Definition::PythonCode {
            id,
            function: long('p'),
            file: long('f'),
        });
        let site = synth.site("aclrtMalloc", 0, 0, &[frame; 8]);
        synth.allocation(1, site, u64::from(id) * 0x1000, 16);
    }
    synth.allocation(1, malloc, 0x1000_0000, 16);
    assert!(report(&synth).last().contains("51 blocks leaked"));
}

#[test]
fn thousands_of_streams_and_events_wait_for_one_another() {
    let (mut synth, malloc, _) = beginning();
    let site = |synth: &mut LogBuilder, name: &str| synth.site(name, 0, 0, &[]);
    let makes = site(&mut synth, "aclrtCreateStream");
    let records = site(&mut synth, "aclrtRecordEvent");
    let waits = site(&mut synth, "aclrtStreamWaitEvent");
    let copies = synth.site("aclrtMemcpyAsync", 1, 0, &[]);
    synth.allocation(1, malloc, 0x10_0000, 1 << 20);
    for at in 1..=20_000_u64 {
        let (stream, event) = (at << 8, at << 8 | 8);
        let call = |site, values: &[u64]| Event::Call {
            site,
            values: Values::new(values),
            status: 0,
        };
        synth.event(1, call(makes, &[stream]));
        synth.event(1, call(records, &[event, stream]));
        synth.event(1, call(waits, &[stream, event - 256]));
        synth.event(
            1,
            Event::Copy {
                site: copies,
                to: 0x10_0000,
                room: 64,
                from: 0x10_1000,
                count: 64,
                stream,
            },
        );
    }
    report(&synth);
}

#[test]
fn what_is_no_file_is_named_and_not_waited_for() {
    let folder = Folder::new();
    assert!(
        Command::new("mkfifo")
            .arg(folder.path().join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    folder.file("log.aclsan", &faulty().bytes());
    for arguments in [
        &["report", "pipe"][..],
        &["import", "pipe"],
        &["import", "/dev/zero"],
        &["report", "/dev/zero"],
        &["report", "--suppressions", "/dev/zero", "log.aclsan"],
        &["check", "--config", "/dev/zero", "log.aclsan"],
        &["check", "--config", "/", "log.aclsan"],
    ] {
        let said = bounded(&folder, arguments);
        assert_eq!(
            (said.code, said.out.as_str()),
            (2, ""),
            "{arguments:?}: {said:?}"
        );
        let named = arguments
            .iter()
            .skip(1)
            .find(|word| !word.starts_with("--"))
            .unwrap();
        assert!(
            said.err.contains(&format!("`{named}`")),
            "{arguments:?}: {}",
            said.err
        );
    }
}

#[test]
fn a_symbol_file_that_needs_more_memory_than_there_is_gives_no_names() {
    let folder = Folder::new();
    folder.file("f.c", b"int f(void) { return 0; }\n");
    let cc = Command::new("cc")
        .args(["-g", "-shared", "-fPIC", "-o", "f.so", "f.c"])
        .current_dir(folder.path())
        .status();
    assert!(cc.expect("a C compiler").success());
    let path = folder.path().join("f.so");
    let mut bytes = std::fs::read(&path).unwrap();
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let half =
        |bytes: &[u8], at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    // Elf64_Ehdr: e_shoff at 40, e_shnum at 60. Elf64_Shdr, 64 bytes: sh_type at 4, 1 for sections with bytes; sh_addr at 16; sh_size at
    // 32.
    let (table, count) = (word(&bytes, 40) as usize, half(&bytes, 60));
    for at in (0..count).map(|number| table + 64 * number) {
        if half(&bytes, at + 4) == 1 && word(&bytes, at + 16) == 0 {
            bytes[at + 32..at + 40].copy_from_slice(&(3_u64 << 30).to_le_bytes());
        }
    }
    std::fs::write(&path, bytes).unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(4 << 30).unwrap(); // a hole
    let (mut synth, ..) = beginning();
    synth.define(Definition::Module {
        start: 0,
        end: 0x1000,
        bias: 0,
        build_id: Vec::new(),
        path: path.display().to_string(),
    });
    let site = synth.site("aclrtMalloc", 0, 0, &[0x100]);
    synth.allocation(1, site, 0x1000, 16);
    folder.file("a.aclsan", &synth.bytes());
    let said = bounded(&folder, &["report", "a.aclsan"]);
    assert!(
        said.out.contains("there is not so much memory"),
        "{}",
        said.out
    );
}
