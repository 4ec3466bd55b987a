//! Lines and the edges between them: vector clocks over the host and its streams.
//!
//! Whole clocks are taken over, so one that knows a line up to some time knows all that this line knew then. What is new is often plain from
//! one number, and then nothing is compared: FastTrack's epochs (Flanagan and Freund, PLDI 2009), for edges too.

mod edges;

use super::epoch::{HOST, LINES_MOST, Point};
use super::host_clock::Host;
use super::shared_clock::Shelf;
use super::slot_map::{Places, Rooms};
use super::sync_var::{Mark, Record};
use super::timeline::{Behind, Line};
use crate::api::fast_hash::ByNumber;
use crate::evidence::race::Lane;

/// All of them.
#[derive(Default)]
pub(super) struct Lines {
    host: Host,
    lines: Vec<Line>,
    names: Places<u64>,
    /// The default streams' lines, by device.
    defaults: ByNumber<i32, usize>,
    /// Handles that default streams go by.
    default_names: Vec<u64>,
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
        let line = self.names.remove(stream);
        if let Some(at) = self.default_names.iter().position(|&name| name == stream) {
            self.default_names.swap_remove(at);
            return; // The default stream goes on.
        }
        if let Some(line) = line {
            let line = line as usize;
            self.learn(line);
            self.lines[line].is_seen = true; // Nothing of it is unknown any more.
            self.free.push(line);
        }
    }

    /// The default stream of `device` goes by this handle, too.
    pub fn name_default(&mut self, stream: u64, device: i32) {
        if self.default_names.contains(&stream) {
            return;
        }
        self.gone(stream);
        if let Some(line) = self.line(0, device).filter(|_| stream != 0) {
            self.names.put(stream, line as u32);
            self.default_names.push(stream);
        }
    }

    /// Handles of default streams may be another context's from here on, or other streams'.
    pub fn forget_default_names(&mut self) {
        for stream in std::mem::take(&mut self.default_names) {
            self.names.remove(stream);
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
            _ => self.names.put(stream, line as u32),
        }
        Some(line)
    }

    /// The line of a stream. The default stream is one for each device; that of a device nobody knows may be any.
    fn line(&mut self, stream: u64, device: i32) -> Option<usize> {
        let line = self.names.find(stream);
        match line < self.lines.len() {
            true => Some(line),
            false => self.find_line(stream, device),
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

    /// Where an operation that is queued on a stream goes, of whose order all is known. `None` also if there is more to be done first.
    #[inline(always)]
    pub fn behind(&mut self, stream: u64) -> Option<Behind<'_>> {
        self.restock();
        let index = self.names.find_again(stream);
        let line = self.lines.get_mut(index)?;
        let is_known = line.is_seen && !line.is_doubtful;
        is_known.then_some(Behind {
            index,
            line,
            host: &self.host,
            shelf: &mut self.shelf,
        })
    }

    /// An operation is queued on a stream. `None` if nothing can be said of its order.
    #[inline]
    pub fn queue(&mut self, stream: u64, device: i32) -> Option<Point> {
        self.restock();
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
        self.restock();
        let (line, shelf) = (&self.lines[index], &mut self.shelf);
        if shelf.get(&self.host.known, index) < line.now {
            self.host.learn_known(&line.known, line.version, shelf);
            let time = line.now;
            shelf.learn(&mut self.host.known, Point { line: index, time });
        }
    }

    /// The host waited for a stream, or found it complete.
    pub fn synchronise(&mut self, stream: u64, device: i32) {
        let line = self.names.find(stream);
        if line < self.lines.len() {
            return self.learn(line);
        }
        // Neither seen made nor given anything: a line for it would stay for good.
        if stream != 0 {
            return self.learn_anything();
        }
        match self.find_line(stream, device) {
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
        self.restock();
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

    /// Before somebody may learn so much that it takes another clock, or behind it.
    #[inline(always)]
    fn restock(&mut self) {
        if self.shelf.is_low() {
            self.restock_now();
        }
    }

    #[inline(never)]
    fn restock_now(&mut self) {
        let of_lines = self.lines.iter().map(|line| &line.known);
        let of_events = self.events.all().map(|record| &record.known);
        let of_all = of_lines.chain(of_events).chain([&self.host.known]);
        self.shelf.restock(of_all);
    }
}
