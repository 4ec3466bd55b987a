//! HiAI Matrix blocks that were sent and still belong to the sender.

use super::tracker::{HeapView, Tracker};
use crate::api::block::{AddressInfo, Block};
use crate::api::functions::{Call, Family, Role};
use crate::evidence::finding::Finding;
use crate::rules::hiai_ownership;
use crate::trackers::hiai_auto_free::is_manual_free;
use aclsan_log::record::Values;
use aclsan_log::{BlockId, CallSiteId};
use std::collections::HashMap;

struct Held {
    id: BlockId,
    sent: Option<CallSiteId>,
}

/// The live `MANUAL_FREE` blocks, by address.
#[derive(Default)]
pub(super) struct Hiai {
    manual: HashMap<u64, Held>,
}

impl Hiai {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.manual.is_empty()
    }
}

impl Tracker for Hiai {
    fn made(&mut self, call: &Call, block: &Block, _: &dyn HeapView, _: &mut Vec<Finding>) {
        if block.family() == Family::Hiai && is_manual_free(call.argument) {
            let (id, sent) = (block.id, None);
            self.manual.insert(block.address, Held { id, sent });
        }
    }

    fn releasing(&mut self, _: &Call, block: &Block, _: &dyn HeapView, _: &mut Vec<Finding>) {
        if block.family() == Family::Hiai {
            self.manual.remove(&block.address);
        }
    }

    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let (message, is_taken) = (values.get(0), values.get(1) != 0);
        if call.function.role != Role::Send || status != 0 || is_taken {
            return;
        }
        let place = view.place(message);
        found.extend(hiai_ownership::check_send(call, message, &place));
        let AddressInfo::Live(block, 0) = place else {
            return;
        };
        let held = self.manual.get_mut(&message);
        if let Some(held) = held.filter(|held| held.id == block.id) {
            match held.sent {
                Some(sent) => found.push(hiai_ownership::check_second_send(call, &block, sent)),
                None => held.sent = Some(call.site),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::profile::Profile;
    use crate::evidence::testing::*;

    struct At(AddressInfo);

    impl HeapView for At {
        fn place(&self, _: u64) -> AddressInfo {
            self.0
        }

        fn profile(&self) -> Profile {
            Profile::default()
        }
    }

    fn sends(flag: u32, times: usize) -> usize {
        let (mut tracker, mut found) = (Hiai::default(), Vec::new());
        let block = block("HIAI_DMalloc", 0x1000, 64);
        let view = At(AddressInfo::Live(block, 0));
        tracker.made(&call_with("HIAI_DMalloc", flag), &block, &view, &mut found);
        for _ in 0..times {
            let sending = call("hiai::Engine::SendData");
            tracker.called(&sending, &Values::new(&[0x1000, 0]), 0, &view, &mut found);
        }
        found.len()
    }

    #[test]
    fn a_manual_block_may_be_sent_once() {
        assert_eq!(sends(4, 1), 0);
        assert_eq!(sends(4, 2), 1);
    }

    #[test]
    fn a_block_with_no_flag_is_nobodys_business() {
        assert_eq!(sends(0, 2), 0);
    }
}
