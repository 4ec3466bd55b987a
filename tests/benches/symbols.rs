//! Cost of symbolizing 10,000 addresses of a large binary: `cargo bench -p aclsan-tests --bench symbols [-- BINARY]`.
//!
//! The addresses are spread evenly over the code of BINARY, by default our own unoptimized command. Measures logs of one process, of eight that
//! ran the same build, which is looked up once, and of one whose binary is missing, which leaves only reading and reporting.

use aclsan_tests::artifacts;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Definition, Event};
use aclsan_tests::reading::read;

const SITES: u64 = 500;
const FRAMES: u64 = 20;
const BIAS: u64 = 0x5555_0000_0000;
const ROUNDS: usize = 5;

/// A binary's sections from `readelf`: address and size of `.text`, bytes of `.debug_info`, the build ID.
struct Code {
    start: u64,
    size: u64,
    debug: u64,
    build_id: Vec<u8>,
}

impl Code {
    fn of(binary: &Path) -> Self {
        let readelf = |what: &str| {
            let output = Command::new("readelf").arg(what).arg(binary).output();
            String::from_utf8_lossy(&output.expect("readelf").stdout).into_owned()
        };
        let sections = readelf("-SW");
        let section = |name: &str| {
            let mut lines = sections.lines().map(|line| line.split_whitespace());
            let line = lines.find(|words| words.clone().any(|word| word == name))?;
            let words: Vec<&str> = line.skip_while(|word| *word != name).collect();
            let hex = |at: usize| u64::from_str_radix(words.get(at)?, 16).ok();
            Some((hex(2)?, hex(4)?))
        };
        let notes = readelf("-n");
        let id = notes.lines().find_map(|line| line.split_once("Build ID: "));
        let digits = id.map_or("", |(_, digits)| digits.trim()).as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(&String::from_utf8_lossy(pair), 16).ok();
        let (start, size) = section(".text").expect("the binary has code");
        Self {
            start,
            size,
            debug: section(".debug_info").map_or(0, |(_, size)| size),
            build_id: digits.chunks(2).filter_map(byte).collect(),
        }
    }
}

fn log(path: &Path, pid: u32, binary: &str, code: &Code) {
    let mut synth = LogBuilder::default();
    synth.process(pid, 0);
    synth.define(Definition::Module {
        start: BIAS,
        end: BIAS + code.start + code.size,
        bias: BIAS,
        build_id: code.build_id.clone(),
        path: binary.to_owned(),
    });
    let step = code.size / (SITES * FRAMES);
    for site in 0..SITES {
        let first = BIAS + code.start + site * FRAMES * step;
        let frames: Vec<u64> = (0..FRAMES).map(|frame| first + frame * step).collect();
        let site_id = synth.site("aclrtMalloc", 0, 0, &frames);
        synth
            .at(site)
            .allocation(1, site_id, 0x12_0000_0000 + site * 0x1000, 64);
    }
    synth.at(SITES).event(1, Event::Exit);
    fs::write(path, synth.bytes()).expect("the log is written");
}

fn main() {
    let asked = env::args().skip(1).find(|word| word != "--bench");
    let own = artifacts::folder().join("../debug/aclsan");
    let binary = asked.map_or(own, PathBuf::from);
    let binary = binary.canonicalize().expect("the binary is there");
    let code = Code::of(&binary);
    let scratch = artifacts::scratch("bench-symbols");
    println!(
        "{} addresses of `{}`, {} MiB of code, {} MiB of .debug_info; medians of {ROUNDS}",
        SITES * FRAMES,
        binary.display(),
        code.size >> 20,
        code.debug >> 20
    );
    let name = binary.display().to_string();
    let mut took = Vec::new();
    for (what, logs, binary) in [
        ("one process", 1, name.as_str()),
        ("eight of one build", 8, &name),
        ("one without its binary", 1, "/no/such/binary"),
        ("eight without", 8, "/no/such/binary"),
    ] {
        let folder = scratch.join(what);
        fs::create_dir_all(&folder).expect("the folder can be made");
        for pid in 0..logs {
            let path = folder.join(format!("{pid}.aclsan"));
            log(&path, 100 + pid, binary, &code);
        }
        let mut readings: Vec<_> = (0..ROUNDS)
            .map(|_| read(&folder, &["leaks", "--limit", "1"]))
            .collect();
        readings.sort_by_key(|reading| reading.wall);
        let reading = &readings[ROUNDS / 2];
        let (wall, cpu) = (reading.wall.as_secs_f64(), reading.cpu.as_secs_f64());
        let mib = reading.peak_kib >> 10;
        println!("{what}: {wall:.3} s, {cpu:.3} s of processor, {mib} MiB at most");
        took.push(wall);
    }
    let cold = took[0] - took[2];
    let each = ((took[1] - took[3]) - cold) / 7.0;
    println!("names: {cold:.3} s; each further process of the build: {each:.3} s more");
    fs::remove_dir_all(&scratch).expect("the logs can be removed");
}
