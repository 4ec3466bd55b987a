//! The types of option values, and how each is written.

/// How much is done at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Record and judge; never touch the device.
    Record,
    /// Record, judge, and guard blocks.
    Check,
}

/// Which redzones are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// None.
    Off,
    /// After each block.
    Rear,
    /// After each block and before it.
    Both,
    /// An unmapped page after selected blocks, a redzone after the others.
    Page,
}

/// The defaults that other options start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// Everything that aclsan can find.
    Full,
    /// Cheap enough to leave on: few stacks, few redzones.
    Production,
}

/// How accesses of the CPU to host memory that a device uses are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostAccess {
    /// They are not.
    Off,
    /// Such memory is protected, and an access traps.
    Trap,
}

/// Which signals that end the program are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleSignals {
    /// None.
    No,
    /// Those that the program leaves to the kernel.
    Unhandled,
    /// Also those that the program handles.
    All,
}

/// Whether findings are colored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The language of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lang {
    /// The locale's: Chinese if it is Chinese in UTF-8, else English.
    Auto,
    /// Chinese.
    Zh,
    /// English.
    En,
}

/// Whether stacks show Python functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Python {
    /// If there is an interpreter that can be read.
    Auto,
    /// Never.
    Off,
}

/// When recording starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// With the first call.
    Now,
    /// When the program or its user says so.
    Paused,
}

/// A type of option value.
pub trait Value: Sized {
    /// Parses a value; `None` if `text` is not one.
    fn parse(text: &str) -> Option<Self>;
    /// The value as it would be written.
    fn shown(&self) -> String;
    /// What values look like, for help and warnings.
    const SHAPE: &'static str;
}

impl Value for bool {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "1" | "on" | "yes" | "true" => Some(true),
            "0" | "off" | "no" | "false" => Some(false),
            _ => None,
        }
    }
    fn shown(&self) -> String {
        u8::from(*self).to_string()
    }
    const SHAPE: &'static str = "0 or 1";
}

impl Value for String {
    fn parse(text: &str) -> Option<Self> {
        Some(text.into())
    }
    fn shown(&self) -> String {
        self.clone()
    }
    const SHAPE: &'static str = "text";
}

impl Value for u32 {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
    fn shown(&self) -> String {
        self.to_string()
    }
    const SHAPE: &'static str = "a number from 0 to 4294967295";
}

/// Bytes of a redzone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuardBytes(pub u32);

impl Value for GuardBytes {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|&n| n <= 4096).map(Self)
    }
    fn shown(&self) -> String {
        self.0.to_string()
    }
    const SHAPE: &'static str = "a number from 0 to 4096";
}

/// Frames of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depth(pub u32);

impl Value for Depth {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|&n| n <= Self::MAX).map(Self)
    }
    fn shown(&self) -> String {
        self.0.to_string()
    }
    const SHAPE: &'static str = "a number from 0 to 256";
}

impl Depth {
    /// The maximum, as the shape says.
    pub const MAX: u32 = 256;
}

/// What happens at the first error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HaltOnError {
    /// Nothing.
    No,
    /// The process exits.
    Exit,
    /// It aborts, which may leave a core dump.
    Abort,
    /// A trap, which a debugger stops at.
    Trap,
}

impl Value for HaltOnError {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "exit" => Some(Self::Exit),
            "abort" => Some(Self::Abort),
            "trap" => Some(Self::Trap),
            _ => bool::parse(text).map(|is_on| match is_on {
                true => Self::Exit,
                false => Self::No,
            }),
        }
    }
    fn shown(&self) -> String {
        let name = match self {
            Self::No => "0",
            Self::Exit => "exit",
            Self::Abort => "abort",
            Self::Trap => "trap",
        };
        name.into()
    }
    const SHAPE: &'static str = "0, exit, abort or trap";
}

/// An exit code that says that something is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExitCode(pub u8);

impl Value for ExitCode {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|&code| code > 0).map(Self)
    }
    fn shown(&self) -> String {
        self.0.to_string()
    }
    const SHAPE: &'static str = "a number from 1 to 255";
}

/// Permissions of a file, at least its owner's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileMode(pub u32);

impl Value for FileMode {
    fn parse(text: &str) -> Option<Self> {
        let mode = u32::from_str_radix(text, 8).ok()?;
        (mode <= 0o777 && mode & 0o600 == 0o600).then_some(Self(mode))
    }
    fn shown(&self) -> String {
        format!("{:04o}", self.0)
    }
    const SHAPE: &'static str = "an octal number from 0600 to 0777";
}

/// One in N.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample(pub u32);

