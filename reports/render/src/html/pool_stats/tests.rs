//! Table cells with hand-computed values.

use super::*;
use crate::model::{
    Pool, PoolAttributes, PoolClass, PoolUse, Reading, Reuse, Setting, TransferSite, Transfers,
};
use crate::testing;

/// A pool of 1000 bytes with two live sub-blocks of 96 and 200 bytes, and copies of which three quarters were direct.
fn report() -> Report {
    let mut report = testing::report();
    // From 128 on 200 bytes of 256 taken; free: 0 to 0, 96 to 128, 384 to 1000. 1 - 616/648 = 4.9 %; 1 - 296/352 = 15.9 %
    let space = PoolSpace::of([(0, 1000)], [(0, 96, 96), (128, 200, 256)]);
    let inside = PoolUse {
        peak: space,
        end: space,
        requests: 4,
        hits: 2,
        hit_rate: 0.5,
        hit_grade: Grade::of_hit_rate(0.5),
        reuse: Some(Reuse {
            count: 7,
            p50: 3,
            p90: 5,
        }),
        classes: vec![PoolClass {
            up_to_bytes: 128,
            requests: 3,
            hits: 1,
            hit_rate: 1.0 / 3.0,
            asked_bytes: 288,
            taken_bytes: 384,
            ..PoolClass::default()
        }],
    };
    report.annotations.pools = vec![Pool {
        name: "<acts>".to_owned(),
        overlaps: 11,
        inside,
        ..Pool::default()
    }];
    let transferred = report.findings[0].stacks.here.clone();
    report.transfers = Transfers {
        copies: 8,
        bytes: 4096,
        pinned_bytes: 1024,
        registered_bytes: 2048,
        sites: vec![TransferSite {
            copies: 6,
            bytes: 1024,
            again: 5,
            is_async: true,
            pays: true,
            transferred,
            ..TransferSite::default()
        }],
        ..Transfers::default()
    };
    report.transfers.settle();
    report
}

/// The texts of an element's cells, without markup.
fn cells(html: &str, title: &str) -> Vec<String> {
    let section = html.split("<section>").find(|one| one.contains(title));
    let body = section.and_then(|one| one.split("<tbody>").nth(1));
    let cells = body.expect(title).split("<td>").skip(1);
    let plain = cells.map(|cell| {
        let end = cell.find("</td>").unwrap_or(0);
        let pieces = cell[..end].split('<');
        let texts = pieces.map(|piece| piece.rsplit('>').next().unwrap_or(""));
        texts.collect::<String>()
    });
    plain.collect()
}

#[test]
fn a_pools_numbers_have_their_grades() {
    let html = sections(&report(), &[]).0;
    let row = cells(&html, "pools-inside");
    assert_eq!(
        row[..10],
        [
            "&lt;acts&gt;",
            "at the peak",
            "1000 bytes",
            "2",
            "296 bytes",
            "648 bytes",
            "2",
            "616 bytes",
            "4.9 % good",
            "15.9 % warning"
        ]
    );
    assert_eq!(row.len(), 20, "the peak and the end");
    assert_eq!(
        cells(&html, "pools-service")[1..],
        ["4", "2", "50.0 % danger", "7", "3", "5", "11", "0", "0"]
    );
    // 1 - 288/384 = 25 %
    assert_eq!(
        cells(&html, "pools-classes")[1..],
        ["128 bytes", "3", "1", "33.3 %", "0", "0 bytes", "25.0 %"]
    );
}

#[test]
fn a_pool_of_the_runtimes_shows_what_it_was_set_to_and_what_was_said_of_it() {
    let mut report = report();
    let set = |value| {
        Some(Setting {
            value,
            reported: "set",
        })
    };
    report.annotations.pools[0].attributes = Some(PoolAttributes {
        event_dependencies: set(1),
        opportunistic: Some(Setting {
            value: 0,
            reported: "read",
        }),
        release_threshold: set(4096),
        trims: 2,
        last_trim_bytes: Some(1 << 20),
        used: Some(Reading {
            bytes: 4 << 20,
            ns: 1,
            log_bytes: Some(2 << 20),
        }),
        reserved: Some(Reading {
            bytes: 8 << 20,
            ..Reading::default()
        }),
        log_used_bytes: 6 << 20,
        graph_blocks: 3,
        graph_bytes: 100,
        ..PoolAttributes::default()
    });
    let html = sections(&report, &[]).0;
    let set = [
        "on (set)",
        "off (read)",
        "unknown",
        "4096 bytes (set)",
        "2",
        "1.0 MiB",
    ];
    assert_eq!(cells(&html, "pools-set")[1..], set);
    // The log lacks the pool's beginning, so usage up to its end is unknown.
    let said = cells(&html, "pools-said");
    assert_eq!(said[1..5], ["used", "4.0 MiB", "2.0 MiB", "not visible"]);
    assert_eq!(
        said[6..10],
        ["used at most", "not asked", "–", "not visible"]
    );
    assert_eq!(
        said[11..15],
        ["reserved", "8.0 MiB", "not visible", "not visible"]
    );
    assert_eq!(
        said[21],
        "3 blocks live at the end and used by captured graphs"
    );
    report.annotations.pools[0]
        .attributes
        .as_mut()
        .expect("set above")
        .is_whole = true;
    assert_eq!(cells(&sections(&report, &[]).0, "pools-said")[4], "6.0 MiB");
}

#[test]
fn the_share_that_went_straight_is_reported_with_where_pinning_pays() {
    let html = sections(&report(), &[]).0;
    // (1024 + 2048) / 4096 = 75 %
    assert_eq!(
        cells(&html, "\"transfers\""),
        [
            "8",
            "4096 bytes",
            "1024 bytes",
            "2048 bytes",
            "75.0 % warning"
        ]
    );
    let row = cells(&html, "pinning-pays");
    assert_eq!(row[1..5], ["1024 bytes", "6", "5", "waits"]);
    assert!(row[5] == "std::deleter memory:7", "{row:?}");
}

#[test]
fn a_report_without_any_of_it_has_no_such_section() {
    assert_eq!(sections(&Report::default(), &[]).0, "");
}
