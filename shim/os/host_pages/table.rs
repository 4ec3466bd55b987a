//! The claims, and the protections that follow from them. No allocation: it is changed in signal handlers.

use crate::page_range::{page_down, page_up};
use crate::system_call::system_call;

/// Claims at a time; further copies are not watched.
const MAX_CLAIMS: usize = 1024;
/// Openings that are remembered, for threads that fault at once.
const MAX_OPENED: usize = 128;

/// Bytes that a device uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Claim {
    /// The block, by number.
    pub block: u64,
    /// First byte used.
    pub from: u64,
    /// Address after the last byte used.
    pub to: u64,
    /// Whether the device writes them.
    pub writes: bool,
    /// First protected page, and the end of the last one.
    low: u64,
    high: u64,
    /// Its number among all, which what is left of it keeps when a part was opened.
    pub(super) queued: u64,
}

/// What became of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Its pages are protected.
    Protected,
    /// It has no whole page of its own.
    NoPage,
    /// The table is full.
    Full,
    /// The kernel does not change the protection of this memory.
    Refused,
}

/// What a fault is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// A page of ours, which is open now; `is_conflict` if the device uses these bytes in a way that excludes the access.
    /// `writes` says what the access is, as far as it is known.
    Claimed { is_conflict: bool, writes: bool },
    /// A page that another thread has opened meanwhile, by number of the opening.
    Opened(u64),
    /// Nothing of ours.
    Foreign,
}

impl Claim {
    /// The claim on `from..to` of a block; its pages are whole pages within `bounds`.
    pub fn new(block: u64, bounds: (u64, u64), (from, to): (u64, u64), writes: bool) -> Self {
        let inner = (page_up(bounds.0), page_down(bounds.1));
        let low = page_down(from).max(inner.0);
        let high = page_up(to).min(inner.1);
        Self {
            block,
            from,
            to,
            writes,
            low,
            high: high.max(low),
            queued: 0,
        }
    }

    /// Whether both are about the same pages, however often they were queued.
    fn is_same(&self, other: &Claim) -> bool {
        let queued = other.queued;
        Claim { queued, ..*self } == *other
    }

    fn protection(&self) -> Protection {
        match self.writes {
            true => Protection::None,
            false => Protection::ReadOnly,
        }
    }

    /// Whether the CPU must not do that to these bytes.
    fn conflicts(&self, from: u64, to: u64, writes: bool) -> bool {
        from < self.to && self.from < to && (writes || self.writes)
    }
}

/// What the CPU may do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Protection {
    Open,
    ReadOnly,
    None,
}

/// All claims, and what was opened last.
pub struct Table {
    claims: [Claim; MAX_CLAIMS],
    len: usize,
    opened: [(u64, u64); MAX_OPENED],
    openings: u64,
    /// Claims so far.
    queued: u64,
}

