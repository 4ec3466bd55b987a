//! Threads acknowledge in shared memory each call that has returned; then the process dies. The log has every acknowledged call and at most
//! one more for each thread, the one in progress.

use crate::program::collected;
use crate::soak::{self, Random};
use crate::tally::Tally;
use crate::trial::Trial;
use aclsan_left_out::left_out;
use aclsan_log::{Event, LogError};
use aclsan_tests::artifacts;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The shared file, as `acknowledges.h` lays it out: 64 bytes a thread, of which three words are used.
struct Acknowledged(File);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Calls {
    allocations: u64,
    releases: u64,
}

impl Acknowledged {
    fn create(path: &Path) -> Self {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        let file = options.open(path).expect("scratch");
        file.set_len(4096).expect("scratch");
        Self(file)
    }

    /// By thread number.
    fn read(&self) -> HashMap<u32, Calls> {
        let mut bytes = [0; 8 * 64];
        self.0.read_exact_at(&mut bytes, 0).expect("our own file");
        let word = |at: usize| u64::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]));
        let all = (0..8).map(|i| {
            (
                word(64 * i) as u32,
                Calls {
                    allocations: word(64 * i + 8),
                    releases: word(64 * i + 16),
                },
            )
        });
        all.filter(|&(tid, _)| tid != 0).collect()
    }

    fn total(&self) -> u64 {
        self.read()
            .values()
            .map(|calls| calls.allocations + calls.releases)
            .sum()
    }
}

/// A log's calls by thread number. The reader must find no damage.
fn recorded(log: &Path) -> HashMap<u32, Calls> {
    let tally = Tally::of(log);
    let mut recorded: HashMap<u32, Calls> = HashMap::new();
    for timed in tally.log.events() {
        let calls = recorded.entry(timed.tid).or_default();
        match timed.event {
            Event::Allocation { .. } => calls.allocations += 1,
            Event::Release { .. } => calls.releases += 1,
            Event::ReleaseAt { .. } => panic!("a release of a block that is not on record"),
            _ => {}
        }
    }
    recorded
}

/// Checks that a log has all acknowledged calls, and at most one more for each thread.
fn check(logs: &[PathBuf], acknowledged: &HashMap<u32, Calls>, what: &str) {
    let total: u64 = acknowledged
        .values()
        .map(|calls| calls.allocations + calls.releases)
        .sum();
    let recorded = match logs {
        [] if total == 0 => return,
        [log] => match aclsan_log::Log::open(log) {
            // Killed while the file was being made, before any call had returned.
            Err(LogError::Empty { .. } | LogError::CutShort { .. }) if total == 0 => return,
            _ => recorded(log),
        },
        logs => panic!("{what}: {total} calls returned, {logs:?}"),
    };
    for (tid, said) in acknowledged {
        let found = recorded.get(tid).copied().unwrap_or_default();
        let more =
            (found.allocations + found.releases).checked_sub(said.allocations + said.releases);
        let is_whole = found.allocations >= said.allocations && found.releases >= said.releases;
        assert!(
            is_whole && matches!(more, Some(0 | 1)),
            "{what}: thread {tid} said {said:?}, the log has {found:?}"
        );
    }
}

struct Deadly {
    trial: Trial,
    shared: PathBuf,
}

impl Deadly {
    fn new(program: &str, test: &str) -> Self {
        let mut trial = Trial::new(program, test);
        trial.options("mode=record:quiet=1");
        let shared = trial.scratch.join("acknowledged");
        Self { trial, shared }
    }

    /// Kills the process once its `threads` have acknowledged `calls`.
    fn kill(&mut self, threads: u64, calls: u64) {
        let acknowledged = Acknowledged::create(&self.shared);
        self.trial
            .arguments([self.shared.as_os_str(), threads.to_string().as_ref()]);
        let place = self.trial.place("killed");
        let mut command = self.trial.command(&place, Some(artifacts::shim()));
        let mut child = command.stdin(Stdio::null()).spawn().expect("it starts");
        while acknowledged.total() < calls {
            assert_eq!(child.try_wait().expect("ours"), None, "it ended by itself");
            std::thread::yield_now();
        }
        child.kill().expect("ours");
        let output = child.wait_with_output().expect("ours");
        let run = collected(output, &place);
        assert_eq!(run.code, 128 + 9);
        check(
            &run.logs,
            &acknowledged.read(),
            &format!("{threads} threads, killed after {calls} calls"),
        );
    }

