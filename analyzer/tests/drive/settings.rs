//! The sources of options, and their order.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::{Bench, outcome};

const TELL: [&str; 4] = ["--", "sh", "-c", "echo \"$ACLSAN_OPTIONS\""];

fn options(command: &mut std::process::Command) -> String {
    let (code, out, err) = outcome(command.args(TELL));
    assert_eq!(code, 0, "{err}");
    out
}

#[test]
fn flags_beat_the_environment_and_that_beats_the_file() {
    let bench = Bench::new();
    bench.write(
        "aclsan.toml",
        "[options]\nguard = 'off'\nstack_depth = 10\nhalt_on_error = true\n",
    );
    let mut command = bench.run(&["--guard", "rear"]);
    let text = options(command.env("ACLSAN_OPTIONS", "guard=both:stack_depth=20"));
    for (expected, why) in [
        ("guard=rear", "flag"),
        ("stack_depth=20", "environment"),
        ("halt_on_error=1", "file"),
    ] {
        assert!(text.contains(expected), "{why}: {text}");
    }
    assert_eq!(text.matches("guard=").count(), 1, "{text}");
}

#[test]
fn the_language_of_the_command_is_that_of_the_shim() {
    let bench = Bench::new();
    let text = options(
        bench
            .run(&["--lang", "zh"])
            .env("ACLSAN_OPTIONS", "lang=en"),
    );
    assert!(text.contains("lang=zh"), "{text}");
    let text = options(&mut bench.run(&[]));
    assert!(!text.contains("lang="), "{text}");
}

#[test]
fn options_of_the_environment_that_nobody_knows_are_passed_on() {
    let bench = Bench::new();
    let text = options(bench.run(&[]).env("ACLSAN_OPTIONS", "other=1:mode=fast"));
    assert!(text.contains("other=1:mode=fast"), "{text}");
}

#[test]
fn an_option_that_is_mistyped_stops_the_run_and_the_nearest_right_one_is_named() {
    let bench = Bench::new();
    let refused = |command: &mut Command, words: &[&str]| {
        let (code, out, err) = outcome(command.args(TELL));
        assert_eq!((code, out.as_str()), (125, ""), "{err}");
        for word in words {
            assert!(err.contains(word), "{err}");
        }
    };
    for (option, nearest) in [
        (
            "stak_depth=3",
            "unknown option `stak_depth`: did you mean `stack_depth`?",
        ),
        ("mode=recrod", "not `recrod`: did you mean `record`?"),
        (
            "stack_depth=many",
            "takes a number from 0 to 256, not `many`",
        ),
    ] {
        let said = format!("--set {option}: ");
        refused(&mut bench.run(&["--set", option]), &[&said, nearest]);
    }
    let too_many = "option `stack_depth` takes a number from 0 to 256, not `257`";
    refused(&mut bench.run(&["--stack-depth", "257"]), &[too_many]);
    bench.write("aclsan.toml", "[options]\nqueit = true\n");
    let in_file = ["`aclsan.toml` cannot be used: unknown option `queit`: did you mean `quiet`?"];
    refused(&mut bench.run(&[]), &in_file);
}

#[test]
fn every_run_has_a_number_and_an_absolute_place_for_its_log() {
    let bench = Bench::new();
    let text = options(&mut bench.run(&[]));
    let expected = format!("log_path={}/aclsan-%h-%p.aclsan", bench.folder.display());
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains("run_id="), "{text}");
    assert_ne!(text, options(&mut bench.run(&[])));
}

#[test]
fn a_place_with_a_colon_is_quoted() {
    let bench = Bench::new();
    let text = options(&mut bench.run(&["-o", "run 12:30/"]));
    let expected = format!(
        "log_path='{}/run 12:30/aclsan-%h-%p.aclsan'",
        bench.folder.display()
    );
    assert!(text.contains(&expected), "{text}");
}

#[test]
fn a_broken_file_stops_the_run_and_is_named() {
    let bench = Bench::new();
    bench.write("aclsan.toml", "[options\n");
    let (code, out, err) = outcome(bench.run(&[]).args(TELL));
    assert_eq!((code, out.as_str()), (125, ""));
    assert!(err.contains("`aclsan.toml` cannot be used"), "{err}");
}

