//! Timelines and the edges between them: vector clocks over the host and its streams.
//!
//! Acquires copy whole clocks, so a clock that includes some time of a timeline includes everything the timeline knew
//! then. One number is therefore often enough to see that nothing new is acquired, and no clocks are compared:
//! FastTrack's epochs (Flanagan and Freund, PLDI 2009), applied to edges as well.

mod edges;

use super::epoch::{Epoch, HOST, MAX_TIMELINES};
use super::host_clock::HostClock;
use super::shared_clock::ClockPool;
use super::slot_map::{Index, SlotMap};
use super::sync_var::{EventRecord, SyncVar};
use super::timeline::{StreamTail, Timeline};
use crate::api::fast_hash::FastMap;
use crate::evidence::race::TimelineKind;

/// The happens-before relation of one process.
#[derive(Default)]
pub(super) struct HappensBefore {
    host: HostClock,
    timelines: Vec<Timeline>,
    names: Index<u64>,
    /// Timelines of default streams, by device.
    defaults: FastMap<i32, usize>,
    /// Handles that are known to mean a default stream.
    default_aliases: Vec<u64>,
    free: Vec<usize>,
    /// Clocks of timelines and event records.
    pool: ClockPool,
    events: SlotMap<u64, EventRecord>,
    /// Records of notifies that nothing has waited for yet.
    notifies: SlotMap<u64, SyncVar>,
    /// Whether a stream that was not seen created has waited: it may have been a default stream under a handle.
    has_waits_of_unseen: bool,
    made: u32,
}

impl HappensBefore {
    /// A stream was created on `device`.
    pub fn create(&mut self, stream: u64, device: i32) {
        self.destroy(stream);
        self.made += 1;
        if let Some(timeline) = self.add(stream, device) {
            self.timelines[timeline].is_creation_seen = true;
            self.timelines[timeline].kind = TimelineKind::Stream(self.made);
        }
    }

    /// A stream was destroyed: its work has completed or was dropped.
    pub fn destroy(&mut self, stream: u64) {
        if stream == 0 {
            return;
        }
        let timeline = self.names.remove(stream);
        if let Some(at) = self.default_aliases.iter().position(|&name| name == stream) {
            self.default_aliases.swap_remove(at);
            return; // The default stream goes on.
        }
        if let Some(timeline) = timeline {
            let timeline = timeline as usize;
            self.acquire_host_timeline(timeline);
            self.timelines[timeline].is_creation_seen = true; // Nothing about it is unknown any more.
            self.free.push(timeline);
        }
    }

    /// `stream` is a handle of the default stream of `device`.
    pub fn alias_default(&mut self, stream: u64, device: i32) {
        if self.default_aliases.contains(&stream) {
            return;
        }
        self.destroy(stream);
        if let Some(timeline) = self.timeline(0, device).filter(|_| stream != 0) {
            self.names.put(stream, timeline as u32);
            self.default_aliases.push(stream);
        }
    }

    /// From here on, handles of default streams may mean another context's default stream, or other streams.
    pub fn forget_default_aliases(&mut self) {
        for stream in std::mem::take(&mut self.default_aliases) {
            self.names.remove(stream);
        }
    }

    fn add(&mut self, stream: u64, device: i32) -> Option<usize> {
        let timeline = self.free.pop().unwrap_or(self.timelines.len().max(1));
        if timeline >= MAX_TIMELINES {
            return None;
        }
        if self.timelines.len() <= timeline {
            self.timelines.resize_with(timeline + 1, Timeline::default);
        }
        // The index may be reused from a stream whose work has completed; time continues from there.
        self.timelines[timeline] = Timeline {
            now: self.pool.get(&self.host.clock, timeline),
            kind: TimelineKind::Default(device),
            device,
            is_uncertain: stream == 0 && self.has_waits_of_unseen,
            ..Timeline::default()
        };
        match stream {
            0 => drop(self.defaults.insert(device, timeline)),
            _ => self.names.put(stream, timeline as u32),
        }
        Some(timeline)
    }

    /// The timeline of a stream. Each device has one default stream; if the device is unknown, it may be any of them.
    fn timeline(&mut self, stream: u64, device: i32) -> Option<usize> {
        let timeline = self.names.find(stream);
        match timeline < self.timelines.len() {
            true => Some(timeline),
            false => self.find_line(stream, device),
        }
    }

    /// The timeline of a stream that was created or used.
    pub fn known(&mut self, stream: u64, device: i32) -> Option<usize> {
        match stream {
            0 => self.defaults.get(&device).copied(),
            _ => Some(self.names.find(stream)).filter(|&at| at < self.timelines.len()),
        }
    }

    #[inline(never)]
    fn find_line(&mut self, stream: u64, device: i32) -> Option<usize> {
        if stream == 0 && device < 0 {
            return None;
        }
        if stream == 0
            && let Some(&timeline) = self.defaults.get(&device)
        {
            return Some(timeline);
        }
        let timeline = self.add(stream, device)?;
        self.timelines[timeline].is_creation_seen = stream == 0;
        Some(timeline)
    }

