//! `aclsan ctl` from inside, with `control=1`: a thread that waits at a socket beside the log and does what it is asked.
//!
//! The thread begins with the first call of the process and blocks all signals, so that no handler of the program runs on it. It never calls
//! the runtime: guards are checked by the program's next call, on a thread that has a device.

use super::snapshot;
use crate::heap::{record_call, stopped};
use crate::record::{Hook, Recorder, Recording};
use crate::runtime::next::Interceptor;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use crate::state::settings;
use crate::state::thread;
use aclsan_log::Definition;
use aclsan_options::Guard;
use aclsan_os::control_socket::ControlSocket;
use aclsan_os::status::{self, IDLE, STATE, STOPPED};
use aclsan_os::{futex, signal, stderr, stopped_threads, thread_name};
use aclsan_rules::api::functions;
use aclsan_unwind::registers;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};
use std::time::Duration;

/// Bytes of the thread's stack.
const STACK: usize = 256 << 10;
/// Time that the first call waits for the thread.
const START_PATIENCE: Duration = Duration::from_secs(1);
/// Time that a check may wait for the program's next call.
const CHECK_PATIENCE: Duration = Duration::from_secs(3);

/// Listens, and starts the thread, at the first call of the process: before it returns, so that the program's next descriptor has the number
/// that it would have had.
#[cold]
pub fn begin() {
    let Some(_inside) = ReentrancyGuard::enter() else {
        return; // The next call does it.
    };
    if !status::take_control_request() {
        return;
    }
    let process = Process::current();
    let Some(socket) = thread::run_on_big_stack(|| listen(process)) else {
        return;
    };
    HAS_STARTED.store(0, Relaxed);
    let thread = std::thread::Builder::new();
    let thread = thread.name("aclsan-control".into()).stack_size(STACK);
    if let Err(error) = signal::with_all_blocked(|| thread.spawn(|| serve(socket))) {
        socket.end();
        socket.close();
        return warn(&error.to_string());
    }
    futex::wait_while(&HAS_STARTED, 0, START_PATIENCE);
}

/// Whether the thread has allocated: the first allocation of a process's second thread opens a file in glibc (`arena_get2` asks for the number
/// of processors).
static HAS_STARTED: AtomicU32 = AtomicU32::new(0);
/// The socket of this process's latest control thread.
static SERVED: AtomicPtr<ControlSocket> = AtomicPtr::new(std::ptr::null_mut());

/// In a forked child: the thread is the parent's. The child's own begins with its first call.
pub fn forked() {
    // SAFETY: null, or part of a state that is never freed.
    if let Some(socket) = unsafe { SERVED.load(Relaxed).as_ref() } {
        socket.close();
    }
    stopped_threads::leave_out(0);
    if settings::current().control {
        status::request_control();
    }
}

/// The process ends, or the watch.
pub fn end(process: &Process) {
    if let Some(socket) = process.log.control.get() {
        socket.end();
    }
}

fn warn(why: &str) {
    stderr::warning(&format!(
        "option `control`: `aclsan ctl` cannot reach this process ({why})"
    ));
}

/// Opens the socket beside the log.
fn listen(process: &'static Process) -> Option<&'static ControlSocket> {
    // The log has a name only once something is in it.
    process.log.sink.define(&Definition::Property {
        key: "control".into(),
        value: "1".into(),
    });
    let mut path = OsString::from(process.log.sink.path()?);
    path.push(".ctl");
    match ControlSocket::bind(&PathBuf::from(path)) {
        Ok(socket) => {
            let socket = process.log.control.get_or_init(|| socket);
            SERVED.store(std::ptr::from_ref(socket).cast_mut(), Relaxed);
            Some(socket)
        }
        Err(error) => {
            warn(&error.to_string());
            None
        }
    }
}

fn serve(socket: &ControlSocket) {
    stopped_threads::leave_out(thread_name::current_tid());
    drop(std::hint::black_box(Box::new([0_u8; 64])));
    HAS_STARTED.store(1, Release);
    futex::wake_all(&HAS_STARTED);
    while let Some(client) = socket.next_client() {
        let answer = match answer(&client.line) {
            Ok(done) => format!("ok {done}\n"),
            Err(why) => format!("no {why}\n"),
        };
        client.answer(&answer);
    }
    socket.close();
}

fn answer(line: &str) -> Result<String, String> {
    if STATE.load(Relaxed) & IDLE != 0 {
        return Err("the watch of this process has ended".into());
    }
    let (what, value) = line.split_once(' ').unwrap_or((line, ""));
    match what {
        "start" => recorded("aclsan_start", stopped::start).map(|changed| match changed {
            true => "recording has started".into(),
            false => "recording was on already".into(),
        }),
        "stop" => recorded("aclsan_stop", stopped::stop).map(|changed| match changed {
            true => "recording has stopped".into(),
            false => "recording was stopped already".into(),
        }),
        "snapshot" => {
            let name = if value.is_empty() {
                "aclsan ctl"
            } else {
                value
            };
            let (blocks, bytes) = recorded("aclsan_snapshot", |recorder| {
                let name = recorder.string_id(name);
                snapshot::record(recorder, name)
            })?;
            Ok(format!("{bytes} bytes in {blocks} blocks are live"))
        }
        "mark" => {
            recorded("mstxMarkA", |recorder| {
                let name = recorder.string_id(value);
                record_call(recorder, 0, &[0, name, 0], 0);
            })?;
            Ok(format!("`{value}` is marked"))
        }
        "check" => check(),
        "set" => settings::set(value).map(|()| format!("`{value}` is set")),
        _ => Err(format!(
            "this process does not know `{what}`: its libaclsan.so is another version's"
        )),
    }
}

/// Runs `body` as a call of `function` on this thread; the reason if nothing is recorded any more.
fn recorded<T>(function: &str, body: impl FnMut(&mut Recorder) -> T) -> Result<T, String> {
    static ROW: Interceptor = Interceptor::unforwarded(functions::number("aclsan_snapshot"));
    let recording = Recording::of(STATE.load(Relaxed) & !STOPPED);
    let hook = recording.and_then(|recording| Hook::enter(&ROW, registers::here(), recording));
    let hook = hook.zip(functions::function(function));
    let done = hook.and_then(|(hook, known)| hook.into_call(known.number()).record(body));
    done.ok_or_else(|| "nothing is recorded any more: an earlier warning says why".into())
}

fn check() -> Result<String, String> {
    if settings::current().guard() == Guard::Off {
        return Err("there are no guards to check: start the program with `guard=rear`".into());
    }
    let before = snapshot::taken();
    status::request_snapshot();
    match snapshot::wait_for_next(&before, CHECK_PATIENCE) {
        Some(damaged) => Ok(damaged.to_string()),
        None => Err("the check is pending: the program makes it with its next call into AscendCL, on a thread that has a device".into()),
    }
}
