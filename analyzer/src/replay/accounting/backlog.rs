//! Pages of queued entries: the player adds them, and a second thread applies them, or the player itself if that is behind.

use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::entry::{Entry, enter_all};
use super::usage::Usage;
use crate::replay::sites::Sites;

/// Pages from which on the player had better do something else than add more.
pub const MANY_PAGES: usize = 6;
/// Pages from which on it applies them before it adds more: a single event may end any number of blocks.
const MAX_PAGES: usize = 4 * MANY_PAGES;

/// The accounting and the entries that it lacks.
pub struct Backlog {
    sites: Arc<Sites>,
    /// `None` while the player has it, and for good if a thread panics with it. Locked before `pages`.
    usage: Mutex<Option<Box<Usage>>>,
    pages: Mutex<Pages>,
}

#[derive(Default)]
struct Pages {
    queued: VecDeque<Vec<Entry>>,
    spare: Vec<Vec<Entry>>,
}

impl Backlog {
    /// No entries, for a log with these sites.
    pub fn new(sites: Arc<Sites>) -> Self {
        Self {
            sites,
            usage: Mutex::default(),
            pages: Mutex::default(),
        }
    }

    /// Applies the oldest page. `false` if there is none, if the other thread applies one, or if it has panicked with one.
    ///
    /// Nobody waits for the other thread: there may be something to read, and to be woken takes longer than to apply a page.
    pub fn apply_next(&self) -> bool {
        (self.usage.try_lock()).is_ok_and(|mut kept| self.apply_to(&mut kept))
    }

    fn apply_to(&self, kept: &mut Option<Box<Usage>>) -> bool {
        let Some(mut usage) = kept.take() else {
            return false;
        };
        let next = lock(&self.pages).queued.pop_front();
        let is_any = next.is_some();
        if let Some(mut page) = next {
            enter_all(&page, &mut usage, &self.sites);
            page.clear();
            lock(&self.pages).spare.push(page);
        }
        *kept = Some(usage);
        is_any
    }

    /// Pages that are not applied yet.
    pub fn len(&self) -> usize {
        lock(&self.pages).queued.len()
    }

    /// Takes over the accounting, with all entries applied so far.
    pub(super) fn take_over(&self, usage: Box<Usage>) {
        *lock(&self.usage) = Some(usage);
    }

    /// Replaces a page of entries, which is queued, by an empty one.
    pub(super) fn add(&self, page: &mut Vec<Entry>) {
        let mut pages = lock(&self.pages);
        let next = pages.spare.pop().unwrap_or_default();
        pages.queued.push_back(std::mem::replace(page, next));
        let is_full = pages.queued.len() >= MAX_PAGES;
        drop(pages);
        if is_full {
            self.apply_to(&mut lock(&self.usage));
        }
    }

    /// Returns the accounting with all entries applied; `None` if a thread that applied some has panicked.
    pub(super) fn give_back(&self) -> Option<Box<Usage>> {
        let mut usage = lock(&self.usage).take()?;
        for page in take(&mut lock(&self.pages).queued) {
            enter_all(&page, &mut usage, &self.sites);
        }
        Some(usage)
    }
}

/// Locks `mutex`. Whoever panics with it has taken out what would be wrong.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use aclsan_log::builder::LogBuilder;

    use super::*;

    #[test]
    fn whoever_adds_too_many_pages_applies_them() {
        let sites = Arc::new(Sites::new(&LogBuilder::default().log()).0);
        let backlog = Backlog::new(Arc::clone(&sites));
        assert!(!backlog.apply_next(), "nobody handed it over");
        backlog.take_over(Box::new(Usage::new(sites.len())));
        let pages = 3 * MAX_PAGES;
        for _ in 0..pages {
            backlog.add(&mut vec![Entry::Named, Entry::Named]);
            assert!(backlog.len() < MAX_PAGES);
        }
        let other = lock(&backlog.usage);
        assert!(!backlog.apply_next(), "another thread applies one");
        drop(other);
        let usage = backlog.give_back().expect("nobody panicked");
        assert_eq!(
            (usage.site_stats.used, backlog.len()),
            (2 * pages as u64, 0)
        );
        assert!(backlog.give_back().is_none(), "it is given back already");
    }
}
