//! Cheap timestamps: the processor's counter if it runs at one rate on every core, else `CLOCK_MONOTONIC`.

use crate::files;
use crate::racy_once::RacyOnce;
use aclsan_log::layout::{ClockSource, Instant};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Low bits of the x86-64 counter that are dropped. 16 cycles are a few nanoseconds, and most gaps between events then
/// fit in one byte.
const SHIFT: u32 = if cfg!(target_arch = "x86_64") { 4 } else { 0 };

/// What [`ticks`] counts on this machine.
#[inline(always)]
pub fn source() -> ClockSource {
    match SOURCE.load(Relaxed) {
        COUNTER => ClockSource::Counter,
        other => other_source(other),
    }
}

#[cold]
#[inline(never)]
fn other_source(known: u8) -> ClockSource {
    match known {
        MONOTONIC => ClockSource::Monotonic,
        _ => choose_source(),
    }
}

/// 0 until it is known.
static SOURCE: AtomicU8 = AtomicU8::new(0);
const COUNTER: u8 = 1;
const MONOTONIC: u8 = 2;

fn choose_source() -> ClockSource {
    let is_steady = counter_is_steady();
    SOURCE.store(if is_steady { COUNTER } else { MONOTONIC }, Relaxed);
    source()
}

/// The current time in ticks.
#[inline(always)]
pub fn ticks(source: ClockSource) -> u64 {
    match source {
        ClockSource::Counter => counter() >> SHIFT,
        ClockSource::Monotonic => monotonic_ns(),
    }
}

/// A number of ticks that is surely less than 10 µs, whatever the counter's rate: about 1 µs on x86-64, at most 5 µs on
/// aarch64.
pub const QUICK: u64 = if cfg!(target_arch = "x86_64") {
    200
} else {
    100
};

/// The first reading of all clocks. The counter's rate is computed from the time since.
static FIRST: RacyOnce<Instant> = RacyOnce::new();

/// Converts a duration from ticks to nanoseconds. Not for points in time, for which [`monotonic_ns`] is: the rate is as inexact as the time since
/// the first reading is short, and would be multiplied by the time since the machine was started.
#[cold]
pub fn duration_ns(ticks: u64) -> u64 {
    if source() == ClockSource::Monotonic {
        return ticks;
    }
    let now = instant();
    scale(ticks, &FIRST.get().copied().unwrap_or(now), &now)
}

/// By the counter's rate between two readings.
fn scale(ticks: u64, first: &Instant, now: &Instant) -> u64 {
    let counted = now.ticks.saturating_sub(first.ticks).max(1);
    let passed = now.monotonic_ns.saturating_sub(first.monotonic_ns);
    (u128::from(ticks) * u128::from(passed) / u128::from(counted)) as u64
}

/// The current time by `CLOCK_MONOTONIC`.
pub fn monotonic_ns() -> u64 {
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// The current time on all clocks.
pub fn instant() -> Instant {
    let now = read();
    FIRST.get_or_init(|| now);
    now
}

fn read() -> Instant {
    Instant {
        ticks: ticks(source()),
        monotonic_ns: monotonic_ns(),
        realtime_ns: nanoseconds(libc::CLOCK_REALTIME),
    }
}

// Not inlined: most machines only read the counter.
#[inline(never)]
fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes to a local variable.
    unsafe { libc::clock_gettime(clock, &mut time) };
    // A clock may be set before its epoch.
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec as u64)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction. Where the kernel forbids it, `counter_is_steady` returned
    // false.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn counter() -> u64 {
    let count;
    // SAFETY: Linux lets user code read the virtual counter.
    unsafe {
        std::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags))
    };
    count
}

/// Whether the counter can be trusted. On x86-64 the kernel trusts it only where it proved steady and equal on all
/// cores, and we follow its choice.
fn counter_is_steady() -> bool {
    cfg!(target_arch = "aarch64")
        || files::read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .is_some_and(|chosen| {
                matches!(
                    chosen.trim(),
                    "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"
                )
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter of 1 GHz after ten days, and 1 ms later, where the second reading of the clock was 200 ns late.
    #[test]
    fn a_rate_of_a_millisecond_is_exact_enough_for_durations_and_not_for_points_in_time() {
        let days = 10 * 24 * 3600 * 1_000_000_000;
        let reading = |ticks, monotonic_ns| Instant {
            ticks,
            monotonic_ns,
            realtime_ns: 0,
        };
        let (first, now) = (
            reading(days, days),
            reading(days + 1_000_000, days + 1_000_200),
        );
        assert_eq!(scale(10_000, &first, &now), 10_002);
        let off = scale(days, &first, &now) - days;
        assert!(off > 100 * 1_000_000_000, "{off} ns");
    }
}
