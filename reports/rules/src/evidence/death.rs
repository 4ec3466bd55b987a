//! How a process ended, in a sentence: by a signal, or by `halt_on_error`.

use aclsan_log::{End, EndKind};

/// The name of a signal that ends processes; `None` for one without a name of its own.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    // The numbers of Linux on x86-64 and aarch64.
    let names = [
        "SIGHUP",
        "SIGINT",
        "SIGQUIT",
        "SIGILL",
        "SIGTRAP",
        "SIGABRT",
        "SIGBUS",
        "SIGFPE",
        "SIGKILL",
        "SIGUSR1",
        "SIGSEGV",
        "SIGUSR2",
        "SIGPIPE",
        "SIGALRM",
        "SIGTERM",
        "SIGSTKFLT",
        "SIGCHLD",
        "SIGCONT",
        "SIGSTOP",
        "SIGTSTP",
        "SIGTTIN",
        "SIGTTOU",
        "SIGURG",
        "SIGXCPU",
        "SIGXFSZ",
        "SIGVTALRM",
        "SIGPROF",
        "SIGWINCH",
        "SIGIO",
        "SIGPWR",
        "SIGSYS",
    ];
    let at = usize::try_from(signal).ok()?.checked_sub(1)?;
    names.get(at).copied()
}

/// Its name, or its number.
pub fn signal_label(signal: i32) -> String {
    signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
}

/// One sentence about the end of process `pid`.
pub fn sentence(end: &End, pid: u32) -> String {
    let name = signal_label(end.signal);
    let what = match end.kind {
        EndKind::Halt => {
            return "the process was ended at its first error (`halt_on_error`)".to_owned();
        }
        EndKind::Detached => return "the watch ended by `aclsan detach`".to_owned(),
        EndKind::Killed => format!("the process was ended by {name}"),
        EndKind::Signal => format!("the process died by {name}"),
    };
    match reason(end, pid) {
        reason if reason.is_empty() => what,
        reason => format!("{what}: {reason}"),
    }
}

const ILL: i32 = 4;
const ABRT: i32 = 6;
const BUS: i32 = 7;
const FPE: i32 = 8;
const KILL: i32 = 9;
const SEGV: i32 = 11;

/// Why the signal came, as far as the kernel says; may be empty.
fn reason(end: &End, pid: u32) -> String {
    let address = end.address;
    match (end.kind, end.signal, end.code) {
        (EndKind::Killed, KILL, _) => {
            "by the kernel as memory ran out, or by another process".to_owned()
        }
        (EndKind::Killed | EndKind::Halt | EndKind::Detached, ..) => String::new(),
        (_, ABRT, ..=0) if address == pid.into() => "it called `abort`".to_owned(),
        (_, _, ..=0) if address == pid.into() => "it sent the signal to itself".to_owned(),
        (_, _, ..=0) => format!("process {address} sent the signal"),
        (_, SEGV, _) if end.is_overflow => "the stack of the thread is full".to_owned(),
        (_, SEGV, 1) => format!("nothing is mapped at {address:#x}"),
        (_, SEGV, 2) => format!("the memory at {address:#x} may not be accessed like that"),
        (_, SEGV, _) => "an address that no memory has".to_owned(),
        (_, BUS, 1) => format!("the address {address:#x} is misaligned"),
        (_, BUS, _) => format!(
            "there is no memory behind {address:#x}: a mapped file was truncated, huge pages ran out, or the memory failed"
        ),
        (_, FPE, 1) => "an integer division by zero".to_owned(),
        (_, FPE, _) => "an arithmetic exception".to_owned(),
        (_, ILL, _) => format!("the instruction at {address:#x} is not valid"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(signal: i32, code: i32, address: u64) -> String {
        let end = End {
            code,
            address,
            ..End::new(EndKind::Signal, signal)
        };
        sentence(&end, 42)
    }

    #[test]
    fn a_signal_has_its_reason() {
        assert_eq!(
            told(SEGV, 1, 0x10),
            "the process died by SIGSEGV: nothing is mapped at 0x10"
        );
        assert_eq!(
            told(ABRT, -6, 42),
            "the process died by SIGABRT: it called `abort`"
        );
        assert_eq!(
            told(ABRT, 0, 7),
            "the process died by SIGABRT: process 7 sent the signal"
        );
        assert_eq!(told(5, 128, 0), "the process died by SIGTRAP");
        assert_eq!(
            told(64, 0, 42),
            "the process died by signal 64: it sent the signal to itself"
        );
    }

    #[test]
    fn what_the_parent_saw_has_less() {
        let killed = |signal| sentence(&End::new(EndKind::Killed, signal), 42);
        assert!(
            killed(KILL)
                .starts_with("the process was ended by SIGKILL: by the kernel as memory ran out")
        );
        assert_eq!(killed(15), "the process was ended by SIGTERM");
    }
}
