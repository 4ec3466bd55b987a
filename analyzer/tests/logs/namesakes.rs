//! Processes that share a number, as in containers, where each may be 7, or one after another. Each has a name, and all output about it
//! uses that name.

use std::collections::{BTreeMap, BTreeSet};

use aclsan_log::{Definition, Event, Mapping, ScanOutcome};
use serde_json::Value;

use super::golden::full;
use super::languages;
use super::many::rank_at;
use super::story::*;

/// Ranks in containers, where every one is process 7: six, of which rank 4 keeps 100 MiB and rank 3 releases a block twice.
fn pods() -> Folder {
    let folder = Folder::new();
    for n in 0..6 {
        let kept = if n == 4 { 100 } else { 2 };
        let mut synth = rank_at(n, kept, (7, &format!("pod{n}")));
        if n == 3 {
            let (address, mapping) = (0x24_0000_0000, Mapping::Unknown);
            let site = synth.site("aclrtFree", 0, 3, &[0x40_3000]);
            let again = Event::ReleaseAt {
                site,
                address,
                mapping,
            };
            synth.at(6).event(7, again);
        }
        folder.file(&format!("rank{n}.aclsan"), &synth.bytes());
    }
    folder
}

#[test]
fn processes_of_one_number_are_distinguished_by_their_machines() {
    let folder = pods();
    let text = folder.run(&["report", "."]).out;
    for line in [
        "  110.0 MiB in 6 blocks in all, alike in processes 7@pod0, 7@pod1, 7@pod2, 7@pod3, 7@pod4, 7@pod5\n",
        "ERROR: aclsan: double-free: ",
        "  In process 7@pod3\n",
        "process 7@pod4 stands out: leaked bytes 100.0 MiB",
        "1 of 6 processes, only 7@pod3",
        "100.0 MiB (process 7@pod4)",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let chinese = folder.run(&["report", "--lang", "zh", "."]).out;
    assert!(chinese.contains("出现于进程 7@pod3"), "{chinese}");
    assert_eq!(languages::english_left(&chinese), [""; 0]);
    let json = folder.run(&["report", "--json", "."]).json();
    assert_eq!(aclsan_schema::check(&json), Vec::<String>::new());
    let pids = serde_json::json!([7, 7, 7, 7, 7, 7]);
    let places = serde_json::json!([0, 1, 2, 3, 4, 5]);
    let site = &json["leaks"]["sites"][0];
    assert_eq!((&site["pids"], &site["processes"]), (&pids, &places));
    let findings = json["findings"].as_array().unwrap().iter();
    let of = |rule: &str| findings.clone().find(|f| f["rule"] == rule).unwrap();
    let (leak, again) = (of("leak"), of("double-free"));
    assert_eq!((&leak["pids"], &leak["processes"]), (&pids, &places));
    assert_eq!(again["processes"], serde_json::json!([3]));
    let threads = folder.run(&["leaks", "--by", "thread", "."]).out;
    assert!(
        threads.contains("  process 7@pod4, thread 7       1  100.0 MiB\n"),
        "{threads}"
    );
    let changes = folder.run(&["diff", "rank0.aclsan", "."]).out;
    assert!(changes.contains("  In process 7@pod3\n"), "{changes}");
    let page = page(&folder);
    assert!(page.contains("<td class=\"n\">7@pod0 +5</td>"));
    assert!(page.contains("<td class=\"n\">7@pod3</td>"));
}

/// Two logs of process 7 of one machine, the second of which is `other`.
fn two(one: &[u8], other: &[u8]) -> Folder {
    let folder = Folder::new();
    folder.file("a.aclsan", &numbered(7, one.to_vec()));
    folder.file("b.aclsan", &numbered(7, other.to_vec()));
    folder
}

/// Checks that all `lines` are printed in this order, and that nothing stays English in Chinese.
fn says(folder: &Folder, arguments: &[&str], lines: &[&str]) {
    let said = folder.run(arguments).out;
    let mut rest = said.as_str();
    for line in lines {
        let at = rest.find(line);
        let at = at.unwrap_or_else(|| panic!("{arguments:?}: {line}\n{said}"));
        rest = &rest[at + line.len()..];
    }
    let chinese = folder.run(&[&["--lang", "zh"], arguments].concat()).out;
    assert_eq!(languages::english_left(&chinese), [""; 0], "{arguments:?}");
    assert!(chinese.contains("7@node1#2"), "{chinese}");
}

fn page(folder: &Folder) -> String {
    folder.run(&["report", "--html", "page.html", "."]);
    std::fs::read_to_string(folder.path().join("page.html")).expect("the page")
}

#[test]
fn views_of_memory_say_whose_it_is() {
    let folder = two(&full(false).bytes(), &full(true).bytes());
    says(
        &folder,
        &["frag", "--pool", "."],
        &[
            "  In process 7@node1#1\n==7==   `cache`, reported by annotation, device 0\n",
            "  In process 7@node1#2\n==7==   `cache`, reported by annotation, device 0\n",
        ],
    );
    let fits = "7.0 MiB between blocks in pages of 2M on device 0: found for ";
    says(
        &folder,
        &["frag", "--would-fit", "7MiB", "."],
        &[
            fits,
            "\n==7==   In process 7@node1#1\n==7==   from ",
            fits,
            "\n==7==   In process 7@node1#2\n==7==   from ",
        ],
    );
}

/// Three blocks apart, one of which took 200 µs; four copies of the same memory; a snapshot.
fn busy() -> Vec<u8> {
    let (mut synth, malloc, _) = beginning();
    let (key, value) = ("slow_ns".to_owned(), "10000".to_owned());
    synth.define(Definition::Property { key, value });
    let text = "taken".to_owned();
    synth.define(Definition::Text { id: 1, text });
    let snapshot = synth.site("aclsan_snapshot", 0, -1, &[0x40_1600]);
    let copy = synth.site("aclrtMemcpy", 1, 0, &[0x40_1800]);
    let last = [1, 2, 3].map(|n| synth.allocation(7, malloc, n << 20, 512 << 10))[2];
    let slow = Event::Slow {
        block: last,
        ns: 200_000,
    };
    synth.event(7, slow);
    let copied = Event::Copy {
        site: copy,
        to: 1 << 20,
        room: 512 << 10,
        from: 0x7fff_0000,
        count: 512 << 10,
        stream: 0,
    };
    for _ in 0..4 {
        synth.event(7, copied);
    }
    synth.event(7, called(snapshot, &[1, 3, 1536 << 10]));
    synth.event(7, Event::Exit);
    synth.bytes()
}

#[test]
fn places_and_budgets_say_whose_they_are() {
    let folder = two(&busy(), &busy());
    let slow = "\n==7==   1 allocation of this place, the slowest 200.0 µs, ";
    says(
        &folder,
        &["report", "."],
        &[
            "  7@node1#1  taken      0 ns            3     1.5 MiB\n",
            "  7@node1#2  taken      0 ns            3     1.5 MiB\n",
            &format!("  In process 7@node1#1{slow}"),
            &format!("  In process 7@node1#2{slow}"),
            "  7@node1#1  train+0x1800  -                 4            3  2.0 MiB\n",
            "  7@node1#2  train+0x1800  -                 4            3  2.0 MiB\n",
        ],
    );
    let page = page(&folder);
    assert!(page.contains("<tr><td>7@node1#1</td><td>2.0 MiB</td><td>4</td>"));
    assert!(page.contains("<tr><td>7@node1#2</td><td>2.0 MiB</td><td>4</td>"));
    folder.file(
        "aclsan.toml",
        b"[[check.sites]]\nplace = 'train'\nmax_peak = '1MiB'\n",
    );
    // Of equals, the last.
    says(
        &folder,
        &["check", "--max-peak", "1MiB", "--max-frag", "30", "."],
        &[
            "process 7@node1#2 had 1.5 MiB live on device 0, `--max-peak` allows 1.0 MiB",
            "device 0 of process 7@node1#2 was 50.0 % fragmented at its peak (4K pages)",
            "a call stack in `train` had 1.5 MiB live in process 7@node1#2, its budget allows 1.0 MiB to each",
        ],
    );
}

#[test]
fn what_the_evidence_lacks_names_its_process() {
    let (first, mut second) = (faulty(), faulty());
    second.at(7_000_000).event(
        7,
        Event::Scan {
            outcome: ScanOutcome::Failed,
            bytes: 0,
            ns: 0,
            threads: 1,
        },
    );
    let mut cut = second.bytes();
    cut.extend([1; 30]);
    let folder = two(&first.bytes(), &cut);
    let damaged = format!(
        "the log of process 7@node1#2 is damaged at byte {}: 30 bytes are lost",
        cut.len() - 30
    );
    says(
        &folder,
        &["report", "."],
        &[
            "the memory of process 7@node1#2 could not be scanned",
            "Unknown origin: ",
            "  In process 7@node1#1\n==7==   released by `aclrtFree`, 1 time, the first 0xdead0000:",
            "  In process 7@node1#2\n==7==   released by `aclrtFree`, 1 time, the first 0xdead0000:",
            &damaged,
        ],
    );
}

#[test]
fn the_page_has_the_names_in_every_table() {
    let folder = two(&full(false).bytes(), &full(true).bytes());
    let page = page(&folder);
    assert!(!page.contains("<tr><td>7</td>"));
    // In order: memory scanned for pointers, memory, fragmentation in two page classes, pools, processes.
    for name in ["7@node1#1", "7@node1#2"] {
        let row = format!("<tr><td>{name}</td>");
        assert_eq!(page.matches(&row).count(), 7, "{name}");
    }
    // Of equal peaks on a device, the first.
    assert!(page.contains("<td>7@node1#1</td></tr>"));
}

#[test]
fn a_name_is_in_the_report_however_many_there_are() {
    let folder = Folder::new();
    for n in 0..20 {
        let log = rank_at(n, 2, (7, "vm")).bytes();
        folder.file(&format!("rank{n:02}.aclsan"), &log);
    }
    folder.file("rank20.aclsan", &rank_at(20, 2, (8, "vm")).bytes());
    let json = folder.run(&["report", "--json", "."]).json();
    assert_eq!(aclsan_schema::check(&json), Vec::<String>::new());
    let processes = json["processes"].as_array().expect("a list");
    for (n, process) in processes[..20].iter().enumerate() {
        assert_eq!(process["name"], format!("7@vm#{}", n + 1));
        assert_eq!(process["log"], format!("./rank{n:02}.aclsan"));
    }
    // Its number is its own.
    assert_eq!(processes[20].get("name"), None);
    let all = folder.run(&["report", "--limit", "0", "."]).out;
    assert!(
        all.contains("==7== aclsan: process 7@vm#20: train on vm: 3 calls in 6 ns, from ./rank19.aclsan\n==8== aclsan: train on vm: "),
        "{all}"
    );
}

/// Collects the places in a report with rows of one process, and the process indices in them.
fn rows(value: &Value, at: &str, found: &mut BTreeMap<String, BTreeSet<Option<u64>>>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| rows(one, at, found)),
        Value::Object(all) => {
            let reports_several = all.contains_key("processes") || all.contains_key("log");
            if all.contains_key("pid") && !reports_several {
                let of = all.get("process").and_then(Value::as_u64);
                found.entry(at.to_owned()).or_default().insert(of);
            }
            let members = all.iter();
            members.for_each(|(name, one)| rows(one, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

#[test]
fn rows_of_json_say_whose_they_are() {
    let mut found = BTreeMap::new();
    for [one, other] in [[busy(), busy()], [(); 2].map(|()| full(true).bytes())] {
        let folder = two(&one, &other);
        let json = folder.run(&["report", "--json", "."]).json();
        assert_eq!(aclsan_schema::check(&json), Vec::<String>::new());
        rows(&json, "", &mut found);
    }
    let both = BTreeSet::from([Some(0), Some(1)]);
    for (at, of) in &found {
        assert_eq!(of, &both, "{at}");
    }
    let reported: Vec<_> = found.keys().map(String::as_str).collect();
    assert_eq!(
        reported,
        [
            "/allocations/sites",
            "/annotations/epochs",
            "/annotations/pools",
            "/annotations/snapshots",
            "/autopsies",
            "/fragmentation/classes",
            "/leaks/scans",
            "/leaks/sites/parts",
            "/metrics/devices",
            "/metrics/families",
            "/timeline/processes",
            "/transfers/sites",
        ]
    );
}
