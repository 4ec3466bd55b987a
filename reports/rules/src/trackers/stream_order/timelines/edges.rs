//! Edges between timelines: who releases, and who acquires.

use super::super::epoch::{Epoch, MAX_RECORDS};
use super::super::slot_map::SlotMap;
use super::super::sync_var::{EventRecord, SyncVar};
use super::HappensBefore;
use crate::evidence::race::TimelineKind;

impl HappensBefore {
    /// An event was created that nobody has recorded: a wait for it returns at once, and orders nothing.
    pub fn create_event(&mut self, event: u64) {
        if let Some(record) = self.events.entry_bounded(event, MAX_RECORDS) {
            *record = EventRecord::default();
        }
    }

    /// A stream records an event, replacing the earlier record. Fast path: returns `false` without doing anything if
    /// stream or event are not plain; then call [`HappensBefore::release`].
    #[inline(always)]
    pub fn release_fast(&mut self, event: u64, stream: u64) -> bool {
        let index = self.names.find_cached(stream);
        if let Some(timeline) = self.timelines.get_mut(index)
            && timeline.is_creation_seen
            && let Some(record) = self.events.get_cached(event)
        {
            let time = timeline.advance(index, &self.host, &mut self.pool);
            timeline.release_to(
                Epoch {
                    timeline: index,
                    time,
                },
                record,
            );
            self.collect_unused();
            return true;
        }
        false
    }

    /// [`HappensBefore::release_fast`] for any stream and event.
    #[inline(never)]
    pub fn release(&mut self, event: u64, stream: u64, device: i32) {
        self.collect_unused();
        let Some(index) = self.timeline(stream, device) else {
            return self.release_unknown(event);
        };
        let timeline = &mut self.timelines[index];
        let time = timeline.advance(index, &self.host, &mut self.pool);
        if !timeline.is_creation_seen {
            return self.release_unknown(event);
        }
        if let Some(record) = self.events.entry_bounded(event, MAX_RECORDS) {
            timeline.release_to(
                Epoch {
                    timeline: index,
                    time,
                },
                record,
            );
        }
    }

    /// An event is recorded at an unknown position: in a graph.
    #[inline(never)]
    pub fn release_unknown(&mut self, event: u64) {
        let sync_var = self.everything();
        self.collect_unused();
        if let Some(known) = self.events.entry_bounded(event, MAX_RECORDS) {
            *known = sync_var.to_record(&mut self.pool);
        }
    }

    /// A stream waits for an event. Fast path: returns `false` without doing anything if stream or event are not plain;
    /// then call [`HappensBefore::acquire`].
    #[inline(always)]
    pub fn acquire_fast(&mut self, stream: u64, event: u64) -> bool {
        let index = self.names.find_cached(stream);
        if let Some(timeline) = self.timelines.get_mut(index)
            && timeline.is_creation_seen
            && let Some(record) = self.events.get_cached(event)
        {
            timeline.acquire(index, record, &mut self.pool);
            timeline.advance(index, &self.host, &mut self.pool);
            self.collect_unused();
            return true;
        }
        false
    }

    /// [`HappensBefore::acquire_fast`] for any stream and event.
    #[inline(never)]
    pub fn acquire(&mut self, stream: u64, device: i32, event: u64) {
        self.collect_unused();
        let timeline = self.timeline(stream, device);
        match (timeline, self.events.get(event)) {
            (Some(index), Some(record)) if self.timelines[index].is_creation_seen => {
                let timeline = &mut self.timelines[index];
                timeline.acquire(index, record, &mut self.pool);
                timeline.advance(index, &self.host, &mut self.pool);
            }
            _ => self.acquire_sync_var(stream, device, None),
        }
    }

    /// A stream waits for something that anything may signal.
    pub fn acquire_all(&mut self, stream: u64, device: i32) {
        self.acquire_sync_var(stream, device, None);
    }

    /// A stream acquires a sync variable; everything, if there is none.
    #[inline(never)]
    pub fn acquire_sync_var(&mut self, stream: u64, device: i32, sync_var: Option<SyncVar>) {
        let sync_var = sync_var.unwrap_or_else(|| self.everything());
        self.collect_unused();
        if let Some(index) = self.timeline(stream, device) {
            let record = sync_var.to_record(&mut self.pool);
            let timeline = &mut self.timelines[index];
            timeline.acquire(index, &record, &mut self.pool);
            timeline.advance(index, &self.host, &mut self.pool);
            if !timeline.is_creation_seen {
                self.has_waits_of_unseen = true;
                let defaults = self.timelines.iter_mut();
                let defaults =
                    defaults.filter(|timeline| matches!(timeline.kind, TimelineKind::Default(_)));
                defaults.for_each(|timeline| timeline.is_uncertain = true);
            }
        }
    }

    /// The host waited for an event, or a query found it complete. An event without a seen record may be another
    /// process's, or another thread is about to report the record.
    pub fn acquire_host_event(&mut self, event: u64) {
        self.collect_unused();
        match self.events.get(event).filter(|known| !known.is_uncertain) {
            Some(record) => self.host.acquire(record, &mut self.pool),
            None => self.acquire_host_all(),
        }
    }

    /// The host acquires everything.
    pub(super) fn acquire_host_all(&mut self) {
        self.collect_unused();
        let record = self.everything().to_record(&mut self.pool);
        self.host.acquire(&record, &mut self.pool);
    }

    /// An event was destroyed.
    pub fn forget_event(&mut self, event: u64) {
        self.events.remove(event);
    }

    /// A stream records a notify.
    pub fn release_notify(&mut self, notify: u64, stream: u64, device: i32) {
        let sync_var = self.sync_var(stream, device);
        match self.notifies.get(notify) {
            Some(all) => all.join(&sync_var),
            None => self.store_notify(notify, sync_var),
        }
    }

    /// A graph records a notify, at some later time.
    pub fn release_notify_unknown(&mut self, notify: u64) {
        self.store_notify(notify, self.everything());
    }

    fn store_notify(&mut self, notify: u64, sync_var: SyncVar) {
        if let Some(known) = self.notifies.entry_bounded(notify, MAX_RECORDS) {
            *known = sync_var;
        }
    }

    /// A stream waits for a notify and resets it. It is unknown which of several records the wait takes, so it acquires
    /// all of them.
    pub fn acquire_notify(&mut self, notify: u64, stream: u64, device: i32) {
        let sync_var = self.notifies.remove(notify);
        self.acquire_sync_var(stream, device, sync_var);
    }

    /// All notifies were reset.
    pub fn forget_notifies(&mut self) {
        self.notifies = SlotMap::default();
    }

    /// A notify was destroyed.
    pub fn forget_notify(&mut self, notify: u64) {
        self.notifies.remove(notify);
    }
}
