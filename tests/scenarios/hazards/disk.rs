//! Full, small, remote and read-only disks: the log ends, the program continues, and the report says how much is missing.

use super::tally;
use crate::program::Run;
use crate::tally::Tally;
use crate::trial::{Trial, library};
use aclsan_left_out::left_out;
use aclsan_tests::artifacts;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The output of `aclsan report` for a log.
fn report(log: &Path) -> String {
    let mut report = Command::new(artifacts::command());
    let output = report.arg("report").arg(log).output().expect("it starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A log that ended early: every missing event is counted.
fn ended_early(run: &Run, events: u64) {
    let tally = tally(run);
    let on_record = (tally.allocations + tally.releases) as u64;
    assert!(on_record < events, "{on_record}: {}", run.stderr);
    // Each missing call is counted as an event; process start and end may be counted, too.
    let lost = tally.log.lost.events;
    assert!(
        (events..events + 10).contains(&(on_record + lost)),
        "{on_record} and {lost}"
    );
    let reported = format!("{lost} events could not be recorded");
    assert!(report(&run.logs[0]).contains(&reported), "{reported}");
    assert!(
        run.stderr.contains(&format!("; {lost} events dropped")),
        "{}",
        run.stderr
    );
}

#[test]
fn a_log_that_may_not_grow_ends_and_all_that_is_missing_is_counted() {
    let mut trial = Trial::new("process/limits.c", "disk");
    trial.on_small_runtime();
    let disk = library("odd/disk.c", &trial.scratch.join("disk.so"), &[]);
    trial.behind(disk);
    for (disk, said) in [("quota", "uota exceeded"), ("broken", "nput/output error")] {
        let run = trial
            .environment("DISK", disk)
            .options("mode=record")
            .same();
        assert_eq!(
            run.stderr.matches("the event log cannot grow").count(),
            1,
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains(said), "{}", run.stderr);
        // 12,001 pairs and the calls at the start.
        ended_early(&run, 2 * 12_001);
    }
}

#[test]
fn a_log_ends_at_the_size_that_the_user_allows() {
    let mut trial = Trial::new("odd/changes.c", "size");
    trial.on_small_runtime();
    // 200,000 events of 6 bytes and more.
    trial
        .options("mode=record:log_mb=1")
        .arguments(["nothing", "later", "100000"]);
    let run = trial.same();
    let said = "the size that the option log_mb allows";
    assert_eq!(run.stderr.matches(said).count(), 1, "{}", run.stderr);
    assert!(std::fs::metadata(&run.logs[0]).expect("the log").len() <= 1 << 20);
    ended_early(&run, 2 * 100_001);
}

#[test]
fn a_disk_that_sets_nothing_aside_keeps_the_whole_log() {
    let mut trial = Trial::new("process/limits.c", "far");
    trial.on_small_runtime();
    let disk = library("odd/disk.c", &trial.scratch.join("disk.so"), &[]);
    trial.behind(disk);
    for disk in ["network", "interrupted"] {
        let run = trial.environment("DISK", disk).same();
        assert_eq!(
            tally(&run).pairs(),
            (12_001, 12_001),
            "{disk}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_disk_whose_files_cannot_be_mapped_is_said_once() {
    let mut trial = Trial::new("process/limits.c", "unmapped");
    trial.on_small_runtime();
    let disk = library("odd/disk.c", &trial.scratch.join("disk.so"), &[]);
    let run = trial.behind(disk).environment("DISK", "unmapped").same();
    let said = "files there cannot be mapped: set log_path to a local folder";
    assert_eq!(run.stderr.matches(said).count(), 1, "{}", run.stderr);
    let tally = tally(&run);
    assert!(tally.allocations == 0 && tally.log.lost.events >= 2 * 12_001);
}

/// Runs a script in its own namespaces, where it may mount; `$0` is the program, `$1` the log folder. `None` if not permitted.
fn mounted(trial: &Trial, place: &Path, script: &str) -> Option<Output> {
    let program = trial.command(place, Some(artifacts::shim()));
    let mut namespace = Command::new("unshare");
    namespace.args(["-rm", "sh", "-c", script]);
    namespace.arg(program.get_program()).arg(place);
    let environment = program.get_envs();
    namespace.envs(environment.filter_map(|(name, value)| Some((name, value?))));
    let output = namespace.current_dir(place).output().ok()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let cannot = output.status.code() == Some(111) || stderr.contains("unshare");
    (!cannot).then_some(output)
}

#[test]
fn a_disk_that_fills_at_any_moment_never_faults() {
    let trial = Trial::new("process/limits.c", "fills");
    let place = trial.place("watched");
    // Touching a mapped page without disk space faults: all sizes around those of the header and the first segments.
    let script = "for size in 4 60 64 68 124 128 132 136 192 196 200 260 264; do
        mount -t tmpfs -o size=${size}k none \"$1\" || exit 111
        (cd \"$1\" && \"$0\") || exit $((size + 1))
        umount -l \"$1\"
    done";
    let Some(output) = mounted(&trial, &place, script) else {
        return left_out("nothing may be mounted here");
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(stderr.matches("the event log").count(), 13, "{stderr}");
}

#[test]
fn a_folder_that_may_not_be_written_is_said_once() {
    let trial = Trial::new("process/wrong.c", "readonly");
    let place = trial.place("watched");
    let script = "mount -t tmpfs -o ro none \"$1\" || exit 111
        \"$0\"";
    let Some(output) = mounted(&trial, &place, script) else {
        return left_out("nothing may be mounted here");
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"before\nafter\n", "{stderr}");
    assert_eq!(
        stderr.matches("cannot write the event log").count(),
        1,
        "{stderr}"
    );
    assert!(
        stderr.contains("double-free") && stderr.contains("Read-only"),
        "{stderr}"
    );
}

#[test]
fn a_working_folder_that_is_gone_before_the_start_is_said_once() {
    let mut trial = Trial::new("process/wrong.c", "gone-before");
    let place = trial.place("watched");
    // The usual name, in the working folder.
    trial.options("log_path=aclsan-%p.aclsan");
    let program = trial.command(&place, Some(artifacts::shim()));
    let mut shell = Command::new("sh");
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\"";
    shell.args(["-c", script]).arg(program.get_program());
    let environment = program.get_envs();
    shell.envs(environment.filter_map(|(name, value)| Some((name, value?))));
    let output = shell.current_dir(&place).output().expect("a shell");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"before\nafter\n", "{stderr}");
    assert_eq!(
        stderr.matches("cannot write the event log").count(),
        1,
        "{stderr}"
    );
}

#[test]
fn a_log_on_a_full_disk_is_read_and_says_what_is_missing() {
    let trial = Trial::new("process/limits.c", "full-read");
    let place = trial.place("watched");
    let copy = trial.scratch.join("copy.aclsan");
    let script = format!(
        "mount -t tmpfs -o size=280k none \"$1\" || exit 111
        cd \"$1\" && \"$0\" || exit 1
        cp *.aclsan '{}'",
        copy.display()
    );
    if mounted(&trial, &place, &script).is_none() {
        return left_out("nothing may be mounted here");
    }
    let tally = Tally::of(&copy);
    let lost = tally.log.lost.events;
    assert!(lost > 0 && tally.allocations > 1000);
    assert!(report(&copy).contains(&format!("{lost} events could not be recorded")));
}

/// A run of `process/unreachable.c`, which continued after its log became unreachable this way.
fn out_of_reach(way: &str) -> (Trial, Run) {
    let mut trial = Trial::new("process/unreachable.c", way);
    trial.on_small_runtime();
    // From the working folder, where log lookup is unobstructed.
    let run = trial
        .options("mode=record:log_path=logs/%p.aclsan")
        .arguments([way])
        .same();
    let said = run.stderr.matches("the event log cannot grow").count();
    assert_eq!(said, if way == "child" { 2 } else { 1 }, "{}", run.stderr);
    (trial, run)
}

/// The only log in this folder of the run's.
fn only_log(trial: &Trial, folder: &str) -> PathBuf {
    let folder = trial.scratch.join("watched-One").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder");
    let logs: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    assert_eq!(logs.len(), 1, "{}", folder.display());
    logs[0].clone()
}

/// Whether `aclsan check` passes it, and what it says.
fn check(log: &Path) -> (bool, String) {
    let mut check = Command::new(artifacts::command());
    let output = check.arg("check").arg(log).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text)
}

#[test]
fn what_is_missing_of_a_log_that_is_out_of_reach_is_counted_all_the_same() {
    for (way, folder) in [("renamed", "moved"), ("rights", "logs")] {
        let (trial, mut run) = out_of_reach(way);
        let open = std::fs::Permissions::from_mode(0o700);
        let folder_path = trial.scratch.join("watched-One").join(folder);
        std::fs::set_permissions(folder_path, open).expect("it is ours");
        run.logs = vec![only_log(&trial, folder)];
        // 12,001 pairs and the calls at the start.
        ended_early(&run, 2 * 12_001);
        let (passes, text) = check(&run.logs[0]);
        assert!(!passes && text.contains("could not be recorded"), "{text}");
    }
}

#[test]
fn a_child_counts_what_is_missing_in_its_own_log_and_not_in_its_parents() {
    let (trial, mut run) = out_of_reach("child");
    for (folder, pairs) in [("moved", 12_001), ("childs", 24_001)] {
        run.logs = vec![only_log(&trial, folder)];
        ended_early(&run, 2 * pairs);
    }
}

#[test]
fn a_log_that_is_where_it_was_is_named_at_the_end_and_no_other_is() {
    let mut trial = Trial::new("process/limits.c", "named");
    trial.on_small_runtime();
    let run = trial.same();
    let named = format!("`aclsan report {}` shows the rest", run.logs[0].display());
    assert!(run.stderr.contains(&named), "{}", run.stderr);

    let (_, run) = out_of_reach("renamed");
    assert!(!run.stderr.contains("shows the rest"), "{}", run.stderr);
    let said = "which no longer exists";
    assert_eq!(run.stderr.matches(said).count(), 1, "{}", run.stderr);

    let mut trial = Trial::new("process/folder_gone.c", "named");
    let folder = trial.scratch.join("named");
    trial.options(&format!("log_path='{}/log.aclsan'", folder.display()));
    for (taken, said) in [
        (None, "which no longer exists"),
        (Some("log.aclsan"), "and another file has that name now"),
    ] {
        let _ = std::fs::remove_dir_all(&folder);
        let arguments = [Some(folder.as_os_str()), taken.map(OsStr::new)];
        let run = trial.arguments(arguments.into_iter().flatten()).watched();
        assert_eq!((run.code, &*run.stdout), (0, "done\n"), "{}", run.stderr);
        assert!(!run.stderr.contains("shows the rest"), "{}", run.stderr);
        assert_eq!(run.stderr.matches(said).count(), 1, "{}", run.stderr);
    }
}
