//! Random programs over streams, events and blocks, run with adversarial delays: a program whose outcome depends on them
//! is reported at the call, in every run.

use crate::program::Program;
use crate::tally::Tally;
use crate::watchdog::finish;
use aclsan_log::Event;
use aclsan_tests::artifacts::{self, Topology};

/// xorshift64*, Vigna 2016.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

/// Nine operations; every wait has something to wait for.
fn program(random: &mut Random) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut recorded = [false; 2];
    while words.len() < 9 {
        let (stream, event) = (random.below(3), random.below(2));
        let (to, from) = (random.below(3), random.below(3));
        let is_recorded = recorded[event as usize];
        words.push(match random.below(16) {
            0..3 => format!("f{stream}{to}"),
            3..6 if to != from => format!("c{stream}{to}{from}"),
            6..9 => {
                recorded[event as usize] = true;
                format!("r{stream}{event}")
            }
            9..12 if is_recorded => format!("w{stream}{event}"),
            12 => format!("s{stream}"),
            13 if is_recorded => format!("e0{event}"),
            14 if random.below(3) == 0 => "d".into(),
            15 => format!("p0{to}"),
            _ => continue,
        });
    }
    words
}

/// The number of programs, and of delay orders for each.
const PROGRAMS: usize = 200;
const SEEDS: u64 = 2;

#[test]
fn what_depends_on_the_pace_of_streams_is_reported_in_every_run() {
    let source = Program::new("random/interleaved.c");
    let scratch = artifacts::scratch("random-programs");
    let built = source.build(&scratch);
    let log = scratch.join("%p.aclsan");
    let options = format!("guard=off:symbols=0:log_path='{}'", log.display());
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut racy, mut clean, mut shown) = (0, 0, 0);
    for _ in 0..PROGRAMS {
        let words = program(&mut random);
        let runs: Vec<_> = (1..=SEEDS)
            .map(|seed| {
                let mut command = source.command(&built, Topology::One);
                command
                    .args(&words)
                    .env("LD_PRELOAD", artifacts::preload(&options))
                    .env("ACLSAN_OPTIONS", &options)
                    .env("ACLSIM_STREAM_DELAY_US", "1500")
                    .env("ACLSIM_STREAM_DELAY_SEED", seed.to_string());
                let run = finish(&mut command, &scratch);
                for log in &run.logs {
                    std::fs::remove_file(log).expect("the log was there");
                }
                assert_eq!(run.code, 0, "{words:?}: {}", run.stderr);
                let is_reported = !run.stderr.contains("0 errors, 0 warnings");
                (run.stdout, is_reported)
            })
            .collect();
        let is_reported = runs[0].1;
        assert!(runs.iter().all(|run| run.1 == is_reported), "{words:?}");
        let differs = runs.iter().any(|run| run.0 != runs[0].0);
        assert!(is_reported || !differs, "{words:?}: {runs:?}");
        racy += u32::from(is_reported);
        clean += u32::from(!is_reported);
        shown += u32::from(differs);
    }
    // The comparison is only meaningful if both kinds occur and some races show.
    assert!(
        racy > 40 && clean > 40 && shown > 10,
        "{racy} {clean} {shown}"
    );
}

/// Eleven operations on page-locked blocks; every wait has something to wait for.
fn host_program(random: &mut Random) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut recorded = [false; 2];
    while words.len() < 11 {
        let (stream, event, block) = (random.below(3), random.below(2), random.below(3));
        let is_recorded = recorded[event as usize];
        words.push(match random.below(20) {
            0..4 => format!("f{stream}{block}"),
            4..7 => format!("t{stream}{block}"),
            7..9 => {
                recorded[event as usize] = true;
                format!("r{stream}{event}")
            }
            9..11 if is_recorded => format!("w{stream}{event}"),
            11 => format!("s{stream}"),
            12 if is_recorded => format!("e0{event}"),
            13 if random.below(3) == 0 => "d".into(),
            14..18 => format!("l0{block}"),
            18.. => format!("c0{block}"),
            _ => continue,
        });
    }
    words
}

/// An operation of a stream; a wait is for an operation of another stream.
#[derive(Clone, Copy)]
enum Queued {
    Copy,
    Record,
    Wait(usize, usize),
}

