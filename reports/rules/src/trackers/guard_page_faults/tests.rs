use super::*;
use crate::evidence::rule::Severity;
use crate::evidence::testing::*;

const STREAM: u64 = 0x70;

fn numbered(id: u64, address: u64) -> Block {
    Block {
        id: BlockId(id),
        ..device_block(address, 1000)
    }
}

fn at(site: u32, name: &str) -> Call {
    Call {
        site: CallSiteId(site),
        ..call(name)
    }
}

/// A guarded block of 1000 bytes, whose page is 1536 bytes after its start.
fn one() -> (GuardPageFaults, Block) {
    let (mut guarded, block) = (GuardPageFaults::default(), numbered(1, 0x10000));
    guarded.add(&block, 1536);
    (guarded, block)
}

fn waited(guarded: &mut GuardPageFaults, status: i32) -> Option<Finding> {
    let call = at(9, "aclrtSynchronizeStream");
    guarded.called(&call, &Values::new(&[STREAM]), status)
}

#[test]
fn a_released_block_that_queued_work_names_is_used_after_its_release() {
    let (mut guarded, block) = one();
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address + 8]);
    guarded.released(block.address, CallSiteId(6));
    let found = waited(&mut guarded, 507_015).unwrap();
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.block.map(|(block, _)| block.id), Some(BlockId(1)));
    assert!(
        found.message.contains("released and unmapped"),
        "{}",
        found.message
    );
    // The error is reported once.
    assert_eq!(waited(&mut guarded, 507_015), None);
}

#[test]
fn bytes_found_overwritten_by_the_same_call_are_an_overrun() {
    let (mut guarded, block) = one();
    guarded.damaged(block.address, CallSiteId(9));
    let found = waited(&mut guarded, 507_035).unwrap();
    assert_eq!(found.severity, Severity::Error);
    assert!(found.message.contains("over the end"), "{}", found.message);
}

#[test]
fn damage_that_another_call_found_is_no_evidence() {
    let (mut guarded, block) = one();
    guarded.damaged(block.address, CallSiteId(8));
    assert_eq!(waited(&mut guarded, 507_015), None);
    assert!(!guarded.explains_last_error());
}

#[test]
fn a_live_block_that_is_named_is_a_suspect_and_no_more() {
    let (mut guarded, block) = one();
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address]);
    let found = waited(&mut guarded, 507_015).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.block.is_some());
}

#[test]
fn work_that_was_waited_for_and_other_streams_are_innocent() {
    let (mut guarded, block) = one();
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address]);
    assert_eq!(waited(&mut guarded, 0), None);
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM + 1, &[block.address]);
    assert_eq!(waited(&mut guarded, 507_015), None);
}

#[test]
fn errors_of_another_kind_are_silent() {
    let (mut guarded, block) = one();
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address]);
    guarded.released(block.address, CallSiteId(6));
    // AICPU, time-out, ECC, an unknown stream
    for status in [507_018, 507_014, 507_054, 107_017] {
        assert_eq!(waited(&mut guarded, status), None);
    }
}

#[test]
fn without_guard_pages_nothing_is_said() {
    assert_eq!(waited(&mut GuardPageFaults::default(), 507_015), None);
}

#[test]
fn kernels_and_operators_name_what_they_are_handed() {
    let (mut guarded, block) = one();
    let tensor = Values::new(&[0x90, block.address, 4, 4]);
    guarded.called(&at(3, "aclCreateTensor"), &tensor, 0);
    let run = at(4, "CommonOpExecutorRun");
    guarded.called(&run, &Values::new(&[0x80, 0, 0, STREAM]), 0);
    let found = waited(&mut guarded, 507_015).unwrap();
    assert_eq!(found.earlier[0].1, CallSiteId(4));
    let kernel = at(7, "aclrtLaunchKernelWithHostArgs");
    let values = Values::new(&[STREAM, 0x400, block.address + 512]);
    guarded.called(&kernel, &values, 0);
    let found = waited(&mut guarded, 507_015).unwrap();
    assert_eq!(found.earlier[0].1, CallSiteId(7));
}

#[test]
fn a_block_released_while_work_was_queued_is_a_suspect() {
    let (mut guarded, block) = one();
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[0x900000]);
    guarded.released(block.address, CallSiteId(6));
    let found = waited(&mut guarded, 507_015).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    // Released before anything was queued that is not known to have completed.
    let (mut guarded, block) = one();
    guarded.released(block.address, CallSiteId(6));
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[0x900000]);
    assert_eq!(waited(&mut guarded, 507_015), None);
}

