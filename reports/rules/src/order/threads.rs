//! What each thread's calls have left for its next one.

use aclsan_log::{BlockId, SiteId};

use super::lines::Point;
use super::lives::Released;
use super::touch::Pending;

/// Of one thread.
#[derive(Default)]
pub(super) struct Thread {
    /// What its next call reads and writes.
    pub pending: Vec<Pending>,
    /// Its last copy or fill, and what that was put on.
    pub last: Option<(SiteId, [Option<(BlockId, Point)>; 2])>,
    /// What it is giving back in stream order.
    pub freeing: Option<Released>,
}
