//! Logs that have a sample of the blocks.

use aclsan_log::Definition;
use aclsan_log::record::BLOCK_SAMPLE;

use super::*;

/// One block per 64 KiB.
fn sampled() -> Story {
    let mut story = Story::new();
    let (key, value) = (BLOCK_SAMPLE.to_owned(), (64 << 10).to_string());
    story.synth.define(Definition::Property { key, value });
    story
}

#[test]
fn a_freed_block_is_known_only_to_who_releases_it_again() {
    let uses = |mut story: Story| {
        let block = story.allocate(0x10_0000, MIB);
        story.release(block);
        let site = story.synth.site("aclrtMemcpy", 1, 0, &[0x500]);
        // The memory may be another block's.
        story.event(Event::Copy {
            site,
            to: 0x10_0000,
            room: 64,
            from: 0x7fff_0000,
            count: 64,
            stream: 0,
        });
        story.release_at(0x10_0040);
        story.release_at(0x10_0000);
        rules(&story.end())
    };
    assert_eq!(uses(sampled()), [("double-free", 1)]);
    let all = ["copy-use-after-free", "double-free"];
    let mut found: Vec<&str> = uses(Story::new()).iter().map(|(rule, _)| *rule).collect();
    found.sort_unstable();
    assert_eq!(found, all);
}

#[test]
fn a_block_stands_for_as_many_as_its_size_says() {
    let mut story = sampled();
    story.allocate(0x10_0000, 64 << 10);
    let gone = story.allocate(0x40_0000, 640);
    story.release(gone);
    let replay = story.end();
    // 64 KiB / (1 - 1/e) = 103,676; 640 / (1 - exp(-0.009765625)) = 65,856.5.
    let (kept, passed) = (103_676, 65_857);
    assert_eq!(
        replay.allocated[story.malloc.0 as usize].bytes,
        kept + passed
    );
    let family = &replay.families[0];
    assert_eq!((family.live, family.peak.0), (kept, kept + passed));
    // 1.58 and 102.9 blocks.
    assert!((103..=105).contains(&family.allocations) && (102..=103).contains(&family.releases));
    assert_eq!(replay.calls.total, family.allocations + family.releases);
    let (group, _) = &replay.leaks[0];
    assert_eq!(
        (group.recorded, group.bytes, group.largest),
        (1, kept, 64 << 10)
    );
    let message = &only(&replay, "leak").finding.message;
    assert!(
        message.starts_with('~') && message.contains("~103676 bytes"),
        "{message}"
    );
    // Layouts and waste need all blocks.
    assert!(replay.layouts.is_empty());
}

#[test]
fn constant_memory_never_grows_by_chance() {
    // 200 small blocks, of which one in 103 is on record, are replaced again and again.
    let mut story = sampled();
    let (mut live, mut random) = (Vec::new(), 0x2545_f491_4f6c_dd1d_u64);
    let mut draw = |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) % below
    };
    for step in 0..20_000_u64 {
        story.at(step * 1_000_000);
        if draw(103) == 0 {
            live.push((step + 200, story.allocate(0x10_0000 + step * 1024, 640)));
        }
        while let Some(&(until, block)) = live.first().filter(|(until, _)| *until <= step) {
            debug_assert!(until <= step);
            story.release(block);
            live.remove(0);
        }
    }
    for (_, block) in live {
        story.release(block);
    }
    assert_eq!(rules(&story.end()), []);
}
