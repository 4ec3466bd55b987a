//! What streams tell each other by a value in memory or by a counting notify.
//!
//! Such a wait can be met by anything that brings the value about, so an order comes of it only in the plain case: one call of this process
//! has set the value and none since, nothing else is known to have touched it, and the wait is for exactly that value. The first wait takes
//! it, as with a notify; a second may have been meant for a later round. Whatever is less plain waits for anything, and is not judged.

use std::collections::BTreeMap;

use aclsan_log::record::Values;

use super::follow::Order;
use super::lines::Point;
use super::marks::Mark;
use crate::block::Place;
use crate::family::Family;
use crate::functions::Call;
use crate::ledger::Scene;

/// What is known of one value.
enum Signal {
    /// A counting notify that nothing has recorded: 0.
    Fresh,
    Set {
        value: u64,
        point: Point,
        mark: Mark,
    },
    /// A wait was for what was set last.
    Taken,
    Unclear,
}

/// Most values in memory that are followed.
const MOST: usize = 1 << 12;
/// Bytes of a value in memory.
const EXTENT: u64 = 8;
/// `ACL_STREAM_WAIT_VALUE_GEQ`, `ACL_STREAM_WAIT_VALUE_EQ`: met by the value itself.
const CONDITIONS: [u64; 2] = [0, 1];
/// `ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE`, `…_BIGGER_OR_EQUAL_MODE`, `…_EQUAL_WITH_BITMASK_MODE`: so are these.
const WAITS: [u64; 3] = [1, 3, 4];
/// `ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE`, `…_ADD_MODE`, `…_BIT_OR_MODE`.
const SET: u64 = 0;
const ADD: u64 = 1;
const OR: u64 = 2;

/// All of them.
#[derive(Default)]
pub(super) struct Signals {
    values: BTreeMap<u64, Signal>,
    counts: BTreeMap<u64, Signal>,
    /// Whether values may be set by what is not on record.
    pub is_shared: bool,
}

impl Signals {
    /// A counting notify was made.
    pub fn made(&mut self, notify: u64) {
        self.counts.insert(notify, Signal::Fresh);
    }

    /// A counting notify was destroyed.
    pub fn gone(&mut self, notify: u64) {
        self.counts.remove(&notify);
    }

    /// Whether any has to be forgotten with its block.
    #[inline]
    pub fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    /// A block was released, and its values with it.
    pub fn released(&mut self, start: u64, size: u64) {
        if self.values.is_empty() {
            return;
        }
        let all = self.values.range(start..start.saturating_add(size));
        for address in Vec::from_iter(all.map(|(&address, _)| address)) {
            self.values.remove(&address);
        }
    }

    /// A device's memory was dropped: its addresses may be anybody's.
    pub fn reset(&mut self) {
        for signal in self.values.values_mut() {
            *signal = Signal::Unclear;
        }
    }

    /// Something else than a value was written.
    #[inline]
    pub fn overwritten(&mut self, start: u64, size: u64) {
        if !self.values.is_empty() {
            self.overwrite(start, size);
        }
    }

    #[inline(never)]
    fn overwrite(&mut self, start: u64, size: u64) {
        let around = start.saturating_sub(EXTENT - 1)..start.saturating_add(size);
        for (_, signal) in self.values.range_mut(around) {
            if matches!(signal, Signal::Set { .. }) {
                *signal = Signal::Unclear;
            }
        }
    }
}

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

    /// Whether what `stream` is given, or what others are, may run with a graph.
    pub(super) fn may_run_later(&self, stream: u64) -> bool {
        self.graphs.is_capturing() || self.graphs.has(stream)
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

impl Signal {
    /// What a wait for `value` is after, if that is clear.
    fn take(&mut self, value: u64) -> Option<Mark> {
        match self {
            Self::Set { value: set, .. } if *set == value => {}
            _ => return None,
        }
        match std::mem::replace(self, Self::Taken) {
            Self::Set { mark, .. } => Some(mark),
            _ => None,
        }
    }
}
