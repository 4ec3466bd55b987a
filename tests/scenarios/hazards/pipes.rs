//! A pipe for stderr: full, shared, read late or never.

use crate::trial::Trial;
use aclsan_tests::artifacts;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, PipeReader, Read, Write, pipe};
use std::process::{Command, Stdio};

#[test]
fn a_pipe_without_a_reader_does_not_end_the_program() {
    let (mut command, reader) = piped(&Trial::new("process/wrong.c", "pipe"));
    drop(reader);
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(output.stdout, b"before\nafter\n");
}

/// Each is longer than a pipe's atomic write. Lines of several processes stay whole.
#[test]
fn findings_of_threads_stay_whole_in_a_pipe_that_is_full() {
    for (way, processes) in [("processes", 2), ("nonblocking", 1)] {
        let run = at_once(way).same();
        let (mut within, mut findings) = (BTreeSet::new(), 0);
        for line in run.stderr.lines() {
            let (process, text) = line.split_once("== ").expect("a line of aclsan's");
            if text.starts_with("ERROR: aclsan: double-free: ") {
                assert!(within.insert(process), "two at once:\n{}", run.stderr);
                findings += 1;
            } else if text.ends_with(" more: aclsan explain double-free") {
                within.remove(process);
            }
        }
        let all = (processes * 4 * 16, 0);
        assert_eq!((findings, within.len()), all, "{way}: {}", run.stderr);
    }
}

/// It waits once, for ten seconds; the program ends itself after forty.
#[test]
fn a_full_pipe_that_nobody_reads_is_not_waited_for_for_ever() {
    let (mut command, mut reader) = piped(&at_once(""));
    let status = command.stdin(Stdio::null()).status().expect("it starts");
    assert!(status.success(), "{status}");
    drop(command); // It holds the other end.
    let mut reported = String::new();
    reader.read_to_string(&mut reported).expect("text");
    assert!(reported.ends_with('\n') && reported.lines().all(|line| line.starts_with("==")));
}

#[test]
fn what_a_full_pipe_did_not_take_is_counted_when_somebody_reads_it() {
    let (mut command, mut reader) = piped(&at_once("later"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    drop(command);
    let mut said = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("text");
    assert_eq!(line, "made\n");
    let mut reported = vec![0; 4096];
    let count = reader.read(&mut reported).expect("the pipe is full");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"\n").expect("it listens");
    let mut reported = String::from_utf8(reported[..count].to_vec()).expect("text");
    reader.read_to_string(&mut reported).expect("text");
    assert!(child.wait().expect("ours").success());
    let lines = reported
        .lines()
        .filter_map(|line| Some(line.split_once("== ")?.1));
    let lines: Vec<_> = lines.collect();
    let notice = " messages were dropped here: stderr was full and nobody read it for 10 s";
    // After the first line, which fit.
    let missing = lines[1].strip_prefix("aclsan: ").expect(&reported);
    let missing = missing.strip_suffix(notice).expect(&reported);
    let is_finding = |line: &&&str| line.starts_with("ERROR: ") || line.starts_with("WARNING: ");
    // The last finding, and perhaps a note about its block's start.
    let printed = lines.iter().filter(is_finding).count() as u64;
    let last = lines.last().expect("a summary");
    let words = last.split(' ').skip_while(|&word| word != "aclsan:");
    let numbers = words.filter_map(|word| word.parse::<u64>().ok());
    let found: u64 = numbers.take(2).sum();
    assert!(
        printed > 0 && missing.parse() == Ok(found - printed),
        "{reported}"
    );
}

fn at_once(way: &str) -> Trial {
    let mut trial = Trial::new("odd/at_once.c", &format!("at-once-{way}"));
    trial.on_runtime("odd/runtime.c").options("mode=record");
    trial.arguments([way]);
    trial
}

/// The program under the shim with a pipe as its stderr, and the pipe's other end.
fn piped(trial: &Trial) -> (Command, PipeReader) {
    let (reader, writer) = pipe().expect("a pipe");
    let place = trial.place("watched");
    let mut command = trial.command(&place, Some(artifacts::shim()));
    command.stderr(writer);
    (command, reader)
}
