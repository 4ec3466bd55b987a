//! Random programs over streams, events and blocks, run with adversarial delays: a program whose outcome depends on them
//! is reported at the call, in every run.

use crate::program::Program;
use crate::watchdog::finish;
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
