//! Programs that run are watched: whole screens of `aclsan top` in a terminal of 80 columns and 24 lines, its output for scripts, and what
//! `report --follow` and `leaks` say of a server that has not ended.

use crate::program::Program;
use crate::pty::Terminal;
use crate::rules::compare;
use aclsan_tests::artifacts::{self, Topology};
use regex::Regex;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server under the shim that does what its standard input says.
struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start(folder: &Path, log: &str) -> Self {
        let program = Program::new("watch/server.c");
        let binary = folder.join("program");
        if !binary.exists() {
            program.build(folder);
        }
        let options = format!(
            "summary=0:color=never:log_path='{}'",
            folder.join(log).display()
        );
        let mut command = program.command(&binary, Topology::One);
        command
            .env("LD_PRELOAD", artifacts::preload(&options))
            .env("ACLSAN_OPTIONS", options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let (to, from) = (child.stdin.take(), child.stdout.take());
        Self {
            child,
            to: to.expect("a pipe"),
            from: BufReader::new(from.expect("a pipe")),
        }
    }

    /// Sends a line and waits until it is done.
    fn order(&mut self, line: &str) {
        writeln!(self.to, "{line}").expect("it reads");
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("it answers");
        assert!(answer.starts_with("served "), "{answer}");
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a last line and waits for the end.
    fn end(mut self, line: &str) {
        writeln!(self.to, "{line}").expect("it reads");
        self.child.wait().expect("it ends");
    }
}

/// A screen that a command draws.
struct Screen {
    child: Child,
    terminal: Terminal,
    parser: vt100::Parser,
}

impl Screen {
    fn start(mut command: Command) -> Self {
        let terminal = Terminal::new(80, 24);
        command
            .env("NO_COLOR", "1")
            .env("LC_ALL", "C")
            .env("TERM", "xterm");
        Self {
            child: terminal.start(command),
            terminal,
            parser: vt100::Parser::new(
                NonZero::new(24).expect("lines"),
                NonZero::new(80).expect("columns"),
                0,
            ),
        }
    }

    fn press(&mut self, keys: &str) {
        self.terminal
            .far
            .write_all(keys.as_bytes())
            .expect("it is typed");
    }

    /// Reads what is drawn until the screen satisfies `is_there`; the screen then. The test's own limit ends a wait for what never comes.
    fn until(&mut self, is_there: impl Fn(&str) -> bool) -> String {
        loop {
            let text = self.parser.screen().contents();
            if is_there(&text) {
                return text;
            }
            let mut bytes = [0; 4096];
            let count = match self.terminal.far.read(&mut bytes) {
                Ok(count @ 1..) => count,
                _ => panic!("the screen is gone; it showed:\n{text}"),
            };
            self.parser.process(&bytes[..count]);
        }
    }

    fn has(&mut self, words: &str) -> String {
        self.until(|text| text.contains(words))
    }

    /// Leaves, and reads to the end.
    fn leave(mut self) {
        self.press("q");
        let mut rest = Vec::new();
        let _ = self.terminal.far.read_to_end(&mut rest); // ends with EIO
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn top(arguments: &[&Path]) -> Command {
    let mut command = Command::new(artifacts::command());
    command.arg("top").args(arguments).env_remove("LD_PRELOAD");
    command
}

/// Takes out of a screen what differs from run to run: process numbers, times, rates, growth, and how high the bars are.
fn normalised(screen: &str) -> String {
    let replaced = [
        (r"(?m)^aclsan top  \d+ ", "aclsan top  PID "),
        (r"\b\d+(ms|s|m\d\ds|h\d\dm)\b", "T"),
        (
            r"\b[\d.]+k? allocations and [\d.]+k? releases",
            "N allocations and N releases",
        ),
        (r"(?m)^[0-9]{80}$", "BARS"),
        (r"\b[\d.]+[KMGTPE]?/m[!?]?", "GROWTH"),
        // Rates a second: the fourth column, before the age of the oldest block.
        (
            r"(?m)^( *[\d.+-]+[KMG]? +[\d+-]+ +(?:GROWTH)? *)[\d.]+k?( |$)",
            "${1}RATE$2",
        ),
        (r"0x[0-9a-f]+", "ADDR"),
        (r"thread \d+", "thread TID"),
        (r" [^ ]*/tests/programs/", " "),
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

#[test]
fn whole_screens_of_a_server() {
    let folder = scratch("screens");
    let mut screen = Screen::start(top(&[&folder]));
    screen.has("waiting for a log");
    let mut server = Server::start(&folder, "%p.aclsan");
    server.order("serve 200");
    server.order("wrong");
    let is_current = |text: &str| text.contains("1005 events") || text.contains("double-free");
    screen.until(is_current);
    let table =
        screen.until(|text| text.contains("forget server.c") && text.contains("double-free"));
    golden("table", &table);
    // The largest site comes first: the cache.
    screen.press("\r");
    let site = screen.has("the largest live blocks");
    golden("site", &site);
    screen.press("\x1b");
    screen.has("LIVEv");
    screen.press("\t");
    golden("findings", &screen.has("has been allocated again: "));
    screen.leave();
    server.end("quit");
}
