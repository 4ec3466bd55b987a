//! The exit code of commands that read logs.

use std::process::ExitCode;

use super::{NothingObserved, Reading};
use crate::io::language::localized;
use crate::policy::verdict::Verdict;

/// The exit code: 2 if a log could not be read, else 1 if the verdict says so, else 3 if nothing was observed.
pub fn conclude(reading: &Reading, verdict: &Verdict, allow_empty: bool) -> ExitCode {
    for sentence in &reading.unreadable {
        crate::io::notice::say(sentence);
    }
    let unwatched = reading.unobserved().filter(|_| !allow_empty);
    if let Some(why) = &unwatched {
        let why =
            format!("{why}: `aclsan doctor -- PROGRAM` tells why, `--allow-empty` accepts it");
        crate::io::notice::say(&localized(&why));
    }
    match () {
        () if !reading.unreadable.is_empty() => ExitCode::from(2),
        () if verdict.has_failed() => ExitCode::from(1),
        () if unwatched.is_some() => ExitCode::from(NothingObserved::CODE),
        () => ExitCode::SUCCESS,
    }
}
