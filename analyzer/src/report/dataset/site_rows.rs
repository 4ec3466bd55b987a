//! Rows that refer to sites, and the rows of the sites.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aclsan_dataset::cell::Address;
use aclsan_dataset::tables::{Allocation, Failure, Finding, Frame, Leak, Process, Site};
use aclsan_log::{CallSiteId, Log};
use aclsan_render::model::{Growth, LeakPart, Trace, fingerprint};
use aclsan_render::model::{Language, Stacks as FindingStacks};
use aclsan_rules::api::ascend::statuses;

use super::lines;
use super::process_rows::at_peak;
use crate::replay::{Replay, SiteStats};
use crate::report::process_end;
use crate::report::sites as reported;
use crate::report::sites::what;
use crate::symbols::stacks::Stacks;

/// Limits of the counted lifetimes.
const DECADES: [u64; 7] = [
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
];

/// Makes rows, and remembers the sites that they refer to.
pub struct SiteRows<'a> {
    process: &'a str,
    log: &'a Log,
    stacks: Stacks<'a>,
    /// Those that rows refer to.
    used: BTreeSet<CallSiteId>,
    /// Those with source lines.
    with_source: BTreeSet<CallSiteId>,
    names: HashMap<CallSiteId, String>,
}

impl<'a> SiteRows<'a> {
    /// For a process; `blocks` are the sites that its blocks' rows refer to.
    pub fn new(
        process: &'a str,
        log: &'a Log,
        stacks: Stacks<'a>,
        blocks: &BTreeSet<CallSiteId>,
    ) -> Self {
        Self {
            process,
            log,
            stacks,
            used: blocks.clone(),
            with_source: BTreeSet::new(),
            names: HashMap::new(),
        }
    }

    /// The number of a site, and its name across processes.
    fn site(&mut self, site: CallSiteId) -> (u32, String) {
        self.used.insert(site);
        let stacks = &mut self.stacks;
        let name = self.names.entry(site).or_insert_with(|| {
            let here = stacks.trace("site", site);
            let earlier = Vec::new();
            fingerprint("site", &FindingStacks { here, earlier })
        });
        (site.0, name.clone())
    }

    pub fn leaks(&mut self, replay: &Replay) -> Vec<Leak> {
        let mut rows = Vec::new();
        for (number, (group, finding)) in (0..).zip(&replay.leaks) {
            let block = &group.first.block;
            let end_ns = group.reset.map_or(replay.duration_ns, |(_, ns)| ns);
            let (stack, site) = self.site(block.site);
            self.with_source.insert(block.site);
            let names = group.names.iter();
            let names = names.filter_map(|name| self.log.texts.get(name));
            let (deviation_bytes, step_bytes, recorded_bytes) = group.spread.parts();
            let leak = Leak {
                deviation_bytes,
                step_bytes,
                recorded_bytes,
                process: self.process.to_owned(),
                leak: number,
                finding: finding.map(|at| at as u32),
                stack,
                site,
                family: block.family().name().to_owned(),
                device: block.device,
                thread: group.first.thread,
                thread_name: self.stacks.thread_name(group.first.thread),
                class: group.hold.name().to_owned(),
                is_reclaimed: group.reset.is_some(),
                largest_bytes: group.largest,
                youngest_ns: end_ns.saturating_sub(group.youngest_ns),
                oldest_ns: end_ns.saturating_sub(group.first.since_ns),
                names: lines(names),
                ..Leak::default()
            };
            let parts = reported::parts((0, 0), group, &replay.annotations.epochs);
            rows.extend(parts.into_iter().map(|part: LeakPart| Leak {
                part_thread: part.thread,
                below_ns: part.below_ns,
                epoch: part.epoch,
                blocks: part.blocks,
                bytes: part.bytes,
                ..leak.clone()
            }));
        }
        rows
    }

    /// Adds how the process ended.
    pub fn ended(&mut self, replay: &Replay, row: &mut Process) {
        let end = process_end::of(self.log, replay, &mut self.stacks);
        row.is_running = replay.is_running;
        end.kind.name().clone_into(&mut row.end_kind);
        row.end_message = end.message;
        let (Some(death), Some((_, site))) = (end.death, self.log.end.as_ref()) else {
            return;
        };
        self.with_source.insert(*site);
        row.end_signal = Some(death.signal);
        row.end_signal_name = Some(death.name);
        row.end_thread = Some(death.thread);
        row.end_thread_name = death.thread_name;
        row.end_ns = Some(death.ns);
        row.end_stack = Some(self.site(*site).0);
        row.end_live_blocks = Some(death.live_blocks);
        row.end_live_bytes = Some(death.live_bytes);
        let calls = replay.ending.iter().flat_map(|ending| &ending.calls);
        let calls = calls.zip(&death.calls).map(|(call, reported)| {
            let name = reported.status_name.as_deref().unwrap_or_default();
            let stack = self.site(call.site).0;
            format!("{} {} {} {stack} {name}", call.ns, call.thread, call.status)
        });
        row.end_calls = lines(calls.collect::<Vec<_>>());
    }

