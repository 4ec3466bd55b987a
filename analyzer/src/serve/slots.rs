//! Bounds on connections: how many there are at a time, and how long each may take.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Connections that are answered for metrics and health only: who watches the server must see it when its readers are many or slow.
const RESERVED: usize = 4;
/// How long a request's head may take, and that of a reserved connection.
const HEAD_TIME: Duration = Duration::from_secs(10);
const RESERVED_HEAD_TIME: Duration = Duration::from_secs(1);

/// Counts connections.
pub struct Slots {
    taken: Arc<AtomicUsize>,
    most: usize,
}

impl Slots {
    /// As many as `most`, a few of which are reserved.
    pub fn new(most: usize) -> Self {
        let taken = Arc::default();
        Self { taken, most }
    }

    /// A slot; `None` if all are taken.
    pub fn take(&self) -> Option<Slot> {
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        // Dropped, it gives back what was counted.
        let slot = Slot {
            taken: Arc::clone(&self.taken),
            is_reserved: number + RESERVED >= self.most,
        };
        (number < self.most).then_some(slot)
    }
}

/// One connection. Dropping it, also by a panic, gives its slot back.
pub struct Slot {
    taken: Arc<AtomicUsize>,
    is_reserved: bool,
}

impl Slot {
    /// Whether it is one of the last.
    pub fn is_reserved(&self) -> bool {
        self.is_reserved
    }

    /// How long the request's head may take.
    pub fn head_time(&self) -> Duration {
        match self.is_reserved() {
            true => RESERVED_HEAD_TIME,
            false => HEAD_TIME,
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection whose answer has to be taken by a moment, however many pieces it is taken in.
pub struct Deadline {
    stream: TcpStream,
    until: Instant,
}

impl Deadline {
    /// From now.
    pub fn new(stream: TcpStream, time: Duration) -> Self {
        let until = Instant::now() + time;
        Self { stream, until }
    }

    /// From now, once more.
    pub fn restart(&mut self, time: Duration) {
        self.until = Instant::now() + time;
    }
}

impl Write for Deadline {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let rest = self.until.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_write_timeout(Some(rest))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn a_slot_comes_back_from_an_answer_that_panics() {
        let slots = Slots::new(68);
        let taken: Vec<Slot> = std::iter::from_fn(|| slots.take()).collect();
        assert_eq!(taken.len(), 68);
        let reserved = taken.iter().filter(|slot| slot.is_reserved()).count();
        assert_eq!(reserved, RESERVED);
        for slot in taken {
            let answer = thread::spawn(move || {
                let _slot = slot;
                panic!("an answer");
            });
            assert!(answer.join().is_err());
        }
        assert_eq!(slots.taken.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_reader_that_takes_a_little_at_a_time_does_not_hold_an_answer_open() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut reader =
            TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
        let (stream, _) = listener.accept().expect("it has connected");
        thread::spawn(move || {
            let mut some = [0; 1 << 16];
            while reader.read(&mut some).is_ok_and(|count| count > 0) {}
        });
        // Each write is taken at once: only the deadline ends it.
        let mut answer = Deadline::new(stream, Duration::from_millis(200));
        let error = loop {
            if let Err(error) = answer.write_all(&[0; 1024]) {
                break error;
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
