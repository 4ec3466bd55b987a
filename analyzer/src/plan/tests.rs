//! Recordings out of logs: what is inferred where a log does not say it.

use aclsan_allocators::caching::{TORCH_CUDA, TORCH_NPU};
use aclsan_allocators::request::{Asked, Step};
use aclsan_log::builder::LogBuilder;
use aclsan_log::record::ALLOCATOR_SETTINGS;
use aclsan_log::{CallSiteId, Definition, Event, Values};

use super::from_log::read;
use super::from_snapshot;
use super::recording::{Asker, Recording};
use crate::logs::readers::torch_snapshot::{
    Action, Block, Entry, Segment, Snapshot, StackId, State,
};

const MIB: u64 = 1 << 20;
const SEGMENT: u64 = 0x1200_0000_0000;
/// A framework's thread.
const THREAD: u32 = 7;
/// Number of the text `ptaCaching`.
const CACHE: u64 = 1;

struct Framework(LogBuilder);

impl Framework {
    fn new() -> Self {
        let mut log = LogBuilder::default();
        let text = "ptaCaching".to_owned();
        log.define(Definition::Text { id: 1, text });
        Self(log)
    }

    fn site(&mut self, function: &str) -> CallSiteId {
        self.0.site(function, 0, 0, &[0x700])
    }

    fn call(&mut self, function: &str, values: &[u64]) {
        let site = self.site(function);
        let values = Values::new(values);
        let status = 0;
        self.0.event(
            THREAD,
            Event::Call {
                site,
                values,
                status,
            },
        );
    }

    fn region(&mut self, address: u64, bytes: u64) {
        self.call("mstxMemRegionsRegister", &[CACHE, 0, address, bytes, 0, 0]);
    }

    fn end_region(&mut self, address: u64) {
        self.call("mstxMemRegionsUnregister", &[CACHE, 0, address]);
    }

    /// An operator of one tensor.
    fn launch(&mut self, address: u64, storage: u64, stream: u64) {
        self.call(
            "aclCreateTensor",
            &[0x10, address, storage, storage, 4, 2, 1, 0],
        );
        self.call("aclOpExecutorAddCache", &[0x20, 0]);
        self.call("CommonOpExecutorRun", &[0x20, 0, 0, stream]);
    }

    fn read(&self) -> Recording {
        read(&self.0.log(), None).expect("a device was used")
    }
}

fn asked(recording: &Recording) -> Vec<Asked> {
    recording.asked().map(|(_, asked)| asked).collect()
}

fn request(bytes: u64, stream: u32) -> Asked {
    Asked {
        bytes,
        stream,
        pool: 0,
    }
}

#[test]
fn a_tensor_shows_what_was_asked_for_and_its_launch_on_which_stream() {
    let mut torch = Framework::new();
    let malloc = torch.site("aclrtMallocAlign32");
    torch.0.allocation(THREAD, malloc, SEGMENT, 20 * MIB);
    torch
        .0
        .allocation(THREAD, malloc, SEGMENT + (1 << 30), 20 * MIB);
    torch.region(SEGMENT, 3 * MIB); // 512 KiB more than the tensor takes.
    torch.region(SEGMENT + (1 << 30), 1024); // Never used.
    torch.launch(SEGMENT, 3 * MIB - MIB / 2, 0xa000);
    torch.end_region(SEGMENT);
    torch.region(SEGMENT, 2 * MIB); // Used by nothing, and of the same stream as the segment.
    let recording = torch.read();
    assert_eq!(recording.of, Asker::Caching(TORCH_NPU));
    assert_eq!(
        asked(&recording),
        [
            request(3 * MIB - MIB / 2, 1),
            request(1024 - 32, 0),
            request(2 * MIB - 32, 1),
        ]
    );
    assert_eq!(recording.inexact, 1, "of the last only the block is known");
    assert_eq!(
        recording.segments,
        [(20 * MIB, SEGMENT), (20 * MIB, SEGMENT + (1 << 30))]
    );
}

