//! Samples the live bytes of every allocation site, epoch after epoch, in bounded memory.
//!
//! Which events mark a program's steps is not known in advance. Four clocks run at once, and the best one that ticked often enough is used:
//! named steps, outermost mstx ranges, waits, time.

use std::sync::{Arc, OnceLock};

/// At most this many samples per clock; when full, every second one is dropped and the stride doubles.
const MAX_SAMPLES: usize = 64;
/// Ticks from which a clock of steps or ranges is used; discarding the warm-up is the rule's job.
const MIN_NAMED_TICKS: u64 = 10;
/// The same for waits, which are less likely to be steps.
const MIN_WAITS: u64 = 32;
/// Shorter runs are all warm-up.
const MIN_DURATION_NS: u64 = 60_000_000_000;

/// What a clock counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tick {
    /// `aclsan_epoch`.
    Step,
    /// An outermost mstx range ended.
    Range,
    /// A wait for a stream or device ended.
    Wait,
}

/// Bytes by site, once the accounting has applied all that came before: nobody waits for a sample.
#[derive(Clone, Default, Debug)]
pub struct Sample(Arc<OnceLock<Vec<u64>>>);

impl Sample {
    /// A sample that is known.
    pub fn of(bytes: Vec<u64>) -> Self {
        Self(Arc::new(bytes.into()))
    }

    /// Makes it known.
    pub fn set(&self, bytes: Vec<u64>) {
        let is_first = self.0.set(bytes).is_ok();
        debug_assert!(is_first, "a sample is taken once");
    }

    /// Bytes by site; none if it is not known yet.
    pub fn bytes(&self) -> &[u64] {
        self.0.get().map_or(&[], Vec::as_slice)
    }
}

#[derive(Default)]
struct Clock {
    ticks: u64,
    samples: Vec<Sample>,
    stride: u64,
}

/// All clocks.
#[derive(Default)]
pub struct Growth {
    ticks_by_kind: [Clock; 3],
    /// No sample is due before this time.
    due_ns: u64,
    /// Its stride is in nanoseconds.
    time: Clock,
}

/// The samples of the chosen clock.
pub struct Samples {
    /// What its epochs are called.
    pub epoch: &'static str,
    /// Length of an epoch, if the clock is time.
    pub epoch_ns: Option<u64>,
    /// Epochs seen.
    pub seen: u64,
    /// Epochs between two samples.
    pub stride: u64,
    /// Whether the program named its epochs.
    pub is_named: bool,
    /// One per epoch.
    pub samples: Vec<Sample>,
}

impl Clock {
    fn halve(&mut self) {
        let mut at = 0;
        self.samples.retain(|_| {
            at += 1;
            at % 2 == 1
        });
        self.stride = self.stride.saturating_mul(2);
    }

    fn tick(&mut self, live: impl FnOnce() -> Sample) {
        self.stride = self.stride.max(1);
        if self.ticks.is_multiple_of(self.stride) {
            if self.samples.len() == MAX_SAMPLES {
                self.halve();
            }
            if self.ticks.is_multiple_of(self.stride) {
                self.samples.push(live());
            }
        }
        self.ticks += 1;
    }

    /// Takes the samples due before an event at `ns`. Returns when the next one is due.
    #[inline(never)]
    fn pass(&mut self, ns: u64, mut live: impl FnMut() -> Sample) -> u64 {
        self.stride = self.stride.max(1_000_000);
        let due = |clock: &Self| clock.stride.checked_mul(clock.samples.len() as u64);
        while due(self).is_some_and(|next| next <= ns) {
            match self.samples.len() == MAX_SAMPLES {
                true => self.halve(),
                false => self.samples.push(live()),
            }
        }
        due(self).unwrap_or(u64::MAX)
    }
}

impl Growth {
    /// A clock ticks; `live` returns the bytes of every site.
    pub fn tick(&mut self, tick: Tick, live: impl FnOnce() -> Sample) {
        self.ticks_by_kind[tick as usize].tick(live);
    }

    /// Time passes.
    #[inline]
    pub fn pass(&mut self, ns: u64, live: impl FnMut() -> Sample) {
        if ns >= self.due_ns {
            self.due_ns = self.time.pass(ns, live);
        }
    }

    /// The samples of time by now, and the distance between two of them.
    pub fn slices(&self) -> (u64, &[Sample]) {
        (self.time.stride.max(1), &self.time.samples)
    }

    /// The samples of the best clock; `None` if none ticked often enough.
    pub fn finish(self, ns: u64) -> Option<Samples> {
        let [steps, ranges, waits] = self.ticks_by_kind;
        let of = |clock: Clock, epoch, is_named| Samples {
            epoch,
            epoch_ns: None,
            seen: clock.ticks,
            stride: clock.stride,
            is_named,
            samples: clock.samples,
        };
        let slices = |clock: Clock| Samples {
            epoch_ns: Some(clock.stride),
            seen: clock.samples.len() as u64,
            stride: 1,
            ..of(clock, "time slice", false)
        };
        match () {
            () if steps.ticks >= MIN_NAMED_TICKS => Some(of(steps, "step", true)),
            () if ranges.ticks >= MIN_NAMED_TICKS => Some(of(ranges, "range", true)),
            () if waits.ticks >= MIN_WAITS => Some(of(waits, "wait", false)),
            () if ns >= MIN_DURATION_NS => Some(slices(self.time)),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_ticks_leave_samples_at_one_distance() {
        let mut growth = Growth::default();
        for tick in 0..1000 {
            growth.tick(Tick::Step, || Sample::of(vec![tick]));
        }
        let samples = growth.finish(0).unwrap();
        // 64 samples at strides of 1, 2, 4, 8: full again and again, halved at 64, 128, 256 and 512; at 16 there are 63.
        let ticks: Vec<u64> = samples
            .samples
            .iter()
            .map(|sample| sample.bytes()[0])
            .collect();
        let expected: Vec<u64> = (0..1000).step_by(16).collect();
        assert_eq!(ticks, expected);
        assert_eq!((samples.epoch, samples.is_named), ("step", true));
        assert_eq!((samples.seen, samples.stride), (1000, 16));
    }

    #[test]
    fn time_that_jumps_is_sampled_in_few_steps() {
        let mut growth = Growth::default();
        growth.pass(0, || Sample::of(vec![0]));
        growth.pass(u64::MAX, || Sample::of(vec![1]));
        let samples = growth.finish(u64::MAX).unwrap();
        assert!(samples.samples.len() <= MAX_SAMPLES);
        assert_eq!(samples.epoch, "time slice");
    }

    #[test]
    fn the_programs_own_steps_come_before_waits_and_few_ticks_say_nothing() {
        let mut growth = Growth::default();
        for tick in 0..100 {
            growth.tick(Tick::Wait, || Sample::of(vec![tick]));
        }
        (0..9).for_each(|tick| growth.tick(Tick::Step, || Sample::of(vec![tick])));
        assert_eq!(growth.finish(0).unwrap().epoch, "wait");
        assert!(Growth::default().finish(MIN_DURATION_NS - 1).is_none());
    }
}
