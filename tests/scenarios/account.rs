//! `aclsan account`: who holds device memory, until it adds up.

use crate::normalise;
use crate::program::{Program, Run, folder};
use crate::rules::compare;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::process::{Command, Output};

fn run(name: &str, topology: Topology) -> Run {
    let run = Program::new(name).run(topology, "quiet=1");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    run
}

fn account(run: &Run, arguments: &[&str]) -> Output {
    let mut command = Command::new(artifacts::command());
    command.arg("account").args(arguments).args(&run.logs);
    command.output().expect("aclsan runs")
}

fn text(run: &Run, arguments: &[&str]) -> String {
    let output = account(run, arguments);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let text = regex::Regex::new(r"(process|进程) \d+")
        .map(|number| number.replace_all(&text, "$1 PID").into_owned());
    normalise::report(&text.expect("a regular expression"))
}

fn json(run: &Run, arguments: &[&str]) -> Value {
    let output = account(run, &[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The bytes of an owner.
fn bytes(device: &Value, owner: &str) -> Option<u64> {
    let owners = device["owners"].as_array().expect("a list");
    owners.iter().find(|row| row["owner"] == owner)?["bytes"].as_u64()
}

/// The rows come to what is in use.
fn adds_up(device: &Value) {
    let sum = |rows: &Value| {
        let rows = rows.as_array().expect("a list").iter();
        rows.map(|row| row["bytes"].as_i64().expect("a number"))
            .sum::<i64>()
    };
    let residual = device["residual"].as_i64().expect("the runtime was asked");
    let explained = sum(&device["owners"]) + sum(&device["other_processes"]);
    let in_use = device["in_use"].as_i64().expect("a number");
    assert_eq!(in_use, explained + residual, "{device}");
    assert!(residual.abs() * 100 <= in_use, "{device}");
}

#[test]
fn every_planted_holder_is_named_and_the_account_adds_up() {
    const MIB: u64 = 1 << 20;
    for topology in [Topology::One, Topology::Split] {
        let run = run("account/owners.c", topology);
        compare(&folder().join("account/owners.peak"), &text(&run, &[])).unwrap();
        let changed = text(&run, &["--at", "full", "--since", "ready"]);
        compare(&folder().join("account/owners.changes"), &changed).unwrap();
        let chinese = text(&run, &["--at", "full", "--lang", "zh"]);
        compare(&folder().join("account/owners.zh"), &chinese).unwrap();

        let all = json(&run, &["--at", "full"]);
        let device = &all["devices"][0];
        adds_up(device);
        assert_eq!(bytes(device, "pool `kv`"), Some(256 * MIB));
        assert_eq!(bytes(device, "the program itself"), Some(74 * MIB));
        let graphs = "graphs, allocated while they were captured";
        assert_eq!(bytes(device, graphs), Some(6 * MIB));
        let models = "models, memory that the program gave them";
        assert_eq!(bytes(device, models), Some(16 * MIB));
        assert_eq!(all["hosts"][0]["pinned"]["bytes"], 16 * MIB);
        assert_eq!(all["hosts"][0]["objects"][0]["count"], 100);
    }
}

#[test]
fn memory_for_a_module_of_cann_is_the_modules() {
    for topology in [Topology::One, Topology::Split] {
        let run = run("account/modules.c", topology);
        let device = &json(&run, &[])["devices"][0];
        adds_up(device);
        let owners = [
            ("CANN, module HCCL", 400),
            ("CANN, module GE", 24),
            ("the program itself", 12),
        ];
        for (owner, mib) in owners {
            assert_eq!(bytes(device, owner), Some(mib << 20), "{owner}");
        }
    }
}

#[test]
fn when_memory_runs_out_the_account_is_of_that_moment() {
    let run = run("account/out_of_memory.c", Topology::One);
    let device = &json(&run, &["--at", "oom"])["devices"][0];
    adds_up(device);
    assert_eq!(device["capacity"], 256 << 20);
    assert_eq!(bytes(device, "the program itself"), Some(192 << 20));
    // The runtime was not asked before: the shim asked it at the refusal.
    assert_eq!(device["source"], "runtime");
}

#[test]
fn a_moment_that_is_not_there_is_refused_with_those_that_are() {
    let run = run("account/owners.c", Topology::One);
    let says = |at: &str| {
        let output = account(&run, &["--at", at]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        let (process, why) = said.split_once(": `").expect("a process and a reason");
        assert!(process.starts_with("aclsan: process "), "{said}");
        format!("`{why}")
    };
    assert_eq!(
        says("warm"),
        "`warm`: the log has no epoch, mark, range or snapshot of this name; it has ready, full\n"
    );
    assert_eq!(
        says("oom"),
        "`oom`: no allocation was refused for lack of memory in this log\n"
    );
}

#[test]
fn one_bad_log_of_many_hides_no_other() {
    let mut run = run("account/out_of_memory.c", Topology::One);
    let bad = run.logs[0].with_extension("bad");
    std::fs::write(&bad, "no log").expect("scratch");
    run.logs.push(bad);
    let output = account(&run, &[]);
    assert_eq!(output.status.code(), Some(2));
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(shown.contains("the program itself"), "{shown}");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains(".bad"), "{said}");
}

#[test]
fn without_the_option_nobody_asks_and_the_account_says_so() {
    let run = Program::new("account/owners.c").run(Topology::One, "quiet=1:account=0");
    let device = &json(&run, &[])["devices"][0];
    assert_eq!(
        (&device["source"], &device["residual"]),
        (&Value::from("log"), &Value::Null)
    );
    assert!(text(&run, &[]).contains("known at its peak"));
}
