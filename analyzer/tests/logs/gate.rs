//! What a team keeps beside its code: suppressions and a baseline; and what its CI shows.

use super::story::*;

fn logs() -> Folder {
    let folder = Folder::new();
    folder.file("clean.aclsan", &clean().bytes());
    folder.file("faulty.aclsan", &faulty().bytes());
    folder
}

fn suppressed(lines: &str) -> Said {
    let folder = logs();
    folder.file("known.supp", lines.as_bytes());
    folder.run(&["check", "--suppressions", "known.supp", "faulty.aclsan"])
}

#[test]
fn what_is_suppressed_is_counted_and_fails_nothing() {
    let said = suppressed(
        "# both are known\ndouble-free:/opt/app/train\n\nleak:train$ # until=9999-12-31\n",
    );
    assert_eq!(said.code, 0, "{said:?}");
    for line in [
        "Suppressed: 2 findings, 1024 bytes leaked",
        "  `double-free:/opt/app/train` (known.supp:2): 1 finding",
        "  `leak:train$` (known.supp:4): 1 finding",
        "Check passed",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    assert!(
        said.last()
            .contains("0 errors, 0 warnings, 0 notes; 0 bytes in 0 blocks leaked"),
        "{}",
        said.out
    );
}

#[test]
fn a_line_that_covers_nothing_and_one_that_has_ended_are_reported() {
    let said = suppressed("leak:nobody\nleak:train # until=2001-01-01\n");
    assert_eq!(said.code, 1);
    assert!(
        said.out
            .contains("`leak:nobody` (known.supp:1): matches nothing any more: it can be removed"),
        "{}",
        said.out
    );
    assert!(
        said.out
            .contains("`leak:train` (known.supp:2): has expired: renew or remove it"),
        "{}",
        said.out
    );
}

#[test]
fn a_bad_line_is_named_and_nothing_is_suppressed_by_guessing() {
    for (line, words) in [
        ("leek:main", "did you mean `leak`"),
        ("leak main", "write `rule:pattern`"),
        ("leak:*", "would match every stack"),
        ("leak:main # until=soon", "`until=soon` is no day"),
        ("leak:main # utnil=2027-01-01", "`utnil=` is not known"),
    ] {
        let said = suppressed(line);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{line}");
        assert!(
            said.err.contains("`known.supp` line 1: ") && said.err.contains(words),
            "{}",
            said.err
        );
    }
    let folder = logs();
    let said = folder.run(&["check", "--suppressions", "none.supp", "clean.aclsan"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("cannot read suppressions `none.supp`"),
        "{}",
        said.err
    );
}

#[test]
fn a_mark_before_the_first_line_is_no_part_of_it() {
    let said = suppressed("\u{feff}leak:train\n");
    assert!(
        said.out.contains("`leak:train` (known.supp:1): 1 finding"),
        "{said:?}"
    );
}

#[test]
fn generated_suppressions_cover_what_they_were_made_from() {
    let folder = logs();
    let lines = folder.run(&["check", "--gen-suppressions", "faulty.aclsan"]);
    assert_eq!(lines.code, 0);
    folder.file("made.supp", lines.out.as_bytes());
    let said = folder.run(&["check", "--suppressions", "made.supp", "faulty.aclsan"]);
    assert_eq!(said.code, 0, "{} {said:?}", lines.out);
}

#[test]
fn only_what_the_baseline_lacks_fails() {
    let folder = logs();
    let base = folder.run(&["check", "--json", "faulty.aclsan"]);
    folder.file("base.json", base.out.as_bytes());
    let same = folder.run(&["check", "--baseline", "base.json", "faulty.aclsan"]);
    assert_eq!(same.code, 0, "{same:?}");
    assert_eq!(
        same.err,
        "aclsan: the baseline has 2 of these findings, and 0 that are gone\n"
    );

    let mut one = base.json();
    one["findings"]
        .as_array_mut()
        .unwrap()
        .retain(|finding| finding["rule"] == "leak");
    folder.file("one.json", one.to_string().as_bytes());
    let more = folder.run(&["check", "--json", "--baseline", "one.json", "faulty.aclsan"]);
    assert_eq!(more.code, 1);
    let verdict = &more.json()["verdict"];
    assert_eq!(
        verdict["reasons"][0],
        "1 finding at or above `--fail-on error` that the baseline does not have"
    );
    assert_eq!(verdict["baseline"]["known"], 1);

    let gone = folder.run(&["check", "--baseline", "base.json", "clean.aclsan"]);
    assert_eq!(
        gone.err,
        "aclsan: the baseline has 0 of these findings, and 2 that are gone\n"
    );
}

#[test]
fn a_baseline_that_is_none_is_refused() {
    let folder = logs();
    folder.file("text", b"nothing");
    folder.file("other.json", b"{}");
    for (file, words) in [
        ("missing.json", "cannot read baseline `missing.json`"),
        ("text", "baseline `text` is no JSON"),
        ("other.json", "baseline `other.json` has no `findings`"),
    ] {
        let said = folder.run(&["check", "--baseline", file, "clean.aclsan"]);
        assert_eq!(said.code, 2);
        assert!(said.err.contains(words), "{}", said.err);
    }
}

#[test]
fn formats_for_ci_are_written_beside_the_text() {
    let folder = logs();
    let said = folder.run(&[
        "check",
        "--sarif",
        "a.sarif",
        "--junit",
        "a.xml",
        "--gitlab",
        "a.json",
        "--github",
        "faulty.aclsan",
    ]);
    assert_eq!(said.code, 1, "{said:?}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&read("a.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
    assert_eq!(read("a.xml").matches("<failure ").count(), 2);
    // Without debug information there is no line for GitLab to show.
    assert_eq!(read("a.json"), "[]\n");
    assert_eq!(
        said.out.matches("\n::error title=aclsan%3A ").count(),
        2,
        "{}",
        said.out
    );
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let said = logs().run(&["check", "--sarif", "no/such/folder/a.sarif", "clean.aclsan"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("cannot write `no/such/folder/a.sarif`"),
        "{}",
        said.err
    );
}

#[test]
fn budgets_of_a_file_are_kept_and_a_flag_beats_them() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    folder.file(
        "aclsan.toml",
        b"[check]\nfail_on = 'leak-growing'\n[[check.sites]]\nplace = '/opt/app/'\nmax_leak = 1000\nmax_peak = 4000\n",
    );
    let said = folder.run(&["check", "a.aclsan"]);
    // 1000 and 24 bytes leak there; 4096 were live at once.
    for reason in [
        "1024 bytes leaked in `/opt/app/`, its budget allows 1000 bytes",
        "a call stack in `/opt/app/` had 4096 bytes live in process 1, its budget allows 4000 bytes to each",
    ] {
        assert!(said.out.contains(reason), "{reason}: {}", said.out);
    }
    assert!(!said.out.contains("at or above"), "{}", said.out);
    let said = folder.run(&["check", "--fail-on", "error", "a.aclsan"]);
    assert!(said.out.contains("at or above `--fail-on error`"));
    folder.file("aclsan.toml", b"[check]\nmax_leek = 0\n");
    let said = folder.run(&["check", "a.aclsan"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err
            .contains("unknown key `max_leek` in `[check]`: did you mean `max_leak` or"),
        "{}",
        said.err
    );
}

#[test]
fn a_place_that_no_call_stack_has_is_reported_and_fails_nothing() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    folder.file(
        "aclsan.toml",
        b"[check]\nsites = [{ place = 'Cahce::*', max_leak = 0 }, { place = '/opt/app/', max_leak = 0 }]\n",
    );
    let said = folder.run(&["check", "a.aclsan"]);
    assert_eq!(said.code, 0, "{said:?}");
    let reported = "Budgets without effect\n  `Cahce::*`: matches no call stack: correct or remove it\n\nCheck passed\n";
    assert!(said.out.contains(reported), "{}", said.out);
    let chinese = folder.run(&["--lang", "zh", "check", "a.aclsan"]).out;
    assert!(
        chinese.contains("`Cahce::*`：不匹配任何调用栈：请更正或删除"),
        "{chinese}"
    );
    let json = folder.run(&["check", "--json", "a.aclsan"]).json();
    let verdict = &json["verdict"];
    assert_eq!(verdict["passed"], true);
    assert_eq!(verdict["unmatched_sites"], serde_json::json!(["Cahce::*"]));
    folder.file("aclsan.toml", b"");
    let said = folder.run(&["check", "a.aclsan"]);
    assert!(!said.out.contains("Budgets without effect"), "{}", said.out);
}

#[test]
fn a_category_that_no_memory_has_is_reported_and_fails_nothing() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    let budget = b"[check]\nmax_peak = { kv_cache = 0, total = '1KiB' }\n";
    folder.file("aclsan.toml", budget);
    let reported = "Budgets without effect\n  `kv_cache`: no memory has this category: annotate the program, or remove the budget\n";
    let flag = ["check", "--max-peak", "1GiB", "a.aclsan"];
    let said = folder.run(&flag);
    assert!(said.code == 0 && said.out.contains(reported), "{said:?}");
    let said = folder.run(&["check", "a.aclsan"]);
    assert_eq!(said.code, 1, "the flag overrides `total` only: {said:?}");
    assert!(said.out.contains(reported), "{said:?}");
    let chinese = folder.run(&["--lang", "zh", "check", "a.aclsan"]).out;
    assert!(
        chinese.contains("`kv_cache`：没有内存属于该用途：请在程序中标注，或删除该预算"),
        "{chinese}"
    );
    let json = folder.run(&["check", "--json", "a.aclsan"]).json();
    let unused = &json["verdict"]["unused_categories"];
    assert_eq!(*unused, serde_json::json!(["kv_cache"]));
}

#[test]
fn leaks_by_a_property_add_up_and_fit_the_schema() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    for by in [
        "site", "stack", "thread", "device", "family", "age", "epoch",
    ] {
        let json = folder
            .run(&["leaks", "--by", by, "--json", "a.aclsan"])
            .json();
        let groups = json["by"]["groups"].as_array().unwrap();
        let bytes: u64 = groups
            .iter()
            .filter_map(|group| group["bytes"].as_u64())
            .sum();
        assert_eq!(bytes, 1024, "{by}");
    }
    let said = folder.run(&["frag", "--would-fit", "64K", "a.aclsan"]);
    // The blocks at 2 and 3 MiB leave a hole from 5 ms on, until the end at 6 ms.
    assert!(said.out.contains("from 5.0 ms on: fits"), "{}", said.out);
}
