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

use aclsan_render::units::counted;
use anyhow::bail;

use call::{Arguments, Caller};
use module::{LoaderFunctions, Read};
use nix::errno::Errno;
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
    let mut attempts = Attempts {
        target,
        shim: &shim,
        request,
        late: Vec::new(),
        read: Read::new(),
    };
    let mut reasons = Vec::new();
    'search: loop {
        for tid in attempts.threads()? {
            match attempts.on(tid)? {
                Ok(log) => return Ok(log),
                Err(reason) => reasons.push(reason),
            }
            if Instant::now() > end {
                break 'search;
            }
        }
        if Instant::now() > end {
            break;
        }
        std::thread::sleep(PAUSE);
        target.check_alive()?;
    }
    let why = reasons.pop().map_or_else(|| unseen(target), Ok)?;
    bail!(
        "no thread of process {} came to a safe point within {} ({why}); try again, or give it longer with --timeout",
        target.pid,
        counted(limit.as_secs(), "second")
    )
}

/// Why no thread was even tried.
fn unseen(target: &Target) -> anyhow::Result<String> {
    Ok(match target.threads()?.hidden {
        0 => "all of them compute".to_owned(),
        hidden => format!(
            "of {} the kernel says nothing: `/proc/{}/task/*/syscall` cannot be read",
            counted(hidden as u64, "thread"),
            target.pid
        ),
    })
}

/// Attempts on one thread after the other.
struct Attempts<'a> {
    target: &'a Target,
    shim: &'a Path,
    request: &'a Request<'a>,
    /// Threads that were asked to stop and did not in time. The kernel lets go of them when this command ends.
    late: Vec<i32>,
    read: Read,
}

impl Attempts<'_> {
    /// The threads to try. Late ones come first: one that stops meanwhile would not run until this command ends.
    fn threads(&self) -> anyhow::Result<Vec<i32>> {
        let mut threads = self.late.clone();
        let waiting = self.target.threads()?.waiting;
        threads.extend(waiting.into_iter().filter(|tid| !self.late.contains(tid)));
        Ok(threads)
    }

    /// One attempt on one thread. The inner error says why another thread is to be tried.
    fn on(&mut self, tid: i32) -> anyhow::Result<Result<PathBuf, String>> {
        let is_late = self.late.contains(&tid);
        let stopped = match is_late {
            true => Stopped::late(tid),
            false => Stopped::stop(tid),
        };
        match stopped {
            Err(Errno::ETIMEDOUT) if !is_late => self.late.push(tid),
            Err(Errno::ETIMEDOUT) => {}
            _ => self.late.retain(|late| *late != tid),
        }
        match stopped {
            Ok(_) if !self.target.has_thread(tid) => Ok(Err("it has ended".into())),
            Ok(thread) => self.on_stopped(thread),
            Err(error) => self.target.explain(error).map(Err),
        }
    }

    fn on_stopped(&mut self, thread: Stopped) -> anyhow::Result<Result<PathBuf, String>> {
        let Self {
            target,
            shim,
            request,
            ..
        } = *self;
        let functions = match safe_point::check(target, &thread, &mut self.read) {
            Ok(modules) => modules.loader_functions()?,
            Err(reason) => return Ok(Err(reason)),
        };
        call(
            Caller::new(thread, target),
            target,
            shim,
            request,
            functions,
        )
    }
}

/// Makes the calls of a request on a thread.
fn call(
    mut caller: Caller,
    target: &Target,
    shim: &Path,
    request: &Request,
    functions: LoaderFunctions,
) -> anyhow::Result<Result<PathBuf, String>> {
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
