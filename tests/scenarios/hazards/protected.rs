//! Host memory that is protected from the CPU (`host_access=trap`): the program must notice nothing of it.

use crate::program::Run;
use crate::trial::{BOTH, Trial};
use aclsan_tests::artifacts;

/// The companion is preloaded in both runs; without the shim it does nothing.
fn trial(name: &str) -> Trial {
    let mut trial = Trial::new(&format!("protected/{name}.c"), "protected");
    trial
        .behind(artifacts::folder().join("libaclsan_free.so"))
        .options("host_access=trap:handle_signals=0");
    trial
}

fn is_seen(run: &Run) -> bool {
    run.stderr.contains("ERROR: aclsan: host-access-in-flight")
}

#[test]
fn faults_of_the_program_reach_its_handlers_as_the_kernel_would_have_it() {
    for topology in BOTH {
        let run = trial("signals").on(topology).same();
        assert!(run.stdout.ends_with("whole\n"), "{}", run.stdout);
        assert!(is_seen(&run), "{}", run.stderr);
    }
}

#[test]
fn a_program_dies_of_its_own_fault_as_it_would_whatever_is_protected() {
    // A null pointer, `raise`, `kill`, a jump to device memory, an ignored fault, `abort`.
    for way in ["n", "r", "k", "c", "i", "a"] {
        let run = trial("deaths").arguments([way]).same();
        assert!(run.code > 128, "{way}: {}", run.code);
        assert!(!is_seen(&run), "{way}: {}", run.stderr);
    }
}

#[test]
fn sizes_near_the_end_of_all_numbers_are_answered_at_once() {
    let run = trial("huge").same();
    assert!(run.stdout.ends_with("end\n"), "{}", run.stdout);
    let overlap = run.stderr.contains("copy-overlap") || run.stderr.contains("copy-overread");
    assert!(!overlap, "{}", run.stderr);
}

#[test]
fn a_child_of_any_kind_finds_all_memory_open() {
    let run = trial("forks").same();
    assert!(
        run.stdout.contains("fork: 1792\nclone: 1792\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_the_program_does_with_its_mappings_holds() {
    let run = trial("mappings").same();
    assert!(!is_seen(&run), "{}", run.stderr);
    let warning = "does not change the protection of some host memory";
    assert_eq!(run.stderr.matches(warning).count(), 1, "{}", run.stderr);
}

#[test]
fn functions_that_take_buffers_succeed_and_count_as_accesses() {
    let run = trial("buffers").same();
    for name in [
        "write", "read", "pwrite", "readv", "recvmsg", "sendmsg", "fread", "fwrite",
    ] {
        let found = format!("host-access-in-flight: `{name}` ");
        assert!(run.stderr.contains(&found), "{name}: {}", run.stderr);
    }
}

#[test]
fn a_system_call_that_nobody_sees_through_may_fail_and_the_reason_is_reported() {
    let run = trial("raw").watched();
    assert_eq!(
        (run.code, &*run.stdout),
        (0, "refused\n16\n16\n"),
        "{}",
        run.stderr
    );
    let warning = "option `host_access`: a system call failed with EFAULT";
    assert_eq!(run.stderr.matches(warning).count(), 1, "{}", run.stderr);
}

#[test]
fn a_handler_may_touch_protected_memory_wherever_it_interrupts() {
    for topology in BOTH {
        let run = trial("interrupted").on(topology).same();
        assert_eq!(run.stdout, "interrupted\n", "{}", run.stderr);
    }
}

#[test]
fn threads_that_touch_protected_pages_at_once_all_go_on() {
    let run = trial("threads").same();
    assert!(is_seen(&run), "{}", run.stderr);
}

#[test]
fn memory_of_any_kind_and_number_is_protected_or_left_alone() {
    let run = trial("kinds").same();
    assert!(!is_seen(&run), "{}", run.stderr);
}
