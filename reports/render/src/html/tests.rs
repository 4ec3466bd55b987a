//! Whole pages: complete, bounded, deterministic, and safe whatever the log says.

use std::io::Read;

use flate2::read::DeflateDecoder;
use serde_json::Value;

use super::*;
use crate::model::{
    ChangeKind, Collector, Epoch, LINES, LeakScan, LeakSite, Leaks, Line, Occurrence, Point,
    Process, ScanGap, SourceLines,
};
use crate::testing::history;
use crate::testing::{leaky, report};

/// Closes elements, attributes, JSON texts and lines; changes the text direction; controls terminals.
const HOSTILE: &str = "</script><script>alert(1)</script>\"' onload=x {{data}} <!-- ]]> \u{202e}\u{2066}\u{61c}\0\x1b[31m\\u003c";

fn story() -> Vec<BlockLifetimes> {
    let history = history();
    let mut collector = Collector::new(1000);
    history
        .changes
        .iter()
        .for_each(|change| collector.change(change));
    vec![collector.finish(history.pid, history.duration_ns, history.traces)]
}

/// A log in which every text is hostile.
fn hostile() -> (Report, Vec<BlockLifetimes>) {
    let (mut report, mut lives) = (report(), story());
    let spoil = |trace: &mut crate::model::Trace| {
        trace.function = HOSTILE.to_owned();
        for frame in trace.frames.iter_mut() {
            frame.function = Some(HOSTILE.into());
            frame.file = Some(HOSTILE.into());
            frame.module = HOSTILE.into();
        }
        trace.source = Some(Box::new(SourceLines {
            line: 1,
            first: 1,
            lines: vec![HOSTILE.to_owned()],
            ..SourceLines::default()
        }));
    };
    lives[0].traces.iter_mut().for_each(spoil);
    for finding in &mut report.findings {
        finding.message = HOSTILE.to_owned();
        finding.details = vec![HOSTILE.to_owned()];
        spoil(&mut finding.stacks.here);
        finding.stacks.earlier.iter_mut().for_each(spoil);
    }
    let other = report.findings[0].clone();
    report.findings[1].consequences.push(other);
    let mut allocated = report.findings[0].stacks.here.clone();
    spoil(&mut allocated);
    report.leaks = Leaks::new(vec![LeakSite {
        pid: 42,
        pids: vec![42],
        processes: vec![0],
        alike: 1,
        bytes: 5000,
        blocks: 1,
        largest_bytes: 5000,
        youngest_ns: 1,
        oldest_ns: 1,
        family: "device",
        device: 0,
        thread: 1,
        names: vec![HOSTILE.to_owned()],
        class: "unknown",
        is_reclaimed: true,
        allocated,
        ..LeakSite::default()
    }]);
    report.processes = vec![Process {
        pid: 42,
        arguments: HOSTILE.to_owned(),
        host: HOSTILE.to_owned(),
        soc: HOSTILE.to_owned(),
        ..Process::default()
    }];
    report.annotations.epochs = vec![Epoch {
        pid: 42,
        name: HOSTILE.to_owned(),
        ..Epoch::default()
    }];
    (report, lives)
}

