//! Calls that write values in memory and counting notifies, and that wait for them.

use super::semaphores::{ADD, CONDITIONS, MOST, OR, SET, Signal, WAITS};
use super::state::Order;
use crate::api::block::Place;
use crate::api::family::Family;
use crate::api::functions::Call;
use crate::trackers::objects::Scene;
use aclsan_log::record::Values;

impl Order {
    /// `aclrtValueWrite`: address, value, stream.
    pub(super) fn value_write(&mut self, call: &Call, values: &Values, scene: &dyn Scene) {
        let [address, value, stream] = [0, 1, 2].map(|index| values.get(index));
        let before = self.signals.values.remove(&address);
        let is_ours = matches!(scene.place(address), Place::Live(block, _)
            if block.family() == Family::Device);
        let signal = match is_ours {
            true => self.set_value(call, before.unwrap_or(Signal::Taken), value, stream),
            false => Signal::Unclear,
        };
        match self.signals.values.len() < MOST {
            true => drop(self.signals.values.insert(address, signal)),
            false => self.signals.is_shared = true,
        }
    }

    /// `aclrtValueWait`: address, value, condition, stream.
    pub(super) fn value_wait(&mut self, call: &Call, values: &Values) {
        let [address, value, condition, stream] = [0, 1, 2, 3].map(|index| values.get(index));
        self.graphs.waits_for_others(stream);
        let is_plain = CONDITIONS.contains(&condition)
            && !self.signals.is_shared
            && !self.has_hidden_writes
            && !self.may_run_later(stream);
        let signal = self.signals.values.get_mut(&address);
        let mark = signal.filter(|_| is_plain).and_then(|it| it.take(value));
        self.lines.wait_for(stream, call.device, mark);
    }

    /// `aclrtCntNotifyRecord`: notify, stream, mode, value. A reset sets it to 0.
    pub(super) fn count_record(&mut self, call: &Call, values: &Values) {
        let [notify, stream, mode, value] = [0, 1, 2, 3].map(|index| values.get(index));
        let before = self.signals.counts.remove(&notify);
        let before = before.unwrap_or(Signal::Unclear);
        let is_set = mode == SET || [ADD, OR].contains(&mode) && matches!(before, Signal::Fresh);
        let signal = match is_set {
            true => self.set_value(call, before, value, stream),
            false => Signal::Unclear,
        };
        self.signals.counts.insert(notify, signal);
    }

    /// `aclrtCntNotifyWaitWithTimeout`: notify, stream, mode, value. It may set the count to 0.
    pub(super) fn count_wait(&mut self, call: &Call, values: &Values) {
        let [notify, stream, mode, value] = [0, 1, 2, 3].map(|index| values.get(index));
        self.graphs.waits_for_others(stream);
        let is_plain = WAITS.contains(&mode) && !self.may_run_later(stream);
        let mut mark = None;
        if let Some(signal) = self.signals.counts.get_mut(&notify) {
            mark = is_plain.then(|| signal.take(value)).flatten();
            if mark.is_none() {
                *signal = Signal::Unclear;
            }
        }
        self.lines.wait_for(stream, call.device, mark);
    }

    /// What comes of setting a value: clear only if what it was set to before is taken, or was set before this is.
    fn set_value(&mut self, call: &Call, before: Signal, value: u64, stream: u64) -> Signal {
        let Some(point) = self.queue(stream, call.device) else {
            return Signal::Unclear;
        };
        let is_clear = match before {
            Signal::Fresh | Signal::Taken => true,
            Signal::Set { point: old, .. } => self.lines.is_before(old, point.line),
            Signal::Unclear => false,
        };
        let mark = self.lines.mark(stream, call.device);
        match is_clear {
            true => Signal::Set { value, point, mark },
            false => Signal::Unclear,
        }
    }
}
