//! Calls functions on a stopped thread.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use nix::errno::Errno;
use nix::libc::SIGSEGV;

use super::memory::Memory;
use super::registers::{self, RETURN_TO};
use super::target::Target;
use super::thread::{Stop, Stopped};
use crate::io::notice;

/// Stack for arguments.
const ROOM: u64 = 16 * 1024;
/// Time until a call is said to take long. Half a `dlopen` cannot be taken back, since it may hold the loader's lock: however long it takes, it is
/// waited for.
const LONG: Duration = Duration::from_secs(5);

/// Arguments of a call, in order.
#[derive(Default)]
pub struct Arguments(Vec<Argument>);

enum Argument {
    Number(u64),
    Text(Vec<u8>),
    Room(usize),
}

impl Arguments {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number, or an address there.
    pub fn number(mut self, number: u64) -> Self {
        self.0.push(Argument::Number(number));
        self
    }

    /// A text, of which the function gets the address.
    pub fn text(mut self, text: &[u8]) -> Self {
        self.0.push(Argument::Text([text, b"\0"].concat()));
        self
    }

    /// Room that the function writes to.
    pub fn room(mut self, bytes: usize) -> Self {
        self.0.push(Argument::Room(bytes));
        self
    }
}

/// Calls functions on one thread.
pub struct Caller<'a> {
    thread: Stopped,
    memory: &'a Memory,
    pid: i32,
    /// The last room that an argument had.
    room: u64,
}

impl<'a> Caller<'a> {
    /// For a thread that is at a safe point.
    pub fn new(thread: Stopped, target: &'a Target) -> Self {
        Self {
            thread,
            memory: &target.memory,
            pid: target.pid,
            room: 0,
        }
    }

    /// Calls a function and returns its result.
    ///
    /// # Errors
    /// If the process ends meanwhile, crashes in it, or is not done in time.
    pub fn call(&mut self, function: u64, arguments: &Arguments) -> anyhow::Result<u64> {
        let low = registers::room(&self.thread.registers, ROOM);
        let end = low + ROOM;
        let (mut at, mut words) = (low, [0; 3]);
        for (argument, word) in arguments.0.iter().zip(&mut words) {
            *word = match argument {
                Argument::Number(number) => *number,
                Argument::Text(text) => self.place(&mut at, end, text)?,
                Argument::Room(bytes) => {
                    self.room = self.place(&mut at, end, &vec![0; *bytes])?;
                    self.room
                }
            };
        }
        let start = &self.thread.registers;
        let (registers, place) = registers::for_call(start, function, words, low);
        if let Some(place) = place {
            self.memory.write(place, &RETURN_TO.to_le_bytes())?;
        }
        self.thread.run(registers).with_context(|| gone(self.pid))?;
        self.result()
    }

    /// Waits for the fault with which a call ends. Signals meanwhile are the program's.
    fn result(&mut self) -> anyhow::Result<u64> {
        let begun = Instant::now();
        let mut patience = LONG;
        loop {
            let signal = match self.thread.wait(begun + patience) {
                Ok(Stop::Ended) | Err(Errno::ESRCH) => bail!("{}", gone(self.pid)),
                Ok(Stop::Signal(signal)) => signal,
                Ok(Stop::Interrupted) => 0,
                Err(Errno::ETIMEDOUT) => {
                    notice::say(&format!(
                        "process {} still loads the library: a constructor there, or a thread that holds the loader's or malloc's lock, is waited for; do not kill this command, which would end the process, too",
                        self.pid
                    ));
                    patience *= 2;
                    continue;
                }
                Err(error) => bail!(
                    "process {} cannot be waited for while it loads the library: {}",
                    self.pid,
                    error.desc()
                ),
            };
            if signal == SIGSEGV {
                let registers = self.thread.current_registers()?;
                if let Some(result) = registers::result(&registers, RETURN_TO) {
                    return Ok(result);
                }
            }
            self.thread.go_on(signal).with_context(|| gone(self.pid))?;
        }
    }

    fn place(&self, at: &mut u64, end: u64, bytes: &[u8]) -> anyhow::Result<u64> {
        let here = *at;
        let size = (bytes.len() as u64).next_multiple_of(16);
        if size > end - here {
            bail!("the arguments are longer than {ROOM} bytes: take shorter paths");
        }
        self.memory
            .write(here, bytes)
            .context("the thread's stack cannot be written")?;
        *at += size;
        Ok(here)
    }

    /// The text in the last room.
    pub fn answer(&self, most: usize) -> String {
        self.text_at(self.room, most)
    }

    /// The text at an address.
    pub fn text_at(&self, address: u64, most: usize) -> String {
        String::from_utf8_lossy(&self.memory.text(address, most)).into_owned()
    }
}

fn gone(pid: i32) -> String {
    format!("process {pid} ended meanwhile")
}
