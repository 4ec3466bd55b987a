//! The timelines against plain vector clocks, which join at every edge and compare at every query.

use std::collections::HashMap;

use super::super::epoch::{Epoch, HOST, MAX_TIMELINES};
use super::super::timelines::HappensBefore;
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

/// The same relation without any shortcut. Destroyed streams keep their timelines.
#[derive(Default)]
struct Model {
    host: Vec<u64>,
    timelines: Vec<Plain>,
    names: HashMap<(u64, i32), usize>,
    sync_vars: HashMap<u64, (Vec<u64>, bool)>,
    has_unseen_waits: bool,
}

fn join(mine: &mut Vec<u64>, theirs: &[u64]) {
    mine.resize(mine.len().max(theirs.len()), 0);
    mine.iter_mut()
        .zip(theirs)
        .for_each(|(a, b)| *a = (*a).max(*b));
}

fn at(clock: &[u64], timeline: usize) -> u64 {
    clock.get(timeline).copied().unwrap_or(0)
}

impl Model {
    fn add(&mut self, stream: u64, device: i32, is_made: bool) -> usize {
        self.timelines
            .resize(self.timelines.len().max(1), Plain::default());
        self.timelines.push(Plain {
            is_seen: is_made || stream == 0,
            is_doubtful: stream == 0 && self.has_unseen_waits,
            is_default: !is_made,
            device,
            ..Plain::default()
        });
        let timeline = self.timelines.len() - 1;
        let device = if stream == 0 { device } else { 0 };
        self.names.insert((stream, device), timeline);
        timeline
    }

    fn timeline(&mut self, stream: u64, device: i32) -> usize {
        let name = (stream, if stream == 0 { device } else { 0 });
        match self.names.get(&name) {
            Some(&timeline) => timeline,
            None => self.add(stream, device, false),
        }
    }

    fn gone(&mut self, stream: u64) {
        if let Some(timeline) = self.names.remove(&(stream, 0)) {
            self.learn(timeline);
            self.timelines[timeline] = Plain {
                is_seen: true,
                device: self.timelines[timeline].device,
                ..Plain::default()
            };
        }
    }

    fn advance(&mut self, timeline: usize) -> Epoch {
        let known = &mut self.timelines[timeline];
        join(&mut known.clock, &self.host);
        let time = at(&known.clock, timeline) + 1;
        known.clock.resize(known.clock.len().max(timeline + 1), 0);
        known.clock[timeline] = time;
        Epoch { timeline, time }
    }

    fn queue(&mut self, timeline: usize) -> Option<Epoch> {
        let epoch = self.advance(timeline);
        let known = &self.timelines[timeline];
        (known.is_seen && !known.is_doubtful).then_some(epoch)
    }

    fn anything(&self) -> Vec<u64> {
        let mut all = Vec::new();
        self.timelines
            .iter()
            .for_each(|timeline| join(&mut all, &timeline.clock));
        all
    }

    fn learn(&mut self, timeline: usize) {
        let known = &mut self.timelines[timeline];
        let is_certain = known.is_seen && !known.is_doubtful;
        known.is_doubtful = false;
        let clock = match is_certain {
            true => known.clock.clone(),
            false => self.anything(),
        };
        join(&mut self.host, &clock);
    }

    fn sync_var(&mut self, timeline: usize) -> (Vec<u64>, bool) {
        self.advance(timeline);
        let known = &self.timelines[timeline];
        match known.is_seen {
            true => (known.clock.clone(), known.is_doubtful),
            false => (self.anything(), true),
        }
    }

    fn wait(&mut self, timeline: usize, sync_var: &(Vec<u64>, bool)) {
        self.advance(timeline);
        let known = &mut self.timelines[timeline];
        join(&mut known.clock, &sync_var.0);
        known.is_doubtful |= sync_var.1;
        if !known.is_seen {
            self.has_unseen_waits = true;
            let defaults = self
                .timelines
                .iter_mut()
                .filter(|timeline| timeline.is_default);
            defaults.for_each(|timeline| timeline.is_doubtful = true);
        }
    }

    fn is_before(&self, earlier: Epoch, timeline: Option<usize>) -> bool {
        let clock = timeline.map_or(&self.host, |timeline| &self.timelines[timeline].clock);
        timeline == Some(earlier.timeline) || earlier.time <= at(clock, earlier.timeline)
    }
}