#[test]
fn a_tensor_of_an_earlier_part_at_the_same_address_is_not_taken_for_this_one() {
    // As with a queue: both parts were given out before the first operator was planned.
    let mut torch = Framework::new();
    let malloc = torch.site("aclrtMallocAlign32");
    torch.0.allocation(THREAD, malloc, SEGMENT, 20 * MIB);
    torch.region(SEGMENT, 4096);
    torch.end_region(SEGMENT);
    torch.region(SEGMENT, 5 * MIB);
    torch.launch(SEGMENT, 4000, 0xa000);
    torch.launch(SEGMENT, 5 * MIB - 600, 0xb000);
    let recording = torch.read();
    let bytes: Vec<u64> = asked(&recording).iter().map(|asked| asked.bytes).collect();
    assert_eq!(bytes, [4096 - 32, 5 * MIB - 600]);
}

#[test]
fn other_memory_of_the_process_is_beside_it() {
    let mut torch = Framework::new();
    let malloc = torch.site("aclrtMalloc");
    let own = torch.0.allocation(THREAD, malloc, SEGMENT * 2, 3 * MIB);
    torch.0.allocation(THREAD, malloc, SEGMENT, 20 * MIB);
    torch.region(SEGMENT, 4096);
    let free = torch.site("aclrtFree");
    let site = free;
    torch.0.event(THREAD, Event::Release { block: own, site });
    let steps: Vec<Step> = torch.read().steps.iter().map(|step| step.step).collect();
    assert_eq!(steps[0], Step::TakenByOthers(4 * MIB)); // With its 32 bytes it takes two pages.
    assert!(matches!(steps[1], Step::Allocate(0, _)));
    assert_eq!(steps[2], Step::ReturnedByOthers(4 * MIB));
    assert_eq!(steps.len(), 3);
}

#[test]
fn segments_that_come_back_mean_an_emptied_cache_unless_memory_ran_out() {
    for (was_refused, expected) in [(false, 1), (true, 0)] {
        let mut torch = Framework::new();
        let malloc = torch.site("aclrtMallocAlign32");
        let blocks = [0, 1].map(|at| {
            torch
                .0
                .allocation(THREAD, malloc, SEGMENT + at * 32 * MIB, 20 * MIB)
        });
        for at in [0, 1] {
            torch.region(SEGMENT + at * 32 * MIB, 5 * MIB);
            torch.end_region(SEGMENT + at * 32 * MIB);
        }
        if was_refused {
            let (site, size, status) = (malloc, 64 << 30, 207_001);
            torch
                .0
                .event(THREAD, Event::AllocationFailed { site, size, status });
        }
        let site = torch.site("aclrtFree");
        for block in blocks {
            torch.0.event(THREAD, Event::Release { block, site });
        }
        let steps = torch.read().steps;
        let emptied = steps.iter().filter(|step| step.step == Step::EmptyCache);
        assert_eq!(emptied.count(), expected);
    }
}

#[test]
fn mapped_memory_is_a_segment_of_the_range_that_it_is_mapped_to() {
    let mut torch = Framework::new();
    let (value, key) = ("expandable_segments:True".to_owned(), ALLOCATOR_SETTINGS);
    for with_property in [true, false] {
        if with_property {
            let (key, value) = (key.to_owned(), value.clone());
            torch.0.define(Definition::Property { key, value });
        }
        let reserve = torch.site("aclrtReserveMemAddress");
        torch.0.allocation(THREAD, reserve, SEGMENT, 1 << 40);
        let physical = torch.site("aclrtMallocPhysical");
        torch.0.allocation(THREAD, physical, 0x55, 20 * MIB);
        torch.call("aclrtMapMem", &[SEGMENT, 20 * MIB, 0, 0x55]);
        torch.region(SEGMENT, 5 * MIB);
        let recording = torch.read();
        assert_eq!(recording.settings, value);
        assert!(recording.segments.is_empty());
        assert_eq!(recording.steps.len(), 1, "nothing is beside it");
        torch = Framework::new();
    }
}