    pub fn findings(&mut self, replay: &Replay) -> Vec<Finding> {
        let mut rows = Vec::new();
        for (number, folded) in replay.findings.iter().enumerate() {
            let found = &folded.finding;
            let (stack, site) = self.site(found.here);
            self.with_source.insert(found.here);
            let earlier = found.earlier.iter();
            let earlier = earlier.map(|&(did, site)| (what(did), self.site(site).0));
            let earlier: Vec<String> = earlier.map(|(did, site)| format!("{did} {site}")).collect();
            let stacks = FindingStacks {
                here: self.stacks.trace("here", found.here),
                earlier: (found.earlier.iter())
                    .map(|&(did, site)| self.stacks.trace(what(did), site))
                    .collect(),
            };
            let roots = folded.roots.iter().map(usize::to_string);
            let block = found.block.as_ref();
            let growth = found.growth.as_deref().map(Growth::from);
            rows.push(Finding {
                process: self.process.to_owned(),
                finding: number as u32,
                fingerprint: fingerprint(found.rule.name, &stacks),
                rule: found.rule.name.to_owned(),
                severity: found.severity.name().to_owned(),
                message: found.message.clone(),
                count: folded.count.times,
                thread: folded.thread,
                thread_name: self.stacks.thread_name(folded.thread),
                first_ns: folded.count.first_ns,
                last_ns: folded.count.last_ns,
                is_consequence: folded.is_consequence(),
                roots: roots.collect::<Vec<_>>().join(" "),
                stack,
                site,
                earlier: lines(earlier),
                address: found.address.map(Address),
                block_address: block.map(|(block, _)| Address(block.address)),
                block_bytes: block.map(|(block, _)| block.size),
                block_family: block.map(|(block, _)| block.family().name().to_owned()),
                block_device: block.map(|(block, _)| block.device),
                block_offset: block.map(|(_, offset)| *offset as i64),
                details: lines(&found.details),
                runtime: found.runtime.clone(),
                instead: found.instead.clone(),
                is_of_sums: number >= replay.first_of_sums,
                growth_epoch: growth.map(|growth| growth.epoch.to_owned()),
                growth_epoch_ns: growth.and_then(|growth| growth.epoch_ns),
                growth_epochs_seen: growth.map(|growth| growth.epochs_seen),
                growth_warm_up: growth.map(|growth| growth.warm_up),
                growth_stride: growth.map(|growth| growth.stride),
                growth_steps: growth.map(|growth| growth.steps),
                growth_rises: growth.map(|growth| growth.rises),
                growth_falls: growth.map(|growth| growth.falls),
                growth_first_bytes: growth.map(|growth| growth.first_bytes),
                growth_last_bytes: growth.map(|growth| growth.last_bytes),
                growth_slope_bytes: growth.map(|growth| growth.slope_bytes),
                growth_r2_percent: growth.map(|growth| growth.r2_percent),
                growth_confidence: growth.map(|growth| growth.confidence.name().to_owned()),
            });
        }
        rows
    }

    pub fn allocations(&mut self, replay: &Replay) -> Vec<Allocation> {
        let mut leaked: BTreeMap<CallSiteId, u64> = BTreeMap::new();
        for (group, _) in &replay.leaks {
            let sum = leaked.entry(group.first.block.site).or_default();
            *sum = sum.saturating_add(group.bytes);
        }
        let peak = at_peak(replay);
        let mut rows = Vec::new();
        for (at, stats) in replay.site_stats.iter().enumerate() {
            if stats.allocated.blocks == 0 {
                continue;
            }
            let site = CallSiteId(at as u32);
            let (stack, name) = self.site(site);
            let then = replay.at_peak.get(&site).map_or(0, |sum| sum.bytes);
            rows.push(Allocation {
                process: self.process.to_owned(),
                stack,
                site: name,
                at_peak_bytes: then,
                peak_share: then as f64 / peak.max(1) as f64,
                leaked_bytes: leaked.get(&site).copied().unwrap_or(0),
                ..allocation(stats, replay.has_times)
            });
        }
        rows
    }

    pub fn failures(&mut self, replay: &Replay) -> Vec<Failure> {
        let mut rows = Vec::new();
        let failure = |kind: &str| Failure {
            process: self.process.to_owned(),
            kind: kind.to_owned(),
            ..Failure::default()
        };
        for (&(function, status), sum) in &replay.calls.refusals {
            let name = self.log.status_name(status).or(statuses::name(status));
            rows.push(Failure {
                function: replay.calls.names[function].clone(),
                status: Some(status),
                status_name: name.map(str::to_owned),
                count: sum.blocks,
                bytes: sum.bytes,
                ..failure("refused")
            });
        }
        let damaged = replay.damage.iter().map(|damage| Failure {
            count: 1,
            bytes: damage.lost,
            address: Some(Address(damage.offset)),
            ..failure("damaged log")
        });
        rows.extend(damaged);
        for (&site, &(count, address)) in &replay.unknown {
            let function = self.stacks.function(site).to_owned();
            rows.push(Failure {
                process: self.process.to_owned(),
                kind: "unknown pointer".to_owned(),
                function,
                count,
                address: Some(Address(address)),
                stack: Some(self.site(site).0),
                ..Failure::default()
            });
        }
        rows
    }

