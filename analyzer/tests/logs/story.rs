//! Logs on disk, and the command's output about them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, process};

use aclsan_log::builder::LogBuilder;
use aclsan_log::{CallSiteId, Definition, Event, Mapping, Values};
use snapbox::Data;
use snapbox::data::DataFormat;

/// A private folder for a test, removed with it.
pub struct Folder(PathBuf);

impl Folder {
    /// Named after the test, whose name is unique in this program.
    pub fn new() -> Self {
        let name = std::thread::current()
            .name()
            .unwrap_or("test")
            .replace("::", "-");
        let path = env::temp_dir().join(format!("aclsan-logs-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("inside the folder")).expect("writable");
        fs::write(&path, bytes).expect("writable");
        path
    }

    /// Runs `aclsan` with these arguments, in this folder.
    pub fn run(&self, arguments: &[&str]) -> Said {
        let output = Command::new(env!("CARGO_BIN_EXE_aclsan"))
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("GITHUB_ACTIONS")
            .env("LC_ALL", "C")
            .env_remove("GITHUB_STEP_SUMMARY")
            .output();
        Said::from(output.expect("aclsan starts"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The command's output.
#[derive(Debug)]
pub struct Said {
    pub out: String,
    pub err: String,
    pub code: i32,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            // An export need not be text.
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
            code: output.status.code().expect("not killed"),
        }
    }
}

impl Said {
    /// Asserts that standard output is what this file of the crate holds. `SNAPSHOTS=overwrite` writes the file instead.
    #[track_caller]
    pub fn prints(&self, file: &str) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        // Raw: `...` and `[..]` are no wildcards.
        let expected = Data::read_from(&file, Some(DataFormat::Text)).raw();
        snapbox::assert_data_eq!(&self.out, expected);
    }

    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The last line.
    pub fn last(&self) -> &str {
        self.out.lines().last().unwrap_or("")
    }
}

/// A log as process `pid`.
pub fn numbered(pid: u8, mut log: Vec<u8>) -> Vec<u8> {
    log[20] = pid; // of the header
    log
}

const THREAD: u32 = 7;

pub fn beginning() -> (LogBuilder, CallSiteId, CallSiteId) {
    let mut synth = LogBuilder::default();
    for (key, value) in [
        ("program", "/opt/app/train"),
        ("arguments", "train --steps 3"),
        ("host", "node1"),
    ] {
        let (key, value) = (key.to_owned(), value.to_owned());
        synth.define(Definition::Property { key, value });
    }
    synth.define(Definition::Module {
        start: 0x40_0000,
        end: 0x50_0000,
        bias: 0x40_0000,
        build_id: vec![0xab; 20],
        path: "/opt/app/train".to_owned(),
    });
    let malloc = synth.site("aclrtMalloc", 0, 0, &[0x40_1000, 0x40_2000]);
    let free = synth.site("aclrtFree", 0, 0, &[0x40_1100, 0x40_2000]);
    (synth, malloc, free)
}

/// A call that succeeded.
pub fn called(site: CallSiteId, values: &[u64]) -> Event {
    Event::Call {
        site,
        values: Values::new(values),
        status: 0,
    }
}

/// One block is released twice, two are never released, one pointer is of unknown origin.
pub fn faulty() -> LogBuilder {
    let (mut synth, malloc, free) = beginning();
    let again = synth.site("aclrtFree", 0, 0, &[0x40_1200, 0x40_2000]);
    let block = synth
        .at(1_000_000)
        .allocation(THREAD, malloc, 0x10_0000, 4096);
    synth
        .at(2_000_000)
        .event(THREAD, Event::Release { block, site: free });
    for address in [0x10_0000, 0xdead_0000] {
        let mapping = Mapping::Unknown;
        synth.at(3_000_000).event(
            THREAD,
            Event::ReleaseAt {
                site: again,
                address,
                mapping,
            },
        );
    }
    synth
        .at(4_000_000)
        .allocation(THREAD, malloc, 0x20_0000, 1000);
    synth
        .at(5_000_000)
        .allocation(THREAD, malloc, 0x30_0000, 24);
    synth.at(6_000_000).event(THREAD, Event::Exit);
    synth
}

/// Everything is released.
pub fn clean() -> LogBuilder {
    let (mut synth, malloc, free) = beginning();
    let block = synth.allocation(THREAD, malloc, 0x10_0000, 4096);
    synth
        .at(10)
        .event(THREAD, Event::Release { block, site: free });
    synth.event(THREAD, Event::Exit);
    synth
}

/// Three blocks of a page, at 1, 2 and 3 MiB, all live at the end.
pub fn apart() -> LogBuilder {
    let (mut synth, malloc, _) = beginning();
    for address in [0x10_0000, 0x20_0000, 0x30_0000] {
        synth.allocation(THREAD, malloc, address, 4000);
    }
    synth.event(THREAD, Event::Exit);
    synth
}

/// A process that never called AscendCL.
pub fn idle() -> LogBuilder {
    let (mut synth, ..) = beginning();
    synth.event(THREAD, Event::Exit);
    synth
}
