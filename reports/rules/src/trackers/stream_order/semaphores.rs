//! Semaphores: values in memory and counting notifies that streams signal and wait for.
//!
//! Anything that produces the value can satisfy such a wait, so it orders streams only in the simplest case: one call
//! of this process has set the value and none since, nothing else is known to have touched it, and the wait is for
//! exactly that value. The first wait takes the value, as with a notify; a second wait may have been meant for a later
//! round. Any other wait is after anything, and is not judged.

use std::collections::BTreeMap;

use super::epoch::Epoch;
use super::sync_var::SyncVar;

/// Facts about one semaphore.
pub(super) enum SemaphoreState {
    /// A counting notify that was never recorded: 0.
    Fresh,
    Set {
        value: u64,
        epoch: Epoch,
        sync_var: SyncVar,
    },
    /// A wait took the last value.
    Taken,
    Unclear,
}

/// Values in memory that are tracked.
pub(super) const MAX_VALUES: usize = 1 << 12;
/// Size of a value in memory, in bytes.
const EXTENT: u64 = 8;
/// `ACL_STREAM_WAIT_VALUE_GEQ`, `ACL_STREAM_WAIT_VALUE_EQ`: the value itself satisfies these.
pub(super) const CONDITIONS: [u64; 2] = [0, 1];
/// `ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE`, `…_BIGGER_OR_EQUAL_MODE`, `…_EQUAL_WITH_BITMASK_MODE`: and these.
pub(super) const WAITS: [u64; 3] = [1, 3, 4];
/// `ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE`, `…_ADD_MODE`, `…_BIT_OR_MODE`.
pub(super) const SET: u64 = 0;
pub(super) const ADD: u64 = 1;
pub(super) const OR: u64 = 2;

/// All semaphores.
#[derive(Default)]
pub(super) struct Semaphores {
    pub values: BTreeMap<u64, SemaphoreState>,
    pub counts: BTreeMap<u64, SemaphoreState>,
    /// Whether values may be set by calls that are not recorded.
    pub is_shared: bool,
}

impl Semaphores {
    /// A counting notify was created.
    pub fn made(&mut self, notify: u64) {
        self.counts.insert(notify, SemaphoreState::Fresh);
    }

    /// A counting notify was destroyed.
    pub fn gone(&mut self, notify: u64) {
        self.counts.remove(&notify);
    }

    /// Whether there are values that have to be dropped with their blocks.
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

    /// A device's memory was dropped: its addresses may be reused.
    pub fn reset(&mut self) {
        for signal in self.values.values_mut() {
            *signal = SemaphoreState::Unclear;
        }
    }

    /// Something other than a value was written.
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
            if matches!(signal, SemaphoreState::Set { .. }) {
                *signal = SemaphoreState::Unclear;
            }
        }
    }
}

impl SemaphoreState {
    /// What a wait for `value` acquires, if that is clear.
    pub fn take(&mut self, value: u64) -> Option<SyncVar> {
        match self {
            Self::Set { value: set, .. } if *set == value => {}
            _ => return None,
        }
        match std::mem::replace(self, Self::Taken) {
            Self::Set { sync_var, .. } => Some(sync_var),
            _ => None,
        }
    }
}
