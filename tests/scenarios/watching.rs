//! Programs that run are watched: whole screens of `aclsan top` in a terminal of 80 columns and 24 lines, its output for scripts, and what
//! `report --follow` and `leaks` say of a server that has not ended.

mod keys; // every key, and screens of other sizes

use crate::program::Program;
use crate::pty::Terminal;
use crate::rules::compare;
use crate::server::Server;
use aclsan_tests::artifacts::{self, Topology};
use regex::Regex;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A screen that a command draws.
struct Screen {
    child: Child,
    terminal: Terminal,
    drawn: Receiver<Vec<u8>>,
    /// Bytes of a frame that is not whole yet.
    rest: Vec<u8>,
    parser: vt100::Parser,
}

/// The end of a frame, for terminals that show frames whole.
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// How long something is waited for.
const LIMIT: Duration = Duration::from_secs(60);

impl Screen {
    fn start(mut command: Command) -> Self {
        let terminal = Terminal::new(80, 24);
        command
            .env("NO_COLOR", "1")
            .env("LC_ALL", "C")
            .env("TERM", "xterm");
        let child = terminal.start(command);
        let mut far = terminal.far.try_clone().expect("a descriptor");
        let (send, drawn) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Ends with EIO.
            while let Ok(count @ 1..) = far.read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let [lines, columns] = [24, 80].map(|size| NonZero::new(size).expect("a size"));
        Self {
            child,
            terminal,
            drawn,
            rest: Vec::new(),
            parser: vt100::Parser::new(lines, columns, 0),
        }
    }

    fn resize(&mut self, columns: u16, lines: u16) {
        self.terminal.resize(columns, lines);
        let [lines, columns] = [lines, columns].map(|size| NonZero::new(size).expect("a size"));
        self.parser.set_size(lines, columns);
    }

    fn press(&mut self, keys: &str) {
        let typed = self.terminal.far.write_all(keys.as_bytes());
        typed.expect("it is typed");
    }

