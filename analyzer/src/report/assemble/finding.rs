//! Symbolizes findings for the report.

use aclsan_render::model::{DedupKey, Deduplicator, Finding, FindingBlock, Growth, Occurrence};
use aclsan_rules::api::block::Block;

use crate::replay::CountedFinding;
use crate::report::sites::what;
use crate::symbols::stacks::Stacks;

/// Adds a finding of the process with this index and number. Returns the index of the finding that it was merged into.
pub fn add(
    to: &mut Deduplicator,
    who: (usize, u32),
    folded: &CountedFinding,
    stacks: &mut Stacks,
) -> usize {
    let (process, pid) = who;
    let found = &folded.finding;
    let met = Occurrence {
        process,
        first_ns: folded.count.first_ns,
    };
    let alike = DedupKey {
        rule: found.rule.name,
        severity: found.severity,
        message: &found.message,
        count: folded.count.times,
        last_ns: folded.count.last_ns,
        pid,
        met,
        stacks: stacks.calls(
            std::iter::once(("here", found.here))
                .chain(found.earlier.iter().map(|&(did, site)| (what(did), site))),
        ),
    };
    to.add_alike(&alike, || finding(pid, met, folded, stacks))
}

/// The symbolized finding of process `pid`.
fn finding(pid: u32, met: Occurrence, folded: &CountedFinding, stacks: &mut Stacks) -> Finding {
    let found = &folded.finding;
    let earlier = found.earlier.iter();
    let earlier = earlier.map(|&(did, site)| stacks.trace(what(did), site));
    let earlier = earlier.collect();
    let here = stacks.trace_with_source("here", found.here);
    let block = |&(block, offset): &(Block, u64)| FindingBlock {
        address: block.address,
        size: block.size,
        family: block.family().name(),
        device: block.device,
        offset: offset as i64,
    };
    let site = here.site();
    let thread_name = stacks.thread_name(folded.thread);
    let stacks = aclsan_render::model::Stacks { here, earlier };
    Finding {
        rule: found.rule.name,
        severity: found.severity,
        own_severity: found.severity,
        message: found.message.clone(),
        count: folded.count.times,
        pid,
        pids: vec![pid],
        met: vec![met],
        thread: folded.thread,
        thread_name,
        first_ns: folded.count.first_ns,
        last_ns: folded.count.last_ns,
        address: found.address,
        block: found.block.as_ref().map(block),
        fingerprint: String::new(), // set by the deduplicator
        stacks,
        details: found.details.clone(),
        growth: found.growth.as_deref().map(Growth::from),
        runtime: found.runtime.clone(),
        instead: found.instead.clone(),
        site,
        consequences: Vec::new(), // nested when all processes are in
    }
}
