//! Writes to nonblocking outputs. Node.js, and CI runners based on it, start programs with nonblocking pipes, and whoever has the other end
//! of a terminal or pipe can set the flag. A write that would block waits with `poll`.

use std::io::{self, Write};
use std::os::fd::AsFd;

use anstream::{AutoStream, ColorChoice};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::io::stack_display;

/// A writer that waits until its stream takes more.
pub struct WaitingWriter<W>(pub W);

/// Wraps standard output or error for text: colors and links are stripped where they are not wanted, which inspects every byte.
pub fn text<W: Write + AsFd + anstream::stream::RawStream + 'static>(
    stream: W,
) -> AutoStream<Box<dyn Write>> {
    let choice = match stack_display::chosen().hyperlinks {
        stack_display::When::Always => ColorChoice::AlwaysAnsi,
        _ => AutoStream::choice(&stream),
    };
    AutoStream::new(Box::new(WaitingWriter(stream)), choice)
}

impl<W: Write + AsFd> WaitingWriter<W> {
    fn wait_to<T>(&mut self, mut attempt: impl FnMut(&mut W) -> io::Result<T>) -> io::Result<T> {
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

impl<W: Write + AsFd> Write for WaitingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait_to(|out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait_to(Write::flush)
    }
}