/// The accesses of the CPU that some order of events puts beside a copy, by their place: a copy is done only if a wait of
/// the host says so, and with it what its stream waited for. An access that is found opens the block until its next copy.
fn exposed(words: &[String]) -> Vec<usize> {
    fn finish(queues: &[Vec<Queued>; 3], done: &mut [usize; 3], stream: usize, count: usize) {
        for at in done[stream]..count {
            done[stream] = at + 1;
            if let Queued::Wait(other, upto) = queues[stream][at] {
                finish(queues, done, other, upto);
            }
        }
    }
    let (mut queues, mut done) = ([const { Vec::new() }; 3], [0; 3]);
    // Per block: where its copies are queued, and whether they write it; those that an access has not opened.
    let mut copies: [Vec<(usize, usize, bool)>; 3] = Default::default();
    let mut is_watched: [Vec<bool>; 3] = Default::default();
    let mut events = [None; 2];
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let digit = |place: usize| {
            word.as_bytes()
                .get(place)
                .map_or(0, |digit| usize::from(digit - b'0'))
        };
        let (first, second) = (digit(1), digit(2));
        match word.as_bytes()[0] {
            kind @ (b'f' | b't') => {
                queues[first].push(Queued::Copy);
                copies[second].push((first, queues[first].len(), kind == b'f'));
                // Earlier copies of the block are watched again.
                is_watched[second] = vec![true; copies[second].len()];
            }
            b'r' => {
                queues[first].push(Queued::Record);
                events[second] = Some((first, queues[first].len()));
            }
            b'w' => {
                let (stream, upto) = events[second].expect("recorded before");
                queues[first].push(Queued::Wait(stream, upto));
            }
            b's' => finish(&queues, &mut done, first, queues[first].len()),
            b'e' => {
                let (stream, upto) = events[second].expect("recorded before");
                finish(&queues, &mut done, stream, upto);
            }
            b'd' => {
                (0..3).for_each(|stream| finish(&queues, &mut done, stream, queues[stream].len()))
            }
            kind => {
                let racing = copies[second].iter().zip(&is_watched[second]);
                let mut racing = racing
                    .filter(|((stream, upto, _), watched)| done[*stream] < *upto && **watched);
                if racing.any(|((.., writes), _)| *writes || kind == b'c') {
                    found.push(at);
                    is_watched[second].fill(false);
                }
            }
        }
    }
    found
}

/// The number of programs with accesses of the CPU.
const HOST_PROGRAMS: usize = 300;

#[test]
fn each_access_of_the_cpu_that_some_order_puts_beside_a_copy_is_on_record_and_no_other() {
    let source = Program::new("random/host_access.c");
    let scratch = artifacts::scratch("random-host-access");
    let built = source.build(&scratch);
    let log = scratch.join("%p.aclsan");
    let options = format!(
        "guard=off:symbols=0:host_access=trap:log_path='{}'",
        log.display()
    );
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut racy, mut clean) = (0, 0);
    for _ in 0..HOST_PROGRAMS {
        let words = host_program(&mut random);
        let mut command = source.command(&built, Topology::One);
        command
            .args(&words)
            .env("LD_PRELOAD", artifacts::preload(&options))
            .env("ACLSAN_OPTIONS", &options)
            .env("ACLSIM_STREAM_DELAY_US", "700");
        let run = finish(&mut command, &scratch);
        assert_eq!(run.code, 0, "{words:?}: {}", run.stderr);
        let tally = Tally::of(&run.logs[0]);
        let wanted = exposed(&words);
        let of = |kind: u8| {
            wanted
                .iter()
                .filter(|at| words[**at].as_bytes()[0] == kind)
                .count()
        };
        let (loads, stores) = (of(b'l'), of(b'c'));
        let uses = tally.log.events().filter_map(|timed| match timed.event {
            Event::Use { site, .. } => Some(tally.log.function(site).to_owned()),
            _ => None,
        });
        let (seen_loads, seen_stores): (Vec<_>, Vec<_>) = uses.partition(|name| name == "load");
        let counted = (seen_loads.len(), seen_stores.len());
        for log in &run.logs {
            std::fs::remove_file(log).expect("the log was there");
        }
        assert_eq!(
            counted,
            (loads, stores),
            "{words:?}: {wanted:?}\n{}",
            run.stderr
        );
        let is_found = run.stderr.contains("ERROR: aclsan: host-access-in-flight");
        assert_eq!(is_found, !wanted.is_empty(), "{words:?}: {}", run.stderr);
        racy += u32::from(is_found);
        clean += u32::from(!is_found);
    }
    assert!(racy > 40 && clean > 40, "{racy} racy, {clean} clean");
}
