//! Cost of one run of the command over a folder of logs: processor time and memory are its own; other load affects the wall clock.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::artifacts;

/// The cost of one run.
pub struct Reading {
    /// Wall clock time.
    pub wall: Duration,
    /// Processor time of all threads.
    pub cpu: Duration,
    /// Peak resident memory.
    pub peak_kib: u64,
}

impl Reading {
    /// The average number of busy processors.
    pub fn cores(&self) -> f64 {
        self.cpu.as_secs_f64() / self.wall.as_secs_f64().max(1e-9)
    }
}

/// Runs `aclsan VERB FOLDER` and discards its output; Python measures its child.
pub fn read(folder: &Path, verb: &[&str]) -> Reading {
    let script = "import resource, subprocess, sys, time
begun = time.monotonic_ns()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
took = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, time.monotonic_ns() - begun, int((took.ru_utime + took.ru_stime) * 1e9), took.ru_maxrss)";
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(artifacts::command())
        .args(verb)
        .arg(folder)
        .output()
        .expect("Python is here");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let [0 | 1, wall, cpu, peak_kib] = numbers[..] else {
        panic!("{text}{}", String::from_utf8_lossy(&output.stderr));
    };
    Reading {
        wall: Duration::from_nanos(wall),
        peak_kib,
        cpu: Duration::from_nanos(cpu),
    }
}
