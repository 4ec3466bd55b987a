//! The list of a run's logs. It tells `aclsan run` about a log that is gone when its program has ended.

use crate::file::check_limit;
use aclsan_os::files;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Maximum length of the list.
const MAX_BYTES: u64 = 1 << 20;

/// Appends the path of this process's log to `list`, which the command created. If it cannot be reached (another root,
/// another user, a limit on files), the command only knows the logs that it finds.
pub fn add(list: &str, log: &Path) {
    if list.is_empty() || check_limit(MAX_BYTES).is_err() {
        return;
    }
    let mut options = OpenOptions::new();
    options
        .append(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    if let Ok(mut file) = options.open(list)
        && files::is_regular(&file)
    {
        let mut line = format!("{} ", std::process::id()).into_bytes();
        line.extend_from_slice(log.as_os_str().as_bytes());
        line.push(b'\n');
        let _ = file.write_all(&line);
    }
}
