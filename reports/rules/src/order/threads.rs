//! What each thread's calls have left for its next one.

use aclsan_log::{BlockId, SiteId};

use super::lines::Point;
use super::lives::Released;
use super::touch::Pending;

/// What a copy or fill was put on, at its target and its source.
pub(super) type Put = [Option<(BlockId, Point)>; 2];

/// Of one thread.
#[derive(Default)]
pub(super) struct Thread {
    /// What its next call reads and writes.
    pub pending: Vec<Pending>,
    /// Its last copy or fill.
    pub last: Option<(SiteId, Put)>,
    /// What it is giving back in stream order.
    pub freeing: Option<Released>,
}
