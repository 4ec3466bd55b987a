use super::*;
use aclsan_log::Definition;
use aclsan_render::model::Page;

#[test]
fn families_devices_and_peaks_add_up() {
    let mut story = Story::new();
    let pinned = story.synth.site("aclrtMallocHost", 0, 0, &[0x700]);
    let first = story.at(10).allocate(0x1000, 100);
    story.at(20).allocate(0x2000, 50); // device: 150
    story.at(25).synth.allocation(THREAD, pinned, 0x8000, 1000);
    story.at(30).release(first); // device: 50
    story.at(40).allocate(0x3000, 60); // device: 110
    let replay = story.at(90).end();
    let [device, host, ..] = replay.families;
    assert_eq!((device.allocations, device.releases), (3, 1));
    assert_eq!(
        (device.allocated, device.live, device.peak),
        (210, 110, (150, 20))
    );
    assert_eq!((host.allocated, host.peak), (1000, (1000, 25)));
    // Page-locked memory is not device memory.
    assert_eq!(replay.devices[&0], (110, 150, 20));
    assert_eq!(replay.at_peak[&story.malloc].bytes, 150);
    assert_eq!(replay.live[&story.malloc].blocks, 2);
    assert_eq!(replay.allocated[story.malloc.0 as usize].bytes, 210);
    let points: Vec<_> = replay
        .points
        .iter()
        .map(|p| (p.ns, p.live[0], p.live[1]))
        .collect();
    assert_eq!(
        points,
        [
            (10, 100, 0),
            (20, 150, 0),
            (25, 150, 1000),
            (30, 50, 1000),
            (40, 110, 1000)
        ]
    );
    assert_eq!((replay.events, replay.duration_ns), (6, 90));
}

#[test]
fn memory_of_pools_and_behind_handles_is_a_devices_too_and_addresses_are_none() {
    let mut story = Story::new();
    let pool = story.synth.site("aclrtMemPoolMallocAsync", 0, 0, &[0x700]);
    let physical = story.synth.site("aclrtMallocPhysical", 0, 0, &[0x710]);
    let reserve = story.synth.site("aclrtReserveMemAddress", 0, 0, &[0x720]);
    let free = story.synth.site("aclrtFreePhysical", 0, 0, &[0x730]);
    story.at(10).synth.allocation(THREAD, pool, 0x5000, 64);
    let handle = story.at(20).synth.allocation(THREAD, physical, 0x77, 256);
    story.at(25).synth.allocation(THREAD, reserve, 0x9000, 1000);
    story.at(30).allocate(0x1000, 100);
    story.at(40).event(Event::Release {
        block: handle,
        site: free,
    });
    let replay = story.at(90).end();
    // 64 and 256 and 100 at 30; without the 256 at the end.
    assert_eq!(replay.devices[&0], (164, 420, 30));
    let at_peak = [pool, physical, story.malloc].map(|site| replay.at_peak[&site].bytes);
    assert_eq!((at_peak, replay.at_peak.len()), ([64, 256, 100], 3));
    assert_eq!(replay.layouts.len(), 1, "pages are known of one alone");
}

#[test]
fn layouts_at_the_peak_and_at_the_end() {
    let mut story = Story::new();
    // 2 MiB pages, 1 page each: 0, 2, 4, 6 MiB.
    let blocks: Vec<_> = (0..4)
        .map(|n| story.at(n).allocate(n * 2 * MIB, 2 * MIB - 64))
        .collect();
    story.at(10).release(blocks[1]).release(blocks[2]);
    let small = story.allocate(0x7000_0000_0000, 100);
    let replay = story.release(small).end();
    let [normal, huge] = replay.layouts.as_slice() else {
        panic!("{:?}", replay.layouts);
    };
    assert_eq!((huge.page, huge.peak_ns), (Page::Huge, 3));
    // Peak: four pages in a row, no hole. 4 × (2 MiB − 64) requested, 4 × 64 of padding.
    assert_eq!((huge.peak.blocks, huge.peak.holes), (4, 0));
    assert_eq!(
        (huge.peak.page_bytes, huge.peak.slack_bytes),
        (8 * MIB, 256)
    );
    // End: the two in the middle are one hole of 4 MiB; 1 − 4/4 = 0.
    assert_eq!((huge.end.holes, huge.end.free_bytes), (1, 4 * MIB));
    assert_eq!((huge.end.span_bytes, huge.end.index), (8 * MIB, 0.0));
    // A small block was freed: one page at the peak, nothing at the end.
    assert_eq!((normal.page, normal.peak.page_bytes), (Page::Normal, 4096));
    assert_eq!((normal.end.blocks, normal.end.page_bytes), (0, 0));
}

#[test]
fn a_guard_that_moves_a_block_to_larger_pages_is_reported() {
    let mut story = Story::new();
    // ALIGN_UP(1 MiB − 64, 32) + 32 is below the threshold, and above it with 512 bytes of redzone.
    let block = story.allocate(0x1000_0000, MIB - 64);
    let replay = story
        .event(Event::Guard {
            block,
            slack: 32,
            guard: 512,
            front: 0,
        })
        .release(block)
        .end();
    assert_eq!(replay.guards, (1, 512, 1, 0));
    assert_eq!(replay.layouts.len(), 1);
    assert_eq!(replay.layouts[0].page, Page::Huge);
    assert_eq!(replay.layouts[0].peak.asked_bytes, MIB - 64);
}

