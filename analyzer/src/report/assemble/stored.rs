//! Processes from a dataset: added to a report as if their logs were read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use aclsan_dataset::tables::{Allocation, Finding as FindingRow, Leak};
use aclsan_render::model::*;
use aclsan_rules::evidence::estimate::Spread;
use aclsan_rules::evidence::rule::Severity;
use aclsan_rules::evidence::trend::Confidence;

use super::Assembly;
use super::stored_process::process_of;
use super::stored_sums::{class, site};
use crate::policy::verdict::SiteBudget;
use crate::report::dataset::read::{Stored, lines, word};

impl Assembly {
    /// Adds one process of a dataset. `printer` is that of all processes of the report. With `only_leaks`, what comes from sums over time is
    /// left out, as in a replay for leaks.
    pub fn add_stored(&mut self, stored: &Stored, printer: &StackKeyBuilder, only_leaks: bool) {
        let (process, pid) = (self.report.processes.len(), stored.process.process_number);
        self.findings.next_process();
        let rows: Vec<&FindingRow> = stored
            .findings
            .iter()
            .filter(|row| !(only_leaks && row.is_of_sums))
            .collect();
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        for row in &rows {
            let at = self.add_finding((process, pid), row, stored, printer);
            numbers.insert(row.finding, at);
        }
        for row in &rows {
            let roots = row.roots.split(' ').filter_map(|root| root.parse().ok());
            let roots: Vec<usize> = roots
                .filter_map(|root: u32| numbers.get(&root).copied())
                .collect();
            let is_consequence = row.is_consequence && !roots.is_empty();
            self.roots
                .add_one(numbers[&row.finding], is_consequence, roots);
        }
        let mut held: BTreeMap<usize, u64> = numbers.values().map(|&at| (at, 0)).collect();
        for parts in stored.leaks.chunk_by(|a, b| a.leak == b.leak) {
            let at = parts[0].finding.and_then(|at| numbers.get(&at).copied());
            let site = leak((process, pid), parts, stored);
            let Some(at) = at else {
                self.free_leaks.push(site);
                continue;
            };
            let held = held.entry(at).or_default();
            *held = held.saturating_add(site.bytes);
            match self.leaks.entry(at) {
                Entry::Occupied(known) => known.into_mut().absorb(&site),
                Entry::Vacant(new) => drop(new.insert(site)),
            }
        }
        self.compare(stored, held.into_iter().collect(), printer);
        self.allocated((process, pid), stored);
        self.measured((process, pid), stored);
        self.annotated((process, pid), stored);
        self.report.processes.push(process_of(stored));
        self.runs.push(stored.process.aclsan_run.clone());
        // A replay for leaks resolves the stacks of findings and leaks only.
        let needs_names = !only_leaks || !rows.is_empty() || !stored.leaks.is_empty();
        self.trusted(stored, needs_names);
    }

