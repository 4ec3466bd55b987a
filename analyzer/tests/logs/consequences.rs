//! Findings that follow from others: what counts, what fails a check, what suppressions and baselines cover.

use aclsan_log::Event;
use aclsan_log::builder::LogBuilder;
use aclsan_log::record::ByteSample;
use serde_json::{Value, json};

use super::story::*;

const THREAD: u32 = 7;

/// A copy to a block of 1000 bytes, and what its release finds.
#[derive(Clone, Copy, Default)]
struct Overrun {
    /// Bytes that it writes past the end.
    past: u64,
    /// Damaged bytes.
    damaged: u64,
    /// Whether the program ignores what the copy does.
    is_ignored: bool,
}

fn overrunning(of: Overrun) -> LogBuilder {
    let (mut synth, malloc, free) = beginning();
    let copy = synth.site("aclrtMemcpy", 1, 0, &[0x40_1300, 0x40_2000]);
    let ignore = synth.site("aclsan_ignore_begin", 0, -1, &[0x40_1400]);
    let heed = synth.site("aclsan_ignore_end", 0, -1, &[0x40_1400]);
    let block = synth.at(10).allocation(THREAD, malloc, 0x10_0000, 1000);
    if of.is_ignored {
        synth.at(15).event(THREAD, called(ignore, &[1]));
    }
    let count = 1000 + of.past;
    synth.at(20).event(
        THREAD,
        Event::Copy {
            site: copy,
            to: 0x10_0000,
            room: count,
            from: 0x7000_0000,
            count,
            stream: 0,
        },
    );
    if of.is_ignored {
        synth.at(25).event(THREAD, called(heed, &[0]));
    }
    if of.damaged > 0 {
        let found = ByteSample::new(b"AAAA");
        synth.at(30).event(
            THREAD,
            Event::Damage {
                block,
                site: free,
                offset: 1000,
                extent: of.damaged,
                found,
            },
        );
    }
    synth
        .at(30)
        .event(THREAD, Event::Release { block, site: free });
    synth.at(40).event(THREAD, Event::Exit);
    synth
}

const FOLDED: Overrun = Overrun {
    past: 96,
    damaged: 96,
    is_ignored: false,
};

/// Rules of the findings, each with those of its consequences.
fn rules(report: &Value) -> Vec<(String, Vec<String>)> {
    let rule = |finding: &Value| finding["rule"].as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    let rows = findings.map(|root| {
        let below = root["consequences"].as_array().unwrap().iter();
        (rule(root), below.map(rule).collect())
    });
    rows.collect()
}

fn row(root: &str, below: &[&str]) -> (String, Vec<String>) {
    let below = below.iter().map(|rule| (*rule).to_owned());
    (root.to_owned(), below.collect())
}

/// A folder with `run.aclsan`, and the report of it.
fn folder(of: Overrun) -> (Folder, Value) {
    let folder = Folder::new();
    folder.file("run.aclsan", &overrunning(of).bytes());
    let report = folder.run(&["report", "--json", "run.aclsan"]).json();
    (folder, report)
}

