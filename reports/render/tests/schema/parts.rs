//! Parts of the full report.

use aclsan_render::model::*;

/// Five processes, one of which is an outlier.
pub fn ranks(trace: &Trace) -> Ranks {
    let mut book = RankAggregator::default();
    for peak_bytes in [1, 1, 1, 1, 1 << 30] {
        let rank = Rank {
            peak_bytes,
            ..Rank::default()
        };
        book.process(rank, &[(0, 1, peak_bytes)]);
        book.site(1, "device", (1, 1), || trace.clone());
    }
    let ranks = book.finish();
    assert_eq!(ranks.outliers.len(), 1);
    ranks
}

/// A site that separates holes.
pub fn pinner(trace: &Trace) -> Pinner {
    Pinner {
        blocks: 1,
        bytes: 1,
        share: 1.0,
        hole_bytes: 2,
        merged_bytes: 3,
        allocated: trace.clone(),
    }
}

/// A refusal.
pub fn autopsy(trace: &Trace, reported: Option<RuntimeMemInfo>) -> OomReport {
    OomReport {
        pid: 1,
        process: 0,
        device: 0,
        ns: 1,
        count: 1,
        request_bytes: 1,
        status: 207_001,
        page: "2M",
        cause: Cause::OtherProcess,
        live_bytes: 1,
        page_bytes: 1,
        guard_bytes: 0,
        largest_granted_bytes: 1,
        largest_hole_bytes: 0,
        pinners: vec![pinner(trace)],
        reported,
        holders: vec![TopConsumer {
            blocks: 1,
            bytes: 1,
            allocated: trace.clone(),
        }],
        refused: Trace {
            what: "refused",
            ..trace.clone()
        },
    }
}
