//! Open IPC keys, and the blocks they belong to.

use super::tracker::{HeapView, Tracker};
use crate::api::block::{AddressInfo, Block};
use crate::api::family::Family;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::rules::ipc_order;
use aclsan_log::BlockId;

/// The exported address in the handle of a key. The bits above distinguish keys of one block.
const ADDRESS: u64 = (1 << 48) - 1;

/// The keys that this process created and has not closed.
#[derive(Default)]
pub(super) struct Ipc {
    open: Vec<Open>,
    /// The key that was closed last: closing it may fail.
    closed: Option<Open>,
}

struct Open {
    key: Block,
    /// The block that it was created for, if its allocation was seen. Another block may get its address later.
    of: Option<BlockId>,
}

impl Ipc {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

impl Tracker for Ipc {
    fn made(&mut self, _: &Call, block: &Block, view: &dyn HeapView, _: &mut Vec<Finding>) {
        if block.family() == Family::Exported {
            let of = match view.place(block.address & ADDRESS) {
                AddressInfo::Live(shared, _) => Some(shared.id),
                _ => None,
            };
            self.open.push(Open { key: *block, of });
        }
    }

    fn releasing(
        &mut self,
        call: &Call,
        block: &Block,
        _: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        if block.family() == Family::Exported {
            self.closed = self
                .open
                .iter()
                .position(|open| open.key.id == block.id)
                .map(|at| self.open.swap_remove(at));
        } else if block.family().is_memory() && !block.family().is_handle() {
            let open = self.open.iter().find(|open| open.of == Some(block.id));
            found.extend(open.map(|open| ipc_order::check_open_key(call, block, open.key.site)));
        }
    }

    fn on_release_failed(&mut self, block: &Block) {
        if let Some(closed) = self.closed.take_if(|closed| closed.key.id == block.id) {
            self.open.push(closed);
        }
    }

    fn reset(&mut self, _: &Call, device: i32) {
        self.open.retain(|open| open.key.device != device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;
    use crate::trackers::objects::ObjectTracker;
    use crate::trackers::objects::testing::FakeView;

    /// A key to the block at 0x10000, distinguished by `number`.
    fn key(number: u64) -> Block {
        Block {
            id: BlockId(number),
            ..block("aclrtIpcMemGetExportKey", 0x10000 | number << 48, 4096)
        }
    }

    /// The block that is shared.
    fn shared() -> Block {
        device_block(0x10000, 4096)
    }

    /// A tracker that knows these keys to the block.
    fn with_keys(numbers: &[u64]) -> ObjectTracker {
        let (mut tracker, view) = (
            ObjectTracker::default(),
            FakeView::with(AddressInfo::Live(shared(), 0)),
        );
        for &number in numbers {
            tracker.made(&call("aclrtIpcMemGetExportKey"), &key(number), &view);
        }
        tracker
    }

    fn release(tracker: &mut ObjectTracker, name: &str, block: &Block) -> usize {
        let view = FakeView::with(AddressInfo::Live(*block, 0));
        tracker.releasing(&call(name), block, &view).len()
    }

    #[test]
    fn a_block_is_free_to_go_when_its_last_key_is_closed() {
        let mut tracker = with_keys(&[101, 102]);
        assert!(tracker.wants_blocks() && tracker.take_changed_wants() == Some(true));
        assert_eq!(release(&mut tracker, "aclrtFree", &shared()), 1);
        tracker.on_release_failed(&shared());
        assert_eq!(release(&mut tracker, "aclrtIpcMemClose", &key(101)), 0);
        assert_eq!(release(&mut tracker, "aclrtFree", &shared()), 1);
        assert_eq!(release(&mut tracker, "aclrtIpcMemClose", &key(102)), 0);
        assert_eq!(release(&mut tracker, "aclrtFree", &shared()), 0);
        assert_eq!(tracker.take_changed_wants(), Some(false));
        assert_eq!(tracker.take_changed_wants(), None);
    }

    #[test]
    fn other_blocks_and_keys_of_a_device_that_was_reset_are_silent() {
        let mut tracker = with_keys(&[101]);
        let next_there = Block {
            id: BlockId(7),
            ..shared()
        };
        assert_eq!(release(&mut tracker, "aclrtFree", &next_there), 0);
        tracker.reset(&call("aclrtResetDevice"), 0);
        assert_eq!(release(&mut tracker, "aclrtFree", &shared()), 0);
    }

    #[test]
    fn a_key_whose_closing_was_refused_is_open() {
        let mut tracker = with_keys(&[101]);
        release(&mut tracker, "aclrtIpcMemClose", &key(101));
        tracker.on_release_failed(&key(101));
        assert_eq!(release(&mut tracker, "aclrtFree", &shared()), 1);
    }
}
