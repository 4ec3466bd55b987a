//! Random runs against models that keep everything: the comparison of many ranks, and of two moments of one run.

use aclsan_log::builder::LogBuilder;
use aclsan_log::{BlockId, Definition, Event};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use super::story::*;

const PLACES: usize = 6;
const EPOCHS: usize = 5;

/// Model of one process: live bytes and blocks by site, now, at each epoch, and at the peak.
#[derive(Default)]
struct Naive {
    live: Vec<(BlockId, u64, usize)>,
    peak: u64,
    highest: [u64; PLACES],
    at_epochs: Vec<[(u64, u64); PLACES]>,
}

impl Naive {
    fn by_place(&self) -> [(u64, u64); PLACES] {
        let mut sums = [(0, 0); PLACES];
        for &(_, size, place) in &self.live {
            sums[place] = (sums[place].0 + 1, sums[place].1 + size);
        }
        sums
    }

    fn bytes(&self) -> u64 {
        self.live.iter().map(|block| block.1).sum()
    }
}

/// A random process: at how many of the sites it allocates, and what its steps choose.
#[derive(Clone, Debug)]
struct Run {
    few: usize,
    steps: Vec<[u32; 3]>,
}

/// Processes of this many steps; some sites belong to some ranks only.
fn run(steps: std::ops::Range<usize>) -> impl Strategy<Value = Run> {
    let parts = (2..=PLACES, vec(any::<[u32; 3]>(), steps));
    parts.prop_map(|(few, steps)| Run { few, steps })
}

/// Its allocations and releases, with an epoch now and then.
fn process(run: &Run, rank: u32) -> (LogBuilder, Naive) {
    let (mut synth, _, free) = beginning();
    synth.process(700 + rank, 0);
    for epoch in 0..EPOCHS {
        let text = format!("step {epoch}");
        let id = epoch as u32 + 1;
        synth.define(Definition::Text { id, text });
    }
    let epoch = synth.site("aclsan_epoch", 0, -1, &[0x40_1500]);
    let places: Vec<_> = (0..PLACES as u64)
        .map(|place| synth.site("aclrtMalloc", 0, 0, &[0x40_3000 + 0x100 * place, 0x40_2000]))
        .collect();
    let steps = run.steps.len() as u64;
    let mut naive = Naive::default();
    for (step, [action, which, size]) in (0..).zip(run.steps.iter().copied()) {
        synth.at(10 * step);
        if step % (steps / EPOCHS as u64) == 0 && naive.at_epochs.len() < EPOCHS {
            synth.event(7, called(epoch, &[naive.at_epochs.len() as u64 + 1]));
            naive.at_epochs.push(naive.by_place());
        }
        synth.at(10 * step + 5);
        if !naive.live.is_empty() && action % 100 < 45 {
            let at = which as usize % naive.live.len();
            let block = naive.live.swap_remove(at).0;
            synth.event(7, Event::Release { block, site: free });
            continue;
        }
        let place = which as usize % run.few;
        let size = 1 + u64::from(size % (1 << 20));
        let address = 0x12_0000_0000 + step * 0x20_0000;
        let block = synth.allocation(7, places[place], address, size);
        naive.live.push((block, size, place));
        naive.peak = naive.peak.max(naive.bytes());
        let now = naive.by_place()[place].1;
        naive.highest[place] = naive.highest[place].max(now);
    }
    synth.at(10 * steps).event(7, Event::Exit);
    (synth, naive)
}

