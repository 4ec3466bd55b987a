//! Block lifetimes of hand-made logs.

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Event, Values};

use super::*;
use crate::symbols::{SearchPaths, Symbols};

#[test]
fn what_a_thread_allocates_while_it_is_ignored_is_no_leak() {
    let mut synth = LogBuilder::default();
    let malloc = synth.site("aclrtMalloc", 0, 0, &[0x40_1000]);
    let [begin, end] = ["aclsan_ignore_begin", "aclsan_ignore_end"]
        .map(|function| synth.site(function, 0, 0, &[0x40_2000]));
    let depth = |site, depth| Event::Call {
        site,
        values: Values::new(&[depth]),
        status: 0,
    };
    synth.event(7, depth(begin, 1));
    synth.allocation(7, malloc, 0x10_0000, 10 << 20);
    // The other thread is not ignored.
    synth.allocation(8, malloc, 0x200_0000, 2 << 20);
    synth.event(7, depth(end, 0));
    synth.allocation(7, malloc, 0x300_0000, 1 << 20);
    synth.event(7, Event::Exit);
    let log = synth.log();
    let mut symbols = Symbols::new(SearchPaths::default());
    let lives = lives(&log, &mut Stacks::new(&log, &mut symbols), 10, |_| {});
    let ignored = lives.lives.iter().map(|life| life.born.is_ignored);
    assert_eq!(ignored.collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(lives.sums.len(), 1, "one stack");
    assert_eq!(
        (lives.sums[0].live, lives.sums[0].leaked),
        (13 << 20, 3 << 20)
    );
}
