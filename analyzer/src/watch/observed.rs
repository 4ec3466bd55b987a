//! One process whose log is followed.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use aclsan_log::CallSiteId;
use aclsan_log::follow::Follower;
use aclsan_render::model::Trace;
use aclsan_rules::api::family::Family;

use super::blocks::{add_block, count_age, keep_largest};
use super::history;
use super::judged::{self, Judged};
use super::labels::{label, place};
use super::rates::Rates;
use super::state::{self, AGES, Detail, Life, SiteKey, State};
use super::walk::Walk;
use crate::logs::in_memory;
use crate::logs::writer::{self, Survey, Writer};
use crate::policy::suppress::Suppressions;
use crate::replay::{Living, block_sample};
use crate::symbols::Symbols;
use crate::symbols::stacks::Stacks;

/// Stacks that get their names for one state: the rest wait for the next.
const NAMES_AT_ONCE: usize = 400;
/// How often a quiet log is asked for its process.
const ASK: Duration = Duration::from_secs(1);

/// A followed log.
pub struct Observed {
    path: PathBuf,
    follower: Follower,
    living: Living,
    is_behind: bool,
    writer: Writer,
    asked: Option<Instant>,
    traces: HashMap<CallSiteId, (Trace, String)>,
    by_site: Rates,
    totals: Rates,
    walked: Walk,
    judged: Judged,
    /// When it was last seen to grow.
    grew: Instant,
}

