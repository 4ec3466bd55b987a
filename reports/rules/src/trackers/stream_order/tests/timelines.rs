//! The lines against plain vector clocks, which join at every edge and compare at every question.

use std::collections::HashMap;

use super::super::epoch::{HOST, LINES_MOST, Point};
use super::super::timelines::Lines;
use super::Random;

const STREAMS: usize = 9;
const EVENTS: usize = 5;
const DEVICES: i32 = 2;

#[derive(Clone, Default)]
struct Plain {
    clock: Vec<u64>,
    is_doubtful: bool,
    is_seen: bool,
    device: i32,
    is_default: bool,
}

/// The same graph, with nothing left out. Streams that are gone keep their lines.
#[derive(Default)]
struct Model {
    host: Vec<u64>,
    lines: Vec<Plain>,
    names: HashMap<(u64, i32), usize>,
    marks: HashMap<u64, (Vec<u64>, bool)>,
    has_unseen_waits: bool,
}

fn join(mine: &mut Vec<u64>, theirs: &[u64]) {
    mine.resize(mine.len().max(theirs.len()), 0);
    mine.iter_mut()
        .zip(theirs)
        .for_each(|(a, b)| *a = (*a).max(*b));
}

fn at(clock: &[u64], line: usize) -> u64 {
    clock.get(line).copied().unwrap_or(0)
}

impl Model {
    fn add(&mut self, stream: u64, device: i32, is_made: bool) -> usize {
        self.lines.resize(self.lines.len().max(1), Plain::default());
        self.lines.push(Plain {
            is_seen: is_made || stream == 0,
            is_doubtful: stream == 0 && self.has_unseen_waits,
            is_default: !is_made,
            device,
            ..Plain::default()
        });
        let line = self.lines.len() - 1;
        let device = if stream == 0 { device } else { 0 };
        self.names.insert((stream, device), line);
        line
    }

    fn line(&mut self, stream: u64, device: i32) -> usize {
        let name = (stream, if stream == 0 { device } else { 0 });
        match self.names.get(&name) {
            Some(&line) => line,
            None => self.add(stream, device, false),
        }
    }

    fn gone(&mut self, stream: u64) {
        if let Some(line) = self.names.remove(&(stream, 0)) {
            self.learn(line);
            self.lines[line] = Plain {
                is_seen: true,
                device: self.lines[line].device,
                ..Plain::default()
            };
        }
    }

    fn step(&mut self, line: usize) -> Point {
        let known = &mut self.lines[line];
        join(&mut known.clock, &self.host);
        let time = at(&known.clock, line) + 1;
        known.clock.resize(known.clock.len().max(line + 1), 0);
        known.clock[line] = time;
        Point { line, time }
    }

    fn queue(&mut self, line: usize) -> Option<Point> {
        let point = self.step(line);
        let known = &self.lines[line];
        (known.is_seen && !known.is_doubtful).then_some(point)
    }

    fn anything(&self) -> Vec<u64> {
        let mut all = Vec::new();
        self.lines
            .iter()
            .for_each(|line| join(&mut all, &line.clock));
        all
    }

    fn learn(&mut self, line: usize) {
        let known = &mut self.lines[line];
        let is_certain = known.is_seen && !known.is_doubtful;
        known.is_doubtful = false;
        let clock = match is_certain {
            true => known.clock.clone(),
            false => self.anything(),
        };
        join(&mut self.host, &clock);
    }

    fn mark(&mut self, line: usize) -> (Vec<u64>, bool) {
        self.step(line);
        let known = &self.lines[line];
        match known.is_seen {
            true => (known.clock.clone(), known.is_doubtful),
            false => (self.anything(), true),
        }
    }

    fn wait(&mut self, line: usize, mark: &(Vec<u64>, bool)) {
        self.step(line);
        let known = &mut self.lines[line];
        join(&mut known.clock, &mark.0);
        known.is_doubtful |= mark.1;
        if !known.is_seen {
            self.has_unseen_waits = true;
            let defaults = self.lines.iter_mut().filter(|line| line.is_default);
            defaults.for_each(|line| line.is_doubtful = true);
        }
    }

    fn is_before(&self, earlier: Point, line: Option<usize>) -> bool {
        let clock = line.map_or(&self.host, |line| &self.lines[line].clock);
        line == Some(earlier.line) || earlier.time <= at(clock, earlier.line)
    }
}

