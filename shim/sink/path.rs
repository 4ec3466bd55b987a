//! The log's path: expands a template, and never overwrites another file.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use aclsan_os::files;

/// The log's name if the user gives none, or only a folder.
const DEFAULT: &str = "aclsan-%h-%p.aclsan";
/// Number of suffixes to try if names are taken.
const NUMBERS: u32 = 9999;

/// The path that a template stands for. A folder, either existing or marked by a final `/`, stands for a file with the
/// default name in it.
pub fn of(template: &str) -> PathBuf {
    let path = expand(template);
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return path.join(expand(DEFAULT));
    }
    let mut folder = OpenOptions::new();
    folder.read(true).custom_flags(libc::O_DIRECTORY);
    match folder.open(&path) {
        Ok(_) => path.join(expand(DEFAULT)),
        Err(_) => path,
    }
}

/// Expands a template: `%p` process ID, `%h` host, `%e` program, `%t` start time in seconds since 1970, `%q{NAME}` the
/// environment variable `NAME`, `%%` a percent sign. Anything else is kept.
pub fn expand(template: &str) -> PathBuf {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('%') {
        out += before;
        let quoted = after
            .strip_prefix("q{")
            .and_then(|name| name.split_once('}'));
        if let Some((name, after)) = quoted {
            out += &std::env::var(name).unwrap_or_default();
            rest = after;
            continue;
        }
        match after.chars().next() {
            Some('p') => out += &std::process::id().to_string(),
            Some('h') => out += &host(),
            Some('e') => out += &program(),
            Some('t') => {
                out += &SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .map_or(0, |since| since.as_secs())
                    .to_string()
            }
            Some('%') => out.push('%'),
            _ => {
                out.push('%');
                rest = after;
                continue;
            }
        }
        rest = &after[1..];
    }
    PathBuf::from(out + rest)
}

/// Creates a new file: `wanted`, or with `.1`, `.2`, … appended, and the folders on its way. The name of a log that was
/// packed and removed counts as taken: readers would take the two for one, and packing the second would overwrite the
/// first.
///
/// # Errors
/// The system's error for the first path that fails for a reason other than being taken.
/// [`io::ErrorKind::InvalidInput`] if `wanted` exists and is not a regular file: nobody wants a log beside `/dev/null`.
pub fn create(wanted: &Path, mode: u32) -> io::Result<(File, PathBuf)> {
    let mut folder = wanted
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut number = 0;
    loop {
        let mut name = wanted.as_os_str().to_owned();
        if number > 0 {
            name.push(format!(".{number}"));
        }
        if number < NUMBERS && is_packed(&name) {
            number += 1;
            continue;
        }
        match OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&name)
        {
            Ok(file) => {
                return Ok((
                    file,
                    std::path::absolute(&name).unwrap_or_else(|_| name.into()),
                ));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < NUMBERS => {
                if number == 0 && !is_regular(wanted) {
                    let kind = io::ErrorKind::InvalidInput;
                    return Err(io::Error::new(kind, "it is no regular file"));
                }
                number += 1
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_some() => {
                std::fs::create_dir_all(folder.take().unwrap_or(wanted))?;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether a log of this name has been packed (`aclsan pack`).
fn is_packed(log: &OsStr) -> bool {
    let mut packed = log.to_owned();
    packed.push(".zst");
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_PATH);
    options.open(packed).is_ok()
}

/// Whether it is a regular file, or nobody can tell.
fn is_regular(path: &Path) -> bool {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_PATH); // does not wait for a pipe, and opens no device
    options
        .open(path)
        .map_or(true, |file| files::is_regular(&file))
}

/// The host name, or "host" if it has none.
pub fn host() -> String {
    let mut bytes = [0; 256];
    // A single read that does not ask for the length: a filter may reject that.
    let read = File::open("/proc/sys/kernel/hostname").and_then(|mut file| file.read(&mut bytes));
    match read {
        Ok(length) if length > 0 => String::from_utf8_lossy(&bytes[..length]).trim().into(),
        _ => "host".into(),
    }
}

fn program() -> String {
    let path = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    path.file_name().map_or_else(
        || "program".into(),
        |name| name.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_filled_in() {
        let pid = std::process::id();
        assert_eq!(expand("a-%p%%.log"), PathBuf::from(format!("a-{pid}%.log")));
        assert_eq!(expand("%q{ACLSAN_NO_SUCH}x%z%"), PathBuf::from("x%z%"));
        assert_eq!(expand("%h"), PathBuf::from(host()));
    }

    #[test]
    fn a_folder_stands_for_a_file_in_it() {
        let folder = std::env::temp_dir();
        let name = format!("aclsan-{}-{}.aclsan", host(), std::process::id());
        assert_eq!(of(&folder.to_string_lossy()), folder.join(&name));
        let new = Path::new("/no/such/folder");
        assert_eq!(of("/no/such/folder/"), new.join(name));
    }

    #[test]
    fn a_log_never_replaces_a_file() {
        let folder = std::env::temp_dir().join(format!("aclsan-path-{}", std::process::id()));
        let wanted = folder.join("deep/log");
        let first = create(&wanted, 0o600).unwrap().1;
        let second = create(&wanted, 0o600).unwrap().1;
        assert_eq!((first, second), (wanted.clone(), folder.join("deep/log.1")));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_name_of_a_packed_log_is_taken() {
        let folder = std::env::temp_dir().join(format!("aclsan-packed-{}", std::process::id()));
        let wanted = folder.join("log");
        let first = create(&wanted, 0o600).unwrap().1;
        for name in ["log.1.zst", "log.3.zst", "other.zst"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let later = [2, 4].map(|_| create(&wanted, 0o600).unwrap().1);
        assert_eq!(first, wanted);
        assert_eq!(later, ["log.2", "log.4"].map(|name| folder.join(name)));
        std::fs::rename(&wanted, folder.join("log.zst")).unwrap();
        assert_eq!(create(&wanted, 0o600).unwrap().1, folder.join("log.5"));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn beside_a_device_no_file_is_made() {
        let refused = create(Path::new("/dev/null"), 0o600).unwrap_err();
        assert_eq!(refused.to_string(), "it is no regular file");
        assert!(!Path::new("/dev/null.1").exists());
    }
}
