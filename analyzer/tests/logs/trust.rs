//! A run that was not observed, or cannot be read, must not pass.

use std::process::Command;

use aclsan_log::Event;
use aclsan_log::builder::LogBuilder;
use serde_json::{Value, json};

use super::story::*;

fn reasons(said: &Said) -> Value {
    let verdict = &said.json()["verdict"];
    assert_eq!(verdict["passed"], false);
    verdict["reasons"].clone()
}

#[test]
fn events_that_could_not_be_recorded_fail_a_check() {
    let folder = Folder::new();
    let lossy = clean().event(7, Event::Dropped { count: 3 }).bytes();
    folder.file("a.aclsan", &lossy);
    let said = folder.run(&["check", "--json", "a.aclsan"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert_eq!(
        reasons(&said),
        json!([
            "3 events could not be recorded, so what happened then was not judged: give the log more room"
        ])
    );
    let text = folder.run(&["check", "a.aclsan"]).out;
    let reported = "; events of it are missing: the log had no room for them\n";
    assert!(text.contains(reported), "{text}");
}

#[test]
fn a_log_that_cannot_be_read_fails_every_format_and_leaves_none_of_an_earlier_run() {
    let folder = Folder::new();
    folder.file("good.aclsan", &clean().bytes());
    folder.file("bad.aclsan", b"no log");
    let xml = || std::fs::read_to_string(folder.path().join("a.xml")).unwrap();
    let check =
        |logs: &[&str]| folder.run(&[&["check", "--json", "--junit", "a.xml"], logs].concat());
    assert_eq!(check(&["good.aclsan"]).code, 0);
    assert_eq!(xml().matches("<failure ").count(), 0);
    let beside = check(&["good.aclsan", "bad.aclsan"]);
    assert_eq!(beside.code, 2);
    let reported = reasons(&beside);
    assert!(
        reported[0].as_str().unwrap().contains("bad.aclsan"),
        "{reported}"
    );
    assert_eq!(xml().matches("<failure ").count(), 1);
    assert_eq!(check(&["good.aclsan"]).code, 0);
    let alone = check(&["bad.aclsan"]);
    assert_eq!((alone.code, alone.out.as_str()), (2, ""));
    assert_eq!(xml().matches("<failure ").count(), 1, "{}", xml());
}

#[test]
fn a_folder_without_logs_beside_others_is_reported_with_what_they_hold() {
    let folder = Folder::new();
    folder.file("clean/a.aclsan", &clean().bytes());
    folder.file("faulty/a.aclsan", &faulty().bytes());
    folder.file("none/readme", b"");
    let beside = folder.run(&["check", "--json", "none", "clean"]);
    assert_eq!(beside.code, 3, "{beside:?}");
    assert_eq!(reasons(&beside), json!(["folder `none` holds no log"]));
    let failed = folder.run(&["check", "none", "faulty"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(failed.out.contains("double-free"), "{}", failed.out);
    let accepted = folder.run(&["check", "--allow-empty", "none", "clean"]);
    assert_eq!((accepted.code, accepted.err.as_str()), (0, ""));
}

#[test]
fn a_difference_to_what_nobody_watched_is_no_success() {
    let folder = Folder::new();
    folder.file("old.aclsan", &faulty().bytes());
    folder.file("new.aclsan", &idle().bytes());
    let said = folder.run(&["diff", "old.aclsan", "new.aclsan"]);
    assert_eq!(said.code, 3, "{said:?}");
    assert_eq!(
        said.err,
        "aclsan: the run after: no AscendCL call was observed\n"
    );
    assert_eq!(folder.run(&["diff", "new.aclsan", "old.aclsan"]).code, 1);
}

#[test]
fn on_github_json_stays_json_and_annotations_come_all_the_same() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let output = Command::new(env!("CARGO_BIN_EXE_aclsan"))
        .args(["check", "--json", "a.aclsan"])
        .current_dir(folder.path())
        .env("GITHUB_ACTIONS", "true")
        .env_remove("GITHUB_STEP_SUMMARY")
        .env("LC_ALL", "C")
        .output();
    let said = Said::from(output.expect("aclsan starts"));
    assert_eq!(said.json()["findings"].as_array().unwrap().len(), 2);
    assert_eq!(said.err.matches("::error title=aclsan%3A ").count(), 2);
}

/// Two findings of one log; the baseline has the first one.
fn with_baseline(arguments: &[&str]) -> (Said, String) {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let mut base = folder.run(&["check", "--json", "a.aclsan"]).json();
    let findings = base["findings"].as_array_mut().unwrap();
    let new = findings.remove(1);
    assert_eq!(findings[0]["rule"], "double-free");
    folder.file("base.json", base.to_string().as_bytes());
    let said = folder.run(&[&["check", "--baseline", "base.json", "a.aclsan"], arguments].concat());
    (said, new["fingerprint"].as_str().unwrap().to_owned())
}

#[test]
fn what_the_baseline_lacks_is_named() {
    let (said, new) = with_baseline(&["--json"]);
    assert_eq!(said.json()["verdict"]["failing"], json!([new]));
    let (said, _) = with_baseline(&["--github"]);
    assert_eq!(said.out.matches("::error title=aclsan%3A").count(), 1);
    assert!(
        said.out.contains("::error title=aclsan%3A leak::"),
        "{}",
        said.out
    );
    assert_eq!(said.out.matches("  the baseline has it\n").count(), 1);
}

#[test]
fn a_place_has_its_budget_among_thousands() {
    let (folder, mut synth) = (Folder::new(), LogBuilder::default());
    synth.define(aclsan_log::Definition::Module {
        start: 0x40_0000 + 0x10 * 1499,
        end: 0x40_0000 + 0x10 * 1500,
        bias: 0x40_0000,
        build_id: Vec::new(),
        path: "/opt/app/last.so".to_owned(),
    });
    // Each has a byte less than the one before, the last one 4.
    for place in 0..1500 {
        let site = synth.site("aclrtMalloc", 0, 0, &[0x40_0008 + 0x10 * place]);
        synth.allocation(7, site, 0x1_0000 * (place + 1), 1503 - place);
    }
    folder.file("a.aclsan", &synth.bytes());
    let check = |most: u64| {
        let budget = format!(
            "[check]\nfail_on = 'leak-growing'\nsites = [{{ place = 'last.so$', max_peak = {most} }}]\n"
        );
        folder.file("aclsan.toml", budget.as_bytes());
        folder.run(&["check", "--json", "a.aclsan"])
    };
    assert_eq!(check(4).code, 0);
    let said = check(3);
    assert_eq!(
        reasons(&said),
        json!([
            "a call stack in `last.so$` had 4 bytes live in process 1, its budget allows 3 bytes to each"
        ])
    );
    let reported = &said.json()["allocations"];
    assert_eq!(reported["sites"].as_array().unwrap().len(), 1001);
    assert_eq!(reported["left_out"], 499);
}
