//! The books of replay, put aside as long as nobody reads them, or given to a thread of their own.
//!
//! What comes and goes is noted down and entered in bulk; who wants to read gets the books with all of it in them. Where that happens often,
//! they stay for a while and are kept at once; where it is rare, they go back, since another processor has all of them at hand. Either way
//! they say the same.

mod entry;
pub mod guard_overhead;
pub mod layout;
mod leaks_only;
pub mod page_classes;
pub mod pages;
pub mod totals;
pub mod usage;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use aclsan_render::model::Peak;
use aclsan_rules::heap::{Heap, Held};

use super::sites::Sites;
use super::sites::stats::is_unnamed;
use entry::{Entry, enter_all};
use guard_overhead::Laid;
use leaks_only::Tally;
use usage::Usage;

/// Entries that are handed over at once, and how often before the player waits; fewer where no thread keeps the books, since they are read
/// again at once, and what else is at hand is to stay there.
const PAGE: usize = 1024;
const PAGES: usize = 8;
const PAGE_HERE: usize = 128;
/// Entries without a look into the books before they are given away again.
const CALM: u32 = 1024;
/// Entries between two looks from which on the second is a rare one: nobody waits for the next.
const LONG: usize = 8 * PAGE;

/// What the keeper is asked to do.
enum Order {
    Keep(Box<Usage>),
    Enter(Vec<Entry>),
    GiveBack,
}

struct Keeper {
    orders: SyncSender<Order>,
    back: Receiver<Box<Usage>>,
    spare: Receiver<Vec<Entry>>,
    thread: JoinHandle<()>,
}

/// The books, wherever they are.
pub struct Books {
    sites: Arc<Sites>,
    here: Option<Box<Usage>>,
    /// Put aside, where no thread keeps them.
    aside: Option<Box<Usage>>,
    /// Entries since somebody looked, and from how many on they are given away.
    calm: u32,
    patience: u32,
    /// Entries that were handed over since they were given away.
    away: usize,
    keeper: Option<Keeper>,
    page: Vec<Entry>,
    /// Entries of a page.
    most: usize,
    /// While they are away: live blocks of devices that nothing named.
    unnamed: u64,
    /// In place of all that comes and goes, where no more is asked for.
    tally: Option<Tally>,
}

impl Books {
    /// Of the player itself.
    pub fn new(usage: Usage, sites: Arc<Sites>) -> Self {
        Self {
            sites,
            here: Some(Box::new(usage)),
            aside: None,
            calm: 0,
            patience: CALM,
            away: 0,
            keeper: None,
            page: Vec::new(),
            most: PAGE_HERE,
            unnamed: 0,
            tally: None,
        }
    }

    /// From now on nothing is kept but what leaks are told by, and what was laid around blocks. Before anything is entered.
    pub fn tally(&mut self) {
        // What is laid around blocks is forgotten with them, which is not noted down.
        self.patience = u32::MAX;
        self.tally = Some(Tally::new(self.sites.len()));
    }

    /// Whether nothing else is kept: see [`Books::tally`].
    pub fn is_tally(&self) -> bool {
        self.tally.is_some()
    }

    /// From now on a thread keeps them, if the system has room for it. Before anything is entered.
    pub fn share(&mut self) {
        let (orders, todo) = sync_channel(PAGES);
        let (give_back, back) = channel();
        let (done, spare) = channel();
        let sites = Arc::clone(&self.sites);
        let keep = move || keep(&sites, &todo, &give_back, &done);
        let Ok(thread) = thread::Builder::new().spawn(keep) else {
            return;
        };
        self.most = PAGE;
        self.keeper = Some(Keeper {
            orders,
            back,
            spare,
            thread,
        });
    }

    /// Whether anything is noted of a block that comes or goes, but how many of them each site allocated.
    #[inline(always)]
    pub fn follows_blocks(&self) -> bool {
        let is_counted = self.tally.as_ref().is_some_and(|tally| !tally.sums());
        !is_counted || self.here.as_ref().is_some_and(|usage| usage.has_guards())
    }

