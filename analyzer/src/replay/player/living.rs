//! A replay of a log that still grows: its state after each look.

use std::sync::Arc;

use aclsan_log::batch::{Batch, BatchEntry};
use aclsan_log::{CallSiteId, Log};
use aclsan_rules::api::block::Block;
use aclsan_rules::trackers::heap::LiveBlock;

use super::Player;
use crate::replay::accounting::usage::Usage;
use crate::replay::annotations::PoolAt;
use crate::replay::dedup::CountedFinding;
use crate::replay::sites::Sites;
use crate::replay::sites::growth::Sample;
use aclsan_render::model::Held;

impl Player {
    /// Takes over what the log defines since. Sites keep the numbers under which they are counted.
    pub fn learn(&mut self, log: &Log) {
        self.lost_events = self.lost_events.max(log.lost.events);
        self.lost_stacks = log.lost.stacks;
        self.has_times = log.properties.contains_key("slow_ns");
        self.annotations.grow(log);
        if log.site_count() == self.sites.len() {
            return;
        }
        let (mut sites, names) = Sites::new(log);
        sites.keep(&self.sites);
        self.profile = crate::replay::profile(log);
        self.sites = Arc::new(sites);
        self.accounting.grow(Arc::clone(&self.sites));
        self.hot_calls.grow(&self.sites, &self.profile);
        self.calls.grow(names);
    }

    /// What categories and pools hold.
    pub fn held(&self) -> (Vec<Held>, Vec<Held>) {
        self.annotations.held()
    }

    /// Plays one event.
    pub fn play_step(&mut self, step: &BatchEntry, batch: &Batch) {
        self.pass(step);
        self.play_one(step, batch);
    }

    /// The sites.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The pool that the block belongs to.
    pub fn pool_at(&self, block: &Block) -> Option<PoolAt> {
        self.annotations.pool_at(block)
    }

    /// The accounting by now.
    pub fn usage(&mut self) -> &mut Usage {
        self.accounting.read()
    }

    /// Live bytes of every site in time slices: the length of one, and the samples.
    pub fn slices(&self) -> (u64, &[Sample]) {
        self.growth.slices()
    }

    /// Blocks that are live now, whatever their family.
    pub fn live(&self) -> impl Iterator<Item = LiveBlock> {
        self.heap.live()
    }

    /// Findings by now, in order of their first occurrence.
    pub fn findings(&self) -> &[CountedFinding] {
        self.findings.list()
    }

    /// Calls by now.
    pub fn calls(&self) -> u64 {
        self.calls.total + self.hot_calls.total()
    }

    /// Calls by now that the runtime refused.
    pub fn refusals(&self) -> u64 {
        let tallies = self.calls.tallies.iter();
        tallies.map(|tally| tally.failures).sum()
    }

    /// The name of the block that the program gave it.
    pub fn block_name(&self, held: &LiveBlock) -> Option<&str> {
        let text = self.annotations.names.get(&held.block.id)?;
        Some(self.annotations.text(u64::from(*text)))
    }

    /// The number of the epoch at `ns`, from 1; 0 for none.
    pub fn epoch_at(&self, ns: u64) -> u32 {
        self.annotations.epoch_at(ns)
    }

    /// Whether the program's end is on record.
    pub fn has_ended(&self) -> bool {
        self.is_complete
    }

    /// Time of the last event.
    pub fn now_ns(&self) -> u64 {
        self.now.0
    }

    /// By device: the free bytes that the runtime reported last, and all bytes.
    pub fn runtime_memory(&self) -> impl Iterator<Item = (i32, (u64, u64))> {
        self.reported_last
            .iter()
            .map(|(&device, &bytes)| (device, bytes))
    }

    /// Events that could not be written.
    pub fn lost(&self) -> u64 {
        self.lost_events
    }

    /// The site under which the blocks of `site` are counted.
    pub fn canonical(&self, site: CallSiteId) -> CallSiteId {
        self.sites.canonical(site)
    }
}
