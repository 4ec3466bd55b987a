//! Lines and the edges between them: vector clocks over the host and its streams.
//!
//! Whole clocks are taken over, so one that knows a line up to some time knows all that this line knew then. What is new is often plain from
//! one number, and then nothing is compared: FastTrack's epochs (Flanagan and Freund, PLDI 2009), for edges too.

use super::clash::Lane;
use super::host::Host;
use super::known::Shelf;
use super::line::Line;
use super::marks::{Mark, Record};
use super::rooms::Rooms;
use crate::numbers::ByNumber;

/// An operation's place: the `time`-th of its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Point {
    pub line: usize,
    pub time: u64,
}

/// The host's line.
pub(super) const HOST: usize = 0;

/// Streams that are followed at once, and records that are kept: each record may know of each stream, so a log that claims a million of
/// either would cost terabytes. What is beyond is like what was not seen: nothing is said of its order.
const LINES_MOST: usize = 1024;
const RECORDS_MOST: usize = 8192;

/// All of them.
#[derive(Default)]
pub(super) struct Lines {
    host: Host,
    lines: Vec<Line>,
    names: Rooms<u64, usize>,
    /// The default streams' lines, by device.
    defaults: ByNumber<i32, usize>,
    free: Vec<usize>,
    /// What lines and records of events know.
    shelf: Shelf,
    events: Rooms<u64, Record>,
    /// Records of notifies that nothing has waited for yet.
    notifies: Rooms<u64, Mark>,
    /// Whether a stream waited that was not seen made: it may have been a default stream by its handle.
    has_unseen_waits: bool,
    made: u32,
}

impl Lines {
    /// A stream was made on `device`.
    pub fn made(&mut self, stream: u64, device: i32) {
        self.gone(stream);
        self.made += 1;
        if let Some(line) = self.add(stream, device) {
            self.lines[line].is_seen = true;
            self.lines[line].lane = Lane::Stream(self.made);
        }
    }

    /// A stream was destroyed: its work is done, or dropped.
    pub fn gone(&mut self, stream: u64) {
        if stream == 0 {
            return;
        }
        if let Some(line) = self.names.remove(stream) {
            self.learn(line);
            self.lines[line].is_seen = true; // Nothing of it is unknown any more.
            self.free.push(line);
        }
    }

    fn add(&mut self, stream: u64, device: i32) -> Option<usize> {
        let line = self.free.pop().unwrap_or(self.lines.len().max(1));
        if line >= LINES_MOST {
            return None;
        }
        if self.lines.len() <= line {
            self.lines.resize_with(line + 1, Line::default);
        }
        self.shelf.leave(&self.lines[line].known);
        // The number may have been another stream's: what that did is done, and time goes on from there.
        self.lines[line] = Line {
            now: self.shelf.get(&self.host.known, line),
            lane: Lane::Default(device),
            device,
            is_doubtful: stream == 0 && self.has_unseen_waits,
            ..Line::default()
        };
        match stream {
            0 => drop(self.defaults.insert(device, line)),
            _ => *self.names.entry(stream) = line,
        }
        Some(line)
    }

    /// The line of a stream. The default stream is one for each device; that of a device nobody knows may be any.
    #[inline]
    fn line(&mut self, stream: u64, device: i32) -> Option<usize> {
        match self.names.get(stream) {
            Some(&mut line) => Some(line),
            None => self.find_line(stream, device),
        }
    }

    #[inline(never)]
    fn find_line(&mut self, stream: u64, device: i32) -> Option<usize> {
        if stream == 0 && device < 0 {
            return None;
        }
        if stream == 0
            && let Some(&line) = self.defaults.get(&device)
        {
            return Some(line);
        }
        let line = self.add(stream, device)?;
        self.lines[line].is_seen = stream == 0;
        Some(line)
    }

    /// An operation is queued on a stream. `None` if nothing can be said of its order.
    #[inline(always)]
    pub fn queue(&mut self, stream: u64, device: i32) -> Option<Point> {
        let index = self.line(stream, device)?;
        let line = &mut self.lines[index];
        let time = line.step(index, &self.host, &mut self.shelf);
        let is_known = line.is_seen && !line.is_doubtful;
        is_known.then_some(Point { line: index, time })
    }

    /// Whether `earlier` is done before what `line` does next.
    #[inline]
    pub fn is_before(&self, earlier: Point, line: usize) -> bool {
        if earlier.line == line {
            return true;
        }
        let known = match line {
            HOST => &self.host.known,
            line => &self.lines[line].known,
        };
        earlier.time <= self.shelf.get(known, earlier.line)
    }

    /// How many lines and marks there is room for.
    #[cfg(test)]
    pub fn kept(&self) -> usize {
        self.lines.len() + self.events.count() + self.notifies.count()
    }