/// Does as many random things to both; gives how many questions had each answer. What is strange makes most answers yes.
fn compare(random: &mut Random, steps: usize, is_strange: bool) -> [usize; 2] {
    let (mut lines, mut model) = (Lines::default(), Model::default());
    for stream in 1..STREAMS as u64 - 1 {
        lines.made(stream, 0);
        model.add(stream, 0, true);
    }
    let mut points: Vec<(Point, Point)> = Vec::new();
    let mut answers = [0; 2];
    for step in 0..steps {
        // 0 is the default stream; the last one is never seen made, nor gone.
        let stream = match is_strange {
            true => random.below(STREAMS) as u64,
            false => 1 + random.below(STREAMS - 2) as u64,
        };
        let event = 100 + random.below(EVENTS) as u64;
        let is_known = is_strange || model.marks.contains_key(&event);
        let is_signalled = is_strange || model.marks.contains_key(&(event + 100));
        let device = random.below(DEVICES as usize) as i32;
        let is_common = stream > 0 && stream < STREAMS as u64 - 1;
        match random.below(40) {
            0 if is_common => {
                lines.made(stream, device);
                model.gone(stream);
                model.add(stream, device, true);
            }
            1 if is_common => {
                lines.gone(stream);
                model.gone(stream);
            }
            2 => {
                lines.synchronise(stream, device);
                if stream == 0 || model.names.contains_key(&(stream, 0)) {
                    let line = model.line(stream, device);
                    model.learn(line);
                } else {
                    let clock = model.anything();
                    join(&mut model.host, &clock);
                }
            }
            3 if step % 8 == 0 => {
                lines.synchronise_device(device);
                let all = 1..model.lines.len();
                let ours = Vec::from_iter(all.filter(|&line| model.lines[line].device == device));
                ours.into_iter().for_each(|line| model.learn(line));
            }
            4 if is_known => {
                lines.synchronise_event(event);
                let mark = model.marks.get(&event).filter(|mark| !mark.1);
                let clock = mark.map_or_else(|| model.anything(), |mark| mark.0.clone());
                join(&mut model.host, &clock);
            }
            5 if is_strange => {
                lines.forget_event(event);
                model.marks.remove(&event);
            }
            11..18 => {
                lines.record(event, stream, device);
                let line = model.line(stream, device);
                let mark = model.mark(line);
                model.marks.insert(event, mark);
            }
            18..26 if is_known => {
                lines.wait(stream, device, event);
                let line = model.line(stream, device);
                let mark = model.marks.get(&event).cloned();
                let mark = mark.unwrap_or_else(|| (model.anything(), true));
                model.wait(line, &mark);
            }
            26..28 => {
                lines.notify(event, stream, device);
                let line = model.line(stream, device);
                let new = model.mark(line);
                let all = model.marks.entry(event + 100).or_default();
                join(&mut all.0, &new.0);
                all.1 |= new.1;
            }
            28 | 29 if is_signalled => {
                lines.wait_for_notify(event, stream, device);
                let mark = model.marks.remove(&(event + 100));
                let mark = mark.unwrap_or_else(|| (model.anything(), true));
                let line = model.line(stream, device);
                model.wait(line, &mark);
            }
            _ => {
                let queued = lines.queue(stream, device);
                let line = model.line(stream, device);
                let plain = model.queue(line);
                assert_eq!(queued.is_some(), plain.is_some(), "step {step}");
                let Some((queued, plain)) = queued.zip(plain) else {
                    continue;
                };
                points.push((queued, plain));
                for _ in 0..8 {
                    let (mine, theirs) = points[random.below(points.len())];
                    let is_before = lines.is_before(mine, queued.line);
                    // A line that is used again goes on from what the host knows is done.
                    let is_done = model.is_before(theirs, None);
                    let plain = model.is_before(theirs, Some(plain.line)) || is_done;
                    assert_eq!(is_before, plain, "step {step}: {theirs:?}");
                    assert_eq!(lines.is_before(mine, HOST), is_done, "step {step}");
                    answers[usize::from(is_before)] += 1;
                }
            }
        }
    }
    answers
}

#[test]
fn lines_know_what_plain_clocks_know() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut answers = [0; 2];
    for run in 0..2_000 {
        let steps = 20 + random.below(300);
        let more = compare(&mut random, steps, run % 4 == 0);
        answers = [0, 1].map(|at| answers[at] + more[at]);
    }
    assert!(answers.iter().all(|&of| of > 100_000), "{answers:?}");
}

#[test]
fn waits_for_streams_that_were_not_seen_leave_room_for_those_that_are_made() {
    let mut lines = Lines::default();
    for unseen in 0..2 * LINES_MOST as u64 {
        lines.synchronise(0x1_0000 + unseen, 0);
    }
    lines.made(1, 0);
    assert!(lines.queue(1, 0).is_some());
}
