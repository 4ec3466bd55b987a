//! What the histogram of lifetimes costs, one of which every site has: `cargo bench -p aclsan --bench histogram`.

use std::hint::black_box;

use analyzer::LogLinearHistogram;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

/// Number of lifetimes.
const VALUES: u64 = 1000;

/// Values of the same power of two, as lifetimes at one site are, spread over a millisecond.
fn values(distinct: u64) -> Vec<u64> {
    let step = 1_000_000 / distinct;
    (0..VALUES)
        .map(|n| 1_000_000 + n % distinct * step)
        .collect()
}

fn add(criterion: &mut Criterion) {
    for (name, distinct) in [("add, 8 distinct", 8), ("add, 1000 distinct", VALUES)] {
        let values = values(distinct);
        criterion.bench_function(name, |bench| {
            bench.iter(|| {
                let mut histogram = LogLinearHistogram::default();
                for &value in black_box(&values) {
                    histogram.add(value);
                }
                histogram
            });
        });
    }
}

fn remove(criterion: &mut Criterion) {
    let values = values(VALUES);
    let mut full = LogLinearHistogram::default();
    values.iter().for_each(|&value| full.add(value));
    criterion.bench_function("remove, 1000 distinct", |bench| {
        bench.iter_batched(
            || full.clone(),
            |mut histogram| {
                for &value in black_box(&values) {
                    histogram.remove(value);
                }
                histogram
            },
            BatchSize::SmallInput,
        );
    });
}

fn quantile(criterion: &mut Criterion) {
    let mut histogram = LogLinearHistogram::default();
    values(VALUES)
        .iter()
        .for_each(|&value| histogram.add(value));
    criterion.bench_function("95 % quantile, 1000 distinct", |bench| {
        bench.iter(|| black_box(&histogram).quantile(95, 0));
    });
}

criterion_group!(benches, add, remove, quantile);
criterion_main!(benches);
