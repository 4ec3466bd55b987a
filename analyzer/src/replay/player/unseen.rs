//! Calls that are not seen: while recording is stopped, and around an attach. `shim/heap/stopped.rs` forgets the same.

use aclsan_rules::api::block::Block;

use super::Player;

impl Player {
    /// Whether a released block is forgotten, because its memory may belong to a block that is not seen.
    #[inline(always)]
    pub(super) fn forgets_released(&self) -> bool {
        self.is_stopped || self.now.0 < self.settled_ns
    }

    /// Whether something that is no memory may be gone with its device: after an attach nobody knows which reset is a device's last.
    pub(super) fn may_have_been_dropped(&self, block: &Block) -> bool {
        let is_handle = !block.family().is_memory();
        self.settled_ns > 0 && is_handle && (self.is_finalized || self.heap.was_reset(block.device))
    }

    /// Forgets what is freed, queued or described: it may be something else by the time recording starts again.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
        self.heap.forget_all_ended();
        self.objects.forget_transient();
        self.order.forget_queued();
        self.annotations.forget_parts();
        // Whoever uses a block now is not seen.
        let live: Vec<u64> = self.heap.live().map(|held| held.block.key()).collect();
        self.mark_used(&live);
    }
}