    fn add_finding(
        &mut self,
        (process, pid): (usize, u32),
        row: &FindingRow,
        stored: &Stored,
        printer: &StackKeyBuilder,
    ) -> usize {
        let severity = match row.severity.as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Note,
        };
        let met = Occurrence {
            process,
            first_ns: row.first_ns,
        };
        let stacks = stored.stacks(row, true);
        let alike = DedupKey {
            rule: word(&row.rule),
            severity,
            message: &row.message,
            count: row.count,
            last_ns: row.last_ns,
            pid,
            met,
            stacks: printer.stacks(&stacks),
        };
        self.findings.add_alike(&alike, || Finding {
            rule: word(&row.rule),
            severity,
            own_severity: severity,
            message: row.message.clone(),
            count: row.count,
            pid,
            pids: vec![pid],
            met: vec![met],
            thread: row.thread,
            thread_name: row.thread_name.clone(),
            first_ns: row.first_ns,
            last_ns: row.last_ns,
            address: row.address.map(|address| address.0),
            block: block(row),
            fingerprint: String::new(), // set by the deduplicator
            site: stacks.here.site(),
            stacks: stacks.clone(),
            details: lines(&row.details),
            growth: growth(row),
            runtime: row.runtime.clone(),
            instead: row.instead.clone(),
            consequences: Vec::new(), // nested when all processes are in
        })
    }

    /// Adds the process to the comparison of ranks.
    fn compare(&mut self, stored: &Stored, held: Vec<(usize, u64)>, printer: &StackKeyBuilder) {
        let row = &stored.process;
        let own = held.iter().filter(|(at, _)| self.roots.is_own(*at));
        let rank = Rank {
            pid: row.process_number,
            host: row.host_name.clone(),
            log: row.log.clone(),
            peak_bytes: row.peak_bytes,
            leaked_bytes: row.leaked_bytes,
            findings: own.count() as u64,
            ..Rank::default()
        };
        let devices = stored.usage.iter().filter(|usage| usage.peak_bytes > 0);
        let devices = devices.filter_map(|usage| {
            let device = usage.device?;
            Some((device, usage.live_bytes, usage.peak_bytes))
        });
        let devices: Vec<_> = devices.collect();
        self.ranks.process(rank, &devices);
        self.held.push(held);
        for row in stored
            .allocations
            .iter()
            .filter(|row| !row.family.is_empty())
        {
            let family = word(&row.family);
            let trace = stored.trace("allocated", row.stack, false);
            let print = printer.frames(&trace.frames);
            let key = printer.place(family, &trace.function, &print);
            let sums = (row.peak_bytes, row.leaked_bytes);
            self.ranks.site(key, family, sums, || trace);
        }
    }

    /// Adds the allocation sites: the largest, and all that have a budget.
    fn allocated(&mut self, who: (usize, u32), stored: &Stored) {
        let mut rows: Vec<&Allocation> = stored.allocations.iter().collect();
        rows.sort_by_key(|row| (Reverse(row.peak_bytes), row.stack));
        let (to, budgets) = (&mut self.report.allocations, &self.budgets);
        let sites = rows.into_iter().map(|row| site(who, row, stored));
        let sites: Vec<AllocationSite> = sites.collect();
        let latencies: Vec<Latency> = sites.iter().filter_map(|site| site.latency).collect();
        latencies.iter().for_each(|latency| to.took(latency));
        let has_budget = |site: &AllocationSite| has_budget(budgets, &site.allocated);
        let (of_process, all) = (sites.len(), &mut to.sites);
        let before = all.len() + of_process;
        all.extend(sites);
        all.sort_by_key(|site| Reverse(site.peak_bytes));
        if all.len() > Allocations::MAX_SITES {
            let small = all.split_off(Allocations::MAX_SITES);
            all.extend(small.into_iter().filter(has_budget));
        }
        to.left_out += (before - all.len()) as u64;
    }

    /// Adds bytes by device, family and time, and layouts.
    fn measured(&mut self, (process, pid): (usize, u32), stored: &Stored) {
        let metrics = &mut self.report.metrics;
        for usage in &stored.usage {
            match (&usage.device, &usage.family) {
                (Some(device), _) => metrics.devices.push(DeviceUse {
                    pid,
                    process,
                    device: *device,
                    live_bytes: usage.live_bytes,
                    peak_bytes: usage.peak_bytes,
                    peak_ns: usage.peak_ns,
                    least_free_bytes: usage.least_free_bytes,
                    total_bytes: usage.total_bytes,
                    peak_estimate: None,
                }),
                (None, family) => metrics.families.push(FamilyUse {
                    pid,
                    process,
                    family: word(family.as_deref().unwrap_or_default()),
                    allocations: usage.allocations,
                    releases: usage.releases,
                    allocated_bytes: usage.allocated_bytes,
                    live_bytes: usage.live_bytes,
                    peak_bytes: usage.peak_bytes,
                    peak_ns: usage.peak_ns,
                    peak_estimate: None,
                    live_estimate: None,
                }),
            }
        }
        self.report.timeline.processes.push(Line {
            pid,
            process,
            points: thin(&stored.points, self.points),
        });
        let classes = stored.layouts.iter();
        let classes = classes.map(|row| class((process, pid), row));
        self.report.fragmentation.classes.extend(classes);
        for call in &stored.calls {
            let function = self.functions.entry(call.function.clone()).or_default();
            function.function.clone_from(&call.function);
            function.calls += call.calls;
            function.failures += call.failures;
        }
        for row in &stored.failures {
            match (row.kind.as_str(), row.status) {
                ("refused", Some(status)) => {
                    let known = self.failures.entry((row.function.clone(), status));
                    let failure = known.or_insert_with(|| Failure {
                        function: row.function.clone(),
                        status,
                        name: row.status_name.clone(),
                        ..Failure::default()
                    });
                    failure.count += row.count;
                    failure.bytes = failure.bytes.saturating_add(row.bytes);
                }
                ("damaged log", _) => self.report.own.damage.push(Cut {
                    pid,
                    process,
                    offset: row.address.unwrap_or_default().0,
                    lost_bytes: row.bytes,
                }),
                _ => {
                    let unknown = &mut self.report.metrics.unknown_origin;
                    unknown.pointers += row.count;
                    unknown.sites.push(Unknown {
                        pid,
                        process,
                        count: row.count,
                        address: row.address.unwrap_or_default().0,
                        released: stored.trace("released", row.stack.unwrap_or(0), false),
                    });
                }
            }
        }
    }
}

