//! Exports, read by the programs they are for. A program missing on this machine is named and skipped.

use aclsan_left_out::left_out;
use std::path::Path;
use std::process::Command;

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Event, Mapping};

use super::story::*;

/// The output of a reader for an export of [`faulty`]; `None` if there is no such reader.
fn read_by(format: &str, reader: &[&str]) -> Option<String> {
    read_of(&faulty(), format, reader)
}

fn read_of(story: &LogBuilder, format: &str, reader: &[&str]) -> Option<String> {
    let folder = Folder::new();
    folder.file("a.aclsan", &story.bytes());
    let said = folder.run(&[
        "export",
        "--format",
        format,
        "a.aclsan",
        "-o",
        "memscope_dump_1.db",
    ]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{format}");
    let (program, arguments) = reader.split_first().expect("a reader has a name");
    read(program, arguments, folder.path())
}

fn read(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .arg("memscope_dump_1.db")
        .current_dir(folder)
        .output();
    let Ok(output) = output else {
        left_out(format_args!("there is no {program}"));
        return None;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {error}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn standard_output_gets_the_bytes_that_a_file_gets() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    for format in ["pprof", "torch-snapshot", "heaptrack", "flamegraph"] {
        let export = |to: &str| {
            let output = Command::new(env!("CARGO_BIN_EXE_aclsan"))
                .args(["export", "--format", format, "a.aclsan", "-o", to])
                .current_dir(folder.path())
                .output()
                .expect("the command runs");
            assert!(output.status.success(), "{format}");
            output.stdout
        };
        let (piped, none) = (export("-"), export("file"));
        let file = std::fs::read(folder.path().join("file")).expect("it was written");
        assert!(piped == file && none.is_empty(), "{format}");
    }
}

#[test]
fn heaptrack_finds_the_leak_and_the_peak() {
    if let Some(reported) = read_by("heaptrack", &["heaptrack_print"]) {
        // 4096 at the peak; 1000 and 24 are left; three calls.
        assert!(
            reported.contains("calls to allocation functions: 3 "),
            "{reported}"
        );
        assert!(
            reported.contains("peak heap memory consumption: 4.10K"),
            "{reported}"
        );
        assert!(
            reported.contains("total memory leaked: 1.02K"),
            "{reported}"
        );
    }
}

/// Blocks of 1 MB, each freed by a reset of its device, most of them at one address.
fn reset_often() -> LogBuilder {
    let (mut synth, malloc, free) = beginning();
    let [set, reset, begin] = ["aclrtSetDevice", "aclrtResetDevice", "aclsan_ignore_begin"]
        .map(|function| synth.site(function, 0, 0, &[0x40_1300]));
    let other = synth.site("aclrtMalloc", 0, 1, &[0x40_1000]);
    let call = |synth: &mut LogBuilder, site, value| {
        synth.event(7, called(site, &[value]));
    };
    // Three are `live-at-reset`, the fourth is released late; on device 1 the first leaks, the second is ignored.
    for _ in 0..4 {
        call(&mut synth, set, 0);
        synth.allocation(7, malloc, 0x10_0000, 1_000_000);
        call(&mut synth, reset, 0);
    }
    synth.event(
        7,
        Event::ReleaseAt {
            site: free,
            address: 0x10_0000,
            mapping: Mapping::Unknown,
        },
    );
    call(&mut synth, set, 1);
    synth.allocation(7, other, 0x10_0000, 1_000_000);
    call(&mut synth, begin, 1);
    synth.allocation(7, other, 0x50_0000, 1_000_000);
    call(&mut synth, reset, 1);
    synth.event(7, Event::Exit);
    synth
}

#[test]
fn heaptrack_reports_as_leaked_what_the_report_does_and_no_more_of_what_resets_dropped() {
    let folder = Folder::new();
    folder.file("a.aclsan", &reset_often().bytes());
    let said = folder.run(&["leaks", "a.aclsan"]);
    assert!(said.last().contains(" 1000000 bytes in 1 block leaked"));
    if let Some(reported) = read_of(&reset_often(), "heaptrack", &["heaptrack_print"]) {
        assert!(
            reported.contains("calls to allocation functions: 6 "),
            "{reported}"
        );
        assert!(
            reported.contains("peak heap memory consumption: 2.00M"),
            "{reported}"
        );
        assert!(
            reported.contains("total memory leaked: 1000.00K"),
            "{reported}"
        );
    }
}

#[test]
fn massif_s_printer_draws_it() {
    if let Some(reported) = read_by("massif", &["ms_print"]) {
        assert!(
            reported.contains("100.00% (4,096B) (AscendCL memory functions)"),
            "{reported}"
        );
    }
}

#[test]
fn go_s_pprof_finds_what_is_left_by_function() {
    // Debian's go may be outside of PATH; `.ci/pprof` finds or installs it.
    let go = Command::new("go").args(["tool", "-n", "pprof"]).output();
    if !go.is_ok_and(|output| output.status.success()) {
        left_out("there is no `go tool pprof`");
        return;
    }
    // 1000 and 24 bytes are left. The peak was 4096 bytes, before them.
    let totals = [
        ("inuse_space", "1kB"),
        ("alloc_space", "5kB"),
        ("leaked_space", "1kB"),
        ("peak_space", "4kB"),
    ];
    for (index, total) in totals {
        let index = format!("-sample_index={index}");
        let reader = [
            "go",
            "tool",
            "pprof",
            "-symbolize=none",
            "-top",
            "-unit=kB",
            &index,
        ];
        let reported = read_by("pprof", &reader).expect("go is there");
        assert!(reported.contains(&format!("{total}   100% ")), "{reported}");
        assert!(reported.contains("aclrtMalloc"), "{reported}");
    }
}

#[test]
fn python_unpickles_the_snapshot_with_opcodes_that_browsers_know() {
    let script = "
import pickle, pickletools, sys
data = open(sys.argv[1], 'rb').read()
known = {'PROTO', 'STOP', 'MARK', 'EMPTY_DICT', 'EMPTY_LIST', 'BINUNICODE', 'BININT', 'LONG1',
         'SETITEMS', 'APPENDS', 'LONG_BINPUT', 'LONG_BINGET'}
assert {code.name for code, _, _ in pickletools.genops(data)} <= known
snapshot = pickle.loads(data)
trace, = snapshot['device_traces']
print([entry['action'] for entry in trace])
print([(block['address'], block['size']) for segment in snapshot['segments'] for block in segment['blocks']])
for segment in snapshot['segments']:
    assert segment['total_size'] == sum(block['size'] for block in segment['blocks'])
print(segment['frames'][0]['name'])
";
    if let Some(reported) = read_by("torch-snapshot", &["python3", "-c", script]) {
        assert_eq!(
            reported,
            "['segment_alloc', 'alloc', 'free_completed', 'segment_free', 'segment_alloc', 'alloc', 'segment_alloc', 'alloc']\n\
             [(2097152, 1000), (3145728, 24)]\naclrtMalloc\n"
        );
    }
}

#[test]
fn insight_s_queries_find_every_block_in_the_database() {
    let script = "
import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute(
    'SELECT \"Event\", \"Event Type\", \"Ptr\", \"Attr\", \"Timestamp(ns)\" FROM memscope_dump '
    'WHERE \"Event\" IN (\"MALLOC\", \"FREE\") AND \"Device Id\" = \"0\" ORDER BY \"ID\"').fetchall()
for event, kind, address, attributes, when in rows:
    attributes = json.loads(attributes)
    assert all(isinstance(value, str) for value in attributes.values()) and when > 0
    print(event, kind, address, attributes['size'], attributes['owner'].split('@')[0])
";
    if let Some(reported) = read_by("memscope-db", &["python3", "-c", script]) {
        assert_eq!(
            reported,
            "MALLOC HAL 0x100000 4096 ACL\nFREE HAL 0x100000 4096 ACL\nMALLOC HAL 0x200000 1000 ACL\nMALLOC HAL 0x300000 24 ACL\n"
        );
    }
}

#[test]
fn python_reads_the_csv_and_xml() {
    let csv = "import csv, sys\nrows = list(csv.DictReader(open(sys.argv[1])))\nprint(len(rows), rows[0]['Attr'])";
    if let Some(reported) = read_by("memscope-csv", &["python3", "-c", csv]) {
        assert!(
            reported.starts_with(
                "4 {addr:0x100000,allocation_id:1,owner:ACL@device@train@train+0x1000,page_type:4K,size:4096"
            ),
            "{reported}"
        );
    }
    let xml = "
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print([(error.findtext('kind'), error.findtext('xwhat/leakedbytes')) for error in root.findall('error')])";
    if let Some(reported) = read_by("valgrind-xml", &["python3", "-c", xml]) {
        assert_eq!(
            reported,
            "[('InvalidFree', None), ('Leak_DefinitelyLost', '1024')]\n"
        );
    }
}

#[test]
fn a_database_needs_a_name_that_is_free() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    let said = folder.run(&["export", "--format", "memscope-db", "a.aclsan"]);
    assert_eq!(
        (said.code, said.err.as_str()),
        (
            2,
            "aclsan: a database is a file: name it with `-o memscope_dump_1.db`\n"
        )
    );
    let said = folder.run(&[
        "export",
        "--format",
        "memscope-db",
        "a.aclsan",
        "-o",
        "a.aclsan",
    ]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("`a.aclsan` is there already"),
        "{}",
        said.err
    );
}

#[test]
fn formats_that_draw_block_by_block_take_one_log() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    folder.file("b.aclsan", &clean().bytes());
    for format in [
        "heaptrack",
        "massif",
        "torch-snapshot",
        "memscope-csv",
        "jsonl",
    ] {
        let said = folder.run(&["export", "--format", format, "a.aclsan", "b.aclsan"]);
        assert_eq!(
            (said.code, said.err.as_str()),
            (
                2,
                "aclsan: 2 logs are named, and this takes one at a time\n"
            ),
            "{format}"
        );
    }
}
