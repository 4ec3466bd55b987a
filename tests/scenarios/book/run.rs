//! Runs the commands of a page in a folder of its own.

use aclsan_left_out::left_out;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aclsan_tests::artifacts::{self, Topology};

use crate::blocks::{self, Block};
use crate::normalize;
use crate::quote::Quotes;

/// The language of a page, and of what its commands print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tongue {
    English,
    Chinese,
}

/// The demo's findings, for README.md: it starts with `cargo build`, which does not run here.
const DEMO: &str = "aclsan demo\n";

/// A program that the reader has, in pages that do not write one.
const SCRIPT: &str = "import acl
acl.init()
acl.rt.set_device(0)
block, _ = acl.rt.malloc(4096, acl.ACL_MEM_MALLOC_HUGE_FIRST)
acl.rt.free(block)
acl.rt.reset_device(0)
acl.finalize()
";

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("tests is in the root").to_owned()
}

/// A file of the project.
pub fn read(name: &str) -> String {
    let path = root().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a page's commands and checks its quotations.
pub fn page(name: &str, tongue: Tongue) {
    let page = read(name);
    let blocks = blocks::of(&page);
    let folder = artifacts::scratch(&format!("book-{}", name.replace('/', "-")));
    furnish(&folder, &page);
    let mut quotes = Quotes::default();
    let mut printed = name
        .starts_with("README")
        .then(|| shell(DEMO, &folder, tongue));
    for block in &blocks {
        if let Some(file) = block.file() {
            fs::write(folder.join(file), &block.text).expect("writable");
        } else if block.runs() {
            printed = has_tools(&block.text).then(|| shell(&block.text, &folder, tongue));
        } else if let (Some(output), Some(printed)) = (&block.output, &printed) {
            quotes.check(name, block, output.select(printed));
        }
    }
    quotes.write(&root().join(name), &page);
}

/// Programs and logs that the page takes for granted.
fn furnish(folder: &Path, page: &str) {
    let simulator = artifacts::folder().join("simulator");
    fs::copy(simulator.join("demo"), folder.join("app")).expect("the demo is a program");
    fs::write(folder.join("train.py"), SCRIPT).expect("writable");
    if page.contains("model.om") {
        let writer = folder.join("write-model");
        let mut cc = Command::new("cc");
        cc.arg(root().join("tests/programs/om/write.c"));
        cc.arg("-I").arg(simulator.join("include"));
        cc.arg("-L")
            .arg(Topology::One.libraries())
            .arg("-lascendcl");
        succeed(cc.arg("-o").arg(&writer));
        let mut write = Command::new(&writer);
        write.env("LD_LIBRARY_PATH", Topology::One.libraries());
        succeed(write.arg(folder.join("model.om")));
    }
    let makes_its_own = page.contains("-o logs/app.aclsan");
    if page.contains("logs/app.aclsan") && !makes_its_own {
        shell(
            "aclsan run --no-report -o logs/app.aclsan -- ./app",
            folder,
            Tongue::English,
        );
    }
}

fn succeed(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Whether the commands find the programs that they call.
fn has_tools(commands: &str) -> bool {
    let needed = ["c++", "make", "python3"]
        .into_iter()
        .filter(|program| commands.contains(&format!("{program} ")));
    needed.into_iter().all(|program| {
        let is_there = Command::new(program).arg("--version").output().is_ok();
        if !is_there {
            left_out(format_args!("there is no {program}"));
        }
        is_there
    })
}

/// Lets a line that only calls `aclsan` exit with 1: its log has findings.
fn tolerant(commands: &str) -> String {
    let lines = commands.lines().map(|line| {
        let command = line.split(" #").next().unwrap_or_default().trim_end();
        let is_plain = command.starts_with("aclsan ") && !command.contains(['|', '&', ';', '\'']);
        match is_plain || command.starts_with("aclsan diff") {
            true => format!("{command} || [ $? -eq 1 ]\n"),
            false => format!("{line}\n"),
        }
    });
    lines.collect()
}

/// What commands print to both streams, made the same for every run.
///
/// The simulator's libraries are in the loader's path, as CANN's are where there is an NPU: so commands without `--simulate` work.
fn shell(commands: &str, folder: &Path, tongue: Tongue) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(artifacts::folder().clone()).chain(std::env::split_paths(&path));
    let path: OsString = std::env::join_paths(path).expect("no colons in them");
    let script = format!("exec 2>&1\n{}", tolerant(commands));
    let mut shell = Command::new("timeout");
    shell
        .args(["120", "sh", "-ec", &script])
        .current_dir(folder);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let is_ours = ["ACLSIM_", "ACLSAN_", "GITHUB_", "LC_", "LANG"]
            .iter()
            .any(|start| name.starts_with(start));
        if is_ours || ["PYTHONPATH", "SNAPSHOTS", "COLUMNS", "LD_PRELOAD"].contains(&&*name) {
            shell.env_remove(&name);
        }
    }
    // Not `LC_ALL`: bash warns of a locale that is not installed.
    let locale = match tongue {
        Tongue::English => "C",
        Tongue::Chinese => "zh_CN.UTF-8",
    };
    shell
        .env("PATH", path)
        .env("LANG", locale)
        .env("COLUMNS", "100");
    shell.env("LD_LIBRARY_PATH", Topology::One.libraries());
    let output = shell.output().expect("timeout starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{commands}\n{:?}\n{printed}",
        output.status
    );
    normalize::output(&printed, folder, artifacts::folder(), &root())
}

/// As in pages: a block's text without what a translation may change.
pub fn without_comments(block: &Block) -> String {
    let lines = block.text.lines().map(|line| {
        let code = line.split(" #").next().unwrap_or_default();
        code.trim_end().to_owned() + "\n"
    });
    lines.collect()
}