    /// A block was allocated.
    #[inline(always)]
    pub fn arrive(&mut self, held: &Held, ns: u64) {
        if let Some(tally) = &mut self.tally {
            return tally.arrive(held, &self.sites);
        }
        self.unnamed += u64::from(is_unnamed(held));
        self.enter(Entry::Arrive(*held, ns));
    }

    /// A block ended; `is_released` when by a release.
    #[inline(always)]
    pub fn depart(&mut self, held: &Held, ns: u64, is_released: bool) {
        if let Some(tally) = &mut self.tally {
            tally.depart(held, &self.sites);
            if let Some(usage) = &mut self.here {
                usage.forget(held.block.id);
            }
            return;
        }
        self.unnamed = self.unnamed.saturating_sub(u64::from(is_unnamed(held)));
        self.enter(Entry::Depart(*held, ns, is_released));
    }

    /// Patterns were laid around a block that just arrived.
    pub fn guard(&mut self, held: &Held, laid: Laid, ns: u64) {
        self.enter(Entry::Guard(Box::new((*held, laid, ns))));
    }

    /// The runtime took `taken` to give out a block that just arrived.
    pub fn slow(&mut self, held: &Held, ns: u64, taken: u64) {
        self.enter(Entry::Slow(Box::new((*held, ns, taken))));
    }

    /// A call named a device's block for the first time.
    pub fn named(&mut self) {
        self.unnamed = self.unnamed.saturating_sub(1);
        self.enter(Entry::Named);
    }

    /// A block whose release was refused is back. Whether it counts as used: see [`Habits::come_back`](super::sites::stats::Habits::come_back).
    pub fn come_back(&mut self, held: &Held, ns: u64) -> bool {
        let sites = Arc::clone(&self.sites);
        match &mut self.tally {
            None => self.read().come_back(held, &sites, ns),
            Some(tally) => {
                tally.come_back(held, &sites);
                false
            }
        }
    }

    /// Live bytes of devices. `heap` holds what has arrived and not departed.
    pub fn live_bytes(&mut self, heap: &Heap) -> u64 {
        match &mut self.tally {
            None => {
                let live = self.read().devices.values().map(Peak::live);
                live.fold(0, u64::saturating_add)
            }
            Some(tally) => tally.live(heap, &self.sites),
        }
    }

    /// How many blocks of memory each place allocated. `unheard` are those of each site that were not told here: see
    /// [`Books::follows_blocks`].
    pub fn allocated(&mut self, unheard: impl Iterator<Item = u64>) -> Vec<u64> {
        match &self.tally {
            None => {
                let habits = self.read().habits.list.iter();
                habits.map(|habit| habit.allocated.blocks).collect()
            }
            Some(tally) => tally.allocated(unheard, &self.sites),
        }
    }

    /// Whether some live block has not been named yet.
    #[inline]
    pub fn wants_names(&self) -> bool {
        match &self.here {
            _ if self.is_tally() => false,
            Some(usage) => usage.habits.wants_names(),
            None => self.unnamed > 0,
        }
    }

    /// The books, with everything in them.
    pub fn read(&mut self) -> &mut Usage {
        self.calm = 0;
        let usage = match self.here.take() {
            Some(usage) => usage,
            None => self.fetch(),
        };
        self.here.insert(usage)
    }

    #[inline(always)]
    fn enter(&mut self, entry: Entry) {
        match &mut self.here {
            None => {
                self.page.push(entry);
                if self.page.len() == self.most {
                    self.turn_over();
                }
            }
            Some(usage) => {
                entry.enter(usage, &self.sites);
                self.calm += 1;
                if self.calm >= self.patience {
                    self.give_away();
                }
            }
        }
    }

