//! Rows of single blocks, which are written while a log is read: of a long log they are most of a dataset.

use std::collections::BTreeSet;
use std::path::Path;

use aclsan_dataset::table::Row;
use aclsan_dataset::tables::{Block, SnapshotBlock};
use aclsan_log::CallSiteId;
use aclsan_rules::trackers::heap::LiveBlock;

use super::files::{Complete, TableFile};
use super::identity::Identity;
use crate::replay::BlockAtEnd;

/// A table of blocks under construction.
pub struct BlockFile<R: Row> {
    file: TableFile<R>,
    row: R,
    /// The sites that its rows refer to.
    sites: BTreeSet<CallSiteId>,
    failed: Option<anyhow::Error>,
}

impl<R: Row> BlockFile<R> {
    fn new(dataset: &Path, who: &Identity, row: R) -> anyhow::Result<Self> {
        Ok(Self {
            file: TableFile::create(dataset, &who.place)?,
            row,
            sites: BTreeSet::new(),
            failed: None,
        })
    }

    fn add_row(&mut self, site: CallSiteId) {
        if self.failed.is_none() {
            self.sites.insert(site);
            self.failed = self.file.add(&self.row).err();
        }
    }

    /// Completes the file, and adds the sites that its rows refer to.
    ///
    /// # Errors
    /// If it, or one of its rows, could not be written.
    pub fn finish(self, sites: &mut BTreeSet<CallSiteId>) -> anyhow::Result<Complete> {
        sites.extend(self.sites);
        match self.failed {
            Some(error) => Err(error),
            None => self.file.finish(),
        }
    }
}

impl BlockFile<Block> {
    /// Of the blocks at the end.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn at_end(dataset: &Path, who: &Identity) -> anyhow::Result<Self> {
        let process = who.key.clone();
        let row = Block {
            process,
            ..Block::default()
        };
        Self::new(dataset, who, row)
    }

    pub fn add(&mut self, block: &BlockAtEnd) {
        let (held, row) = (&block.held, &mut self.row);
        row.address.0 = held.block.address;
        row.size_bytes = held.block.size;
        held.block.family().name().clone_into(&mut row.family);
        row.device = held.block.device;
        row.stack = block.site.0;
        row.thread = held.thread;
        row.allocated_ns = held.since_ns;
        row.leak = block.leak.map(|(leak, _)| leak as u32);
        row.class = block.leak.map(|(_, class)| class.name().to_owned());
        row.is_reclaimed = block.is_reclaimed;
        row.category = block.category.map(str::to_owned);
        self.add_row(block.site);
    }
}

impl BlockFile<SnapshotBlock> {
    /// Of the blocks at snapshots.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn at_snapshots(dataset: &Path, who: &Identity) -> anyhow::Result<Self> {
        let process = who.key.clone();
        let row = SnapshotBlock {
            process,
            ..SnapshotBlock::default()
        };
        Self::new(dataset, who, row)
    }

    pub fn add(&mut self, snapshot_ns: u64, held: &LiveBlock, site: CallSiteId) {
        let row = &mut self.row;
        row.snapshot_ns = snapshot_ns;
        row.address.0 = held.block.address;
        row.size_bytes = held.block.size;
        held.block.family().name().clone_into(&mut row.family);
        row.device = held.block.device;
        row.stack = site.0;
        row.thread = held.thread;
        row.allocated_ns = held.since_ns;
        self.add_row(site);
    }
}