/// Applies the same random calls to both, and returns how often each answer was given. `is_strange` makes most answers
/// yes.
fn compare(random: &mut Random, steps: usize, is_strange: bool) -> [usize; 2] {
    let (mut timelines, mut model) = (HappensBefore::default(), Model::default());
    for stream in 1..STREAMS as u64 - 1 {
        timelines.create(stream, 0);
        model.add(stream, 0, true);
    }
    let mut points: Vec<(Epoch, Epoch)> = Vec::new();
    let mut answers = [0; 2];
    for step in 0..steps {
        // 0 is the default stream; the last one is never seen created or destroyed.
        let stream = match is_strange {
            true => random.below(STREAMS) as u64,
            false => 1 + random.below(STREAMS - 2) as u64,
        };
        let event = 100 + random.below(EVENTS) as u64;
        let is_known = is_strange || model.sync_vars.contains_key(&event);
        let is_signalled = is_strange || model.sync_vars.contains_key(&(event + 100));
        let device = random.below(DEVICES as usize) as i32;
        let is_common = stream > 0 && stream < STREAMS as u64 - 1;
        match random.below(40) {
            0 if is_common => {
                timelines.create(stream, device);
                model.gone(stream);
                model.add(stream, device, true);
            }
            1 if is_common => {
                timelines.destroy(stream);
                model.gone(stream);
            }
            2 => {
                timelines.acquire_host(stream, device);
                if stream == 0 || model.names.contains_key(&(stream, 0)) {
                    let timeline = model.timeline(stream, device);
                    model.learn(timeline);
                } else {
                    let clock = model.anything();
                    join(&mut model.host, &clock);
                }
            }
            3 if step % 8 == 0 => {
                timelines.acquire_host_device(device);
                let all = 1..model.timelines.len();
                let ours = Vec::from_iter(
                    all.filter(|&timeline| model.timelines[timeline].device == device),
                );
                ours.into_iter().for_each(|timeline| model.learn(timeline));
            }
            4 if is_known => {
                timelines.acquire_host_event(event);
                let sync_var = model.sync_vars.get(&event).filter(|sync_var| !sync_var.1);
                let clock =
                    sync_var.map_or_else(|| model.anything(), |sync_var| sync_var.0.clone());
                join(&mut model.host, &clock);
            }
            5 if is_strange => {
                timelines.forget_event(event);
                model.sync_vars.remove(&event);
            }
            11..18 => {
                timelines.release(event, stream, device);
                let timeline = model.timeline(stream, device);
                let sync_var = model.sync_var(timeline);
                model.sync_vars.insert(event, sync_var);
            }
            18..26 if is_known => {
                timelines.acquire(stream, device, event);
                let timeline = model.timeline(stream, device);
                let sync_var = model.sync_vars.get(&event).cloned();
                let sync_var = sync_var.unwrap_or_else(|| (model.anything(), true));
                model.wait(timeline, &sync_var);
            }
            26..28 => {
                timelines.release_notify(event, stream, device);
                let timeline = model.timeline(stream, device);
                let new = model.sync_var(timeline);
                let all = model.sync_vars.entry(event + 100).or_default();
                join(&mut all.0, &new.0);
                all.1 |= new.1;
            }
            28 | 29 if is_signalled => {
                timelines.acquire_notify(event, stream, device);
                let sync_var = model.sync_vars.remove(&(event + 100));
                let sync_var = sync_var.unwrap_or_else(|| (model.anything(), true));
                let timeline = model.timeline(stream, device);
                model.wait(timeline, &sync_var);
            }
            _ => {
                let queued = timelines.push(stream, device);
                let timeline = model.timeline(stream, device);
                let plain = model.queue(timeline);
                assert_eq!(queued.is_some(), plain.is_some(), "step {step}");
                let Some((queued, plain)) = queued.zip(plain) else {
                    continue;
                };
                points.push((queued, plain));
                for _ in 0..8 {
                    let (mine, theirs) = points[random.below(points.len())];
                    let is_before = timelines.is_before(mine, queued.timeline);
                    // A reused timeline continues from what the host knows to have completed.
                    let is_done = model.is_before(theirs, None);
                    let plain = model.is_before(theirs, Some(plain.timeline)) || is_done;
                    assert_eq!(is_before, plain, "step {step}: {theirs:?}");
                    assert_eq!(timelines.is_before(mine, HOST), is_done, "step {step}");
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
    let mut timelines = HappensBefore::default();
    for unseen in 0..2 * MAX_TIMELINES as u64 {
        timelines.acquire_host(0x1_0000 + unseen, 0);
    }
    timelines.create(1, 0);
    assert!(timelines.push(1, 0).is_some());
}