    /// For how many clocks there is room.
    #[cfg(test)]
    pub fn clocks(&self) -> usize {
        self.shelf.count()
    }

    /// What a line is called.
    #[inline]
    pub fn lane(&self, line: usize) -> Lane {
        match line {
            HOST => Lane::Host,
            line => self.lines[line].lane,
        }
    }

    /// The host knows that what `line` was given up to now is done, and with it what that waited for: where nobody knows what that was,
    /// it may have been anything.
    fn learn(&mut self, index: usize) {
        let known = &mut self.lines[index];
        let is_certain = known.is_seen && !known.is_doubtful;
        known.is_doubtful = false;
        if !is_certain {
            return self.learn_anything();
        }
        let (line, shelf) = (&self.lines[index], &mut self.shelf);
        if shelf.get(&self.host.known, index) < line.now {
            self.host.learn_known(&line.known, line.version, shelf);
            let time = line.now;
            shelf.learn(&mut self.host.known, Point { line: index, time });
        }
    }

    /// The host waited for a stream, or found it complete.
    pub fn synchronise(&mut self, stream: u64, device: i32) {
        match self.line(stream, device) {
            Some(line) => self.learn(line),
            None => self.learn_all(|line| matches!(line.lane, Lane::Default(_))),
        }
    }

    /// The host waited for all streams of `device`; of all devices if that is not known.
    pub fn synchronise_device(&mut self, device: i32) {
        self.learn_all(|line| device < 0 || line.device < 0 || line.device == device);
    }

    fn learn_all(&mut self, is_meant: impl Fn(&Line) -> bool) {
        for line in 1..self.lines.len() {
            if is_meant(&self.lines[line]) {
                self.learn(line);
            }
        }
    }

    /// What `stream` has been given up to now, as a mark.
    pub fn mark(&mut self, stream: u64, device: i32) -> Mark {
        let Some(index) = self.line(stream, device) else {
            return self.anything();
        };
        let line = &mut self.lines[index];
        let time = line.step(index, &self.host, &mut self.shelf);
        if !line.is_seen {
            return self.anything();
        }
        let mut clock = self.shelf.clock(&line.known);
        clock.set(index, time);
        Mark {
            clock,
            version: line.version,
            is_doubtful: line.is_doubtful,
        }
    }

    /// Everything that has been queued anywhere, and perhaps more. Nobody knows more of a line than the line itself.
    fn anything(&self) -> Mark {
        let mut mark = Mark {
            is_doubtful: true,
            ..Mark::default()
        };
        for (at, line) in self.lines.iter().enumerate() {
            mark.clock.set(at, line.now);
        }
        mark
    }

    /// An event is recorded on a stream: what was recorded before is forgotten.
    #[inline(always)]
    pub fn record(&mut self, event: u64, stream: u64, device: i32) {
        let Some(index) = self.line(stream, device) else {
            return self.record_unknown(event);
        };
        let line = &mut self.lines[index];
        let time = line.step(index, &self.host, &mut self.shelf);
        if !line.is_seen {
            return self.record_unknown(event);
        }
        if let Some(record) = self.events.entry_within(event, RECORDS_MOST) {
            self.shelf.become_as(&mut record.known, &line.known);
            record.origin = Some(Point { line: index, time });
            record.version = line.version;
            record.is_doubtful = line.is_doubtful;
        }
    }

    /// An event is recorded where nobody knows what comes before it: on a graph.
    #[inline(never)]
    pub fn record_unknown(&mut self, event: u64) {
        let mark = self.anything();
        if let Some(known) = self.events.entry_within(event, RECORDS_MOST) {
            self.shelf.leave(&known.known);
            *known = mark.record(&mut self.shelf);
        }
    }

    /// A stream waits for an event.
    #[inline(always)]
    pub fn wait(&mut self, stream: u64, device: i32, event: u64) {
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
        if let Some(index) = self.line(stream, device) {
            let record = mark.record(&mut self.shelf);
            let line = &mut self.lines[index];
            line.take(index, &record, &mut self.shelf);
            line.step(index, &self.host, &mut self.shelf);
            self.shelf.leave(&record.known);
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
        match self.events.get(event).filter(|known| !known.is_doubtful) {
            Some(record) => self.host.learn(record, &mut self.shelf),
            None => self.learn_anything(),
        }
    }

    /// The host knows that everything is done.
    fn learn_anything(&mut self) {
        let record = self.anything().record(&mut self.shelf);
        self.host.learn(&record, &mut self.shelf);
        self.shelf.leave(&record.known);
    }

    /// An event was destroyed.
    pub fn forget_event(&mut self, event: u64) {
        if let Some(record) = self.events.remove(event) {
            self.shelf.leave(&record.known);
        }
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
