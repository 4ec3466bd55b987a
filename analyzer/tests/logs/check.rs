use aclsan_log::{End, EndKind, Event};

use super::story::*;

fn logs() -> Folder {
    let folder = Folder::new();
    folder.file("clean.aclsan", &clean().bytes());
    folder.file("faulty.aclsan", &faulty().bytes());
    folder.file("idle.aclsan", &idle().bytes());
    folder
}

#[test]
fn exit_codes_of_the_contract() {
    let folder = logs();
    for (arguments, code) in [
        (&["check", "clean.aclsan"] as &[&str], 0),
        (&["check", "faulty.aclsan"], 1),
        (
            &["check", "--fail-on", "mismatched-free", "faulty.aclsan"],
            0,
        ),
        (
            &[
                "check",
                "--fail-on",
                "mismatched-free,double-free",
                "faulty.aclsan",
            ],
            1,
        ),
        (&["check", "--fail-on", "note", "clean.aclsan"], 0),
        (&["check", "idle.aclsan"], 3),
        (&["check", "--allow-empty", "idle.aclsan"], 0),
        // One process with calls is enough.
        (&["check", "idle.aclsan", "clean.aclsan"], 0),
        (&["report", "idle.aclsan"], 3),
        (&["report", "clean.aclsan"], 0),
        (&["report", "faulty.aclsan"], 1),
        (
            &["report", "--fail-on", "mismatched-free", "faulty.aclsan"],
            0,
        ),
        (&["leaks", "faulty.aclsan"], 1),
        (&["findings", "--json", "faulty.aclsan"], 1),
        (&["timeline", "clean.aclsan"], 0),
        (&["frag", "clean.aclsan"], 0),
    ] {
        let said = folder.run(arguments);
        assert_eq!(said.code, code, "{arguments:?}: {said:?}");
    }
}

#[test]
fn the_verdict_is_written_before_the_summary() {
    let folder = logs();
    let said = folder.run(&["check", "faulty.aclsan"]);
    let lines: Vec<&str> = said.out.lines().rev().take(4).collect();
    assert_eq!(lines[3], "Check failed");
    assert_eq!(lines[2], "  2 findings at or above `--fail-on error`");
    assert_eq!(lines[1], "");
    assert!(lines[0].starts_with("SUMMARY: aclsan: 2 errors"));
    assert!(
        folder
            .run(&["check", "clean.aclsan"])
            .out
            .contains("Check passed\n")
    );
}

#[test]
fn a_crash_fails_a_run_unless_it_is_allowed_and_being_ended_is_none() {
    // SIGSEGV, SIGABRT; SIGTERM, SIGKILL.
    for (signal, code) in [(11, 1), (6, 1), (15, 0), (9, 0)] {
        let mut synth = clean();
        synth.end(End::new(EndKind::Killed, signal));
        let folder = Folder::new();
        folder.file("a.aclsan", &synth.bytes());
        assert_eq!(folder.run(&["check", "a.aclsan"]).code, code, "{signal}");
        let allowed = folder.run(&["check", "--allow-crash", "a.aclsan"]);
        assert_eq!(allowed.code, 0, "{signal}: {}", allowed.out);
    }
    let folder = Folder::new();
    let mut synth = clean();
    synth.end(End::new(EndKind::Killed, 11));
    folder.file("a.aclsan", &synth.bytes());
    let said = folder.run(&["check", "a.aclsan"]).out;
    let reason = "crashed with `SIGSEGV`: `--allow-crash` accepts that\n";
    assert!(said.contains(reason), "{said}");
}

#[test]
fn budgets_are_exceeded_by_one_byte_and_not_by_none() {
    let folder = logs();
    let only = ["check", "--fail-on", "mismatched-free"];
    // 1000 + 24 bytes leaked, 4096 at the peak.
    for (budget, most, code) in [
        ("--max-leak", "1024", 0),
        ("--max-leak", "1023", 1),
        ("--max-peak", "4K", 0),
        ("--max-peak", "4095", 1),
        ("--max-frag", "100", 0),
        ("--max-frag", "0", 0),
    ] {
        let mut arguments = only.to_vec();
        arguments.extend([budget, most, "faulty.aclsan"]);
        assert_eq!(folder.run(&arguments).code, code, "{budget} {most}");
    }
    let said = folder.run(&[
        "check",
        "--max-leak",
        "1023",
        "--fail-on",
        "mismatched-free",
        "faulty.aclsan",
    ]);
    assert!(
        said.out
            .contains("  1024 bytes leaked, `--max-leak` allows 1023 bytes\n"),
        "{}",
        said.out
    );
}