#[test]
fn a_new_block_takes_the_addresses_of_an_old_one() {
    let (mut guarded, block) = one();
    guarded.released(block.address, CallSiteId(6));
    guarded.add(&numbered(2, 0x10200), 1024);
    assert_eq!(guarded.at(0x10000), None);
    assert_eq!(guarded.at(0x10200), Some(BlockId(2)));
    assert_eq!(guarded.at(0x10600), Some(BlockId(2)));
    assert_eq!(guarded.at(0x10601), None);
}

#[test]
fn no_more_calls_are_kept_than_there_is_room_for() {
    let (mut guarded, block) = one();
    for site in 0..2 * MAX_WORK as u32 {
        guarded.queued(&at(site, "aclrtMemsetAsync"), STREAM, &[block.address]);
    }
    assert_eq!(guarded.works.len(), MAX_WORK);
    let found = waited(&mut guarded, 507_015).unwrap();
    // 256 calls, of which 4 are shown
    assert!(
        found.details.iter().any(|line| line.contains("252 more")),
        "{:?}",
        found.details
    );
}

#[test]
fn a_copy_that_waited_reports_the_error_of_the_work_before_it_and_is_no_suspect() {
    let (mut guarded, block) = one();
    let (kernel, copy) = (at(5, "aclrtMemsetAsync"), at(6, "aclrtMemcpyAsync"));
    guarded.queued(&kernel, STREAM, &[0x900000]);
    guarded.queued(&copy, STREAM, &[block.address]);
    assert_eq!(guarded.refused(&copy, STREAM, 507_015), None);
    guarded.queued(&kernel, STREAM, &[block.address]);
    guarded.queued(&copy, STREAM, &[0x900000]);
    let found = guarded.refused(&copy, STREAM, 507_015).unwrap();
    assert!(found.block.is_some() && guarded.explains_last_error());
    // Errors of the copy itself are for other rules.
    guarded.queued(&copy, STREAM, &[block.address]);
    assert_eq!(guarded.refused(&copy, STREAM, 507_899), None);
}

fn reported(guarded: &mut GuardPageFaults, task: u64, code: i32) -> Option<Finding> {
    let values = Values::new(&[3, task, 100, code as u64]);
    guarded.called(&at(8, "aclrtSetExceptionInfoCallback"), &values, 0)
}

#[test]
fn what_the_programs_function_was_notified_of_no_wait_reports_again() {
    let (mut guarded, block) = one();
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address]);
    let found = reported(&mut guarded, 0, 507_015).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    assert!(
        found
            .message
            .starts_with("the function given to `aclrtSetExceptionInfoCallback` received 507015"),
        "{}",
        found.message
    );
    // The same task once more, and another that no further work explains.
    assert_eq!(reported(&mut guarded, 0, 507_015), None);
    assert_eq!(reported(&mut guarded, 1, 507_015), None);
    assert_eq!(waited(&mut guarded, 507_015), None);
    assert!(guarded.explains_last_error());
    assert_eq!(waited(&mut guarded, 507_015), None);
    // More work, and another error that was not reported before.
    guarded.queued(&at(6, "aclrtMemsetAsync"), STREAM, &[block.address]);
    assert!(waited(&mut guarded, 507_015).is_some());
}

#[test]
fn an_overrun_that_the_wait_finds_is_news() {
    let (mut guarded, block) = one();
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address]);
    assert!(reported(&mut guarded, 0, 507_015).is_some());
    guarded.damaged(block.address, CallSiteId(9));
    let found = waited(&mut guarded, 507_015).unwrap();
    assert_eq!(found.severity, Severity::Error);
}

#[test]
fn what_nothing_ties_to_a_block_is_left_to_the_wait() {
    let (mut guarded, block) = one();
    assert_eq!(reported(&mut guarded, 0, 507_015), None);
    assert_eq!(waited(&mut guarded, 507_015), None);
    assert!(!guarded.explains_last_error());
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address]);
    assert_eq!(reported(&mut guarded, 1, 507_018), None);
    assert_eq!(waited(&mut guarded, 507_018), None);
}

#[test]
fn the_devices_reset_forgets_what_was_reported() {
    let (mut guarded, block) = one();
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address]);
    let device = block.device;
    assert!(reported(&mut guarded, 0, 507_015).is_some());
    guarded.reset(device);
    guarded.add(&block, 1536);
    guarded.queued(&at(5, "aclrtMemsetAsync"), STREAM, &[block.address]);
    assert!(waited(&mut guarded, 507_015).is_some());
}
