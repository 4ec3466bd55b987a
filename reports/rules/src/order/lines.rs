//! Lines and the edges between them: vector clocks over the host and its streams.

use super::clash::Lane;
use super::clock::Clock;
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

/// A stream's line.
#[derive(Clone, Default)]
struct Line {
    /// What is done before its next operation, itself included.
    clock: Clock,
    /// What the host knew when that was last taken over.
    version: u64,
    /// Whether what it does next may be after something that is not queued yet.
    is_doubtful: bool,
    /// Whether its making was seen.
    is_seen: bool,
    lane: Lane,
    device: i32,
}

/// What a record has left for those that wait for it.
#[derive(Clone, Default)]
pub(super) struct Mark {
    clock: Clock,
    is_doubtful: bool,
}

/// All of them.
#[derive(Default)]
pub(super) struct Lines {
    /// What the host knows is done.
    host: Clock,
    version: u64,
    lines: Vec<Line>,
    names: ByNumber<(u64, i32), usize>,
    free: Vec<usize>,
    events: ByNumber<u64, Mark>,
    /// Records of notifies that nothing has waited for yet.
    notifies: ByNumber<u64, Mark>,
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
        if let Some(line) = self.names.remove(&name(stream, 0)) {
            self.learn(line);
            self.free.push(line);
        }
    }

    fn add(&mut self, stream: u64, device: i32) -> Option<usize> {
        let line = self.free.pop().unwrap_or(self.lines.len().max(1));
        if line >= LINES_MOST {
            return None;
        }
        if self.lines.len() <= line {
            self.lines.resize(line + 1, Line::default());
        }
        // The number may have been another stream's: what that did is done, and time goes on from there.
        let mut clock = Clock::default();
        clock.set(line, self.host.get(line));
        self.lines[line] = Line {
            clock,
            version: u64::MAX,
            lane: Lane::Default(device),
            device,
            is_doubtful: stream == 0 && self.has_unseen_waits,
            ..Line::default()
        };
        self.names.insert(name(stream, device), line);
        Some(line)
    }

    /// The line of a stream. The default stream is one for each device; that of a device nobody knows may be any.
    fn line(&mut self, stream: u64, device: i32) -> Option<usize> {
        if stream == 0 && device < 0 {
            return None;
        }
        if let Some(&line) = self.names.get(&name(stream, device)) {
            return Some(line);
        }
        let line = self.add(stream, device)?;
        self.lines[line].is_seen = stream == 0;
        Some(line)
    }

    /// An operation is queued on a stream. `None` if nothing can be said of its order.
    pub fn queue(&mut self, stream: u64, device: i32) -> Option<Point> {
        let index = self.line(stream, device)?;
        let time = self.step(index);
        let line = &self.lines[index];
        let is_known = line.is_seen && !line.is_doubtful;
        is_known.then_some(Point { line: index, time })
    }

    /// The time of a line's next operation, which is queued now.
    fn step(&mut self, index: usize) -> u64 {
        let line = &mut self.lines[index];
        if line.version != self.version {
            line.clock.join(&self.host);
            line.version = self.version;
        }
        let time = line.clock.get(index) + 1;
        line.clock.set(index, time);
        time
    }

    /// Whether `earlier` is done before what `line` does next.
    pub fn is_before(&self, earlier: Point, line: usize) -> bool {
        let clock = match line {
            HOST => &self.host,
            line => &self.lines[line].clock,
        };
        earlier.line == line || earlier.time <= clock.get(earlier.line)
    }

    /// What a line is called.
    pub fn lane(&self, line: usize) -> Lane {
        match line {
            HOST => Lane::Host,
            line => self.lines[line].lane,
        }
    }

    /// The host knows that what `line` was given up to now is done, and with it what that waited for: where nobody knows what that was,
    /// it may have been anything.
    fn learn(&mut self, line: usize) {
        let known = &mut self.lines[line];
        let is_certain = known.is_seen && !known.is_doubtful;
        known.is_doubtful = false;
        let clock = match is_certain {
            true => known.clock.clone(),
            false => self.anything().clock,
        };
        self.learn_clock(&clock);
    }

    fn learn_clock(&mut self, clock: &Clock) {
        if self.host.join(clock) {
            self.version += 1;
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
        match self.line(stream, device) {
            Some(line) if self.lines[line].is_seen => {
                self.step(line);
                Mark {
                    clock: self.lines[line].clock.clone(),
                    is_doubtful: self.lines[line].is_doubtful,
                }
            }
            Some(line) => {
                self.step(line);
                self.anything()
            }
            None => self.anything(),
        }
    }

    /// Everything that has been queued anywhere, and perhaps more. Nobody knows more of a line than the line itself.
    fn anything(&self) -> Mark {
        let mut clock = Clock::default();
        for (at, line) in self.lines.iter().enumerate() {
            clock.set(at, line.clock.get(at));
        }
        Mark {
            clock,
            is_doubtful: true,
        }
    }

    /// Whether one more record can be kept in `marks`.
    fn has_room(marks: &ByNumber<u64, Mark>, number: u64) -> bool {
        marks.len() < RECORDS_MOST || marks.contains_key(&number)
    }

    /// An event is recorded on a stream: what was recorded before is forgotten.
    pub fn record(&mut self, event: u64, stream: u64, device: i32) {
        let Some(line) = self.line(stream, device) else {
            return self.record_unknown(event);
        };
        self.step(line);
        let known = &self.lines[line];
        if !known.is_seen {
            return self.record_unknown(event);
        }
        if !Self::has_room(&self.events, event) {
            return;
        }
        let mark = self.events.entry(event).or_default();
        mark.clock.become_as(&known.clock);
        mark.is_doubtful = known.is_doubtful;
    }

    /// An event is recorded where nobody knows what comes before it: on a graph.
    pub fn record_unknown(&mut self, event: u64) {
        if Self::has_room(&self.events, event) {
            let mark = self.anything();
            self.events.insert(event, mark);
        }
    }

    /// A stream waits for an event.
    pub fn wait(&mut self, stream: u64, device: i32, event: u64) {
        let line = self.line(stream, device);
        match (line, self.events.get(&event)) {
            (Some(line), Some(mark)) if self.lines[line].is_seen => {
                let is_doubtful = mark.is_doubtful;
                self.lines[line].clock.join(&mark.clock);
                self.lines[line].is_doubtful |= is_doubtful;
                self.step(line);
            }
            _ => self.wait_for(stream, device, None),
        }
    }

    /// A stream waits for something that anything may bring about.
    pub fn wait_for_anything(&mut self, stream: u64, device: i32) {
        self.wait_for(stream, device, None);
    }

    /// A stream waits for what a record has left; without one, for anything.
    pub fn wait_for(&mut self, stream: u64, device: i32, mark: Option<Mark>) {
        let mark = mark.unwrap_or_else(|| self.anything());
        if let Some(line) = self.line(stream, device) {
            self.step(line);
            self.lines[line].clock.join(&mark.clock);
            self.lines[line].is_doubtful |= mark.is_doubtful;
            if !self.lines[line].is_seen {
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
        let clock = match self.events.get(&event) {
            Some(mark) if !mark.is_doubtful => mark.clock.clone(),
            _ => self.anything().clock,
        };
        self.learn_clock(&clock);
    }

    /// An event was destroyed.
    pub fn forget_event(&mut self, event: u64) {
        self.events.remove(&event);
    }

    /// A notify is recorded on a stream.
    pub fn notify(&mut self, notify: u64, stream: u64, device: i32) {
        let mark = self.mark(stream, device);
        if !Self::has_room(&self.notifies, notify) {
            return;
        }
        let all = self.notifies.entry(notify).or_default();
        all.clock.join(&mark.clock);
        all.is_doubtful |= mark.is_doubtful;
    }

    /// A notify is recorded by a graph, whenever that runs.
    pub fn notify_unknown(&mut self, notify: u64) {
        if Self::has_room(&self.notifies, notify) {
            let mark = self.anything();
            self.notifies.insert(notify, mark);
        }
    }

    /// A stream waits for a notify and resets it. Which of several records it takes is not known: the wait is after all of them.
    pub fn wait_for_notify(&mut self, notify: u64, stream: u64, device: i32) {
        let mark = self.notifies.remove(&notify);
        self.wait_for(stream, device, mark);
    }

    /// Notifies were reset.
    pub fn forget_notifies(&mut self) {
        self.notifies.clear();
    }

    /// A notify was destroyed.
    pub fn forget_notify(&mut self, notify: u64) {
        self.notifies.remove(&notify);
    }
}

/// What tells streams apart: the handle, or the device of the default stream.
fn name(stream: u64, device: i32) -> (u64, i32) {
    (stream, if stream == 0 { device } else { 0 })
}
