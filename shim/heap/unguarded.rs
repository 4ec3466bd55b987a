//! Warns about blocks that get fewer redzones than `guard=both` promises.

use crate::state::process::Process;
use aclsan_guards::Unsupported;
use aclsan_log::Definition;
use aclsan_log::record::NO_FRONT;
use aclsan_os::stderr;
use aclsan_rules::api::family::Family;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Warns if `family` cannot be guarded at all.
#[cold]
pub fn report_unsupported_family(process: &Process, family: Family) {
    let kind = match family {
        Family::Pool => Unsupported::Pool,
        Family::Hiai => Unsupported::Hiai,
        Family::HiaiDvpp => Unsupported::HiaiDvpp,
        _ => return, // Not memory that a copy could reach.
    };
    report_unsupported_kind(process, kind);
}

/// Warns once for each kind, and records the warning as a property. A forked child does not repeat it.
#[cold]
pub fn report_unsupported_kind(process: &Process, kind: Unsupported) {
    static SAID: AtomicU32 = AtomicU32::new(0);
    let bit = 1 << kind as u32;
    if SAID.fetch_or(bit, Relaxed) & bit != 0 {
        return;
    }
    let rest = match kind.has_right_redzone() {
        true => "none before them, and one after them as with `guard=rear`",
        false => "no guard",
    };
    let kind = kind.name();
    let sentence = format!("`guard=both`: blocks of {kind} have {rest}");
    stderr::warning(&sentence);
    process.log.sink.define(&Definition::Property {
        key: format!("{NO_FRONT}{kind}"),
        value: sentence,
    });
}
