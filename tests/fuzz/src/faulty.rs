//! A log with findings and leaks, for suppressions and settings.

use std::sync::Once;

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Event, Mapping};

use crate::command;

/// Writes `faulty.aclsan` on the first call.
pub fn once() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut synth = LogBuilder::default();
        let allocates = synth.site("aclrtMalloc", 0, 0, &[0x1000, 0x2000]);
        let releases = synth.site("aclrtFree", 0, 0, &[0x1100, 0x2000]);
        synth.allocation(1, allocates, 0x10_0000, 4096);
        let again = Event::ReleaseAt {
            site: releases,
            address: 0x10_0010,
            mapping: Mapping::Unknown,
        };
        synth.event(1, again).event(1, Event::Exit);
        command::file("faulty.aclsan", &synth.bytes());
    });
}