    /// Rows of the sites that were used so far.
    pub fn sites(&mut self) -> Vec<Site> {
        let used: Vec<CallSiteId> = self.used.iter().copied().collect();
        let rows = used.into_iter().map(|id| {
            let (stack, site) = self.site(id);
            let trace: Trace = match self.with_source.contains(&id) {
                true => self.stacks.trace_with_source("site", id),
                false => self.stacks.trace("site", id),
            };
            let source = trace.source.as_deref();
            Site {
                process: self.process.to_owned(),
                stack,
                site,
                place: trace.caller_label(),
                names: lines(trace.frames.iter().map(|frame| frame.name())),
                source_frame: source.map(|source| source.frame as u32),
                source_first: source.map(|source| source.first),
                source: source.map(|source| lines(&source.lines)),
                function: trace.function,
            }
        });
        rows.collect()
    }

    /// Rows of their frames.
    pub fn frames(&mut self) -> impl Iterator<Item = Frame> {
        let (process, stacks) = (self.process, &mut self.stacks);
        self.used.iter().flat_map(move |&site| {
            let trace = stacks.trace("site", site);
            let frames = (0..).zip(trace.frames.iter());
            let text = |text: &Option<_>| text.as_deref().map(str::to_owned);
            let rows = frames.map(|(number, frame)| Frame {
                process: process.to_owned(),
                stack: site.0,
                number,
                language: match frame.language {
                    Language::Native => "native",
                    Language::Python => "python",
                }
                .to_owned(),
                address: Address(frame.address),
                function: text(&frame.function),
                file: text(&frame.file),
                line: frame.line,
                column: frame.column,
                label: text(&frame.label),
                module: frame.module.to_string(),
                module_offset: Address(frame.offset),
                inlined: frame.inlined,
                trimmed: frame.trimmed.map(|hidden| hidden.name().to_owned()),
            });
            rows.collect::<Vec<_>>()
        })
    }
}

/// The numbers of a site.
fn allocation(stats: &SiteStats, has_times: bool) -> Allocation {
    let block = stats.first.map(|held| held.block);
    let (slack, lifetime) = (reported::slack(stats), reported::lifetime(stats));
    let latency = reported::measured(stats, has_times);
    let (below, longer) = stats.lifetimes.whole().between(DECADES);
    Allocation {
        family: block.map_or("", |block| block.family().name()).to_owned(),
        device: block.map_or(-1, |block| block.device),
        allocations: stats.allocated.blocks,
        releases: stats.releases,
        allocated_bytes: stats.allocated.bytes,
        peak_bytes: stats.peak.0,
        peak_ns: stats.peak.1,
        repeated: stats.again(has_times).again,
        slack_blocks: slack.map(|slack| slack.blocks),
        slack_asked_bytes: slack.map(|slack| slack.asked_bytes),
        slack_rounded_bytes: slack.map(|slack| slack.rounded_bytes),
        slack_page_bytes: slack.map(|slack| slack.page_bytes),
        slack_normal_bytes: slack.map(|slack| slack.normal_bytes),
        slack_pooled_bytes: slack.map(|slack| slack.pooled_bytes),
        lifetime_p50_ns: lifetime.map(|lifetime| lifetime.p50_ns),
        lifetime_p90_ns: lifetime.map(|lifetime| lifetime.p90_ns),
        lifetime_longest_ns: lifetime.map(|lifetime| lifetime.longest_ns),
        lifetimes_below_10us: below[0],
        lifetimes_below_100us: below[1],
        lifetimes_below_1ms: below[2],
        lifetimes_below_10ms: below[3],
        lifetimes_below_100ms: below[4],
        lifetimes_below_1s: below[5],
        lifetimes_below_10s: below[6],
        lifetimes_longer: longer,
        latency_fast: latency.map(|latency| latency.fast),
        latency_usual: latency.map(|latency| latency.usual),
        latency_slow: latency.map(|latency| latency.slow),
        latency_stalled: latency.map(|latency| latency.stalled),
        latency_total_ns: latency.map(|latency| latency.total_ns),
        latency_p50_ns: latency.and_then(|latency| latency.p50_ns),
        latency_p90_ns: latency.and_then(|latency| latency.p90_ns),
        latency_p99_ns: latency.and_then(|latency| latency.p99_ns),
        latency_slowest_ns: latency.and_then(|latency| latency.slowest_ns),
        outgrown_free_bytes: latency
            .and_then(|latency| Some(latency.outgrown?.reported_free_bytes)),
        outgrown_page_bytes: latency.and_then(|latency| Some(latency.outgrown?.page_bytes)),
        ..Allocation::default()
    }
}
