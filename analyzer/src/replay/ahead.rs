//! Reading ahead of the player, and accounting behind it: a second thread does what is due of both.
//!
//! Two threads for two cores: of three, one would wait for a core that another has, often the player. Whoever would have to wait does work
//! of the other instead: the player reads if no events are read yet, or if the accounting is far behind.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use aclsan_log::Log;
use aclsan_log::batch::Batch;
use aclsan_log::merge::Events;
use aclsan_log::reader::Corruption;

use super::accounting::{Backlog, MANY_PAGES};

/// Events per batch, and batches in flight.
pub const BATCH: usize = 2048;
const BATCHES: usize = 16;
/// Batches read before anything else is done.
const FEW: usize = 3;
/// Batches to read, or pages to apply, for which the helper is woken: that takes longer than either.
const BACK: usize = BATCHES / 2;
const SOME_PAGES: usize = MANY_PAGES / 2;

/// The damage found, and the number of unknown records.
type Unread = (Vec<Corruption>, u64);

/// Alternates between reading and `play`.
pub fn read_between(log: &Log, mut play: impl FnMut(&Batch, u64)) -> Unread {
    let (mut events, mut batch) = (log.events(), Batch::default());
    loop {
        events.fill(&mut batch, BATCH);
        if batch.entries().is_empty() {
            return (events.damage().to_vec(), events.unknown_records());
        }
        play(&batch, events.bytes_read());
    }
}

/// Reads on another thread, if the system can start one, which also applies what `play` adds to the backlog.
pub fn read_ahead(
    log: &Log,
    backlog: Option<&Backlog>,
    mut play: impl FnMut(&Batch, u64),
) -> Unread {
    let shared = Shared::new(log, backlog);
    thread::scope(|scope| {
        let helper = thread::Builder::new().spawn_scoped(scope, || shared.help());
        let Ok(helper) = helper else {
            return read_between(log, play);
        };
        let closing = Closing(&shared);
        while let Some((batch, bytes)) = shared.next() {
            play(&batch, bytes);
            shared.give_back(batch);
            shared.catch_up();
        }
        drop(closing);
        if let Err(panic) = helper.join() {
            resume_unwind(panic);
        }
        let reader = lock(&shared.reader);
        (
            reader.events.damage().to_vec(),
            reader.events.unknown_records(),
        )
    })
}

/// What both threads use.
struct Shared<'a> {
    /// Locked before `batches`.
    reader: Mutex<Reader<'a>>,
    batches: Mutex<Batches>,
    /// For the helper.
    more: Condvar,
    backlog: Option<&'a Backlog>,
}

struct Reader<'a> {
    events: Events<'a>,
    /// Nothing is left, or reading panicked.
    is_done: bool,
}

struct Batches {
    read: VecDeque<(Batch, u64)>,
    spare: Vec<Batch>,
    /// Whether the helper waits.
    is_idle: bool,
    is_closed: bool,
}

impl<'a> Shared<'a> {
    fn new(log: &'a Log, backlog: Option<&'a Backlog>) -> Self {
        let batches = Batches {
            read: VecDeque::new(),
            spare: Vec::from_iter((0..BATCHES).map(|_| Batch::default())),
            is_idle: false,
            is_closed: false,
        };
        let reader = Reader {
            events: log.events(),
            is_done: false,
        };
        Self {
            reader: Mutex::new(reader),
            batches: Mutex::new(batches),
            more: Condvar::new(),
            backlog,
        }
    }

    /// The helper's loop.
    fn help(&self) {
        loop {
            let is_short = lock(&self.batches).read.len() < FEW;
            let has_helped = is_short && self.read_unless_busy()
                || self.backlog.is_some_and(Backlog::apply_next)
                || !is_short && self.read_unless_busy();
            if has_helped {
                continue;
            }
            let mut batches = lock(&self.batches);
            batches.is_idle = true;
            let is_idle = |batches: &mut Batches| batches.is_idle && !batches.is_closed;
            batches =
                (self.more.wait_while(batches, is_idle)).unwrap_or_else(PoisonError::into_inner);
            if batches.is_closed {
                return;
            }
        }
    }

    /// Reads a batch, if fewer than `most` wait to be played. Returns whether it did.
    fn read(&self, reader: &mut Reader, most: usize) -> bool {
        if reader.is_done {
            return false;
        }
        let mut batches = lock(&self.batches);
        if batches.read.len() >= most {
            return false;
        }
        let Some(mut batch) = batches.spare.pop() else {
            return false;
        };
        drop(batches);
        reader.is_done = true;
        reader.events.fill(&mut batch, BATCH);
        reader.is_done = batch.entries().len() < BATCH;
        let bytes = reader.events.bytes_read();
        lock(&self.batches).read.push_back((batch, bytes));
        true
    }

    /// As [`Shared::read`] for the most batches, but `false` at once if the other thread reads.
    fn read_unless_busy(&self) -> bool {
        (self.reader.try_lock()).is_ok_and(|mut reader| self.read(&mut reader, BATCHES))
    }

    /// The next batch for the player; `None` at the end.
    fn next(&self) -> Option<(Batch, u64)> {
        loop {
            if let Some(next) = lock(&self.batches).read.pop_front() {
                return Some(next);
            }
            // Waits for a batch that the helper is reading, if it is.
            let mut reader = lock(&self.reader);
            if !self.read(&mut reader, 1) && reader.is_done && lock(&self.batches).read.is_empty() {
                return None;
            }
        }
    }

    /// Returns a batch, and wakes the helper if there is enough to do.
    fn give_back(&self, batch: Batch) {
        let mut batches = lock(&self.batches);
        batches.spare.push(batch);
        if batches.is_idle {
            let is_due = batches.spare.len() >= BACK
                || (self.backlog).is_some_and(|backlog| backlog.len() >= SOME_PAGES);
            if is_due {
                batches.is_idle = false;
                self.more.notify_one();
            }
        }
    }

    /// Reads, or applies entries, as long as the accounting is far behind.
    fn catch_up(&self) {
        let Some(backlog) = self.backlog else {
            return;
        };
        while backlog.len() >= MANY_PAGES {
            if !self.read_unless_busy() && !backlog.apply_next() {
                return;
            }
        }
    }
}

/// Ends the helper, also if the player panics.
struct Closing<'a>(&'a Shared<'a>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        lock(&self.0.batches).is_closed = true;
        self.0.more.notify_one();
    }
}

/// Locks `mutex`, even if a thread has panicked with it, which the player's thread passes on in the end.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
