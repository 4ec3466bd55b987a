//! The server of `aclsan serve`: metrics and reports of watched programs, over HTTP.
//!
//! One thread reads logs, one makes reports of them, and one answers each connection, with bounds on everything: connections, the size and
//! time of a request's head, the time of an answer. A request never waits for a log: it gets what was finished last, and its age.

mod metrics;
mod page;
mod request;
mod slots;

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::json;

use crate::io::descriptors;
use crate::policy::suppress::Suppressions;
use crate::watch::state::State;
use crate::watch::{LOOK_INTERVAL, Watch};
use request::Request;
use slots::{Deadline, Slot, Slots};

/// Time between two states.
const STATE_INTERVAL: Duration = Duration::from_secs(1);
/// How long an answer may take to be taken, and a part of a stream of events.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// How long a stream of events may be silent.
const SILENCE: Duration = Duration::from_secs(15);
/// Without a look for so long, the server is not healthy.
const STALE: Duration = Duration::from_secs(60);

/// Where to listen.
///
/// # Errors
/// If others could reach the address and that is not allowed, or it is taken.
pub fn listen(address: SocketAddr, allows_remote: bool) -> anyhow::Result<TcpListener> {
    if !address.ip().is_loopback() && !allows_remote {
        bail!(
            "other machines can reach `{address}`, and anyone there could read what the program does; --allow-remote allows it"
        );
    }
    TcpListener::bind(address).with_context(|| format!("cannot listen at `{address}`"))
}

/// What the last look has left.
#[derive(Default)]
struct Snapshot {
    state: State,
    files: Vec<PathBuf>,
    metrics: String,
    looked: Option<Instant>,
    /// Counts states.
    number: u64,
}

/// What all threads share.
struct Shared {
    snapshot: Mutex<Snapshot>,
    changed: Condvar,
    report: page::ReportPage,
    /// Whether names of other machines are answered.
    is_open: bool,
}