    /// Reads what is drawn until the screen satisfies `is_there`; the screen then.
    fn until(&mut self, is_there: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + LIMIT;
        loop {
            let text = self.parser.screen().contents();
            if is_there(&text) {
                return text;
            }
            let rest = until.saturating_duration_since(Instant::now());
            match self.drawn.recv_timeout(rest) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => panic!("it does not come; the screen shows:\n{text}"),
            }
        }
    }

    /// Draws the frames that are whole.
    fn take(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let is_end = |bytes: &[u8]| bytes == FRAME_END;
        if let Some(at) = self.rest.windows(FRAME_END.len()).rposition(is_end) {
            let frames: Vec<u8> = self.rest.drain(..at + FRAME_END.len()).collect();
            self.parser.process(&frames);
        }
    }

    fn has(&mut self, words: &str) -> String {
        self.until(|text| text.contains(words))
    }

    /// Leaves, and reads to the end.
    fn leave(mut self) {
        self.press("q");
        while self.drawn.recv_timeout(LIMIT).is_ok() {}
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn top(arguments: &[&Path]) -> Command {
    let mut command = Command::new(artifacts::command());
    command.arg("top").args(arguments).env_remove("LD_PRELOAD");
    command
}

/// Takes out of a screen what differs from run to run: process numbers, times, rates, growth, which may not be sure yet, and how high the bars are.
fn normalised(screen: &str) -> String {
    let replaced = [
        (r"(?m)^aclsan top  \d+ ", "aclsan top  PID "),
        (r"\b\d+(ms|s|m\d\ds|h\d\dm)\b", "T"),
        // In which of them blocks are depends on how fast the test is.
        (r"(?m)^ *[<>]=? +T .*$", "AGES"),
        (
            r"\b[\d.]+k? allocations and [\d.]+k? releases",
            "N allocations and N releases",
        ),
        (r"(?m)^[0-9]{80}$", "BARS"),
        (r"\b[\d.]+[KMGTPE]?/m[!?]?", ""),
        // Rates a second: the fourth column, before the age of the oldest block.
        (
            r"(?m)^( *[\d.+-]+[KMG]? +[\d+-]+ + *)[\d.]+k?( |$)",
            "${1}RATE$2",
        ),
        (r"0x[0-9a-f]+", "ADDR"),
        (r"thread \d+", "thread TID"),
        (r" [^ ]*/tests/programs/", " "),
        // How much of a message fits depends on the time before it.
        (r"(?m)^(T [a-z]+: [^`\n]*: ).*$", "${1}MESSAGE"),
        (r"  +", "  "),
        (r"\d+ events", "N events"),
    ];
    let mut text = screen.to_owned();
    for (pattern, by) in replaced {
        let pattern = Regex::new(pattern).expect("a regular expression");
        text = pattern.replace_all(&text, by).into_owned();
    }
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn golden(name: &str, screen: &str) {
    let file = format!("programs/watch/{name}.screen");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let shown = normalised(screen);
    compare(&file, &shown).unwrap_or_else(|difference| panic!("{difference}\n{screen}"));
}

fn scratch(name: &str) -> PathBuf {
    artifacts::scratch(&format!("watching-{name}"))
}

/// What a command prints, and how it ends.
fn printed(arguments: &[&str], folder: &Path) -> (String, i32) {
    let mut command = Command::new(artifacts::command());
    command.args(arguments).arg(folder).env("LC_ALL", "C");
    let output = command.env_remove("LD_PRELOAD").output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code().expect("it exits"))
}

fn numbers(folder: &Path) -> Value {
    let (text, code) = printed(&["top", "--json"], folder);
    assert_eq!(code, 0, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn whole_screens_of_a_server() {
    let folder = scratch("screens");
    let mut screen = Screen::start(top(&[&folder]));
    screen.has("waiting for a log");
    let mut server = Server::start(&folder, "%p.aclsan");
    server.order("serve 200");
    server.order("wrong");
    let is_whole = |text: &str| text.contains("< forget") && text.contains("E1 W0");
    golden("table", &screen.until(is_whole));
    screen.press("\t");
    let is_page = |text: &str| text.contains("Esc back") && text.contains("double-free wrong");
    golden("findings", &screen.until(is_page));
    screen.press("\x1b");
    // Only what changed since a mark: 30 requests forgot 30 blocks.
    screen.has("h help");
    screen.press("m");
    screen.has("d shows what changed since");
    server.order("serve 30");
    screen.press("d");
    let changed = screen.until(|text| text.contains("+30 ") && text.contains("+1.88M"));
    golden("changes", &changed);
    screen.press("d/forget\r");
    let found = screen.until(|text| {
        text.contains("/forget  Esc shows everything") && !text.contains("< remember")
    });
    assert!(found.contains("230"), "{found}");
    screen.press("\r");
    let is_site = |text: &str| text.contains("live blocks by age") && text.contains("230");
    golden("site", &screen.until(is_site));
    screen.press("\x1b[6~");
    screen.has("thread ");
    screen.press("\x1b");
    screen.has("h help");
    screen.press("h");
    golden("help", &screen.has("GROWTH is what is added"));
    screen.press("\x1b");
    screen.has("h help");
    screen.press("\x1b");
    screen.has("< remember");
    screen.press("f");
    screen.has("FUNCTION");
    let pid = server.pid();
    server.end("abort");
    screen.has(&format!("{pid} program: was ended by signal 6"));
    screen.leave();
}

#[test]
fn ranks_that_begin_later_are_added_up() {
    let folder = scratch("ranks");
    let mut screen = Screen::start(top(&[&folder]));
    screen.has("waiting for a log");
    let mut ranks: Vec<Server> = Vec::new();
    for rank in 0..8 {
        let mut server = Server::start(&folder, &format!("rank{rank}-%p.aclsan"));
        server.order("serve 10");
        ranks.push(server);
    }
    screen.has("8 processes, 8 of them run");
    screen.has("live 85.0 MiB");
    let last = ranks.pop().expect("a rank");
    last.end("quit");
    screen.has("8 processes, 7 of them run");
    let killed = ranks.pop().expect("a rank");
    killed.end("abort");
    screen.has("1 was killed");
    screen.leave();
    ranks.into_iter().for_each(|rank| rank.end("quit"));
}

#[test]
fn scripts_get_one_screen_or_the_numbers() {
    let folder = scratch("scripts");
    assert_eq!(printed(&["top", "--once"], &folder).1, 3, "no log yet");
    let mut server = Server::start(&folder, "server.aclsan");
    server.order("serve 100");
    let (screen, code) = printed(&["top", "--once"], &folder);
    assert_eq!(code, 0);
    assert!(screen.contains(" program: runs "), "{screen}");
    let state = numbers(&folder);
    assert_eq!(state["processes"][0]["state"], "runs");
    let live = |state: &Value, place: &str| {
        let sites = state["sites"].as_array().expect("sites").iter();
        let mut of_place =
            sites.filter(|site| site["label"].as_str().unwrap_or("").contains(place));
        of_place.next().expect("the site")["live_blocks"].clone()
    };
    assert_eq!(
        (live(&state, "< forget"), live(&state, "< remember")),
        (100.into(), 64.into())
    );
    // A process is named by its number, too; the log is found in its memory.
    let mut by_number = Command::new(artifacts::command());
    by_number.args(["top", "--json", &server.pid().to_string()]);
    let output = by_number
        .env_remove("LD_PRELOAD")
        .output()
        .expect("it runs");
    let same: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(live(&same, "< forget"), 100);
    server.end("quit");
    let state = numbers(&folder);
    assert_eq!(state["processes"][0]["state"], "exited");
    // The reset at its end has reclaimed everything.
    assert_eq!(live(&state, "< forget"), 0);
}

#[test]
fn what_a_running_program_holds_is_live_and_no_leak() {
    let folder = scratch("leaks");
    let mut server = Server::start(&folder, "server.aclsan");
    server.order("serve 100");
    let (text, code) = printed(&["leaks"], &folder);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("100 blocks, 6553600 bytes in all, are live now"),
        "{text}"
    );
    assert!(!text.contains("never released"), "{text}");
    assert!(!printed(&["report"], &folder).0.contains("never released"));
    server.end("quit");
    let (text, code) = printed(&["leaks"], &folder);
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("100 blocks, 6553600 bytes in all, were never released"),
        "{text}"
    );
}

#[test]
fn report_follows_a_server_to_its_end() {
    let folder = scratch("follow");
    let mut command = Command::new(artifacts::command());
    command.args(["report", "--follow"]).arg(&folder);
    command.env("LC_ALL", "C").env_remove("LD_PRELOAD");
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    let mut server = Server::start(&folder, "server.aclsan");
    let pid = server.pid();
    assert!(next().starts_with(&format!("log of {pid} ")));
    server.order("wrong");
    assert!(next().contains("[double-free] wrong server.c:"));
    server.order("serve 3");
    server.end("quit");
    assert_eq!(next(), format!("{pid} program has exited"));
    let rest: Vec<String> = lines.map(|line| line.expect("text")).collect();
    let rest = rest.join("\n");
    assert!(
        rest.contains("3 blocks, 196608 bytes in all, were never released"),
        "{rest}"
    );
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn a_program_is_started_and_watched_by_one_command() {
    let folder = scratch("run");
    let program = Program::new("watch/server.c");
    let binary = program.build(&folder);
    let mut command = Command::new(artifacts::command());
    command.args(["top", "--json", "--run", "--"]).arg(&binary);
    command.env("LD_LIBRARY_PATH", Topology::One.libraries());
    let output = command
        .current_dir(&folder)
        .env_remove("LD_PRELOAD")
        .output();
    let output = output.expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr);
    let state: Value = serde_json::from_slice(&output.stdout).expect(&text);
    assert_eq!(state["processes"][0]["state"], "exited", "{text}");
    assert!(text.contains("what the program printed is in"), "{text}");
}
