use super::*;
use aclsan_log::{Definition, ScanOutcome};

/// A log with annotations; `texts` are numbered from 1.
fn annotated(texts: &[&str]) -> Story {
    let mut story = Story::new();
    for (text, id) in texts.iter().zip(1..) {
        let text = (*text).to_owned();
        story.synth.define(Definition::Text { id, text });
    }
    story
}

/// An annotation of thread `tid`.
fn tell(story: &mut Story, tid: u32, function: &str, values: &[u64]) {
    let site = story.synth.site(function, 0, 0, &[0x700]);
    story.synth.event(
        tid,
        Event::Call {
            site,
            values: Values::new(values),
            status: 0,
        },
    );
}

#[test]
fn an_annotation_is_no_call_of_the_runtime() {
    let mut story = annotated(&["a"]);
    tell(&mut story, THREAD, "aclsan_epoch", &[1]);
    tell(&mut story, THREAD, "aclsan_epoch", &[99]);
    let replay = story.end();
    assert_eq!((replay.calls.total, replay.unknown_functions), (0, 0));
    let names: Vec<&str> = (replay.annotations.epochs.iter())
        .map(|epoch| epoch.name.as_str())
        .collect();
    assert_eq!(names, ["a", ""]);
}

#[test]
fn only_the_thread_that_ignores_is_ignored_and_only_meanwhile() {
    let mut story = annotated(&[]);
    story.allocate(0x1000, 1);
    tell(&mut story, THREAD, "aclsan_ignore_begin", &[1]);
    tell(&mut story, THREAD, "aclsan_ignore_begin", &[2]);
    let ignored = story.allocate(0x2000, 20);
    let malloc = story.malloc;
    story.synth.allocation(8, malloc, 0x3000, 300);
    tell(&mut story, THREAD, "aclsan_ignore_end", &[1]);
    story.allocate(0x4000, 4000);
    story.release_at(0x4010); // `interior-free`, passed over
    tell(&mut story, THREAD, "aclsan_ignore_end", &[0]);
    story.release_at(0x4020);
    story.release(ignored);
    // Refused: it is live again, and still ignored.
    story.refused(0x2000, 507_899);
    let replay = story.end();
    assert_eq!(replay.leaks[0].0.bytes, 301);
    assert_eq!(replay.annotations.ignored, (2, 4020, 1));
    assert_eq!(only(&replay, "interior-free").count.times, 1);
}

#[test]
fn ignored_blocks_that_a_reset_dropped_are_no_leaks_either() {
    let mut story = annotated(&[]);
    story.set_device(0);
    tell(&mut story, THREAD, "aclsan_ignore_begin", &[1]);
    story.allocate(0x1000, 10);
    tell(&mut story, THREAD, "aclsan_ignore_end", &[0]);
    story.reset_device(0);
    story.set_device(0); // `live-at-reset` for heeded blocks
    let replay = story.end();
    assert_eq!(rules(&replay), []);
    assert_eq!(replay.annotations.ignored, (1, 10, 0));
}

#[test]
fn a_leak_says_what_the_program_calls_its_blocks() {
    let mut story = annotated(&["weights", "cache"]);
    story.allocate(0x1000, 100);
    story.allocate(0x2000, 100);
    tell(&mut story, THREAD, "aclsan_name_block", &[0x1010, 2]);
    tell(&mut story, THREAD, "aclsan_name_block", &[0x1000, 1]);
    tell(&mut story, THREAD, "aclsan_name_block", &[0x9000, 2]);
    let replay = story.end();
    assert_eq!(replay.leaks[0].0.names, [1]);
    let details = &only(&replay, "leak").finding.details;
    assert!(
        details.contains(&"named `weights`".to_owned()),
        "{details:?}"
    );
}

#[test]
fn sub_blocks_go_with_their_block_and_its_memory_given_out_anew() {
    let mut story = annotated(&["p"]);
    let block = story.allocate(0x1000, 0x1000);
    tell(
        &mut story,
        THREAD,
        "aclsan_pool_create",
        &[1, 1, 0x1000, 0x1000],
    );
    tell(&mut story, THREAD, "aclsan_pool_alloc", &[1, 0x1000, 64, 0]);
    tell(&mut story, THREAD, "aclsan_pool_alloc", &[1, 0x1040, 32, 0]);
    story.release(block);
    tell(&mut story, THREAD, "aclsan_pool_free", &[1, 0x1000]);
    let replay = story.end();
    let pool = &replay.annotations.pools[0];
    assert_eq!((pool.allocations, pool.releases, pool.dropped), (2, 0, 2));
    assert_eq!((pool.peak.0, pool.live.len(), pool.device), (96, 0, 0));
}

