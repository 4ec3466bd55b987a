//! `aclsan diff`.

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Definition, Event, Mapping};

use super::story::*;

fn logs() -> Folder {
    let folder = Folder::new();
    folder.file("old/a.aclsan", &clean().bytes());
    folder.file("new/a.aclsan", &faulty().bytes());
    folder
}

#[test]
fn what_is_new_is_reported_whole_and_fails() {
    let folder = logs();
    let said = folder.run(&["diff", "old", "new"]);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    for line in [
        "New: 2 findings",
        "ERROR: aclsan: double-free: ",
        "  +1024 bytes: 0 bytes to 1024 bytes, 0 to 2 blocks, allocated by `aclrtMalloc`:",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    // 4096 were allocated before; 4096 + 1000 + 24 are now.
    let row = said
        .out
        .lines()
        .find(|line| line.contains("allocated, device"));
    let words: Vec<&str> = row.expect("a row").split_whitespace().skip(2).collect();
    assert_eq!(words.join(" "), "4096 bytes 5120 bytes +1024 bytes");
    assert_eq!(
        said.last(),
        "SUMMARY: aclsan: 2 findings new, 0 gone, 0 known; leaked bytes 0 to 1024"
    );
}

#[test]
fn what_is_gone_or_the_same_does_not_fail() {
    let folder = logs();
    let back = folder.run(&["diff", "new", "old"]);
    assert_eq!(back.code, 0);
    assert!(back.out.contains("Gone: 2 findings"), "{}", back.out);
    let same = folder.run(&["diff", "new", "new"]);
    assert_eq!(same.code, 0);
    assert_eq!(
        same.last(),
        "SUMMARY: aclsan: 0 findings new, 0 gone, 2 known; leaked bytes 1024 to 1024"
    );
    let milder = folder.run(&["diff", "--fail-on", "mismatched-free", "old", "new"]);
    assert_eq!(milder.code, 0);
}

#[test]
fn as_numbers_and_as_a_drawing() {
    let folder = logs();
    let said = folder.run(&["diff", "--json", "--flamegraph", "change.svg", "old", "new"]);
    let json = said.json();
    assert_eq!(json["new_findings"].as_array().unwrap().len(), 2);
    assert_eq!(
        json["leaked_bytes"],
        serde_json::json!({ "old": 0, "new": 1024 })
    );
    let svg = std::fs::read_to_string(folder.path().join("change.svg")).unwrap();
    assert!(svg.contains("<svg") && svg.contains("change"));
}

#[test]
fn a_difference_names_the_processes_of_both_runs() {
    let folder = Folder::new();
    folder.file("old/a.aclsan", &faulty().bytes());
    let mut odd = clean();
    let site = odd.site("aclrtFree", 0, 0, &[0x40_1300]);
    let (address, mapping) = (0x10_0000, Mapping::Unknown);
    odd.event(
        7,
        Event::ReleaseAt {
            site,
            address,
            mapping,
        },
    );
    for (name, log) in [("a", clean()), ("b", odd)] {
        folder.file(&format!("new/{name}.aclsan"), &numbered(7, log.bytes()));
    }
    let json = folder.run(&["diff", "--json", "old", "new"]).json();
    assert_eq!(
        json["processes"],
        serde_json::json!({ "old": ["1"], "new": ["7@node1#1", "7@node1#2"] })
    );
    let findings = json["new_findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["processes"], serde_json::json!([1]));
    assert_eq!(
        json["gone_findings"][0]["processes"],
        serde_json::json!([0])
    );
}

#[test]
fn of_many_moments_the_first_are_reported_and_how_many_more_there_are() {
    let (mut synth, ..) = beginning();
    let epoch = synth.site("aclsan_epoch", 0, -1, &[0x40_1500]);
    // Each name comes twice: 12 different ones.
    for at in 0..24_u32 {
        let (id, text) = (at % 12 + 1, format!("step {}", at % 12 + 1));
        if at < 12 {
            synth.define(Definition::Text { id, text });
        }
        let call = called(epoch, &[id.into()]);
        synth.at(1_000_000 * u64::from(at + 1)).event(7, call);
    }
    synth.event(7, Event::Exit);
    let folder = Folder::new();
    folder.file("a.aclsan", &synth.bytes());
    let said = folder.run(&["diff", "--from", "stop", "a.aclsan"]);
    assert!(
        said.err.contains("`step 9`, `step 10` and 2 more; or"),
        "{}",
        said.err
    );
}

#[test]
fn epochs_that_are_not_kept_have_what_came_in_them() {
    const KEPT: u32 = 4096;
    let (mut synth, malloc, _) = beginning();
    let epoch = synth.site("aclsan_epoch", 0, -1, &[0x40_1500]);
    for number in 1..=KEPT + 4 {
        let text = format!("request {number}");
        synth.define(Definition::Text { id: number, text });
        let call = called(epoch, &[number.into()]);
        synth.at(1_000_000 * u64::from(number)).event(7, call);
        if number >= KEPT - 1 {
            synth.at(1_000_000 * u64::from(number) + 10);
            synth.allocation(7, malloc, 0x1000 * u64::from(number), 512);
        }
    }
    synth.event(7, Event::Exit);
    let folder = Folder::new();
    folder.file("a.aclsan", &synth.bytes());
    let said = folder.run(&["leaks", "--by", "epoch", "a.aclsan"]);
    let rows = said.out.lines().skip(2).take(3);
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split("  ").collect()).collect();
    let names = rows.iter().map(|row| row[1].trim());
    let expected = ["later epochs, not kept", "request 4095", "request 4096"];
    assert!(names.eq(expected), "{}", said.out);
    let said = folder.run(&["--lang", "zh", "leaks", "--by", "epoch", "a.aclsan"]);
    assert!(said.out.contains("  其后未保留的阶段 "), "{}", said.out);
    let json = folder.run(&["leaks", "--json", "a.aclsan"]).json();
    let parts = json["leaks"]["sites"][0]["parts"]
        .as_array()
        .expect("parts");
    let blocks = |name: &str| {
        let of = parts.iter().filter(|part| part["epoch"] == name);
        of.map(|part| part["blocks"].as_u64().expect("a count"))
            .sum::<u64>()
    };
    let counts = ["later epochs, not kept", "request 4096", "request 4095"].map(blocks);
    assert_eq!(counts, [4, 1, 1]);
    let said = folder.run(&["diff", "--from", "request 4099", "a.aclsan"]);
    assert!(
        said.err
            .contains("and 4086 more; the last 4 of its epochs were not kept; or write"),
        "{}",
        said.err
    );
    let said = folder.run(&["diff", "--from", "request 4096", "a.aclsan"]);
    assert_eq!(said.code, 0, "{}", said.err);
}

/// Three steps: 1000 bytes more in each, 24 for one step only; a snapshot in the last.
pub fn steps() -> Folder {
    let (mut synth, malloc, free) = beginning();
    let epoch = synth.site("aclsan_epoch", 0, -1, &[0x40_1500]);
    let snapshot = synth.site("aclsan_snapshot", 0, -1, &[0x40_1600]);
    for (id, text) in [(1, "step"), (2, "taken")] {
        let text = text.to_owned();
        synth.define(Definition::Text { id, text });
    }
    let tell = |synth: &mut LogBuilder, site, values: &[u64]| {
        synth.event(7, called(site, values));
    };
    for step in 0..3 {
        synth.at(1_000_000 * (step + 1));
        tell(&mut synth, epoch, &[1]);
        synth.at(1_000_000 * (step + 1) + 10);
        synth.allocation(7, malloc, 0x10_0000 * (step + 1), 1000);
        let block = synth.allocation(7, malloc, 0x90_0000, 24);
        if step == 2 {
            synth.at(3_500_000);
            tell(&mut synth, snapshot, &[2, 4, 3024]);
        }
        synth.at(1_000_000 * (step + 1) + 900_000);
        synth.event(7, Event::Release { block, site: free });
    }
    synth.at(5_000_000).event(7, Event::Exit);
    let folder = Folder::new();
    folder.file("a.aclsan", &synth.bytes());
    folder
}

#[test]
fn two_epochs_and_two_snapshots_of_one_run_are_compared() {
    let folder = steps();
    // At the second step 1000 bytes are live, at the third 2000; at the snapshot 3 * 1000 + 24; at 1.5 ms 1024; at the end 3000.
    for (from, to, summary) in [
        (
            "step#2",
            "step#3",
            "live bytes 1000 to 2000, in 1 to 2 blocks",
        ),
        (
            "step#3",
            "taken",
            "live bytes 2000 to 3024, in 2 to 4 blocks",
        ),
        ("1.5ms", "end", "live bytes 1024 to 3000, in 2 to 3 blocks"),
        ("start", "step", "live bytes 0 to 0, in 0 to 0 blocks"),
    ] {
        let said = folder.run(&["diff", "--from", from, "--to", to, "a.aclsan"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{from}");
        assert!(said.last().ends_with(summary), "{from} {to}: {}", said.out);
    }
    let said = folder.run(&["diff", "--from", "step#2", "--json", "a.aclsan"]);
    let json = said.json();
    assert_eq!(
        json["bytes"],
        serde_json::json!({ "old": 1000, "new": 3000 })
    );
    assert_eq!(
        json["places"][0]["blocks"],
        serde_json::json!({ "old": 1, "new": 3 })
    );
    let drawn = folder.run(&[
        "diff",
        "--from",
        "step#2",
        "--flamegraph",
        "a.svg",
        "a.aclsan",
    ]);
    assert_eq!(drawn.code, 0, "{drawn:?}");
    assert!(
        std::fs::read_to_string(folder.path().join("a.svg"))
            .unwrap()
            .contains("<svg")
    );
}

#[test]
fn a_moment_that_is_not_there_is_reported_with_those_that_are() {
    let folder = steps();
    let said = folder.run(&["diff", "--from", "stop", "a.aclsan"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("it has `step`, `taken`"), "{}", said.err);
    for (from, to, why) in [
        ("1h", "end", "is no moment of this run"),
        (
            "99s",
            "end",
            "`99s` is no moment of this run: it ended after",
        ),
        ("start", "1e30s", "write `end` for that"),
        ("end", "start", "`end` comes after `start`: exchange them"),
    ] {
        let said = folder.run(&["diff", "--from", from, "--to", to, "a.aclsan"]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{from} {to}");
        assert!(said.err.contains(why), "{from} {to}: {}", said.err);
    }
    let bytes = ["diff", "--from", "step", "--of", "peak", "a.aclsan"];
    assert_eq!(folder.run(&bytes).code, 2, "moments know live bytes alone");
    let said = folder.run(&["diff", "--from", "step", "a.aclsan", "a.aclsan"]);
    assert_eq!(said.code, 2, "two runs have no moments in common");
    assert_eq!(folder.run(&["diff", "a.aclsan"]).code, 2);
}
