//! The seeds of `tests/fuzz`, interesting or once crashing inputs, as files that a user might pass to the command. Each is reported on or
//! refused with a sentence, in bounded memory and time. The targets `unwind` and `options`, which need more than the command, are in
//! `tests/scenarios/seeds.rs`.

use std::fs;
use std::path::Path;

use aclsan_fuzz_inputs::{logs, readers, story as story_seeds, torch_snapshot};

use super::claims::bounded;
use super::story::*;

/// The seeds of a target, with the first byte separate: it chooses how the rest is read.
fn seeds(target: &str) -> Vec<(String, u8, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/seeds");
    let list = fs::read_dir(folder.join(target)).expect("seeds");
    let mut seeds: Vec<_> = list
        .map(|entry| {
            let path = entry.expect("a seed").path();
            let bytes = fs::read(&path).expect("readable");
            let (choice, rest) = bytes.split_first().expect("a byte at least");
            (path.display().to_string(), *choice, rest.to_vec())
        })
        .collect();
    seeds.sort();
    assert!(seeds.len() >= 10, "{target}");
    seeds
}

/// The output of the reader `choice` on `log`, as in the fuzz targets.
#[track_caller]
fn read(choice: u8, log: &[u8]) -> Said {
    let folder = Folder::new();
    folder.file(
        "known.aclsan",
        &aclsan_log::builder::LogBuilder::default().bytes(),
    );
    folder.file("a.aclsan", log);
    let words = readers::of(choice).replace('@', "");
    bounded(&folder, &words.split(' ').collect::<Vec<_>>())
}

#[test]
fn every_log_is_read_or_refused() {
    for (name, choice, small) in seeds("log") {
        let said = read(choice, &logs::expand(&small));
        assert!(!said.out.is_empty() || !said.err.is_empty(), "{name}");
    }
}

#[test]
fn every_tale_of_nonsense_is_judged() {
    for (name, choice, rest) in seeds("story") {
        if let Ok(log) = story_seeds::log(arbitrary::Unstructured::new(&rest)) {
            let said = read(choice, &log);
            // Only a flame graph of sums beyond all numbers cannot be drawn, and a log without blocks has nothing to export.
            let is_refused = said.err.contains("its bytes are more than any memory has");
            let is_nothing = said.code == 3 && said.err.contains("there is nothing to export");
            assert!(
                !said.out.is_empty() || is_refused || is_nothing,
                "{name}: {said:?}"
            );
        }
    }
}

#[test]
fn every_recording_of_another_tool_is_imported_or_refused() {
    let folder = Folder::new();
    for (name, _, bytes) in seeds("import") {
        folder.file("dump.csv", &bytes);
        let said = bounded(
            &folder,
            &["import", "--skip-bad", "-o", "made/", "dump.csv"],
        );
        assert!(
            said.out.contains(".aclsan") || said.err.contains("`dump.csv`"),
            "{name}: {said:?}"
        );
        let _ = fs::remove_dir_all(folder.path().join("made"));
    }
}

#[test]
fn every_snapshot_is_imported_or_refused() {
    let folder = Folder::new();
    for (name, choice, bytes) in seeds("snapshot") {
        let Some(file) = torch_snapshot::file(choice & 1, &bytes) else {
            continue;
        };
        folder.file("a.pickle", &file);
        let said = bounded(&folder, &["import", "-o", "made/", "a.pickle"]);
        assert!(
            said.out.contains(".aclsan") || said.err.contains("`a.pickle`"),
            "{name}: {said:?}"
        );
        let _ = fs::remove_dir_all(folder.path().join("made"));
    }
}

#[test]
fn every_file_of_suppressions_and_settings_is_taken_or_refused() {
    let folder = Folder::new();
    folder.file("log.aclsan", &faulty().bytes());
    for (target, option) in [("suppressions", "--suppressions"), ("settings", "--config")] {
        for (name, first, rest) in seeds(target) {
            folder.file("words", &[&[first][..], &rest].concat());
            let said = bounded(&folder, &["check", option, "words", "log.aclsan"]);
            let is_reported = said.out.contains("SUMMARY")
                || said.err.contains("`words`")
                || said.err.contains("`");
            assert!(is_reported, "{name}: {said:?}");
        }
    }
}

#[test]
fn every_program_gives_names_or_none() {
    let folder = Folder::new();
    for (name, first, rest) in seeds("symbols") {
        let module = folder.file("module.so", &[&[first][..], &rest].concat());
        let (mut synth, ..) = beginning();
        synth.define(aclsan_log::Definition::Module {
            start: 0x1_0000,
            end: 0x9_0000,
            bias: 0x1_0000,
            build_id: Vec::new(),
            path: module.display().to_string(),
        });
        // The addresses of one site are resolved one by one, those of two are many: by two threads.
        for place in 0..2 {
            let first = 0x1_1000 + place * 1200;
            let frames: Vec<u64> = (0..400).map(|at| first + at * 3).collect();
            let site = synth.site("aclrtMalloc", 0, 0, &frames);
            synth.allocation(1, site, 0x1000 * (place + 1), 64);
            folder.file("a.aclsan", &synth.bytes());
            let said = bounded(&folder, &["leaks", "a.aclsan"]);
            assert!(said.out.contains("SUMMARY"), "{name}: {said:?}");
        }
    }
}
