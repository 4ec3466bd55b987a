//! `aclsan ctl PID ACTION [VALUE]`: tells aclsan in a running program what to do.
//!
//! The program listens if it was started with `control=1`, at a socket beside its log that only its user, and root, may use.
//!
//! | action | does |
//! |---|---|
//! | `start`, `stop` | starts and stops recording; with `start=paused` nothing is recorded before |
//! | `snapshot [NAME]` | records how much is live, as `aclsan_snapshot` does |
//! | `mark NAME` | records a moment, which reports and `aclsan top` show |
//! | `check` | checks the guards of live blocks, of host memory and of one device, at the program's next call into AscendCL |
//! | `set KEY=VALUE` | sets an option that may change while the program runs: `halt_on_error`, `exitcode`, `symbols`, `stack_trim`, `source_lines`, `verbose`, `summary`, `quiet` |
//!
//! It answers when the action is done, or after ten seconds. A `check` is made by a thread of the program that has a device; if none calls
//! AscendCL for three seconds, it stays pending.
//!
//! Exit codes: 0; 1 if the action was refused, is pending, or found damaged blocks; 2 if the program cannot be reached.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use aclsan_render::units::counted;
use anyhow::{Context, anyhow, bail};

use crate::commands::top;
use crate::io::language::localized;
use crate::io::{notice, output};

/// Longest path that `connect` takes as it is; `sun_path` has 108 bytes.
const MAX_PATH: usize = 100;
/// Longest answer in bytes.
const MAX_ANSWER: u64 = 4096;
/// Longest name or setting in bytes: the program takes a line of 1,024.
const MAX_VALUE: usize = 900;
/// Time for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whom to tell what.
#[derive(clap::Args)]
pub struct Args {
    /// The number of the process
    #[arg(value_name = "PID")]
    pid: u32,
    /// What to do
    #[arg(value_name = "ACTION")]
    action: Action,
    /// A name for `mark` and `snapshot`, KEY=VALUE for `set`
    #[arg(value_name = "VALUE")]
    value: Option<String>,
}

/// An action of a running program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Action {
    /// Start recording
    Start,
    /// Stop recording
    Stop,
    /// Record how much is live
    Snapshot,
    /// Check guards now
    Check,
    /// Record a moment
    Mark,
    /// Set an option
    Set,
}

/// Tells it, and prints the answer.
///
/// # Errors
/// If the value does not belong to the action, or the program cannot be reached.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let line = line_of(args.action, args.value.as_deref())?;
    let answer = ask(&socket_of(args.pid)?, &line)?;
    Ok(match answer.split_once(' ') {
        Some(("ok", done)) if args.action == Action::Check => {
            let damaged = done.parse().map_err(|_| unknown(args.pid))?;
            let blocks = counted(damaged, "damaged block");
            say(&format!("guards are checked: {blocks}"))?;
            ExitCode::from(u8::from(damaged > 0))
        }
        Some(("ok", done)) => {
            say(done)?;
            ExitCode::SUCCESS
        }
        Some(("no", why)) => {
            notice::say(&localized(why));
            ExitCode::FAILURE
        }
        _ => return Err(unknown(args.pid)),
    })
}

fn say(done: &str) -> anyhow::Result<()> {
    output::write(format!("{}\n", localized(done)).as_bytes())
}

fn unknown(pid: u32) -> anyhow::Error {
    anyhow!("process {pid} gave no answer that this version knows")
}

/// The line that asks for the action.
fn line_of(action: Action, value: Option<&str>) -> anyhow::Result<String> {
    let name = match action {
        Action::Start => "start",
        Action::Stop => "stop",
        Action::Snapshot => "snapshot",
        Action::Check => "check",
        Action::Mark => "mark",
        Action::Set => "set",
    };
    let Some(value) = value else {
        return match action {
            Action::Mark => bail!("`mark` needs a name: aclsan ctl PID mark NAME"),
            Action::Set => bail!("`set` needs a setting: aclsan ctl PID set KEY=VALUE"),
            _ => Ok(format!("{name}\n")),
        };
    };
    if matches!(action, Action::Start | Action::Stop | Action::Check) {
        bail!("`{name}` takes no value, and `{value}` was given");
    }
    if value.len() > MAX_VALUE || value.is_empty() || value.contains(char::is_control) {
        bail!("a name or setting is one line of 1 to {MAX_VALUE} bytes");
    }
    Ok(format!("{name} {value}\n"))
}

/// The socket beside a log of the process.
fn socket_of(pid: u32) -> anyhow::Result<PathBuf> {
    let sockets = top::of_process(pid)?.into_iter().map(|log| {
        let mut path = OsString::from(log);
        path.push(".ctl");
        PathBuf::from(path)
    });
    let mut sockets = sockets.filter(|path| path.symlink_metadata().is_ok());
    sockets
        .next()
        .with_context(|| format!("process {pid} does not listen: start it with `--set control=1`"))
}

fn ask(socket: &Path, line: &str) -> anyhow::Result<String> {
    let mut stream = connect(socket).with_context(|| {
        format!(
            "nobody listens at `{}`: the program has closed it, or it is another user's",
            socket.display()
        )
    })?;
    let silent = || {
        format!(
            "no answer at `{}` within {} s",
            socket.display(),
            PATIENCE.as_secs()
        )
    };
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(line.as_bytes()).with_context(silent)?;
    let mut answer = String::new();
    BufReader::new(stream.take(MAX_ANSWER))
        .read_line(&mut answer)
        .with_context(silent)?;
    if answer.is_empty() {
        bail!(
            "`{}` closed the connection without an answer",
            socket.display()
        );
    }
    Ok(answer.trim_end().to_owned())
}

/// A longer path is reached through a descriptor of its folder.
fn connect(socket: &Path) -> std::io::Result<UnixStream> {
    if socket.as_os_str().len() <= MAX_PATH {
        return UnixStream::connect(socket);
    }
    let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
        return Err(std::io::ErrorKind::InvalidInput.into());
    };
    let folder = OpenOptions::new().read(true).open(folder)?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name);
    UnixStream::connect(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_belongs_to_the_actions_that_take_one() {
        assert_eq!(line_of(Action::Stop, None).unwrap(), "stop\n");
        assert_eq!(
            line_of(Action::Mark, Some("warm up")).unwrap(),
            "mark warm up\n"
        );
        assert_eq!(line_of(Action::Snapshot, None).unwrap(), "snapshot\n");
        for (action, value) in [
            (Action::Mark, None),
            (Action::Set, None),
            (Action::Start, Some("now")),
            (Action::Mark, Some("two\nlines")),
            (Action::Mark, Some("")),
        ] {
            assert!(line_of(action, value).is_err(), "{action:?} {value:?}");
        }
        assert!(line_of(Action::Mark, Some(&"x".repeat(901))).is_err());
    }

    #[test]
    fn a_program_that_ends_before_it_answers_is_not_called_slow() {
        let folder = std::env::temp_dir().join(format!("aclsan-ctl-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let socket = folder.join("log.ctl");
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let program = std::thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let mut line = String::new();
            BufReader::new(client).read_line(&mut line).unwrap();
            line
        });
        let said = ask(&socket, "stop\n").unwrap_err().to_string();
        assert_eq!(program.join().unwrap(), "stop\n");
        assert!(
            said.ends_with("closed the connection without an answer"),
            "{said}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
