//! Writes into the log of the program how it ended, as its parent knows: by a signal that nothing in the process can see, or not by one
//! that its own handler had survived.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use aclsan_log::end::END;
use aclsan_log::layout::MAGIC;
use aclsan_log::{End, EndKind};

use super::child::Ended;
use super::run_logs::RunLog;

/// Records the end of the program in its log, among those of the run. Returns whether the log says which signal ended it.
pub fn record(logs: &[RunLog], ended: &Ended) -> bool {
    // What a process became by `exec` has a log of its own, the last.
    let own = logs.iter().rev().find(|log| log.pid() == ended.pid);
    own.is_some_and(|log| write(&log.path, ended.status.signal()).unwrap_or(false))
}

fn write(path: &Path, signal: Option<i32>) -> io::Result<bool> {
    // A pipe would block.
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut magic = [0; MAGIC.len()];
    file.read_exact_at(&mut magic, 0)?;
    if magic != MAGIC {
        return Ok(false); // Packed meanwhile.
    }
    let mut known = vec![0; END.len()];
    file.read_exact_at(&mut known, END.start as u64)?;
    let known = End::decode(&known).map(|end| end.kind);
    match (signal, known) {
        (Some(_), Some(_)) => {}
        (Some(signal), None) => {
            let end = End::new(EndKind::Killed, signal);
            file.write_all_at(&end.encode(), END.start as u64)?;
        }
        // The program went on, and left without its exit handlers.
        (None, Some(EndKind::Signal)) => file.write_all_at(&[0; 8], END.start as u64)?,
        (None, _) => {}
    }
    Ok(signal.is_some())
}

#[cfg(test)]
mod tests {
    use aclsan_log::Log;
    use aclsan_log::builder::LogBuilder;

    use super::*;

    fn after(end: Option<End>, signal: Option<i32>) -> Option<(EndKind, i32)> {
        let name = format!("aclsan-ended-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut builder = LogBuilder::default();
        if let Some(end) = end {
            builder.end(end);
        }
        fs::write(&path, builder.bytes()).expect("written");
        assert_eq!(write(&path, signal).expect("written"), signal.is_some());
        let log = Log::open(&path).expect("a log");
        fs::remove_file(&path).expect("it was written");
        log.end.map(|(end, _)| (end.kind, end.signal))
    }

    #[test]
    fn what_the_process_wrote_itself_is_kept_unless_it_lived_on() {
        let fault = || Some(End::new(EndKind::Signal, 11));
        assert_eq!(after(None, Some(9)), Some((EndKind::Killed, 9)));
        assert_eq!(after(fault(), Some(11)), Some((EndKind::Signal, 11)));
        assert_eq!(after(fault(), None), None);
        let halt = Some(End::new(EndKind::Halt, 0));
        assert_eq!(after(halt, None), Some((EndKind::Halt, 0)));
        assert_eq!(after(None, None), None);
    }
}