fn has_budget(budgets: &[SiteBudget], trace: &Trace) -> bool {
    budgets.iter().any(|budget| budget.covers(trace))
}

fn leak((process, pid): (usize, u32), parts: &[Leak], stored: &Stored) -> LeakSite {
    let first = &parts[0];
    let sum = parts
        .iter()
        .fold(0, |sum: u64, part| sum.saturating_add(part.bytes));
    LeakSite {
        pid,
        pids: vec![pid],
        processes: vec![process],
        alike: 1,
        root: None,
        fingerprint: String::new(),
        bytes: sum,
        blocks: parts.iter().map(|part| part.blocks).sum(),
        spread: Spread::of_parts(
            first.deviation_bytes,
            first.step_bytes,
            first.recorded_bytes,
        ),
        estimate: None,
        largest_bytes: first.largest_bytes,
        youngest_ns: first.youngest_ns,
        oldest_ns: first.oldest_ns,
        family: word(&first.family),
        device: first.device,
        thread: first.thread,
        thread_name: first.thread_name.clone(),
        names: lines(&first.names),
        class: word(&first.class),
        is_reclaimed: first.is_reclaimed,
        allocated: stored.trace("allocated", first.stack, true),
        parts: (parts.iter())
            .map(|part| LeakPart {
                pid,
                process: Some(process),
                thread: part.part_thread,
                below_ns: part.below_ns,
                epoch: part.epoch.clone(),
                blocks: part.blocks,
                bytes: part.bytes,
            })
            .collect(),
    }
}

fn block(row: &FindingRow) -> Option<FindingBlock> {
    Some(FindingBlock {
        address: row.block_address?.0,
        size: row.block_bytes?,
        family: word(row.block_family.as_deref()?),
        device: row.block_device?,
        offset: row.block_offset?,
    })
}

fn growth(row: &FindingRow) -> Option<Growth> {
    Some(Growth {
        epoch: word(row.growth_epoch.as_deref()?),
        epoch_ns: row.growth_epoch_ns,
        epochs_seen: row.growth_epochs_seen?,
        warm_up: row.growth_warm_up?,
        stride: row.growth_stride?,
        steps: row.growth_steps?,
        rises: row.growth_rises?,
        falls: row.growth_falls?,
        first_bytes: row.growth_first_bytes?,
        last_bytes: row.growth_last_bytes?,
        slope_bytes: row.growth_slope_bytes?,
        r2_percent: row.growth_r2_percent?,
        confidence: match row.growth_confidence.as_deref()? {
            "high" => Confidence::High,
            "medium" => Confidence::Medium,
            _ => Confidence::Low,
        },
    })
}
