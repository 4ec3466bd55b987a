//! `aclsan doctor` on runtimes of a few lines.

use aclsan_left_out::left_out;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::bench::{Bench, outcome};

const LIBRARY: [&str; 2] = ["-shared", "-fPIC"];

fn doctor(bench: &Bench, arguments: &[&str]) -> (i32, String) {
    let shim = bench.shim().display().to_string();
    let mut command = bench.aclsan(&["doctor", "-v", "--preload", &shim]);
    let (code, out, err) = outcome(
        command
            .args(arguments)
            .env("LD_LIBRARY_PATH", bench.path("cann")),
    );
    assert_eq!(err, "");
    (code, out)
}

fn library(bench: &Bench, name: &str, code: &str, flags: &[&str]) {
    fs::create_dir_all(bench.path("cann")).unwrap();
    let flags = [&LIBRARY, flags].concat();
    assert!(
        bench.compile(&format!("cann/{name}"), code, &flags),
        "{name}"
    );
}

#[test]
fn one_library_is_reported_with_what_is_not_watched() {
    let bench = Bench::new();
    library(
        &bench,
        "libascendcl.so",
        "int aclrtMalloc, aclrtFree, aclrtMallocAfterOurTime;",
        &[],
    );
    let (code, out) = doctor(&bench, &["--", "sh"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("one library"), "{out}");
    assert!(out.contains("there to be opened"), "{out}");
    assert!(out.contains("2 of the "), "{out}");
    assert!(out.contains("and not watched:"), "{out}");
    assert!(out.contains("  aclrtMallocAfterOurTime"), "{out}");
    assert!(out.contains("Nothing stands in the way."), "{out}");
}

#[test]
fn the_environment_is_looked_at_where_no_program_is_named() {
    let bench = Bench::new();
    library(&bench, "libascendcl.so", "int aclrtMalloc;", &[]);
    let (code, out) = doctor(&bench, &[]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("one library"), "{out}");
}

#[test]
fn split_libraries_are_recognized_by_their_twins() {
    let bench = Bench::new();
    library(&bench, "libacl_rt_impl.so", "int aclrtMallocImpl;", &[]);
    library(&bench, "libacl_rt.so", "int aclrtMalloc;", &[]);
    let (_, out) = doctor(&bench, &["--json", "--", "sh"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(
        json["facts"]["runtime"][0]
            .as_str()
            .unwrap()
            .starts_with("split"),
        "{out}"
    );
    let call = &json["calls"][0];
    assert_eq!(call["name"], "aclrtMalloc");
    assert_eq!(call["public"], "libacl_rt.so");
    assert_eq!(call["impl"], "libacl_rt_impl.so");
}

#[test]
fn a_library_that_misses_another_is_a_problem_and_says_which() {
    let bench = Bench::new();
    library(
        &bench,
        "libascend_hal.so",
        "int hal;",
        &["-Wl,-soname,libascend_hal.so"],
    );
    let hal = bench.text("cann/libascend_hal.so");
    library(
        &bench,
        "libascendcl.so",
        "extern int hal; int aclrtMalloc(void) { return hal; }",
        &[&hal],
    );
    fs::remove_file(hal).unwrap();
    let (code, out) = doctor(&bench, &["--", "sh"]);
    assert_eq!(code, 1);
    assert!(
        out.contains("libascendcl.so` needs `libascend_hal.so`, which is not found"),
        "{out}"
    );
    assert!(out.contains("NPU driver"), "{out}");
}

#[test]
fn no_runtime_and_no_program_are_reported() {
    let bench = Bench::new();
    let (code, out) = doctor(&bench, &[]);
    assert_eq!(code, 1);
    assert!(out.contains("no AscendCL runtime is found"), "{out}");
    let (code, out) = doctor(&bench, &["--lang", "zh"]);
    assert_eq!(code, 1);
    assert!(out.contains("没有找到 AscendCL 运行时"), "{out}");
    let (code, _, err) = outcome(&mut bench.aclsan(&["doctor", "--", "no-such-program"]));
    assert_eq!(code, 2);
    assert!(err.contains("was not found"), "{err}");
}

#[test]
fn the_version_is_reported_by_the_installation_or_by_the_calls() {
    let bench = Bench::new();
    library(
        &bench,
        "libascendcl.so",
        "int aclrtMalloc, aclrtFree, aclrtFreeWithDevSync;",
        &[],
    );
    let (_, out) = doctor(&bench, &["--", "sh"]);
    assert!(out.contains("CANN 8.5, by the calls that it has"), "{out}");
    assert!(out.contains("3 by their public names"), "{out}");
    assert!(out.contains("no Impl names"), "{out}");
    bench.write("cann/version.info", "Version=8.5.1\n");
    let (_, out) = doctor(&bench, &["--", "sh"]);
    assert!(out.contains("CANN 8.5.1, says its installation"), "{out}");
}

#[test]
fn libraries_after_9_1_are_recognized_by_where_their_twins_are() {
    let bench = Bench::new();
    library(
        &bench,
        "libruntime.so",
        "int aclrtMallocImpl, rtMalloc;",
        &[],
    );
    library(&bench, "libacl_rt.so", "int aclrtMalloc;", &[]);
    let (_, out) = doctor(&bench, &["--", "sh"]);
    assert!(out.contains("merged: "), "{out}");
    assert!(out.contains("1 by their Impl names"), "{out}");
    assert!(out.contains("rtMalloc and its like"), "{out}");
}

#[test]
fn limits_that_are_too_low_are_problems() {
    let bench = Bench::new();
    library(&bench, "libascendcl.so", "int aclrtMalloc;", &[]);
    let shim = bench.shim().display().to_string();
    let command = bench.aclsan(&[]);
    let script = "ulimit -n 40; exec \"$0\" doctor -v --preload \"$1\" -- sh";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(command.get_program())
        .arg(shim)
        .current_dir(&bench.folder)
        .env_remove("LD_PRELOAD")
        .env("LD_LIBRARY_PATH", bench.path("cann"));
    let (code, out, _) = outcome(&mut shell);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("open files 40"), "{out}");
    assert!(out.contains("the limit of open files is 40"), "{out}");
}

#[test]
fn a_preload_whose_path_the_loader_splits_is_a_problem() {
    let bench = Bench::new();
    library(&bench, "libascendcl.so", "int aclrtMalloc;", &[]);
    let shim = bench.shim().display().to_string();
    fs::create_dir(bench.path("my tools")).unwrap();
    let other = bench.text("my tools/libother.so");
    assert!(bench.compile("my tools/libother.so", "int other;", &LIBRARY));
    let mut command = bench.aclsan(&["doctor", "--preload", &shim, "--", "sh"]);
    command
        .env("LD_LIBRARY_PATH", bench.path("cann"))
        .env("LD_PRELOAD", &other);
    let (code, out, _) = outcome(&mut command);
    assert_eq!(code, 1, "{out}");
    let (split, _) = other.split_once(' ').unwrap();
    assert!(
        out.contains(&format!("LD_PRELOAD names `{split}`, which is not there")),
        "{out}"
    );
}

#[test]
fn a_program_that_cannot_be_reached_is_reported_with_the_reason() {
    let bench = Bench::new();
    library(&bench, "libascendcl.so", "int aclrtMalloc;", &[]);
    let code = "int main(void) { return 0; }";
    if bench.compile("alone", code, &["-static"]) {
        let (code, out) = doctor(&bench, &["--", "./alone"]);
        assert_eq!(code, 1, "{out}");
        assert!(out.contains("it is linked statically"), "{out}");
    }
    let own = "int aclrtMalloc(void) { return 0; } int main(void) { return aclrtMalloc(); }";
    assert!(bench.compile("own", own, &["-rdynamic"]));
    let (code, out) = doctor(&bench, &["--", "./own"]);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("the program defines `aclrtMalloc` itself"),
        "{out}"
    );
}

/// Only root can give a file to another user.
#[test]
fn a_program_that_runs_as_somebody_else_is_reported() {
    let bench = Bench::new();
    library(&bench, "libascendcl.so", "int aclrtMalloc;", &[]);
    assert!(bench.compile("other", "int main(void) { return 0; }", &[]));
    let path = bench.path("other");
    if std::os::unix::fs::chown(&path, Some(1), None).is_err() {
        return left_out("not root");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
    let (code, out) = doctor(&bench, &["--", "./other"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("it is set-user-id"), "{out}");
}

#[test]
fn nothing_is_left_behind() {
    let bench = Bench::new();
    library(&bench, "libascendcl.so", "int aclrtMalloc;", &[]);
    let shim = bench.shim().display().to_string();
    let (here, temporary) = (bench.path("here"), bench.path("temporary"));
    for folder in [&here, &temporary] {
        fs::create_dir_all(folder).unwrap();
    }
    for arguments in [
        &["doctor"][..],
        &["doctor", "--", "true"],
        &["run", "--", "true"],
    ] {
        let mut command = bench.aclsan(&[]);
        command.args(arguments[..1].iter());
        command.args(["--preload", &shim]).args(&arguments[1..]);
        command.env("TMPDIR", &temporary).current_dir(&here);
        command.env("LD_LIBRARY_PATH", bench.path("cann"));
        outcome(&mut command);
        for folder in [&here, &temporary] {
            let left: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
            assert!(left.is_empty(), "{arguments:?}: {left:?}");
        }
    }
}
