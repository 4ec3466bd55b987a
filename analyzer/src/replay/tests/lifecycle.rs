use super::*;

#[test]
fn blocks_that_the_final_reset_dropped_are_leaks() {
    let mut story = Story::new();
    let pinned = story.synth.site("aclrtMallocHost", 0, 0, &[0x700]);
    story.set_device(0);
    story.at(10).allocate(0x1000, 100);
    story.synth.allocation(THREAD, pinned, 0x8000, 7);
    story.at(50).reset_device(0);
    let replay = story.at(90).end();
    assert_eq!(rules(&replay), [("leak", 1), ("leak", 1)]);
    let [(dropped, _), (host, _)] = replay.leaks.as_slice() else {
        panic!("{:?}", replay.leaks);
    };
    // The reset frees device memory; page-locked memory lives until the exit.
    assert_eq!((dropped.bytes, dropped.reset.unwrap().1), (100, 50));
    assert_eq!((host.bytes, host.reset), (7, None));
    assert_eq!(replay.families.map(|family| family.live)[..3], [0, 7, 0]);
}

#[test]
fn when_the_device_is_set_again_they_are_live_at_reset_instead() {
    let mut story = Story::new();
    story.set_device(0);
    story.allocate(0x1000, 100);
    story.allocate(0x2000, 100);
    let replay = story.reset_device(0).set_device(0).reset_device(0).end();
    // One site, two blocks: not a leak as well.
    assert_eq!(rules(&replay), [("live-at-reset", 2)]);
    assert!(replay.leaks.is_empty());
}

#[test]
fn a_reset_that_is_not_the_last_drops_nothing() {
    let mut story = Story::new();
    story.set_device(0).set_device(0);
    let block = story.allocate(0x1000, 100);
    let replay = story.reset_device(0).release(block).reset_device(0).end();
    assert_eq!(rules(&replay), []);
}

#[test]
fn another_devices_reset_drops_nothing() {
    let mut story = Story::new();
    story.set_device(0).set_device(1);
    let block = story.allocate(0x1000, 100);
    let replay = story.reset_device(1).release(block).end();
    assert_eq!(rules(&replay), []);
}

#[test]
fn a_release_after_the_reset_is_late_and_no_leak() {
    let mut story = Story::new();
    story.set_device(0);
    story.allocate(0x1000, 100);
    let replay = story
        .reset_device(0)
        .release_at(0x1000)
        .refused(0x1000, 107_000)
        .end();
    assert_eq!(rules(&replay), [("free-after-reset", 1)]);
    assert!(replay.leaks.is_empty());
}

#[test]
fn a_forced_reset_needs_no_count_and_a_failed_one_does_nothing() {
    let mut story = Story::new();
    let force = story.synth.site("aclrtResetDeviceForce", 0, 0, &[0x800]);
    story.set_device(0).set_device(0);
    story.allocate(0x1000, 100);
    story.event(Event::Call {
        site: force,
        values: Values::new(&[0]),
        status: 107_001,
    });
    assert_eq!(story.cut().leaks[0].0.reset, None);
    let replay = story.call(force, 0).end();
    assert_eq!(replay.leaks[0].0.reset.unwrap().0, force);
    assert_eq!(replay.calls.refusals.len(), 1);
}