impl Shared {
    fn snapshot(&self) -> MutexGuard<'_, Snapshot> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves until the process is ended.
///
/// # Errors
/// If the system has no thread for it.
pub fn serve(
    listener: &TcpListener,
    watch: Watch,
    suppressions: Suppressions,
    is_open: bool,
) -> anyhow::Result<()> {
    let shared = Arc::new(Shared {
        snapshot: Mutex::default(),
        changed: Condvar::new(),
        report: page::ReportPage::default(),
        is_open,
    });
    let failed = "no thread can be started";
    let of_reader = Arc::clone(&shared);
    let reader = thread::Builder::new().spawn(move || follow(watch, &of_reader));
    reader.context(failed)?;
    let of_reports = Arc::clone(&shared);
    let reports = thread::Builder::new().spawn(move || make_reports(&of_reports, &suppressions));
    reports.context(failed)?;
    let slots = Slots::new(descriptors::for_connections());
    loop {
        let Ok((stream, peer)) = listener.accept() else {
            // Out of descriptors, mostly: others are closed meanwhile.
            thread::sleep(LOOK_INTERVAL);
            continue;
        };
        let Some(slot) = slots.take() else {
            continue;
        };
        let shared = Arc::clone(&shared);
        // Without a thread the closure is dropped, and the slot with it.
        let _ = thread::Builder::new().spawn(move || {
            if let Err(error) = answer(stream, &shared, &slot) {
                tracing::debug!("a connection from {:?} ended: {error}", peer.ip());
            }
        });
    }
}

/// Makes reports for ever, when they are asked for.
fn make_reports(shared: &Shared, suppressions: &Suppressions) {
    loop {
        let pause = shared.report.wait();
        // What grows meanwhile is in the report, too.
        thread::sleep(pause);
        let (files, fingerprint) = {
            let snapshot = shared.snapshot();
            (snapshot.files.clone(), page::fingerprint(&snapshot.state))
        };
        shared.report.make(files, fingerprint, suppressions);
    }
}

/// Reads logs for ever.
fn follow(mut watch: Watch, shared: &Shared) {
    let (stop, mut made) = (AtomicBool::new(false), None::<Instant>);
    let mut series = metrics::Series::default();
    loop {
        let is_behind = watch.look(&stop);
        if made.is_none_or(|at| at.elapsed() >= STATE_INTERVAL) {
            made = Some(Instant::now());
            let state = watch.state();
            let metrics = metrics::document(&state, &mut series);
            let mut snapshot = shared.snapshot();
            let number = snapshot.number + 1;
            *snapshot = Snapshot {
                state,
                files: watch.files(),
                metrics,
                looked: made,
                number,
            };
            drop(snapshot);
            shared.changed.notify_all();
        }
        if !is_behind {
            thread::sleep(LOOK_INTERVAL);
        }
    }
}

fn answer(mut stream: TcpStream, shared: &Shared, slot: &Slot) -> io::Result<()> {
    let request = request::read(&mut stream, shared.is_open, slot.head_time())?;
    let mut to = Deadline::new(stream, ANSWER_TIME);
    let Some(request) = request else {
        return Ok(());
    };
    let Request { path, is_head } = match request {
        Ok(request) => request,
        Err((status, why)) => return send(&mut to, status, TEXT, "", why, false),
    };
    let age = |at: Option<Instant>| {
        at.map_or_else(String::new, |at| {
            format!("Age: {}\r\n", at.elapsed().as_secs())
        })
    };
    match path.as_str() {
        "/metrics" => {
            let (text, age) = {
                let snapshot = shared.snapshot();
                (snapshot.metrics.clone(), age(snapshot.looked))
            };
            send(&mut to, 200, metrics::CONTENT_TYPE, &age, &text, is_head)
        }
        "/healthz" => {
            let (status, text) = health(shared);
            send(&mut to, status, "application/json", "", &text, is_head)
        }
        _ if slot.is_reserved() => {
            let why = "all connections are taken; /metrics and /healthz are answered still";
            send(&mut to, 503, TEXT, "Retry-After: 1\r\n", why, is_head)
        }
        "/" => {
            let policy = page::policy();
            let policy = format!("Content-Security-Policy: {policy}\r\n");
            send(&mut to, 200, HTML, &policy, &page::document(), is_head)
        }
        "/report" => match shared.report.latest() {
            Some((page, at)) => send(&mut to, 200, HTML, &age(Some(at)), &page, is_head),
            None => {
                let why = match shared.snapshot().files.is_empty() {
                    true => "no process is shown now: its log is found when it begins".to_owned(),
                    false => shared.report.failure(),
                };
                let again = "Retry-After: 1\r\nRefresh: 1\r\n";
                send(&mut to, 503, TEXT, again, &why, is_head)
            }
        },
        "/events" if !is_head => events(&mut to, shared),
        _ => {
            let why = "there are /, /metrics, /healthz, /report and /events";
            send(&mut to, 404, TEXT, "", why, is_head)
        }
    }
}

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

fn send(
    stream: &mut Deadline,
    status: u16,
    kind: &str,
    headers: &str,
    body: &str,
    is_head: bool,
) -> io::Result<()> {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        431 => "Request Header Fields Too Large",
        _ => "Service Unavailable",
    };
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n{headers}Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if !is_head {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

fn health(shared: &Shared) -> (u16, String) {
    let snapshot = shared.snapshot();
    let since = snapshot.looked.map(|at| at.elapsed());
    let is_fresh = since.is_some_and(|since| since < STALE);
    let text = json!({
        "status": if is_fresh { "ok" } else { "stale" },
        "processes": snapshot.state.processes.len(),
        "forgotten": snapshot.state.forgotten.processes,
        "seconds_since_look": since.map(|since| since.as_secs()),
        "unreadable": snapshot.state.unreadable,
    });
    (if is_fresh { 200 } else { 503 }, format!("{text}\n"))
}

/// Server-sent events: a line about the state every second, and that there is another report.
fn events(stream: &mut Deadline, shared: &Shared) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
                Connection: close\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    let (mut seen, mut shown) = (0, None);
    loop {
        let snapshot = shared.snapshot();
        let waited = shared
            .changed
            .wait_timeout_while(snapshot, SILENCE, |snapshot| snapshot.number == seen);
        let (snapshot, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_new = snapshot.number != seen;
        seen = snapshot.number;
        let line = page::line(&snapshot.state);
        drop(snapshot);
        // A comment finds out whether the other end is there.
        let mut text = match is_new {
            true => format!("event: state\ndata: {line}\n\n"),
            false => ":\n\n".to_owned(),
        };
        let finished = shared.report.latest().map(|(_, at)| at);
        if finished != shown {
            if shown.is_some() {
                text += "event: report\ndata: new\n\n";
            }
            shown = finished;
        }
        stream.restart(ANSWER_TIME);
        stream.write_all(text.as_bytes())?;
        stream.flush()?;
    }
}

/// Whether an address is one that a person may name: `127.0.0.1:9464`, `[::1]:0`, or a port alone.
///
/// # Errors
/// A sentence for the user.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::from([127, 0, 0, 1]), port));
    }
    let text = text.replace("localhost:", "127.0.0.1:");
    text.parse()
        .map_err(|_| "write an address and a port, such as 127.0.0.1:9464".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_served_unless_others_are_allowed() {
        let anyone = address("0.0.0.0:0").expect("an address");
        let refused = listen(anyone, false)
            .expect_err("it is refused")
            .to_string();
        assert!(refused.contains("--allow-remote"), "{refused}");
        assert!(listen(anyone, true).is_ok());
        assert!(listen(address("localhost:0").expect("an address"), false).is_ok());
        assert_eq!(
            address("9464").map(|at| at.to_string()),
            Ok("127.0.0.1:9464".to_owned())
        );
        assert!(address("example.org:80").is_err());
    }
}
