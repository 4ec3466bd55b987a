//! Memory snapshots of PyTorch as logs, and as files that commands read themselves.

use aclsan_fuzz_inputs::pickle::{Py, dumps};
use aclsan_fuzz_inputs::torch_snapshot::*;
use serde_json::Value;

use super::story::*;

const BASE: i64 = 0x12c0_c000_0000;
const MIB: i64 = 1 << 20;
const LIMITS: &str = "a PyTorch snapshot has no copies and no order of streams, and only memory of PyTorch's own allocator: use after free and memory of other libraries cannot be found";

/// Two segments, one of which is older than the history, as its block is.
fn training() -> Py {
    let load = stack(&[
        ("load", "/app/train.py", 31),
        ("<module>", "/app/train.py", 40),
    ]);
    let forward = stack(&[("at::empty", "??", 0), ("forward", "/app/model.py", 12)]);
    let none = stack(&[]);
    let trace = vec![
        entry("segment_alloc", BASE, 20 * MIB, 1_000_000, &load),
        entry("alloc", BASE, 1000, 1_000_001, &load),
        entry("alloc", BASE + MIB, 8 * MIB, 1_000_002, &forward),
        entry("free_requested", BASE + MIB, 8 * MIB, 1_000_012, &none),
        entry("free_completed", BASE + MIB, 8 * MIB, 1_000_013, &none),
        out_of_memory(1 << 40, 4096, 1_000_020, &forward),
    ];
    let first = vec![
        block(BASE, (1024, 1000), "active_allocated", &load),
        block(BASE + 1024, (20 * MIB - 1024, 0), "inactive", &none),
    ];
    let second = vec![block(
        BASE + 64 * MIB,
        (2 * MIB, 2 * MIB),
        "active_allocated",
        &load,
    )];
    let segments = vec![
        segment(BASE, 20 * MIB, first, &load),
        segment(BASE + 64 * MIB, 2 * MIB, second, &load),
    ];
    snapshot(segments, vec![trace, vec![]])
}

/// A segment that grows, is used across the seam, and shrinks to less than either of its parts.
fn growing() -> Py {
    let load = stack(&[("load", "/app/train.py", 31)]);
    let none = stack(&[]);
    let trace = vec![
        entry("segment_map", BASE, 20 * MIB, 1_000_000, &load),
        entry("alloc", BASE, 15 * MIB, 1_000_001, &load),
        entry("segment_map", BASE + 20 * MIB, 40 * MIB, 1_000_002, &load),
        entry("alloc", BASE + 15 * MIB, 30 * MIB, 1_000_003, &load),
        entry(
            "free_completed",
            BASE + 15 * MIB,
            30 * MIB,
            1_000_004,
            &none,
        ),
        entry("segment_unmap", BASE + 30 * MIB, 30 * MIB, 1_000_005, &none),
    ];
    let blocks = vec![
        block(BASE, (15 * MIB, 15 * MIB), "active_allocated", &load),
        block(BASE + 15 * MIB, (15 * MIB, 0), "inactive", &none),
    ];
    let Py::Dict(mut segment) = segment(BASE, 30 * MIB, blocks, &load) else {
        unreachable!("a segment is a dictionary")
    };
    for (key, value) in &mut segment {
        if key == "is_expandable" {
            *value = true.into();
        }
    }
    snapshot(vec![Py::Dict(segment)], vec![trace])
}

fn family<'a>(json: &'a Value, name: &str) -> &'a Value {
    let families = json["metrics"]["families"].as_array().unwrap();
    families.iter().find(|one| one["family"] == name).unwrap()
}