#[test]
fn a_front_counts_with_the_guard_behind_and_a_pattern_in_the_rounding_takes_nothing() {
    let mut story = Story::new();
    let both = story.allocate(0x1000_1000, 1000);
    let rounding = story.allocate(0x2000_0000, MIB - 64);
    let replay = story
        .event(Event::Guard {
            block: both,
            slack: 56,
            guard: 64,
            front: 4096,
        })
        .event(Event::Guard {
            block: rounding,
            slack: 32,
            guard: 0,
            front: 0,
        })
        .release(both)
        .release(rounding)
        .end();
    // 64 + 4096 bytes, no page class changed, one of the two in the padding alone.
    assert_eq!(replay.guards, (2, 4160, 0, 1));
}

#[test]
fn pages_that_guards_take_are_distinguished_and_guarded_blocks_have_no_layout() {
    let mut story = Story::new();
    let whole = story.synth.site("aclrtMallocAlign32", 0, 0, &[0x700]);
    // Nothing is added to 2 MiB blocks, which fill their page; 64 bytes of redzone take another page.
    let block = story.synth.allocation(THREAD, whole, 2 * MIB, 2 * MIB);
    story.event(Event::Guard {
        block,
        slack: 0,
        guard: 64,
        front: 0,
    });
    for (place, is_released) in [(0x4000_0000, true), (0x5000_0000, false)] {
        let guarded = story.allocate(place, 3 * MIB);
        story.event(Event::Fence {
            block: guarded,
            slack: 0,
            guard: 0,
            taken: 4 * MIB,
        });
        if is_released {
            story.release(guarded);
        }
    }
    let replay = story.end();
    assert_eq!(replay.with_guard_page, 2);
    // 2 MiB after the first. For the others, 3 MiB and 32 bytes take two pages of 2 MiB, as many as before a guard page.
    assert_eq!(replay.guard_pages, 2 * MIB);
    let layout = &replay.layouts[0];
    assert_eq!((replay.layouts.len(), layout.page), (1, Page::Huge));
    assert_eq!((layout.peak.blocks, layout.peak.page_bytes), (1, 4 * MIB));
    assert_eq!((layout.end.blocks, layout.end.holes), (1, 0));
    assert_eq!(
        replay.devices[&0].1,
        5 * MIB,
        "as much as the program asked for"
    );
}

#[test]
fn what_a_front_takes_is_given_back_with_its_block() {
    let mut story = Story::new();
    // With redzones of 4096 bytes before and 64 after them, 1.5 MiB blocks take a page of 2 MiB each: at 2, 4 and 6 MiB.
    let blocks = [1, 2, 3].map(|page| {
        story.at(10 * page);
        let block = story.allocate(2 * page * MIB + 4096, 3 * MIB / 2);
        story.event(Event::Guard {
            block,
            slack: 0,
            guard: 64,
            front: 4096,
        });
        block
    });
    story.at(50).release(blocks[1]).at(90).event(Event::Exit);
    let replay = replay(
        &story.synth.log(),
        ReportScope::All(Some(3 * MIB / 2)),
        true,
        |_| {},
    );
    let changes = replay.fits[0].changes.iter();
    let changes: Vec<_> = changes.map(|change| (change.ns, change.fits)).collect();
    assert_eq!(changes, [(10, false), (50, true)]);
    let layout = &replay.layouts[0];
    assert_eq!((layout.peak.blocks, layout.peak.holes), (3, 0));
    assert_eq!((layout.end.holes, layout.end.free_bytes), (1, 2 * MIB));
}

#[test]
fn the_profile_comes_from_the_logs_properties() {
    for (soc, rounded) in [("Ascend910B3", 1056), ("Ascend950PR", 1024)] {
        let mut story = Story::new();
        let (key, value) = ("soc".to_owned(), soc.to_owned());
        story.synth.define(Definition::Property { key, value });
        story.allocate(0x1000, 1000);
        assert_eq!(story.end().layouts[0].end.rounded_bytes, rounded);
    }
}

#[test]
fn calls_and_refusals_are_counted_by_function() {
    let mut story = Story::new();
    let (malloc, info) = (
        story.malloc,
        story.synth.site("aclrtGetMemInfo", 1, 0, &[9]),
    );
    for size in [10, 20] {
        story.event(Event::AllocationFailed {
            site: malloc,
            size,
            status: 207_001,
        });
    }
    for free in [500, 300, 400] {
        story.event(Event::Memory {
            site: info,
            free,
            total: 1000,
        });
    }
    story.allocate(0x1000, 1);
    let replay = story.end();
    let index = replay
        .calls
        .names
        .iter()
        .position(|name| name == "aclrtMalloc")
        .unwrap();
    let tally = replay.calls.tallies[index];
    assert_eq!((tally.calls, tally.failures), (3, 2));
    let refusal = replay.calls.refusals[&(index, 207_001)];
    assert_eq!((refusal.blocks, refusal.bytes), (2, 30));
    assert_eq!(replay.reported[&0], (300, 1000));
    assert_eq!(replay.calls.total, 6);
}
