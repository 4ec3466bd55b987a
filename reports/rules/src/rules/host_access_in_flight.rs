//! `host-access-in-flight`: the CPU accessed host memory that a queued copy still uses.
//!
//! ## What it reports
//! With `host_access=trap` only: a load, a store, or a call of libc such as `read` or
//! `fwrite`, in page-locked or registered host memory. Either a queued copy fills these
//! bytes, or it reads them and the CPU writes; and the host has not waited for the copy
//! or asked whether it has completed.
//!
//! Later accesses that the same wait would have ordered are its consequences, as in
//! `unordered-access`.
//!
//! ## Why it matters
//! A queued copy runs when its stream comes to it. The CPU is not held up: it reads the
//! old bytes, or some of the new ones, or it changes what has yet to be sent. Mostly the
//! copy is fast enough, and tests pass.
//!
//! ## Example
//! ```c
//! aclrtMemcpyAsync(result, n, out, n, ACL_MEMCPY_DEVICE_TO_HOST, stream);
//! printf("%f\n", result[0]);            // host-access-in-flight
//! aclrtSynchronizeStream(stream);
//! ```
//!
//! ## How to fix it
//! Wait for the stream, or for an event recorded after the copy, before the CPU touches
//! the buffer; with two buffers that take turns the wait costs nothing.
//!
//! ## What it cannot see
//! The first access to a page opens it until the next copy there: a wrong access after a
//! harmless one to the same page is missed. Blocks of page-locked memory do not share
//! pages while `host_access_mb` lasts; registered memory is protected by whole pages.
//! Copies of rows with gaps, copies that a captured graph makes when it runs, accesses
//! by threads and callbacks of the runtime, by io_uring and raw system calls and by
//! other processes. What `printf`, `fgets` and the like touch is the program's access; a
//! buffer of a stream (`setvbuf`) in such memory is not opened for libc. A callback
//! counts as a wait for its stream, and so does `aclrtStreamStop`; `aclmdlRIAbort` and a
//! snapshot of the process (`aclrtSnapShotProcessLock`) count as waits for the device. A
//! program that polls a flag which a copy writes is reported: nothing that AscendCL
//! documents orders the two. The whole definition is in
//! `reports/rules/src/trackers/stream_order/mod.rs`.
//!
//! Source: AscendCL API reference, `aclrtMemcpyAsync`, `aclrtSynchronizeStream`; runtime
//! 681ef761 (CANN 9.2). The device is not affected: the driver pins the pages of host
//! memory within the call (driver aff95158, `devmm_get_non_svm_addr_pa_list`), and the
//! device reaches them by their physical addresses.

use crate::evidence::finding::Finding;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `host-access-in-flight`.
pub static RULE: Rule = Rule {
    name: "host-access-in-flight",
    severity: Severity::Error,
    summary: "the CPU accessed host memory that a queued copy still uses",
    is_live: true,
    source: include_str!("host_access_in_flight.rs"),
};

/// What the two accesses do to the bytes. At least one of them writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// The CPU reads what the device writes.
    ReadOfTarget,
    /// The CPU writes what the device reads.
    WriteToSource,
    /// Both write.
    WriteToTarget,
}

/// Checks an access of the CPU under queued work.
pub fn check(race: &Race, conflict: Conflict) -> Finding {
    let (here, earlier) = (race.here.call.function, race.earlier);
    let subject = match here.is_instruction() {
        true => "the CPU".to_owned(),
        false => format!("`{}`", here.name),
    };
    let (queued, stream) = (earlier.name(), earlier.timeline_kind.name());
    let message = match conflict {
        Conflict::ReadOfTarget => {
            format!(
                "{subject} read host memory that `{queued}` on {stream} may not have filled yet"
            )
        }
        Conflict::WriteToSource => {
            format!("{subject} wrote to host memory that `{queued}` on {stream} may still read")
        }
        Conflict::WriteToTarget => {
            format!("{subject} wrote to host memory that `{queued}` on {stream} may still fill")
        }
    };
    race.finding(&RULE, message).advise(
        "does nothing about it: the CPU does not wait for queued work, and which bytes are read or sent depends on who is first",
        race.wait(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    fn found(here: &'static str, conflict: Conflict) -> Finding {
        let block = block("aclrtMallocHost", 0x1000, 64);
        let copy = ("aclrtMemcpyAsync", TimelineKind::Stream(1));
        check(&race(&block, copy, (here, TimelineKind::Host)), conflict)
    }

    #[test]
    fn an_instruction_is_the_cpus_and_the_wait_is_named() {
        let found = found("load", Conflict::ReadOfTarget);
        assert_eq!(
            found.message,
            "the CPU read host memory that `aclrtMemcpyAsync` on stream 1 may not have filled yet"
        );
        assert_eq!(
            found.instead,
            "call `aclrtSynchronizeStream` on stream 1 before"
        );
    }

    #[test]
    fn a_function_of_libc_is_named_and_the_two_kinds_of_writes_differ() {
        assert_eq!(
            found("read", Conflict::WriteToSource).message,
            "`read` wrote to host memory that `aclrtMemcpyAsync` on stream 1 may still read"
        );
        assert_eq!(
            found("store", Conflict::WriteToTarget).message,
            "the CPU wrote to host memory that `aclrtMemcpyAsync` on stream 1 may still fill"
        );
    }
}
