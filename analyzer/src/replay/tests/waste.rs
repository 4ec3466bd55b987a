//! Waste findings, with numbers computed by hand.

use aclsan_log::Definition;
use aclsan_render::model::Cause;

use super::*;

fn timed() -> Story {
    let mut story = Story::new();
    story.synth.define(Definition::Property {
        key: "slow_ns".to_owned(),
        value: "10000".to_owned(),
    });
    story
}

#[test]
fn blocks_just_above_a_mebibyte_lose_half_of_their_pages() {
    let mut story = Story::new();
    for n in 0..32 {
        story.allocate((n * 2) << 20, 5 << 18);
    }
    let replay = story.end();
    // 32 of 1.25 MiB: 40 MiB requested, 64 MiB of pages.
    let found = only(&replay, "page-class-waste");
    assert!(
        found
            .finding
            .message
            .starts_with("32 blocks of 41943040 bytes in all took 67108864 bytes of pages")
    );
    let cost = &replay.site_stats[story.malloc.0 as usize].worst;
    assert_eq!(cost.rounded, 32 * ((5 << 18) + 32));
}

#[test]
fn a_driver_that_packs_blocks_wastes_nothing() {
    let mut story = Story::new();
    for n in 0..64 {
        story.allocate((2 << 20) + 512 + n * (3 << 19), 5 << 18);
    }
    // By chance, one in four of these starts at a page boundary: 1.5 MiB apart, they reach a multiple of 2 MiB every 6 MiB.
    let replay = story.end();
    assert!(
        rules(&replay)
            .iter()
            .all(|(rule, _)| *rule != "page-class-waste")
    );
}

#[test]
fn a_loop_is_reported_with_what_its_slow_allocations_took() {
    let mut story = timed();
    for n in 0..1001 {
        let block = story.at(n * 1000).allocate(0x1000, 4096);
        if n < 3 {
            story.event(Event::Slow {
                block,
                ns: 20_000 * (n + 1),
            });
        }
        story.release(block);
    }
    let replay = story.end();
    let found = only(&replay, "hot-loop-allocation");
    assert_eq!(
        found.finding.message,
        "1000 blocks of 4096 bytes were allocated just after one of that size had been released"
    );
    // 20 + 40 + 60 µs.
    assert_eq!(
        found.finding.details,
        ["3 allocations took 10 µs or more, 120 µs together, which a kept block would save"]
    );
    let stats = &replay.site_stats[story.malloc.0 as usize];
    assert_eq!(stats.slow_ns, (120_000, 60_000));
    assert_eq!(
        (stats.releases, stats.lifetimes.whole().count()),
        (1001, 1001)
    );
    assert_eq!(stats.lifetimes.whole().quantile(100, 0), Some(0));
}

#[test]
fn what_no_call_names_is_reported_and_what_any_call_names_is_not() {
    let mut story = Story::new();
    let other = story.synth.site("aclrtMalloc", 0, 0, &[0x500]);
    let copy = story.synth.site("aclrtMemcpy", 1, 0, &[0x600]);
    story.allocate(0x10_0000, MIB);
    story.synth.allocation(THREAD, other, 0x1000_0000, MIB);
    let copied = Event::Copy {
        site: copy,
        to: 0x1000_0040,
        room: 64,
        from: 0x7fff_0000,
        count: 64,
        stream: 0,
    };
    story.event(copied);
    let replay = story.end();
    let found = only(&replay, "never-used");
    assert_eq!(found.finding.here, story.malloc);
}

#[test]
fn a_kernel_whose_arguments_nobody_saw_may_have_used_anything() {
    let mut story = Story::new();
    let launch = story.synth.site("aclrtLaunchKernel", 0, 0, &[0x700]);
    let other = story.synth.site("aclrtMalloc", 0, 0, &[0x500]);
    let set = story.synth.site("aclrtMemset", 0, 0, &[0x600]);
    story.allocate(0x10_0000, MIB);
    story.synth.allocation(THREAD, other, 0x1000_0000, MIB);
    story.call(set, 0x1000_0000).call(launch, 1);
    let replay = story.end();
    assert!(rules(&replay).iter().all(|(rule, _)| *rule != "never-used"));
}

#[test]
fn a_refusal_with_enough_free_is_proof_and_names_who_had_the_rest() {
    let mut story = Story::new();
    let info = story.synth.site("aclrtGetMemInfo", 1, 0, &[0x800]);
    story.at(10).allocate(2 * MIB, 3 * MIB);
    story.at(20).event(Event::Memory {
        site: info,
        free: 512 * MIB,
        total: 1024 * MIB,
    });
    story.at(30).allocate(8 * MIB, MIB / 2);
    let site = story.malloc;
    story.at(40).event(Event::AllocationFailed {
        site,
        size: 255 * MIB,
        status: 207_001,
    });
    let replay = story.end();
    assert_eq!(only(&replay, "fragmented").count.times, 1);
    let refused = &replay.refused[0];
    assert_eq!(refused.cause, Cause::Fragmentation);
    // 3 MiB and its padding take 4 MiB of huge pages; half a MiB takes its bytes and 32.
    assert_eq!(refused.device.pages, 4 * MIB + MIB / 2 + 32);
    assert_eq!(
        (refused.live, refused.device.largest),
        (7 * MIB / 2, 3 * MIB)
    );
    assert_eq!(refused.mem_info.unwrap().taken, MIB / 2 + 32);
    assert_eq!(refused.consumers.len(), 1);
}

#[test]
fn steps_of_the_program_show_what_grows_even_if_it_is_released_at_the_end() {
    let mut story = Story::new();
    let epoch = story.synth.site("aclsan_epoch", 0, 0, &[0x900]);
    let mut blocks = Vec::new();
    for n in 0..16 {
        blocks.push(story.at(n * 100).allocate((n + 1) << 21, MIB));
        story.call(epoch, 0);
    }
    for block in blocks {
        story.release(block);
    }
    let replay = story.end();
    // 16 samples of 1 to 16 MiB, without the first 4: from 5 to 16 MiB in 11 steps.
    assert_eq!(
        only(&replay, "leak-growing").finding.message,
        "live memory grew from 5242880 bytes to 16777216 bytes over 11 steps"
    );
    assert_eq!(replay.leaks, []);
}

#[test]
fn parts_of_a_leak_are_distinguished_by_thread_age_and_epoch() {
    let mut story = Story::new();
    let epoch = story.synth.site("aclsan_epoch", 0, 0, &[0x900]);
    story.at(0).allocate(0x1000, 100);
    story.at(5_000_000).call(epoch, 0);
    story.at(6_000_000);
    let malloc = story.malloc;
    story.synth.allocation(THREAD + 1, malloc, 0x2000, 30);
    let replay = story.at(6_500_000).end();
    let parts = replay.leaks[0].0.parts.iter();
    let parts: Vec<_> = parts
        .map(|(part, sum)| (part.thread, part.below_ns, part.epoch, sum.bytes))
        .collect();
    // 6.5 ms old, before any step; half a ms old, in the first.
    assert_eq!(
        parts,
        [(THREAD, 10_000_000, 0, 100), (THREAD + 1, 1_000_000, 1, 30)]
    );
}
