//! Pseudo-terminals: a command gets the near end; the test holds the far one.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command};

/// The far end of a terminal.
pub struct Terminal {
    /// Writing here is typing; reading it gives the output.
    pub far: File,
    name: String,
}

impl Terminal {
    /// A terminal of this size.
    pub fn new(columns: u16, lines: u16) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let far = File::from(openpt(flags).expect("a terminal"));
        grantpt(&far).expect("ours");
        unlockpt(&far).expect("ours");
        let name = ptsname(&far, Vec::new()).expect("a name");
        let name = name.to_str().expect("ASCII").to_owned();
        let terminal = Self { far, name };
        terminal.resize(columns, lines);
        terminal
    }

    /// Gives it another size.
    pub fn resize(&self, columns: u16, lines: u16) {
        let size = Winsize {
            ws_row: lines,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&self.far, size).expect("a size");
    }

    /// Starts a command on it. Our copies of the near end go with the command, so that reading ends when its process does.
    pub fn start(&self, mut command: Command) -> Child {
        let near = || {
            let file = File::options()
                .read(true)
                .write(true)
                .custom_flags(rustix::fs::OFlags::NOCTTY.bits().cast_signed())
                .open(&self.name);
            file.expect("the other end")
        };
        command.stdin(near()).stdout(near()).stderr(near());
        command.spawn().expect("it starts")
    }
}
