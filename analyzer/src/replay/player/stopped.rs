//! Recording stopped and started: see `shim/heap/stopped.rs`, which forgets the same.

use super::Player;

impl Player {
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
