//! Blocks of the HiAI Matrix: what a send does to them, and to what is known about them.

use super::{Story, THREAD, rules};
use aclsan_log::{BlockId, CallSiteId, Event, Values};

const BLOCK: u64 = 0x1000;
const AUTO_FREE: u32 = 2;

struct Matrix {
    story: Story,
    send: CallSiteId,
    free: CallSiteId,
    block: BlockId,
}

fn matrix() -> Matrix {
    let mut story = Story::new();
    let malloc = story.synth.site("HIAI_DMalloc", AUTO_FREE, -1, &[0x500]);
    let send = story.synth.site("hiai::Engine::SendData", 0, -1, &[0x600]);
    let free = story.synth.site("HIAI_DFree", 0, -1, &[0x700]);
    let block = story.synth.allocation(THREAD, malloc, BLOCK, 100);
    Matrix {
        story,
        send,
        free,
        block,
    }
}

impl Matrix {
    fn takes(&mut self) -> &mut Self {
        let (block, site) = (self.block, self.send);
        self.story.event(Event::Release { block, site });
        self
    }

    fn sends(&mut self, message: u64, is_taken: bool, status: i32) -> &mut Self {
        let (site, values) = (self.send, Values::new(&[message, is_taken.into()]));
        self.story.event(Event::Call {
            site,
            values,
            status,
        });
        self
    }

    fn rules(&mut self) -> Vec<&'static str> {
        let found = rules(&self.story.end());
        found.into_iter().map(|(rule, _)| rule).collect()
    }
}

#[test]
fn a_block_that_was_sent_is_no_leak_and_its_release_is_a_mistake() {
    let mut matrix = matrix();
    matrix.takes().sends(BLOCK, true, 0);
    let (site, mapping) = (matrix.free, Default::default());
    matrix.story.event(Event::ReleaseAt {
        site,
        address: BLOCK,
        mapping,
    });
    assert_eq!(matrix.rules(), ["hiai-ownership"]);
}

#[test]
fn a_block_that_was_never_sent_is_reported_as_such() {
    assert_eq!(matrix().rules(), ["hiai-ownership"]);
}

#[test]
fn after_a_message_of_unknown_insides_nothing_is_said() {
    assert_eq!(matrix().sends(0x9000, false, 0).rules(), [""; 0]);
}

#[test]
fn after_a_send_that_failed_nothing_is_said() {
    let mut matrix = matrix();
    let (site, address, status) = (matrix.send, BLOCK, 3);
    matrix.takes();
    matrix.story.event(Event::Refused {
        site,
        address,
        status,
    });
    assert_eq!(matrix.sends(BLOCK, false, status).rules(), [""; 0]);
}
