//! A moment that a person marks, to see what changed since.

use std::collections::BTreeMap;

use crate::watch::state::{SiteKey, State};

/// A thread, epoch or pool: its name, live bytes and blocks.
pub type Part = (String, u64, u64);

/// A moment to compare with.
#[derive(Default)]
pub struct Mark {
    pub sites: BTreeMap<SiteKey, Marked>,
    /// Pools.
    pub pools: Vec<Part>,
}

/// Live bytes and blocks of a site then, and of its threads and epochs.
#[derive(Default)]
pub struct Marked {
    pub live: (u64, u64),
    pub threads: Vec<Part>,
    pub epochs: Vec<Part>,
}

/// Marks this moment.
pub fn mark(state: &State) -> Mark {
    let sites = state.sites.iter().map(|site| {
        let (threads, epochs) = (site.threads.clone(), site.epochs.clone());
        let live = site.live;
        let marked = Marked {
            live,
            threads,
            epochs,
        };
        (site.key, marked)
    });
    Mark {
        sites: sites.collect(),
        pools: pools(state),
    }
}

/// The pools of all processes.
pub fn pools(state: &State) -> Vec<Part> {
    let pools = state.processes.iter().flat_map(|process| &process.pools);
    pools
        .map(|pool| (pool.name.clone(), pool.live, pool.blocks))
        .collect()
}
