//! The tables, one file each.

pub mod allocations;
pub mod blocks;
pub mod calls;
pub mod categories;
pub mod epochs;
pub mod failures;
pub mod findings;
pub mod frames;
pub mod layouts;
pub mod leaks;
pub mod pools;
pub mod processes;
pub mod sites;
pub mod snapshot_blocks;
pub mod timeline;
pub mod usage;

pub use allocations::Allocation;
pub use blocks::Block;
pub use calls::Call;
pub use categories::Category;
pub use epochs::Epoch;
pub use failures::Failure;
pub use findings::Finding;
pub use frames::Frame;
pub use layouts::Layout;
pub use leaks::Leak;
pub use pools::Pool;
pub use processes::Process;
pub use sites::Site;
pub use snapshot_blocks::SnapshotBlock;
pub use timeline::Point;
pub use usage::Usage;

use crate::table::{Field, Row};

/// The center of the star, which is written last.
pub const PROCESSES: &str = Process::TABLE;

/// Every table with its columns.
pub const TABLES: [(&str, &[Field]); 16] = [
    (Process::TABLE, Process::FIELDS),
    (Site::TABLE, Site::FIELDS),
    (Frame::TABLE, Frame::FIELDS),
    (Block::TABLE, Block::FIELDS),
    (SnapshotBlock::TABLE, SnapshotBlock::FIELDS),
    (Leak::TABLE, Leak::FIELDS),
    (Allocation::TABLE, Allocation::FIELDS),
    (Point::TABLE, Point::FIELDS),
    (Epoch::TABLE, Epoch::FIELDS),
    (Finding::TABLE, Finding::FIELDS),
    (Pool::TABLE, Pool::FIELDS),
    (Failure::TABLE, Failure::FIELDS),
    (Usage::TABLE, Usage::FIELDS),
    (Call::TABLE, Call::FIELDS),
    (Layout::TABLE, Layout::FIELDS),
    (Category::TABLE, Category::FIELDS),
];