#[test]
fn a_pipe_that_nobody_named_is_not_waited_for() {
    let bench = Bench::new();
    let pipe = Command::new("mkfifo")
        .arg(bench.path("aclsan.toml"))
        .status();
    assert!(pipe.unwrap().success());
    let check = bench.aclsan(&["check", "no.aclsan"]);
    let mut run = bench.run(&[]);
    run.args(TELL);
    for (command, expected) in [(run, 125), (check, 2)] {
        let mut patient = Command::new("timeout");
        patient.arg("60").arg(command.get_program());
        patient
            .args(command.get_args())
            .current_dir(&bench.folder)
            .env_remove("ACLSAN_OPTIONS");
        let (code, _, err) = outcome(&mut patient);
        assert_eq!(code, expected, "{err}");
        assert!(err.contains("cannot read `aclsan.toml`"), "{err}");
        assert!(err.contains("it is not a regular file"), "{err}");
    }
}

#[test]
fn a_file_that_was_named_may_be_a_pipe() {
    let bench = Bench::new();
    let mut run = bench.run(&["--config", "/dev/stdin"]);
    run.args(TELL).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = run.spawn().unwrap();
    let settings = b"[options]\nguard = 'rear'\n";
    child.stdin.take().unwrap().write_all(settings).unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("guard=rear"), "{text}");
}

#[test]
fn a_table_that_nobody_reads_stops_every_reader() {
    let bench = Bench::new();
    for (table, near) in [("optoins", "options"), ("chekc", "check")] {
        bench.write("aclsan.toml", &format!("[{table}]\nmax_leak = 0\n"));
        let reported = format!("unknown table `[{table}]`: did you mean `[{near}]`?");
        let shim = bench.shim().display().to_string();
        for (command, code) in [
            (bench.run(&[]).args(TELL), 125),
            (&mut bench.aclsan(&["env", "--preload", &shim]), 2),
            (&mut bench.aclsan(&["check", "a.aclsan"]), 2),
        ] {
            let (found, out, err) = outcome(command);
            assert_eq!((found, out.as_str()), (code, ""), "{err}");
            assert!(err.contains(&reported), "{err}");
        }
    }
}

#[test]
fn a_file_that_was_named_has_to_be_there() {
    let bench = Bench::new();
    bench.write("ci/options.toml", "[options]\nguard = 'rear'\n");
    assert!(options(&mut bench.run(&["--config", "ci/options.toml"])).contains("guard=rear"));
    let (code, _, err) = outcome(bench.run(&["--config", "nowhere.toml"]).args(TELL));
    assert_eq!(code, 125);
    assert!(err.contains("there is no file `nowhere.toml`"), "{err}");
}

#[test]
fn a_stray_word_in_the_environment_is_named_and_does_no_harm() {
    let bench = Bench::new();
    let mut command = bench.run(&[]);
    let (code, out, err) = outcome(
        command
            .env("ACLSAN_OPTIONS", "verbose:guard=rear")
            .args(TELL),
    );
    assert_eq!(code, 0);
    assert!(
        out.contains("guard=rear") && !out.contains("verbose"),
        "{out}"
    );
    assert!(
        err.contains("`verbose` in ACLSAN_OPTIONS is ignored"),
        "{err}"
    );
}

#[test]
fn the_simulator_comes_first_and_learns_the_npu() {
    let bench = Bench::new();
    bench.write("sim/lib/libascendcl.so", "");
    for shape in ["old", "split", "merged"] {
        bench.write(&format!("sim/{shape}/lib/libascendcl.so"), "");
    }
    let script = "echo \"$LD_LIBRARY_PATH $ACLSIM_SOC\"";
    for (flag, folder) in [
        ("--simulate", "sim/lib"),
        ("--simulate=old", "sim/old/lib"),
        ("--simulate=split", "sim/split/lib"),
        ("--simulate=merged", "sim/merged/lib"),
    ] {
        let mut command = bench.run(&[flag, "--soc", "Ascend310P", "--", "sh", "-c", script]);
        command
            .env("ACLSAN_SIMULATOR", bench.path("sim"))
            .env("LD_LIBRARY_PATH", "/cann/lib64");
        let (_, out, _) = outcome(&mut command);
        let (first, rest) = out.split_once(':').expect("two folders");
        assert_eq!(rest, "/cann/lib64 Ascend310P\n");
        // By the path of an installation, which MindSpore looks for.
        assert!(first.ends_with("/cann/lib64"), "{first}");
        let library = Path::new(first).join("libascendcl.so");
        let own = bench.path(folder).join("libascendcl.so");
        assert_eq!(library.canonicalize().unwrap(), own.canonicalize().unwrap());
    }
}
