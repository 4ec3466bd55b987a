//! One log and one set of suppressions: `run`, `report`, `check`, `serve` and `top` come to the same findings.

use crate::program::Program;
use aclsan_tests::artifacts::{self, Topology};
use aclsan_tests::serving::Serving;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Rule of a finding, the function that it is in, and how often it occurred.
type Told = BTreeSet<(String, &'static str, u64)>;

/// A library with the name of one of CANN's, which keeps a block.
const LIBRARY: &str = "
int aclrtMalloc(void **, unsigned long, int);
void keep(void) { static void *table; aclrtMalloc(&table, 1 << 20, 0); table = 0; }
";

fn told(report: &Value) -> Told {
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .map(|of| {
            let text = of.to_string();
            let functions = ["accepted", "fresh", "keep"].into_iter();
            let function = functions
                .filter(|name| text.contains(name))
                .collect::<Vec<_>>();
            let [function] = function[..] else {
                panic!("{function:?}: {of:#}");
            };
            let rule = of["rule"].as_str().expect("a name").to_owned();
            (rule, function, of["count"].as_u64().expect("a number"))
        })
        .collect()
}

struct Known {
    folder: PathBuf,
    suppressing: Vec<&'static str>,
}

impl Known {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(artifacts::command());
        command
            .args(arguments)
            .args(&self.suppressing)
            .current_dir(&self.folder)
            .env("LC_ALL", "C")
            .env("ACLSAN_LIB", artifacts::shim())
            .env("LD_LIBRARY_PATH", Topology::One.libraries())
            .env_remove("LD_PRELOAD")
            .env_remove("ACLSAN_OPTIONS");
        command
    }

    /// What a command writes to standard output, as JSON.
    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.command(arguments).arg("out").output();
        let output = output.expect("it runs").stdout;
        serde_json::from_slice(&output).expect("JSON")
    }

    fn run(&self) -> Told {
        let _ = std::fs::remove_dir_all(self.folder.join("out"));
        let mut command = self.command(&["run", "--json", "run.json", "-o", "out/"]);
        command.args(["--", "./program", "./libopapi_math.so"]);
        let output = command.output().expect("it runs");
        let text = std::fs::read(self.folder.join("run.json"));
        let text = text.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        told(&serde_json::from_slice(&text).expect("JSON"))
    }
}

fn is_leak(found: &(String, &str, u64)) -> bool {
    found.0.starts_with("leak")
}

/// The answer to a request for `path`, once `is_there`.
fn answer(serving: &Serving, path: &str, is_there: impl Fn(&str) -> bool) -> String {
    let began = Instant::now();
    loop {
        let answer = serving.get(path);
        if is_there(&answer) {
            return answer;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{answer}");
        thread::park_timeout(Duration::from_millis(50));
    }
}

#[test]
fn all_commands_come_to_the_same_findings_of_a_log() {
    let folder = artifacts::scratch("verdicts");
    Program::new("watch/known.c").build(&folder);
    std::fs::write(folder.join("library.c"), LIBRARY).expect("it is written");
    std::fs::write(folder.join("known.txt"), "*:accepted\n").expect("it is written");
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    cc.args([
        "-g",
        "-shared",
        "-fPIC",
        "-o",
        "libopapi_math.so",
        "library.c",
    ]);
    let built = cc.current_dir(&folder).status().expect("a C compiler");
    assert!(built.success());
    let known = ["--suppressions", "known.txt"];
    let all = ["--no-builtin-suppressions"];
    // Of either function a double release and a leak; and the library's leak.
    for (suppressing, double_frees, leaks) in [
        (all.to_vec(), 2, 3),
        (Vec::new(), 2, 2),
        ([&all[..], &known[..]].concat(), 1, 2),
        (known.to_vec(), 1, 1),
    ] {
        let commands = Known {
            folder: folder.clone(),
            suppressing,
        };
        let of_run = commands.run();
        let count = |told: &Told, rule: &str| told.iter().filter(|found| found.0 == rule).count();
        assert_eq!(count(&of_run, "double-free"), double_frees, "{of_run:#?}");
        assert_eq!(
            of_run.iter().filter(|found| is_leak(found)).count(),
            leaks,
            "{of_run:#?}"
        );
        assert_eq!(told(&commands.json(&["report", "--json"])), of_run);
        assert_eq!(told(&commands.json(&["check", "--json"])), of_run);
        // While it could go on, nothing is called a leak.
        let now = of_run
            .iter()
            .filter(|found| !is_leak(found) && found.0 != "waste");
        let now: Told = now.cloned().collect();
        assert_eq!(told(&commands.json(&["top", "--json"])), now);
        served(&commands, &of_run, &now);
    }
}

/// The metrics have what `top` has, and the page what `report` has.
fn served(commands: &Known, of_run: &Told, now: &Told) {
    let serving = Serving::by(
        Command::new(artifacts::command()),
        &absolute(&commands.folder, &commands.suppressing)
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
        &commands.folder.join("out"),
    );
    let metrics = answer(&serving, "/metrics", |text| {
        text.contains("aclsan_calls_total{")
    });
    let counted = metrics
        .lines()
        .filter(|line| line.starts_with("aclsan_findings_total{"));
    let counted: u64 = counted
        .map(|line| {
            line.rsplit(' ')
                .next()
                .and_then(|count| count.parse::<u64>().ok())
                .expect("a number")
        })
        .sum();
    assert_eq!(
        counted,
        now.iter().map(|found| found.2).sum::<u64>(),
        "{metrics}"
    );
    let page = answer(&serving, "/report", |text| {
        text.starts_with("HTTP/1.1 200 ")
    });
    let sentences = page.matches("tr id=\"finding-").count();
    assert_eq!(sentences, of_run.len());
}

fn absolute(folder: &Path, suppressing: &[&str]) -> Vec<String> {
    let path = |word: &&str| match word.ends_with(".txt") {
        true => folder.join(word).display().to_string(),
        false => (*word).to_owned(),
    };
    suppressing.iter().map(path).collect()
}
