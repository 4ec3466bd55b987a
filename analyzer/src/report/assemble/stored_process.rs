//! What a process from a dataset is, what it reported about itself, and the quality of its evidence.

use aclsan_render::model::*;

use super::Assembly;
use crate::report::dataset::read::{Stored, lines, word};

/// What a scan could not look into, from its column.
fn gaps(column: &str) -> Vec<ScanGap> {
    let known = lines(column).into_iter();
    let known = known.filter_map(|line| {
        let (what, count) = line.rsplit_once(' ')?;
        let count = count.parse().ok()?;
        let what = word(what);
        Some(ScanGap { what, count })
    });
    known.collect()
}

impl Assembly {
    /// Adds what the program reported about itself, and the scan for pointers.
    pub(super) fn annotated(&mut self, (process, pid): (usize, u32), stored: &Stored) {
        let (row, to) = (&stored.process, &mut self.report.annotations);
        for pool in &stored.pools {
            to.pools.push(Pool {
                pid,
                process,
                source: word(&pool.source),
                name: pool.name.clone(),
                device: pool.device,
                pools: pool.pools,
                bytes: pool.capacity_bytes,
                allocations: pool.allocations,
                releases: pool.releases,
                dropped: pool.dropped,
                live_blocks: pool.live_blocks,
                live_bytes: pool.live_bytes,
                peak_bytes: pool.peak_bytes,
                peak_ns: pool.peak_ns,
                overlaps: pool.overlaps,
                outside: pool.outside,
                ..Pool::default()
            });
        }
        for epoch in &stored.epochs {
            match epoch.live_blocks {
                Some(blocks) => to.snapshots.push(Snapshot {
                    pid,
                    process,
                    name: epoch.name.clone(),
                    ns: epoch.begin_ns,
                    blocks,
                    bytes: epoch.live_bytes,
                }),
                None => to.epochs.push(Epoch {
                    pid,
                    process,
                    kind: word(&epoch.kind),
                    domain: epoch.domain.clone(),
                    name: epoch.name.clone(),
                    begin_ns: epoch.begin_ns,
                    end_ns: epoch.end_ns,
                    live_bytes: epoch.live_bytes,
                }),
            }
        }
        let categories = stored.categories.iter().cloned();
        to.categories.extend(categories.map(|mut category| {
            (category.process, category.pid) = (process, pid);
            category
        }));
        to.epochs_left_out += row.epochs_left_out;
        to.ignored.blocks += row.ignored_blocks;
        to.ignored.bytes = to.ignored.bytes.saturating_add(row.ignored_bytes);
        to.ignored.findings += row.ignored_findings;
        self.scans
            .extend(row.scan_outcome.as_ref().map(|outcome| LeakScan {
                pid,
                process,
                outcome: word(outcome),
                bytes: row.scan_bytes,
                ns: row.scan_ns,
                threads: row.scan_threads,
                gaps: gaps(&row.scan_gaps),
            }));
    }

    /// Adds the quality of the evidence.
    pub(super) fn trusted(&mut self, stored: &Stored, needs_names: bool) {
        let (row, own) = (&stored.process, &mut self.report.own);
        own.dropped_events = own.dropped_events.saturating_add(row.dropped_events);
        own.stackless_calls = own.stackless_calls.saturating_add(row.stackless_calls);
        own.stack_sample = own.stack_sample.max(row.stack_sample);
        own.block_sample = own.block_sample.max(row.block_sample);
        own.unknown_records += row.unknown_records;
        own.unknown_functions += row.unknown_functions;
        own.unmatched_releases += row.unmatched_releases;
        own.unseen_releases += row.unseen_releases;
        own.guarded_blocks += row.guarded_blocks;
        own.guard_bytes = own.guard_bytes.saturating_add(row.guard_bytes);
        own.guards_changed_page += row.guards_changed_page;
        own.guards_in_slack += row.guards_in_slack;
        own.guard_page_bytes = own.guard_page_bytes.saturating_add(row.guard_page_bytes);
        own.guard_page_blocks += row.guard_page_blocks;
        own.guard_notices.extend(lines(&row.guard_notices));
        for warning in lines(&row.symbol_warnings) {
            if needs_names && !own.symbol_warnings.contains(&warning) {
                own.symbol_warnings.push(warning);
            }
        }
    }
}

/// The process.
pub fn process_of(stored: &Stored) -> Process {
    let row = stored.process.clone();
    Process {
        end: end_of(stored),
        is_running: row.is_running,
        pid: row.process_number,
        log: row.log,
        program: row.program,
        arguments: row.arguments,
        host: row.host_name,
        parent: row.parent,
        forked_from: row.forked_from,
        options: row.options,
        shim_version: row.shim_version,
        shim_build_id: row.shim_build_id,
        soc: row.soc,
        cann_version: row.cann_version,
        driver_version: row.driver_version,
        run_mode: row.run_mode,
        started_realtime_ns: row.started_ns,
        duration_ns: row.duration_ns,
        is_complete: row.is_complete,
        went_on: String::new(),
        dropped_events: row.dropped_events,
        events: row.events,
        calls: row.calls,
    }
}

fn end_of(stored: &Stored) -> ProcessEnd {
    let row = &stored.process;
    let mut kinds = EndKind::ALL.into_iter();
    let death = || {
        Some(Box::new(Death {
            signal: row.end_signal?,
            name: row.end_signal_name.clone()?,
            thread: row.end_thread?,
            thread_name: row.end_thread_name.clone(),
            ns: row.end_ns?,
            stack: stored.trace("ended", row.end_stack?, true),
            calls: row
                .end_calls
                .lines()
                .filter_map(|line| call(line, stored))
                .collect(),
            live_blocks: row.end_live_blocks?,
            live_bytes: row.end_live_bytes?,
        }))
    };
    ProcessEnd {
        kind: kinds
            .find(|kind| kind.name() == row.end_kind)
            .unwrap_or_default(),
        message: row.end_message.clone(),
        death: death(),
    }
}

/// One of the last calls.
fn call(line: &str, stored: &Stored) -> Option<LastCall> {
    let mut words = line.splitn(5, ' ');
    Some(LastCall {
        ns: words.next()?.parse().ok()?,
        thread: words.next()?.parse().ok()?,
        status: words.next()?.parse().ok()?,
        called: stored.trace("called", words.next()?.parse().ok()?, false),
        status_name: words
            .next()
            .filter(|name| !name.is_empty())
            .map(str::to_owned),
    })
}
