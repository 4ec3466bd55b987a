//! Growth by each of the four clocks, and what only looks like growth. Blocks of 1 MiB are live at multiples of 2 MiB.

use super::*;
use aclsan_render::model::Growth;

/// A program with calls that tick.
struct Steps {
    story: Story,
    wait: CallSiteId,
    count: u64,
    kept: Vec<BlockId>,
}

#[derive(Clone, Copy)]
enum Tick {
    Step,
    Range,
    Wait,
    Second,
}

impl Steps {
    fn new() -> Self {
        let mut story = Story::new();
        let wait = story.synth.site("aclrtSynchronizeStream", 0, 0, &[0x900]);
        Self {
            story,
            wait,
            count: 0,
            kept: Vec::new(),
        }
    }

    fn grow(&mut self) {
        self.count += 1;
        let block = self.story.allocate(self.count << 21, MIB);
        self.kept.push(block);
    }

    fn shrink(&mut self) {
        let block = self.kept.pop().unwrap();
        self.story.release(block);
    }

    fn tick(&mut self, tick: Tick) {
        let (synth, count) = (&mut self.story.synth, self.count);
        match tick {
            Tick::Step => {
                let site = synth.site("aclsan_epoch", 0, 0, &[0x910]);
                self.story.call(site, 0);
            }
            Tick::Range => {
                let begin = synth.site("mstxRangeStartA", 0, 0, &[0x920]);
                let end = synth.site("mstxRangeEnd", 0, 0, &[0x930]);
                // A nested range does not tick.
                let call = |site, values: &[u64]| Event::Call {
                    site,
                    values: Values::new(values),
                    status: 0,
                };
                let (outer, inner) = (2 * count, 2 * count + 1);
                for range in [outer, inner] {
                    self.story.event(call(begin, &[0, 0, 0, range]));
                }
                for range in [inner, outer] {
                    self.story.event(call(end, &[0, range]));
                }
            }
            Tick::Wait => {
                let site = self.wait;
                self.story.call(site, 0x77);
            }
            Tick::Second => {}
        }
    }

    /// Runs `epochs` epochs: `step`, then a tick.
    fn run(mut self, tick: Tick, epochs: u64, mut step: impl FnMut(&mut Self, u64)) -> Replay {
        for n in 0..epochs {
            let each = match tick {
                Tick::Second => 1_000_000_000,
                _ => 1000,
            };
            self.story.at(n * each);
            step(&mut self, n);
            self.tick(tick);
        }
        if let Tick::Second = tick {
            self.story.at(epochs * 1_000_000_000);
        }
        self.story.end()
    }

    fn end_empty(mut self, tick: Tick, epochs: u64) -> Replay {
        for n in 0..epochs {
            self.story.at(n * 1000);
            self.grow();
            self.tick(tick);
        }
        while !self.kept.is_empty() {
            self.shrink();
        }
        self.story.end()
    }
}

fn grown(replay: &Replay) -> (String, Growth) {
    let found = &only(replay, "leak-growing").finding;
    let growth = found.growth.as_deref().expect("its numbers");
    (found.message.clone(), Growth::from(growth))
}

fn is_silent(replay: &Replay) -> bool {
    rules(replay)
        .iter()
        .all(|(rule, _)| *rule != "leak-growing")
}

#[test]
fn each_clock_reports_a_block_an_epoch() {
    // 40 ticks leave 40 samples of 1 to 40 MiB; a quarter is warm-up: from 11 to 40 MiB in 29 steps of 1 MiB.
    for (tick, name, confidence) in [
        (Tick::Step, "step", "High"),
        (Tick::Range, "range", "High"),
        (Tick::Wait, "wait", "Medium"),
    ] {
        let replay = Steps::new().run(tick, 40, |steps, _| steps.grow());
        let (message, growth) = grown(&replay);
        let expected =
            format!("live memory grew from 11534336 bytes to 41943040 bytes over 29 {name}s");
        assert_eq!(message, expected);
        assert_eq!((growth.epoch, growth.epoch_ns), (name, None));
        assert_eq!(
            (growth.epochs_seen, growth.warm_up, growth.stride),
            (40, 10, 1)
        );
        assert_eq!((growth.steps, growth.rises, growth.falls), (29, 29, 0));
        assert_eq!((growth.slope_bytes, growth.r2_percent), (MIB, 100));
        assert_eq!(format!("{:?}", growth.confidence), confidence);
    }
}