/// The lower median.
fn middle(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) / 2]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn what_is_reported_of_ranks_equals_a_naive_model(runs in vec(run(10..500), 5..17)) {
        let folder = Folder::new();
        let runs: Vec<Naive> = (0..)
            .zip(&runs)
            .map(|(rank, run)| {
                let (synth, naive) = process(run, rank);
                folder.file(&format!("r{rank:02}.aclsan"), &synth.bytes());
                naive
            })
            .collect();
        let json = folder.run(&["report", "--json", "."]).json();
        let measures = json["ranks"]["measures"].as_array().unwrap();
        let reported = |name: &str| {
            let mut such = measures.iter().filter(|measure| measure["name"] == name);
            let measure = such.next().unwrap();
            ["least", "median", "most", "mad"].map(|which| measure[which].as_u64().unwrap())
        };
        for (name, of) in [
            ("peak_bytes", (|run| run.peak) as fn(&Naive) -> u64),
            ("live_bytes", Naive::bytes),
            ("leaked_bytes", Naive::bytes),
        ] {
            let values: Vec<u64> = runs.iter().map(of).collect();
            let median = middle(&values);
            let apart: Vec<u64> = values.iter().map(|value| value.abs_diff(median)).collect();
            let least = *values.iter().min().unwrap();
            let most = *values.iter().max().unwrap();
            let wanted = [least, median, most, middle(&apart)];
            assert_eq!(reported(name), wanted, "{name}");
        }
        let total: u64 = runs.iter().map(Naive::bytes).sum();
        assert_eq!(json["leaks"]["bytes"], total);
        check_places(&json, &runs);
    }
}

fn check_places(json: &Value, runs: &[Naive]) {
    let sites = json["ranks"]["sites"].as_array().unwrap();
    for place in 0..PLACES {
        let offset = format!("{:#x}", 0x3000 + 0x100 * place);
        let is_it = |site: &&Value| site["allocated"]["frames"][0]["offset"] == offset;
        let peaks: Vec<u64> = runs.iter().map(|run| run.highest[place]).collect();
        let peaks: Vec<u64> = peaks.into_iter().filter(|peak| *peak > 0).collect();
        let Some(site) = sites.iter().find(is_it) else {
            assert!(peaks.len() < 2, "place {place} is told");
            continue;
        };
        let leaked: Vec<u64> = runs.iter().map(|run| run.by_place()[place].1).collect();
        let number = |name: &str| site[name].as_u64().unwrap();
        assert_eq!(number("processes"), peaks.len() as u64);
        let leaking = leaked.iter().filter(|bytes| **bytes > 0).count();
        assert_eq!(number("leaking"), leaking as u64);
        assert_eq!(number("leaked_bytes"), leaked.iter().sum::<u64>());
        assert_eq!(number("least_peak_bytes"), *peaks.iter().min().unwrap());
        assert_eq!(number("median_peak_bytes"), middle(&peaks));
        assert_eq!(number("most_peak_bytes"), *peaks.iter().max().unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn what_changed_between_epochs_equals_a_naive_model(run in run(10..500)) {
        let folder = Folder::new();
        let (synth, naive) = process(&run, 0);
        folder.file("a.aclsan", &synth.bytes());
        for (from, to) in [(0, 2), (1, 4), (3, 3)] {
            let names = [from, to].map(|epoch| format!("step {epoch}"));
            let json = folder
                .run(&[
                    "diff", "--json", "--from", &names[0], "--to", &names[1], "a.aclsan",
                ])
                .json();
            let (old, new) = (naive.at_epochs[from], naive.at_epochs[to]);
            let sum = |of: [(u64, u64); PLACES]| {
                let (blocks, bytes): (Vec<u64>, Vec<u64>) = of.into_iter().unzip();
                (blocks.iter().sum::<u64>(), bytes.iter().sum::<u64>())
            };
            let pair = |name: &str| {
                let reported = &json[name];
                (reported["old"].as_u64().unwrap(), reported["new"].as_u64().unwrap())
            };
            assert_eq!(pair("blocks"), (sum(old).0, sum(new).0));
            assert_eq!(pair("bytes"), (sum(old).1, sum(new).1));
            let changed = (0..PLACES).filter(|&place| old[place] != new[place]);
            let reported = json["places"].as_array().unwrap();
            assert_eq!(reported.len(), changed.count(), "{json:#}");
        }
    }
}