    /// Where an operation queued on a stream goes, if the stream's order is fully known. `None` also if more has to be
    /// done first.
    #[inline(always)]
    pub fn tail(&mut self, stream: u64) -> Option<StreamTail<'_>> {
        self.collect_unused();
        let index = self.names.find_cached(stream);
        let timeline = self.timelines.get_mut(index)?;
        let is_known = timeline.is_creation_seen && !timeline.is_uncertain;
        is_known.then_some(StreamTail {
            index,
            timeline,
            host: &self.host,
            pool: &mut self.pool,
        })
    }

    /// Queues an operation on a stream. `None` if its order is unknown.
    #[inline]
    pub fn push(&mut self, stream: u64, device: i32) -> Option<Epoch> {
        self.collect_unused();
        let index = self.timeline(stream, device)?;
        let timeline = &mut self.timelines[index];
        let time = timeline.advance(index, &self.host, &mut self.pool);
        let is_known = timeline.is_creation_seen && !timeline.is_uncertain;
        is_known.then_some(Epoch {
            timeline: index,
            time,
        })
    }

    /// Whether `earlier` has completed before the next operation of `timeline`.
    #[inline]
    pub fn is_before(&self, earlier: Epoch, timeline: usize) -> bool {
        if earlier.timeline == timeline {
            return true;
        }
        let known = match timeline {
            HOST => &self.host.clock,
            timeline => &self.timelines[timeline].clock,
        };
        earlier.time <= self.pool.get(known, earlier.timeline)
    }

    /// Counts what the host has acquired.
    #[inline]
    pub fn host_version(&self) -> u64 {
        self.host.version
    }

    /// Capacity in timelines and records.
    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.timelines.len() + self.events.count() + self.notifies.count()
    }

    /// Capacity in clocks.
    #[cfg(test)]
    pub fn clock_capacity(&self) -> usize {
        self.pool.count()
    }

    /// The time of the last operation that was queued on a timeline.
    pub fn now(&self, timeline: usize) -> u64 {
        self.timelines
            .get(timeline)
            .map_or(0, |timeline| timeline.now)
    }

    /// The kind of a timeline, for reports.
    #[inline]
    pub fn kind_of(&self, timeline: usize) -> TimelineKind {
        match timeline {
            HOST => TimelineKind::Host,
            timeline => self.timelines[timeline].kind,
        }
    }

    /// The host acquires a timeline: everything queued on it has completed, and so has everything that waited for. If
    /// the latter is unknown, it may have been anything.
    fn acquire_host_timeline(&mut self, index: usize) {
        let known = &mut self.timelines[index];
        let is_certain = known.is_creation_seen && !known.is_uncertain;
        known.is_uncertain = false;
        if !is_certain {
            return self.acquire_host_all();
        }
        self.collect_unused();
        let (timeline, pool) = (&self.timelines[index], &mut self.pool);
        if pool.get(&self.host.clock, index) < timeline.now {
            self.host
                .acquire_clock(&timeline.clock, timeline.version, pool);
            let time = timeline.now;
            pool.set_max(
                &mut self.host.clock,
                Epoch {
                    timeline: index,
                    time,
                },
            );
        }
    }

    /// The host waited for a stream, or a query found it complete.
    pub fn acquire_host(&mut self, stream: u64, device: i32) {
        let timeline = self.names.find(stream);
        if timeline < self.timelines.len() {
            return self.acquire_host_timeline(timeline);
        }
        // Neither seen created nor used: a timeline for it would never be freed.
        if stream != 0 {
            return self.acquire_host_all();
        }
        match self.find_line(stream, device) {
            Some(timeline) => self.acquire_host_timeline(timeline),
            None => self
                .acquire_host_all_of(|timeline| matches!(timeline.kind, TimelineKind::Default(_))),
        }
    }

    /// The host waited for all streams of `device`; for those of all devices if it is unknown.
    pub fn acquire_host_device(&mut self, device: i32) {
        self.acquire_host_all_of(|timeline| {
            device < 0 || timeline.device < 0 || timeline.device == device
        });
    }

    fn acquire_host_all_of(&mut self, is_meant: impl Fn(&Timeline) -> bool) {
        for timeline in 1..self.timelines.len() {
            if is_meant(&self.timelines[timeline]) {
                self.acquire_host_timeline(timeline);
            }
        }
    }

    /// Everything queued on `stream` so far, as a sync variable.
    pub fn sync_var(&mut self, stream: u64, device: i32) -> SyncVar {
        self.collect_unused();
        let Some(index) = self.timeline(stream, device) else {
            return self.everything();
        };
        let timeline = &mut self.timelines[index];
        let time = timeline.advance(index, &self.host, &mut self.pool);
        if !timeline.is_creation_seen {
            return self.everything();
        }
        let mut clock = self.pool.to_vector_clock(&timeline.clock);
        clock.set(index, time);
        SyncVar {
            clock,
            version: timeline.version,
            is_uncertain: timeline.is_uncertain,
        }
    }

    /// Everything queued anywhere, and possibly more. No clock is ahead of a timeline's own time.
    fn everything(&self) -> SyncVar {
        let mut sync_var = SyncVar {
            is_uncertain: true,
            ..SyncVar::default()
        };
        for (at, timeline) in self.timelines.iter().enumerate() {
            sync_var.clock.set(at, timeline.now);
        }
        sync_var
    }

    /// Called before or after anything that may take another clock from the pool.
    #[inline(always)]
    fn collect_unused(&mut self) {
        if self.pool.is_low() {
            self.collect_unused_now();
        }
    }

    #[inline(never)]
    fn collect_unused_now(&mut self) {
        let of_timelines = self.timelines.iter().map(|timeline| &timeline.clock);
        let of_events = self.events.all().map(|record| &record.clock);
        let of_all = of_timelines.chain(of_events).chain([&self.host.clock]);
        self.pool.collect_unused(of_all);
    }
}