impl Observed {
    /// Nothing is read yet.
    pub fn new(path: PathBuf, follower: Follower) -> Self {
        let living = Living::new(follower.log());
        Self {
            path,
            follower,
            living,
            is_behind: true,
            writer: Writer::Unknown,
            asked: None,
            traces: HashMap::new(),
            by_site: Rates::default(),
            totals: Rates::default(),
            walked: Walk::default(),
            judged: Judged::default(),
            grew: Instant::now(),
        }
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The log has another name now: it was packed.
    pub fn move_to(&mut self, path: PathBuf) {
        self.path = path;
    }

    /// Whether its log has no name any more. What the process writes still is lost when the process ends.
    pub fn is_deleted(&self) -> bool {
        let file = self.follower.log().file();
        let meta = file.and_then(|file| file.metadata().ok());
        meta.is_some_and(|meta| meta.nlink() == 0)
    }

    /// Whether more was in the log when it was read last.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// For how long nothing was added to its log.
    pub fn quiet(&self) -> Duration {
        self.grew.elapsed()
    }

    /// Whether more events may follow.
    pub fn is_running(&self) -> bool {
        match self.life() {
            Life::Runs | Life::Unknown => true,
            Life::Exited | Life::Gone => self.is_behind,
        }
    }

    /// Reads what is new; whether more is there already.
    pub fn look(&mut self, stop: &AtomicBool, survey: &mut Survey) -> bool {
        // Asked first: what a process wrote before it ended is read after.
        if self.asked.is_none_or(|at| at.elapsed() >= ASK) && self.writer != Writer::Gone {
            self.asked = Some(Instant::now());
            let known = match self.writer {
                Writer::Runs(pid) => pid,
                _ => self.follower.header().pid,
            };
            // A packed log is written by nobody.
            let file = self.follower.log().file();
            self.writer = file.map_or(Writer::Gone, |file| writer::of(file, known, survey));
        }
        let (living, mut is_known) = (&mut self.living, false);
        let news = self.follower.look(|log, batch| {
            if !is_known {
                living.learn(log);
                is_known = true;
            }
            living.play(batch);
            match stop.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        self.is_behind = news.is_behind;
        if news.events > 0 {
            self.grew = Instant::now();
        }
        let now = self.now_ns();
        let living = &mut self.living;
        self.by_site.take(now, || {
            let mut counts = Vec::new();
            for site in living.sites() {
                counts.resize(site.site.0 as usize + 1, 0);
                counts[site.site.0 as usize] = site.stats.allocated.blocks;
            }
            counts
        });
        let families = self.living.families();
        let allocations = families.iter().map(|of| of.allocations).sum();
        let releases = families.iter().map(|of| of.releases).sum();
        self.totals.take(now, || vec![allocations, releases]);
        self.is_behind
    }

    /// How the process is.
    pub fn life(&self) -> Life {
        match self.writer {
            Writer::Runs(_) => Life::Runs,
            _ if self.living.has_ended() => Life::Exited,
            Writer::Gone => Life::Gone,
            Writer::Unknown => Life::Unknown,
        }
    }

    fn signal(&self) -> Option<i32> {
        let end = self.follower.end().filter(|_| self.life() == Life::Gone)?;
        Some(end.signal).filter(|&signal| signal > 0)
    }

    /// Now, since the log's start: by the clock if the program runs here, else the last event.
    fn now_ns(&self) -> u64 {
        let last = self.living.now_ns();
        if !matches!(self.writer, Writer::Runs(_)) {
            return last;
        }
        let began = self.follower.header().started.realtime_ns;
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = since.map_or(0, |since| since.as_nanos() as u64);
        last.max(now.saturating_sub(began))
    }

    /// How it was, as number `at`, for good; `None` while stacks have no names yet.
    pub fn finish(
        &mut self,
        at: usize,
        symbols: &mut Symbols,
        suppressions: &Suppressions,
    ) -> Option<State> {
        if self.resolve(symbols) {
            return None;
        }
        self.walked.now(&self.living);
        let mut state = State::default();
        self.add_to(&mut state, at, symbols, suppressions);
        Some(state)
    }

    /// Adds this process, as number `at`, to `state`.
    pub fn add_to(
        &mut self,
        state: &mut State,
        at: usize,
        symbols: &mut Symbols,
        suppressions: &Suppressions,
    ) {
        let now = self.now_ns();
        self.walked.again(&self.living);
        self.resolve(symbols);
        let traces = |site: CallSiteId| self.traces.get(&site).map(|(trace, _)| trace);
        let findings = self.living.findings();
        self.judged.judge(findings, suppressions, traces);
        let names = |site: CallSiteId| self.traces.get(&site);
        let log = self.follower.log();
        let runtime = self.living.runtime_memory();
        let growth: HashMap<CallSiteId, _> = {
            let sites: Vec<CallSiteId> = self.living.sites().map(|one| one.site).collect();
            let grown = sites.into_iter();
            grown
                .filter_map(|site| Some((site, self.living.growth(site)?)))
                .collect()
        };
        for one in self.living.sites() {
            let walked = self.walked.sites.get(&one.site);
            let (label, place, call) = match names(one.site) {
                Some((trace, label)) => (label.clone(), place(trace), trace.function.clone()),
                None => Default::default(),
            };
            let is_live = one.stats.live.blocks > 0;
            let walked = walked.filter(|_| is_live);
            let counted = |list: &BTreeMap<u32, (u64, u64)>, name: &dyn Fn(u32) -> String| {
                let counted = list.iter();
                counted
                    .map(|(&key, &(blocks, bytes))| (name(key), bytes, blocks))
                    .collect()
            };
            let thread = |tid: u32| match log.thread_name(tid) {
                Some(name) => format!("{tid} {name}"),
                None => tid.to_string(),
            };
            state.sites.push(state::Site {
                key: SiteKey {
                    process: at,
                    site: one.site.0,
                },
                label,
                call,
                place,
                family: one.first.block.family().name(),
                device: one.first.block.device,
                live: (one.stats.live.bytes, one.stats.live.blocks),
                peak: one.stats.peak.0,
                allocated: (
                    one.stats.allocated.blocks,
                    one.stats.allocated.bytes,
                    one.stats.releases,
                ),
                growth: growth
                    .get(&one.site)
                    .map(|(bytes, sure)| (*bytes, sure.name())),
                rate: self
                    .by_site
                    .of(now, one.site.0 as usize, one.stats.allocated.blocks),
                oldest_ns: walked.map(|walked| now.saturating_sub(walked.oldest_since)),
                largest: walked.map(|walked| walked.largest),
                threads: walked.map_or_else(Vec::new, |all| counted(&all.threads, &thread)),
                epochs: walked.map_or_else(Vec::new, |all| {
                    counted(&all.epochs, &|epoch| epoch.to_string())
                }),
            });
        }
        for (number, found) in self.judged.shown(self.living.findings()) {
            let place = names(found.finding.here).map(|(_, label)| label.clone());
            state.findings.push(state::Finding {
                process: at,
                number,
                rule: found.finding.rule.name,
                severity: found.finding.severity.name(),
                message: found.finding.message.clone(),
                place: place.unwrap_or_default(),
                times: found.count.times,
                first_ns: found.count.first_ns,
                is_consequence: found.is_consequence(),
            });
        }
        let families = self.living.families();
        let used = Family::MEMORY.iter().zip(&families);
        let used = used.filter(|(_, of)| of.allocations > 0);
        let used = used.map(|(family, of)| state::Family {
            name: family.name(),
            live: of.live,
            peak: of.peak.0,
            blocks: (of.allocations, of.releases),
        });
        let devices = self.living.devices().into_iter();
        let devices = devices.map(|(device, (live, peak, peak_ns))| state::Device {
            device,
            live,
            peak: (peak, peak_ns),
            runtime: runtime.get(&device).copied(),
        });
        let property = |key: &str| log.properties.get(key).map_or("", String::as_str);
        let program = property("program");
        let sum = |count: fn(&crate::replay::FamilyTotals) -> u64| families.iter().map(count).sum();
        let (categories, pools) = self.living.held();
        let (points, end) = (self.living.points(), self.living.now_ns());
        let devices: Vec<state::Device> = devices.collect();
        let used: Vec<state::Family> = used.collect();
        let device_points = self.living.device_points();
        let (history, histories) =
            history::of_process(&points, &device_points, (&devices, &used), end);
        state.processes.push(state::Process {
            number: at,
            pid: self.follower.header().pid,
            log: in_memory::shown(&self.path).display().to_string(),
            program: program.rsplit('/').next().unwrap_or(program).to_owned(),
            life: self.life(),
            signal: self.signal(),
            duration_ns: now,
            events: self.follower.events(),
            is_behind: self.is_behind,
            devices,
            families: used,
            categories,
            pools,
            histories,
            history,
            rates: (
                self.totals.of(now, 0, sum(|of| of.allocations)),
                self.totals.of(now, 1, sum(|of| of.releases)),
            ),
            calls: self.living.calls(),
            lost: self.living.lost(),
            suppressed: self.judged.suppressed(self.living.findings()),
            block_sample: block_sample(log).map_or(0, |sample| sample.mean()),
        });
    }

    /// Stack, blocks, lifetimes and ages of a site.
    pub fn detail(&mut self, site: u32, symbols: &mut Symbols) -> Option<Detail> {
        let now = self.now_ns();
        let site = CallSiteId(site);
        let lifetimes = {
            let one = self.living.sites().find(|one| one.site == site)?;
            let lifetimes = one.stats.lifetimes.whole();
            let at = |percent| lifetimes.quantile(percent, 0).unwrap_or(0);
            (lifetimes.count(), [at(50), at(90), at(100)])
        };
        let (mut blocks, mut ages) = (Vec::new(), [(0, 0); AGES.len() + 1]);
        for held in self.living.blocks() {
            if self.living.canonical(held.block.site) != site {
                continue;
            }
            let age = now.saturating_sub(held.since_ns);
            count_age(&mut ages, age, held.block.size);
            let name = self.living.block_name(&held).map(str::to_owned);
            let block = (held.block.address, held.block.size, age, held.thread, name);
            add_block(&mut blocks, block);
        }
        keep_largest(&mut blocks);
        let mut stacks = Stacks::new(self.follower.log(), symbols);
        Some(Detail {
            trace: stacks.trace_with_source("allocated", site),
            blocks,
            lifetimes,
            ages,
        })
    }

    /// Names stacks that are shown and have no names yet: those of findings, then those with most live bytes. Whether more are left.
    fn resolve(&mut self, symbols: &mut Symbols) -> bool {
        let unnamed = |site: &CallSiteId| !self.traces.contains_key(site);
        let of_findings = self.judged.rest(self.living.findings()).iter();
        let of_findings: Vec<CallSiteId> = of_findings
            .flat_map(judged::sites)
            .filter(unnamed)
            .take(NAMES_AT_ONCE + 1)
            .collect();
        let sites = self
            .living
            .sites()
            .map(|one| (one.stats.live.bytes, one.site));
        let mut sites: Vec<_> = sites.filter(|(_, site)| unnamed(site)).collect();
        sites.sort_by_key(|(bytes, site)| (std::cmp::Reverse(*bytes), *site));
        let mut wanted = of_findings;
        wanted.extend(sites.into_iter().map(|(_, site)| site));
        let is_more = wanted.len() > NAMES_AT_ONCE;
        wanted.truncate(NAMES_AT_ONCE);
        if wanted.is_empty() {
            return false;
        }
        let mut stacks = Stacks::new(self.follower.log(), symbols);
        stacks.prepare(&wanted.iter().copied().collect());
        for site in wanted {
            let trace = stacks.trace("allocated", site);
            let label = label(&trace);
            self.traces.insert(site, (trace, label));
        }
        is_more
    }
}