impl Value for Sample {
    fn parse(text: &str) -> Option<Self> {
        text.strip_prefix("1/")
            .unwrap_or(text)
            .parse()
            .ok()
            .filter(|&n| n > 0)
            .map(Self)
    }
    fn shown(&self) -> String {
        format!("1/{}", self.0)
    }
    const SHAPE: &'static str = "1/N";
}

/// A signal by number, 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signal(pub i32);

impl Value for Signal {
    fn parse(text: &str) -> Option<Self> {
        let spare = [libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];
        let number = match text.strip_prefix("SIG").unwrap_or(text) {
            "none" => 0,
            "HUP" => libc::SIGHUP,
            "USR1" => libc::SIGUSR1,
            "USR2" => libc::SIGUSR2,
            number => number.parse().ok().filter(|number| {
                spare.contains(number) || (libc::SIGRTMIN()..=libc::SIGRTMAX()).contains(number)
            })?,
        };
        Some(Self(number))
    }
    fn shown(&self) -> String {
        self.0.to_string()
    }
    const SHAPE: &'static str = "none, USR1, USR2, HUP or the number of a real-time signal";
}

macro_rules! choice {
    ($type:ty, $shape:literal, $($text:literal => $value:expr),+) => {
        impl Value for $type {
            fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some($value),)+
                    _ => None,
                }
            }
            fn shown(&self) -> String {
                let texts = [$(($value, $text)),+];
                let text = texts.into_iter().find(|(value, _)| value == self);
                text.map_or("", |(_, text)| text).into()
            }
            const SHAPE: &'static str = $shape;
        }
    };
}

choice!(Mode, "record or check", "record" => Self::Record, "check" => Self::Check);
choice!(Profile, "full or production", "full" => Self::Full, "production" => Self::Production);
choice!(Option<Guard>, "off, rear, both or page", "off" => Some(Guard::Off), "rear" => Some(Guard::Rear), "both" => Some(Guard::Both),
    "page" => Some(Guard::Page));
choice!(HostAccess, "off or trap", "off" => Self::Off, "trap" => Self::Trap);
choice!(HandleSignals, "0, 1 or 2", "0" => Self::No, "1" => Self::Unhandled, "2" => Self::All);
choice!(Python, "auto or off", "auto" => Self::Auto, "off" => Self::Off);
choice!(Start, "now or paused", "now" => Self::Now, "paused" => Self::Paused);
choice!(Lang, "auto, zh or en", "auto" => Self::Auto, "zh" => Self::Zh, "en" => Self::En);
choice!(Color, "auto, always or never", "auto" => Self::Auto, "always" => Self::Always, "never" => Self::Never);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_has_a_name_or_a_number_and_is_none_that_others_need() {
        let signal = |text: &str| Signal::parse(text).map(|signal| signal.0);
        assert_eq!(signal("none"), Some(0));
        assert_eq!(signal("USR2"), Some(libc::SIGUSR2));
        assert_eq!(signal("SIGUSR1"), Some(libc::SIGUSR1));
        assert_eq!(signal("40"), Some(40));
        for other in ["11", "SEGV", "9", "0x0a", "-1", "17", "65"] {
            assert_eq!(signal(other), None, "{other}");
        }
    }

    #[test]
    fn a_yes_means_exit() {
        for (text, how) in [
            ("1", HaltOnError::Exit),
            ("true", HaltOnError::Exit),
            ("exit", HaltOnError::Exit),
            ("off", HaltOnError::No),
            ("trap", HaltOnError::Trap),
        ] {
            assert_eq!(HaltOnError::parse(text), Some(how), "{text}");
        }
        assert_eq!(HaltOnError::parse("core"), None);
    }

    #[test]
    fn a_file_mode_is_octal_and_leaves_the_owner_his_access() {
        let mode = |text: &str| FileMode::parse(text).map(|mode| mode.0);
        assert_eq!(
            ["0600", "640", "0777"].map(mode),
            [Some(0o600), Some(0o640), Some(0o777)]
        );
        for wrong in ["0400", "0044", "1777", "0o600", "rw", "-600", "0688", ""] {
            assert_eq!(mode(wrong), None, "{wrong}");
        }
        assert_eq!(FileMode(0o640).shown(), "0640");
    }

    #[test]
    fn a_choice_is_shown_as_it_is_written() {
        for text in ["off", "rear", "both", "page"] {
            let guard = Option::<Guard>::parse(text).map(|guard| guard.shown());
            assert_eq!(guard.as_deref(), Some(text));
        }
        assert_eq!(Python::Off.shown(), "off");
    }
}
