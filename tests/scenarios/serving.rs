//! `aclsan serve` beside a server that runs: metrics, health, the live page, and what it refuses.

mod weeks; // ten thousand processes, one after the other

use crate::server::Server;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts;
use aclsan_tests::serving::Serving;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_running_server_is_scraped_and_shown() {
    let folder = artifacts::scratch("serving-server");
    let mut server = Server::start(&folder, "server.aclsan");
    let serving = Serving::start(&folder);
    // Each state comes with an event: the next one after the requests has them.
    let mut events = BufReader::new(serving.connect());
    let request = format!("GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", serving.address);
    events
        .get_mut()
        .write_all(request.as_bytes())
        .expect("it is sent");
    server.order("serve 100");
    server.order("wrong");
    let is_there = |line: &str| line.contains("70.2 MiB live on devices; 1 error");
    let mut lines = events.lines().map(|line| line.expect("an event"));
    assert!(lines.any(|line| is_there(&line)));
    let pid = server.pid();
    let metrics = serving.get("/metrics");
    for line in [
        "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r".to_owned(),
        format!("aclsan_process_running{{pid=\"{pid}\",program=\"program\"}} 1"),
        format!(
            "aclsan_device_live_bytes{{pid=\"{pid}\",program=\"program\",device=\"0\"}} 73662464"
        ),
        format!(
            "aclsan_findings_total{{pid=\"{pid}\",program=\"program\",rule=\"double-free\",severity=\"error\"}} 1"
        ),
    ] {
        assert!(
            metrics.contains(&format!("\n{line}\n")),
            "{line}\n{metrics}"
        );
    }
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");
    let health = serving.get("/healthz");
    assert!(
        health.starts_with("HTTP/1.1 200 ") && health.contains("\"processes\":1"),
        "{health}"
    );
    let page = serving.get("/");
    let policy = "Content-Security-Policy: default-src 'none'; script-src 'sha256-";
    assert!(page.contains(policy), "{page}");
    // The first page may be of the moment before.
    let report = until(&serving, "/report", |page| page.contains("double-free"));
    assert!(report.starts_with("HTTP/1.1 200 ") && report.contains("default-src 'none'"));
    assert!(
        report.contains("\r\nAge: ") && metrics.contains("\r\nAge: "),
        "{report}"
    );
    server.end("quit");
}

#[test]
fn what_is_no_request_of_this_machine_is_refused() {
    let folder = artifacts::scratch("serving-refusals");
    let serving = Serving::start(&folder);
    let status = |request: &str| {
        let answer = serving.answer(request);
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let host = &serving.address;
    assert_eq!(
        status(&format!("GET /nothing HTTP/1.1\r\nHost: {host}\r\n\r\n")),
        "404"
    );
    assert_eq!(
        status(&format!("POST /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n")),
        "405"
    );
    assert_eq!(
        status("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        "403"
    );
    assert_eq!(status("\x16\x03\x01\r\n\r\n"), "400");
    assert_eq!(
        status(&format!("GET / HTTP/1.1\r\nX: {}", "y".repeat(8 << 10))),
        "431"
    );
    let report = serving.get("/report");
    assert!(
        report.starts_with("HTTP/1.1 503 "),
        "no log has begun: {report}"
    );
    let mut remote = Command::new(artifacts::command());
    remote.args(["serve", "--listen", "0.0.0.0:0"]).arg(&folder);
    let refused = remote.env("LC_ALL", "C").output().expect("it runs");
    let text = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains("--allow-remote"), "{text}");
}

/// Asks for `path` until the answer is as it `should_be`.
fn until(serving: &Serving, path: &str, should_be: impl Fn(&str) -> bool) -> String {
    let began = Instant::now();
    loop {
        let answer = serving.get(path);
        if should_be(&answer) || began.elapsed() > Duration::from_secs(60) {
            return answer;
        }
        thread::park_timeout(Duration::from_millis(100));
    }
}

#[test]
fn when_all_connections_are_taken_metrics_are_answered_still() {
    let folder = artifacts::scratch("serving-limits");
    let serving = Serving::start(&folder);
    let is_ok = |answer: &str| answer.starts_with("HTTP/1.1 200 ");
    // Silent ones, and ones that take nothing of an answer without end. The server accepts them in this order.
    let request = format!("GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", serving.address);
    let taken: Vec<TcpStream> = (0..64)
        .map(|number| {
            let mut stream = serving.connect();
            if number % 2 == 0 {
                stream.write_all(request.as_bytes()).expect("it is sent");
            }
            stream
        })
        .collect();
    let refused = serving.get("/");
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    // More often than there are slots for it: each is given back.
    for _ in 0..20 {
        let metrics = until(&serving, "/metrics", is_ok);
        assert!(metrics.ends_with("# EOF\n"), "{metrics}");
    }
    assert!(is_ok(&serving.get("/healthz")));
    drop(taken);
    assert!(is_ok(&until(&serving, "/", is_ok)), "they are given back");
}

/// A Prometheus, from `PATH` or where `.ci/prometheus` puts it.
fn prometheus() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/prometheus/usr/bin");
    let folders = std::env::split_paths(&path).chain([unpacked]);
    let mut names = folders.map(|folder| folder.join("prometheus"));
    names.find(|name| name.is_file())
}

/// A port that nobody has. Prometheus does not say which one it took.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn a_real_prometheus_scrapes_it() {
    let Some(prometheus) = prometheus() else {
        left_out("there is no prometheus: `.ci/prometheus` gets one");
        return;
    };
    let folder = artifacts::scratch("serving-prometheus");
    let mut server = Server::start(&folder, "server.aclsan");
    server.order("serve 100");
    let serving = Serving::start(&folder);
    let text = format!(
        "global: {{ scrape_interval: 1s, scrape_timeout: 1s }}\nscrape_configs:\n  - job_name: aclsan\n    static_configs:\n      - targets: ['{}']\n",
        serving.address
    );
    let file = folder.join("prometheus.yml");
    std::fs::write(&file, text).expect("it is written");
    let address = format!("127.0.0.1:{}", free_port());
    let mut command = Command::new(prometheus);
    command
        .arg(format!("--config.file={}", file.display()))
        .arg(format!(
            "--storage.tsdb.path={}",
            folder.join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"))
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let is_ready = |line: &io::Result<String>| {
        let line = line.as_ref().expect("text");
        line.contains("Server is ready to receive web requests")
    };
    assert!(lines.any(|line| is_ready(&line)), "it is not ready");
    // It goes on printing, and a closed pipe would end it.
    thread::spawn(move || lines.count());
    let prometheus = Serving { child, address };
    let query = "/api/v1/query?query=aclsan_device_live_bytes";
    let mut answer = String::new();
    // It begins to scrape some seconds after it is ready.
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(60) && !answer.contains("73596928") {
        thread::park_timeout(Duration::from_millis(200));
        answer = prometheus.get(query);
    }
    assert!(answer.contains(r#""job":"aclsan""#), "{answer}");
    let targets = prometheus.get("/api/v1/targets");
    assert!(
        targets.contains(r#""health":"up""#) && targets.contains(r#""lastError":"""#),
        "{targets}"
    );
    server.end("quit");
}
