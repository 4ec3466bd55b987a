//! Brings the shim into a running process, and ends the watch, by ptrace and without a debugger.
//!
//! One thread is stopped where it waits in a system call of libc, outside malloc, the loader and forks ([`safe_point`]). It calls `dlopen`
//! and the shim's own function there ([`call`]), gets its registers back, and waits on. All other threads run meanwhile. A thread that is not
//! at such a place is let go at once, and the next one is tried, until the time is up.

mod call;
pub mod examination;
mod memory;
mod module;
mod registers;
mod safe_point;
mod target;
mod thread;
mod unwind;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::bail;

use call::{Arguments, Caller};
pub use target::Target;
use thread::Stopped;

/// Between two looks at all threads.
const PAUSE: Duration = Duration::from_millis(5);
/// Room for what the shim answers.
const ANSWER: usize = 4096;

/// What the shim is asked to do.
pub enum Request<'a> {
    /// To watch, with these options.
    Attach(&'a str),
    /// To end the watch.
    Detach,
}

/// Loads the shim into the process, if it is not there, and makes a request. Returns the log's path, as the process sees it.
///
/// # Errors
/// If the process cannot be attached to, no thread comes to a safe point in time, or the shim refuses.
pub fn request(
    target: &Target,
    shim: &Path,
    request: &Request,
    limit: Duration,
) -> anyhow::Result<PathBuf> {
    let shim = target.visible(shim, matches!(request, Request::Attach(_)))?;
    let end = Instant::now() + limit;
    let mut reasons = Vec::new();
    loop {
        for tid in target.waiting_threads()? {
            match attempt(target, tid, &shim, request, end)? {
                Ok(log) => return Ok(log),
                Err(reason) => reasons.push(reason),
            }
        }
        if Instant::now() > end {
            break;
        }
        std::thread::sleep(PAUSE);
        target.check_alive()?;
    }
    let why = reasons
        .pop()
        .unwrap_or_else(|| "all of them compute".to_owned());
    bail!(
        "no thread of process {} came to a safe point within {} seconds ({why}); try again, or give it longer with --timeout",
        target.pid,
        limit.as_secs()
    )
}

/// One attempt on one thread. The inner error says why another thread is to be tried.
fn attempt(
    target: &Target,
    tid: i32,
    shim: &Path,
    request: &Request,
    end: Instant,
) -> anyhow::Result<Result<PathBuf, String>> {
    let thread = match Stopped::stop(tid) {
        Ok(thread) => thread,
        Err(error) => return target.explain(tid, error).map(Err),
    };
    let modules = match safe_point::check(target, &thread) {
        Ok(modules) => modules,
        Err(reason) => return Ok(Err(reason)),
    };
    let functions = modules.loader_functions()?;
    let mut caller = Caller::new(thread, target, end);
    let mode = match request {
        Request::Attach(_) => nix::libc::RTLD_NOW,
        Request::Detach => nix::libc::RTLD_NOW | nix::libc::RTLD_NOLOAD,
    };
    let path = shim.as_os_str().as_encoded_bytes();
    let handle = caller.call(
        functions.dlopen,
        &Arguments::new().text(path).number(mode as u64),
    )?;
    if handle == 0 {
        if matches!(request, Request::Detach) {
            bail!("process {} is not attached to", target.pid);
        }
        let text = caller.call(functions.dlerror, &Arguments::new())?;
        bail!(
            "process {} cannot load the library: {}",
            target.pid,
            caller.text_at(text, ANSWER)
        );
    }
    let name = match request {
        Request::Attach(_) => "aclsan_attach",
        Request::Detach => "aclsan_detach",
    };
    let symbol = Arguments::new().number(handle).text(name.as_bytes());
    let function = caller.call(functions.dlsym, &symbol)?;
    if function == 0 {
        bail!(
            "`{}` in process {} is of another version, without `{name}`: restart the process, or use that version's command",
            shim.display(),
            target.pid
        );
    }
    let arguments = match request {
        Request::Attach(options) => Arguments::new().text(options.as_bytes()),
        Request::Detach => Arguments::new(),
    };
    let arguments = arguments.room(ANSWER).number(ANSWER as u64);
    let status = caller.call(function, &arguments)? as i32;
    let answer = caller.answer(ANSWER);
    drop(caller);
    match status {
        0 => Ok(Ok(PathBuf::from(answer))),
        _ if answer.ends_with("try again") => Ok(Err(answer)),
        _ => bail!("process {}: {answer}", target.pid),
    }
}
