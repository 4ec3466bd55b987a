//! Time, cheaply: the processor's own counter where it runs at one rate on every core, else `CLOCK_MONOTONIC`.

use crate::files;
use crate::racy_once::RacyOnce;
use aclsan_log::layout::{ClockSource, Instant};
use std::sync::OnceLock;

/// Low bits of the x86-64 counter that are dropped: 16 cycles are a few nanoseconds, and one byte then holds most gaps between events.
const SHIFT: u32 = if cfg!(target_arch = "x86_64") { 4 } else { 0 };

/// What [`ticks`] counts on this machine.
pub fn source() -> ClockSource {
    static SOURCE: OnceLock<ClockSource> = OnceLock::new();
    *SOURCE.get_or_init(|| {
        if counter_is_steady() {
            ClockSource::Counter
        } else {
            ClockSource::Monotonic
        }
    })
}

/// Now.
#[inline(always)]
pub fn ticks(source: ClockSource) -> u64 {
    match source {
        ClockSource::Counter => counter() >> SHIFT,
        ClockSource::Monotonic => nanoseconds(libc::CLOCK_MONOTONIC),
    }
}

/// Ticks that are surely less than 10 µs, whatever the counter's rate: about a microsecond on x86-64, no more than 5 on aarch64.
pub const QUICK: u64 = if cfg!(target_arch = "x86_64") {
    200
} else {
    100
};

/// What the clocks said first: the counter's rate is learnt from the time since.
static FIRST: RacyOnce<Instant> = RacyOnce::new();

/// A stretch of ticks in nanoseconds.
#[cold]
pub fn nanoseconds_of(ticks: u64) -> u64 {
    if source() == ClockSource::Monotonic {
        return ticks;
    }
    let now = instant();
    let first = FIRST.get().copied().unwrap_or(now);
    let counted = now.ticks.saturating_sub(first.ticks).max(1);
    let passed = now.monotonic_ns.saturating_sub(first.monotonic_ns);
    (u128::from(ticks) * u128::from(passed) / u128::from(counted)) as u64
}

/// Now, on all clocks.
pub fn instant() -> Instant {
    let now = read();
    FIRST.get_or_init(|| now);
    now
}

fn read() -> Instant {
    Instant {
        ticks: ticks(source()),
        monotonic_ns: nanoseconds(libc::CLOCK_MONOTONIC),
        realtime_ns: nanoseconds(libc::CLOCK_REALTIME),
    }
}

fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes into our own variable.
    unsafe { libc::clock_gettime(clock, &mut time) };
    // A clock may be set to before its beginning.
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec as u64)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction; where the kernel forbids it, `counter_is_steady` has said no.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn counter() -> u64 {
    let count;
    // SAFETY: Linux lets programs read the virtual counter.
    unsafe {
        std::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags))
    };
    count
}

/// The kernel itself trusts the counter of x86-64 only where it proved steady and equal on all cores; its choice is ours.
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
