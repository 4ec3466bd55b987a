//! The terminal screen of `aclsan top`: draws what a [`Watch`](crate::watch::Watch) knows, and does what keys ask for.

mod look;
mod mark;
mod pages;
mod rows;
mod screen;
mod short;
mod table;
mod view;
mod worker;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};

use crate::watch::Watch;
use crate::watch::state::State;
use look::Look;
use view::{Action, Format, Page, View};
use worker::{News, Request, Worker};

/// How long keys are waited for before the screen is drawn again.
const FRAME: Duration = Duration::from_millis(100);
/// The smallest screen that shows anything.
const LEAST: (u16, u16) = (40, 10);

/// Whether colors are wanted, and bars can be shown.
pub fn look() -> Look {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable);
    let locale = locale.into_iter().find(|value| !value.is_empty());
    let locale = locale.unwrap_or_default().to_uppercase();
    let choice = anstream::AutoStream::choice(&io::stdout());
    Look {
        has_colors: choice != anstream::ColorChoice::Never,
        has_unicode: locale.contains("UTF-8") || locale.contains("UTF8"),
    }
}

/// One screen as text, without a terminal: `columns` wide, and as long as the table is, up to `lines`.
pub fn once(state: &State, columns: u16, lines: u16) -> String {
    let mut view = View::default();
    let rows = view.rows(state).len();
    let above = screen::header(state, look(), columns).len();
    let height = (rows + above + 3).clamp(usize::from(LEAST.1), usize::from(lines));
    let backend = TestBackend::new(columns.max(LEAST.0), height as u16);
    let Ok(mut terminal) = Terminal::new(backend);
    let Ok(_) = terminal.draw(|frame| screen::draw(frame, &mut view, state, look()));
    let buffer = terminal.backend().buffer();
    let width = usize::from(buffer.area.width);
    let mut text = String::new();
    // The last line is about keys.
    for line in buffer.content().chunks(width).take(height - 1) {
        let line: String = line.iter().map(|cell| cell.symbol()).collect();
        text += line.trim_end();
        text.push('\n');
    }
    format!("{}\n", text.trim_end())
}

/// Shows the screen until the user leaves. Says how the programs are then.
///
/// # Errors
/// If standard output is no terminal, or it goes away.
pub fn show(watch: Watch) -> anyhow::Result<State> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        bail!("`aclsan top` needs a terminal; --once prints one screen, --json writes numbers");
    }
    let worker = Worker::start(watch).context("no thread can be started")?;
    let mut terminal = ratatui::try_init().context("the terminal cannot be used")?;
    let shown = follow_keys(&mut terminal, &worker);
    // The terminal may be gone.
    let _ = ratatui::try_restore();
    worker.end();
    shown
}

fn follow_keys(terminal: &mut ratatui::DefaultTerminal, worker: &Worker) -> anyhow::Result<State> {
    let gone = "the terminal has gone away";
    let (mut view, mut state, look) = (View::default(), State::default(), look());
    let mut exporting: Option<Receiver<String>> = None;
    loop {
        for news in worker.news.try_iter() {
            match news {
                News::State(now) => state = *now,
                News::Detail(detail) if view.page == Page::Site => {
                    view.detail = detail.map(|detail| *detail);
                }
                News::Detail(_) => {}
            }
        }
        if let Some(message) = exporting.as_ref().and_then(|of| of.try_recv().ok()) {
            (view.message, exporting) = (message, None);
        }
        // Terminals that know it show a frame whole, not line by line.
        execute!(io::stdout(), BeginSynchronizedUpdate).context(gone)?;
        let drawn = terminal.draw(|frame| match frame.area() {
            area if area.width < LEAST.0 || area.height < LEAST.1 => {}
            _ => screen::draw(frame, &mut view, &state, look),
        });
        drawn.context(gone)?;
        execute!(io::stdout(), EndSynchronizedUpdate).context(gone)?;
        if !event::poll(FRAME).context(gone)? {
            continue;
        }
        let Event::Key(key) = event::read().context(gone)? else {
            continue;
        };
        if key.kind != KeyEventKind::Press {
            continue;
        }
        let before = view.site;
        match view.key(key, &state) {
            Action::Leave => return Ok(state),
            Action::Export(_) if exporting.is_some() => {}
            Action::Export(format) => exporting = Some(export(format, worker)),
            Action::None => {}
        }
        if view.site != before {
            worker.ask(Request::Detail(view.site));
        }
    }
}

/// Exports the followed logs, as far as they are written, by a command of our own; its message comes later.
fn export(format: Format, worker: &Worker) -> Receiver<String> {
    let (name, extension) = match format {
        Format::Folded => ("folded", "folded"),
        Format::Pprof => ("pprof", "pb.gz"),
        Format::Html => ("html", "html"),
    };
    let (ask, files) = channel();
    worker.ask(Request::Files(ask));
    let (send, message) = channel();
    thread::spawn(move || {
        let files = files.recv().unwrap_or_default();
        let file = free_name(extension);
        let sentence = match run_export(name, &file, &files) {
            Ok(()) => format!("wrote `{}`", file.display()),
            Err(error) => format!("not exported: {error:#}"),
        };
        let _ = send.send(sentence);
    });
    message
}

/// A name in this folder that nothing has yet.
fn free_name(extension: &str) -> PathBuf {
    let names = (1..).map(|number| PathBuf::from(format!("aclsan-top-{number}.{extension}")));
    let mut names = names.skip_while(|name| name.exists());
    names.next().unwrap_or_default()
}

fn run_export(format: &str, file: &PathBuf, logs: &[PathBuf]) -> anyhow::Result<()> {
    // Not its path, where another version may be by now.
    let mut command = Command::new("/proc/self/exe");
    match format {
        "html" => command.args(["report", "--html"]).arg(file),
        _ => command.args(["export", "--format", format, "-o"]).arg(file),
    };
    command
        .args(logs)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let output = command.stderr(Stdio::piped()).output()?;
    match file.exists() {
        true => Ok(()),
        false => {
            let why = String::from_utf8_lossy(&output.stderr);
            bail!("{}", why.lines().last().unwrap_or_default())
        }
    }
}
