use std::fs::File;
use std::process::{Command, Stdio};

use aclsan_log::layout::{HEADER_BYTES, SEGMENT_BYTES, SEGMENT_HEADER_BYTES};

use super::story::*;

#[track_caller]
fn fails(folder: &Folder, arguments: &[&str], sentence: &str) {
    let said = folder.run(arguments);
    assert_eq!(said.err, format!("aclsan: {sentence}\n"));
    assert_eq!((said.code, said.out.as_str()), (2, ""));
}

#[test]
fn a_file_that_is_not_there() {
    fails(
        &Folder::new(),
        &["report", "gone.aclsan"],
        "cannot read `gone.aclsan`: No such file or directory (os error 2)",
    );
}

#[test]
fn exit_codes_hold_where_standard_error_takes_nothing() {
    let folder = Folder::new();
    folder.file("clean.aclsan", &clean().bytes());
    folder.file("idle.aclsan", &idle().bytes());
    folder.file("cut.aclsan", &faulty().bytes()[..1000]);
    let lines: [(&[&str], i32); 6] = [
        (&["report", "gone.aclsan"], 2),
        (&["-v", "report", "gone.aclsan"], 2),
        (&["check", "idle.aclsan"], 3),
        (&["check", "clean.aclsan", "cut.aclsan"], 2),
        (&["pack", "cut.aclsan"], 2),
        (&["import", "clean.aclsan"], 2),
    ];
    for (line, code) in lines {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_aclsan"));
        command.args(line).current_dir(folder.path()).stderr(full);
        let status = command.stdout(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{line:?}");
    }
}

#[test]
fn an_empty_file() {
    let folder = Folder::new();
    folder.file("a.aclsan", b"");
    fails(
        &folder,
        &["report", "a.aclsan"],
        "`a.aclsan` is empty: the program ended before anything was recorded",
    );
}

#[test]
fn a_foreign_file() {
    let folder = Folder::new();
    folder.file("a.aclsan", b"\x7fELF and so on, for a while");
    fails(
        &folder,
        &["check", "a.aclsan"],
        "`a.aclsan` is not an event log of aclsan (it does not begin with `ACLSANEV`)",
    );
}

#[test]
fn a_file_cut_in_its_header() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes()[..1000]);
    fails(
        &folder,
        &["leaks", "a.aclsan"],
        "`a.aclsan` is cut short: 1000 bytes of a header that takes 65536; record it again",
    );
}

#[test]
fn a_log_of_a_later_version() {
    let folder = Folder::new();
    let mut bytes = faulty().bytes();
    bytes[8] = 9;
    folder.file("a.aclsan", &bytes);
    fails(
        &folder,
        &["dump", "a.aclsan"],
        "`a.aclsan` has event log version 9, this aclsan reads up to 2: use the aclsan that recorded it, or a newer one",
    );
}

#[test]
fn a_damaged_header() {
    let folder = Folder::new();
    let mut bytes = faulty().bytes();
    bytes[24] = 99; // the clock's kind
    folder.file("a.aclsan", &bytes);
    fails(
        &folder,
        &["report", "a.aclsan"],
        "`a.aclsan` has a damaged header: nothing after it can be trusted",
    );
}

#[test]
fn a_folder_without_logs_and_a_pattern_without_matches() {
    let folder = Folder::new();
    folder.file("out/readme.txt", b"hello");
    let said = folder.run(&["report", "out"]);
    assert_eq!(
        said.err,
        "aclsan: folder `out` holds no log: their names end in `.aclsan`\n"
    );
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    let said = folder.run(&["check", "--allow-empty", "out"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    fails(
        &folder,
        &["report", "out/*.aclsan"],
        "no file matches `out/*.aclsan`",
    );
}

#[test]
fn a_cut_tail_loses_what_was_in_it_and_no_more() {
    let folder = Folder::new();
    let bytes = faulty().bytes();
    // Header, one segment of definitions, then events: cut within the events.
    let cut = HEADER_BYTES + SEGMENT_BYTES + SEGMENT_HEADER_BYTES + 30;
    folder.file("a.aclsan", &bytes[..cut]);
    let said = folder.run(&["report", "a.aclsan"]);
    assert!(said.out.contains("About this report"), "{}", said.out);
    let place = format!("the log of process 1 is damaged at byte {cut}: ");
    assert!(said.out.contains(&place), "{}", said.out);
    assert!(said.err.is_empty());
    // The end mark is lost: leaks are uncertain, and warnings do not fail.
    assert!(
        said.last().starts_with("SUMMARY: aclsan: "),
        "{}",
        said.last()
    );
}

#[test]
fn one_bad_log_of_several_hides_no_other_but_is_not_forgotten() {
    let folder = Folder::new();
    folder.file("out/a.aclsan", &clean().bytes());
    folder.file("out/b.aclsan", b"");
    let said = folder.run(&["report", "out"]);
    assert!(said.out.contains("train --steps 3 on node1"));
    assert_eq!(
        said.err,
        "aclsan: `out/b.aclsan` is empty: the program ended before anything was recorded\n"
    );
    assert_eq!(said.code, 2);
}

#[test]
fn flipped_bytes_never_panic() {
    let folder = Folder::new();
    let whole = faulty().bytes();
    let (definitions, events) = (HEADER_BYTES, HEADER_BYTES + SEGMENT_BYTES);
    for at in (definitions..definitions + 400)
        .chain(events..events + 200)
        .step_by(7)
    {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        folder.file("a.aclsan", &bytes);
        let said = folder.run(&["report", "a.aclsan"]);
        assert!(!said.err.contains("panicked"), "byte {at}: {}", said.err);
        assert!(
            [0, 1, 2, 3].contains(&said.code),
            "byte {at}: {}",
            said.code
        );
    }
}
