//! Recording stopped and started: see `shim/heap/stopped.rs`, which forgets the same.

use aclsan_rules::api::functions::{self, Role};

use super::Player;

impl Player {
    /// Whether a released block is forgotten, because its memory may belong to a block that is not seen.
    #[inline(always)]
    pub(super) fn forgets_released(&self) -> bool {
        self.is_stopped || self.now.0 < self.settled_ns
    }

    /// Whether a reset may have dropped what is not memory: after an attach nobody knows which reset is a device's last.
    pub(super) fn may_have_dropped_handles(&self) -> bool {
        let is_reset = |name: &str| {
            let role = functions::function(name).map(|function| function.role);
            matches!(
                role,
                Some(Role::ResetDevice | Role::ResetDeviceForce | Role::Finalize)
            )
        };
        let mut calls = self.calls.names.iter().zip(&self.calls.tallies);
        self.settled_ns > 0 && calls.any(|(name, tally)| tally.calls > 0 && is_reset(name))
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
