//! What a report on leaks alone needs to know of blocks that come and go, in place of all books.

use aclsan_log::SiteId;
use aclsan_rules::heap::{Heap, Held};

use super::sites::Sites;

/// The counts.
pub struct Tally {
    accounts: Vec<Account>,
    /// Bytes of devices, once somebody has asked: most logs have nobody who does.
    live: Option<u64>,
}

/// Blocks of one site.
struct Account {
    /// How many were allocated.
    allocated: u64,
    /// Whether they take anything of a device.
    is_of_device: bool,
}

impl Tally {
    /// Nothing yet.
    pub fn new(sites: &Sites) -> Self {
        let accounts = (0..sites.len() as u32).map(|site| Account {
            allocated: 0,
            is_of_device: sites.terms(SiteId(site)).paging.is_some(),
        });
        Self {
            accounts: accounts.collect(),
            live: None,
        }
    }

    /// A block was allocated.
    #[inline(always)]
    pub fn arrive(&mut self, held: &Held) {
        if let Some(account) = self.accounts.get_mut(held.block.site.0 as usize) {
            account.allocated += 1;
        }
        self.come_back(held);
    }

    /// A block whose release was refused is back.
    #[inline(always)]
    pub fn come_back(&mut self, held: &Held) {
        if let Some(live) = self.live {
            self.live = Some(live.saturating_add(self.taken(held)));
        }
    }

    /// A block ended.
    #[inline(always)]
    pub fn depart(&mut self, held: &Held) {
        if let Some(live) = self.live {
            self.live = Some(live.saturating_sub(self.taken(held)));
        }
    }

    /// Bytes of devices that a block takes.
    fn taken(&self, held: &Held) -> u64 {
        let account = self.accounts.get(held.block.site.0 as usize);
        match account.is_some_and(|account| account.is_of_device) {
            true => held.block.size,
            false => 0,
        }
    }

    /// Bytes of devices that are live: all blocks of `heap` are that have arrived and not departed.
    pub fn live(&mut self, heap: &Heap) -> u64 {
        let live = self.live.unwrap_or_else(|| {
            let taken = heap.live().map(|held| self.taken(&held));
            taken.fold(0, u64::saturating_add)
        });
        *self.live.insert(live)
    }

    /// How many blocks of memory each place allocated.
    pub fn allocated(&self, sites: &Sites) -> Vec<u64> {
        let mut allocated = vec![0; self.accounts.len()];
        for (site, account) in (0..).map(SiteId).zip(&self.accounts) {
            let terms = sites.terms(site);
            if terms.line.is_some() {
                allocated[terms.place.0 as usize] += account.allocated;
            }
        }
        allocated
    }
}
