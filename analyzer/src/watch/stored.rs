//! A process of a dataset, as it was when its log was exported.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use aclsan_dataset::error::Unusable;
use aclsan_dataset::place::Place;
use aclsan_dataset::read;
use aclsan_dataset::table::Row;
use aclsan_dataset::tables::{Allocation, Block, Finding, Pool, Usage};
use aclsan_render::model::{CategoryUse, Held};
use aclsan_rules::api::family::Family;

use super::blocks::{add_block, count_age, keep_largest};
use super::history;
use super::labels::{label, place};
use super::state::{self, AGES, Detail, Life, Site, SiteKey, State};
use crate::policy::suppress::Suppressions;
use crate::report::dataset::read::{Stored, word};

/// A process whose tables were read once: they never change.
pub struct StoredProcess {
    dataset: PathBuf,
    place: Place,
    process: state::Process,
    sites: Vec<Site>,
    findings: Vec<state::Finding>,
    /// The site that was asked for last: a screen asks again and again, and the tables do not change.
    last: Option<(u32, Option<Detail>)>,
}

impl StoredProcess {
    /// From its tables.
    ///
    /// # Errors
    /// If the table of blocks cannot be read; the others were.
    pub fn new(
        dataset: &Path,
        place: &Place,
        stored: &Stored,
        suppressions: &Suppressions,
    ) -> Result<Self, Unusable> {
        let live = live(dataset, place, stored)?;
        let sites = stored.allocations.iter();
        // As of a log: what is live is shown as live, and judged by reports.
        let of_leaks: BTreeSet<u32> = stored
            .leaks
            .iter()
            .filter_map(|leak| leak.finding)
            .collect();
        let judged = |row: &&Finding| !row.is_of_sums && !of_leaks.contains(&row.finding);
        let findings = stored.findings.iter().filter(judged);
        let (omitted, shown): (Vec<_>, Vec<_>) =
            findings.partition(|row| is_omitted(row, stored, suppressions));
        let occurred = omitted.iter().filter(|row| !row.is_consequence);
        let suppressed = occurred.map(|row| row.count).sum();
        let findings = shown.into_iter().map(|row| state::Finding {
            process: 0,
            number: row.finding as usize,
            rule: word(&row.rule),
            severity: word(&row.severity),
            message: row.message.clone(),
            place: label(&stored.trace("here", row.stack, false)),
            times: row.count,
            first_ns: row.first_ns,
            is_consequence: row.is_consequence,
        });
        Ok(Self {
            dataset: dataset.to_owned(),
            place: place.clone(),
            process: process(stored, suppressed),
            sites: sites
                .map(|row| site(row, stored, live.get(row.site.as_str())))
                .collect(),
            findings: findings.collect(),
            last: None,
        })
    }

    /// Adds it, as number `at`, to `state`.
    pub fn add_to(&self, state: &mut State, at: usize) {
        state.processes.push(state::Process {
            number: at,
            ..self.process.clone()
        });
        let numbered = |site: &Site| Site {
            key: SiteKey {
                process: at,
                site: site.key.site,
            },
            ..site.clone()
        };
        state.sites.extend(self.sites.iter().map(numbered));
        let of_process = |found: &state::Finding| state::Finding {
            process: at,
            ..found.clone()
        };
        state.findings.extend(self.findings.iter().map(of_process));
    }

    /// The dataset that it is of.
    pub fn dataset(&self) -> &Path {
        &self.dataset
    }

    /// Stack, blocks, and ages of a site. Reads the tables again.
    ///
    /// # Errors
    /// If a file was lost since.
    pub fn detail(&mut self, stack: u32) -> Result<Option<Detail>, Unusable> {
        if let Some((of, detail)) = &self.last
            && *of == stack
        {
            return Ok(detail.clone());
        }
        let detail = self.read_detail(stack)?;
        self.last = Some((stack, detail.clone()));
        Ok(detail)
    }

    fn read_detail(&self, stack: u32) -> Result<Option<Detail>, Unusable> {
        let stored = Stored::read(&self.dataset, &self.place)?;
        let mut rows = stored.allocations.iter();
        let Some(row) = rows.find(|row| row.stack == stack) else {
            return Ok(None);
        };
        let (mut blocks, mut ages) = (Vec::new(), [(0, 0); AGES.len() + 1]);
        each_live(&self.dataset, &self.place, |block| {
            if stored.sites.get(&block.stack) != Some(&row.site) {
                return;
            }
            let age = self.process.duration_ns.saturating_sub(block.allocated_ns);
            count_age(&mut ages, age, block.size_bytes);
            add_block(
                &mut blocks,
                (block.address.0, block.size_bytes, age, block.thread, None),
            );
        })?;
        keep_largest(&mut blocks);
        let lifetimes = [
            row.lifetime_p50_ns,
            row.lifetime_p90_ns,
            row.lifetime_longest_ns,
        ];
        Ok(Some(Detail {
            trace: stored.trace("allocated", stack, true),
            blocks,
            lifetimes: (row.releases, lifetimes.map(Option::unwrap_or_default)),
            ages,
        }))
    }
}

/// The live blocks of one site.
#[derive(Default)]
struct Live {
    blocks: u64,
    bytes: u64,
    oldest_since: u64,
    largest: u64,
    threads: BTreeMap<u32, (u64, u64)>,
}

