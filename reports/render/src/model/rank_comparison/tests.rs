//! Comparisons with hand-computed results.

use super::*;
use crate::model::Frame;

const MIB: u64 = 1 << 20;

/// Processes with these leaked bytes, in MiB.
fn leaking(mib: &[u64]) -> Ranks {
    let mut book = RankAggregator::default();
    for (&leaked, pid) in mib.iter().zip(100..) {
        let rank = Rank {
            pid,
            leaked_bytes: leaked * MIB,
            ..Rank::default()
        };
        book.process(rank, &[]);
    }
    book.finish()
}

fn outliers(ranks: &Ranks) -> Vec<(u32, &str, f64)> {
    let outliers = ranks.outliers.iter();
    outliers.map(|o| (o.pid, o.measure, o.score)).collect()
}

#[test]
fn the_modified_z_score_by_hand() {
    // Sorted 8 9 10 11 12 60: the lower middle is 10; distances 0 1 1 2 2 50, whose lower middle is 1.
    // (60 − 10) · 0.6745 / 1 = 33.7; (12 − 10) · 0.6745 = 1.3.
    let ranks = leaking(&[10, 9, 11, 60, 12, 8]);
    let measure = ranks
        .measures
        .iter()
        .find(|m| m.name == "leaked_bytes")
        .unwrap();
    assert_eq!(
        (measure.least, measure.median, measure.most),
        (8 * MIB, 10 * MIB, 60 * MIB)
    );
    assert_eq!(measure.mad, MIB);
    assert_eq!(outliers(&ranks), [(103, "leaked_bytes", 33.7)]);
}

#[test]
fn one_of_equals_is_an_outlier_from_five_processes_on() {
    // The mean distance of four equal ones and another is d / 5: d / (1.2533 · d / 5) = 3.99.
    assert_eq!(
        outliers(&leaking(&[2, 2, 2, 2, 4])),
        [(104, "leaked_bytes", 4.0)]
    );
    // The one below stands out as well.
    assert_eq!(
        outliers(&leaking(&[4, 4, 4, 4, 0])),
        [(104, "leaked_bytes", -4.0)]
    );
    assert_eq!(outliers(&leaking(&[2, 2, 2, 900])), []);
    assert_eq!(outliers(&leaking(&[0, 0, 0, 0, 0])), []);
}

#[test]
fn a_small_distance_is_no_outlier_whatever_its_score() {
    // 104 of 100 is less than a twentieth; 105 is one.
    assert_eq!(outliers(&leaking(&[100, 100, 100, 100, 104])), []);
    assert_eq!(
        outliers(&leaking(&[100, 100, 100, 100, 105])),
        [(104, "leaked_bytes", 4.0)]
    );
}

#[test]
fn ranks_that_differ_evenly_have_no_outlier() {
    // Distances from 30: 20 10 0 10 20, middle 10: the farthest scores 20 · 0.6745 / 10 = 1.3.
    assert_eq!(outliers(&leaking(&[10, 20, 30, 40, 50])), []);
}

#[test]
fn what_is_suppressed_is_compared_no_more() {
    let mut ranks = leaking(&[2, 2, 2, 2, 4]);
    ranks.processes[4].held = vec![(0xab, 2 * MIB)];
    ranks.processes[4].findings = 1;
    ranks.forget("00000000000000ab", true);
    ranks.compare();
    assert_eq!(outliers(&ranks), []);
    assert_eq!(
        (ranks.processes[4].leaked_bytes, ranks.processes[4].findings),
        (2 * MIB, 0)
    );
}

fn at(line: u32) -> Trace {
    Trace {
        what: "allocated",
        function: "aclrtMalloc".to_owned(),
        frames: vec![Frame {
            address: 0x1000 * u64::from(line),
            function: Some("load".into()),
            line: Some(line),
            ..Frame::default()
        }]
        .into(),
        source: None,
    }
}

#[test]
fn places_are_reported_across_processes_and_devices_by_host() {
    let mut book = RankAggregator::default();
    for pid in 1..=6_u32 {
        let host = if pid < 4 { "a" } else { "b" };
        let rank = Rank {
            pid,
            host: host.to_owned(),
            ..Rank::default()
        };
        let device = (pid % 2) as i32;
        book.process(rank, &[(device, u64::from(pid), 10 * u64::from(pid))]);
        // Every process has line 7, at an address of its own; 6 alone has line 8; all but 2 have line 9.
        book.site(
            7,
            "device",
            (100 * u64::from(pid), u64::from(pid == 5)),
            || at(7),
        );
        if pid == 6 {
            book.site(8, "device", (50, 0), || at(8));
        }
        if pid != 2 {
            book.site(9, "device", (1, 0), || at(9));
        }
    }
    let ranks = book.finish();
    let sites: Vec<_> = ranks
        .sites
        .iter()
        .map(|s| (s.allocated.frames[0].line, s.processes, s.odd.as_slice()))
        .collect();
    assert_eq!(
        sites,
        [
            (Some(7), 6, &[][..]),
            (Some(8), 1, &[6][..]),
            (Some(9), 5, &[2][..])
        ]
    );
    let seven = &ranks.sites[0];
    assert_eq!((seven.leaking, seven.leaked_bytes), (1, 1));
    // Of 100 to 600 the lower middle is the third.
    assert_eq!(
        (
            seven.least_peak_bytes,
            seven.median_peak_bytes,
            seven.most_peak_bytes,
            seven.most_pid
        ),
        (100, 300, 600, 6)
    );
    let devices: Vec<_> = ranks
        .devices
        .iter()
        .map(|d| {
            (
                d.host.as_str(),
                d.device,
                d.processes,
                d.live_bytes,
                d.peaks_bytes,
                d.peak_pid,
            )
        })
        .collect();
    // Host a: 2 on device 0; 1 and 3 on device 1. Host b: 4 and 6; 5.
    assert_eq!(
        devices,
        [
            ("a", 0, 1, 2, 20, 2),
            ("a", 1, 2, 4, 40, 3),
            ("b", 0, 2, 10, 100, 6),
            ("b", 1, 1, 5, 50, 5)
        ]
    );
}

#[test]
fn one_process_is_no_comparison() {
    assert_eq!(leaking(&[7]), Ranks::default());
}