#[test]
fn segments_become_blocks_and_blocks_become_parts_of_a_pool() {
    let folder = Folder::new();
    folder.file("snapshot.pickle", &dumps(&training(), 4));
    let said = folder.run(&["import", "snapshot.pickle"]);
    assert_eq!(
        (said.out.as_str(), said.err.as_str(), said.code),
        (
            "snapshot.aclsan\n",
            "aclsan: `snapshot.pickle`: blocks older than its history: 1; they count as allocated when it begins, and a larger `max_entries` keeps more\n",
            0
        )
    );
    let json = folder.run(&["report", "--json", "snapshot.aclsan"]).json();
    let device = family(&json, "device");
    assert_eq!(
        [
            &device["allocations"],
            &device["peak_bytes"],
            &device["live_bytes"]
        ],
        [2, 22 * MIB, 22 * MIB]
    );
    let pool = &json["annotations"]["pools"][0];
    // 2 MiB from before, 1000 bytes rounded to 1024, and 8 MiB for 11 µs.
    assert_eq!(pool["name"], "PyTorch");
    assert_eq!(
        [
            &pool["bytes"],
            &pool["live_bytes"],
            &pool["peak_bytes"],
            &pool["allocations"]
        ],
        [22 * MIB, 2 * MIB + 1024, 10 * MIB + 1024, 3]
    );
    let leaks = json["leaks"]["sites"].as_array().unwrap();
    let bytes: Vec<_> = leaks
        .iter()
        .map(|leak| leak["bytes"].as_i64().unwrap())
        .collect();
    assert_eq!(bytes, [2 * MIB + 1024]);
    let frames = leaks[0]["allocated"]["frames"].as_array().unwrap();
    let frames: Vec<_> = (frames.iter())
        .map(|frame| (frame["function"].as_str().unwrap(), frame["line"].as_u64()))
        .collect();
    assert_eq!(frames, [("load", Some(31)), ("<module>", Some(40))]);
    assert_eq!(
        json["findings"][0]["severity"], "warning",
        "it may be needed still"
    );
    let refused = folder.run(&["report", "snapshot.aclsan"]).out;
    assert!(
        refused.contains("1.0 TiB on device 0 was refused with 207001"),
        "{refused}"
    );
}

#[test]
fn a_segment_that_grows_and_shrinks_is_one() {
    let folder = Folder::new();
    folder.file("a.pickle", &dumps(&growing(), 2));
    let json = folder.run(&["report", "--json", "a.pickle"]).json();
    let device = family(&json, "device");
    assert_eq!(
        [
            &device["allocations"],
            &device["peak_bytes"],
            &device["live_bytes"]
        ],
        [3, 60 * MIB, 30 * MIB]
    );
    let pool = &json["annotations"]["pools"][0];
    assert_eq!(
        [&pool["bytes"], &pool["live_bytes"], &pool["peak_bytes"]],
        [60 * MIB, 15 * MIB, 45 * MIB]
    );
    // The block across the seam is in no single piece, which is no mistake.
    let rules: Vec<_> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["rule"])
        .collect();
    assert!(
        !rules
            .iter()
            .any(|rule| rule.as_str().unwrap().starts_with("suballoc")),
        "{rules:?}"
    );
}

#[test]
fn a_snapshot_without_history_is_its_state() {
    let folder = Folder::new();
    let Py::Dict(mut items) = training() else {
        unreachable!("a snapshot is a dictionary")
    };
    items.retain(|(key, _)| key != "device_traces");
    folder.file("a.pickle", &dumps(&Py::Dict(items), 5));
    let said = folder.run(&["report", "--json", "a.pickle"]);
    assert!(
        said.err.starts_with("aclsan: `a.pickle` has no history"),
        "{}",
        said.err
    );
    let json = said.json();
    let pool = &json["annotations"]["pools"][0];
    assert_eq!(
        [&pool["bytes"], &pool["live_bytes"]],
        [22 * MIB, 2 * MIB + 1024]
    );
    folder.file("none.pickle", &dumps(&snapshot(vec![], vec![]), 4));
    let said = folder.run(&["import", "none.pickle"]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("tells of no memory"), "{}", said.err);
}

#[test]
fn commands_take_the_file_itself_and_say_what_it_cannot_answer() {
    let folder = Folder::new();
    folder.file("a.pickle", &dumps(&training(), 4));
    folder.file("b.pickle", &dumps(&growing(), 4));
    for name in ["a", "b"] {
        let [file, log] = ["pickle", "aclsan"].map(|end| format!("{name}.{end}"));
        assert_eq!(folder.run(&["import", "-o", &log, &file]).code, 0);
    }
    for words in [
        "report a",
        "leaks a",
        "frag a",
        "frag --pool PyTorch a",
        "account a",
        "diff a b",
        "dump a",
        "timeline a",
        "export --format torch-snapshot a",
        "export --format pprof a",
        "check a",
    ] {
        let words = words.split(' ');
        let named = |end: &str| -> Vec<String> {
            let is_file = |word: &str| ["a", "b"].contains(&word);
            let words = words.clone().map(|word| match is_file(word) {
                true => format!("{word}.{end}"),
                false => word.to_owned(),
            });
            words.collect()
        };
        let run =
            |words: &[String]| folder.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let (direct, through) = (run(&named("pickle")), run(&named("aclsan")));
        let same = |said: &Said| said.out.replace(".pickle", ".aclsan");
        assert_eq!(
            (same(&direct), direct.code),
            (same(&through), through.code),
            "{words:?}"
        );
        assert!(
            direct
                .err
                .contains(&format!("aclsan: `a.pickle`: {LIMITS}\n")),
            "{}",
            direct.err
        );
    }
    let said = folder.run(&["pack", "a.pickle"]);
    assert!(
        said.err.contains("pack what `aclsan import` makes of it"),
        "{}",
        said.err
    );
}

