//! The server of `aclsan serve`: metrics and reports of watched programs, over HTTP.
//!
//! One thread reads logs, and one answers each connection, with bounds on everything: connections, the size and time of a request's head,
//! the time of an answer. A request never waits for a log: it gets what the last look has left.

mod metrics;
mod page;
mod request;

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::json;

use crate::watch::state::State;
use crate::watch::{LOOK, Watch};
use request::Request;

/// Most connections at one time; further ones are refused at once.
const CONNECTIONS: usize = 64;
/// Time between two states.
const STATE: Duration = Duration::from_secs(1);
/// How long an answer may take to be taken.
const WRITE: Duration = Duration::from_secs(10);
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
struct Known {
    state: State,
    files: Vec<PathBuf>,
    metrics: String,
    looked: Option<Instant>,
    /// Counts states.
    number: u64,
}

/// What all threads share.
struct Shared {
    known: Mutex<Known>,
    changed: Condvar,
    report: page::ReportPage,
    connections: AtomicUsize,
    /// Whether names of other machines are answered.
    is_open: bool,
}

impl Shared {
    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves until the process is ended.
///
/// # Errors
/// If the system has no thread for it.
pub fn serve(listener: &TcpListener, watch: Watch, is_open: bool) -> anyhow::Result<()> {
    let shared = Arc::new(Shared {
        known: Mutex::default(),
        changed: Condvar::new(),
        report: page::ReportPage::default(),
        connections: AtomicUsize::new(0),
        is_open,
    });
    let of_reader = Arc::clone(&shared);
    let reader = thread::Builder::new().spawn(move || follow(watch, &of_reader));
    reader.context("no thread can be started")?;
    loop {
        let Ok((stream, _)) = listener.accept() else {
            // Out of descriptors, mostly: others are closed meanwhile.
            thread::sleep(LOOK);
            continue;
        };
        let shared = Arc::clone(&shared);
        if shared.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let of_thread = Arc::clone(&shared);
        let started = thread::Builder::new().spawn(move || {
            let peer = stream.peer_addr().map(|peer| peer.ip());
            if let Err(error) = answer(stream, &of_thread) {
                tracing::debug!("a connection from {:?} ended: {error}", peer.ok());
            }
            of_thread.connections.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Reads logs for ever.
fn follow(mut watch: Watch, shared: &Shared) {
    let (stop, mut made) = (AtomicBool::new(false), None::<Instant>);
    loop {
        let is_behind = watch.look(&stop);
        if made.is_none_or(|at| at.elapsed() >= STATE) {
            made = Some(Instant::now());
            let state = watch.state();
            let metrics = metrics::document(&state);
            let mut known = shared.known();
            let number = known.number + 1;
            *known = Known {
                state,
                files: watch.files(),
                metrics,
                looked: made,
                number,
            };
            drop(known);
            shared.changed.notify_all();
        }
        if !is_behind {
            thread::sleep(LOOK);
        }
    }
}

fn answer(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE))?;
    let Some(request) = request::read(&mut stream, shared.is_open)? else {
        return Ok(());
    };
    let Request { path, is_head } = match request {
        Ok(request) => request,
        Err((status, why)) => return send(&mut stream, status, TEXT, "", why, false),
    };
    match path.as_str() {
        "/metrics" => {
            let text = shared.known().metrics.clone();
            send(&mut stream, 200, metrics::CONTENT_TYPE, "", &text, is_head)
        }
        "/healthz" => {
            let (status, text) = health(shared);
            send(&mut stream, status, "application/json", "", &text, is_head)
        }
        "/" => {
            let policy = page::policy();
            let policy = format!("Content-Security-Policy: {policy}\r\n");
            send(&mut stream, 200, HTML, &policy, &page::document(), is_head)
        }
        "/report" => match shared.report.of(&shared.known) {
            Ok(page) => send(&mut stream, 200, HTML, "", &page, is_head),
            Err(why) => send(&mut stream, 503, TEXT, "", &why, is_head),
        },
        "/events" if !is_head => events(&mut stream, shared),
        _ => {
            let why = "there are /, /metrics, /healthz, /report and /events";
            send(&mut stream, 404, TEXT, "", why, is_head)
        }
    }
}

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

fn send(
    stream: &mut TcpStream,
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
    let known = shared.known();
    let since = known.looked.map(|at| at.elapsed());
    let is_fresh = since.is_some_and(|since| since < STALE);
    let text = json!({
        "status": if is_fresh { "ok" } else { "stale" },
        "processes": known.state.processes.len(),
        "seconds_since_look": since.map(|since| since.as_secs()),
        "unreadable": known.state.unreadable,
    });
    (if is_fresh { 200 } else { 503 }, format!("{text}\n"))
}

/// Server-sent events: a line about the state every second, and that the report would be another.
fn events(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
                Connection: close\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    let (mut seen, mut shown) = (0, None);
    loop {
        let known = shared.known();
        let waited = shared
            .changed
            .wait_timeout_while(known, SILENCE, |known| known.number == seen);
        let (known, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_new = known.number != seen;
        seen = known.number;
        let (line, print) = (page::line(&known.state), page::print(&known.state));
        drop(known);
        // A comment finds out whether the other end is there.
        let mut text = match is_new {
            true => format!("event: state\ndata: {line}\n\n"),
            false => ":\n\n".to_owned(),
        };
        if shared.report.is_due() && shown != Some(print) {
            if shown.is_some() {
                text += "event: report\ndata: new\n\n";
            }
            shown = Some(print);
        }
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
