//! Time to read a log: `cargo bench -p aclsan-log`.

use std::hint::black_box;

use aclsan_log::batch::Batch;
use aclsan_log::builder::LogBuilder;
use aclsan_log::{BlockId, CallSiteId, Event, Log, Values};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Events of each log.
const EVENTS: u64 = 100_000;
/// Four threads that take turns of 16 events.
fn thread(at: u64) -> u32 {
    (at / 16 % 4) as u32
}

/// Allocations and releases in turn, with 64 live blocks.
fn heap_events() -> Vec<u8> {
    let mut live: Vec<BlockId> = Vec::new();
    log(|builder, site, at| match live.len() >= 64 && at % 2 == 0 {
        true => {
            let block = live.swap_remove(at as usize % live.len());
            builder.event(thread(at), Event::Release { block, site });
        }
        false => live.push(builder.allocation(thread(at), site, at << 12, 1280)),
    })
}

/// Successful calls with two values, as on streams.
fn calls() -> Vec<u8> {
    log(|builder, site, at| {
        let values = Values::new(&[0x7f00_0000 + at % 8, at]);
        let call = Event::Call {
            site,
            values,
            status: 0,
        };
        builder.event(thread(at), call);
    })
}

/// Events that are not on the fast path.
fn tagged() -> Vec<u8> {
    log(|builder, site, at| {
        let event = Event::Memory {
            site,
            free: at << 20,
            total: 64 << 30,
        };
        builder.event(thread(at), event);
    })
}

fn log(mut write: impl FnMut(&mut LogBuilder, CallSiteId, u64)) -> Vec<u8> {
    let mut builder = LogBuilder::default();
    let site = builder.site("aclrtMalloc", 0, 0, &[0x40_1000, 0x40_2000]);
    for at in 0..EVENTS {
        builder.at(at * 300);
        write(&mut builder, site, at);
    }
    builder.bytes()
}

fn read(log: &Log) -> usize {
    let (mut events, mut batch, mut count) = (log.events(), Batch::default(), 0);
    loop {
        events.fill(&mut batch, 4096);
        count += batch.entries().len();
        if black_box(&batch).entries().is_empty() {
            return count;
        }
    }
}

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(EVENTS));
    for (name, bytes) in [
        ("allocations and releases", heap_events()),
        ("calls", calls()),
        ("tagged records", tagged()),
    ] {
        let log = Log::from_bytes(name, bytes).expect("a log just written");
        assert_eq!(read(&log) as u64, EVENTS);
        group.bench_function(name, |bencher| bencher.iter(|| read(&log)));
    }
    group.finish();
}

criterion_group!(benches, decode);
criterion_main!(benches);