#[test]
fn a_graph_that_is_captured_has_a_pool_of_its_own_until_it_is_destroyed() {
    let mut torch = Framework::new();
    torch.call("aclmdlRICaptureBegin", &[0xa000, 0]);
    let malloc = torch.site("aclrtMallocAlign32");
    torch.0.allocation(THREAD, malloc, SEGMENT, 20 * MIB);
    torch.region(SEGMENT, 5 * MIB);
    torch.launch(SEGMENT, 5 * MIB - 32, 0xa000);
    torch.call("aclmdlRICaptureEnd", &[0xa000, 0x99]);
    torch.call("aclmdlRIDestroy", &[0x99]);
    let recording = torch.read();
    assert_eq!(asked(&recording)[0].pool, 1);
    let last = recording.steps.last().map(|step| step.step);
    assert_eq!(last, Some(Step::ClosePool(1)));
}

#[test]
fn without_a_pool_the_programs_blocks_are_the_requests() {
    let mut log = LogBuilder::default();
    let malloc = log.site("aclrtMalloc", 0, 2, &[0x700]);
    let block = log.allocation(THREAD, malloc, SEGMENT, 1000);
    let site = log.site("aclrtFree", 0, 2, &[0x700]);
    log.event(THREAD, Event::Release { block, site });
    let recording = read(&log.log(), None).expect("a device was used");
    assert_eq!((recording.of, recording.device), (Asker::Program, 2));
    let steps: Vec<Step> = recording.steps.iter().map(|step| step.step).collect();
    assert_eq!(
        steps,
        [Step::Allocate(0, request(1000, 0)), Step::Release(0)]
    );
    assert!(read(&log.log(), Some(1)).is_none());
    assert!(read(&LogBuilder::default().log(), None).is_none());
}

/// A snapshot of one block, with the request that it served.
fn snapshot(size: u64, requested: u64, settings: &[(&str, &str)]) -> Snapshot {
    let block = Block {
        address: SEGMENT,
        size,
        requested,
        state: State::Allocated,
        stack: StackId::default(),
    };
    let entry = Entry {
        action: Action::Alloc,
        address: SEGMENT,
        size: requested,
        stream: 0,
        device_free: None,
        time_us: 0,
        pool: None,
        metadata: "".into(),
        stack: StackId::default(),
    };
    let segment = Segment {
        device: 0,
        address: SEGMENT,
        size: 2 * MIB,
        stream: 0,
        is_small: true,
        pool: (0, 0),
        is_expandable: false,
        stack: StackId::default(),
        blocks: vec![block],
    };
    let settings = settings.iter();
    Snapshot {
        segments: vec![segment],
        traces: vec![vec![entry]],
        settings: settings
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect(),
        ..Snapshot::default()
    }
}

#[test]
fn sizes_of_blocks_show_whose_snapshot_it_is() {
    let of = |snapshot: &Snapshot| {
        let recording = from_snapshot::read(snapshot, None).expect("a history");
        (recording.of, recording.settings)
    };
    let default = || String::new();
    let npu = || Asker::Caching(TORCH_NPU);
    let cuda = || Asker::Caching(TORCH_CUDA);
    assert_eq!(
        of(&snapshot(1024, 481, &[])),
        (npu(), default()),
        "with 32 bytes more"
    );
    assert_eq!(of(&snapshot(512, 481, &[])), (cuda(), default()));
    let named = [("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:32")];
    let expected = "max_split_size_mb:32".to_owned();
    assert_eq!(
        of(&snapshot(512, 100, &named)),
        (cuda(), expected),
        "either has 512 for 100"
    );
    assert_eq!(
        of(&snapshot(512, 100, &[])),
        (npu(), default()),
        "without settings"
    );
    assert!(from_snapshot::read(&Snapshot::default(), None).is_none());
}
