//! No space, no descriptors, no folder: the program does not notice.

use super::tally;
use crate::tally::Tally;
use crate::trial::{self, Trial};
use crate::watchdog::finish;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts;
use std::process::{Command, Stdio};

#[test]
fn a_program_that_closes_all_descriptors_keeps_its_log_and_its_files() {
    let run = Trial::new("process/closes.c", "closes").same();
    assert!(
        run.stdout.ends_with("\n0 bytes in files of its own\n"),
        "{}",
        run.stdout
    );
    assert_eq!(tally(&run).pairs(), (12_001, 12_001));
}

#[test]
fn without_stderr_nothing_is_written_to_a_file_that_got_its_number() {
    let trial = Trial::new("process/daemon.c", "daemon");
    let run = |name: &str, shim| {
        let place = trial.place(name);
        let program = trial.command(&place, shim);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "exec \"$0\" 2>&-"])
            .arg(program.get_program());
        shell.envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        finish(shell.current_dir(&place), &place)
    };
    let (alone, watched) = (run("alone", None), run("watched", Some(artifacts::shim())));
    trial::same(&alone, &watched, "daemon");
    assert_eq!(watched.stdout, "descriptor 2, 0 bytes\n");
}

#[test]
fn a_stderr_that_may_not_grow_does_not_end_the_program() {
    let trial = Trial::new("process/full_size.c", "full-size");
    let place = trial.place("watched");
    let file = place.join("stderr");
    std::fs::write(&file, vec![b'\n'; 200 << 10]).expect("scratch");
    let stderr = std::fs::File::options().append(true).open(&file);
    let mut command = trial.command(&place, Some(artifacts::shim()));
    let output = command
        .current_dir(&place)
        .stdin(Stdio::null())
        .stderr(stderr.expect("it is there"))
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(output.stdout, b"after\n");
    let reported = std::fs::read(&file).expect("it is there");
    assert!(!String::from_utf8_lossy(&reported).contains("double-free"));
}

#[test]
fn few_descriptors_are_the_programs_own() {
    let mut trial = Trial::new("process/limits.c", "files");
    trial.on_small_runtime();
    for (limit, is_whole) in [("3", false), ("4", false), ("100", true), ("1024", true)] {
        let run = trial.arguments(["files", limit]).same();
        assert_eq!(run.code, 0, "{limit}");
        let said = run.stderr.matches("the event log cannot").count()
            + run.stderr.matches("cannot write").count();
        assert_eq!(said, usize::from(!is_whole), "{limit}: {}", run.stderr);
        if is_whole {
            assert_eq!(tally(&run).pairs(), (12_001, 12_001));
        }
    }
}

#[test]
fn a_limit_on_the_size_of_files_ends_the_log_and_not_the_program() {
    let mut trial = Trial::new("process/limits.c", "bytes");
    trial.on_small_runtime();
    for (limit, said) in [
        ("0", "cannot write"),
        ("100000", "cannot write"),
        ("300000", "cannot grow"),
    ] {
        let run = trial.arguments(["bytes", limit]).same();
        assert_eq!(run.code, 0, "{limit}");
        assert_eq!(
            run.stderr.matches(said).count(),
            1,
            "{limit}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(" dropped"));
        if said == "cannot grow" {
            assert!(tally(&run).allocations > 1000);
        }
    }
}

#[test]
fn a_full_disk_ends_the_log_and_not_the_program() {
    let trial = Trial::new("process/limits.c", "full");
    let place = trial.place("watched");
    let program = trial.command(&place, Some(artifacts::shim()));
    let mount = "mount -t tmpfs -o size=280k none . && cd . && cd \"$PWD\" || exit 111\n";
    let script =
        format!("{mount} \"$0\"; code=$?; mkdir out; cp *.aclsan /proc/self/fd/3 2>&1; exit $code");
    let copy = trial.scratch.join("copy.aclsan");
    let script = script.replace("/proc/self/fd/3", &copy.to_string_lossy());
    let mut namespace = Command::new("unshare");
    namespace
        .args(["-rm", "sh", "-c", &script])
        .arg(program.get_program());
    namespace.envs(
        program
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let Ok(output) = namespace.current_dir(&place).output() else {
        return left_out("there is no `unshare`");
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(111) || stderr.contains("unshare") {
        return left_out("nothing may be mounted here");
    }
    assert_eq!(
        (output.status.code(), &*output.stdout),
        (Some(0), &b"descriptor 3\n"[..]),
        "{stderr}"
    );
    assert_eq!(
        stderr.matches("the event log cannot grow").count(),
        1,
        "{stderr}"
    );
    assert!(Tally::of(&copy).allocations > 1000);
}

#[test]
fn a_folder_that_is_removed_is_no_trouble() {
    let mut trial = Trial::new("process/folder_gone.c", "gone");
    let folder = trial.scratch.join("gone");
    trial.options(&format!("log_path='{}/log.aclsan'", folder.display()));
    trial.arguments([folder]);
    assert_eq!(trial.same().code, 0);
}