fn data(page: &str) -> Value {
    let text = page
        .split("id=\"data\">")
        .nth(1)
        .and_then(|rest| rest.split('<').next());
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for letter in text.expect("the page has data").chars() {
        let Some(digit) = digits.find(letter) else {
            continue;
        };
        (bits, held) = (bits << 6 | digit as u32, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    let mut json = String::new();
    let mut inflated = DeflateDecoder::new(&bytes[..]);
    inflated.read_to_string(&mut json).expect("it is deflated");
    serde_json::from_str(&json).expect("it is JSON")
}

/// Elements that are opened but not closed, or closed but not opened.
fn unbalanced(page: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        rest = tag;
        match tag.starts_with('/') {
            _ if ["", "meta", "link", "input", "br", "wbr"].contains(&name.as_str()) => {}
            true if open.last() == Some(&name) => drop(open.pop()),
            true => wrong.push(name),
            false => {
                // The contents of these are not markup.
                if ["script", "style"].contains(&name.as_str()) {
                    rest = tag.find(&format!("</{name}")).map_or("", |end| &tag[end..]);
                }
                open.push(name);
            }
        }
    }
    wrong.extend(open);
    wrong
}

#[test]
fn a_page_is_whole_and_the_same_each_time() {
    let (report, lives) = (report(), story());
    let page = document(&report, &lives, MAX_PAGE_BYTES, None);
    assert_eq!(page, document(&report, &lives, MAX_PAGE_BYTES, None));
    assert_eq!(unbalanced(&page), Vec::<String>::new());
    assert!(!page.contains("{{") && !page.contains("}}"));
    assert!(page.starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_leak_of_several_calls_reports_their_sum_in_both_languages() {
    let page = document(&leaky(), &[], MAX_PAGE_BYTES, None);
    let all = "4.0 MiB in 2 blocks in all, from calls of one line";
    assert!(
        page.contains(&format!(
            "合计 4.0 MiB，共 2 个内存块，来自同一行的多个调用\">{all}</span>"
        )),
        "{page}"
    );
}

#[test]
fn a_shell_is_small_and_asks_for_nothing() {
    let page = document(&Report::default(), &[], MAX_PAGE_BYTES, None);
    assert!(page.len() < 150 << 10, "{} bytes", page.len());
    for word in [
        "http:",
        "https:",
        "src=",
        "@import",
        "url(",
        "eval(",
        "innerHTML",
        " style=",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    assert!(!page.contains("unsafe-inline"));
}

#[test]
fn nothing_that_a_log_says_becomes_markup() {
    let (report, lives) = hostile();
    let page = document(&report, &lives, MAX_PAGE_BYTES, None);
    assert_eq!(unbalanced(&page), Vec::<String>::new());
    assert_eq!(
        page.matches("<script").count(),
        3,
        "two of data, one of ours"
    );
    assert!(page.contains("&lt;script&gt;alert(1)"));
    let is_unsafe = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(page.find(is_unsafe), None);
    // Texts in the data are escaped too: they are shown on a canvas and in tooltips.
    let text = data(&page).to_string();
    assert!(text.contains("alert(1)"));
    assert_eq!(text.find(|c: char| c.is_control() || c == '\u{202e}'), None);
}

#[test]
fn tables_say_all_without_the_script() {
    let page = document(&report(), &story(), MAX_PAGE_BYTES, None);
    for words in [
        "double-free",
        "released a block twice: 100% &lt;wrong&gt;",
        "train.cpp:42",
        "release it once",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains("<noscript>"));
}

#[test]
fn what_follows_from_a_finding_is_folded_below_it() {
    let (mut report, lives) = (report(), story());
    let other = crate::model::Finding {
        rule: "guard-overrun",
        message: "found by `aclrtFree`".to_owned(),
        ..report.findings[0].clone()
    };
    assert!(!document(&report, &lives, MAX_PAGE_BYTES, None).contains("data-t=\"consequences\""));
    report.findings[0].consequences.push(other);
    let page = document(&report, &lives, MAX_PAGE_BYTES, None);
    let fold = "<summary><span data-t=\"consequences\">consequences</span> (1)</summary>";
    assert!(page.contains(fold), "{page}");
    assert_eq!(page.matches("<code>guard-overrun</code>").count(), 1);
}

#[test]
fn classes_of_leaks_and_the_scan_are_reported() {
    let (mut report, lives) = hostile();
    let lost = report.leaks.sites[0].clone();
    let known = [
        ("lost", 4000),
        ("still reachable", 800),
        ("kept for the process", 200),
    ];
    let sites = known.map(|(class, bytes)| LeakSite {
        class,
        bytes,
        ..lost.clone()
    });
    report.leaks = Leaks::new(sites.to_vec());
    let (what, count) = ("threads", 2);
    let gap = ScanGap { what, count };
    for (pid, outcome) in [(42, "whole"), (43, "cut short"), (44, "failed")] {
        report.leaks.scans.push(LeakScan {
            pid,
            process: 0,
            outcome,
            bytes: 12 << 10,
            ns: 2_000_000,
            threads: 3,
            gaps: vec![gap.clone()],
        });
    }
    let page = document(&report, &lives, MAX_PAGE_BYTES, None);
    assert_eq!(unbalanced(&page), Vec::<String>::new());
    // One row of the sums and one of the leaks.
    for class in ["lost", "reachable", "cache"] {
        let mark = format!("<td><span data-t=\"class-{class}\">");
        assert_eq!(page.matches(&mark).count(), 2, "{class}");
    }
    for outcome in ["whole", "cut", "failed"] {
        let mark = format!("data-t=\"scan-{outcome}\"");
        assert!(page.contains(&mark), "{outcome}");
    }
    assert!(page.contains("2.0 ms</td><td>3</td><td><span data-t=\"gap-threads\">"));
    // Without a scan, nothing is claimed.
    report.leaks = Leaks::new(vec![lost]);
    let page = document(&report, &lives, MAX_PAGE_BYTES, None);
    assert!(page.contains("class-unknown") && !page.contains("data-t=\"scans\""));
}

#[test]
fn the_data_are_the_blocks() {
    let data = data(&document(&report(), &story(), MAX_PAGE_BYTES, None));
    let process = &data["processes"][0];
    // From 1 ms for 2 ms, released; from 2 ms to the end after 2 ms, live.
    assert_eq!(
        process["blocks"]["begin"],
        serde_json::json!([1_000_000, 1_000_000])
    );
    assert_eq!(
        process["blocks"]["length"],
        serde_json::json!([2_000_000, 2_000_000])
    );
    assert_eq!(process["blocks"]["fate"], serde_json::json!([2, 0]));
    assert_eq!(process["blocks"]["ignored"], serde_json::json!([0, 0]));
    assert_eq!(
        process["sums"],
        serde_json::json!([[0, 0, 4096, 4096], [1000, 1000, 1000, 0]])
    );
    assert_eq!(process["whole"], true);
}

#[test]
fn two_processes_of_one_number_are_two() {
    let (mut report, lives) = (report(), [story(), story()].concat());
    report.processes = ["a", "b", "c"]
        .map(|host| Process {
            pid: if host == "c" { 43 } else { 42 },
            host: host.to_owned(),
            ..Process::default()
        })
        .to_vec();
    let lines = [0, 1].map(|process| Line {
        pid: 42,
        process,
        points: vec![Point {
            ns: 10 * (process as u64 + 1),
            live: [0; LINES],
        }],
    });
    report.timeline.processes = lines.to_vec();
    report.annotations.epochs = vec![Epoch {
        pid: 42,
        process: 1,
        ..Epoch::default()
    }];
    // Both processes had the first finding, only the second had the second.
    let met = [(0, 5), (1, 6)].map(|(process, first_ns)| Occurrence { process, first_ns });
    report.findings[0].met = met.to_vec();
    report.findings[1].met = met[1..].to_vec();
    let page = document(&report, &lives, MAX_PAGE_BYTES, None);
    let data = data(&page);
    let of = |at: usize, what: &str| data["processes"][at][what].clone();
    assert_eq!(of(0, "points")["ns"], serde_json::json!([10]));
    assert_eq!(of(1, "points")["ns"], serde_json::json!([20]));
    let counts = [0, 1].map(|at| of(at, "epochs").as_array().map(Vec::len));
    assert_eq!(counts, [Some(0), Some(1)]);
    // When each had it, and the row of the finding.
    let marks = |at| -> Vec<(u64, u64)> {
        let all = of(at, "findings");
        let all = all.as_array().expect("a list").iter();
        all.map(|mark| (mark[0].as_u64().unwrap(), mark[3].as_u64().unwrap()))
            .collect()
    };
    assert_eq!(marks(0), [(5, 0)]);
    assert_eq!(marks(1), [(6, 0), (6, 1)]);
    assert!(page.contains("id=\"finding-0\" class=\"error\" data-process=\"0\" data-also=\"1-1\""));
    assert!(page.contains("id=\"finding-1\" class=\"note\" data-process=\"1\" data-begin"));
    assert_eq!([of(0, "process"), of(1, "process")], ["42@a", "42@b"]);
    report.processes[1].pid = 44;
    let page = document(&report, &lives, MAX_PAGE_BYTES, None);
    assert_eq!(self::data(&page)["processes"][0]["process"], "42");
}

#[test]
fn a_page_has_the_size_that_was_asked_for_and_says_what_it_lacks() {
    let (mut report, mut lives) = (report(), story());
    let finding = report.findings[0].clone();
    report.findings = vec![finding; 2000];
    let process = Process {
        arguments: "<".repeat(5000),
        ..Process::default()
    };
    report.processes = vec![process; 1000];
    // Sizes and times that do not compress.
    let mut state = 1_u64;
    let born = lives[0].lives[0].born;
    lives[0].lives = (0..30_000)
        .map(|block| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mut life = lives[0].lives[0];
            life.born = crate::model::Change {
                block,
                size: state >> 40,
                address: state >> 20,
                ns: born.ns + block as u64 * 1000,
                what: ChangeKind::Allocated,
                ..born
            };
            life
        })
        .collect();
    for most in [MIN_PAGE_BYTES, MAX_PAGE_BYTES] {
        let page = document(&report, &lives, most, None);
        assert!(page.len() as u64 <= most, "{} of {most}", page.len());
        assert!(page.contains("data-t=\"left-out-findings\""));
        let is_cut = data(&page)["processes"][0]["whole"] == false;
        assert_eq!(is_cut, page.contains("data-t=\"left-out-blocks\""));
        assert_eq!(is_cut, most < MAX_PAGE_BYTES);
    }
}
