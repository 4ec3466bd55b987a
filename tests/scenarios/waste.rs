//! Waste, growth and refusals, which need the log: complete outputs for programs, and silence for their look-alikes.

use crate::leaks::{are_reported, reported};
use crate::program::{Program, folder};
use crate::rules::compare;
use crate::trial::{self, Trial};
use aclsan_tests::artifacts::{self, Topology};
use std::process::Command;

fn is_found(name: &str) {
    let program = format!("{name}.c");
    assert_eq!(
        are_reported("findings", &program, &format!("{name}_silent.c")),
        Some(0)
    );
}

#[test]
fn pages_that_cost_more_than_was_asked_for_are_reported() {
    is_found("waste/page_class_waste");
}

#[test]
fn a_loop_that_allocates_and_releases_is_reported() {
    is_found("waste/hot_loop_allocation");
}

#[test]
fn a_block_that_nothing_names_is_reported() {
    is_found("waste/never_used");
}

#[test]
fn a_refusal_with_enough_free_is_reported() {
    is_found("waste/fragmented");
}

#[test]
fn a_cache_that_grows_step_by_step_is_reported() {
    is_found("leaks/leak_growing");
}

#[test]
fn a_refusal_for_want_of_memory_is_reported_with_its_cause_and_who_had_it() {
    for name in ["waste/fragmented", "waste/fragmented_silent"] {
        for topology in [Topology::One, Topology::Split] {
            let (report, _) = reported("frag", &format!("{name}.c"), topology);
            let golden = folder().join(format!("{name}.frag"));
            // The tables after it contain the process ID.
            let (refusals, _) = report.split_once("==PID== Device memory by page").unwrap();
            compare(&golden, refusals).unwrap();
        }
    }
}

/// The output of `frag --json` and `frag` for a program's log.
fn cut_up(name: &str, topology: Topology) -> (serde_json::Value, String) {
    let run = Program::new(name).run(topology, "quiet=1");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    let reported = |arguments: &[&str]| {
        let mut command = Command::new(artifacts::command());
        let output = command.args(arguments).args(&run.logs).output();
        String::from_utf8(output.expect("aclsan runs").stdout).expect("UTF-8")
    };
    let json = serde_json::from_str(&reported(&["frag", "--json"])).expect("JSON");
    (json, reported(&["frag"]))
}

#[test]
fn a_block_that_a_cache_was_given_back_for_is_reported_as_that_and_one_that_found_room_is_not() {
    for topology in [Topology::One, Topology::Split] {
        let (json, text) = cut_up("waste/trimmed_for.c", topology);
        let sites = json["allocations"]["sites"].as_array().expect("a list");
        let has_stalled = |site: &&serde_json::Value| site["latency"]["stalled"].as_u64() > Some(0);
        let mut stalled = sites.iter().filter(has_stalled);
        let site = stalled.next().expect("a place");
        assert_eq!(site["latency"]["stalled"], 1, "{site}");
        assert_eq!(site["allocations"], 5);
        // 256 MiB minus the pool's 128, and 128 MiB with 32 bytes of padding in 2 MiB pages.
        let outgrown = &site["latency"]["outgrown"];
        assert_eq!(outgrown["told_free_bytes"], 128 << 20);
        assert_eq!(outgrown["page_bytes"], 130 << 20);
        assert!(site["latency"]["slowest_ns"].as_u64() >= Some(2_100_000_000));
        assert!(stalled.next().is_none(), "{json}");
        for words in [
            "0 of 0 refusals came while enough was free; 1 allocation took ten times as long",
            "it got 130.0 MiB of pages after `aclrtGetMemInfo` had reported 128.0 MiB free: the runtime released caches first",
            "trimmed_for.c:33",
        ] {
            assert!(text.contains(words), "{words}\n{text}");
        }

        let (json, text) = cut_up("waste/trimmed_for_silent.c", topology);
        let sites = json["allocations"]["sites"].as_array().expect("a list");
        assert_eq!(sites.iter().filter(has_stalled).count(), 0, "{json}");
        assert!(!text.contains("of this place, the slowest"), "{text}");
        assert_eq!(json["autopsies"], serde_json::json!([]));
    }
}

#[test]
fn what_a_slow_runtime_takes_is_measured_by_place() {
    let mut trial = Trial::new("waste/slow_allocations.c", "slow");
    let slow = trial::library("doors/slow.c", &trial.scratch.join("libslow.so"), &[]);
    let run = trial.behind(slow).same();
    let mut command = Command::new(artifacts::command());
    let output = command.args(["frag", "--json"]).args(&run.logs).output();
    let output = output.expect("aclsan runs").stdout;
    let report: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    let sites = report["allocations"]["sites"].as_array().expect("a list");
    let of = |bytes: u64| {
        let mut such = sites.iter().filter(|site| site["allocated_bytes"] == bytes);
        &such.next().expect("the place")["latency"]
    };
    // 5 blocks of 4096 bytes, each taking at least 60 µs: all above 50 µs.
    let slow = of(5 * 4096);
    assert_eq!(
        (&slow["fast"], &slow["usual"], &slow["slow"]),
        (&0.into(), &0.into(), &5.into())
    );
    assert!(slow["p50_ns"].as_u64() >= Some(60_000), "{slow}");
    assert!(slow["total_ns"].as_u64() >= Some(300_000), "{slow}");
    // The others are as fast as the machine allows, but all are counted.
    let other = of(5 * 64);
    let counted = ["fast", "usual", "slow"].map(|which| other[which].as_u64().expect("a number"));
    assert_eq!(counted.iter().sum::<u64>(), 5);
}
