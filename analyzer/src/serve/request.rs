//! Reads one request, within bounds: its head has a size and a time, and only what the server has is accepted.

use std::io::{self, Read};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

/// Most bytes of a head, and its headers.
const HEAD: usize = 8 << 10;
const HEADERS: usize = 64;

/// A request that is answered.
#[derive(PartialEq, Eq, Debug)]
pub struct Request {
    /// The path, without a query.
    pub path: String,
    /// Whether only the head of the answer is wanted.
    pub is_head: bool,
}

/// Why a request is not answered: a status, and a sentence.
pub type Refusal = (u16, &'static str);

/// Reads a request from `stream` within `time`. `None` if the other end closed without one.
///
/// # Errors
/// What to answer instead; an error of the connection is one of its own.
pub fn read(
    stream: &mut TcpStream,
    is_open: bool,
    time: Duration,
) -> io::Result<Option<Result<Request, Refusal>>> {
    let (mut bytes, began) = (Vec::new(), Instant::now());
    loop {
        let mut more = [0; 1024];
        let rest = time.saturating_sub(began.elapsed());
        if rest.is_zero() {
            return Ok(Some(Err((408, "the request took too long"))));
        }
        stream.set_read_timeout(Some(rest))?;
        match stream.read(&mut more) {
            Ok(0) => return Ok(None),
            Ok(count) => bytes.extend_from_slice(&more[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                ) =>
            {
                return Ok(Some(Err((408, "the request took too long"))));
            }
            Err(error) => return Err(error),
        }
        if let Some(parsed) = parse(&bytes, is_open) {
            return Ok(Some(parsed));
        }
        if bytes.len() >= HEAD {
            return Ok(Some(Err((431, "the request's head is too long"))));
        }
    }
}

/// The request that `bytes` are; `None` if more belong to it. Unless the server `is_open` to other machines, only names of this one are
/// answered: a page elsewhere must not read what is here by a name of its own that leads to this address.
fn parse(bytes: &[u8], is_open: bool) -> Option<Result<Request, Refusal>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(bytes) {
        Ok(httparse::Status::Partial) => return None,
        Ok(httparse::Status::Complete(_)) => {}
        Err(_) => return Some(Err((400, "this is no HTTP request"))),
    }
    let is_head = match parsed.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Some(Err((405, "only GET and HEAD are answered"))),
    };
    let host = parsed
        .headers
        .iter()
        .find(|of| of.name.eq_ignore_ascii_case("host"));
    let host = host.and_then(|of| std::str::from_utf8(of.value).ok());
    if !is_open && !host.is_some_and(is_here) {
        return Some(Err((403, "this name is not one of this machine's own")));
    }
    let path = parsed.path.unwrap_or("/");
    let path = path.split(['?', '#']).next().unwrap_or_default().to_owned();
    Some(Ok(Request { path, is_head }))
}

/// Whether a `Host` names this machine itself.
fn is_here(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = name.parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Option<Result<Request, Refusal>> {
        parse(text.as_bytes(), false)
    }

    #[test]
    fn a_request_is_read_once_it_is_whole() {
        assert_eq!(asked("GET /metrics HT"), None);
        let request = Request {
            path: "/metrics".to_owned(),
            is_head: false,
        };
        let text = "GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:9464\r\n\r\n";
        assert_eq!(asked(text), Some(Ok(request)));
        assert_eq!(asked(&text[..text.len() - 2]), None);
    }

    #[test]
    fn what_is_not_served_is_refused_with_its_status() {
        let status = |text: &str| asked(text).and_then(Result::err).map(|refused| refused.0);
        let host = "Host: 127.0.0.1\r\n\r\n";
        assert_eq!(status(&format!("POST / HTTP/1.1\r\n{host}")), Some(405));
        assert_eq!(status("\x16\x03\x01 hello\r\n\r\n"), Some(400));
        assert_eq!(
            status("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
            Some(403)
        );
        assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), Some(403));
        assert_eq!(status("GET / HTTP/1.1\r\nHost: [::1]:9464\r\n\r\n"), None);
        let open = parse(b"GET / HTTP/1.1\r\nHost: node7\r\n\r\n", true);
        assert!(open.is_some_and(|request| request.is_ok()));
        let many = "X: y\r\n".repeat(HEADERS + 1);
        assert_eq!(
            status(&format!("GET / HTTP/1.1\r\n{many}{host}")),
            Some(400)
        );
    }

    /// Both ends of a connection.
    fn connection() -> (TcpStream, TcpStream) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let far = TcpStream::connect(address).expect("it listens");
        (listener.accept().expect("it has connected").0, far)
    }

    fn status(answer: io::Result<Option<Result<Request, Refusal>>>) -> Option<u16> {
        Some(answer.expect("a connection")?.expect_err("no request").0)
    }

    #[test]
    fn a_silent_connection_is_refused_after_its_time() {
        let (mut near, _far) = connection();
        let answer = read(&mut near, false, Duration::from_millis(50));
        assert_eq!(status(answer), Some(408));
    }

    #[test]
    fn a_head_without_an_end_is_refused_by_its_size() {
        use std::io::Write;
        let (mut near, mut far) = connection();
        let head = format!("GET / HTTP/1.1\r\nX: {}", "y".repeat(HEAD));
        far.write_all(head.as_bytes()).expect("it is sent");
        let answer = read(&mut near, false, Duration::from_secs(60));
        assert_eq!(status(answer), Some(431));
        drop(far);
        let answer = read(&mut near, false, Duration::from_secs(60));
        assert_eq!(status(answer), None, "the other end closed");
    }
}
