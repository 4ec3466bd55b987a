//! Standard output that does not block: who started us, or has the other end of a terminal or pipe, may have it so, as Node.js does, and
//! with it runners of CI jobs. What is not taken at once is taken later.

use std::io::{self, Write};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// Standard output, waited for.
pub struct Patient(io::StdoutLock<'static>);

impl Patient {
    pub fn stdout() -> Self {
        Self(io::stdout().lock())
    }

    fn wait_to<T>(
        &mut self,
        mut attempt: impl FnMut(&mut io::StdoutLock<'static>) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match attempt(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
            match poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait_to(|out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait_to(Write::flush)
    }
}