impl Table {
    pub const fn new() -> Self {
        const NONE: Claim = Claim {
            block: 0,
            from: 0,
            to: 0,
            writes: false,
            low: 0,
            high: 0,
            queued: 0,
        };
        Self {
            claims: [NONE; MAX_CLAIMS],
            len: 0,
            opened: [(0, 0); MAX_OPENED],
            openings: 0,
            queued: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn claims(&self) -> &[Claim] {
        &self.claims[..self.len]
    }

    pub fn bounds(&self) -> (u64, u64) {
        let low = self.claims().iter().map(|claim| claim.low).min();
        let high = self.claims().iter().map(|claim| claim.high).max();
        (low.unwrap_or(u64::MAX), high.unwrap_or(0))
    }

    /// The protection of the page at `at`, and up to where it is the same at least.
    fn protection(&self, at: u64, end: u64) -> (Protection, u64) {
        let (mut strictest, mut until) = (Protection::Open, end);
        for claim in self.claims() {
            if claim.low <= at && at < claim.high {
                strictest = strictest.max(claim.protection());
                until = until.min(claim.high);
            } else if claim.low > at {
                until = until.min(claim.low);
            }
        }
        (strictest, until)
    }

    /// Adds a claim. Pages that are as strict already are left as they are, and runs of pages are changed at once.
    pub fn add(&mut self, claim: Claim) -> Outcome {
        if claim.low >= claim.high {
            return Outcome::NoPage;
        }
        self.queued += 1;
        let queued = self.queued;
        let claim = Claim { queued, ..claim };
        // As when one copy is queued again and again. Who has found the one before to be over means that one only.
        let known = &mut self.claims[..self.len];
        if let Some(known) = known.iter_mut().find(|known| known.is_same(&claim)) {
            known.queued = queued;
            return Outcome::Protected;
        }
        if self.len == MAX_CLAIMS {
            return Outcome::Full;
        }
        let wanted = claim.protection();
        let mut run = claim.low..claim.low;
        let mut at = claim.low;
        let mut is_done = true;
        while at < claim.high {
            let (before, until) = self.protection(at, claim.high);
            if before < wanted {
                run.end = until;
            } else {
                is_done &= set(run.start, run.end, wanted);
                run = until..until;
            }
            at = until;
        }
        is_done &= set(run.start, run.end, wanted);
        self.push(claim);
        if !is_done {
            self.remove(self.len - 1);
            return Outcome::Refused;
        }
        Outcome::Protected
    }

    fn push(&mut self, claim: Claim) {
        if let Some(free) = self.claims.get_mut(self.len) {
            *free = claim;
            self.len += 1;
        }
    }

    /// Removes a claim and opens what only it protected.
    fn remove(&mut self, at: usize) {
        let gone = self.claims[at];
        self.len -= 1;
        self.claims[at] = self.claims[self.len];
        self.relax(gone.low, gone.high, gone.protection());
    }

    /// Sets the pages to what the claims say, where they were as strict as `before` at least.
    fn relax(&mut self, low: u64, high: u64, before: Protection) {
        let mut at = low;
        while at < high {
            let (now, mut until) = self.protection(at, high);
            while until < high {
                match self.protection(until, high) {
                    (next, further) if next == now => until = further,
                    _ => break,
                }
            }
            if now < before {
                set(at, until, now);
                self.note_opened(at, until);
            }
            at = until;
        }
    }

    fn note_opened(&mut self, low: u64, high: u64) {
        self.opened[self.openings as usize % MAX_OPENED] = (low, high);
        self.openings += 1;
    }

    /// Ends these claims, in the order of their numbers, unless they were queued again since they were copied.
    pub fn end(&mut self, over: &[Claim]) {
        let find = |queued| over.binary_search_by_key(&queued, |over| over.queued);
        self.retain(&mut |claim| find(claim.queued).is_err());
    }

    /// Ends all claims that are not needed, and opens their pages.
    pub fn retain(&mut self, is_needed: &mut dyn FnMut(&Claim) -> bool) {
        // All that is over first, so that neighbors are opened together.
        let (mut kept, mut gone) = (0, self.len);
        while kept < gone {
            if is_needed(&self.claims[kept]) {
                kept += 1;
            } else {
                gone -= 1;
                self.claims.swap(kept, gone);
            }
        }
        let all = self.len;
        self.len = kept;
        self.claims[kept..all].sort_unstable_by_key(|claim| claim.low);
        let mut at = kept;
        while at < all {
            let first = self.claims[at];
            let (mut high, mut strictest) = (first.high, first.protection());
            at += 1;
            while at < all && self.claims[at].low <= high {
                high = high.max(self.claims[at].high);
                strictest = strictest.max(self.claims[at].protection());
                at += 1;
            }
            self.relax(first.low, high, strictest);
        }
    }

    /// Opens the pages of `from..to` for an access that only reads, or also writes.
    pub fn open(&mut self, from: u64, to: u64, writes: bool) {
        let (low, high) = (page_down(from), page_up(to));
        let mut at = 0;
        while at < self.len {
            let claim = self.claims[at];
            let is_in_the_way = writes || claim.writes;
            if !is_in_the_way || claim.high <= low || high <= claim.low {
                at += 1;
                continue;
            }
            // The rest on both sides stays claimed.
            let before = Claim {
                high: claim.high.min(low.max(claim.low)),
                ..claim
            };
            let after = Claim {
                low: claim.low.max(high.min(claim.high)),
                ..claim
            };
            self.len -= 1;
            self.claims[at] = self.claims[self.len];
            for rest in [before, after] {
                if rest.low < rest.high {
                    self.push(rest);
                }
            }
            self.relax(claim.low, claim.high, claim.protection());
        }
    }

    /// An access to these bytes that is about to be made: opens the pages, all of those of the claims that it conflicts
    /// with. Returns the first byte that conflicts.
    pub fn access(&mut self, from: u64, to: u64, writes: bool) -> Option<u64> {
        let mut first = None;
        let mut at = 0;
        while at < self.len {
            let claim = self.claims[at];
            if claim.conflicts(from, to, writes) {
                let byte = claim.from.max(from);
                first = Some(first.map_or(byte, |first: u64| first.min(byte)));
                self.remove(at);
            } else {
                at += 1;
            }
        }
        self.open(from, to, writes);
        first
    }

    /// An access to a byte has faulted. `writes` is `None` if the processor does not say.
    pub fn touched(&mut self, address: u64, writes: Option<bool>) -> Touch {
        let page = page_down(address);
        let covers = |claim: &&Claim| claim.low <= page && page < claim.high;
        if let Some(strictest) = self
            .claims()
            .iter()
            .filter(covers)
            .map(Claim::protection)
            .max()
        {
            // A read of a read-only page does not fault.
            let writes = writes.unwrap_or(strictest == Protection::ReadOnly);
            let next = address.saturating_add(1);
            let is_conflict = self.access(address, next, writes).is_some();
            self.open(address, next, true);
            return Touch::Claimed {
                is_conflict,
                writes,
            };
        }
        let last = self.openings.min(MAX_OPENED as u64);
        let recent = (self.openings - last..self.openings).rev();
        for opening in recent {
            let (low, high) = self.opened[opening as usize % MAX_OPENED];
            if low <= page && page < high {
                return Touch::Opened(opening);
            }
        }
        Touch::Foreign
    }
}

/// Changes what the CPU may do with pages; `false` if the kernel refuses.
fn set(low: u64, high: u64, protection: Protection) -> bool {
    if low >= high {
        return true;
    }
    let wanted = match protection {
        Protection::Open => libc::PROT_READ | libc::PROT_WRITE,
        Protection::ReadOnly => libc::PROT_READ,
        Protection::None => libc::PROT_NONE,
    };
    // SAFETY: whole pages of a block of the program's, which were readable and writable; what the program may see of it is
    // handled by the fault handler.
    unsafe { system_call(libc::SYS_mprotect, [low, high - low, wanted as u64, 0]) == 0 }
}

#[cfg(test)]
mod tests;
