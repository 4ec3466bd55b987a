//! Logs that began in a running process.

use aclsan_log::Definition;
use aclsan_log::record::{ATTACH_SETTLES_NS, ATTACHED};

use super::*;

fn attached() -> Story {
    let mut story = Story::new();
    let (key, value) = (ATTACHED.to_owned(), "1".to_owned());
    story.synth.define(Definition::Property { key, value });
    story
}

/// A release of a block, and then of its address, which a call from before the attach may have returned once more.
fn released_twice(story: &mut Story, ns: u64) -> Vec<(&'static str, u64)> {
    let block = story.at(ns).allocate(0x1000, 100);
    story.release(block).release_at(0x1000);
    rules(&story.end())
}

#[test]
fn memory_of_calls_that_began_before_is_unknown() {
    assert_eq!(released_twice(&mut attached(), 10), []);
    let settled = ATTACH_SETTLES_NS + 1;
    let found = [("double-free", 1)];
    assert_eq!(released_twice(&mut attached(), settled), found);
    assert_eq!(released_twice(&mut Story::new(), 10), found);
}

#[test]
fn a_reset_that_may_be_the_last_may_have_dropped_registrations_but_no_memory() {
    let (both, memory) = (
        &[("leak-registration", 1), ("leak", 1)][..],
        &[("leak", 1)][..],
    );
    let (refused, other) = (107_002, 1);
    for (call, device, status, found) in [
        ("aclrtSetDevice", 0, 0, both),
        ("aclrtResetDevice", 0, 0, memory),
        ("aclrtResetDevice", 0, refused, both),
        ("aclrtResetDevice", other, 0, both),
        ("aclFinalize", 0, 0, memory),
        ("aclFinalize", 0, refused, both),
    ] {
        let mut story = attached();
        let register = story.synth.site("aclrtHostRegister", 0, 0, &[0x700]);
        story.synth.allocation(THREAD, register, 0x8000, 4096);
        story.allocate(0x1000, 100);
        story.set_device(0);
        let site = story.synth.site(call, 0, device, &[0x900]);
        story.event(Event::Call {
            site,
            values: Values::new(&[device as u64]),
            status,
        });
        assert_eq!(rules(&story.end()), found, "{call} {device} {status}");
    }
}
