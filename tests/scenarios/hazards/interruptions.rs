//! Interruptions of a call: signals, cancellations, stack switches, unloaded libraries.

use super::tally;
use crate::soak;
use crate::trial::{BOTH, Trial, library};
use aclsan_left_out::left_out;
use std::collections::BTreeSet;
use std::process::Command;

/// 2,000 interruptions, 100,000 with `SOAK=1`; a minute for each thousand.
#[test]
fn a_handler_that_allocates_may_interrupt_hooks_anywhere() {
    let mut trial = Trial::new("deaths/storm.c", "storm");
    trial.on_runtime("deaths/safe_runtime.c");
    trial.arguments([soak::times(2_000, 100_000).to_string()]);
    for options in ["mode=record", "mode=check"] {
        trial.options(&format!("{options}:guard=off"));
        let run = trial.watched_within(soak::times(120, 3600));
        let tally = tally(&run);
        assert_eq!(
            (run.code, &*run.stdout),
            (0, "interrupted\n"),
            "{}",
            run.stderr
        );
        // Calls by a handler that interrupts a hook are not recorded, not even half.
        assert!(tally.allocations > 1_000 && tally.allocations == tally.releases);
        assert!(!run.stderr.contains(" dropped"), "{}", run.stderr);
    }
}

/// 100 threads, 5,000 with `SOAK=1`.
#[test]
fn a_thread_may_be_cancelled_amid_hooks_and_is_when_they_have_ended() {
    let mut trial = Trial::new("deaths/cancelled.c", "cancelled");
    trial.on_small_runtime();
    let count = soak::times(100, 5_000);
    trial.arguments([count.to_string()]);
    for options in [
        "mode=record:symbols=1",
        "guard=both:quarantine_mb=1:fill=on",
    ] {
        let run = trial.options(options).watched_within(soak::times(60, 3600));
        let reported = format!("{count} cancelled\n");
        assert_eq!((run.code, &run.stdout), (0, &reported), "{}", run.stderr);
        let tally = tally(&run);
        assert!(tally.releases > tally.allocations && tally.has_exit);
    }
}

#[test]
fn coroutines_and_other_foreign_stacks_are_no_trouble() {
    let mut trial = Trial::new("deaths/coroutines.c", "coroutines");
    trial.options("account=0"); // Its own queries have no stack.
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert_eq!((run.code, &*run.stdout), (0, "switched\n"));
        let tally = tally(&run);
        // 100 and 100 more by context; 100 each by hand, signal and thread.
        assert_eq!(tally.pairs(), (500, 500));
        let frames = tally
            .sites
            .iter()
            .map(|&site| tally.log.site(site).frames.len());
        let (least, most) = (frames.clone().min(), frames.max());
        // By hand: `pairs`, `pair`, and the function that switched; on a signal: more than the handler.
        assert!(least >= Some(2) && most >= Some(4), "{least:?} {most:?}");
    }
}

#[test]
fn each_kind_of_frame_is_a_place_of_its_own_on_every_stack() {
    let mut trial = Trial::new("deaths/coroutine_places.c", "coroutine_places");
    let run = trial.options("account=0").same();
    assert_eq!((run.code, &*run.stdout), (0, "10 places\n"));
    let tally = tally(&run);
    assert_eq!(tally.pairs(), (10, 10));
    let sites: BTreeSet<_> = tally.sites.iter().map(|site| site.0).collect();
    // Before and after them, the device is set and reset, and AscendCL initialized and finalized.
    assert_eq!(sites.len(), 20 + 4);
}

#[test]
fn a_library_may_be_unloaded_with_its_blocks_live_and_its_code_in_stacks() {
    let mut trial = Trial::new("deaths/unloads.c", "unloads");
    let copy = |name: &str| {
        let path = trial.scratch.join(name);
        library("deaths/plugin.c", &path, &[]).into_os_string()
    };
    // With five times as many, the last would find no room for their stacks, since those of all other threads are kept as well.
    let count = soak::times(40, 1_000);
    let arguments = [copy("one.so"), copy("other.so"), count.to_string().into()];
    trial.arguments(arguments).environment("PLUGIN_WORKS", "1");
    for options in ["mode=record", "symbols=1"] {
        let run = trial.options(options).watched_within(soak::times(60, 3600));
        assert_eq!(
            (run.code, &*run.stdout),
            (0, "unloaded\n"),
            "{}",
            run.stderr
        );
        let tally = tally(&run);
        assert!(tally.allocations >= 3 * count as usize && tally.allocations == tally.releases);
        let gone = tally
            .log
            .modules()
            .iter()
            .filter(|module| module.path.ends_with("one.so") && module.until != u32::MAX);
        assert!(gone.count() > 0);
        // Frames in the library are distinguished from those in the other one later loaded at the same address.
        let named = |name: &str| {
            let at = |site| {
                let site = tally.log.site(site);
                let mut modules = site
                    .frames
                    .iter()
                    .filter_map(|&frame| tally.log.module_at(frame, site.epoch));
                modules.any(|module| module.path.ends_with(name))
            };
            tally.sites.iter().filter(|&&site| at(site)).count()
        };
        let (one, other) = (named("one.so"), named("other.so"));
        // Five calls each time: two at load and unload, three by the program.
        let half = 5 * count as usize / 2;
        assert_eq!((one, other), (half, half), "{options}");
    }
}

#[test]
fn what_allocates_before_main_and_after_it_and_while_unwinding_is_on_record() {
    if Command::new("c++").arg("--version").output().is_err() {
        return left_out("there is no C++ compiler");
    }
    let mut trial = Trial::new("deaths/moments.cpp", "moments");
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert_eq!((run.code, &*run.stdout), (0, "0 blocks left\n"));
        // Before main 1 + 1, threads 4, exceptions 10 * (10 + 1), after main 1 + 1.
        assert_eq!(tally(&run).pairs(), (118, 118));
    }
}

/// Stack bytes that our part of a thread's first calls may use on a small stack, in an unoptimized library.
const STACK_MOST: usize = 16 * 1024;

#[test]
fn hooks_take_so_much_stack_and_no_more() {
    let mut trial = Trial::new("deaths/stack_use.c", "stack");
    for (options, argument) in [
        ("mode=record", ""),
        ("symbols=0", "wrong"),
        ("symbols=1", "wrong"),
    ] {
        trial.options(options).arguments([argument]);
        let [alone, watched] = [trial.alone(), trial.watched()].map(|run| {
            run.stdout
                .trim()
                .parse::<usize>()
                .unwrap_or_else(|_| panic!("{}", run.stderr))
        });
        println!("{options} {argument}: {alone} bytes alone, {watched} watched");
        assert!(
            watched < alone + STACK_MOST,
            "{options} {argument}: {alone} {watched}"
        );
    }
}