#[test]
fn pools_of_one_name_are_one_line_and_unknown_ones_are_kept() {
    let mut story = annotated(&["p"]);
    for (pool, address) in [(1, 0x1000), (2, 0x2000)] {
        tell(
            &mut story,
            THREAD,
            "aclsan_pool_create",
            &[pool, 1, address, 256],
        );
        tell(
            &mut story,
            THREAD,
            "aclsan_pool_alloc",
            &[pool, address, 10, 0],
        );
    }
    // A forked child's log lacks the pools that its parent created.
    tell(&mut story, THREAD, "aclsan_pool_alloc", &[77, 0x5000, 5, 0]);
    tell(&mut story, THREAD, "aclsan_pool_free", &[78, 0x5000]);
    let replay = story.end();
    let [named, other] = replay.annotations.pools.as_slice() else {
        panic!("{:?}", replay.annotations.pools);
    };
    assert_eq!((named.pools, named.bytes, named.allocations), (2, 512, 2));
    assert_eq!((other.name.as_str(), other.allocations), ("", 1));
}

#[test]
fn annotations_with_any_values_are_survived() {
    let mut story = annotated(&["p"]);
    let block = story.allocate(0x1000, 100);
    for function in aclsan_rules::api::functions::FUNCTIONS {
        if function.role != aclsan_rules::api::functions::Role::Annotation {
            continue;
        }
        for value in [0, 1, 0x1000, u64::MAX] {
            tell(&mut story, THREAD, function.name, &[value; 8]);
            tell(&mut story, THREAD, function.name, &[]);
        }
    }
    story.release(block);
    story.end();
}

/// A pool without a range over one block, which hands out two parts and gets the first back.
fn divided(story: &mut Story) {
    story.allocate(0x1000, 0x1000);
    tell(story, THREAD, "aclsan_pool_create", &[7, 1, 0, 0]);
    tell(story, THREAD, "aclsan_pool_alloc", &[7, 0x1000, 64, 0]);
    tell(story, THREAD, "aclsan_pool_alloc", &[7, 0x1800, 128, 0]);
    tell(story, THREAD, "aclsan_pool_free", &[7, 0x1000, 0]);
}

#[test]
fn of_a_divided_block_the_parts_in_use_are_the_leak() {
    let mut story = annotated(&["arena"]);
    divided(&mut story);
    let replay = story.end();
    let found = &only(&replay, "leak").finding;
    assert_eq!(
        found.message,
        "1 sub-block of pool `arena`, 128 bytes, was never returned to it"
    );
    assert_eq!(replay.leaks[0].0.bytes, 128);
}

#[test]
fn a_block_of_which_nothing_is_in_use_is_a_cache_until_its_pool_ends() {
    let mut story = annotated(&["arena"]);
    divided(&mut story);
    tell(&mut story, THREAD, "aclsan_pool_free", &[7, 0x1800, 0]);
    let replay = story.end();
    assert_eq!(
        only(&replay, "cache-not-returned")
            .finding
            .block
            .unwrap()
            .0
            .size,
        0x1000
    );
    assert_eq!(replay.leaks, []);

    let mut story = annotated(&["arena"]);
    divided(&mut story);
    tell(&mut story, THREAD, "aclsan_pool_destroy", &[7]);
    let replay = story.end();
    assert_eq!(
        only(&replay, "leak").finding.message,
        "1 block, 4096 bytes, was never released"
    );
}

#[test]
fn a_cache_that_nothing_points_to_is_lost_with_its_pool() {
    for (outcome, rule) in [
        (ScanOutcome::Whole, "leak"),
        (ScanOutcome::Cut, "cache-not-returned"),
    ] {
        let mut story = annotated(&["arena"]);
        divided(&mut story);
        tell(&mut story, THREAD, "aclsan_pool_free", &[7, 0x1800, 0]);
        let scan = Event::Scan {
            outcome,
            bytes: 0,
            ns: 0,
            threads: 0,
        };
        let replay = story.event(scan).end();
        only(&replay, rule);
    }
}

#[test]
fn a_pool_over_a_small_part_does_not_stand_for_the_block() {
    let mut story = annotated(&["part"]);
    story.allocate(0x1000, 0x1000);
    tell(
        &mut story,
        THREAD,
        "aclsan_pool_create",
        &[7, 1, 0x1000, 0x800],
    );
    let replay = story.end();
    assert_eq!(
        only(&replay, "leak").finding.message,
        "1 block, 4096 bytes, was never released"
    );
}
