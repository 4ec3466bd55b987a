//! The program under test before it starts: where it is, and what would keep the shim out of it.

pub mod elf;
mod preload_obstacle;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use elf::Elf;

/// Longest chain of script interpreters: as deep as Linux follows them.
const MAX_INTERPRETERS: usize = 5;

/// A program that can be started.
#[derive(Debug)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// The file that is finally loaded: itself, or the interpreter of its `#!` line.
    pub loaded: PathBuf,
    /// That file's ELF data; `None` if it is no ELF file.
    pub elf: Option<Elf>,
}

/// Why a program cannot be started.
#[derive(Debug)]
pub enum CannotStart {
    /// No such file, or in no folder of `PATH` if named without a folder.
    NotFound { name: String, searched: bool },
    /// Its `#!` line or ELF header names a missing program.
    NoInterpreter { name: String, interpreter: String },
    /// The file exists and is no program.
    NotExecutable { name: String, why: String },
    /// The system cannot start another process, or the thread that starts it.
    NoRoom { name: String, why: String },
}

impl CannotStart {
    /// The exit code of `env`, `timeout` and shells in that case.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotFound { .. } | Self::NoInterpreter { .. } => 127,
            Self::NotExecutable { .. } => 126,
            Self::NoRoom { .. } => 125,
        }
    }
}

impl fmt::Display for CannotStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound {
                name,
                searched: true,
            } => write!(
                f,
                "`{name}` was not found in any folder of PATH; for a file in this folder write `./{name}`"
            ),
            Self::NotFound { name, .. } => write!(f, "there is no file `{name}`"),
            Self::NoInterpreter { name, interpreter } => write!(
                f,
                "`{name}` cannot be started: it asks for `{interpreter}`, which is not there"
            ),
            Self::NotExecutable { name, why } => write!(f, "`{name}` cannot be executed: {why}"),
            Self::NoRoom { name, why } => write!(f, "`{name}` could not be started: {why}"),
        }
    }
}

impl std::error::Error for CannotStart {}

impl Program {
    /// Finds a program as a shell would, and reads what it is.
    ///
    /// # Errors
    /// [`CannotStart`] if starting it could only fail.
    pub fn find(name: &OsStr) -> Result<Self, CannotStart> {
        let path = locate(name)?;
        let mut program = Self {
            loaded: path.clone(),
            path,
            elf: None,
        };
        for _ in 0..MAX_INTERPRETERS {
            let Some(interpreter) = interpreter(&program.loaded) else {
                break;
            };
            program.loaded = match locate(&interpreter) {
                Ok(found) => found,
                Err(_) => {
                    return Err(CannotStart::NoInterpreter {
                        name: name.display().to_string(),
                        interpreter: interpreter.display().to_string(),
                    });
                }
            };
        }
        // An executable file may be unreadable: the system can start it, but we know nothing about it.
        program.elf = Elf::read(&program.loaded).unwrap_or_default();
        Ok(program)
    }

    /// The AddressSanitizer runtime that it is linked with, by name.
    pub fn asan(&self) -> Option<&str> {
        let needed = self.elf.as_ref()?.needed.iter();
        needed
            .map(String::as_str)
            .find(|library| crate::run::preload::is_asan(library))
    }

    /// Explains the error of a failed start.
    pub fn cannot_start(&self, error: &io::Error) -> CannotStart {
        let name = self.path.display().to_string();
        let interpreter = self.elf.as_ref().and_then(|elf| elf.interpreter.clone());
        match (error.kind(), interpreter) {
            (io::ErrorKind::NotFound, Some(interpreter)) => {
                CannotStart::NoInterpreter { name, interpreter }
            }
            (io::ErrorKind::NotFound, None) => CannotStart::NotFound {
                name,
                searched: false,
            },
            (io::ErrorKind::WouldBlock, _) => CannotStart::NoRoom {
                name,
                why: format!("{error}; raise `ulimit -u`, or the container's limit of processes"),
            },
            (io::ErrorKind::OutOfMemory, _) => CannotStart::NoRoom {
                name,
                why: error.to_string(),
            },
            _ => CannotStart::NotExecutable {
                name,
                why: match error.raw_os_error() {
                    Some(nix::libc::ENOEXEC) => {
                        "it begins neither as an ELF file of this machine nor with `#!`".to_owned()
                    }
                    _ => error.to_string(),
                },
            },
        }
    }
}

/// The file of a name, searched in `PATH` if it has no slash.
fn locate(name: &OsStr) -> Result<PathBuf, CannotStart> {
    let text = || name.display().to_string();
    let has_folder = name.as_bytes().contains(&b'/');
    let candidates: Vec<PathBuf> = match has_folder {
        true => vec![PathBuf::from(name)],
        false => {
            let folders = env::var_os("PATH").unwrap_or_else(|| OsString::from("/bin:/usr/bin"));
            env::split_paths(&folders)
                .map(|folder| folder.join(name))
                .collect()
        }
    };
    let mut refused = None;
    for path in candidates {
        match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => refused = refused.or(Some("it is a folder".to_owned())),
            Ok(_) if access(&path, Access::EXEC_OK).is_ok() => return Ok(path),
            Ok(_) => {
                let advice = format!("no permission; try `chmod +x {}`", path.display());
                refused = refused.or(Some(advice));
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                refused = refused.or(Some(error.to_string()));
            }
            Err(_) => {}
        }
    }
    match refused {
        // A folder of that name in `PATH` does not count as found.
        Some(why) if has_folder || why != "it is a folder" => {
            Err(CannotStart::NotExecutable { name: text(), why })
        }
        _ => Err(CannotStart::NotFound {
            name: text(),
            searched: !has_folder,
        }),
    }
}

/// The program that a script's `#!` line names; after `env`, the one that `env` starts.
fn interpreter(script: &Path) -> Option<OsString> {
    let mut head = Vec::new();
    let file = fs::File::open(script).ok()?;
    file.take(256).read_to_end(&mut head).ok()?;
    let line = head
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let first = words.next()?;
    if !first.ends_with(b"/env") {
        return Some(OsString::from_vec(first.to_vec()));
    }
    let behind = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='));
    Some(OsString::from_vec(behind.unwrap_or(first).to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_in_path_and_a_file_is_not() {
        let shell = Program::find(OsStr::new("sh")).unwrap();
        assert!(shell.path.is_absolute());
        assert!(shell.elf.is_some());
        let missing = Program::find(OsStr::new("no-such-program-here")).unwrap_err();
        assert_eq!(missing.exit_code(), 127);
        let folder = Program::find(OsStr::new("/")).unwrap_err();
        assert_eq!(folder.exit_code(), 126);
        let text = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let text = Program::find(OsStr::new(text)).unwrap_err();
        assert_eq!(text.exit_code(), 126);
        assert!(text.to_string().contains("chmod +x"));
    }
}
