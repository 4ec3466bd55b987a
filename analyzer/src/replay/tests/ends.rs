//! Ends by a signal or by `halt_on_error`.

use aclsan_log::{End, EndKind};

use super::*;

fn crash() -> End {
    End {
        thread: THREAD,
        frames: vec![0x71, 0x10],
        ..End::new(EndKind::Signal, 11)
    }
}

#[test]
fn what_is_live_at_a_crash_is_no_leak_and_the_last_calls_are_known() {
    let mut story = Story::new();
    for round in 0..9 {
        story.at(10 * round).allocate(0x1000 + 0x1000 * round, 100);
    }
    story.at(95).refused(0x1000, 107_000);
    story.at(100).synth.end(crash());
    let replay = story.cut();
    assert!(!replay.is_complete && replay.leaks.is_empty());
    assert_eq!(rules(&replay), []);
    let ending = replay.ending.expect("an end");
    assert_eq!(
        (ending.ns, ending.live.blocks, ending.live.bytes),
        (100, 9, 900)
    );
    let calls: Vec<_> = ending
        .calls
        .iter()
        .map(|call| (call.ns, call.status))
        .collect();
    assert_eq!(calls, [(40, 0), (50, 0), (60, 0), (70, 0), (80, 107_000)]);
    let log = story.synth.log();
    assert_eq!(*log.site(ending.site).frames, [0x71, 0x10]);
}

#[test]
fn a_process_that_went_on_after_a_signal_has_leaks() {
    let mut story = Story::new();
    story.at(10).allocate(0x1000, 100);
    story.at(20).synth.end(crash());
    let replay = story.at(30).end();
    assert!(replay.is_complete && replay.ending.is_none());
    assert_eq!(rules(&replay), [("leak", 1)]);
}

#[test]
fn a_crash_after_the_exit_handlers_changes_nothing_about_leaks() {
    let mut story = Story::new();
    story.at(10).allocate(0x1000, 100);
    story.at(20).event(Event::Exit);
    story.at(30).synth.end(crash());
    let replay = story.cut();
    assert!(replay.is_complete && replay.ending.is_some());
    assert_eq!(rules(&replay), [("leak", 1)]);
}

#[test]
fn where_an_error_ends_the_process_nothing_leaked_although_it_had_finalized() {
    let mut story = Story::new();
    let finalize = story.synth.site("aclFinalize", 0, -1, &[0x600]);
    story.at(10).allocate(0x1000, 100);
    story.at(20).call(finalize, 0);
    story.at(30).synth.end(End::new(EndKind::Halt, 0));
    let replay = story.cut();
    assert_eq!(rules(&replay), []);
    assert!(!replay.is_complete);
}