    #[inline(never)]
    fn give_away(&mut self) {
        (self.calm, self.away) = (0, 0);
        if let Some(usage) = self.here.take() {
            self.unnamed = usage.habits.unnamed();
            match &self.keeper {
                Some(keeper) => order(keeper, Order::Keep(usage)),
                None => self.aside = Some(usage),
            }
        }
    }

    /// Hands over what was noted.
    #[inline(never)]
    fn turn_over(&mut self) {
        self.away = self.away.saturating_add(self.page.len());
        if let Some(keeper) = &self.keeper {
            let next = keeper.spare.try_recv().unwrap_or_default();
            let page = std::mem::replace(&mut self.page, next);
            order(keeper, Order::Enter(page));
        } else if let Some(usage) = &mut self.aside {
            enter_all(&self.page, usage, &self.sites);
            self.page.clear();
        }
    }

    fn fetch(&mut self) -> Box<Usage> {
        self.turn_over();
        self.patience = match self.away >= LONG {
            true => 1,
            false => CALM,
        };
        if let Some(usage) = self.aside.take() {
            return usage;
        }
        let keeper = self.keeper.take().expect("somebody has the books");
        order(&keeper, Order::GiveBack);
        match keeper.back.recv() {
            Ok(usage) => {
                self.keeper = Some(keeper);
                usage
            }
            Err(_) => match keeper.thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => unreachable!("the keeper goes when it is asked nothing more"),
            },
        }
    }
}

impl Drop for Books {
    /// Waits for the keeper: what outlives the books nobody counts on.
    fn drop(&mut self) {
        if let Some(Keeper { orders, thread, .. }) = self.keeper.take() {
            drop(orders);
            let _ = thread.join();
        }
    }
}

/// Fails when the keeper has panicked, which whoever fetches the books passes on.
fn order(keeper: &Keeper, order: Order) {
    let _ = keeper.orders.send(order);
}

/// What the thread does.
fn keep(
    sites: &Sites,
    orders: &Receiver<Order>,
    back: &Sender<Box<Usage>>,
    spare: &Sender<Vec<Entry>>,
) {
    let mut kept = None;
    for order in orders {
        match order {
            Order::Keep(usage) => kept = Some(usage),
            Order::Enter(mut page) => {
                if let Some(usage) = &mut kept {
                    enter_all(&page, usage, sites);
                }
                page.clear();
                let _ = spare.send(page); // Nobody takes it when the player is done.
            }
            Order::GiveBack => {
                if let Some(usage) = kept.take() {
                    let _ = back.send(usage);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aclsan_log::BlockId;
    use aclsan_log::synth::Synth;
    use aclsan_rules::{Block, functions::function};

    #[test]
    fn a_tally_forgets_what_was_laid_around_each_of_many_blocks() {
        let mut synth = Synth::default();
        let site = synth.site("aclrtMalloc", 0, 0, &[0x10]);
        let sites = Arc::new(Sites::new(&synth.log()).0);
        let mut books = Books::new(Usage::new(sites.len()), Arc::clone(&sites));
        books.tally();
        let blocks = (0..u64::from(3 * CALM)).map(|id| Block {
            id: BlockId(id),
            address: 0x1000,
            size: 100,
            function: function("aclrtMalloc").expect("it is known"),
            site,
            device: 0,
        });
        let laid = Laid {
            slack: 7,
            guard: 64,
            front: 0,
            is_fenced: false,
        };
        for block in blocks.clone() {
            let held = Held {
                block,
                since_ns: 0,
                thread: 1,
                is_named: false,
                order: block.id.0,
            };
            books.arrive(&held, 0);
            books.guard(&held, laid, 0);
            books.depart(&held, 0, true);
        }
        assert_eq!(
            books.allocated([0; 2].into_iter()),
            [0, u64::from(3 * CALM)]
        );
        // The runtime's own rounding again, not the 7 bytes that were told: 100 are 128 and 32.
        let usage = books.read();
        assert!(
            blocks
                .map(|block| usage.slack(&block, &sites))
                .all(|slack| slack == 60)
        );
    }
}
