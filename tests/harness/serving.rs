//! `aclsan serve`, until it is dropped.

use crate::artifacts;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The command, and where it listens.
pub struct Serving {
    /// Its process.
    pub child: Child,
    /// Address and port.
    pub address: String,
}

impl Serving {
    /// Serves the logs of `folder`.
    pub fn start(folder: &Path) -> Self {
        Self::by(Command::new(artifacts::command()), &[], folder)
    }

    /// The same with more options, by a `command` that ends with the command's own name.
    pub fn by(mut command: Command, options: &[&str], folder: &Path) -> Self {
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(options)
            .arg(folder);
        command.env("LC_ALL", "C").env_remove("LD_PRELOAD");
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let mut printed = BufReader::new(child.stderr.take().expect("a pipe"));
        printed.read_line(&mut line).expect("it says where");
        let address = line.trim().rsplit_once("http://").expect("an address").1;
        let address = address.trim_end_matches('/').to_owned();
        Self { child, address }
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).expect("a limit");
        stream
    }

    /// The answer to these bytes, as it is sent.
    pub fn answer(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("it is sent");
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text); // a refused request may be reset
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The answer to a request for `path`.
    pub fn get(&self, path: &str) -> String {
        self.answer(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        ))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
