//! Readers of a log that is still being written.

use crate::trial::Trial;
use aclsan_log::{Event, Log};
use aclsan_tests::artifacts;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A program whose threads hand over blocks as many times as requested.
struct Hands {
    child: Child,
    orders: ChildStdin,
    said: BufReader<ChildStdout>,
    log: PathBuf,
}

impl Hands {
    /// Starts it and waits for recorded blocks.
    fn new(test: &str, arguments: &[&str]) -> Self {
        let mut trial = Trial::new("process/hands.c", test);
        trial.options("mode=record:quiet=1").arguments(arguments);
        let place = trial.place("watched");
        let mut command = trial.command(&place, Some(artifacts::shim()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let orders = child.stdin.take().expect("piped");
        let said = BufReader::new(child.stdout.take().expect("piped"));
        let mut hands = Self {
            child,
            orders,
            said,
            log: PathBuf::new(),
        };
        hands.begin();
        hands.wait();
        let files = std::fs::read_dir(&place).expect("scratch");
        let mut files = files.map(|entry| entry.expect("scratch").path());
        let is_log = |path: &PathBuf| path.to_string_lossy().contains(".aclsan");
        hands.log = files.find(is_log).expect("a log");
        hands
    }

    /// Makes it hand over blocks.
    fn begin(&mut self) {
        self.orders.write_all(b"1").expect("it listens");
    }

    /// Waits until it has.
    fn wait(&mut self) {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("it speaks");
        assert_eq!(line, "handed on\n");
    }

    /// Lets it end; returns the log.
    fn end(mut self) -> PathBuf {
        drop(self.orders);
        assert!(self.child.wait().expect("ours").success());
        self.log
    }
}

/// Recorded allocations and releases; every release has its block.
fn balance(log: &Path) -> (usize, usize) {
    let log = Log::open(log).expect("a log");
    let (mut events, mut live) = (log.events(), BTreeSet::new());
    let (mut allocations, mut releases) = (0, 0);
    for timed in events.by_ref() {
        match timed.event {
            Event::Allocation { block, site, .. } => {
                allocations += 1;
                live.insert(block);
                assert_eq!(log.function(site), "aclrtMalloc");
            }
            Event::Release { block, .. } => {
                releases += 1;
                assert!(live.remove(&block), "a release of no block: {timed:?}");
            }
            _ => {}
        }
    }
    assert_eq!((log.damage.as_slice(), events.damage()), (&[][..], &[][..]));
    (allocations, releases)
}

#[test]
fn a_log_that_is_read_while_it_is_written_is_that_of_one_moment() {
    let mut hands = Hands::new("growing", &[]);
    let mut before = balance(&hands.log);
    assert_eq!(before, (4_000, 4_000));
    for _ in 0..8 {
        hands.begin();
        let now = balance(&hands.log);
        assert!(now.0 >= before.0 && now.0 >= now.1, "{now:?}, {before:?}");
        hands.wait();
        before = balance(&hands.log);
    }
    assert_eq!(balance(&hands.end()), (4_000 * 9, 4_000 * 9));
}

/// Live bytes at the end of a page: in its report and in its chart.
fn live_on_page(log: &Path) -> (u64, u64) {
    let mut report = Command::new(artifacts::command());
    let page = report.args(["report", "--html", "-"]).arg(log).output();
    let script = "import base64, json, sys, zlib\n\
                  data = sys.stdin.read().split('id=\"data\">')[1].split('<')[0]\n\
                  data = json.loads(zlib.decompress(base64.b64decode(data), -15))\n\
                  [process] = data['processes']\n\
                  print(sum(process['points']['live'][-1]), sum(sum[0] for sum in process['sums']))";
    let mut python = Command::new("python3");
    python.args(["-c", script]);
    python.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().expect("Python");
    let mut stdin = python.stdin.take().expect("piped");
    stdin
        .write_all(&page.expect("it starts").stdout)
        .expect("it reads");
    drop(stdin);
    let said = python.wait_with_output().expect("ours").stdout;
    let said = String::from_utf8(said).expect("numbers");
    let mut numbers = said.split_whitespace().map(|number| number.parse());
    let mut next = || numbers.next().expect("a number").expect("a number");
    (next(), next())
}

#[test]
fn a_page_on_a_log_that_is_written_is_that_of_one_moment() {
    let mut hands = Hands::new("page", &[]);
    for _ in 0..3 {
        // Enough to keep it busy while the page is written.
        let more = 4;
        (0..more).for_each(|_| hands.begin());
        let (reported, drawn) = live_on_page(&hands.log);
        assert_eq!(reported, drawn);
        (0..more).for_each(|_| hands.wait());
    }
    assert_eq!(live_on_page(&hands.end()), (0, 0));
}

/// Whether another process holds a lock on a file.
fn is_locked(file: &Path) -> bool {
    let script = "import fcntl, sys\n\
                  fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB)";
    let mut python = Command::new("python3");
    let asked = python.args(["-c", script]).arg(file).stderr(Stdio::null());
    !asked.status().expect("Python").success()
}

/// The kind of file system that a file is on.
fn system_of(file: &Path) -> String {
    let mut stat = Command::new("stat");
    let system = stat.args(["--file-system", "--format=%T"]).arg(file);
    let system = system.output().expect("stat").stdout;
    String::from_utf8_lossy(&system).trim().to_owned()
}

#[test]
fn a_log_is_locked_while_its_program_writes_it() {
    let hands = Hands::new("locked", &[]);
    // On other file systems the file may be on a server, which is not queried.
    let system = system_of(&hands.log);
    let local = ["ext2/ext3", "xfs", "btrfs", "overlayfs", "tmpfs"];
    let is_local = local.contains(&&*system);
    assert_eq!(is_locked(&hands.log), is_local, "{system}");
    let mut pack = Command::new(artifacts::command());
    pack.args(["pack", "--rm", "--force"]).arg(&hands.log);
    let refused = pack.output().expect("it starts");
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(why.ends_with("still writes it\n"), "{why}");
    let log = hands.end();
    assert!(!is_locked(&log));
    assert!(pack.output().expect("it starts").status.success());
    assert!(!log.exists());
}

#[test]
fn a_log_is_locked_under_a_filter_as_containers_have_one() {
    let hands = Hands::new("filtered", &["filtered"]);
    let system = system_of(&hands.log);
    // On other file systems, a file's device may differ from the one in the mount list.
    let is_sure = ["ext2/ext3", "xfs", "tmpfs"].contains(&&*system);
    assert!(is_locked(&hands.log) || !is_sure, "{system}");
    hands.end();
}
