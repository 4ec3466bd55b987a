//! `aclsan plan`: what a recorded run would have needed with another allocator.

use crate::normalise;
use crate::program::{Program, Run, folder};
use crate::rules::compare;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::process::{Command, Output};

const MIB: u64 = 1 << 20;

fn run() -> Run {
    let run = Program::new("plan/batches.c").run(Topology::One, "quiet=1:account=0");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run
}

fn plan(run: &Run, arguments: &[&str]) -> Output {
    let mut command = Command::new(artifacts::command());
    command.arg("plan").args(arguments).args(&run.logs);
    command.output().expect("aclsan runs")
}

fn text(run: &Run, arguments: &[&str]) -> String {
    let text = String::from_utf8(plan(run, arguments).stdout).expect("UTF-8");
    let varying = [
        (r"(process|进程) \d+", "$1 PID"),
        (r"(after |：)[0-9.]+ (ms|µs|s)", "${1}N ms"),
    ];
    let text = varying.iter().fold(text, |text, (pattern, by)| {
        let pattern = regex::Regex::new(pattern).expect("a regular expression");
        pattern.replace_all(&text, *by).into_owned()
    });
    normalise::report(&text)
}

fn json(run: &Run, arguments: &[&str]) -> Value {
    let output = plan(run, &[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_pool_of_the_program_is_planned_with_every_allocator() {
    let run = run();
    let all = text(&run, &["--sweep", "--card", "64MiB"]);
    compare(&folder().join("plan/batches.sweep"), &all).unwrap();
    let chinese = text(&run, &["--sweep", "--card", "64MiB", "--lang", "zh"]);
    compare(&folder().join("plan/batches.zh"), &chinese).unwrap();
    let alone = text(&run, &[]);
    compare(&folder().join("plan/batches.own"), &alone).unwrap();
}

/// By hand: batches of six parts of 4, 5 and 6 MiB, of which the last is kept each time.
#[test]
fn first_fit_takes_what_the_rules_of_pools_say() {
    let plan = json(&run(), &[]);
    assert_eq!(plan["allocator"], "first-fit");
    // Parts take 32 bytes more and begin at multiples of 64. The first batch ends at 24 MiB + 352, and its last part stays. Four parts of
    // 5 MiB fit below that, two follow it; the second of these stays, up to 34 MiB + 480. Three of 6 MiB fit below the first that
    // stayed, none between both, and three follow.
    assert_eq!(plan["reserved_peak"], 52 * MIB + 672);
    assert_eq!(plan["allocated_peak"], 4 * MIB + 5 * MIB + 6 * 6 * MIB);
    assert_eq!(plan["at"]["site"], "main batches.c:18");
    assert_eq!(
        plan["fits"],
        Value::Null,
        "nobody said how much the card has"
    );
    assert_eq!(plan["requests"], 18);
    assert_eq!(plan["others_peak"], 12 * MIB); // 10 MiB with its 32 bytes, in pages.
}

/// By hand: with five MiB 4 and 6 times 5 are given out, with six 4, 5 and 6 times 6.
#[test]
fn two_epochs_show_what_a_larger_one_takes() {
    let run = run();
    let grow =
        |card: &str| json(&run, &["--grow", "5=five,6=six", "--card", card])["growth"].take();
    let grown = grow("100MiB");
    assert_eq!(
        (&grown["from_bytes"], &grown["to_bytes"]),
        (&(34 * MIB).into(), &(45 * MIB).into())
    );
    assert_eq!(grown["each"], 11 * MIB);
    assert_eq!(grown["places"][0]["bytes"], 11 * MIB);
    // 52 MiB are reserved for 45, so 12.7 for each 11, and 12 are beside it: 36 are left.
    assert_eq!(grown["largest"], 8);
    assert_eq!(grow("63MiB")["largest"], 5, "64 MiB are in use for six");
    let shown = text(
        &run,
        &["--grow", "5=five,6=six", "--card", "100MiB", "--lang", "zh"],
    );
    assert!(
        shown.contains("外推：如果照此增长，放得下的最大大小是 8"),
        "{shown}"
    );
}

#[test]
fn what_does_not_fit_is_named_with_who_held_the_memory() {
    let run = run();
    let output = plan(&run, &["--card", "40MiB", "--json"]);
    assert_eq!(output.status.code(), Some(1), "nothing fits");
    let plan: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(plan["fits"], false);
    let refused = &plan["first_refused"];
    // 12 MiB are others', 24 MiB and a few bytes the first batch's; five MiB more of the second do not fit behind it.
    assert_eq!(
        (&refused["bytes"], &refused["is_of_others"]),
        (&Value::from(5 * MIB), &Value::from(false))
    );
    assert_eq!(refused["at"]["site"], "main batches.c:18");
    assert_eq!(refused["holders"][0]["bytes"], 4 * MIB + 4 * 5 * MIB);
    // A buddy system takes 64 MiB, blocks of the runtime 60.
    let both = [
        "--card",
        "74MiB",
        "--allocator",
        "buddy",
        "--allocator",
        "direct",
    ];
    assert_eq!(plan_code(&run, &both), Some(0), "one of two fits");
    assert_eq!(plan_code(&run, &both[..4]), Some(1));
}

fn plan_code(run: &Run, arguments: &[&str]) -> Option<i32> {
    plan(run, arguments).status.code()
}

#[test]
fn what_cannot_be_planned_is_said() {
    let run = run();
    for (arguments, said) in [
        (
            ["--conf", "max_split_size_mb:1"],
            "`max_split_size_mb:1`: 21 is the least",
        ),
        (
            ["--allocator", "slab"],
            "`slab` is no allocator that is modelled; these are: torch_npu",
        ),
        (
            ["--grow", "1=five,2=seven"],
            "`seven`: the recording has no such epoch; it has five, four, six",
        ),
        (["--device", "5"], "nothing was allocated on device 5"),
        (["--card", "much"], "`much` is not a size"),
    ] {
        let output = plan(&run, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}