#[test]
fn without_any_epoch_time_is_cut_in_equal_slices() {
    // A block a second for 64 s. Slices double from 1 ms until 64 are enough: 1024 ms, 63 samples, at 0 to 62 times 1.024 s. Before second n
    // there are n blocks, so a sample at t s has as many as there are whole numbers below t. 15 are warm-up: at 15.36 s there are 16 blocks,
    // at 63.488 s 64.
    let replay = Steps::new().run(Tick::Second, 64, |steps, _| steps.grow());
    let (message, growth) = grown(&replay);
    assert_eq!(
        message,
        "live memory grew from 16777216 bytes to 67108864 bytes over 47 time slices"
    );
    assert_eq!(growth.epoch_ns, Some(1_024_000_000));
    assert_eq!((growth.epochs_seen, growth.warm_up), (63, 15));
    // 48 MiB in 47 slices; of a line that gains a second block once in 41.7 slices.
    assert!((growth.slope_bytes as f64 / MIB as f64 - 1.024).abs() < 0.01);
    assert_eq!(format!("{:?}", growth.confidence), "Medium");
}

#[test]
fn half_a_mebibyte_every_other_step_is_stairs() {
    // 16 samples of 1 1 2 2 ... 8 8 MiB; 4 are warm-up: 3 3 4 4 5 5 6 6 7 7 8 8, 5 of 11 steps rise.
    let replay = Steps::new().run(Tick::Step, 16, |steps, n| {
        if n % 2 == 0 {
            steps.grow();
        }
    });
    let (message, growth) = grown(&replay);
    assert_eq!(
        message,
        "live memory grew from 3145728 bytes to 8388608 bytes over 11 steps"
    );
    assert_eq!((growth.rises, growth.falls), (5, 0));
    // x 0 to 11, y 3 3 4 4 5 5 6 6 7 7 8 8: xx 143; xy 70, yy 35 (means 5.5 and 5.5). Slope 70/143 MiB, R² 4900/5005 = 0.979.
    assert_eq!(growth.slope_bytes, 70 * MIB / 143);
    assert_eq!(growth.r2_percent, 97);
    assert_eq!(format!("{:?}", growth.confidence), "Low"); // 11 steps
}

#[test]
fn what_fills_swings_warms_up_or_is_short_is_silent_by_every_clock() {
    for tick in [Tick::Step, Tick::Range, Tick::Wait, Tick::Second] {
        let all = match tick {
            Tick::Second => 64,
            _ => 40,
        };
        let fills = Steps::new().run(tick, all, |steps, n| {
            if n < all * 3 / 4 {
                steps.grow();
            }
        });
        assert!(is_silent(&fills), "a cache that fills and stops");
        let saw = Steps::new().run(tick, all, |steps, n| match n % 8 {
            7 => (0..7).for_each(|_| steps.shrink()),
            _ => steps.grow(),
        });
        assert!(is_silent(&saw), "a saw");
        let warms = Steps::new().run(tick, all, |steps, n| {
            if n < all / 4 {
                steps.grow();
            }
        });
        assert!(is_silent(&warms), "a warm-up");
        let few = Steps::new().run(tick, 8, |steps, _| steps.grow());
        assert!(is_silent(&few), "few epochs");
    }
}

#[test]
fn growth_that_is_released_at_the_end_is_reported_for_named_epochs_only() {
    // A service has no end; a program that waits 40 times may collect its results until then.
    for (tick, is_reported) in [(Tick::Step, true), (Tick::Range, true), (Tick::Wait, false)] {
        let replay = Steps::new().end_empty(tick, 40);
        assert_eq!(!is_silent(&replay), is_reported);
    }
    let mut results = Steps::new();
    for n in 0..64 {
        results.story.at(n * 1_000_000_000);
        results.grow();
    }
    results.story.at(64_000_000_000);
    while !results.kept.is_empty() {
        results.shrink();
    }
    assert!(is_silent(&results.story.end()));
}

#[test]
fn parts_that_are_released_at_the_end_are_named_where_their_pools_keep_their_blocks() {
    let mut steps = Steps::new();
    let call = |steps: &mut Steps, function: &str, values: &[u64]| {
        let site = steps.story.synth.site(function, 0, 0, &[0x700]);
        steps.story.event(Event::Call {
            site,
            values: Values::new(values),
            status: 0,
        });
    };
    for n in 1..=40 {
        steps.story.at(n * 1000);
        steps.grow();
        call(&mut steps, "aclsan_pool_create", &[n, 0, n << 21, MIB]);
        call(&mut steps, "aclsan_pool_alloc", &[n, n << 21, MIB - 512, 0]);
        steps.tick(Tick::Wait);
    }
    for n in 1..=40 {
        call(&mut steps, "aclsan_pool_free", &[n, n << 21]);
    }
    let replay = steps.story.end();
    let found = &only(&replay, "leak-growing").finding;
    let is_about_parts = |detail: &String| detail.starts_with("sub-blocks of ");
    assert!(found.details.iter().any(is_about_parts), "{found:?}");
}