#[test]
fn claim_and_damage_follow_from_the_overrun_and_count_nowhere() {
    let (folder, report) = folder(FOLDED);
    let below = ["destmax-overstated", "guard-overrun"];
    assert_eq!(rules(&report), [row("copy-overrun", &below)]);
    assert_eq!(report["summary"]["errors"], 1);
    let text = folder.run(&["findings", "run.aclsan"]).out;
    assert_eq!(text.matches("ERROR: aclsan: ").count(), 1, "{text}");
    assert!(text.contains("  consequence: guard-overrun at "), "{text}");
    let chinese = folder.run(&["findings", "--lang", "zh", "run.aclsan"]).out;
    assert!(
        chinese.contains("  后果：guard-overrun，位于 "),
        "{chinese}"
    );
    let said = folder.run(&[
        "check",
        "--junit",
        "j.xml",
        "--sarif",
        "s.sarif",
        "run.aclsan",
    ]);
    assert_eq!(said.code, 1);
    let junit = std::fs::read_to_string(folder.path().join("j.xml")).unwrap();
    assert!(junit.contains("failures=\"1\""), "{junit}");
    assert!(!junit.contains("aclsan.guard-overrun"), "{junit}");
    let sarif = std::fs::read_to_string(folder.path().join("s.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn damage_beyond_what_the_copy_wrote_is_a_finding_of_its_own() {
    let (_folder, report) = folder(Overrun {
        damaged: 97,
        ..FOLDED
    });
    let expected = [
        row("copy-overrun", &["destmax-overstated"]),
        row("guard-overrun", &[]),
    ];
    assert_eq!(rules(&report), expected);
}

#[test]
fn a_suppressed_root_takes_its_consequences_with_it_and_not_the_other_way_round() {
    let (folder, _) = folder(FOLDED);
    folder.file("root.supp", b"copy-overrun:train\n");
    folder.file("below.supp", b"guard-overrun:train\n");
    let check = |file| folder.run(&["check", "--json", "--suppressions", file, "run.aclsan"]);
    let said = check("root.supp");
    assert_eq!((said.code, rules(&said.json())), (0, vec![]), "{said:?}");
    assert_eq!(said.json()["suppressed"]["findings"], 1);
    let said = check("below.supp");
    let left = [row("copy-overrun", &["destmax-overstated"])];
    assert_eq!(rules(&said.json()), left);
    assert_eq!(said.code, 1);
}

#[test]
fn what_follows_from_an_ignored_finding_is_ignored() {
    let (_folder, report) = folder(Overrun {
        is_ignored: true,
        ..FOLDED
    });
    assert_eq!(rules(&report), []);
    let (_folder, report) = self::folder(Overrun {
        is_ignored: true,
        damaged: 97,
        ..FOLDED
    });
    assert_eq!(rules(&report), [row("guard-overrun", &[])]);
}

/// The report as versions before 2 wrote it: consequences are in the list.
fn flat(report: &Value) -> Value {
    let mut flat = report.clone();
    flat["schema_version"] = json!(1);
    let mut all = Vec::new();
    for root in report["findings"].as_array().unwrap() {
        let mut root = root.clone();
        let below = root.as_object_mut().unwrap().remove("consequences");
        all.push(root);
        for mut other in below.unwrap().as_array().unwrap().clone() {
            other.as_object_mut().unwrap().remove("consequences");
            all.push(other);
        }
    }
    flat["findings"] = all.into();
    flat
}

/// What `check` says of `run.aclsan` with this baseline.
fn against(folder: &Folder, baseline: &Value) -> Said {
    folder.file("base.json", baseline.to_string().as_bytes());
    folder.run(&["check", "--baseline", "base.json", "run.aclsan"])
}

#[test]
fn baselines_match_whether_they_list_consequences_or_nest_them() {
    let (folder, report) = folder(FOLDED);
    for baseline in [report.clone(), flat(&report)] {
        let said = against(&folder, &baseline);
        let known = "aclsan: the baseline has 1 of these findings, and 0 that are gone\n";
        assert_eq!((said.code, said.err.as_str()), (0, known), "{baseline:#}");
    }
}

#[test]
fn a_consequence_that_is_gone_is_no_finding_that_is_gone() {
    let (_first, report) = folder(FOLDED);
    let (folder, _) = self::folder(Overrun {
        damaged: 0,
        ..FOLDED
    });
    let said = against(&folder, &report);
    let known = "aclsan: the baseline has 1 of these findings, and 0 that are gone\n";
    assert_eq!((said.code, said.err.as_str()), (0, known));
}

#[test]
fn a_known_consequence_does_not_make_its_root_known() {
    let (folder, report) = folder(FOLDED);
    let mut baseline = flat(&report);
    let findings = baseline["findings"].as_array_mut().unwrap();
    findings.retain(|finding| finding["rule"] == "guard-overrun");
    assert_eq!(against(&folder, &baseline).code, 1);
}

#[test]
fn what_followed_earlier_and_occurs_by_itself_now_is_known() {
    let (_first, report) = folder(FOLDED);
    let (folder, now) = self::folder(Overrun { past: 0, ..FOLDED });
    assert_eq!(rules(&now), [row("guard-overrun", &[])]);
    let said = against(&folder, &report);
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_rule_named_by_fail_on_fails_as_a_consequence_too() {
    let (folder, _) = folder(FOLDED);
    let check = |rules| {
        folder
            .run(&["check", "--fail-on", rules, "run.aclsan"])
            .code
    };
    assert_eq!(check("guard-overrun"), 1);
    assert_eq!(check("slack-write"), 0);
}

#[test]
fn what_two_runs_have_in_common_is_no_difference_wherever_it_is_listed() {
    let (folder, _) = folder(FOLDED);
    let alone = Overrun { past: 0, ..FOLDED };
    folder.file("alone.aclsan", &overrunning(alone).bytes());
    let difference = |old, new| folder.run(&["diff", "--json", old, new]).json();
    let forth = difference("alone.aclsan", "run.aclsan");
    assert_eq!(forth["new_findings"].as_array().unwrap().len(), 1);
    assert_eq!(forth["gone_findings"], json!([]));
    let back = difference("run.aclsan", "alone.aclsan");
    assert_eq!(back["new_findings"], json!([]));
    assert_eq!(back["known_findings"], 1);
}

/// A block more after each of 32 waits. None is released.
fn growing() -> LogBuilder {
    let (mut synth, malloc, _) = beginning();
    let wait = synth.site("aclrtSynchronizeStream", 0, 0, &[0x40_1500]);
    for step in 1..=32_u64 {
        synth
            .at(step << 20)
            .allocation(THREAD, malloc, step << 21, 1 << 20);
        synth.event(THREAD, called(wait, &[0]));
    }
    synth.at(40 << 20).event(THREAD, Event::Exit);
    synth
}

#[test]
fn growth_takes_in_the_leak_and_its_severity() {
    let folder = Folder::new();
    folder.file("run.aclsan", &growing().bytes());
    let report = folder.run(&["report", "--json", "run.aclsan"]).json();
    let grown = row("leak-growing", &["leak"]);
    assert!(rules(&report).contains(&grown), "{:?}", rules(&report));
    assert_eq!(report["findings"][0]["severity"], "error");
    assert_eq!(report["summary"]["errors"], 1);
    let site = &report["leaks"]["sites"][0];
    assert_eq!(
        site["fingerprint"],
        report["findings"][0]["consequences"][0]["fingerprint"]
    );
    let text = folder.run(&["report", "run.aclsan"]).out;
    assert!(text.contains("  consequence: leak at "), "{text}");
    assert_eq!(text.matches("ERROR: aclsan: ").count(), 1, "{text}");
    // Alone, the leaks have their stacks.
    let text = folder.run(&["leaks", "run.aclsan"]).out;
    assert!(text.contains("allocated by `aclrtMalloc`"), "{text}");
    assert_eq!(folder.run(&["check", "run.aclsan"]).code, 1);
    // A leak that the team accepts leaves a warning.
    folder.file("leak.supp", b"leak:train\n");
    let said = folder.run(&[
        "check",
        "--json",
        "--suppressions",
        "leak.supp",
        "run.aclsan",
    ]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.json()["leaks"]["bytes"], 0);
    let left = said.json();
    let growth = left["findings"].as_array().unwrap().iter();
    let mut growth = growth.filter(|finding| finding["rule"] == "leak-growing");
    assert_eq!(growth.next().unwrap()["severity"], "warning");
}

#[test]
fn growth_of_a_known_leak_is_no_error() {
    let folder = Folder::new();
    folder.file("run.aclsan", &growing().bytes());
    let report = folder.run(&["report", "--json", "run.aclsan"]).json();
    let mut baseline = flat(&report);
    let findings = baseline["findings"].as_array_mut().unwrap();
    findings.retain(|finding| finding["rule"] == "leak");
    assert_eq!(against(&folder, &baseline).code, 0);
    let mut baseline = flat(&report);
    let findings = baseline["findings"].as_array_mut().unwrap();
    findings.retain(|finding| finding["rule"] == "leak-growing");
    // The leak is new, and an error.
    assert_eq!(against(&folder, &baseline).code, 1);
}

/// Pinned memory that is released as DVPP's, which the runtime refuses or not.
fn mismatched(is_refused: bool) -> LogBuilder {
    let (mut synth, ..) = beginning();
    let malloc = synth.site("aclrtMallocHost", 0, 0, &[0x40_1000, 0x40_2000]);
    let free = synth.site("acldvppFree", 0, 0, &[0x40_1100, 0x40_2000]);
    for step in 1..=2_u64 {
        synth.at(step).allocation(THREAD, malloc, step << 20, 300);
    }
    let block = synth.at(3).allocation(THREAD, malloc, 3 << 20, 300);
    synth
        .at(10)
        .event(THREAD, Event::Release { block, site: free });
    if is_refused {
        synth.at(11).event(
            THREAD,
            Event::Refused {
                site: free,
                address: 3 << 20,
                status: 107_000,
            },
        );
    }
    synth.at(40).event(THREAD, Event::Exit);
    synth
}

#[test]
fn only_the_block_of_the_refused_release_follows_from_it() {
    let leaks = |is_refused| {
        let folder = Folder::new();
        folder.file("run.aclsan", &mismatched(is_refused).bytes());
        let report = folder.run(&["report", "--json", "run.aclsan"]).json();
        let findings = report["findings"].as_array().unwrap().clone();
        let errors = findings.iter().filter(|one| one["severity"] == "error");
        let errors: Vec<Value> = errors.cloned().collect();
        (rules(&json!({ "findings": errors })), report)
    };
    let (found, report) = leaks(true);
    let expected = [row("mismatched-free", &["leak"]), row("leak", &[])];
    assert_eq!(found, expected);
    let blocks = |site: &Value| site["blocks"].as_u64().unwrap();
    let sites = report["leaks"]["sites"].as_array().unwrap();
    assert_eq!(sites.iter().map(blocks).collect::<Vec<_>>(), [2, 1]);
    let (found, _) = leaks(false);
    assert_eq!(found, [row("mismatched-free", &[]), row("leak", &[])]);
}
