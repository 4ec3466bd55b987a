//! The checked-in schema matches the JSON report.

mod parts;

use std::path::Path;
use std::process::Command;

use aclsan_render::model::*;
use aclsan_render::{Report, json};
use aclsan_rules::evidence::estimate::Spread;
use aclsan_rules::evidence::rule::Severity;
use aclsan_schema::check;
use parts::{autopsy, pinner, ranks};

/// A report in which every list has an element and every optional value is present once.
fn full() -> Report {
    let trace = Trace {
        what: "allocated",
        function: "aclrtMalloc".to_owned(),
        frames: vec![
            Frame {
                address: u64::MAX,
                function: Some("main".into()),
                file: Some("a.c".into()),
                line: Some(3),
                label: Some("main::{lambda()#1}".into()),
                trimmed: Some(aclsan_frames::Hidden::StartUp),
                ..Frame::default()
            },
            Frame {
                language: Language::Python,
                ..Frame::default()
            },
            Frame::default(),
        ]
        .into(),
        source: Some(Box::new(SourceLines {
            file: "a.c".into(),
            line: 3,
            first: 3,
            lines: vec!["main();".to_owned()],
            ..SourceLines::default()
        })),
    };
    let stacks = Stacks {
        here: Trace {
            what: "here",
            ..trace.clone()
        },
        earlier: vec![trace.clone()],
    };
    let finding = Finding {
        rule: "double-free",
        severity: Severity::Error,
        own_severity: Severity::Error,
        message: "m".to_owned(),
        count: 2,
        pid: 1,
        pids: vec![1],
        met: Vec::new(),
        thread: 1,
        first_ns: 1,
        last_ns: 2,
        address: Some(0x1000),
        block: Some(FindingBlock {
            address: 0x1000,
            size: 64,
            family: "device",
            device: -1,
            offset: 0,
        }),
        fingerprint: fingerprint("double-free", &stacks),
        site: stacks.here.site(),
        stacks,
        details: vec!["d".to_owned()],
        growth: Some(Growth {
            epoch: "time slice",
            epoch_ns: Some(1),
            epochs_seen: 16,
            warm_up: 4,
            stride: 1,
            steps: 11,
            rises: 11,
            falls: 0,
            first_bytes: 1,
            last_bytes: 2,
            slope_bytes: 1,
            r2_percent: 99,
            confidence: aclsan_rules::evidence::trend::Confidence::Low,
        }),
        runtime: String::new(),
        instead: String::new(),
        consequences: Vec::new(),
        thread_name: Some("loader".to_owned()),
    };
    let bare = Finding {
        consequences: vec![finding.clone()],
        address: None,
        block: None,
        growth: None,
        ..finding.clone()
    };
    let site = LeakSite {
        pid: 1,
        pids: vec![1],
        processes: Vec::new(),
        alike: 1,
        root: None,
        fingerprint: String::new(),
        bytes: 1,
        blocks: 1,
        spread: Spread::of_parts(1 << 19, 1 << 19, 1),
        estimate: None,
        largest_bytes: 1,
        youngest_ns: 0,
        oldest_ns: 0,
        family: "device",
        device: 0,
        thread: 1,
        names: vec!["n".to_owned()],
        class: "lost",
        is_reclaimed: true,
        allocated: trace.clone(),
        parts: vec![LeakPart {
            process: Some(0),
            pid: 1,
            thread: 1,
            below_ns: 1_000_000,
            epoch: "step".to_owned(),
            blocks: 1,
            bytes: 1,
        }],
        thread_name: Some("loader".to_owned()),
    };
    let class = SpaceClass {
        process: 0,
        typical: Unusable {
            request_bytes: 1,
            share: 0.5,
        },
        typical_at_end: Unusable {
            request_bytes: 1,
            share: 0.5,
        },
        pinners: vec![pinner(&trace)],
        pid: 1,
        device: 0,
        page: "2M",
        peak_ns: 0,
        end: Space::of(Vec::new()),
        peak: Space::of(Vec::new()),
    };
    let point = Point {
        ns: 1,
        live: [1; aclsan_render::model::LINES],
    };
    let cut = Cut {
        pid: 1,
        process: 0,
        offset: 4096,
        lost_bytes: 5,
    };
    let pool_site = PoolSite {
        allocated: trace.clone(),
        ..PoolSite::default()
    };
    let fit = Fit {
        pid: 1,
        process: 0,
        device: -1,
        page: "2M",
        request_bytes: 1,
        from_ns: 0,
        until_ns: 2,
        fits_ns: 1,
        changes: vec![FitChange { ns: 1, fits: true }],
        changes_left_out: 0,
    };
    let word = RuntimeMemInfo {
        free_bytes: 1,
        total_bytes: 2,
        ns: 0,
        taken_bytes: 1,
        returned_bytes: 0,
    };
    let idle = AllocationSite {
        pid: 1,
        process: 0,
        family: "device",
        allocations: 1,
        releases: 0,
        allocated_bytes: 1,
        peak_bytes: 1,
        peak_ns: 0,
        repeated: 0,
        slack: None,
        lifetime: None,
        latency: None,
        allocated: trace.clone(),
    };
    let busy = AllocationSite {
        slack: Some(Slack::default()),
        lifetime: Some(Lifetime::default()),
        latency: Some(Latency {
            p99_ns: Some(11_000),
            outgrown: Some(Outgrown::default()),
            ..Latency::default()
        }),
        ..idle.clone()
    };
    let unknown = Unknown {
        pid: 1,
        process: 0,
        count: 1,
        address: 0xabc,
        released: trace.clone(),
    };
    Report {
        // Two processes with one number, which therefore have names.
        processes: vec![Process::default(), Process::default()],
        findings: vec![finding, bare],
        leaks: Leaks::new(vec![site]),
        ranks: ranks(&trace),
        fragmentation: Fragmentation {
            is_estimate: true,
            classes: vec![class],
            fits: vec![fit],
        },
        autopsies: vec![autopsy(&trace, Some(word)), autopsy(&trace, None)],
        allocations: Allocations {
            sites: vec![busy, idle],
            left_out: 1,
            latencies: Some(Latencies::default()),
        },
        timeline: Timeline {
            families: vec!["device"],
            processes: vec![Line {
                pid: 1,
                process: 0,
                points: vec![point],
            }],
        },
        annotations: Annotations {
            pools: vec![Pool {
                source: "mstx",
                sites: vec![pool_site],
                inside: PoolUse {
                    reuse: Some(Reuse::default()),
                    classes: vec![PoolClass::default()],
                    ..PoolUse::default()
                },
                attributes: Some(PoolAttributes {
                    event_dependencies: Some(Setting {
                        value: 1,
                        reported: "read",
                    }),
                    used: Some(Reading::default()),
                    ..PoolAttributes::default()
                }),
                ..Pool::default()
            }],
            epochs: vec![Epoch {
                kind: "range",
                end_ns: Some(1),
                ..Epoch::default()
            }],
            snapshots: vec![Snapshot::default()],
            ..Annotations::default()
        },
        transfers: Transfers {
            sites: vec![TransferSite {
                transferred: Trace {
                    what: "transferred",
                    ..trace.clone()
                },
                ..TransferSite::default()
            }],
            ..Transfers::default()
        },
        metrics: Metrics {
            functions: vec![FunctionUse::default()],
            failures: vec![Failure::default()],
            families: vec![FamilyUse {
                peak_estimate: Estimate::of(1, &Spread::of_parts(1, 1, 1)),
                live_estimate: Estimate::of(1, &Spread::of_parts(1, 1, 1)),
                ..FamilyUse::default()
            }],
            devices: vec![DeviceUse {
                least_free_bytes: Some(1),
                peak_estimate: Estimate::of(1, &Spread::of_parts(1, 1, 1)),
                ..DeviceUse::default()
            }],
            unknown_origin: UnknownOrigin {
                pointers: 1,
                sites: vec![unknown],
            },
        },
        own: EvidenceQuality {
            damage: vec![cut],
            stack_sample: 64,
            block_sample: 4096,
            guard_notices: vec!["n".to_owned()],
            symbol_warnings: vec!["w".to_owned()],
            ..EvidenceQuality::default()
        },
        ..Report::default()
    }
}

