//! What a report on leaks alone needs to know of blocks that come and go, in place of all books.

use aclsan_log::SiteId;
use aclsan_rules::heap::Held;

use super::sites::Sites;

/// The counts.
pub struct Tally {
    accounts: Vec<Account>,
    /// Bytes of devices.
    live: u64,
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
            live: 0,
        }
    }

    /// A site that nobody knows is the first.
    #[inline(always)]
    fn account(&mut self, site: SiteId) -> &mut Account {
        let at = site.0 as usize;
        let at = if at < self.accounts.len() { at } else { 0 };
        &mut self.accounts[at]
    }

    /// A block was allocated.
    #[inline(always)]
    pub fn arrive(&mut self, held: &Held) {
        let account = self.account(held.block.site);
        account.allocated += 1;
        if account.is_of_device {
            self.live = self.live.saturating_add(held.block.size);
        }
    }

    /// A block whose release was refused is back.
    #[inline(always)]
    pub fn come_back(&mut self, held: &Held) {
        if self.account(held.block.site).is_of_device {
            self.live = self.live.saturating_add(held.block.size);
        }
    }

    /// A block ended.
    #[inline(always)]
    pub fn depart(&mut self, held: &Held) {
        if self.account(held.block.site).is_of_device {
            self.live = self.live.saturating_sub(held.block.size);
        }
    }

    /// Bytes of devices that are live.
    pub fn live(&self) -> u64 {
        self.live
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
