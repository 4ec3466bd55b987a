//! What the rules say of a sub-block that a pool has just given out, next to those that are live.

use aclsan_rules::carving::Segment;
use aclsan_rules::ledger::segments::{Source, SubBlock};
use aclsan_rules::rules::suballoc_overlap::{self, Because};
use aclsan_rules::rules::suballoc_too_small::{self, Neighbours};
use aclsan_rules::{Call, Finding, Place, Severity};

use super::Scene;
use super::pools::Pools;

/// Judges `sub`, which `call` told of and `pools` have.
pub fn judge(pools: &Pools, call: &Call, sub: &SubBlock, scene: &Scene) -> Option<Finding> {
    if sub.size == 0 {
        return None;
    }
    let segment = |sub: SubBlock| Segment {
        address: sub.address,
        size: sub.size,
        site: sub.site,
    };
    let Place::Live(block, _) = scene.heap.place(sub.address) else {
        return None;
    };
    let (promise, source, [before, behind]) = pools.around(sub.pool, sub.address);
    let duty = (scene.duty)(&block).map(|duty| duty.promised(promise.0, promise.1));
    let around = Neighbours {
        block: &block,
        before: before.map(segment),
        behind: behind.map(segment),
    };
    let new = segment(*sub);
    let overlap = [around.before, around.behind]
        .into_iter()
        .flatten()
        .find_map(|other| {
            suballoc_overlap::check(call, &new, &other, Because::Told, &around, duty.as_ref())
        });
    // A framework's size may be its own rounding, with the padding in it.
    let is_request = source == Source::Annotation || !sub.size.is_multiple_of(32);
    let found = overlap.or_else(|| {
        let close = Neighbours {
            before: around
                .before
                .filter(|before| source == Source::Annotation || !before.size.is_multiple_of(32)),
            ..around
        };
        let close = match is_request {
            true => close,
            false => Neighbours {
                behind: None,
                ..close
            },
        };
        suballoc_too_small::check(call, &new, &close, &duty?)
    });
    found.map(|found| match source {
        Source::Annotation => found,
        _ => found.severity(Severity::Warning),
    })
}