#[test]
fn a_pickle_that_would_run_code_is_refused_everywhere() {
    let folder = Folder::new();
    folder.file(
        "evil.pickle",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x08touch me\x85R.",
    );
    for command in ["import", "report", "leaks", "frag", "account"] {
        let said = folder.run(&[command, "evil.pickle"]);
        assert_eq!(
            said.err,
            "aclsan: cannot read `evil.pickle`: its pickle has the opcode STACK_GLOBAL at byte 14: only plain data is read, and nothing is ever executed\n"
        );
        assert_ne!(said.code, 0);
    }
}

#[test]
fn the_snapshots_that_aclsan_exports_are_read() {
    let folder = Folder::new();
    folder.file("a.pickle", &dumps(&training(), 4));
    let export = [
        "export",
        "--format",
        "torch-snapshot",
        "-o",
        "b.pickle",
        "a.pickle",
    ];
    assert_eq!(folder.run(&export).code, 0);
    let json = folder.run(&["report", "--json", "b.pickle"]).json();
    let device = family(&json, "device");
    assert_eq!(
        [
            &device["allocations"],
            &device["peak_bytes"],
            &device["live_bytes"]
        ],
        [2, 22 * MIB, 22 * MIB]
    );
}

#[test]
fn devices_that_share_addresses_get_a_log_each() {
    let folder = Folder::new();
    let load = stack(&[("load", "/app/train.py", 31)]);
    let trace = vec![
        entry("segment_alloc", BASE, 2 * MIB, 1, &load),
        entry("alloc", BASE, MIB, 2, &load),
    ];
    folder.file(
        "a.pickle",
        &dumps(&snapshot(vec![], vec![trace.clone(), trace]), 4),
    );
    let said = folder.run(&["import", "a.pickle"]);
    assert_eq!(said.out, "a-device0.aclsan\na-device1.aclsan\n");
    let json = folder.run(&["report", "--json", "a.pickle"]).json();
    let families = json["metrics"]["families"].as_array().unwrap().iter();
    let peaks: Vec<_> = families.map(|one| one["peak_bytes"].as_i64()).collect();
    assert_eq!(peaks, [Some(2 * MIB); 2]);
}

/// Entries that do not fit together are a damaged file, from which no mistake of the program follows.
#[test]
fn nonsense_in_a_snapshot_is_no_finding() {
    let folder = Folder::new();
    let mut state = 1_u64;
    let mut made = 0;
    for _ in 0..150 {
        let bytes: Vec<u8> = (0..300)
            .map(|_| {
                // Knuth's constants.
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        let file = file(1, &bytes).unwrap();
        folder.file("a.pickle", &file);
        let said = folder.run(&["report", "--json", "a.pickle"]);
        if said.out.is_empty() {
            assert!(
                said.err.contains("has nothing that a log could hold"),
                "{said:?}"
            );
            continue;
        }
        made += 1;
        let json = said.json();
        let findings = json["findings"].as_array().unwrap().iter();
        let errors: Vec<_> = findings.filter(|one| one["severity"] == "error").collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    assert!(made > 100, "{made}");
}

/// Every cut and many flipped bytes of a snapshot end in logs or in a message.
#[test]
fn no_damage_brings_it_down() {
    let folder = Folder::new();
    let whole = dumps(&training(), 4);
    for at in (0..whole.len()).step_by(23) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        for (name, bytes) in [
            ("cut.pickle", &whole[..at]),
            ("flipped.pickle", &flipped[..]),
        ] {
            folder.file(name, bytes);
            let said = folder.run(&["import", "-o", &format!("logs-{at}"), name]);
            assert!(matches!(said.code, 0 | 2 | 3), "{at}: {said:?}");
            assert!(!said.err.contains("panicked"), "{at}: {}", said.err);
        }
    }
}
