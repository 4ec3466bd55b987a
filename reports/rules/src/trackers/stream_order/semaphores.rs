//! What streams tell each other by a value in memory or by a counting notify.
//!
//! Such a wait can be met by anything that brings the value about, so an order comes of it only in the plain case: one call of this process
//! has set the value and none since, nothing else is known to have touched it, and the wait is for exactly that value. The first wait takes
//! it, as with a notify; a second may have been meant for a later round. Whatever is less plain waits for anything, and is not judged.

use std::collections::BTreeMap;

use super::epoch::Epoch;
use super::sync_var::SyncVar;

/// What is known of one value.
pub(super) enum SemaphoreState {
    /// A counting notify that nothing has recorded: 0.
    Fresh,
    Set {
        value: u64,
        epoch: Epoch,
        sync_var: SyncVar,
    },
    /// A wait was for what was set last.
    Taken,
    Unclear,
}

/// Most values in memory that are followed.
pub(super) const MAX_VALUES: usize = 1 << 12;
/// Bytes of a value in memory.
const EXTENT: u64 = 8;
/// `ACL_STREAM_WAIT_VALUE_GEQ`, `ACL_STREAM_WAIT_VALUE_EQ`: met by the value itself.
pub(super) const CONDITIONS: [u64; 2] = [0, 1];
/// `ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE`, `…_BIGGER_OR_EQUAL_MODE`, `…_EQUAL_WITH_BITMASK_MODE`: so are these.
pub(super) const WAITS: [u64; 3] = [1, 3, 4];
/// `ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE`, `…_ADD_MODE`, `…_BIT_OR_MODE`.
pub(super) const SET: u64 = 0;
pub(super) const ADD: u64 = 1;
pub(super) const OR: u64 = 2;

/// All of them.
#[derive(Default)]
pub(super) struct Semaphores {
    pub values: BTreeMap<u64, SemaphoreState>,
    pub counts: BTreeMap<u64, SemaphoreState>,
    /// Whether values may be set by what is not on record.
    pub is_shared: bool,
}

impl Semaphores {
    /// A counting notify was made.
    pub fn made(&mut self, notify: u64) {
        self.counts.insert(notify, SemaphoreState::Fresh);
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
            *signal = SemaphoreState::Unclear;
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
            if matches!(signal, SemaphoreState::Set { .. }) {
                *signal = SemaphoreState::Unclear;
            }
        }
    }
}

impl SemaphoreState {
    /// What a wait for `value` is after, if that is clear.
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
