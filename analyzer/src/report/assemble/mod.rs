//! Assembles replayed logs into one report: symbolizes sites, sums over processes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use aclsan_log::{CallSiteId, Log};
use aclsan_render::Report;
use aclsan_render::model::*;
use aclsan_rules::api::ascend::statuses;
use aclsan_rules::api::family::Family;

use crate::logs::in_memory;
use crate::logs::run_id::KEY as RUN;
use crate::policy::verdict::SiteBudget;
use crate::replay::{Replay, block_sample};
use crate::report::annotations;
use crate::report::process_end;
use crate::report::sites;
use crate::symbols::Symbols;
use crate::symbols::stacks::Stacks;
use roots::Roots;

#[cfg(test)]
mod damaged_tests;
mod exec; // what a process became by `exec`
mod finding; // a finding as a report has it
mod quality; // how far the logs can be trusted
mod roots; // which findings follow from which
mod stored; // processes of a dataset
mod stored_process; // what those are
mod stored_sums; // their allocation sites and layouts

/// A report under construction.
pub struct Assembly {
    report: Report,
    scans: Vec<LeakScan>,
    findings: Deduplicator,
    roots: Roots,
    /// Leaks by the index of the finding about them, and leaks without a finding.
    leaks: BTreeMap<usize, LeakSite>,
    free_leaks: Vec<LeakSite>,
    ranks: RankAggregator,
    /// By process: indices of its findings, with the leaked bytes that each is about.
    held: Vec<Vec<(usize, u64)>>,
    /// The run of each process, by its log.
    runs: Vec<Option<String>>,
    /// Most timeline points per process.
    points: usize,
    functions: BTreeMap<String, FunctionUse>,
    failures: BTreeMap<(String, i32), Failure>,
    /// Sites that are kept, however small.
    budgets: Vec<SiteBudget>,
}

/// Points of all timelines together, and fewest per process.
const POINTS: usize = 32_000;
const POINTS_LEAST: usize = 48;

impl Assembly {
    /// For `processes` processes: of many, each is reported in less detail.
    pub fn new(processes: usize) -> Self {
        Self {
            report: Report::default(),
            findings: Deduplicator::default(),
            roots: Roots::default(),
            leaks: BTreeMap::new(),
            scans: Vec::new(),
            free_leaks: Vec::new(),
            ranks: RankAggregator::default(),
            held: Vec::new(),
            runs: Vec::new(),
            points: (POINTS / processes.max(1)).clamp(POINTS_LEAST, MAX_POINTS),
            functions: BTreeMap::new(),
            failures: BTreeMap::new(),
            budgets: Vec::new(),
        }
    }

    /// Keeps every site with one of these budgets.
    pub fn with_budgets(mut self, budgets: Vec<SiteBudget>) -> Self {
        self.budgets = budgets;
        self
    }

