use super::*;
use crate::api::profile::Profile;
use crate::evidence::testing::*;

const DECODE: &str = "acldvppJpegDecodeAsync";
const EXECUTE: &str = "aclmdlExecute";

/// A block of 8 KiB of the family at 0x1000, and what was written in it.
struct Stage {
    written: InferredSegments,
    block: Block,
    profile: Profile,
}

impl Stage {
    fn new(allocator: &str) -> Self {
        Self {
            written: InferredSegments::default(),
            block: block(allocator, 0x1000, 8192),
            profile: Profile::default(),
        }
    }

    fn used(
        &mut self,
        name: &str,
        access: Access,
        offset: u64,
        size: u64,
    ) -> Vec<(&'static str, Severity)> {
        let used = RangeUse {
            address: 0x1000 + offset,
            size,
            access,
        };
        let placement = PlacementRules::of(&self.block, 0, &self.profile);
        let found = self
            .written
            .uses(&call(name), &used, 7, &self.block, placement.as_ref());
        found
            .iter()
            .map(|found| (found.rule.name, found.severity))
            .collect()
    }

    /// A launch of its own.
    fn alone(
        &mut self,
        name: &str,
        access: Access,
        offset: u64,
        size: u64,
    ) -> Vec<(&'static str, Severity)> {
        let found = self.used(name, access, offset, size);
        self.written.launched_at(7);
        found
    }

    fn copied(&mut self, to: u64, from: u64, count: u64) -> Option<(&'static str, Severity)> {
        let (block, profile) = (self.block, self.profile);
        let inside = |address: u64| block.covers(address).then_some(&block);
        let found = self.written.copied(
            &call("aclrtMemcpy"),
            count,
            (to, inside(to)),
            (from, inside(from)),
            |block| PlacementRules::of(block, 0, &profile),
        );
        found.map(|found| (found.rule.name, found.severity))
    }
}

#[test]
fn a_picture_whose_tail_was_overwritten_before_it_was_read_is_reported() {
    let mut stage = Stage::new("acldvppMalloc");
    assert!(stage.alone(DECODE, Access::Write, 0, 3072).is_empty());
    assert!(stage.alone(DECODE, Access::Write, 2560, 3072).is_empty());
    assert_eq!(
        stage.alone(EXECUTE, Access::Read, 0, 3072),
        [("suballoc-overlap", Severity::Error)]
    );
    assert!(stage.alone(EXECUTE, Access::Read, 2560, 3072).is_empty());
}

#[test]
fn the_head_counts_like_the_tail() {
    let mut stage = Stage::new("acldvppMalloc");
    stage.alone(DECODE, Access::Write, 2560, 3072);
    stage.alone(DECODE, Access::Write, 0, 3072);
    assert_eq!(stage.alone(EXECUTE, Access::Read, 2560, 3072).len(), 1);
    assert!(stage.alone(EXECUTE, Access::Read, 0, 3072).is_empty());
}

#[test]
fn updates_new_contents_and_other_extents_are_silent() {
    let mut stage = Stage::new("acldvppMalloc");
    stage.alone(DECODE, Access::Write, 0, 3072);
    stage.alone(DECODE, Access::Write, 1024, 512); // inside: an update
    assert!(stage.alone(EXECUTE, Access::Read, 0, 3072).is_empty());
    stage.alone(DECODE, Access::Write, 2560, 1024);
    assert!(stage.alone(EXECUTE, Access::Read, 0, 2560).is_empty()); // read as something else
    stage.alone(DECODE, Access::Write, 0, 2048); // new contents, another size
    assert!(stage.alone(EXECUTE, Access::Read, 0, 2048).is_empty());
}

#[test]
fn a_copy_makes_it_a_warning_and_follows_no_block_by_itself() {
    let mut stage = Stage::new("aclrtMalloc");
    stage.copied(0x1000, 0x9_0000, 1024);
    stage.copied(0x1200, 0x9_0000, 1024);
    assert_eq!(stage.copied(0x9_0000, 0x1000, 1024), None);
    stage.alone(EXECUTE, Access::Write, 0, 1024);
    stage.copied(0x1200, 0x9_0000, 1024);
    assert_eq!(
        stage.copied(0x9_0000, 0x1000, 1024),
        Some(("suballoc-overlap", Severity::Warning))
    );
    assert_eq!(stage.copied(0x9_0000, 0x1200, 1024), None);
}

#[test]
fn what_was_there_before_the_block_was_released_is_forgotten() {
    let mut stage = Stage::new("acldvppMalloc");
    stage.alone(DECODE, Access::Write, 0, 3072);
    stage.alone(DECODE, Access::Write, 2560, 3072);
    let block = stage.block;
    stage.written.forget(&block);
    assert!(stage.alone(EXECUTE, Access::Read, 0, 3072).is_empty());
}

#[test]
fn pictures_that_feed_a_model_keep_the_padding_free() {
    let mut stage = Stage::new("acldvppMalloc");
    // 3072 takes up 3104, so the next may start at 3200; 3072 is a multiple of 128.
    stage.alone(DECODE, Access::Write, 0, 3072);
    stage.alone(DECODE, Access::Write, 3072, 3072);
    assert!(
        stage
            .alone("acldvppVpcResizeAsync", Access::Read, 0, 3072)
            .is_empty()
    );
    assert_eq!(
        stage.alone(EXECUTE, Access::Read, 0, 3072),
        [("suballoc-too-small", Severity::Error)]
    );
    // The whole batch at once is one segment.
    assert!(stage.alone(EXECUTE, Access::Read, 0, 6144).is_empty());
    let mut apart = Stage::new("acldvppMalloc");
    apart.alone(DECODE, Access::Write, 0, 3072);
    apart.alone(DECODE, Access::Write, 3200, 3072);
    assert!(apart.alone(EXECUTE, Access::Read, 0, 3072).is_empty());
}