/// Passes each block that was live at the end to `each`.
fn each_live(dataset: &Path, place: &Place, mut each: impl FnMut(&Block)) -> Result<(), Unusable> {
    read::rows(&place.file(dataset, Block::TABLE), |block: Block| {
        if !block.is_reclaimed {
            each(&block);
        }
    })
    .map(drop)
}

/// The live blocks by site. Sites are joined by their names: one whose stack was sampled has several numbers.
fn live<'a>(
    dataset: &Path,
    place: &Place,
    stored: &'a Stored,
) -> Result<HashMap<&'a str, Live>, Unusable> {
    let mut by_site: HashMap<&str, Live> = HashMap::new();
    each_live(dataset, place, |block| {
        let Some(site) = stored.sites.get(&block.stack) else {
            return;
        };
        let live = by_site.entry(site).or_insert_with(|| Live {
            oldest_since: u64::MAX,
            ..Live::default()
        });
        live.blocks += 1;
        live.bytes = live.bytes.saturating_add(block.size_bytes);
        live.oldest_since = live.oldest_since.min(block.allocated_ns);
        live.largest = live.largest.max(block.size_bytes);
        let of_thread = live.threads.entry(block.thread).or_default();
        of_thread.0 += block.size_bytes;
        of_thread.1 += 1;
    })?;
    Ok(by_site)
}

fn site(row: &Allocation, stored: &Stored, live: Option<&Live>) -> Site {
    let trace = stored.trace("allocated", row.stack, false);
    let end = stored.process.duration_ns;
    let threads = live.map(|live| {
        let threads = live.threads.iter();
        threads
            .map(|(thread, &(bytes, blocks))| (thread.to_string(), bytes, blocks))
            .collect()
    });
    Site {
        key: SiteKey {
            process: 0,
            site: row.stack,
        },
        label: label(&trace),
        place: place(&trace),
        call: trace.function,
        family: word(&row.family),
        device: row.device,
        live: live.map_or((0, 0), |live| (live.bytes, live.blocks)),
        peak: row.peak_bytes,
        allocated: (row.allocations, row.allocated_bytes, row.releases),
        growth: None,
        rate: 0.0,
        oldest_ns: live.map(|live| end.saturating_sub(live.oldest_since)),
        largest: live.map(|live| live.largest),
        threads: threads.unwrap_or_default(),
        epochs: Vec::new(),
    }
}

/// A finding takes its consequences with it.
fn is_omitted(row: &Finding, stored: &Stored, suppressions: &Suppressions) -> bool {
    let covers = |row: &Finding| suppressions.omits(&row.rule, &stored.stacks(row, false));
    let roots = || row.roots.split(' ').filter_map(|root| root.parse().ok());
    let is_covered = |root: u32| {
        let mut findings = stored.findings.iter();
        findings.find(|row| row.finding == root).is_some_and(covers)
    };
    covers(row) || row.is_consequence && roots().next().is_some() && roots().all(is_covered)
}

fn process(stored: &Stored, suppressed: u64) -> state::Process {
    let row = &stored.process;
    let of_device = |usage: &Usage| {
        Some(state::Device {
            device: usage.device?,
            live: usage.live_bytes,
            peak: (usage.peak_bytes, usage.peak_ns),
            runtime: usage.least_free_bytes.zip(usage.total_bytes),
        })
    };
    let of_family = |usage: &Usage| {
        let name = usage.family.as_deref()?;
        let family = Family::MEMORY
            .into_iter()
            .find(|family| family.name() == name)?;
        Some(state::Family {
            name: family.name(),
            live: usage.live_bytes,
            peak: usage.peak_bytes,
            blocks: (usage.allocations, usage.releases),
        })
    };
    let of_pool = |pool: &Pool| Held {
        name: pool.name.clone(),
        device: pool.device,
        live: pool.live_bytes,
        peak: pool.peak_bytes,
        blocks: pool.live_blocks,
    };
    let refused = stored.calls.iter().map(|call| call.failures).sum();
    let devices: Vec<state::Device> = stored.usage.iter().filter_map(of_device).collect();
    let families: Vec<state::Family> = stored.usage.iter().filter_map(of_family).collect();
    let mut pools: Vec<Held> = stored.pools.iter().map(of_pool).collect();
    pools.sort_by_key(|pool| Reverse(pool.live));
    let (history, histories) = history::of_process(
        &stored.points,
        &stored.device_points,
        (&devices, &families),
        row.duration_ns,
    );
    let of_category = |of: &CategoryUse| Held {
        name: of.name.to_owned(),
        device: -1,
        live: of.live_bytes,
        peak: of.peak_bytes,
        blocks: of.live_blocks,
    };
    state::Process {
        number: 0,
        pid: row.process_number,
        log: row.log.clone(),
        program: row
            .program
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned(),
        life: match row.is_complete {
            true => Life::Exited,
            false if row.is_running => Life::Unknown,
            false => Life::Gone,
        },
        signal: row.end_signal.filter(|&signal| signal > 0),
        duration_ns: row.duration_ns,
        events: row.events,
        is_behind: false,
        devices,
        families,
        categories: stored.categories.iter().map(of_category).collect(),
        pools,
        histories,
        history,
        rates: (0.0, 0.0),
        calls: (row.calls, refused),
        lost: row.dropped_events,
        suppressed,
        block_sample: row.block_sample,
    }
}
