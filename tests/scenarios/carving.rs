//! Suballocation: the complete output of `aclsan findings` for each program's log. Half of these rules need the log;
//! `replay` checks that the other half also reports at the call.

use crate::leaks::reported;
use crate::program::{Program, folder};
use crate::rules::{compare, programs};
use aclsan_tests::artifacts::{self, Topology};
use serde_json::{Value, json};
use std::process::Command;

#[test]
fn each_mistake_is_reported_and_its_look_alike_is_not() {
    let mut wrong = Vec::new();
    for name in programs("carving") {
        for topology in [Topology::One, Topology::Split] {
            let (report, _) = reported("findings", &name, topology);
            if name.ends_with("_silent.c") {
                if !report.contains("0 errors, 0 warnings, 0 notes") {
                    wrong.push(format!("{name} ({topology:?}) must be silent:\n{report}"));
                }
            } else {
                let path = folder().join(&name).with_extension("report");
                wrong.extend(compare(&path, &report).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The output of `aclsan frag --pool` for a program's log.
fn pools(name: &str, json: bool) -> String {
    pools_in("en", name, json)
}

fn pools_in(language: &str, name: &str, json: bool) -> String {
    let run = Program::new(name).run(Topology::One, "quiet=1");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut command = Command::new(artifacts::command());
    command.args(["--lang", language, "frag", "--pool"]);
    command.args(&run.logs);
    if json {
        command.arg("--json");
    }
    let output = command.output().expect("aclsan runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_inside_of_a_pool_is_reported_exactly() {
    let report: Value = serde_json::from_str(&pools("annotations/served.c", true)).expect("JSON");
    let inside = &report["annotations"]["pools"][0]["inside"];
    // 30 requests, of which only the first went to the runtime. 29/30 is above 90 %.
    assert_eq!(
        (&inside["requests"], &inside["hits"]),
        (&30.into(), &29.into())
    );
    assert_eq!(inside["hit_grade"], "good");
    // The peak is the end of the first round: 1024 taken at 0 and at 2048, and 992 + 32 fit; 4096 at 8192, which holds the 4000 + 32 of the guide.
    let peak = &inside["peak"];
    let expected = [
        ("held_bytes", 65536),
        ("live_blocks", 3),
        ("live_bytes", 5984),  // 992 + 992 + 4000
        ("taken_bytes", 6144), // 1024 + 1024 + 4096
        ("free_bytes", 59392), // 65536 - 6144
        ("holes", 3),          // 1024 to 2048, 3072 to 8192, 12288 to the end
        ("largest_hole_bytes", 53248),
    ];
    for (member, number) in expected {
        assert_eq!(peak[member], number, "{member}");
    }
    // 1 - 53248/59392 = 0.103448; 1 - 5984/6144 = 0.026041.
    let near = |value: &Value, to: f64| (value.as_f64().expect("a number") - to).abs() < 1e-6;
    assert!(
        near(&peak["external"], 0.103_448_2) && near(&peak["internal"], 0.026_041_6),
        "{peak}"
    );
    assert_eq!(
        (&peak["external_grade"], &peak["internal_grade"]),
        (&"warning".into(), &"good".into())
    );
    // At the end the last 4000-byte block is live: holes from 0 to 8192 and from 12288 on.
    let end = &inside["end"];
    assert_eq!(
        (&end["live_blocks"], &end["holes"], &end["free_bytes"]),
        (&1.into(), &2.into(), &61440.into())
    );
    // All three are freed at the end of a round and requested in the same order: 0, 1 and 2 requests later, for 9 rounds each.
    assert_eq!(inside["reuse"], json!({"count": 27, "p50": 1, "p90": 2}));
    let classes = inside["classes"].as_array().expect("a list");
    let reported = classes.iter().map(|class| {
        [
            "up_to_bytes",
            "requests",
            "hits",
            "asked_bytes",
            "taken_bytes",
        ]
        .map(|member| class[member].as_u64().unwrap())
    });
    assert_eq!(
        reported.collect::<Vec<_>>(),
        [
            [1024, 20, 19, 19_840, 20_480],
            [4096, 10, 10, 40_000, 40_960]
        ]
    );
}

#[test]
fn bytes_that_went_straight_are_distinguished_from_those_copied_twice() {
    let report: Value = serde_json::from_str(&pools("annotations/served.c", true)).expect("JSON");
    let transfers = &report["transfers"];
    // 4 + 1 pageable, 1 pinned, 1 registered; the device-to-device copy does not count.
    assert_eq!(transfers["copies"], 7);
    assert_eq!(transfers["bytes"], 6 * (512 << 10) + 100);
    assert_eq!(
        (&transfers["pinned_bytes"], &transfers["registered_bytes"]),
        (&(512 << 10).into(), &(512 << 10).into())
    );
    // 1048576 of 3145828: a third.
    assert_eq!(transfers["grade"], "danger");
    let sites = transfers["sites"].as_array().expect("a list");
    let reported = |at: usize| {
        (
            &sites[at]["copies"],
            &sites[at]["again"],
            &sites[at]["pays"],
        )
    };
    assert_eq!(reported(0), (&4.into(), &3.into(), &true.into()));
    assert_eq!(reported(1), (&1.into(), &0.into(), &false.into()));
    let text = pools("annotations/served.c", false);
    for line in [
        "Inside pools (exact, as reported by the program)",
        "  `frames`, reported by annotation, device 0",
        "  30 requests, 29 served without the runtime: hit rate 96.7 %; memory used again 27 times, half after 1 request, nine of ten after 2 requests at most",
        "10.3 %",
        "Between host and devices: 3.0 MiB in 7 copies, zero-copy 33.3 %",
        "would pay here:",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
}

#[test]
fn pools_of_the_runtimes_are_reported_with_those_of_the_program_and_latencies_in_both_forms() {
    let name = "pools/pool_releases_silent.c";
    let report: Value = serde_json::from_str(&pools(name, true)).expect("JSON");
    let pool = &report["annotations"]["pools"][0];
    assert_eq!(
        (&pool["source"], &pool["name"]),
        (&"runtime".into(), &"pool 1".into())
    );
    // One 1000-byte block, freed by `aclrtFree`, and a hundred 4096-byte blocks.
    assert_eq!(
        (
            &pool["allocations"],
            &pool["releases"],
            &pool["live_blocks"]
        ),
        (&101.into(), &101.into(), &0.into())
    );
    let classes = pool["inside"]["classes"].as_array().expect("a list");
    let reported: Vec<_> = classes
        .iter()
        .map(|class| (&class["up_to_bytes"], &class["requests"]))
        .collect();
    assert_eq!(
        reported,
        [(&1024.into(), &1.into()), (&4096.into(), &100.into())]
    );
    let latencies = &report["allocations"]["latencies"];
    let count = |member: &str| latencies[member].as_u64().expect("a number");
    // The one `aclrtMalloc`: pool allocations are only queued.
    assert_eq!(count("fast") + count("usual") + count("slow"), 1);
    assert!(["good", "warning", "danger"].contains(&latencies["grade"].as_str().expect("a word")));
    let text = pools(name, false);
    for line in [
        "Inside the runtime's own pools",
        "  `pool 1`, reported by `aclrtMemPoolMallocAsync`, device 0",
        "  the runtime's own allocations: ",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
}

#[test]
fn what_pools_of_the_runtimes_were_set_to_and_use_is_reported_by_the_runtime_and_the_log() {
    let name = "pools/attributes_silent.c";
    let text = crate::normalise::report(&pools(name, false));
    compare(&folder().join("pools/attributes_silent.frag"), &text).unwrap();
    let report: Value = serde_json::from_str(&pools(name, true)).expect("JSON");
    let pools = report["annotations"]["pools"].as_array().expect("a list");
    let reported = &pools[0]["attributes"];
    assert_eq!(
        reported["event_dependencies"],
        json!({"value": 1, "told": "set"})
    );
    assert_eq!(
        reported["internal_dependencies"],
        json!({"value": 0, "told": "read"})
    );
    // As the program's first lines compute.
    let used =
        |which: &str, member: &str| reported[which][member].as_u64().map(|bytes| bytes >> 20);
    assert_eq!(
        (used("used", "bytes"), used("used", "log_bytes")),
        (Some(4), Some(4))
    );
    assert_eq!(
        (used("used_high", "bytes"), used("used_high", "log_bytes")),
        (Some(4), Some(4))
    );
    assert_eq!(
        (used("reserved", "bytes"), used("reserved", "log_bytes")),
        (Some(12), None)
    );
    assert_eq!(
        (&reported["trims"], &reported["last_trim_bytes"]),
        (&2.into(), &0.into())
    );
    assert_eq!(reported["log_used_high_bytes"], 12 << 20);
    assert_eq!(pools[1]["attributes"]["used"], Value::Null);
    let chinese = pools_in("zh", name, false);
    for line in [
        "  复用：按事件依赖开（已设置），机会复用关（已设置），按内部依赖关（已读取）",
        "  释放阈值 16.0 MiB（已设置）；整理 2 次，最后保留 0 字节",
        "按 2 MiB 页计  运行时最后答复  当时日志  日志全程",
    ] {
        assert!(chinese.contains(line), "{line} in\n{chinese}");
    }
}

#[test]
fn blocks_of_pools_that_graphs_name_are_reported_while_both_live() {
    let name = "pools/captured_blocks.c";
    let text = crate::normalise::report(&pools(name, false));
    compare(&folder().join("pools/captured_blocks.frag"), &text).unwrap();
    let report: Value = serde_json::from_str(&pools(name, true)).expect("JSON");
    let reported = &report["annotations"]["pools"][0]["attributes"];
    // One of 3 MiB; the other graph's and the plain block do not count; 2 pages and 1.
    assert_eq!(
        (&reported["graph_blocks"], &reported["graph_bytes"]),
        (&1.into(), &(3 << 20).into())
    );
    assert_eq!(reported["log_used_bytes"], 3 * (2 << 20));
}