#[test]
fn pictures_in_plain_memory_are_asked_for_128_once_a_model_reads_them() {
    let mut stage = Stage::new("aclrtMalloc");
    stage.alone(DECODE, Access::Write, 64, 3072);
    assert_eq!(
        stage.alone(EXECUTE, Access::Read, 64, 3072),
        [("suballoc-misaligned", Severity::Error)]
    );
    // In media memory, the data buffer has reported it already.
    let mut media = Stage::new("acldvppMalloc");
    media.alone(DECODE, Access::Write, 64, 3072);
    assert!(media.alone(EXECUTE, Access::Read, 64, 3072).is_empty());
}

#[test]
fn outputs_of_one_launch_that_share_a_part_are_reported_and_views_are_not() {
    let mut stage = Stage::new("aclrtMalloc");
    assert!(stage.used(EXECUTE, Access::Read, 0, 1024).is_empty());
    assert!(stage.used(EXECUTE, Access::Write, 0, 1024).is_empty()); // in place
    assert!(stage.used(EXECUTE, Access::Write, 128, 64).is_empty()); // a part of it
    assert_eq!(
        stage.used(EXECUTE, Access::Write, 960, 1024),
        [("suballoc-overlap", Severity::Error)]
    );
    let mut stage = Stage::new("aclrtMalloc");
    assert!(stage.used(EXECUTE, Access::Read, 0, 1024).is_empty());
    assert!(stage.used(EXECUTE, Access::Read, 512, 1024).is_empty()); // nobody writes
}

#[test]
fn operators_in_two_phases_may_have_written_it_anew_and_media_units_keep_their_pictures() {
    let (operator, found) = (
        "aclopCompileAndExecute",
        [("suballoc-overlap", Severity::Error)],
    );
    for (name, is_blind) in [(operator, false), (operator, true), (DECODE, true)] {
        let mut stage = Stage::new("aclrtMalloc");
        stage.alone(name, Access::Write, 512, 120);
        stage.alone(name, Access::Write, 0, 600);
        if is_blind {
            stage.written.tensor_made();
        }
        let read = stage.alone(operator, Access::Read, 512, 120);
        assert_eq!(read.is_empty(), is_blind && name == operator);
        assert!(read.is_empty() || read == found);
    }
}

#[test]
fn other_launches_are_not_followed() {
    let mut stage = Stage::new("aclrtMalloc");
    stage.alone("CommonOpExecutorRun", Access::Write, 0, 1024);
    stage.alone("CommonOpExecutorRun", Access::Write, 512, 1024);
    assert!(
        stage
            .alone("CommonOpExecutorRun", Access::Read, 0, 1024)
            .is_empty()
    );
}

#[test]
fn a_model_in_plain_memory_is_executed_on_multiples_of_64_and_an_operator_anywhere() {
    let mut stage = Stage::new("aclrtMalloc");
    let found = [("suballoc-misaligned", Severity::Error)];
    assert_eq!(stage.alone(EXECUTE, Access::Read, 32, 64), found);
    assert_eq!(stage.alone(EXECUTE, Access::Write, 96, 64), found);
    assert!(stage.alone(EXECUTE, Access::Read, 192, 64).is_empty());
    assert!(
        stage
            .alone("aclopExecuteV2", Access::Read, 32, 64)
            .is_empty()
    );
}

#[test]
fn inputs_and_outputs_of_a_model_from_one_block_keep_the_padding_free() {
    let close = [("suballoc-too-small", Severity::Warning)];
    let mut stage = Stage::new("aclrtMalloc");
    assert!(stage.used(EXECUTE, Access::Read, 0, 300).is_empty());
    // 300 takes up 352: 384 is the next valid start.
    assert_eq!(stage.used(EXECUTE, Access::Write, 320, 64), close);
    assert!(stage.used(EXECUTE, Access::Write, 512, 64).is_empty());
    // In the other order: 60 bytes from 448 on take up 96, to 544.
    assert_eq!(stage.used(EXECUTE, Access::Read, 448, 60), close);
    stage.written.launched_at(7);
    // Of separate launches, of an operator, and where the SoC needs no padding.
    assert!(stage.alone(EXECUTE, Access::Read, 0, 300).is_empty());
    assert!(stage.alone(EXECUTE, Access::Read, 320, 64).is_empty());
    for (offset, size) in [(0, 300), (320, 64)] {
        let operator = stage.used("aclopExecuteV2", Access::Read, offset, size);
        assert!(operator.is_empty());
    }
    stage.written.launched_at(7);
    stage.profile = Profile::of_soc("Ascend950PR");
    assert!(stage.used(EXECUTE, Access::Read, 0, 300).is_empty());
    assert!(stage.used(EXECUTE, Access::Write, 320, 64).is_empty());
}

#[test]
fn an_arena_that_rounds_to_256_is_silent() {
    let mut stage = Stage::new("aclrtMalloc");
    assert!(stage.used(EXECUTE, Access::Read, 0, 3072).is_empty());
    assert!(stage.used(EXECUTE, Access::Write, 3072, 2048).is_empty());
}