    /// Lets the process end this way once its threads have acknowledged `calls`; returns its exit code.
    fn die(&mut self, threads: u64, calls: u64, way: &str) -> i32 {
        let acknowledged = Acknowledged::create(&self.shared);
        let numbers = [threads, calls].map(|number| number.to_string());
        let words = [
            self.shared.as_os_str(),
            numbers[0].as_ref(),
            numbers[1].as_ref(),
            way.as_ref(),
        ];
        self.trial.arguments(words);
        let run = self.trial.watched_within(60);
        check(&run.logs, &acknowledged.read(), way);
        assert!(acknowledged.total() >= calls);
        run.code
    }
}

/// 1,000 kills with `SOAK=1`. Each run ends by itself after a minute.
#[test]
fn every_call_that_returned_before_sigkill_is_on_record() {
    let mut deadly = Deadly::new("deaths/killed.c", "sigkill");
    let mut random = Random(0x5EED_0001);
    for round in 0..soak::times(60, 1000) {
        // From the middle of process startup to several log segments later.
        let most = [1, 50, 3_000, 40_000][random.below(4) as usize];
        deadly.kill(1 + round % 8, random.below(most));
    }
}

/// Ways to end and their exit codes.
const WAYS: [(&str, i32); 18] = [
    ("exit", 5),
    ("_exit", 6),
    ("quick_exit", 7),
    ("exit_group", 4),
    ("abort", 128 + 6),
    ("fault", 128 + 11),
    ("bus", 128 + 7),
    ("illegal", 128 + 4),
    ("terminate", 128 + 15),
    ("overflow", 128 + 11),
    ("execl", 0),
    ("execlp", 0),
    ("execle", 0),
    ("execv", 0),
    ("execvp", 0),
    ("execvpe", 0),
    ("execve", 0),
    ("fexecve", 0),
];

/// Three times each, ten times with `SOAK=1`. Each run has one minute.
#[test]
fn every_call_that_returned_is_on_record_whatever_ends_the_process_amid_them() {
    let mut deadly = Deadly::new("deaths/dies.c", "ways");
    let mut random = Random(0x5EED_0002);
    for round in 0..soak::times(3, 10) {
        for (number, (way, code)) in (0..).zip(WAYS) {
            let threads = 1 + (round + number) % 8;
            let calls = random.below(10_000);
            assert_eq!(deadly.die(threads, calls, way), code, "{way}");
        }
    }
}

/// A memory cgroup for one test, removed on drop.
struct Cgroup(PathBuf);

impl Cgroup {
    /// Version 2 if it has the controller, else version 1; the reason if none can be created.
    fn with_limit(bytes: u64) -> Result<Self, String> {
        let root = Path::new("/sys/fs/cgroup");
        let (parent, limit) = match root.join("memory").is_dir() {
            true => (root.join("memory"), "memory.limit_in_bytes"),
            false => (root.to_owned(), "memory.max"),
        };
        let own = Self(parent.join(format!("aclsan-tests-{}", std::process::id())));
        let failed = |error| format!("{}: {error}", own.0.display());
        std::fs::create_dir(&own.0).map_err(failed)?;
        std::fs::write(own.0.join(limit), bytes.to_string()).map_err(failed)?;
        // Swapped-out memory would not count against the limit.
        let _ = std::fs::write(own.0.join("memory.swap.max"), "0");
        let _ = std::fs::write(own.0.join("memory.memsw.limit_in_bytes"), bytes.to_string());
        Ok(own)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Five times, fifty with `SOAK=1`. If no cgroup can be created, only the SIGKILL test covers this case, which is the same in effect;
/// `.ci/cgroup-v2` runs it on a version 2 machine.
#[test]
fn every_call_that_returned_before_the_kernel_ran_out_of_memory_is_on_record() {
    let cgroup = match Cgroup::with_limit(96 << 20) {
        Ok(cgroup) => cgroup,
        Err(reason) => return left_out(format_args!("no cgroup with a limit on memory: {reason}")),
    };
    let mut deadly = Deadly::new("deaths/dies.c", "memory");
    deadly.trial.within(&cgroup.0);
    for round in 0..soak::times(5, 50) {
        let code = deadly.die(1 + round % 8, 500 * round, "memory");
        assert_eq!(code, 128 + 9);
    }
}
