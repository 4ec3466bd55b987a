//! Edges between lines: what is recorded, and who waits for it.

use super::super::epoch::{Point, RECORDS_MOST};
use super::super::slot_map::Rooms;
use super::super::sync_var::Mark;
use super::Lines;
use crate::evidence::race::Lane;

impl Lines {
    /// An event is recorded on a stream: what was recorded before is forgotten. `false` if that is not as plain as it mostly is, and nothing
    /// was done: see [`Lines::record`].
    #[inline(always)]
    pub fn record_plainly(&mut self, event: u64, stream: u64) -> bool {
        let index = self.names.find_again(stream);
        if let Some(line) = self.lines.get_mut(index)
            && line.is_seen
            && let Some(record) = self.events.get_again(event)
        {
            let time = line.step(index, &self.host, &mut self.shelf);
            line.record(Point { line: index, time }, record);
            self.restock();
            return true;
        }
        false
    }

    /// The same, whatever is known of them.
    #[inline(never)]
    pub fn record(&mut self, event: u64, stream: u64, device: i32) {
        self.restock();
        let Some(index) = self.line(stream, device) else {
            return self.record_unknown(event);
        };
        let line = &mut self.lines[index];
        let time = line.step(index, &self.host, &mut self.shelf);
        if !line.is_seen {
            return self.record_unknown(event);
        }
        if let Some(record) = self.events.entry_within(event, RECORDS_MOST) {
            line.record(Point { line: index, time }, record);
        }
    }

    /// An event is recorded where nobody knows what comes before it: on a graph.
    #[inline(never)]
    pub fn record_unknown(&mut self, event: u64) {
        let mark = self.anything();
        self.restock();
        if let Some(known) = self.events.entry_within(event, RECORDS_MOST) {
            *known = mark.record(&mut self.shelf);
        }
    }

    /// A stream waits for an event. `false` if that is not as plain as it mostly is, and nothing was done: see [`Lines::wait`].
    #[inline(always)]
    pub fn wait_plainly(&mut self, stream: u64, event: u64) -> bool {
        let index = self.names.find_again(stream);
        if let Some(line) = self.lines.get_mut(index)
            && line.is_seen
            && let Some(record) = self.events.get_again(event)
        {
            line.take(index, record, &mut self.shelf);
            line.step(index, &self.host, &mut self.shelf);
            self.restock();
            return true;
        }
        false
    }

    /// The same, whatever is known of them.
    #[inline(never)]
    pub fn wait(&mut self, stream: u64, device: i32, event: u64) {
        self.restock();
        let line = self.line(stream, device);
        match (line, self.events.get(event)) {
            (Some(index), Some(record)) if self.lines[index].is_seen => {
                let line = &mut self.lines[index];
                line.take(index, record, &mut self.shelf);
                line.step(index, &self.host, &mut self.shelf);
            }
            _ => self.wait_for(stream, device, None),
        }
    }

    /// A stream waits for something that anything may bring about.
    pub fn wait_for_anything(&mut self, stream: u64, device: i32) {
        self.wait_for(stream, device, None);
    }

    /// A stream waits for what a record has left; without one, for anything.
    #[inline(never)]
    pub fn wait_for(&mut self, stream: u64, device: i32, mark: Option<Mark>) {
        let mark = mark.unwrap_or_else(|| self.anything());
        self.restock();
        if let Some(index) = self.line(stream, device) {
            let record = mark.record(&mut self.shelf);
            let line = &mut self.lines[index];
            line.take(index, &record, &mut self.shelf);
            line.step(index, &self.host, &mut self.shelf);
            if !line.is_seen {
                self.has_unseen_waits = true;
                let defaults = self.lines.iter_mut();
                let defaults = defaults.filter(|line| matches!(line.lane, Lane::Default(_)));
                defaults.for_each(|line| line.is_doubtful = true);
            }
        }
    }

    /// The host waited for an event, or found it complete. One whose record was not seen may be another process's, or another thread is
    /// about to tell of it.
    pub fn synchronise_event(&mut self, event: u64) {
        self.restock();
        match self.events.get(event).filter(|known| !known.is_doubtful) {
            Some(record) => self.host.learn(record, &mut self.shelf),
            None => self.learn_anything(),
        }
    }

    /// The host knows that everything is done.
    pub(super) fn learn_anything(&mut self) {
        self.restock();
        let record = self.anything().record(&mut self.shelf);
        self.host.learn(&record, &mut self.shelf);
    }

    /// An event was destroyed.
    pub fn forget_event(&mut self, event: u64) {
        self.events.remove(event);
    }

    /// A notify is recorded on a stream.
    pub fn notify(&mut self, notify: u64, stream: u64, device: i32) {
        let mark = self.mark(stream, device);
        match self.notifies.get(notify) {
            Some(all) => all.join(&mark),
            None => self.put_notify(notify, mark),
        }
    }

    /// A notify is recorded by a graph, whenever that runs.
    pub fn notify_unknown(&mut self, notify: u64) {
        self.put_notify(notify, self.anything());
    }

    fn put_notify(&mut self, notify: u64, mark: Mark) {
        if let Some(known) = self.notifies.entry_within(notify, RECORDS_MOST) {
            *known = mark;
        }
    }

    /// A stream waits for a notify and resets it. Which of several records it takes is not known: the wait is after all of them.
    pub fn wait_for_notify(&mut self, notify: u64, stream: u64, device: i32) {
        let mark = self.notifies.remove(notify);
        self.wait_for(stream, device, mark);
    }

    /// Notifies were reset.
    pub fn forget_notifies(&mut self) {
        self.notifies = Rooms::default();
    }

    /// A notify was destroyed.
    pub fn forget_notify(&mut self, notify: u64) {
        self.notifies.remove(notify);
    }
}
