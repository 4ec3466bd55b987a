//! Who holds device memory at one moment: every block has one owner, so that the owners add up to what the process holds.

mod users;

use std::collections::BTreeMap;

use aclsan_log::{CallSiteId, Log};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Family;
use aclsan_rules::trackers::heap::LiveBlock;

use super::ahead::read_between;
use super::annotations::PoolAt;
use super::oom::RuntimeMemInfo;
use super::player::Player;
use super::{Sum, profile};
use users::Users;

/// Who holds a block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// A pool of the program or its framework, by name.
    Pool(String),
    /// Blocks that were allocated while a graph was captured.
    Graphs,
    /// Memory that the program gave to models.
    Models,
    /// A module of the vendor's software, by name.
    Module(&'static str),
    /// The runtime's own pools.
    StreamOrdered,
    /// Physical memory for mappings.
    Physical,
    /// The program itself.
    Own,
}

/// What an owner holds.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Holding {
    /// Blocks and their bytes.
    pub sum: Sum,
    /// The same by what they are for: parts of a pool by category, what it holds unused, a model's work and weights.
    pub parts: BTreeMap<&'static str, Sum>,
    /// The same by allocation site: of a pool, the sites of its parts.
    pub sites: BTreeMap<CallSiteId, Sum>,
}

/// Bytes of a pool that no part takes.
pub const UNUSED: &str = "cached, unused";
/// Parts of a pool without a category.
pub const IN_USE: &str = "in use";

/// A device at one moment.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DeviceLedger {
    /// What the runtime said last, with the pages taken and returned since.
    pub mem_info: Option<RuntimeMemInfo>,
    /// Bytes of the pages that the process holds.
    pub pages: u64,
    /// Bytes of redzones among them.
    pub guards: u64,
    /// Who holds the blocks.
    pub owners: BTreeMap<Owner, Holding>,
    /// Memory of other processes that is mapped here.
    pub imported: Sum,
}

/// A process at one moment.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ledger {
    /// When.
    pub ns: u64,
    /// By device.
    pub devices: BTreeMap<i32, DeviceLedger>,
    /// Page-locked memory, by allocation site.
    pub pinned: Holding,
    /// Host memory registered for devices.
    pub registered: Holding,
    /// Objects of the runtime by family, and by the site that made them.
    pub objects: BTreeMap<Family, Holding>,
}

/// The ledgers of a log at `moments`, which are in order; a moment after the last event is the end.
pub fn ledgers(log: &Log, moments: &[u64]) -> Vec<Ledger> {
    let (mut player, mut users) = (Player::new(log, profile(log)), Users::default());
    let mut taken = Vec::new();
    read_between(log, |batch, _| {
        for step in batch.entries() {
            while moments.get(taken.len()).is_some_and(|&at| at < step.ns) {
                taken.push(ledger(&mut player, &users, moments[taken.len()]));
            }
            users.see(step, batch, player.sites());
            player.play_step(step, batch);
        }
    });
    while let Some(&at) = moments.get(taken.len()) {
        taken.push(ledger(&mut player, &users, at));
    }
    taken
}

fn ledger(player: &mut Player, users: &Users, ns: u64) -> Ledger {
    let mut ledger = Ledger {
        ns,
        ..Ledger::default()
    };
    let held: Vec<LiveBlock> = player.live().collect();
    for held in &held {
        let block = &held.block;
        let place = player.sites().canonical(block.site);
        match block.family() {
            Family::Imported => {
                let device = ledger.devices.entry(block.device).or_default();
                device.imported.add(held);
            }
            family if family.is_of_device() => {
                let device = ledger.devices.entry(block.device).or_default();
                let pool = player.pool_at(block);
                let owner = owner(block, users, pool.as_ref());
                let holding = device.owners.entry(owner.clone()).or_default();
                holding.sum.add(held);
                match (owner, pool) {
                    (Owner::Pool(_), Some(pool)) => add_parts(holding, held, &pool),
                    (Owner::Models, _) => {
                        for (part, bytes) in users.of_model(block) {
                            add(holding.parts.entry(part).or_default(), 1, bytes);
                        }
                        add_site(holding, place, held);
                    }
                    _ => add_site(holding, place, held),
                }
            }
            Family::Pinned => {
                ledger.pinned.sum.add(held);
                add_site(&mut ledger.pinned, place, held);
            }
            Family::Registered => {
                ledger.registered.sum.add(held);
                add_site(&mut ledger.registered, place, held);
            }
            family if !family.is_memory() => {
                let holding = ledger.objects.entry(family).or_default();
                add(&mut holding.sum, 1, 0);
                add(holding.sites.entry(place).or_default(), 1, 0);
            }
            _ => {}
        }
    }
    for (number, of) in player.usage().oom.devices() {
        let device = ledger.devices.entry(number).or_default();
        (device.pages, device.guards, device.mem_info) = (of.pages, of.guards, of.mem_info());
        device.pages = device.pages.saturating_sub(device.imported.bytes);
    }
    ledger
}

fn owner(block: &Block, users: &Users, pool: Option<&PoolAt>) -> Owner {
    match (block.family(), users.module_of(block.id), pool) {
        (Family::Pool, ..) => Owner::StreamOrdered,
        (Family::Physical, ..) => Owner::Physical,
        (_, Some(module), _) => Owner::Module(module),
        _ if users.is_of_graph(block.id) => Owner::Graphs,
        _ if users.of_model(block).next().is_some() => Owner::Models,
        (_, _, Some(pool)) => Owner::Pool(pool.name.clone()),
        (_, _, None) => Owner::Own,
    }
}

fn add_parts(holding: &mut Holding, held: &LiveBlock, pool: &PoolAt) {
    let mut rest = held.bytes;
    for &(category, site, bytes) in &pool.parts {
        let bytes = bytes.min(rest);
        rest -= bytes;
        let part = category.unwrap_or(IN_USE);
        add(holding.parts.entry(part).or_default(), 1, bytes);
        add(holding.sites.entry(site).or_default(), 1, bytes);
    }
    if rest > 0 {
        add(holding.parts.entry(UNUSED).or_default(), 0, rest);
    }
}

fn add_site(holding: &mut Holding, place: CallSiteId, held: &LiveBlock) {
    holding.sites.entry(place).or_default().add(held);
}

fn add(sum: &mut Sum, blocks: u64, bytes: u64) {
    sum.blocks += blocks;
    sum.bytes = sum.bytes.saturating_add(bytes);
}
