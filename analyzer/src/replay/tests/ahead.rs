//! Logs so long that both threads work at once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::replay::ahead::{read_ahead, read_between};

/// Blocks that the reset drops: more entries than the player may leave to others.
const DROPPED: u64 = 60_000;
/// Releases, each followed by an allocation, one of a hundred elsewhere.
const PAIRS: u64 = 30_000;

fn log() -> aclsan_log::Log {
    let mut story = Story::new();
    story.set_device(0);
    for n in 0..DROPPED {
        story.at(n).allocate((n + 1) << 21, MIB);
    }
    story.reset_device(0);
    let mut live = Vec::from_iter((0..100).map(|n| (story.allocate((n + 1) << 21, 100), n + 1)));
    for n in 0..PAIRS {
        story.at(DROPPED + n * 5_000_000);
        let (block, place) = live[n as usize % 100];
        if n % 100 > 0 {
            story.release(block);
        }
        let (place, size) = match n % 100 {
            0 => (1000 + n, MIB),
            _ => (place, 100 + n % 7 * 1000),
        };
        live[n as usize % 100] = (story.allocate(place << 21, size), place);
    }
    story.event(Event::Exit).synth.log()
}

#[test]
fn a_long_log_says_the_same_whoever_reads_and_accounts() {
    let log = log();
    for wanted in [ReportScope::All(None), ReportScope::Leaks] {
        let [alone, helped] =
            [false, true].map(|ahead| format!("{:?}", replay(&log, wanted, ahead, |_| {})));
        assert!(alone == helped);
    }
    let replay = replay(&log, ReportScope::All(None), true, |_| {});
    assert_eq!(replay.allocated[1].blocks, DROPPED + 100 + PAIRS);
    only(&replay, "leak-growing");
}

#[test]
fn each_event_is_played_once_and_in_order() {
    let log = log();
    let (mut alone, mut helped) = (Vec::new(), Vec::new());
    read_between(&log, |batch, _| alone.extend_from_slice(batch.entries()));
    read_ahead(&log, None, |batch, _| {
        helped.extend_from_slice(batch.entries())
    });
    assert_eq!(
        alone.len() as u64,
        2 + DROPPED + 100 + 2 * PAIRS - PAIRS / 100 + 1
    );
    assert!(alone == helped);
}

#[test]
fn a_player_that_panics_leaves_no_thread() {
    let log = log();
    let play = || read_ahead(&log, None, |_, _| panic!("on purpose"));
    assert!(catch_unwind(AssertUnwindSafe(play)).is_err());
}
