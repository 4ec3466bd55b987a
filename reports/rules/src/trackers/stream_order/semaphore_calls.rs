//! Calls that signal values in memory and counting notifies, and that wait for them.

use super::semaphores::{ADD, CONDITIONS, MAX_VALUES, OR, SET, SemaphoreState, WAITS};
use super::state::RaceDetector;
use crate::api::block::AddressInfo;
use crate::api::family::Family;
use crate::api::functions::Call;
use crate::trackers::objects::HeapView;
use aclsan_log::record::Values;

impl RaceDetector {
    /// `aclrtValueWrite`: address, value, stream.
    pub(super) fn value_write(&mut self, call: &Call, values: &Values, view: &dyn HeapView) {
        let [address, value, stream] = [0, 1, 2].map(|index| values.get(index));
        let before = self.semaphores.values.remove(&address);
        let is_ours = matches!(view.place(address), AddressInfo::Live(block, _)
            if block.family() == Family::Device);
        let signal = match is_ours {
            true => self.set_value(call, before.unwrap_or(SemaphoreState::Taken), value, stream),
            false => SemaphoreState::Unclear,
        };
        match self.semaphores.values.len() < MAX_VALUES {
            true => drop(self.semaphores.values.insert(address, signal)),
            false => self.semaphores.is_shared = true,
        }
    }

    /// `aclrtValueWait`: address, value, condition, stream.
    pub(super) fn value_wait(&mut self, call: &Call, values: &Values) {
        let [address, value, condition, stream] = [0, 1, 2, 3].map(|index| values.get(index));
        self.graphs.waits_for_others(stream);
        let is_plain = CONDITIONS.contains(&condition)
            && !self.semaphores.is_shared
            && !self.has_hidden_writes
            && !self.may_run_later(stream);
        let signal = self.semaphores.values.get_mut(&address);
        let sync_var = signal.filter(|_| is_plain).and_then(|it| it.take(value));
        self.timelines
            .acquire_sync_var(stream, call.device, sync_var);
    }

    /// `aclrtCntNotifyRecord`: notify, stream, mode, value. A reset sets it to 0.
    pub(super) fn count_record(&mut self, call: &Call, values: &Values) {
        let [notify, stream, mode, value] = [0, 1, 2, 3].map(|index| values.get(index));
        let before = self.semaphores.counts.remove(&notify);
        let before = before.unwrap_or(SemaphoreState::Unclear);
        let is_set =
            mode == SET || [ADD, OR].contains(&mode) && matches!(before, SemaphoreState::Fresh);
        let signal = match is_set {
            true => self.set_value(call, before, value, stream),
            false => SemaphoreState::Unclear,
        };
        self.semaphores.counts.insert(notify, signal);
    }

    /// `aclrtCntNotifyWaitWithTimeout`: notify, stream, mode, value. It may set the count to 0.
    pub(super) fn count_wait(&mut self, call: &Call, values: &Values) {
        let [notify, stream, mode, value] = [0, 1, 2, 3].map(|index| values.get(index));
        self.graphs.waits_for_others(stream);
        let is_plain = WAITS.contains(&mode) && !self.may_run_later(stream);
        let mut sync_var = None;
        if let Some(signal) = self.semaphores.counts.get_mut(&notify) {
            sync_var = is_plain.then(|| signal.take(value)).flatten();
            if sync_var.is_none() {
                *signal = SemaphoreState::Unclear;
            }
        }
        self.timelines
            .acquire_sync_var(stream, call.device, sync_var);
    }

    /// The state after a value is set. Clear only if a wait took the value before, or that value was set before this
    /// one in order.
    fn set_value(
        &mut self,
        call: &Call,
        before: SemaphoreState,
        value: u64,
        stream: u64,
    ) -> SemaphoreState {
        let Some(epoch) = self.queue(stream, call.device) else {
            return SemaphoreState::Unclear;
        };
        let is_clear = match before {
            SemaphoreState::Fresh | SemaphoreState::Taken => true,
            SemaphoreState::Set { epoch: old, .. } => self.timelines.is_before(old, epoch.timeline),
            SemaphoreState::Unclear => false,
        };
        let sync_var = self.timelines.sync_var(stream, call.device);
        match is_clear {
            true => SemaphoreState::Set {
                value,
                epoch,
                sync_var,
            },
            false => SemaphoreState::Unclear,
        }
    }
}