#[test]
fn a_full_report_and_an_empty_one_fit_the_schema() {
    assert_eq!(check(&json::document(&full())), Vec::<String>::new());
    let mut empty = Report::default();
    empty.fragmentation.is_estimate = true;
    assert_eq!(check(&json::document(&empty)), Vec::<String>::new());
}

#[test]
fn the_check_would_notice() {
    let mut document = json::document(&full());
    document["findings"][0]["severity"] = "fatal".into();
    document["findings"][1]["address"] = "1000".into();
    document["leaks"]["bytes"] = (-1).into();
    document["novel"] = 1.into();
    if let Some(self_) = document["self"].as_object_mut() {
        self_.remove("damage");
    }
    let found = check(&document);
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn the_contracts_members_are_there() {
    let document = json::document(&full());
    let finding = &document["findings"][0];
    assert_eq!(document["schema_version"], 2);
    assert_eq!(finding["address"], "0x1000");
    assert_eq!(finding["block"]["family"], "device");
    assert_eq!(
        finding["stacks"]["here"]["frames"][0]["address"],
        "0xffffffffffffffff"
    );
    assert_eq!(finding["stacks"]["earlier"][0]["function"], "aclrtMalloc");
    assert_eq!(finding["site"]["line"], 3);
    assert_eq!(finding["fingerprint"].as_str().map(str::len), Some(16));
}

/// Needs Python with `jsonschema`; without it, says so and passes.
#[test]
fn python_jsonschema_agrees() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let report = folder.join("full-report.json");
    std::fs::write(&report, json::document(&full()).to_string())
        .expect("the target folder is writable");
    let script = "import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(77)
schema, report = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(report)";
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/report.schema.json");
    let status = Command::new("python3")
        .arg("-c")
        .arg(script)
        .arg(schema)
        .arg(report)
        .status();
    match status.ok().and_then(|status| status.code()) {
        Some(77) | None => eprintln!("no Python with `jsonschema` here: not checked"),
        code => assert_eq!(code, Some(0), "Python's jsonschema refuses the report"),
    }
}