    /// Adds one process.
    pub fn add(&mut self, log: &Log, replay: &Replay, symbols: &mut Symbols) {
        let (process, pid) = (self.report.processes.len(), log.header.pid);
        let mut stacks = Stacks::new(log, symbols);
        stacks.prepare(&replay.shown());
        self.findings.next_process();
        let findings: Vec<usize> = replay
            .findings
            .iter()
            .map(|folded| finding::add(&mut self.findings, (process, pid), folded, &mut stacks))
            .collect();
        self.roots.add(&replay.findings, &findings);
        let mut held: BTreeMap<usize, u64> = findings.iter().map(|&at| (at, 0)).collect();
        let mut leaked: BTreeMap<CallSiteId, u64> = BTreeMap::new();
        for (group, at) in &replay.leaks {
            let block = &group.first.block;
            let end_ns = group.reset.map_or(replay.duration_ns, |(_, ns)| ns);
            let at = at.map(|at| findings[at]);
            let is_known = at.is_some_and(|at| self.leaks.contains_key(&at));
            let site = LeakSite {
                pid,
                pids: vec![pid],
                processes: vec![process],
                alike: 1,
                root: None,
                fingerprint: String::new(),
                bytes: group.bytes,
                blocks: group.blocks,
                spread: group.spread,
                estimate: None,
                largest_bytes: group.largest,
                youngest_ns: end_ns.saturating_sub(group.youngest_ns),
                oldest_ns: end_ns.saturating_sub(group.first.since_ns),
                family: block.family().name(),
                device: block.device,
                thread: group.first.thread,
                thread_name: log.thread_name(group.first.thread).map(str::to_owned),
                names: group
                    .names
                    .iter()
                    .filter_map(|name| log.texts.get(name).cloned())
                    .collect(),
                class: group.hold.name(),
                is_reclaimed: group.reset.is_some(),
                // The stack of the first is reported.
                allocated: match is_known {
                    true => Trace::default(),
                    false => stacks.trace_with_source("allocated", block.site),
                },
                parts: sites::parts((process, pid), group, &replay.annotations.epochs),
            };
            let leaked = leaked.entry(block.site).or_default();
            *leaked = leaked.saturating_add(group.bytes);
            match at {
                None => self.free_leaks.push(site),
                Some(at) => {
                    let held = held.entry(at).or_default();
                    *held = held.saturating_add(group.bytes);
                    match self.leaks.entry(at) {
                        Entry::Occupied(known) => known.into_mut().absorb(&site),
                        Entry::Vacant(new) => drop(new.insert(site)),
                    }
                }
            }
        }
        self.scans.extend(replay.scan.map(|scan| LeakScan {
            pid,
            process,
            outcome: crate::report::dump::ended(scan.outcome),
            bytes: scan.bytes,
            ns: scan.ns,
            threads: scan.threads,
            gaps: crate::report::dump::gaps(&scan.gaps),
        }));
        self.rank(
            log,
            replay,
            held.into_iter().collect(),
            &leaked,
            &mut stacks,
        );
        let unknown = &mut self.report.metrics.unknown_origin;
        for (&site, &(count, address)) in &replay.unknown {
            unknown.pointers += count;
            unknown.sites.push(Unknown {
                pid,
                process,
                count,
                address,
                released: stacks.trace("released", site),
            });
        }
        annotations::add(
            &mut self.report.annotations,
            (process, pid),
            &replay.annotations,
            &mut stacks,
        );
        self.report.processes.push(Process {
            end: process_end::of(log, replay, &mut stacks),
            ..sites::process(log, replay)
        });
        self.runs.push(log.properties.get(RUN).cloned());
        sites::transfers(
            (process, pid),
            replay,
            &mut stacks,
            &mut self.report.transfers,
        );
        self.places((process, pid), replay, &mut stacks);
        self.memory((process, pid), replay);
        self.calls(log, replay);
        self.quality((process, pid), replay);
        let sample = log.properties.get("stack_sample");
        let sample = sample.and_then(|sample| sample.parse().ok()).unwrap_or(0);
        let known = &mut self.report.own.stack_sample;
        *known = sample.max(*known);
        let mean = block_sample(log).map_or(0, |sample| sample.mean());
        let known = &mut self.report.own.block_sample;
        *known = mean.max(*known);
        let notices = log.properties.iter();
        let notices = notices.filter(|(key, _)| key.starts_with(aclsan_log::record::NO_FRONT));
        let sentences = notices.map(|(_, sentence)| sentence.clone());
        self.report.own.guard_notices.extend(sentences);
    }

    /// The report on all added processes.
    pub fn finish(mut self, symbols: &Symbols) -> Report {
        let report = &mut self.report;
        let (findings, gone_to) = self.findings.finish();
        for (at, site) in &mut self.leaks {
            site.fingerprint
                .clone_from(&findings[gone_to[*at]].fingerprint);
        }
        report.ranks = self.ranks.finish();
        for (rank, held) in report.ranks.processes.iter_mut().zip(self.held) {
            let prints = held.into_iter().map(|(at, bytes)| {
                let print = &findings[gone_to[at]].fingerprint;
                (u64::from_str_radix(print, 16).unwrap_or(0), bytes)
            });
            rank.held = prints.collect();
        }
        let roots = self.roots.places(&gone_to);
        for (&at, site) in &mut self.leaks {
            let root = roots[gone_to[at]].first().map(|&root| &findings[root]);
            site.root = root.map(|root| (root.rule, root.stacks.here.caller_label()));
        }
        report.findings = nest(findings, &roots);
        exec::mark(report, &self.runs);
        let leaks = self.leaks.into_values().chain(self.free_leaks);
        report.leaks = Leaks::new(leaks.collect());
        report.leaks.scans = self.scans;
        report.timeline.families = Family::MEMORY.map(Family::name).to_vec();
        report.fragmentation.is_estimate = true;
        report.transfers.settle();
        let metrics = &mut report.metrics;
        metrics.functions = self.functions.into_values().collect();
        metrics
            .functions
            .sort_by_key(|function| std::cmp::Reverse(function.calls));
        metrics.failures = self.failures.into_values().collect();
        metrics
            .failures
            .sort_by_key(|failure| std::cmp::Reverse(failure.count));
        metrics
            .unknown_origin
            .sites
            .sort_by_key(|site| std::cmp::Reverse(site.count));
        let own = &mut report.own;
        own.symbol_warnings.extend_from_slice(symbols.warnings());
        report.summarize();
        self.report
    }

