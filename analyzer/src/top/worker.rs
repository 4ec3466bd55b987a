//! Reads logs on a thread of its own, so that keys are answered while a long log is read.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::watch::state::{Detail, SiteKey, State};
use crate::watch::{LOOK_INTERVAL, Watch};

/// Time between two states.
const SHOW: Duration = Duration::from_millis(500);

/// What the screen is sent.
pub enum News {
    /// The newest state.
    State(Box<State>),
    /// The site that was asked for.
    Detail(Option<Box<Detail>>),
}

/// What the screen asks for.
pub enum Request {
    /// Everything about a site, again with each state until another is asked for.
    Detail(Option<SiteKey>),
    /// The logs that are followed.
    Files(Sender<Vec<PathBuf>>),
}

/// The thread, and the ways to it.
pub struct Worker {
    pub news: Receiver<News>,
    requests: Sender<Request>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Watch>>,
}

impl Worker {
    /// Starts to follow.
    ///
    /// # Errors
    /// If the system has no thread for it.
    pub fn start(watch: Watch) -> std::io::Result<Self> {
        let (send, news) = channel();
        let (requests, asked) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = thread::Builder::new().spawn(move || follow(watch, &send, &asked, &until))?;
        Ok(Self {
            news,
            requests,
            stop,
            thread: Some(thread),
        })
    }

    /// Asks for something. A worker that is gone answers nothing.
    pub fn ask(&self, request: Request) {
        let _ = self.requests.send(request);
    }

    /// Ends the following.
    pub fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(self.requests);
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

fn follow(
    mut watch: Watch,
    news: &Sender<News>,
    requests: &Receiver<Request>,
    stop: &AtomicBool,
) -> Watch {
    let (mut wanted, mut shown): (Option<SiteKey>, Option<Instant>) = (None, None);
    loop {
        let is_behind = watch.look(stop);
        if stop.load(Ordering::Relaxed) {
            return watch;
        }
        if shown.is_none_or(|at| at.elapsed() >= SHOW) {
            shown = Some(Instant::now());
            let mut sent = news.send(News::State(Box::new(watch.state())));
            if let Some(site) = wanted {
                let detail = watch.detail(site).map(Box::new);
                sent = sent.and(news.send(News::Detail(detail)));
            }
            if sent.is_err() {
                return watch;
            }
        }
        let rest = match is_behind {
            true => Duration::ZERO,
            false => LOOK_INTERVAL,
        };
        match requests.recv_timeout(rest) {
            Ok(Request::Detail(site)) => (wanted, shown) = (site, None),
            Ok(Request::Files(to)) => drop(to.send(watch.files())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return watch,
        }
    }
}