#[test]
fn a_budget_that_is_exceeded_by_less_than_is_rounded_is_reported_in_bytes() {
    let (mut synth, malloc, _) = beginning();
    synth.allocation(7, malloc, 0x10_0000, 4_856_760);
    synth.event(7, Event::Exit);
    let folder = Folder::new();
    folder.file("a.aclsan", &synth.bytes());
    folder.file(
        "aclsan.toml",
        b"[[check.sites]]\nplace = 'train'\nmax_leak = 4856759\nmax_peak = 4856759\n",
    );
    let arguments = [
        "check",
        "--max-leak",
        "4856759",
        "--max-peak",
        "4856759",
        "a.aclsan",
    ];
    let english = folder.run(&arguments).out;
    let chinese = folder
        .run(&[&["--lang", "zh"], &arguments[..]].concat())
        .out;
    for (text, reason) in [
        (
            &english,
            "4856760 bytes leaked, `--max-leak` allows 4856759 bytes",
        ),
        (
            &english,
            "process 1 had 4856760 bytes live on device 0, `--max-peak` allows 4856759 bytes",
        ),
        (
            &english,
            "4856760 bytes leaked in `train`, its budget allows 4856759 bytes",
        ),
        (
            &english,
            "a call stack in `train` had 4856760 bytes live in process 1, its budget allows 4856759 bytes to each",
        ),
        (
            &chinese,
            "泄漏 4856760 字节，`--max-leak` 允许 4856759 字节",
        ),
        (
            &chinese,
            "`train` 中的一个调用栈在进程 1 中存活 4856760 字节，其预算允许每个调用栈 4856759 字节",
        ),
    ] {
        assert!(text.contains(reason), "{reason}: {text}");
    }
}

#[test]
fn fragmentation_has_a_budget() {
    let folder = Folder::new();
    // Three blocks a MiB apart leave two equal holes: 1 - L/F is a half.
    folder.file("apart.aclsan", &apart().bytes());
    for (most, code) in [("50", 0), ("49.9", 1)] {
        let said = folder.run(&[
            "check",
            "--fail-on",
            "leak-growing",
            "--max-frag",
            most,
            "apart.aclsan",
        ]);
        assert_eq!(said.code, code, "{said:?}");
        let reason = "device 0 of process 1 was 50.0 % fragmented at its peak (4K pages), `--max-frag` allows 49.9 %";
        assert_eq!(said.out.contains(reason), code == 1, "{}", said.out);
    }
}

#[test]
fn with_a_leak_budget_leaks_fail_by_their_bytes_only() {
    let folder = logs();
    let json = folder
        .run(&["check", "--json", "--max-leak", "1MiB", "faulty.aclsan"])
        .json();
    assert_eq!(json["verdict"]["passed"], false);
    let reasons = json["verdict"]["reasons"].as_array().unwrap();
    assert_eq!(reasons.len(), 1, "the double free is left: {reasons:?}");
    assert!(reasons[0].as_str().unwrap().starts_with("1 finding "));
    let named = folder.run(&[
        "check",
        "--max-leak",
        "1MiB",
        "--fail-on",
        "leak",
        "faulty.aclsan",
    ]);
    assert_eq!(named.code, 1);
}

#[test]
fn nothing_observed_says_so() {
    let said = logs().run(&["check", "idle.aclsan"]);
    assert_eq!(
        said.err,
        "aclsan: no AscendCL call was observed: `aclsan doctor -- PROGRAM` tells why, `--allow-empty` accepts it\n"
    );
    assert!(
        said.out
            .contains("Check failed\n  no AscendCL call was observed\n"),
        "{}",
        said.out
    );
}

#[test]
fn no_format_makes_an_unwatched_run_look_clean() {
    let folder = logs();
    folder.file("none/readme", b"");
    for log in ["idle.aclsan", "none"] {
        let said = folder.run(&["check", "--github", "--junit", "a.xml", log]);
        assert_eq!(said.code, 3, "{said:?}");
        let annotation = "::error title=aclsan::no AscendCL call was observed\n";
        assert!(said.out.contains(annotation), "{}", said.out);
        let xml = std::fs::read_to_string(folder.path().join("a.xml")).unwrap();
        assert_eq!(xml.matches("<failure ").count(), 1, "{log}: {xml}");
        std::fs::remove_file(folder.path().join("a.xml")).unwrap();
    }
    let said = folder.run(&["check", "--junit", "a.xml", "--allow-empty", "idle.aclsan"]);
    assert_eq!(said.code, 0, "{said:?}");
    let xml = std::fs::read_to_string(folder.path().join("a.xml")).unwrap();
    assert!(!xml.contains("<failure "), "{xml}");
}

#[test]
fn a_budget_that_is_exceeded_fails_in_every_format() {
    let folder = logs();
    let said = folder.run(&[
        "check",
        "--fail-on",
        "leak-growing",
        "--max-leak",
        "1023",
        "--github",
        "--junit",
        "a.xml",
        "faulty.aclsan",
    ]);
    // 1000 and 24 bytes leak.
    let reason = "1024 bytes leaked, `--max-leak` allows 1023 bytes";
    assert_eq!(said.code, 1);
    assert!(
        said.out
            .contains(&format!("::error title=aclsan::{reason}\n")),
        "{}",
        said.out
    );
    let xml = std::fs::read_to_string(folder.path().join("a.xml")).unwrap();
    assert!(xml.contains(reason), "{xml}");
    assert_eq!(xml.matches("<failure ").count(), 1);
}