    /// Adds the process to the comparison of ranks.
    fn rank(
        &mut self,
        log: &Log,
        replay: &Replay,
        held: Vec<(usize, u64)>,
        leaked: &BTreeMap<CallSiteId, u64>,
        stacks: &mut Stacks,
    ) {
        let rank = Rank {
            pid: log.header.pid,
            host: log.properties.get("host").cloned().unwrap_or_default(),
            log: in_memory::shown(&log.path).display().to_string(),
            peak_bytes: (replay.at_peak.values())
                .fold(0, |sum, site| site.bytes.saturating_add(sum)),
            leaked_bytes: leaked
                .values()
                .fold(0, |sum, &bytes| bytes.saturating_add(sum)),
            findings: (held.iter())
                .filter(|(at, _)| self.roots.is_own(*at))
                .count() as u64,
            ..Rank::default()
        };
        let devices = replay.devices.iter();
        let devices: Vec<_> = devices
            .map(|(&device, &(live, peak, _))| (device, live, peak))
            .collect();
        self.ranks.process(rank, &devices);
        self.held.push(held);
        for (site, stats, first) in replay.allocating() {
            let leaked = leaked.get(&site).copied().unwrap_or(0);
            let family = first.block.family().name();
            let (key, sums) = (stacks.place(family, site), (stats.peak.0, leaked));
            (self.ranks).site(key, family, sums, || stacks.trace("allocated", site));
        }
    }

    fn memory(&mut self, (process, pid): (usize, u32), replay: &Replay) {
        let metrics = &mut self.report.metrics;
        let spreads = replay.spreads.clone().unwrap_or_default();
        let families = replay.families.iter().zip(spreads.families);
        for (family, (totals, spread)) in Family::MEMORY.into_iter().zip(families) {
            if totals.allocations > 0 {
                metrics.families.push(FamilyUse {
                    pid,
                    process,
                    family: family.name(),
                    allocations: totals.allocations,
                    releases: totals.releases,
                    allocated_bytes: totals.allocated,
                    live_bytes: totals.live,
                    peak_bytes: totals.peak.0,
                    peak_ns: totals.peak.1,
                    peak_estimate: Estimate::of_peak(
                        totals.peak.0,
                        totals.allocated,
                        &spread.at_peak,
                    ),
                    live_estimate: Estimate::of(totals.live, &spread.now),
                });
            }
        }
        let mut devices: Vec<i32> = replay.devices.keys().copied().collect();
        devices.extend(
            replay
                .reported
                .keys()
                .filter(|d| !replay.devices.contains_key(d)),
        );
        for device in devices {
            let (live_bytes, peak_bytes, peak_ns) =
                replay.devices.get(&device).copied().unwrap_or_default();
            let reported = replay.reported.get(&device);
            metrics.devices.push(DeviceUse {
                pid,
                process,
                device,
                live_bytes,
                peak_bytes,
                peak_ns,
                least_free_bytes: reported.map(|(free, _)| *free),
                total_bytes: reported.map(|(_, total)| *total),
                peak_estimate: spreads.devices.get(&device).and_then(|spread| {
                    Estimate::of_peak(peak_bytes, spread.allocated, &spread.at_peak)
                }),
            });
        }
        self.report.timeline.processes.push(Line {
            pid,
            process,
            points: thin(&replay.points, self.points),
        });
    }

    fn places(&mut self, who: (usize, u32), replay: &Replay, stacks: &mut Stacks) {
        let classes = replay.layouts.iter();
        let classes = classes.map(|layout| sites::class(who, layout, stacks));
        let fragmentation = &mut self.report.fragmentation;
        fragmentation.classes.extend(classes);
        let fits = replay.fits.iter().map(|fit| Fit {
            process: who.0,
            pid: who.1,
            ..fit.clone()
        });
        fragmentation.fits.extend(fits);
        let refused = replay.refused.iter();
        let autopsies = refused.map(|refused| sites::autopsy(who, refused, stacks));
        self.report.autopsies.extend(autopsies);
        let allocations = &mut self.report.allocations;
        sites::allocations(who, replay, stacks, &self.budgets, allocations);
    }

    fn calls(&mut self, log: &Log, replay: &Replay) {
        let calls = &replay.calls;
        for (name, tally) in calls.names.iter().zip(&calls.tallies) {
            if tally.calls == 0 && tally.failures == 0 {
                continue;
            }
            let function = self.functions.entry(name.clone()).or_default();
            function.function.clone_from(name);
            function.calls += tally.calls;
            function.failures += tally.failures;
        }
        for (&(function, status), sum) in &calls.refusals {
            let function = &calls.names[function];
            let failure = match self.failures.entry((function.clone(), status)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(Failure {
                    function: function.clone(),
                    status,
                    name: log
                        .status_name(status)
                        .or(statuses::name(status))
                        .map(str::to_owned),
                    ..Failure::default()
                }),
            };
            failure.count += sum.blocks;
            failure.bytes = failure.bytes.saturating_add(sum.bytes);
        }
    }
}
