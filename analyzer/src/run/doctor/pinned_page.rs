//! Tries to protect one page of the runtime's page-locked memory, as `host_access=trap` does: in a process of its own, since the runtime
//! takes a device for it.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Doctor;
use crate::run::doctor::runtime::{Runtime, Topology};

/// The shim tries the page at the exit of a process that has this variable (`shim/calls/ascend/pinned_page.rs`).
const VARIABLE: &str = "ACLSAN_TRY_PINNED_PAGE";
/// Begins the line with the answer.
const MARK: &str = "aclsan: pinned page: ";
/// How long a runtime may take to take a device.
const PATIENCE: Duration = Duration::from_secs(20);

impl Doctor {
    /// `library_path` replaces `LD_LIBRARY_PATH`.
    pub(super) fn check_pinned_page(
        &mut self,
        shim: &Path,
        runtime: &Runtime,
        library_path: Option<&str>,
    ) {
        let library = runtime
            .libraries
            .iter()
            .find(|library| library.has("aclrtMallocHost"));
        let (Some(library), true) = (library, runtime.topology() != Topology::None) else {
            return;
        };
        let fact = match answer(shim, &library.path, library_path).as_deref() {
            Some("protected") => {
                "a page of it can be protected: `host_access=trap` sees accesses of the CPU"
                    .to_owned()
            }
            Some("refused") => {
                "the kernel does not protect pages of it: `host_access=trap` sees nothing there"
                    .to_owned()
            }
            Some(why) => format!("no page of it was tried: {why}"),
            None => return,
        };
        self.fact("pinned", fact);
    }
}

/// What the shim says; `None` if it says nothing, as one of another version does.
fn answer(shim: &Path, library: &Path, library_path: Option<&str>) -> Option<String> {
    let mut command = Command::new("/proc/self/exe");
    command
        .arg("--version")
        .env("LD_PRELOAD", shim)
        .env("ACLSAN_OPTIONS", "lang=en")
        .env(VARIABLE, library)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if let Some(path) = library_path {
        command.env("LD_LIBRARY_PATH", path);
    }
    let mut child = command.spawn().ok()?;
    let began = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if began.elapsed() > PATIENCE {
            child.kill().ok()?;
            child.wait().ok()?;
            return Some("the runtime did not answer".to_owned());
        }
        thread::sleep(Duration::from_millis(10));
    }
    let mut said = Vec::new();
    child.stderr.take()?.read_to_end(&mut said).ok()?;
    let said = String::from_utf8_lossy(&said);
    let answer = said
        .lines()
        .find_map(|line| Some(line.split_once(MARK)?.1))?;
    Some(answer.to_owned())
}
